use std::process::ExitCode;

fn main() -> ExitCode {
    json_repair_lsp::server::serve()
}
