//! The server's text is the client's text.

use serde_json::{Value, json};

use crate::client::document::{Change, Range};
use crate::client::{Client, frame};

const URI: &str = "file:///p/a.json";

fn report_params() -> Value {
    json!([{"uri": URI, "rules": []}])
}

#[track_caller]
fn check_text(client: &mut Client) {
    let report = client.execute_command("jsonRepair.report", report_params());
    assert_eq!(report["text"], client.text(URI));
    assert_eq!(report["version"], client.version(URI));
}

#[test]
fn changes_of_every_shape_are_made() {
    for (before, changes, after) in [
        ("", vec![Change::replace("0:0", "[1]")], "[1]"),
        ("[1]", vec![Change::replace("0:0-0:3", "")], ""),
        ("[1]", vec![Change::full("{}"), Change::replace("0:1", "\"a\":1")], "{\"a\":1}"),
        ("a\r\nb\rc\nd", vec![Change::replace("1:0-3:0", "")], "a\r\nd"),
        // Between CR and LF there is no place.
        ("a\r\nb", vec![Change::replace("0:2-0:9", "x")], "ax\r\nb"),
        ("a\r\nb", vec![Change::replace("0:1-1:0", "\n")], "a\nb"),
        // A CR and an LF that come together are one line ending.
        ("a\rb", vec![Change::replace("1:0-1:1", "\n"), Change::replace("1:0", "x")], "a\r\nx"),
        ("a\nb", vec![Change::replace("0:1", "\r"), Change::replace("1:0", "x")], "a\r\nxb"),
        ("a\r\nb", vec![Change::replace("0:1-1:0", "\r"), Change::replace("1:1", "x")], "a\rbx"),
        // Beyond everything.
        ("[1]", vec![Change::replace("7:7-4294967295:4294967295", "x")], "[1]x"),
        ("[1]\n", vec![Change::replace("0:4294967295", "x")], "[1]x\n"),
        // No change at all.
        ("[1]", vec![], "[1]"),
        ("[1]", vec![Change::replace("0:1", "")], "[1]"),
        // Characters that are no line ends.
        ("\u{2028}\u{85}\u{b}\u{c}x", vec![Change::replace("0:4-0:5", "y")], "\u{2028}\u{85}\u{b}\u{c}y"),
        // Two units each.
        ("😀🌍x", vec![Change::replace("0:4-0:5", "y"), Change::replace("0:2-0:4", "")], "😀y"),
    ] {
        let mut client = Client::start();
        client.open(URI, "json", before);
        client.change(URI, &changes);
        assert_eq!(client.text(URI), after, "the client's own model of {before:?}");
        check_text(&mut client);
        client.diagnostics(URI);
    }
}

/// A change that nobody can read leaves the server without the text: nothing
/// is answered from a wrong one, and the user is told once.
#[test]
fn a_change_that_cannot_be_decoded_puts_a_document_out_of_sync() {
    let mut client = Client::builder().settings(json!({"jsonRepair": {"onSave": true}})).start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    let change = json!({
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {
            "textDocument": {"uri": URI, "version": 2},
            "contentChanges": [{"range": {"start": {"line": 0, "character": -1}, "end": {"line": 0}}, "text": "x"}],
        },
    });
    client.permit_clearing(URI);
    client.send_json(&change);
    client.adopt(URI, 2, "[1x,]");
    client.shown_message();
    for command in ["jsonRepair.report", "jsonRepair.apply"] {
        assert_eq!(client.execute_command_error(command, json!([{"uri": URI}])).code, -32803, "{command}");
    }
    assert_eq!(client.fix_all(URI), None);
    assert_eq!(client.formatting(URI), []);
    assert_eq!(client.will_save_wait_until(URI, 1), []);
    client.wait_for("the clearing of the diagnostics", |client| {
        client.published(URI).last().is_some_and(|published| published.diagnostics.is_empty())
    });
    // Another change on a text that is not the client's helps nothing, and
    // nobody needs to be told again.
    client.change(URI, &[Change::replace("0:0", "x")]);
    assert_eq!(client.execute_command_error("jsonRepair.report", report_params()).code, -32803);
    // The next full text does.
    client.change(URI, &[Change::full("[1,]")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
    check_text(&mut client);
}

#[test]
fn reopening_brings_a_document_back_into_sync() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    client.permit_clearing(URI);
    let change = json!({"textDocument": {"uri": URI, "version": "two"}, "contentChanges": [{"text": "[]"}]});
    client.notify("textDocument/didChange", change);
    client.adopt(URI, 2, "[]");
    client.shown_message();
    assert_eq!(client.execute_command_error("jsonRepair.report", report_params()).code, -32803);
    client.wait_for("the clearing of the diagnostics", |client| {
        client.published(URI).last().is_some_and(|published| published.version.is_none())
    });
    client.close(URI);
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
    check_text(&mut client);
}

#[test]
fn a_change_that_is_not_json_is_a_lost_one() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    client.permit_clearing(URI);
    client.send_bytes(frame("{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/didChange\", \"params\": {"));
    assert_eq!(client.answer_to_nobody().code, -32700);
    // Nobody knows what it was about.
    client.shown_message();
    assert_eq!(client.execute_command_error("jsonRepair.report", report_params()).code, -32803);
    client.change(URI, &[Change::full("[1,]")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
    check_text(&mut client);
}

#[test]
fn nothing_is_known_of_a_document_that_is_not_open() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": URI}}));
    let document = json!({"uri": URI});
    let context = json!({"diagnostics": [], "only": ["source.fixAll.jsonRepair"]});
    let range = Range::parse("0:0-9:9").to_json();
    for (method, params) in [
        ("textDocument/codeAction", json!({"textDocument": document, "range": range, "context": context})),
        (
            "textDocument/formatting",
            json!({"textDocument": document, "options": {"tabSize": 4, "insertSpaces": true}}),
        ),
        ("textDocument/willSaveWaitUntil", json!({"textDocument": document, "reason": 1})),
    ] {
        let answer = client.request(method, params);
        assert!(answer.is_null() || answer == json!([]), "{method}: {answer}");
    }
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
}

#[test]
fn opening_what_is_open_replaces_it() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    let item = json!({"uri": URI, "languageId": "json", "version": 2, "text": "[1]"});
    client.adopt(URI, 2, "[1]");
    client.notify("textDocument/didOpen", json!({"textDocument": item}));
    let report = client.execute_command("jsonRepair.report", report_params());
    assert_eq!(report["text"], "[1]");
    assert_eq!(client.diagnostics(URI).len(), 0);
}
