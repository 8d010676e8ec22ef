//! `repair` for JSON Lines: a line in, a line out.

use std::{
    io::{self, Write},
    path::Path,
};

use serde::Serialize;

use super::{Mode, Run};
use crate::{
    cli::{
        Status,
        diff::LineDiff,
        input::{FileError, Source},
        lines::{Content, Counts, Kind, Line, LineReader, LineReports},
        report::Edits,
        write::Rewrite,
    },
    contract::Response,
    repair::{Repair, Report, candidate},
};

impl<W: Write> Run<W> {
    /// Repairs each line that can be repaired without a doubt, and passes the
    /// others through. Memory is that of the longest line.
    ///
    /// The outer error is standard output's, the inner one the file's.
    pub(super) fn repair_lines(&mut self, source: &Source) -> io::Result<Result<Status, FileError>> {
        let path = source.path.as_deref();
        let path_name = path.map(Path::to_string_lossy);
        let output = match (self.mode, path) {
            (Mode::Print, _) => Output::Print(&mut self.stdout),
            (Mode::Diff { has_colors }, _) => {
                let diff = LineDiff::new(&source.file_name, has_colors);
                Output::Diff(&mut self.stdout, diff, &source.name)
            }
            (Mode::Write, Some(path)) => Output::Write(Rewrite::new(path), &source.name),
            // Standard input is never written.
            (Mode::Json | Mode::Write, _) => Output::Json(&mut self.stdout, path_name.as_deref()),
        };
        let is_written = matches!(output, Output::Write(..));
        if is_written {
            // What is not written after all was not repaired.
            self.reporter.hold();
        }
        let reports = LineReports::new(&mut self.reporter, source);
        let mut lines = Lines { source, is_forced: self.is_forced, output, reports, done: Done::default() };
        let mut end = lines.run();
        let Lines { output, reports, done, .. } = lines;
        if end.is_ok() {
            end = output.finish();
        }
        reports.finish();
        match end {
            Err(Failure::Output(error)) => return Err(error),
            Err(Failure::File(error)) if is_written => {
                self.reporter.drop_held();
                return Ok(Err(error));
            }
            _ => self.reporter.tell_held(),
        }
        self.stdout.flush()?;
        self.tally.files += 1;
        if matches!(self.mode, Mode::Print | Mode::Write) {
            self.tally.repaired_files += usize::from(done.edits > 0);
            self.tally.edits += done.edits;
            self.tally.lines.add_all(&done.counts);
            self.tally.left_lines += done.left;
        }
        Ok(match end {
            Err(Failure::File(error)) => Err(error),
            _ => Ok(done.counts.status(true)),
        })
    }
}

/// What keeps lines from being repaired.
enum Failure {
    /// Standard output's error.
    Output(io::Error),
    /// The file's.
    File(FileError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// The lines of a file that are being repaired.
struct Lines<'run, W: Write> {
    source: &'run Source,
    is_forced: bool,
    output: Output<'run, W>,
    reports: LineReports<'run>,
    done: Done,
}

/// What was done so far.
#[derive(Debug, Default)]
struct Done {
    /// The lines, by what has become of them: a doubtful one that is repaired
    /// all the same counts as repairable.
    counts: Counts,
    /// How many edits were made.
    edits: usize,
    /// How many lines have edits that were not made.
    left: usize,
}

impl<W: Write> Lines<'_, W> {
    fn run(&mut self) -> Result<(), Failure> {
        let mut lines = LineReader::new(self.source.open().map_err(Failure::File)?, self.source.policy);
        loop {
            if !lines.is_next_at_hand() {
                // Who follows a log sees each line before the next is there.
                self.output.flush()?;
            }
            match lines.next() {
                Ok(Some(line)) => self.repair(&line)?,
                Ok(None) => return Ok(()),
                Err(error) => return Err(Failure::File(self.source.unreadable(error))),
            }
        }
    }

    fn repair(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        let kind = match &line.content {
            Content::Blank => Kind::Blank,
            Content::NotUtf8(error) if matches!(self.output, Output::Write(..)) => {
                return Err(Failure::File(self.source.line_not_utf8(line.number, line.bytes, *error)));
            }
            Content::NotUtf8(error) => {
                self.reports.not_utf8(line, *error);
                Kind::NotUtf8
            }
            Content::Valid => Kind::Valid,
            Content::Wrong(text, report) => return self.repair_text(line, text, report, Kind::of(report)),
        };
        self.done.counts.add(kind);
        self.output.keep(line)
    }

