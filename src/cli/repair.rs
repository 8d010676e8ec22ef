//! `repair`: prints what files become, or how they change, or changes them.

mod lines;

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
        input::{FileError, Source, is_standard_input},
        lines::Counts,
        report::{self, Edits, Reporter, are, of_files, plural},
        write,
    },
    contract::Response,
    repair::{Repair, Report, Rule},
};

/// How much is printed at a time, in bytes.
const CHUNK: usize = 64 * 1024;

/// What is done with a result.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Print,
    Diff { has_colors: bool },
    Json,
    Write,
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
        (true, ..) => Mode::Write,
        (_, true, _) => Mode::Diff { has_colors: report::has_colors(arguments.report.color, &stdout) },
        (.., true) => Mode::Json,
        _ => Mode::Print,
    };
    let mut run = Run {
        mode,
        is_forced: arguments.force,
        stdout: BufWriter::with_capacity(CHUNK, stdout),
        reporter,
        tally: Tally::default(),
    };
    let mut status = Status::Valid;
    for file in files {
        let source = if arguments.write {
            Source::of_writable(file, &arguments.input)
        } else {
            Source::of(file, &arguments.input)
        };
        let repaired = match source {
            Ok(source) if source.has_lines => run.repair_lines(&source)?,
            Ok(source) => run.repair_document(&source)?,
            Err(error) => Err(error),
        };
        status = status.max(repaired.unwrap_or_else(|error| {
            run.reporter.error(&error.to_string());
            Status::Failed
        }));
    }
    run.stdout.flush()?;
    run.reporter.summary(&run.tally.summary(arguments.write));
    Ok(status)
}

struct Run<W: Write> {
    mode: Mode,
    /// Whether doubtful edits are made, and those that do not end in valid JSON.
    is_forced: bool,
    stdout: BufWriter<W>,
    reporter: Reporter,
    tally: Tally,
}

impl<W: Write> Run<W> {
    /// The outer error is standard output's, the inner one the file's.
    fn repair_document(&mut self, source: &Source) -> io::Result<Result<Status, FileError>> {
        let text = match source.read() {
            Ok(text) => text,
            Err(error) => return Ok(Err(error)),
        };
        let report = Report::new(text.as_str(), source.policy);
        let repair = Repair::from(&report);
        self.tally.files += 1;
        match self.mode {
            Mode::Print => {
                for piece in repair.edits.pieces(&text) {
                    self.stdout.write_all(piece.as_bytes())?;
                }
                // What follows on standard error is about this.
                self.stdout.flush()?;
                self.made(source, &text, &report);
            }
            Mode::Diff { has_colors } => {
                diff::write(&mut self.stdout, &source.file_name, &text, &repair.edits, has_colors)?;
                self.stdout.flush()?;
                self.reporter.problems(&source.name, &text, &report, Edits::InDiff);
            }
            Mode::Json => {
                let path = source.path.as_deref().map(Path::to_string_lossy);
                let response = Response::new(&text, &repair);
                let line = FileReport { path: path.as_deref(), response };
                serde_json::to_writer(&mut self.stdout, &line)?;
                self.stdout.write_all(b"\n")?;
            }
            Mode::Write => {
                if let Some(reason) = refusal(&report).filter(|_| !self.is_forced) {
                    self.reporter.problems(&source.name, &text, &report, Edits::Needed);
                    self.reporter.error(&format!("{} was left as it is: {reason}", source.name));
                    return Ok(Ok(Status::NotValid));
                }
                if let Err(error) = replace(source, &text, &repair) {
                    return Ok(Err(error));
                }
                self.made(source, &text, &report);
            }
        }
        Ok(Ok(if repair.is_valid() { Status::Valid } else { Status::NotValid }))
    }

    fn made(&mut self, source: &Source, text: &str, report: &Report) {
        self.reporter.problems(&source.name, text, report, Edits::Made);
        self.tally.repaired_files += usize::from(report.edit_count() > 0);
        self.tally.edits += report.edit_count();
        self.tally.invalid_files += usize::from(!report.is_valid());
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

fn replace(source: &Source, text: &str, repair: &Repair) -> Result<(), FileError> {
    match &source.path {
        Some(path) if !repair.edits.is_empty() => write::replace(path, text, &repair.edits.apply(text))
            .map_err(|error| FileError::write(&source.name, error)),
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
    /// Those of JSON Lines.
    lines: Counts,
    /// The lines with edits that were not made.
    left_lines: usize,
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
        if self.lines.wrong() > 0 {
            lines.push(self.lines.summary("repaired"));
        }
        if self.left_lines > 0 {
            let (left, were) =
                (plural(self.left_lines, "line"), if self.left_lines == 1 { "was" } else { "were" });
            lines.push(format!("{left} {were} left with edits to make (`--force` makes them all the same)"));
        }
        lines
    }
}
