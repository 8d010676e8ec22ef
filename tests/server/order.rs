//! Arrival order: every answer is for the text that stood when the request
//! arrived.

use serde_json::{Value, json};

use crate::client::document::{Change, Range, TextEdit};
use crate::client::{Client, titled};

const URI: &str = "file:///p/a.json";

#[test]
fn every_answer_is_for_the_version_right_before_it() {
    const CHANGES: usize = 1000;
    let mut client = Client::start();
    client.open(URI, "json", "[\n0");
    let mut messages = Vec::new();
    let mut requests = Vec::new();
    for index in 0..CHANGES {
        if index % 25 == 24 {
            // The text stays short, and full texts are mixed in.
            messages.push(client.prepare_change(URI, &[Change::full("[\n0")]));
        }
        // Every change moves what comes after it, so that one that is made out
        // of order breaks all the text behind it.
        let (range, text) = match index % 4 {
            0 => ("1:0", format!("\"{index} 😀\",\n")),
            1 => ("0:1", format!(" /* {index} */\r\n")),
            2 => ("1:0", format!("[{index},],")),
            _ => ("0:1-0:1", format!("{{\"{index}\": null}}, ")),
        };
        messages.push(client.prepare_change(URI, &[Change::replace(range, &text)]));
        let document = json!({"uri": URI});
        let (id, request) = match index % 3 {
            0 => client.prepare_request(
                "workspace/executeCommand",
                json!({"command": "jsonRepair.report", "arguments": [{"uri": URI, "rules": []}]}),
            ),
            1 => client.prepare_request(
                "textDocument/formatting",
                json!({"textDocument": document, "options": {"tabSize": 2, "insertSpaces": true}}),
            ),
            _ => client.prepare_request(
                "textDocument/codeAction",
                json!({
                    "textDocument": document,
                    "range": Range::parse("0:0").to_json(),
                    "context": {"diagnostics": [], "only": ["source.fixAll.jsonRepair"]},
                }),
            ),
        };
        messages.push(request);
        requests.push((id, client.version(URI), client.text(URI)));
    }
    client.send_all(&messages);
    for (index, (id, version, text)) in requests.into_iter().enumerate() {
        let answer = client.answer(id).expect("a result");
        match index % 3 {
            0 => {
                assert_eq!(answer["version"], version);
                assert_eq!(answer["text"], text);
            }
            1 => assert_eq!(repaired(&text, &answer), expected_repair(&text), "version {version}"),
            _ => {
                let action = titled(answer.as_array().expect("actions"), "");
                let change = &action["edit"]["documentChanges"][0];
                assert_eq!(change["textDocument"]["version"], version);
                assert_eq!(repaired(&text, &change["edits"]), expected_repair(&text));
            }
        }
    }
    client.diagnostics(URI);
}

/// `text` with the server's edits, made by the tests' own applier.
#[track_caller]
fn repaired(text: &str, edits: &Value) -> String {
    let edits: Vec<TextEdit> = edits.as_array().expect("edits").iter().map(TextEdit::from_json).collect();
    crate::client::document::Text::new(text).apply(&edits).to_text()
}

fn expected_repair(text: &str) -> String {
    let repair = json_repair_lsp::repair::repair(text, json_repair_lsp::repair::RuleSet::ALL);
    assert!(repair.is_valid(), "the test builds what can be repaired: {text}");
    repair.edits.apply(text)
}

#[test]
fn changes_in_one_write_end_in_the_last_version() {
    let mut client = Client::start();
    client.open(URI, "json", "[]");
    let changes: Vec<Value> = (0..1000)
        .map(|index| {
            client.prepare_change(URI, &[Change::replace("0:1", if index % 2 == 0 { "1," } else { " " })])
        })
        .collect();
    client.send_all(&changes);
    // Bursts coalesce: the client fails on anything older behind anything
    // newer, and the last one must come.
    assert_eq!(client.diagnostics(URI).len(), 1);
    let published = client.published(URI).len();
    assert!(published <= 1001, "{published}");
}

#[test]
fn a_cancelled_request_is_answered_once_and_the_next_ones_are_served() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    for _ in 0..100 {
        let params = json!({"command": "jsonRepair.report", "arguments": [{"uri": URI}]});
        let (id, request) = client.prepare_request("workspace/executeCommand", params);
        let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}});
        client.send_all(&[request, cancel]);
        match client.answer(id) {
            Ok(report) => assert_eq!(report["text"], "[1]"),
            Err(error) => assert_eq!(error.code, -32800),
        }
    }
}

/// Nobody waits for what nobody wants any more.
#[test]
fn what_waits_for_an_analysis_can_be_cancelled() {
    let mut client = Client::start();
    client.open(URI, "json", "[]");
    let text = format!("[{}1,]", "[1, 2, \"three\"],\n".repeat(200_000));
    let document = json!({"uri": URI});
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let context = json!({"diagnostics": []});
    let range = Range::parse("0:0").to_json();
    for (method, params) in [
        ("textDocument/formatting", json!({"textDocument": document, "options": options})),
        ("textDocument/codeAction", json!({"textDocument": document, "range": range, "context": context})),
        (
            "workspace/executeCommand",
            json!({"command": "jsonRepair.report", "arguments": [{"uri": URI, "rules": []}]}),
        ),
    ] {
        let change = client.prepare_change(URI, &[Change::full(&text)]);
        let (id, request) = client.prepare_request(method, params);
        let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}});
        client.send_all(&[change, request, cancel]);
        assert_eq!(client.answer(id).expect_err("it is cancelled").code, -32800, "{method}");
        assert_eq!(client.formatting(URI).len(), 1, "{method}");
    }
    client.diagnostics(URI);
}