    /// Repairs a line that is not valid as it stands.
    fn repair_text(
        &mut self,
        line: &Line<'_>,
        text: &str,
        report: &Report,
        kind: Kind,
    ) -> Result<(), Failure> {
        let edits = report.edit_count();
        let is_made = edits > 0 && (self.is_forced || kind == Kind::Repairable);
        let repair = Repair::from(report);
        if is_made {
            self.output.change(line, text, &repair)?;
            self.done.edits += edits;
        } else {
            self.output.keep(line)?;
            self.done.left += usize::from(edits > 0);
        }
        self.done.counts.add(if is_made && report.is_valid() { Kind::Repairable } else { kind });
        let told = match &mut self.output {
            Output::Json(out, path) => {
                // The line's ending is no part of the line.
                let response = Response::new(candidate(text), &repair);
                let is_certain = kind == Kind::Repairable;
                let report = LineReport { path: *path, line: line.number, certain: is_certain, response };
                serde_json::to_writer(&mut *out, &report).map_err(io::Error::from)?;
                return Ok(out.write_all(b"\n")?);
            }
            _ if !is_made => Edits::Needed,
            // The diff says it all.
            Output::Diff(..) if kind == Kind::Repairable => return Ok(()),
            Output::Diff(..) => Edits::InDiff,
            Output::Print(_) | Output::Write(..) => Edits::Made,
        };
        if self.reports.has_room_for(kind) {
            // What follows on standard error is about this line.
            self.output.flush()?;
        }
        self.reports.problems(line.number, text, report, told);
        Ok(())
    }
}

/// What is made of the lines.
enum Output<'run, W: Write> {
    Print(&'run mut W),
    /// With the file's name.
    Diff(&'run mut W, LineDiff<'run>, &'run str),
    /// With the file's path.
    Json(&'run mut W, Option<&'run str>),
    /// With the file's name.
    Write(Rewrite<'run>, &'run str),
}

impl<W: Write> Output<'_, W> {
    /// The line stays as it is.
    fn keep(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        match self {
            Output::Print(out) => out.write_all(line.bytes)?,
            Output::Diff(out, diff, _) => diff.keep(out, line.bytes)?,
            Output::Json(..) => {}
            Output::Write(rewrite, name) => rewrite.keep(line.bytes).map_err(unwritable(name))?,
        }
        Ok(())
    }

    /// Every edit of the line is made.
    fn change(&mut self, line: &Line<'_>, text: &str, repair: &Repair) -> Result<(), Failure> {
        let mut pieces = repair.edits.pieces(text);
        match self {
            Output::Print(out) => pieces.try_for_each(|piece| out.write_all(piece.as_bytes()))?,
            Output::Diff(_, diff, name) => diff
                .change(line.bytes, &repair.edits.apply(text))
                .map_err(|error| Failure::File(FileError::diff(name, error)))?,
            Output::Json(..) => {}
            Output::Write(rewrite, name) => rewrite.change(line.bytes, pieces).map_err(unwritable(name))?,
        }
        Ok(())
    }

    /// Lets everybody see what there is so far.
    fn flush(&mut self) -> Result<(), Failure> {
        match self {
            Output::Print(out) | Output::Diff(out, ..) | Output::Json(out, _) => out.flush()?,
            Output::Write(..) => {}
        }
        Ok(())
    }

    /// There are no more lines.
    fn finish(self) -> Result<(), Failure> {
        match self {
            Output::Print(_) | Output::Json(..) => {}
            Output::Diff(out, diff, _) => diff.finish(out)?,
            Output::Write(rewrite, name) => rewrite.finish().map_err(unwritable(name))?,
        }
        Ok(())
    }
}

fn unwritable(name: &str) -> impl Fn(io::Error) -> Failure {
    move |error| Failure::File(FileError::write(name, error))
}

/// A line of `repair --json`.
#[derive(Debug, Serialize)]
struct LineReport<'report> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'report str>,
    line: usize,
    certain: bool,
    #[serde(flatten)]
    response: Response,
}
