//! The command line: `repair`, `check` and `execute`, beside the server.
//!
//! **A file is repaired as a document is in an editor**: the same candidate,
//! the same policy by its name, the same doubts. `execute` is the exception,
//! the bare contract.
//!
//! **JSON Lines are streamed**: whatever is done with them takes the memory of
//! their longest line, and a line is out before the next is waited for.
//!
//! **Results go to standard output, reports to standard error**, and nothing
//! but standard output's end ends a run early: what is wrong with one file
//! leaves the others to be done.

mod arguments;
mod check;
mod diff;
mod excerpt;
mod execute;
mod input;
mod lines;
mod repair;
mod report;
mod write;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use clap::Parser;

use crate::server;
use arguments::{Arguments, Command};

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
        Some(Command::Repair(arguments)) => repair::run(&arguments),
        Some(Command::Check(arguments)) => Ok(check::run(&arguments)),
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
