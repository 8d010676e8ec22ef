//! JSON Lines: a file in which each line that is not blank is a JSON text.
//!
//! A line ends with LF. A CR before that belongs to its ending and stays, as
//! the final line endings of a document do.

use std::{
    io::{self, BufRead, BufReader, Read},
    str::Utf8Error,
};

use crate::{
    cli::{
        Status,
        input::Source,
        report::{Edits, Quota, Reporter, Subject, are, plural},
    },
    repair::{Policy, Report, doubt_by_next, is_blank_text, is_fine},
};

/// How much is read at a time, in bytes.
const CHUNK: usize = 64 * 1024;

/// Reads lines, one at a time.
pub(super) struct LineReader {
    input: BufReader<Box<dyn Read>>,
    policy: Policy,
    line: Vec<u8>,
    /// The line behind it, if it was read already.
    next: Option<Vec<u8>>,
    number: usize,
}

impl LineReader {
    pub(super) fn new(input: Box<dyn Read>, policy: Policy) -> LineReader {
        let input = BufReader::with_capacity(CHUNK, input);
        LineReader { input, policy, line: Vec::new(), next: None, number: 0 }
    }

    /// Whether the next line, and the one behind it, can be had without waiting
    /// for anybody.
    pub(super) fn is_next_at_hand(&self) -> bool {
        memchr::memchr_iter(b'\n', self.input.buffer()).nth(1).is_some()
    }

    /// The next line; `None` at the end. Allocates where a line is longer than
    /// all before it.
    ///
    /// Waits for the line behind it where that has a say: where this one would
    /// be closed.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        match self.next.take() {
            Some(next) => self.line = next,
            None => drop(self.input.read_until(b'\n', &mut self.line)?),
        }
        self.number += 1;
        if self.line.is_empty() {
            return Ok(None);
        }
        let content = match std::str::from_utf8(&self.line) {
            Err(error) => Content::NotUtf8(error),
            Ok(text) if is_blank_text(text) => Content::Blank,
            Ok(text) if is_fine(text, self.policy) => Content::Valid,
            Ok(text) => {
                let mut report = Report::new(text, self.policy);
                if report.closing_edit_for(0).is_some() {
                    let next = self.next.insert(Vec::new());
                    self.input.read_until(b'\n', next)?;
                    doubt_by_next(&mut report, text, next);
                }
                Content::Wrong(text, Box::new(report))
            }
        };
        Ok(Some(Line { number: self.number, bytes: &self.line, content }))
    }
}

/// A line.
#[derive(Debug)]
pub(super) struct Line<'file> {
    /// Counted from 1.
    pub(super) number: usize,
    /// With its ending. Never empty.
    pub(super) bytes: &'file [u8],
    /// What they are.
    pub(super) content: Content<'file>,
}

/// What a line holds.
#[derive(Debug)]
pub(super) enum Content<'file> {
    /// No text.
    NotUtf8(Utf8Error),
    Blank,
    /// JSON as it stands.
    Valid,
    /// A text that is not, with the line's ending, and what is found in it.
    Wrong(&'file str, Box<Report>),
}

/// What can be made of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is valid as it stands.
    Valid,
    /// The rules make it valid, without a doubt.
    Repairable,
    /// The rules make it valid, but an edit is doubtful.
    Doubtful,
    /// The rules do not make it valid.
    NotRepairable,
    Blank,
    NotUtf8,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Valid, Kind::Repairable, Kind::Doubtful, Kind::NotRepairable, Kind::Blank, Kind::NotUtf8];

    /// That of the line that `report` is about.
    pub(super) fn of(report: &Report) -> Kind {
        match (report.is_valid(), report.edit_count()) {
            (false, _) => Kind::NotRepairable,
            (true, 0) => Kind::Valid,
            (true, _) if report.is_certain() => Kind::Repairable,
            (true, _) => Kind::Doubtful,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Valid => "valid",
            Kind::Repairable => "repairable",
            Kind::Doubtful => "doubtful",
            Kind::NotRepairable => "not repairable",
            Kind::Blank => "blank",
            Kind::NotUtf8 => "not UTF-8",
        }
    }
}

