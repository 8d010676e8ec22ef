//! The arguments, and the help texts that explain them.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ColorChoice, Parser, Subcommand};

use crate::repair::{Rule, RuleSet};

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
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// Serve a language client on standard input and output (the default)
    #[arg(long)]
    pub(super) stdio: bool,

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
pub(super) enum Command {
    /// Repair files and print the result
    ///
    /// Prints the repaired text, whether it is valid now or not, and reports
    /// every edit and what is still wrong on standard error. Several files are
    /// printed one after the other.
    ///
    /// A file's name tells what it may hold: comments and trailing commas stay
    /// in `*.jsonc` and in files that are known to have them, such as
    /// `tsconfig.json`. `*.json5` and `*.hjson` are left alone; everything
    /// else is taken for JSON.
    ///
    /// `*.jsonl`, `*.ndjson`, `*.jsonlines` and all with `--lines` is JSON Lines: each
    /// line is repaired by itself, a cut one is closed on its line. A line that
    /// would still not be valid, or whose edits are doubtful, passes through
    /// unchanged unless `--force` is given.
    #[command(after_long_help = REPAIR_EXAMPLES)]
    Repair(RepairArguments),

    /// Report what is wrong with files, and change nothing
    ///
    /// Says on standard error what `repair` would change and what it could not
    /// repair. Says nothing about a file that is fine, but counts the lines of
    /// JSON Lines (`*.jsonl`, `*.ndjson`, `*.jsonlines`, or `--lines`).
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
  tail -f app.log | json-repair-lsp repair --lines | jq .level
  json-repair-lsp repair --json app.jsonl | jq 'select(.certain | not) | .line'

Exit status:
  0  every result is valid JSON
  1  a result is not, or a file or a line was left as it was
  2  a file could not be read or written; the others are done";

const CHECK_EXAMPLES: &str = "\
Examples:
  json-repair-lsp check *.json
  json-repair-lsp check --rules '' package.json   validate, name no edits
  json-repair-lsp check --lines app.log           count and show the bad lines
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
#[command(group = ArgGroup::new("forced").args(["write", "lines"]).multiple(true))]
pub(super) struct RepairArguments {
    /// The files to repair; `-`, or none, for standard input
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// Change the files themselves
    ///
    /// A file is changed only if the result is valid and no edit is doubtful,
    /// and is replaced as a whole: at no time does it hold half a text. Its
    /// permissions stay, a symbolic link is followed (a hard
    /// link becomes a file of its own), and a file that needs no repair
    /// is not touched. Of JSON Lines each line is changed or not by itself.
    /// Whoever is still writing to a file goes on with the old one: leave a log
    /// alone until it is over.
    #[arg(long, short, group = "mode")]
    pub(super) write: bool,

    /// With `--write` or `--lines`: make doubtful edits too, and those that
    /// leave a file, or a line, invalid
    #[arg(long, requires = "forced")]
    pub(super) force: bool,

    /// Print a unified diff instead of the result; never writes
    #[arg(long, short, group = "mode")]
    pub(super) diff: bool,

    /// Print the report as JSON, one object a file and line, instead of the
    /// result: `path`, `text`, `changed`, `valid_json`, `json_error`, `edits`.
    /// Offsets count UTF-16 code units
    ///
    /// Of JSON Lines, one object a line that is not valid as it stands: besides
    /// these, `line` is its number, and `certain` whether it is repaired without
    /// `--force`. `text` is what all of `edits` make of it, without its line
    /// ending, and offsets count from the beginning of the line.
    #[arg(long, group = "mode")]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) input: InputArguments,

    #[command(flatten)]
    pub(super) report: ReportArguments,
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The files to check; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) input: InputArguments,

    #[command(flatten)]
    pub(super) report: ReportArguments,
}

#[derive(Debug, Args)]
pub(super) struct InputArguments {
    /// Apply these rules, separated by commas, whatever the file's name: any
    /// of remove_comments, close_truncated, remove_trailing_commas; an empty
    /// list only validates
    #[arg(long, value_name = "RULES", value_parser = parse_rules)]
    pub(super) rules: Option<RuleSet>,

    /// Read JSON Lines, whatever the file's name: each line that is not blank is
    /// a JSON text of its own
    ///
    /// `*.jsonl`, `*.ndjson` and `*.jsonlines` are read so anyway. Lines end with LF, and
    /// are streamed: memory is that of the longest line, and a line is done with
    /// before the next one is there, but for one that is cut: it may go on in the
    /// next. A line that is not UTF-8 stays as it is; it keeps `--write` from
    /// changing its file.
    #[arg(long)]
    pub(super) lines: bool,

    /// The name that standard input goes by: it tells what the text may hold,
    /// as a file's name does
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// Report nothing but what kept a file from being read or written
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Show at most this many problems of a file; of JSON Lines, of the lines
    /// that can be repaired and of the others
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(super) max_problems: usize,

    /// When to use colours; `auto` is on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(super) color: ColorChoice,
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
