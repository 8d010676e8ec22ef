//! `document FLAVOUR BYTES`: writes one of the benches' documents to standard output.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use documents::{Flavour, document};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let flavour = arguments.next().as_deref().and_then(Flavour::from_name);
    let size = arguments.next().and_then(|size| size.parse().ok());
    let (Some(flavour), Some(size)) = (flavour, size) else {
        eprintln!("usage: document FLAVOUR BYTES, of {:?}", Flavour::ALL.map(Flavour::name));
        return ExitCode::from(2);
    };
    match io::stdout().write_all(document(flavour, size).as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
