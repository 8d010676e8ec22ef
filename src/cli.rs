//! The command line: `repair`, `check` and `execute`, beside the server.
//!
//! **A file is repaired as a document is in an editor**: the same candidate,
//! the same policy by its name, the same doubts. `execute` is the exception,
//! the bare contract.
//!
//! **Results go to standard output, reports to standard error**, and nothing
//! but a broken pipe on standard output ends a run early: what is wrong with
//! one file leaves the others to be done.

mod diff;
mod excerpt;
mod execute;
mod input;
mod report;
mod write;

use std::{
    io::{self, BufWriter, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ColorChoice, Parser, Subcommand};
use serde::Serialize;

use crate::{
    contract::Response,
    repair::{Repair, Rule, RuleSet, candidate, repair_document},
    server,
};
use input::{Document, FileError};
use report::{Edits, Reporter, plural};

/// Repair JSON conservatively, and show every edit.
///
/// Without a command this is a language server: it waits for a client on
/// standard input. The commands do the same for files and pipes.
///
/// What is repaired: comments and trailing commas are removed, a text that is
/// cut off is closed. Nothing is ever invented, reordered or reformatted, and
/// strings are left alone.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_long_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// Serve a language client on standard input and output (the default)
    #[arg(long)]
    stdio: bool,

    /// The client's process: vscode-languageclient passes it to every server,
    /// and says the same again in its `initialize` request.
    #[arg(long = "clientProcessId", value_name = "ID", hide = true)]
    _client_process_id: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  json-repair-lsp check config.json            say what is wrong, and where
  json-repair-lsp repair answer.json           print the repaired text
  json-repair-lsp repair --diff *.json         print what would change
  json-repair-lsp repair --write config.json   change the file
  curl … | json-repair-lsp repair | jq .       repair what a pipe brings

Exit status:
  0  all is valid JSON (for `repair`: now)
  1  something is not
  2  something could not be read, written or understood";

#[derive(Debug, Subcommand)]
enum Command {
    /// Repair files and print the result
    ///
    /// Prints the repaired text, whether it is valid now or not, and reports
    /// every edit and what is still wrong on standard error. Several files are
    /// printed one after the other.
    ///
    /// A file's name tells what it may hold: comments and trailing commas stay
    /// in `*.jsonc` and in files that are known to have them, such as
    /// `tsconfig.json`. Everything else is taken for JSON.
    #[command(after_long_help = REPAIR_EXAMPLES)]
    Repair(RepairArguments),

    /// Report what is wrong with files, and change nothing
    ///
    /// Says on standard error what `repair` would change and what it could not
    /// repair. Says nothing about a file that is fine.
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(CheckArguments),

    /// Answer requests of the `json-candidate-repair` contract
    ///
    /// Reads requests from standard input, one a line or one right after the
    /// other, and prints one response a line as soon as a request is complete.
    /// A wrong request is answered by `{"error":{"code":…,"message":…}}`, and
    /// the next one begins on the line behind the mistake.
    #[command(after_long_help = EXECUTE_EXAMPLES)]
    Execute,
}

const REPAIR_EXAMPLES: &str = "\
Examples:
  json-repair-lsp repair < answer.txt > answer.json
  json-repair-lsp repair --diff a.json b.json | git apply
  json-repair-lsp repair --write --rules remove_trailing_commas *.json

Exit status:
  0  every result is valid JSON
  1  a result is not, or `--write` left a file as it was
  2  a file could not be read or written; the others are done";

const CHECK_EXAMPLES: &str = "\
Examples:
  json-repair-lsp check *.json
  json-repair-lsp check --rules '' package.json   validate, name no edits
  git show :config.json | json-repair-lsp check --stdin-filename config.json -

Exit status:
  0  every file is valid as it stands
  1  a file is not
  2  a file could not be read; the others are done";

const EXECUTE_EXAMPLES: &str = r#"Example:
  echo '{"text": "[1, 2,", "rules": ["close_truncated"]}' | json-repair-lsp execute

Exit status:
  0  every request was answered by a response, valid JSON or not
  1  a request was wrong
  2  standard input or output failed"#;

#[derive(Debug, Args)]
struct RepairArguments {
    /// The files to repair; `-`, or none, for standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Change the files themselves
    ///
    /// A file is changed only if the result is valid and no edit is doubtful,
    /// and is replaced as a whole: at no time does it hold half a text. Its
    /// permissions stay, a link is followed, and a file that needs no repair
    /// is not touched.
    #[arg(long, short, group = "mode")]
    write: bool,

    /// With `--write`: make doubtful edits too, and those that leave a file
    /// invalid
    #[arg(long, requires = "write")]
    force: bool,

    /// Print a unified diff instead of the result; never writes
    #[arg(long, short, group = "mode")]
    diff: bool,

    /// Print the report as JSON, one object a file and line, instead of the
    /// result: `path`, `text`, `changed`, `valid_json`, `json_error`, `edits`.
    /// Offsets count UTF-16 code units
    #[arg(long, group = "mode")]
    json: bool,

    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    report: ReportArguments,
}

#[derive(Debug, Args)]
struct CheckArguments {
    /// The files to check; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    report: ReportArguments,
}

#[derive(Debug, Args)]
struct InputArguments {
    /// Apply these rules, separated by commas, whatever the file's name: any
    /// of remove_comments, close_truncated, remove_trailing_commas; an empty
    /// list only validates
    #[arg(long, value_name = "RULES", value_parser = parse_rules)]
    rules: Option<RuleSet>,

    /// The name that standard input goes by: it tells what the text may hold,
    /// as a file's name does
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ReportArguments {
    /// Report nothing but what kept a file from being read or written
    #[arg(long, short)]
    quiet: bool,

    /// Show at most this many problems of a file
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    max_problems: usize,

    /// When to use colours; `auto` is on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
}

fn parse_rules(list: &str) -> Result<RuleSet, String> {
    let mut rules = RuleSet::NONE;
    for name in list.split(',').map(str::trim).filter(|_| !list.trim().is_empty()) {
        let rule: Rule = name.parse().map_err(|error| format!("{error}"))?;
        if !rules.insert(rule) {
            return Err(format!("rule `{rule}` is repeated"));
        }
    }
    Ok(rules)
}

/// How a run went, from best to worst; the process's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    /// All is valid.
    Valid = 0,
    /// Something is not.
    NotValid = 1,
    /// Something could not be read, written or understood.
    Failed = 2,
}

impl Status {
    fn of_validity(is_valid: bool) -> Status {
        if is_valid { Status::Valid } else { Status::NotValid }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Does what the process's arguments ask for.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let status = match arguments.command {
        None => return serve(arguments.stdio),
        Some(Command::Repair(arguments)) => run_repair(&arguments),
        Some(Command::Check(arguments)) => Ok(run_check(&arguments)),
        Some(Command::Execute) => execute::run(),
    };
    match status {
        Ok(status) => status.into(),
        // Who reads our output has seen enough: that is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody left to tell where standard error is gone too.
            let _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
            Status::Failed.into()
        }
    }
}

