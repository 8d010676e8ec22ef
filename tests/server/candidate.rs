//! The candidate: a document without its final line endings.

use crate::client::{Client, summaries};

const URI: &str = "file:///p/a.json";

/// Opens a text as `json`, repairs all of it, and compares the result.
#[track_caller]
fn check(text: &str, closing_at: &str, expected: &str) {
    let mut client = Client::start();
    let diagnostics = summaries(&client.open(URI, "json", text));
    let closing = format!("{closing_at} error close_truncated");
    assert!(diagnostics.contains(&closing), "{text:?}: {diagnostics:?}");
    let action = client.fix_all(URI).unwrap_or_else(|| panic!("no fix-all for {text:?}"));
    assert_eq!(client.apply(URI, &action), expected, "{text:?}");
    assert_eq!(client.diagnostics(URI).len(), 0, "{expected:?}");
    assert_eq!(client.report(URI)["text"], expected);
}

#[test]
fn a_cut_string_is_closed_before_the_final_line_ending() {
    check("{\"t\":\"half\n", "0:5-0:10", "{\"t\":\"half\"}\n");
    check("{\"t\":\"half\r\n", "0:5-0:10", "{\"t\":\"half\"}\r\n");
    check("{\"t\":\"half\r", "0:5-0:10", "{\"t\":\"half\"}\r");
}

#[test]
fn brackets_are_closed_before_the_final_line_endings() {
    check("[1, 2\n", "0:4-0:5", "[1, 2]\n");
    check("{\n  \"a\": [\n    1\n  ]\n\n\n", "3:2-3:3", "{\n  \"a\": [\n    1\n  ]}\n\n\n");
    check("{\r\n  \"a\": [\r\n    1\r\n\r\n", "2:4-2:5", "{\r\n  \"a\": [\r\n    1]}\r\n\r\n");
}

#[test]
fn other_blanks_at_the_end_belong_to_the_candidate() {
    check("[1\n  ", "0:1-0:2", "[1\n  ]");
    check("[1 \n", "0:1-0:2", "[1 ]\n");
}

#[test]
fn what_the_closers_would_fall_into_goes() {
    check("[1, // c\n", "0:1-0:2", "[1 ]\n");
    check("{\"a\": [1,\r\n// c\r\n", "0:7-0:8", "{\"a\": [1\r\n]}\r\n");
}

#[test]
fn a_final_line_ending_is_no_edit_and_no_error() {
    let mut client = Client::start();
    for text in ["{}\n", "{}\r\n\r\n", "\"a\"\r"] {
        assert_eq!(client.open(URI, "json", text).len(), 0, "{text:?}");
        assert_eq!(client.report(URI)["changed"], false);
        client.close(URI);
    }
}
