//! Texts that make a pass quadratic as soon as something in it looks back, looks ahead or copies.
//!
//! These guard against hanging, not against slowness: each takes seconds on a slow and busy machine
//! without optimisation, and a quadratic pass would take hours.
#![allow(clippy::expect_used, reason = "the panic of a test is its answer, in its helpers too")]

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use json_repair_lsp::contract::Response;
use json_repair_lsp::repair::{Policy, RuleSet, repair};

const TIME_LIMIT: Duration = Duration::from_secs(120);

/// What the repair of a text has to come to, as far as its size goes.
struct Expected {
    edits: usize,
    result_length: usize,
    is_valid: bool,
}

/// Repairs with all rules, with none and where comments are allowed, and does with the repair all that
/// is linear in the text. All of that on a thread that is given up on when the time is over.
fn check(text: String, expected: Expected) {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let unrepaired = repair(&text, RuleSet::NONE);
        let allowing = repair(&text, Policy::allow_comments(RuleSet::ALL));
        let repaired = repair(&text, RuleSet::ALL);
        let response = Response::new(&text, &repaired);
        let doubts: Vec<_> = repaired.edits.iter().map(|edit| edit.doubt).collect();
        // Nobody listens any more when the time is over, and that is no failure of this thread.
        let _ = sender.send((unrepaired, allowing, repaired, response, doubts));
    });
    let (unrepaired, allowing, repaired, response, doubts) =
        receiver.recv_timeout(TIME_LIMIT).expect("everything within the time limit");

    assert!(unrepaired.edits.is_empty());
    assert!(allowing.edits.len() <= 1);
    assert_eq!(repaired.edits.len(), expected.edits);
    assert_eq!(response.edits.len(), expected.edits);
    assert_eq!(doubts.len(), expected.edits);
    assert_eq!(response.text.len(), expected.result_length);
    assert_eq!(response.valid_json, expected.is_valid, "{:?}", repaired.json_error);
}

#[test]
fn open_string_full_of_commas_and_escaped_quotes() {
    let text = format!("[\"{}", r#",\",]/*"#.repeat(5_000_000 / 7));
    check(text.clone(), Expected { edits: 1, result_length: text.len() + 2, is_valid: true });
}

#[test]
fn open_string_full_of_backslashes() {
    let text = format!("\"{}", r"\\".repeat(2_500_000));
    check(text.clone(), Expected { edits: 1, result_length: text.len() + 1, is_valid: true });
}

#[test]
fn trailing_commas() {
    let text = format!("[{}0]", "[1, ],".repeat(100_000));
    check(text.clone(), Expected { edits: 100_000, result_length: text.len() - 100_000, is_valid: true });
}

#[test]
fn adjacent_block_comments() {
    let text = format!("[{}1,{}]", "/**/".repeat(50_000), "/**/".repeat(50_000));
    check(text, Expected { edits: 100_001, result_length: "[1]".len(), is_valid: true });
}

#[test]
fn line_comments() {
    let text = format!("[{}1]", "// ,]\"\n".repeat(100_000));
    check(text, Expected { edits: 100_000, result_length: "[1]".len() + 100_000, is_valid: true });
}

#[test]
fn one_block_comment_that_almost_ends() {
    let text = format!("1/*{}", "*/*".repeat(10).replace("*/", "* /").repeat(100_000));
    check(text, Expected { edits: 1, result_length: "1".len(), is_valid: true });
}

#[test]
fn slashes_that_begin_no_comment() {
    let text = format!("[{}]", "/ ".repeat(1_000_000));
    check(text.clone(), Expected { edits: 0, result_length: text.len(), is_valid: false });
}

#[test]
fn open_brackets() {
    let text = "[".repeat(1_000_000);
    check(text.clone(), Expected { edits: 1, result_length: 2 * text.len(), is_valid: true });
}

#[test]
fn open_brackets_of_both_kinds_each_with_a_comma_before_its_closer() {
    let text = format!("{}{}", "[{\"\":".repeat(100_000), "[[,".repeat(300_000));
    check(
        text.clone(),
        Expected {
            // The last comma is left dangling; the others have a bracket behind them.
            edits: 2,
            result_length: text.len() - 1 + 800_000,
            is_valid: false,
        },
    );
}

#[test]
fn closers_with_nothing_open() {
    let text = format!("[1,]{}", ",]".repeat(500_000));
    check(text, Expected { edits: 500_001, result_length: "[1]".len() + 500_000, is_valid: false });
}

#[test]
fn commas_followed_by_blanks_and_comments() {
    let text = format!("[1{}]", ", /*,*/".repeat(1_000_000));
    check(
        text,
        Expected { edits: 1_000_001, result_length: "[1]".len() + 2 * 1_000_000 - 1, is_valid: false },
    );
}

#[test]
fn one_comma_followed_by_blanks_and_comments() {
    let text = format!("[1,{}", " /**/".repeat(1_000_000));
    check(text, Expected { edits: 1_000_002, result_length: "[1]".len() + 1_000_000, is_valid: true });
}

#[test]
fn one_number() {
    let text = "1".repeat(5_000_000);
    check(text.clone(), Expected { edits: 0, result_length: text.len(), is_valid: true });
}