fn serve(is_asked_for: bool) -> ExitCode {
    if !is_asked_for && io::stdin().is_terminal() {
        let _ = writeln!(
            io::stderr(),
            "json-repair-lsp is waiting for a language client on standard input; \
             `json-repair-lsp --help` shows the commands for people"
        );
    }
    server::serve()
}

/// What `repair` does with a result.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Print,
    Diff,
    Json,
    Write { force: bool },
}

/// Repairs every file. The error is standard output's.
fn run_repair(arguments: &RepairArguments) -> io::Result<Status> {
    let mode = match (arguments.write, arguments.diff, arguments.json) {
        (true, ..) => Mode::Write { force: arguments.force },
        (_, true, _) => Mode::Diff,
        (.., true) => Mode::Json,
        _ => Mode::Print,
    };
    let mut reporter = Reporter::new(&arguments.report);
    let standard_input = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &standard_input[..] } else { &arguments.files };
    let writes = matches!(mode, Mode::Write { .. });
    if writes && files.iter().any(|file| is_standard_input(file)) {
        reporter.error("`--write` changes files, and standard input is none");
        return Ok(Status::Failed);
    }
    let stdout = io::stdout().lock();
    let colors_diff = report::has_colors(arguments.report.color, &stdout);
    let mut stdout = BufWriter::new(stdout);
    let mut tally = RepairTally::default();
    let mut status = Status::Valid;
    for file in files {
        let document = match Document::read(file, &arguments.input, writes) {
            Ok(document) => document,
            Err(error) => {
                reporter.error(&error.to_string());
                status = Status::Failed;
                continue;
            }
        };
        let repair = repair_document(&document.text, document.policy);
        let mut file_status = Status::of_validity(repair.is_valid());
        tally.files += 1;
        match mode {
            Mode::Print => {
                stdout.write_all(repair.edits.apply(&document.text).as_bytes())?;
                // What follows on standard error is about this.
                stdout.flush()?;
                reporter.problems(&document, &repair, Edits::Made);
                tally.count_repair(&repair);
            }
            Mode::Diff => {
                diff::write(&mut stdout, &document.file_name, &document.text, &repair.edits, colors_diff)?;
                stdout.flush()?;
                reporter.problems(&document, &repair, Edits::InDiff);
            }
            Mode::Json => {
                let path = document.path.as_deref().map(Path::to_string_lossy);
                let response = Response::new(&document.text, &repair);
                let report = FileReport { path: path.as_deref(), response };
                serde_json::to_writer(&mut stdout, &report)?;
                stdout.write_all(b"\n")?;
            }
            Mode::Write { force } => match write_repair(&document, &repair, force) {
                Ok(()) => {
                    reporter.problems(&document, &repair, Edits::Made);
                    tally.count_repair(&repair);
                }
                Err(WriteError::Refused(reason)) => {
                    reporter.problems(&document, &repair, Edits::Needed);
                    reporter.error(&format!("{} was left as it is: {reason}", document.name));
                    file_status = Status::NotValid;
                }
                Err(WriteError::Failed(error)) => {
                    reporter.error(&error.to_string());
                    file_status = Status::Failed;
                }
            },
        }
        status = status.max(file_status);
    }
    stdout.flush()?;
    reporter.summary(&tally.summary(writes));
    Ok(status)
}

