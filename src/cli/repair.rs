//! `repair`: prints what files become, or how they change, or changes them.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    cli::{
        Status,
        arguments::RepairArguments,
        diff,
        input::{Document, FileError, is_standard_input},
        report::{self, Edits, Reporter, are, of_files, plural},
        write,
    },
    contract::Response,
    repair::{Repair, Report, Rule},
};

/// What is done with a result.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Print,
    Diff { has_colors: bool },
    Json,
    Write { is_forced: bool },
}

/// Repairs every file. The error is standard output's.
pub(super) fn run(arguments: &RepairArguments) -> io::Result<Status> {
    let mut reporter = Reporter::new(&arguments.report);
    let standard_input = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &standard_input[..] } else { &arguments.files };
    if arguments.write && files.iter().any(|file| is_standard_input(file)) {
        reporter.error("`--write` changes files, and standard input is none");
        return Ok(Status::Failed);
    }
    let stdout = io::stdout().lock();
    let mode = match (arguments.write, arguments.diff, arguments.json) {
        (true, ..) => Mode::Write { is_forced: arguments.force },
        (_, true, _) => Mode::Diff { has_colors: report::has_colors(arguments.report.color, &stdout) },
        (.., true) => Mode::Json,
        _ => Mode::Print,
    };
    let mut run = Run { mode, stdout: BufWriter::new(stdout), reporter, tally: Tally::default() };
    let mut status = Status::Valid;
    for file in files {
        let document = if arguments.write {
            Document::read_to_write(file, &arguments.input)
        } else {
            Document::read(file, &arguments.input)
        };
        status = status.max(match document {
            Ok(document) => run.repair(&document)?,
            Err(error) => run.failed(&error),
        });
    }
    run.stdout.flush()?;
    run.reporter.summary(&run.tally.summary(arguments.write));
    Ok(status)
}

struct Run<W: Write> {
    mode: Mode,
    stdout: BufWriter<W>,
    reporter: Reporter,
    tally: Tally,
}

impl<W: Write> Run<W> {
    fn repair(&mut self, document: &Document) -> io::Result<Status> {
        let report = Report::new(document.text.as_str(), document.policy);
        let repair = Repair::from(&report);
        let status = if repair.is_valid() { Status::Valid } else { Status::NotValid };
        self.tally.files += 1;
        match self.mode {
            Mode::Print => {
                for piece in repair.edits.pieces(&document.text) {
                    self.stdout.write_all(piece.as_bytes())?;
                }
                // What follows on standard error is about this.
                self.stdout.flush()?;
                self.made(document, &report);
            }
            Mode::Diff { has_colors } => {
                let name = &document.file_name;
                diff::write(&mut self.stdout, name, &document.text, &repair.edits, has_colors)?;
                self.stdout.flush()?;
                self.reporter.problems(document, &report, Edits::InDiff);
            }
            Mode::Json => {
                let path = document.path.as_deref().map(Path::to_string_lossy);
                let response = Response::new(&document.text, &repair);
                let line = FileReport { path: path.as_deref(), response };
                serde_json::to_writer(&mut self.stdout, &line)?;
                self.stdout.write_all(b"\n")?;
            }
            Mode::Write { is_forced } => {
                if let Some(reason) = refusal(&report).filter(|_| !is_forced) {
                    self.reporter.problems(document, &report, Edits::Needed);
                    self.reporter.error(&format!("{} was left as it is: {reason}", document.name));
                    return Ok(Status::NotValid);
                }
                if let Err(error) = replace(document, &repair) {
                    return Ok(self.failed(&error));
                }
                self.made(document, &report);
            }
        }
        Ok(status)
    }

    fn made(&mut self, document: &Document, report: &Report) {
        self.reporter.problems(document, report, Edits::Made);
        self.tally.repaired_files += usize::from(report.edit_count() > 0);
        self.tally.edits += report.edit_count();
        self.tally.invalid_files += usize::from(!report.is_valid());
    }

    fn failed(&mut self, error: &FileError) -> Status {
        self.reporter.error(&error.to_string());
        Status::Failed
    }
}

/// A line of `repair --json`.
#[derive(Debug, Serialize)]
struct FileReport<'report> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'report str>,
    #[serde(flatten)]
    response: Response,
}

/// Why nobody would want a file to be written without a look at the edits.
fn refusal(report: &Report) -> Option<String> {
    let edits = report.edit_count();
    if edits == 0 || report.is_certain() {
        return None;
    }
    if !report.is_valid() {
        return Some("it would still not be valid JSON (`--force` writes it all the same)".to_owned());
    }
    Some(match Rule::ALL.into_iter().map(|rule| report.doubtful_count(rule)).sum::<usize>() {
        1 if edits == 1 => "its one edit is doubtful (`--force` makes it)".to_owned(),
        doubts => format!("{doubts} of its {edits} edits {} doubtful (`--force` makes them)", are(doubts)),
    })
}

fn replace(document: &Document, repair: &Repair) -> Result<(), FileError> {
    match &document.path {
        Some(path) if !repair.edits.is_empty() => {
            let repaired = repair.edits.apply(&document.text);
            write::replace(path, &document.text, &repaired)
                .map_err(|error| FileError::write(&document.name, error))
        }
        _ => Ok(()),
    }
}

/// Counts what `repair` did.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    repaired_files: usize,
    edits: usize,
    invalid_files: usize,
}

impl Tally {
    /// No lines if there was nothing to do.
    fn summary(&self, are_written: bool) -> Vec<String> {
        let mut lines = Vec::new();
        if self.repaired_files > 0 {
            let files = of_files(self.repaired_files, self.files);
            let edits = plural(self.edits, "edit");
            lines.push(if are_written {
                format!("wrote {files} ({edits})")
            } else {
                format!("made {edits} in {files}")
            });
        }
        if self.invalid_files > 0 {
            let files = of_files(self.invalid_files, self.files);
            lines.push(format!("{files} {} still not valid JSON", are(self.invalid_files)));
        }
        lines
    }
}
