//! `textDocument/formatting`: the unasked repair, with the layout kept.

use serde_json::json;

use crate::client::Client;
use crate::client::document::TextEdit;

const URI: &str = "file:///p/a.json";

#[track_caller]
fn check(client: &mut Client, language_id: &str, text: &str, expected: &str) {
    client.open(URI, language_id, text);
    let edits = client.formatting(URI);
    assert_eq!(client.result_of_edits(URI, &edits), expected, "{text:?}");
    if text == expected {
        assert_eq!(edits, [], "{text:?}");
    } else {
        client.apply_edits(URI, &edits);
        assert_eq!(client.formatting(URI), [], "{expected:?} is formatted");
    }
    client.close(URI);
}

#[test]
fn it_repairs_and_lays_nothing_out() {
    let mut client = Client::start();
    for (text, expected) in [
        ("[1,]", "[1]"),
        ("{\"a\":1,\r\n\t \"b\" :[ 2,] } // c\r\n", "{\"a\":1,\r\n\t \"b\" :[ 2] } \r\n"),
        ("{\"t\":\"half\n", "{\"t\":\"half\"}\n"),
        // Valid, however it is laid out.
        ("{\"a\" :\n\n 1}", "{\"a\" :\n\n 1}"),
        ("", ""),
        ("\n", "\n"),
        // Not to be made valid, or doubtful.
        ("[1 2,]", "[1 2,]"),
        ("[1/**/2]", "[1/**/2]"),
        ("[1,,]", "[1,,]"),
    ] {
        check(&mut client, "json", text, expected);
    }
    check(&mut client, "jsonc", "[1, // c\n]", "[1, // c\n]");
    check(&mut client, "jsonc", "[1, // c\n[2", "[1, // c\n[2]]");
}

#[test]
fn turned_off_it_does_nothing() {
    let mut client = Client::builder()
        .without("/textDocument/formatting/dynamicRegistration")
        .initialization_options(json!({"format": {"enable": false}}))
        .start();
    client.open(URI, "json", "[1,]");
    let params = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4, "insertSpaces": true}});
    let answer = client.request("textDocument/formatting", params);
    assert!(answer.is_null() || answer == json!([]), "{answer}");
}

#[test]
fn turned_off_it_is_not_registered_and_turned_on_it_is() {
    let mut client = Client::builder().settings(json!({"jsonRepair": {"format": {"enable": false}}})).start();
    client.open(URI, "json", "[1,]");
    let is_static = client.initialize_result()["capabilities"]["documentFormattingProvider"] == true;
    if is_static {
        // It was declared before anything was known about the settings.
        assert_eq!(client.formatting(URI), []);
        return;
    }
    client.barrier();
    client.wait_for("formatting to be unregistered", |client| {
        client.registrations("textDocument/formatting").is_empty()
    });
    client.change_settings(json!({"jsonRepair": {"format": {"enable": true}}}));
    client.wait_for("formatting to be registered", |client| {
        client.registrations("textDocument/formatting").len() == 1
    });
    let edits: Vec<TextEdit> = client.formatting(URI);
    assert_eq!(client.result_of_edits(URI, &edits), "[1]");
}
