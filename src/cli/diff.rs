//! A unified diff, made from the edits themselves.
//!
//! The edits say which lines change, so that nothing has to be searched for:
//! linear in the text, and no line appears that no edit has to do with.

mod lines;

use std::{
    io::{self, Write},
    ops::Range,
};

use crate::repair::Edit;
pub(super) use lines::LineDiff;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// Lines of the old text, and what they become.
#[derive(Debug)]
struct Change {
    /// Bytes of the old text; whole lines.
    old: Range<usize>,
    new: String,
}

/// Writes how `edits` change `text`. Nothing, if there are none.
///
/// `name` is the file's, and appears with the prefixes `a/` and `b/` that
/// `patch -p1` and `git apply` take off.
pub(super) fn write(
    out: &mut impl Write,
    name: &str,
    text: &str,
    edits: &[Edit],
    colors: bool,
) -> io::Result<()> {
    let changes = changes(text, edits);
    if changes.is_empty() {
        return Ok(());
    }
    let mut out = Output { out, colors };
    out.file_header(name)?;
    // Line numbers, counted from 0, of the old text and of the new one.
    let (mut old_line, mut new_line) = (0, 0);
    let mut counted_to = 0;
    let mut rest = &changes[..];
    while let Some(first) = rest.first() {
        let length = hunk_length(text, rest);
        let (hunk, behind) = rest.split_at(length);
        rest = behind;
        let start = lines_before(text, first.old.start, counted_to);
        let last = hunk.last().unwrap_or(first);
        let end = lines_behind(text, last.old.end);
        let skipped = line_count(&text[counted_to..start]);
        old_line += skipped;
        new_line += skipped;
        let old_count = line_count(&text[start..end]);
        let changed: usize = hunk.iter().map(|change| line_count(&text[change.old.clone()])).sum();
        let added: usize = hunk.iter().map(|change| line_count(&change.new)).sum();
        let new_count = old_count - changed + added;
        let (old_span, new_span) = (line_span(old_line, old_count), line_span(new_line, new_count));
        out.hunk_header(&old_span, &new_span)?;
        let mut at = start;
        for change in hunk {
            out.lines(UNCHANGED, &text[at..change.old.start])?;
            out.lines(REMOVED, &text[change.old.clone()])?;
            out.lines(ADDED, &change.new)?;
            at = change.old.end;
        }
        out.lines(UNCHANGED, &text[at..end])?;
        old_line += old_count;
        new_line += new_count;
        counted_to = end;
    }
    Ok(())
}

/// The lines that `edits` change, in order; changes of adjacent lines are one.
fn changes(text: &str, edits: &[Edit]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let start = line_start(text, first.range.start);
        let mut end = line_end(text, first.range.end);
        let mut length = 1;
        // A line may be long and hold many edits: nothing here looks at a byte
        // twice.
        while let Some(next) = rest.get(length)
            && (next.range.start < end || !text[end..next.range.start].contains('\n'))
        {
            if next.range.end >= end {
                end = line_end(text, next.range.end);
            }
            length += 1;
        }
        let (here, behind) = rest.split_at(length);
        rest = behind;
        let mut new = String::new();
        let mut kept_from = start;
        for edit in here {
            new.push_str(&text[kept_from..edit.range.start]);
            new.push_str(&edit.inserted);
            kept_from = edit.range.end;
        }
        new.push_str(&text[kept_from..end]);
        changes.push(without_equal_lines(text, start..end, new));
    }
    changes
}

/// Takes off the lines at both ends that stay as they are: closers on a line
/// of their own leave the line before them alone.
fn without_equal_lines(text: &str, old: Range<usize>, new: String) -> Change {
    let old_lines = || text[old.clone()].split_inclusive('\n');
    let equal_length = |pair: &(&str, &str)| pair.0 == pair.1;
    let before: usize =
        old_lines().zip(new.split_inclusive('\n')).take_while(equal_length).map(|(line, _)| line.len()).sum();
    let (old_rest, new_rest) = (&text[old.start + before..old.end], &new[before..]);
    let behind: usize = old_rest
        .split_inclusive('\n')
        .rev()
        .zip(new_rest.split_inclusive('\n').rev())
        .take_while(equal_length)
        .map(|(line, _)| line.len())
        .sum();
    Change { old: old.start + before..old.end - behind, new: new[before..new.len() - behind].to_owned() }
}

