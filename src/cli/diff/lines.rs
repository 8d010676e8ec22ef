//! The diff of JSON Lines, made while they are read.

use std::{
    collections::VecDeque,
    io::{self, BufWriter, Seek, Write},
};

use tempfile::SpooledTempFile;

use super::{ADDED, CONTEXT, Mark, Output, REMOVED, UNCHANGED, line_span};

/// How much of a hunk is kept in memory, in bytes. What is longer is kept in a
/// temporary file: the numbers of its lines stand before them.
const SPOOLED: usize = 1024 * 1024;

/// A unified diff in which every change is one of a line into another.
///
/// Needs the memory of a few lines, however many there are: a hunk that does
/// not end, because every line changes, goes to a temporary file.
pub(in crate::cli) struct LineDiff<'name> {
    name: &'name str,
    colors: bool,
    has_header: bool,
    /// How many lines were told of.
    lines: usize,
    /// The last lines, which are unchanged: those that a hunk may end or begin
    /// with.
    unchanged: VecDeque<Vec<u8>>,
    hunk: Option<Hunk>,
}

/// What was changed, with its context as far as that is known to belong to it.
struct Hunk {
    /// Counted from 0.
    first_line: usize,
    lines: usize,
    text: BufWriter<SpooledTempFile>,
}

impl<'name> LineDiff<'name> {
    /// Of the file `name`, of which nothing was read yet.
    pub(in crate::cli) fn new(name: &'name str, colors: bool) -> LineDiff<'name> {
        LineDiff { name, colors, has_header: false, lines: 0, unchanged: VecDeque::new(), hunk: None }
    }

    /// The next line stays as it is.
    pub(in crate::cli) fn keep(&mut self, out: &mut impl Write, line: &[u8]) -> io::Result<()> {
        self.lines += 1;
        let most = if self.hunk.is_some() { 2 * CONTEXT } else { CONTEXT };
        if self.unchanged.len() < most {
            self.unchanged.push_back(line.to_vec());
            return Ok(());
        }
        if self.hunk.is_some() {
            self.end_hunk(out)?;
        }
        // The allocation of the one that is too far away now serves again.
        let mut kept = self.unchanged.pop_front().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(line);
        self.unchanged.push_back(kept);
        Ok(())
    }

    /// The next line, `old`, becomes `new`.
    pub(in crate::cli) fn change(&mut self, old: &[u8], new: &str) -> io::Result<()> {
        let colors = self.colors;
        let first_line = self.lines - self.unchanged.len();
        let hunk = self.hunk.get_or_insert_with(|| Hunk {
            first_line,
            lines: 0,
            text: BufWriter::new(SpooledTempFile::new(SPOOLED)),
        });
        for line in self.unchanged.drain(..) {
            hunk.add(UNCHANGED, &line, colors)?;
        }
        hunk.add(REMOVED, old, colors)?;
        hunk.write(ADDED, new.as_bytes(), colors)?;
        self.lines += 1;
        Ok(())
    }

    /// That was the last line.
    pub(in crate::cli) fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        self.end_hunk(out)
    }

    /// Writes the hunk, if there is one, and the first of the unchanged lines
    /// behind it.
    fn end_hunk(&mut self, out: &mut impl Write) -> io::Result<()> {
        let Some(mut hunk) = self.hunk.take() else { return Ok(()) };
        let behind = self.unchanged.len().min(CONTEXT);
        for line in self.unchanged.drain(..behind) {
            hunk.add(UNCHANGED, &line, self.colors)?;
        }
        let mut output = Output { out, colors: self.colors };
        if !self.has_header {
            output.file_header(self.name)?;
            self.has_header = true;
        }
        // No line is added and none is removed.
        let span = line_span(hunk.first_line, hunk.lines);
        output.hunk_header(&span, &span)?;
        let mut text = hunk.text.into_inner().map_err(io::IntoInnerError::into_error)?;
        text.rewind()?;
        io::copy(&mut text, output.out)?;
        Ok(())
    }
}

impl Hunk {
    /// Adds a line of the old text.
    fn add(&mut self, mark: Mark, line: &[u8], colors: bool) -> io::Result<()> {
        self.lines += 1;
        self.write(mark, line, colors)
    }

    fn write(&mut self, mark: Mark, line: &[u8], colors: bool) -> io::Result<()> {
        Output { out: &mut self.text, colors }.lines(mark, line)
    }
}
