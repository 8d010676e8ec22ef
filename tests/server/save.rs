//! Repair on save: `willSaveWaitUntil`, by the setting `onSave`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///p/a.json";
const METHOD: &str = "textDocument/willSaveWaitUntil";
const DYNAMIC_REGISTRATION: &str = "/textDocument/synchronization/dynamicRegistration";

const MANUAL: u32 = 1;
const AFTER_DELAY: u32 = 2;
const FOCUS_OUT: u32 = 3;

fn on_save(is_on: bool) -> Value {
    json!({"jsonRepair": {"onSave": is_on}})
}

fn is_declared(client: &Client) -> bool {
    client.initialize_result()["capabilities"]["textDocumentSync"]["willSaveWaitUntil"] == true
}

/// A client on whose saves documents are repaired.
fn start() -> Client {
    let mut client = Client::builder().settings(on_save(true)).start();
    client.wait_for("the registration", |client| client.registrations(METHOD).len() == 1);
    client
}

#[track_caller]
fn check(client: &mut Client, language_id: &str, text: &str, expected: &str) {
    client.open(URI, language_id, text);
    let edits = client.will_save_wait_until(URI, MANUAL);
    if text == expected {
        assert_eq!(edits, [], "{text:?}");
    } else {
        assert_eq!(client.apply_edits(URI, &edits), expected, "{text:?}");
        assert_eq!(client.will_save_wait_until(URI, MANUAL), [], "{expected:?} needs nothing");
    }
    client.close(URI);
}

#[test]
fn it_makes_the_unasked_repair() {
    let mut client = start();
    for (text, expected) in [
        ("[1,]\n", "[1]\n"),
        ("{\"t\":\"half\n", "{\"t\":\"half\"}\n"),
        ("{\"a\": [1, 2,], // two\r\n\"b\": 3", "{\"a\": [1, 2], \r\n\"b\": 3}"),
        ("[1]\n", "[1]\n"),
        ("[1 2,]", "[1 2,]"),
        ("[1/**/2,]", "[1/**/2,]"),
        ("[1,,]", "[1,,]"),
        ("", ""),
    ] {
        check(&mut client, "json", text, expected);
    }
    check(&mut client, "jsonc", "{\"a\": 1, // c\n}", "{\"a\": 1, // c\n}");
}

#[test]
fn it_repairs_what_is_saved_by_hand_alone() {
    let mut client = start();
    client.open(URI, "json", "[1,]");
    assert_eq!(client.will_save_wait_until(URI, AFTER_DELAY), []);
    assert_eq!(client.will_save_wait_until(URI, FOCUS_OUT), []);
    assert_eq!(client.will_save_wait_until(URI, MANUAL).len(), 1);
}

#[test]
fn it_is_for_the_text_of_now() {
    let mut client = start();
    client.open(URI, "json", "[1]");
    client.change(URI, &[crate::client::document::Change::replace("0:2", ",")]);
    let edits = client.will_save_wait_until(URI, MANUAL);
    assert_eq!(client.result_of_edits(URI, &edits), "[1]");
    client.diagnostics(URI);
}

#[test]
fn by_default_it_is_off() {
    for builder in [Client::builder(), Client::builder().without(DYNAMIC_REGISTRATION)] {
        let mut client = builder.start();
        assert!(!is_declared(&client));
        client.open(URI, "json", "[1,]");
        client.barrier();
        client.shutdown();
        assert_eq!(client.registrations(METHOD), [json!(null); 0]);
    }
}

#[test]
fn it_is_registered_when_it_turns_on_and_unregistered_when_off() {
    let mut client = start();
    assert!(!is_declared(&client));
    for _ in 0..3 {
        client.change_settings(on_save(false));
        client.wait_for("the unregistration", |client| client.registrations(METHOD).is_empty());
        client.change_settings(on_save(true));
        client.wait_for("the registration", |client| client.registrations(METHOD).len() == 1);
    }
    // What does not change is not registered anew: the client fails on an id
    // that is in use.
    client.change_settings(on_save(true));
    client.barrier();
    client.open(URI, "json", "[1,]");
    assert_eq!(client.will_save_wait_until(URI, MANUAL).len(), 1);
    client.shutdown();
    assert_eq!(client.registrations(METHOD).len(), 1);
}

#[test]
fn the_last_of_many_changes_holds() {
    let mut client = start();
    for is_on in [false, true, false, true, true, false] {
        client.notify("workspace/didChangeConfiguration", json!({"settings": on_save(is_on)}));
    }
    // It may be registered and unregistered on the way, as each change says.
    std::thread::sleep(Duration::from_millis(100));
    client.barrier();
    client.wait_for("the unregistration", |client| client.registrations(METHOD).is_empty());
    client.open(URI, "json", "[1,]");
    assert_eq!(client.will_save_wait_until(URI, MANUAL), []);
}

#[test]
fn options_of_initialize_turn_it_on() {
    // Registered where it can be.
    let options = json!({"onSave": true});
    let mut client = Client::builder().initialization_options(options.clone()).start();
    assert!(!is_declared(&client));
    client.wait_for("the registration", |client| client.registrations(METHOD).len() == 1);

    // Declared where it cannot.
    let builder = Client::builder().without(DYNAMIC_REGISTRATION);
    let mut client = builder.initialization_options(options).start();
    assert!(is_declared(&client));
    client.open(URI, "json", "[1,]");
    let edits = client.will_save_wait_until(URI, MANUAL);
    assert_eq!(client.result_of_edits(URI, &edits), "[1]");
    assert_eq!(client.registrations(METHOD), [json!(null); 0]);
    assert_eq!(client.will_save_wait_until(URI, AFTER_DELAY), []);
}

#[test]
fn what_was_declared_is_silent_once_it_is_turned_off() {
    let builder = Client::builder().without(DYNAMIC_REGISTRATION).without("/workspace/configuration");
    let mut client = builder.initialization_options(json!({"onSave": true})).start();
    assert!(is_declared(&client));
    client.open(URI, "json", "[1,]");
    assert_eq!(client.will_save_wait_until(URI, MANUAL).len(), 1);
    client.notify("workspace/didChangeConfiguration", json!({"settings": on_save(false)}));
    assert_eq!(client.will_save_wait_until(URI, MANUAL), []);
}
