//! `check`: says what is wrong with files, and changes nothing.

use crate::{
    cli::{
        Status,
        arguments::CheckArguments,
        input::{FileError, Source},
        lines::{Content, Counts, Kind, LineReader, LineReports},
        report::{Edits, Reporter, of_files, plural},
    },
    repair::Report,
};

/// Checks every file.
pub(super) fn run(arguments: &CheckArguments) -> Status {
    let mut run = Run { reporter: Reporter::new(&arguments.report), tally: Tally::default() };
    let mut status = Status::Valid;
    for file in &arguments.files {
        let checked = Source::of(file, &arguments.input).and_then(|source| {
            if source.has_lines { run.check_lines(&source) } else { run.check_document(&source) }
        });
        status = status.max(checked.unwrap_or_else(|error| {
            run.reporter.error(&error.to_string());
            Status::Failed
        }));
    }
    run.reporter.summary(&run.tally.summary());
    status
}

struct Run {
    reporter: Reporter,
    tally: Tally,
}

impl Run {
    fn check_document(&mut self, source: &Source) -> Result<Status, FileError> {
        let text = source.read()?;
        let report = Report::new(text.as_str(), source.policy);
        self.tally.files += 1;
        let problems = problem_count(&report);
        if problems == 0 {
            return Ok(Status::Valid);
        }
        self.reporter.problems(&source.name, &text, &report, Edits::Needed);
        self.tally.wrong_files += 1;
        self.tally.repairable_files += usize::from(report.is_certain());
        self.tally.problems += problems;
        Ok(Status::NotValid)
    }

    fn check_lines(&mut self, source: &Source) -> Result<Status, FileError> {
        let mut lines = LineReader::new(source.open()?, source.policy);
        let mut reports = LineReports::new(&mut self.reporter, source);
        let mut counts = Counts::default();
        let end = loop {
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break Ok(()),
                Err(error) => break Err(source.unreadable(error)),
            };
            counts.add(match &line.content {
                Content::Blank => Kind::Blank,
                Content::NotUtf8(error) => {
                    reports.not_utf8(&line, *error);
                    Kind::NotUtf8
                }
                Content::Valid => Kind::Valid,
                Content::Wrong(text, report) => {
                    reports.problems(line.number, text, report, Edits::Needed);
                    self.tally.problems += problem_count(report);
                    Kind::of(report)
                }
            });
        };
        reports.finish();
        let wrong = counts.wrong();
        self.tally.files += 1;
        self.tally.wrong_files += usize::from(wrong > 0);
        self.tally.repairable_files += usize::from(wrong > 0 && wrong == counts.of(Kind::Repairable));
        self.tally.lines.get_or_insert_default().add_all(&counts);
        end.map(|()| counts.status(false))
    }
}

/// How many problems a text has.
fn problem_count(report: &Report) -> usize {
    report.edit_count() + usize::from(!report.is_valid())
}

/// Counts what `check` found.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    wrong_files: usize,
    /// Those of them that `repair` would make valid without a doubt.
    repairable_files: usize,
    problems: usize,
    /// Those of JSON Lines, if there was any file of them.
    lines: Option<Counts>,
}

impl Tally {
    /// No lines if all is well, but for the count of those of JSON Lines.
    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.problems > 0 {
            let files = of_files(self.wrong_files, self.files);
            lines.push(format!("found {} in {files}", plural(self.problems, "problem")));
        }
        lines.extend(self.lines.map(|counts| counts.summary("repairable")));
        if self.repairable_files > 0 {
            let which = match self.wrong_files {
                1 => "it".to_owned(),
                all if all == self.repairable_files => "them".to_owned(),
                _ => format!("{} of them", self.repairable_files),
            };
            lines.push(format!("`json-repair-lsp repair` would repair {which}"));
        }
        lines
    }
}
