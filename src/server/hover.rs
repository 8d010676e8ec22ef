//! Hovering over an edit: what it changes, as a small diff; its rule, and why;
//! what is doubtful about it.
//!
//! **No more of a text is read than is shown**, however long its lines and
//! comments are.

use std::ops::Range;

use ropey::Rope;
use tower_lsp::lsp_types as lsp;

use super::{
    actions,
    analysis::Candidate,
    capabilities::ClientCapabilities,
    diagnostics::{self, SHOWN_CLOSERS},
    documents::Snapshot,
    position,
};
use crate::{
    problem::{self, Problem},
    repair::{Edit, Report, Text},
};

/// The most characters of a line that are shown in one piece.
const LONGEST: usize = 40;
/// The most lines of a comment that are shown, and how many of these are its
/// last ones.
const MOST_LINES: usize = 7;
const LAST_LINES: usize = 2;
/// No more of a comment is read at each of its ends. Bytes.
const READ_AT_ENDS: usize = 1024;

/// What hovering over `position` shows: the edits that it touches, in order.
/// These are one that ends there, one that begins there, and closing.
pub fn hover(snapshot: &Snapshot, position: lsp::Position, client: ClientCapabilities) -> Option<lsp::Hover> {
    if !diagnostics::is_reported(snapshot) {
        return None;
    }
    let text = snapshot.rope();
    let at = position::bytes_of(text, lsp::Range::new(position, position));
    let mut shown = Vec::new();
    for candidate in snapshot.candidates_touching(at.clone()) {
        let at = candidate.from_document(&at);
        let deletions = candidate.report.deletions_touching(at.clone()).map(|edit| vec![edit]);
        let closing = shown_closing(&candidate.report);
        let closing = closing.filter(|_| actions::touches_closing(&candidate, &at));
        let closing = closing.map(|closing| actions::closing_with_company(&candidate, closing));
        let edits = deletions.chain(closing);
        shown.extend(edits.filter_map(|edits| show(text, &candidate, edits, client.markdown)));
    }
    let start = shown.iter().map(|(range, _)| range.start).min()?;
    let end = shown.iter().map(|(range, _)| range.end).max()?;
    let (kind, between) = if client.markdown {
        (lsp::MarkupKind::Markdown, "\n\n---\n\n")
    } else {
        (lsp::MarkupKind::PlainText, "\n\n")
    };
    let value = shown.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(between);
    Some(lsp::Hover {
        contents: lsp::HoverContents::Markup(lsp::MarkupContent { kind, value }),
        range: Some(position::range_of(text, start..end)),
    })
}

/// The edit that closes, as far as it is shown.
fn shown_closing(report: &Report) -> Option<Edit> {
    let mut closing = report.closing_edit_for(SHOWN_CLOSERS)?;
    if report.open_brackets().nth(SHOWN_CLOSERS).is_some() {
        closing.inserted.push('…');
    }
    Some(closing)
}

/// The last of the candidate's `edits`, together with which the others are made:
/// where it is seen, in bytes of the document, and what there is to say about it.
fn show(
    text: &Rope,
    candidate: &Candidate<'_>,
    edits: Vec<Edit>,
    in_markdown: bool,
) -> Option<(Range<usize>, String)> {
    let problem = problem::of_edit(&candidate.text, &candidate.report, edits.last()?);
    let Problem { range, code: rule, message, .. } = problem;
    let doubt = edits.iter().find_map(|edit| edit.doubt);
    let edits: Vec<Edit> = edits.into_iter().map(|edit| candidate.edit_in_document(edit)).collect();
    let diff = diff(text, &edits)?;
    let mut words = if in_markdown {
        // A fence ends at the first line of as many backticks.
        let longest = diff.split(|character| character != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(longest + 1));
        format!("`{rule}`: {message}\n\n{fence}diff\n{diff}\n{fence}")
    } else {
        format!("{rule}: {message}\n\n{diff}")
    };
    if let Some(doubt) = doubt {
        words.push_str(&format!("\n\nDoubtful: {doubt}"));
    }
    Some((candidate.in_document(range), words))
}

