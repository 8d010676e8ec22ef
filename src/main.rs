//! The binary: a language server and a command line. All of it is in the
//! library, so that tests and documentation reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    json_repair_lsp::cli::run()
}
