//! `check`: says what is wrong with files, and changes nothing.

use crate::{
    cli::{
        Status,
        arguments::CheckArguments,
        input::Document,
        report::{Edits, Reporter, of_files, plural},
    },
    repair::Report,
};

/// Checks every file.
pub(super) fn run(arguments: &CheckArguments) -> Status {
    let mut reporter = Reporter::new(&arguments.report);
    let mut tally = Tally::default();
    let mut status = Status::Valid;
    for file in &arguments.files {
        let document = match Document::read(file, &arguments.input) {
            Ok(document) => document,
            Err(error) => {
                reporter.error(&error.to_string());
                status = Status::Failed;
                continue;
            }
        };
        let report = Report::new(document.text.as_str(), document.policy);
        tally.files += 1;
        if report.edit_count() == 0 && report.is_valid() {
            continue;
        }
        reporter.problems(&document, &report, Edits::Needed);
        status = status.max(Status::NotValid);
        tally.wrong_files += 1;
        tally.repairable_files += usize::from(report.is_certain());
        tally.problems += report.edit_count() + usize::from(!report.is_valid());
    }
    reporter.summary(&tally.summary());
    status
}

/// Counts what `check` found.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    wrong_files: usize,
    /// Those of them that `repair` would make valid without a doubt.
    repairable_files: usize,
    problems: usize,
}

impl Tally {
    /// No lines if all is well.
    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.problems > 0 {
            let files = of_files(self.wrong_files, self.files);
            lines.push(format!("found {} in {files}", plural(self.problems, "problem")));
        }
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
