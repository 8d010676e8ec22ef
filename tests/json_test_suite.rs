//! JSONTestSuite (<https://github.com/nst/JSONTestSuite>): which texts are RFC 8259 and which are
//! not.
//!
//! The suite is not part of this repository. It is read where the environment variable
//! `JSON_TEST_SUITE` points to, or else from `shared/JSONTestSuite` beside the checkout; where there
//! is none, the test says so and passes.
#![allow(clippy::expect_used, reason = "the panic of a test is its answer, in its helpers too")]

mod naive;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use json_repair_lsp::repair::{RuleSet, repair};

#[test]
fn validity_is_what_the_suite_says() {
    let Some(directory) = suite_directory() else {
        return;
    };
    let mut files: Vec<PathBuf> = fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("cannot list {}: {error}", directory.display()))
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();

    let mut accepted = 0;
    let mut rejected = 0;
    let mut not_utf8 = 0;
    for path in &files {
        let name = path.file_name().expect("a file name").to_string_lossy();
        let bytes = fs::read(path).expect("a readable file");
        let must_be_accepted = match name.as_bytes()[0] {
            b'y' => true,
            b'n' => false,
            // The `i_` files are about what a parser makes of a text: how large its numbers may be,
            // whether it pairs surrogates, how deep it goes. Only the encoding and the byte order
            // mark are questions of the grammar.
            b'i' => !bytes.starts_with("\u{feff}".as_bytes()),
            _ => panic!("{name} says nothing about what it should be"),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            // A text that is not UTF-8 cannot become a `&str`, so it never reaches the engine.
            assert!(!name.starts_with("y_"), "{name} is not UTF-8");
            not_utf8 += 1;
            continue;
        };
        let repaired = repair(&text, RuleSet::NONE);
        assert!(repaired.edits.is_empty(), "{name}: edited without a rule");
        assert_eq!(
            repaired.json_error.is_none(),
            must_be_accepted,
            "{name}: the engine says {:?}",
            repaired.json_error
        );
        let answer = naive::repair(&text, naive::Rules::NONE);
        assert_eq!(
            answer.valid_json, must_be_accepted,
            "{name}: the naive implementation says {:?}",
            answer.json_error
        );
        if must_be_accepted {
            accepted += 1;
        } else {
            rejected += 1;
        }
    }
    eprintln!(
        "JSONTestSuite: {accepted} files accepted, {rejected} rejected, {not_utf8} not UTF-8, \
         in {}",
        directory.display()
    );
    assert!(accepted >= 95 && rejected >= 150, "{} does not hold the whole suite", directory.display());
}

fn suite_directory() -> Option<PathBuf> {
    let directory = match std::env::var_os("JSON_TEST_SUITE").filter(|suite| !suite.is_empty()) {
        Some(suite) => {
            let suite = PathBuf::from(suite);
            // Whoever sets the variable wants the suite to be run, so a wrong path is a failure.
            assert!(suite.is_dir(), "JSON_TEST_SUITE is {}, which is no directory", suite.display());
            suite
        }
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/JSONTestSuite"),
    };
    let test_parsing = directory.join("test_parsing");
    if test_parsing.is_dir() {
        return Some(test_parsing);
    }
    if directory.is_dir() {
        return Some(directory);
    }
    // Not with `eprintln!`, which is not shown when a test passes.
    writeln!(
        io::stderr(),
        "JSONTestSuite is not at {}: nothing was tested against it. Set JSON_TEST_SUITE to a checkout of \
         https://github.com/nst/JSONTestSuite to do so.",
        directory.display()
    )
    .expect("a standard error to write to");
    None
}