/// The lines that `edits` change, as they are and as they would be, between the
/// one before and the one behind them.
fn diff(text: &Rope, edits: &[Edit]) -> Option<String> {
    let hull = edits.first()?.range.start..edits.last()?.range.end;
    let mut before = last_of_line(text, hull.start);
    let mut after = before.clone();
    let mut kept_from = hull.start;
    for edit in edits {
        let kept = excerpt(text, kept_from..edit.range.start);
        before.push_str(&kept);
        after.push_str(&kept);
        before.push_str(&excerpt(text, edit.range.clone()));
        after.push_str(&edit.inserted);
        kept_from = edit.range.end;
    }
    let rest = first_of_line(text, hull.end);
    before.push_str(&rest);
    after.push_str(&rest);

    let neighbour = |line: usize| {
        let shown = first_of_line(text, text.line_to_byte(line));
        (!shown.trim().is_empty()).then_some((' ', shown))
    };
    let line_before = text.byte_to_line(hull.start).checked_sub(1).and_then(neighbour);
    let line_behind = Some(text.byte_to_line(hull.end) + 1).filter(|line| *line < text.len_lines());
    let pieces = line_before.into_iter().chain([('-', before), ('+', after)]);
    let mut lines: Vec<String> = Vec::new();
    for (sign, piece) in pieces.chain(line_behind.and_then(neighbour)) {
        let of_piece = line_feeds(&piece);
        lines.extend(of_piece.split('\n').map(|line| format!("{sign}{line}")));
    }
    Some(lines.join("\n").chars().map(visible).collect())
}

/// The characters of a line before the byte `at`, as far as they are shown.
fn last_of_line(text: &Rope, at: usize) -> String {
    let mut before = text.chars_at(text.byte_to_char(at)).reversed().take_while(|c| !is_line_ending(*c));
    let mut shown: Vec<char> = before.by_ref().take(LONGEST).collect();
    shown.extend(before.next().map(|_| '…'));
    shown.into_iter().rev().collect()
}

/// The characters of a line from the byte `at` on, as far as they are shown.
fn first_of_line(text: &Rope, at: usize) -> String {
    let mut behind = text.chars_at(text.byte_to_char(at)).take_while(|c| !is_line_ending(*c));
    let mut shown: String = behind.by_ref().take(LONGEST).collect();
    shown.extend(behind.next().map(|_| '…'));
    shown
}

/// The bytes of `range`, as far as they are shown.
fn excerpt(text: &Rope, range: Range<usize>) -> String {
    let shown = if range.len() <= 2 * READ_AT_ENDS {
        text.string_of(range)
    } else {
        let boundary = |byte| text.char_to_byte(text.byte_to_char(byte));
        let first = text.string_of(range.start..boundary(range.start + READ_AT_ENDS));
        let last = text.string_of(boundary(range.end - READ_AT_ENDS)..range.end);
        format!("{first}…{last}")
    };
    let shown = line_feeds(&shown);
    let mut lines: Vec<String> = shown.split('\n').map(clipped).collect();
    if lines.len() > MOST_LINES {
        lines.splice(MOST_LINES - LAST_LINES - 1..lines.len() - LAST_LINES, ["…".to_owned()]);
    }
    lines.join("\n")
}

/// Both ends of a line that is too long to be shown.
fn clipped(line: &str) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() <= 2 * LONGEST {
        return line.to_owned();
    }
    let (first, last) = (&characters[..LONGEST], &characters[characters.len() - LONGEST..]);
    first.iter().chain(&['…']).chain(last).collect()
}

/// The text with every line ending an LF.
fn line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn is_line_ending(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

/// The character, or a picture of one that a terminal might obey.
fn visible(character: char) -> char {
    match character {
        '\t' | '\n' => character,
        '\u{7f}' => '␡',
        '\0'..' ' => char::from_u32(0x2400 + u32::from(character)).unwrap_or(character),
        '\u{80}'..'\u{a0}' => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}
