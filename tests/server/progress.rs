//! `$/progress` of a first pass that takes long, and its cancellation. Only a
//! build for debugging can be made slow.

use serde_json::{Value, json};

use crate::client::document::Change;
use crate::client::{Builder, Client, summaries};

const URI: &str = "file:///p/a%20b.json";
const TEXT_LENGTH: usize = 1024 * 1024;

/// A client of a server whose passes take so long for each segment of 32 KiB.
fn slow(milliseconds: &str) -> Builder {
    Client::builder().environment("JSON_REPAIR_LSP_DEBUG_PASS_STEP", milliseconds)
}

fn text() -> String {
    format!("[{}1,]", "1, ".repeat(TEXT_LENGTH / 3))
}

/// All that was told of the one progress.
#[track_caller]
fn told(client: &Client) -> Vec<Value> {
    assert_eq!(client.progress().len(), 1);
    client.progress().values().flatten().cloned().collect()
}

fn has_ended(client: &Client) -> bool {
    client.progress().values().flatten().any(|value| value["kind"] == "end")
}

#[test]
fn a_long_first_pass_is_seen() {
    let mut client = slow("50").start();
    assert_eq!(client.open(URI, "json", &text()).len(), 1);
    client.wait_for("the end", has_ended);
    let told = told(&client);
    assert_eq!(told[0]["title"], "Reading a b.json");
    assert_eq!(told[0]["cancellable"], true);
    let percentages: Vec<u64> = told.iter().filter_map(|value| value["percentage"].as_u64()).collect();
    assert!(percentages.len() > 2, "{percentages:?}");
    assert!(percentages.is_sorted() && percentages.iter().all(|percentage| *percentage <= 100));
    // The next pass is no first one.
    client.change(URI, &[Change::replace("0:0", " ")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
    assert_eq!(client.progress().len(), 1);
}

/// Somebody asks for the first version, and when its diagnostics are thought of
/// there is a second, which has to wait for the first.
#[test]
fn a_long_pass_over_a_version_that_was_changed_is_seen() {
    let mut client = slow("50").withholding_settings().start();
    client.open_version(URI, "json", 1, &text());
    let request = json!({"textDocument": {"uri": URI}});
    let symbols = client.send_request("textDocument/documentSymbol", request);
    client.change(URI, &[Change::replace("0:1", "0, ")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
    client.wait_for("the end", has_ended);
    let told = told(&client);
    assert_eq!(told[0]["title"], "Reading a b.json");
    let percentages: Vec<u64> = told.iter().filter_map(|value| value["percentage"].as_u64()).collect();
    assert!(percentages.len() > 2 && percentages[0] > 0 && percentages.is_sorted(), "{percentages:?}");
    assert!(client.answer(symbols).is_ok());
}

#[test]
fn a_long_pass_is_cancelled_without_harm() {
    for (uri, language_id) in [(URI, "json"), ("file:///p/a.jsonl", "jsonl")] {
        let mut client = slow("100").start();
        client.open_version(uri, language_id, 1, &text().replace("1, 1, ", "1]\n[ "));
        let request = json!({"command": "jsonRepair.report", "arguments": [{"uri": uri}]});
        let report = client.send_request("workspace/executeCommand", request);
        client.wait_for("the beginning", |client| client.progress().values().any(|told| !told.is_empty()));
        let token = client.progress().keys().next().cloned().expect("a token");
        client.notify("window/workDoneProgress/cancel", json!({"token": "another"}));
        client.notify("window/workDoneProgress/cancel", json!({"token": token}));
        client.wait_for("the end", has_ended);
        // Nothing is known, that is said, and nothing is done.
        let error = client.answer(report).expect_err("it was cancelled");
        assert_eq!(error.code, -32803, "{error:?}");
        assert_eq!(summaries(&client.diagnostics(uri)), ["0:0-0:0 information not_read"]);
        assert_eq!(client.fix_all(uri), None);
        assert_eq!(client.formatting(uri), []);
        // The document is in step as ever.
        client.change(uri, &[Change::full("[1,]")]);
        assert_eq!(client.diagnostics(uri).len(), 1);
        assert_eq!(client.report(uri)["text"], "[1]");
        client.change(uri, &[Change::replace("0:2-0:3", "")]);
        assert_eq!(client.diagnostics(uri).len(), 0);
    }
}

#[test]
fn a_change_behind_a_cancelled_pass_has_all_of_the_document_read() {
    let mut client = slow("30").start();
    client.open_version(URI, "json", 1, &text());
    client.wait_for("the beginning", |client| client.progress().values().any(|told| !told.is_empty()));
    let token = client.progress().keys().next().cloned().expect("a token");
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    client.change(URI, &[Change::replace("0:1", "0, ")]);
    let is_read =
        |diagnostics: &[Value]| diagnostics.iter().all(|diagnostic| diagnostic["code"] != "not_read");
    assert_eq!(client.diagnostics_that(URI, is_read).len(), 1);
    assert_eq!(client.report(URI)["valid_json"], true);
}

#[test]
fn a_client_that_shows_no_progress_is_not_bothered() {
    let mut client = slow("50").without("/window/workDoneProgress").start();
    assert_eq!(client.open(URI, "json", &text()).len(), 1);
}

#[test]
fn a_short_pass_is_not_seen() {
    let mut client = Client::start();
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
    client.notify("window/workDoneProgress/cancel", json!({"token": 1}));
    client.barrier();
    assert_eq!(client.progress().len(), 0);
}