/// Counts lines by what can be made of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts([usize; Kind::ALL.len()]);

impl Counts {
    pub(super) fn add(&mut self, kind: Kind) {
        self.0[kind as usize] += 1;
    }

    pub(super) fn add_all(&mut self, other: &Counts) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    pub(super) fn of(&self, kind: Kind) -> usize {
        self.0[kind as usize]
    }

    /// The lines that are not valid as they stand.
    pub(super) fn wrong(&self) -> usize {
        self.all() - self.of(Kind::Valid) - self.of(Kind::Blank)
    }

    fn all(&self) -> usize {
        self.0.iter().sum()
    }

    /// How it went, where what can be repaired is valid now, or is not.
    pub(super) fn status(&self, is_repaired: bool) -> Status {
        let not_valid = self.wrong() - if is_repaired { self.of(Kind::Repairable) } else { 0 };
        match (self.of(Kind::NotUtf8), not_valid) {
            (0, 0) => Status::Valid,
            (0, _) => Status::NotValid,
            _ => Status::Failed,
        }
    }

    /// `5 lines: 3 valid, 2 repaired`. `repairable` is what became of those that
    /// can be repaired.
    pub(super) fn summary(&self, repairable: &str) -> String {
        let counted = Kind::ALL.into_iter().filter(|kind| *kind == Kind::Valid || self.of(*kind) > 0);
        let counts: Vec<String> = counted
            .map(|kind| {
                let name = if kind == Kind::Repairable { repairable } else { kind.name() };
                format!("{} {name}", self.of(kind))
            })
            .collect();
        format!("{}: {}", plural(self.all(), "line"), counts.join(", "))
    }
}

/// Reports the lines of one file.
///
/// So many problems of lines that can be repaired are shown, and so many of
/// those that cannot: the one line that needs a person is not lost behind a
/// million that do not.
pub(super) struct LineReports<'run> {
    reporter: &'run mut Reporter,
    source: &'run Source,
    repairable: Quota,
    others: Quota,
    not_utf8: Quota,
}

impl<'run> LineReports<'run> {
    pub(super) fn new(reporter: &'run mut Reporter, source: &'run Source) -> LineReports<'run> {
        let quota = reporter.quota();
        let not_utf8 = quota.of_one_at_least();
        LineReports { reporter, source, repairable: quota, others: quota, not_utf8 }
    }

    /// Whether something of a line that is `kind` would be shown.
    pub(super) fn has_room_for(&self, kind: Kind) -> bool {
        let quota = if kind == Kind::Repairable { self.repairable } else { self.others };
        quota.is_any_left() && !self.reporter.is_quiet()
    }

    /// Reports a line's edits, and the error that they leave.
    pub(super) fn problems(&mut self, number: usize, text: &str, report: &Report, edits: Edits) {
        let subject = Subject { name: &self.source.name, text, line: Some(number) };
        let is_repairable = Kind::of(report) == Kind::Repairable;
        let quota = if is_repairable { &mut self.repairable } else { &mut self.others };
        self.reporter.show(subject, report, edits, quota);
    }

    /// Says that a line is not UTF-8.
    pub(super) fn not_utf8(&mut self, line: &Line<'_>, error: Utf8Error) {
        if self.not_utf8.take(1) > 0 {
            let error = self.source.line_not_utf8(line.number, line.bytes, error);
            self.reporter.error(&error.to_string());
        }
    }

    /// Says how much was not shown.
    pub(super) fn finish(self) {
        let name = &self.source.name;
        self.reporter.hidden(name, &[self.repairable, self.others]);
        let hidden = self.not_utf8.hidden();
        if hidden > 0 {
            let lines = plural(hidden, "more line");
            let error = self.source.unreadable(format_args!("{lines} of it {} invalid UTF-8", are(hidden)));
            self.reporter.error(&error.to_string());
        }
    }
}