/// A line of `repair --json`.
#[derive(Debug, Serialize)]
struct FileReport<'report> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'report str>,
    #[serde(flatten)]
    response: Response,
}

/// Why a file was not written.
#[derive(Debug)]
enum WriteError {
    /// Nobody would want it written without a look at it.
    Refused(String),
    Failed(FileError),
}

fn write_repair(document: &Document, repair: &Repair, force: bool) -> Result<(), WriteError> {
    let Some(path) = document.path.as_deref().filter(|_| !repair.edits.is_empty()) else {
        return Ok(());
    };
    let source = candidate(&document.text);
    if !force && repair.unasked(source).is_empty() {
        let doubts = repair.doubts(source, 0..repair.edits.len()).into_iter().flatten().count();
        let edits = repair.edits.len();
        return Err(WriteError::Refused(match (repair.is_valid(), doubts) {
            (false, _) => "it would still not be valid JSON (`--force` writes it all the same)".to_owned(),
            (true, 1) if edits == 1 => "its one edit is doubtful (`--force` makes it)".to_owned(),
            (true, _) => {
                format!("{doubts} of its {edits} edits {} doubtful (`--force` makes them)", is_or_are(doubts))
            }
        }));
    }
    write::replace(path, &repair.edits.apply(&document.text))
        .map_err(|error| WriteError::Failed(FileError::write(&document.name, error)))
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Counts what `repair` did.
#[derive(Debug, Default)]
struct RepairTally {
    files: usize,
    repaired_files: usize,
    edits: usize,
    invalid_files: usize,
}

impl RepairTally {
    fn count_repair(&mut self, repair: &Repair) {
        self.repaired_files += usize::from(!repair.edits.is_empty());
        self.edits += repair.edits.len();
        self.invalid_files += usize::from(!repair.is_valid());
    }

    /// Empty if nothing was done and all is well.
    fn summary(&self, written: bool) -> Vec<String> {
        let mut lines = Vec::new();
        if self.repaired_files > 0 {
            let files = of_all(self.repaired_files, self.files);
            let edits = plural(self.edits, "edit");
            lines.push(if written {
                format!("wrote {files} ({edits})")
            } else {
                format!("made {edits} in {files}")
            });
        }
        if self.invalid_files > 0 {
            let files = of_all(self.invalid_files, self.files);
            lines.push(format!("{files} {} still not valid JSON", is_or_are(self.invalid_files)));
        }
        lines
    }
}

/// `2 of 3 files`, or `1 file` where there is no other.
fn of_all(count: usize, all: usize) -> String {
    if count == all { plural(all, "file") } else { format!("{count} of {}", plural(all, "file")) }
}

/// Checks every file.
fn run_check(arguments: &CheckArguments) -> Status {
    let mut reporter = Reporter::new(&arguments.report);
    let mut status = Status::Valid;
    let (mut files, mut wrong_files, mut repairable_files, mut problems) = (0, 0, 0, 0);
    for file in &arguments.files {
        let document = match Document::read(file, &arguments.input, false) {
            Ok(document) => document,
            Err(error) => {
                reporter.error(&error.to_string());
                status = Status::Failed;
                continue;
            }
        };
        let repair = repair_document(&document.text, document.policy);
        files += 1;
        if repair.edits.is_empty() && repair.is_valid() {
            continue;
        }
        reporter.problems(&document, &repair, Edits::Needed);
        status = status.max(Status::NotValid);
        problems += repair.edits.len() + usize::from(!repair.is_valid());
        wrong_files += 1;
        repairable_files += usize::from(!repair.unasked(candidate(&document.text)).is_empty());
    }
    if problems > 0 {
        let mut lines =
            vec![format!("found {} in {}", plural(problems, "problem"), of_all(wrong_files, files))];
        if repairable_files > 0 {
            let which = match (wrong_files, repairable_files) {
                (1, _) => "it".to_owned(),
                (wrong, repairable) if wrong == repairable => "them".to_owned(),
                (_, repairable) => format!("{repairable} of them"),
            };
            lines.push(format!("`json-repair-lsp repair` would repair {which}"));
        }
        reporter.summary(&lines);
    }
    status
}

fn is_standard_input(file: &Path) -> bool {
    file.as_os_str() == "-"
}