/// How many of `changes` stand in the first hunk: those whose context touches.
fn hunk_length(text: &str, changes: &[Change]) -> usize {
    let touches = |pair: &[Change]| {
        let between = &text[pair[0].old.end..pair[1].old.start];
        between.split_inclusive('\n').take(2 * CONTEXT + 1).count() <= 2 * CONTEXT
    };
    1 + changes.windows(2).take_while(|pair| touches(pair)).count()
}

/// Where the context begins of a change at `at`, not before `floor`.
fn lines_before(text: &str, at: usize, floor: usize) -> usize {
    let lines = text[floor..at].split_inclusive('\n').rev().take(CONTEXT);
    at - lines.map(str::len).sum::<usize>()
}

/// Where the context ends of a change that ends at `at`.
fn lines_behind(text: &str, at: usize) -> usize {
    at + text[at..].split_inclusive('\n').take(CONTEXT).map(str::len).sum::<usize>()
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |line_feed| line_feed + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |line_feed| at + line_feed + 1)
}

fn line_count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// `count` lines from the one at `index` on, as a hunk's header says it. No
/// lines at all are said to stand behind the one before.
fn line_span(index: usize, count: usize) -> String {
    match count {
        0 => format!("{index},0"),
        1 => format!("{}", index + 1),
        _ => format!("{},{count}", index + 1),
    }
}

/// A file's name as a diff names it: an absolute one as if from the root, and
/// in quotes, as `git` writes them, where it holds what would end it.
fn header_name(prefix: &str, name: &str) -> String {
    let name = if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
    let name = if cfg!(windows) { name.split_once(':').map_or(&*name, |(_, path)| path) } else { &name };
    let mut path = name.trim_start_matches('/');
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path.contains(|character: char| character.is_ascii_control() || matches!(character, '"' | '\\')) {
        let mut quoted = format!("\"{prefix}");
        for character in path.chars() {
            match character {
                '"' | '\\' => quoted.extend(['\\', character]),
                '\t' => quoted.push_str("\\t"),
                '\n' => quoted.push_str("\\n"),
                _ if character.is_ascii_control() => {
                    quoted.push_str(&format!("\\{:03o}", u32::from(character)));
                }
                _ => quoted.push(character),
            }
        }
        quoted.push('"');
        return quoted;
    }
    // A tab says that the blanks before it belong to the name.
    let end = if path.contains(' ') { "\t" } else { "" };
    format!("{prefix}{path}{end}")
}

/// What a line of a diff says about a line of the text: the mark that it
/// begins with, and its colour.
type Mark = (char, &'static str);

const UNCHANGED: Mark = (' ', "");
const REMOVED: Mark = ('-', "31");
const ADDED: Mark = ('+', "32");

struct Output<'out, W> {
    out: &'out mut W,
    colors: bool,
}

impl<W: Write> Output<'_, W> {
    fn file_header(&mut self, name: &str) -> io::Result<()> {
        self.line("1", ["--- ", &header_name("a/", name)])?;
        self.line("1", ["+++ ", &header_name("b/", name)])
    }

    /// `old_span` and `new_span` as [`line_span`] writes them.
    fn hunk_header(&mut self, old_span: &str, new_span: &str) -> io::Result<()> {
        self.line("36", ["@@ -", old_span, " +", new_span, " @@"])
    }

    /// Writes `lines`, each behind the mark.
    fn lines(&mut self, (mark, color): Mark, lines: impl AsRef<[u8]>) -> io::Result<()> {
        let mut buffer = [0; 4];
        let mark = mark.encode_utf8(&mut buffer).as_bytes();
        for line in lines.as_ref().split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(content) => self.line(color, [mark, content])?,
                None => {
                    self.line(color, [mark, line])?;
                    self.out.write_all(b"\\ No newline at end of file\n")?;
                }
            }
        }
        Ok(())
    }

    fn line<T: AsRef<[u8]>>(&mut self, color: &str, pieces: impl IntoIterator<Item = T>) -> io::Result<()> {
        let has_color = self.colors && !color.is_empty();
        if has_color {
            write!(self.out, "\u{1b}[{color}m")?;
        }
        for piece in pieces {
            self.out.write_all(piece.as_ref())?;
        }
        self.out.write_all(if has_color { b"\x1b[0m\n" } else { b"\n" })
    }
}
