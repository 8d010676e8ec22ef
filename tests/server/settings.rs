//! The settings: where they come from, in which order, and what a wrong one
//! does.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::document::Change;
use crate::client::{Client, summaries, summary};

const URI: &str = "file:///p/a.json";

/// A text with one diagnostic, which shows what the settings are.
const TEXT: &str = "[1,]";

fn severity(severity: &str) -> Value {
    json!({"diagnostics": {"severity": severity}})
}

fn ours(settings: Value) -> Value {
    json!({"jsonRepair": settings})
}

fn no_configuration() -> crate::client::Builder {
    Client::builder().without("/workspace/configuration")
}

#[track_caller]
fn check_severity(client: &mut Client, expected: &str) {
    let diagnostics = client.diagnostics_that(URI, |diagnostics| {
        diagnostics.len() == 1 && summary(&diagnostics[0]).split(' ').nth(1) == Some(expected)
    });
    assert_eq!(summaries(&diagnostics), [format!("0:2-0:3 {expected} remove_trailing_commas unnecessary")]);
}

#[test]
fn initialization_options_hold_for_a_client_that_has_nothing_else() {
    for options in [
        severity("warning"),
        json!({"diagnostics.severity": "warning"}),
        json!({"jsonRepair.diagnostics.severity": "warning"}),
        ours(severity("warning")),
    ] {
        let mut client = no_configuration().initialization_options(options).start();
        client.open(URI, "json", TEXT);
        check_severity(&mut client, "warning");
        assert_eq!(client.configuration_requests(), 0);
    }
}

#[test]
fn configuration_is_asked_for_and_holds_at_the_first_publication() {
    let mut client = Client::builder().settings(ours(severity("warning"))).start();
    client.open(URI, "json", TEXT);
    check_severity(&mut client, "warning");
    // It was answered before the document came.
    assert_eq!(client.published(URI).len(), 1);
    assert_eq!(client.configuration_requests(), 1);
}

#[test]
fn configuration_lies_over_the_options_key_by_key() {
    let options = json!({"rules": ["remove_trailing_commas"], "diagnostics": {"severity": "hint", "max": 2}});
    for (configuration, expected_severity, expected_codes) in [
        // Nothing is set: the options stay.
        (json!(null), "hint", &["remove_trailing_commas", "trailing_content"][..]),
        (json!({}), "hint", &["remove_trailing_commas", "trailing_content"]),
        // One key of a group is no more than itself.
        (severity("warning"), "warning", &["remove_trailing_commas", "trailing_content"]),
        // `null` means the default, not what is below it.
        (
            json!({"diagnostics": {"severity": null}}),
            "error",
            &["remove_trailing_commas", "trailing_content"],
        ),
        (json!({"rules": null}), "hint", &["remove_comments", "remove_trailing_commas"]),
    ] {
        let settings = ours(configuration.clone());
        let mut client = Client::builder().initialization_options(options.clone()).settings(settings).start();
        let diagnostics = client.open(URI, "json", "[1,] // c");
        let mut codes: Vec<&str> =
            diagnostics.iter().filter_map(|diagnostic| diagnostic["code"].as_str()).collect();
        codes.sort_unstable();
        assert_eq!(codes, expected_codes, "{configuration}");
        let of_edit = diagnostics.iter().find(|diagnostic| diagnostic["code"] == "remove_trailing_commas");
        let of_edit = summary(of_edit.expect("the edit's diagnostic"));
        assert_eq!(of_edit.split(' ').nth(1), Some(expected_severity), "{configuration}");
    }
}

#[test]
fn a_wrong_value_is_the_default_and_one_message_that_names_it() {
    for (settings, name) in [
        (json!({"rules": "all"}), "rules"),
        (json!({"rules": ["remove_everything"]}), "rules"),
        (json!({"jsonc": {"files": "*.json"}}), "jsonc.files"),
        (json!({"jsonc": {"files": [1]}}), "jsonc.files"),
        (json!({"onSave": "yes"}), "onSave"),
        (json!({"format": {"enable": 1}}), "format.enable"),
        (json!({"format": {"layout": "pretty"}}), "format.layout"),
        (json!({"diagnostics": {"enable": "no"}}), "diagnostics.enable"),
        (json!({"diagnostics": {"max": -1}}), "diagnostics.max"),
        (json!({"diagnostics": {"max": 1.5}}), "diagnostics.max"),
        (json!({"diagnostics": {"severity": "fatal"}}), "diagnostics.severity"),
        (json!({"diagnostics.pull": 1}), "diagnostics.pull"),
        (json!({"hover": {"enable": "no"}}), "hover.enable"),
        (json!({"inlayHint": {"enable": "yes"}}), "inlayHint.enable"),
        (json!({"codeLens": {"enable": {}}}), "codeLens.enable"),
        (json!({"foldingRange": {"enable": []}}), "foldingRange.enable"),
        (json!({"selectionRange.enable": 0}), "selectionRange.enable"),
        (json!({"documentSymbol": {"enable": "off"}}), "documentSymbol.enable"),
    ] {
        let mut client = Client::builder().settings(ours(settings.clone())).start();
        let message = client.shown_message();
        assert!(message.contains(name), "{settings}: {message:?}");
        client.open(URI, "json", TEXT);
        check_severity(&mut client, "error");
        assert_eq!(client.formatting(URI).len(), 1);
        // A second message would fail the client when it is dropped.
    }
}

/// The settings are the defaults, and life goes on.
#[track_caller]
fn check_still_served(client: &mut Client) {
    client.open(URI, "json", TEXT);
    check_severity(client, "error");
}

#[test]
fn an_unknown_setting_is_one_message_however_often_it_is_sent() {
    let settings = json!({"formatt": {"layout": "indent"}, "diagnostics": {"maxx": 1}});
    // Neovim sends its settings as options, as a change and as an answer.
    let builder = Client::builder().initialization_options(settings.clone());
    let mut client = builder.settings(ours(settings.clone())).start();
    let message = client.shown_message();
    for name in
        ["`jsonRepair.formatt.layout`", "`jsonRepair.diagnostics.maxx`", "`jsonRepair.diagnostics.max`"]
    {
        assert!(message.contains(name), "{message:?} does not name {name}");
    }
    client.notify("workspace/didChangeConfiguration", json!({"settings": ours(settings.clone())}));
    client.change_settings(ours(settings));
    check_still_served(&mut client);
    // A second message would fail the client by now. Another mistake is news, and
    // the others are none.
    for _ in 0..2 {
        client.change_settings(ours(json!({"onSvae": true})));
        let expected =
            "json-repair-lsp: unknown setting `jsonRepair.onSvae` (did you mean `jsonRepair.onSave`?)";
        assert_eq!(client.shown_message(), expected);
        // It is one again after it was put right.
        client.change_settings(ours(severity("warning")));
        check_severity(&mut client, "warning");
        client.change_settings(ours(severity("error")));
        check_severity(&mut client, "error");
    }
}

#[test]
fn a_broken_glob_is_the_default_and_one_message_that_names_it() {
    let files = json!({"jsonc": {"files": ["*.conf", "[a-z.json"]}});
    let mut client = Client::builder().settings(ours(files.clone())).start();
    let message = client.shown_message();
    assert!(message.contains("jsonc.files") && message.contains("`[a-z.json`"), "{message:?}");
    client.change_settings(ours(files));
    assert_eq!(client.open("file:///p/tsconfig.json", "json", TEXT).len(), 0);
    check_still_served(&mut client);
}

/// VS Code answers with all that stands in the section, what its extension has
/// for itself among it.
#[test]
fn every_setting_of_the_extension_for_vs_code_is_known_or_its_own() {
    let manifest =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/editors/vscode/package.json"));
    let manifest: Value = serde_json::from_str(&manifest.expect("a manifest")).expect("JSON");
    let properties = manifest["contributes"]["configuration"]["properties"].as_object().expect("properties");
    let mut settings = json!({});
    for (name, property) in properties {
        // As VS Code nests them.
        let pointer = name.split('.');
        let place = pointer.fold(&mut settings, |place, name| &mut place[name]);
        *place = property["default"].clone();
    }
    for name in ["/jsonRepair/server/path", "/jsonRepair/trace/server", "/jsonRepair/diagnostics/max"] {
        assert!(settings.pointer(name).is_some(), "{name}");
    }
    let options = settings["jsonRepair"].clone();
    let mut client = Client::builder().initialization_options(options).settings(settings.clone()).start();
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    // A message would fail the client when it is dropped.
    check_still_served(&mut client);
}

/// Eglot sends every server's settings to every server.
#[test]
fn settings_of_other_servers_are_not_complained_of() {
    let mut client = no_configuration().initialization_options(json!({"provideFormatter": true})).start();
    let others =
        json!({"pylsp": {"plugins": {}}, "http": {"proxy": ""}, "json": {"format": {"enable": true}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": others}));
    check_still_served(&mut client);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"jsonRepair": {"json": {}, "http": 1}}}),
    );
    assert!(client.shown_message().contains("unknown setting `jsonRepair.http`"));
}

#[test]
fn a_wrong_option_is_named_once_too() {
    let mut client = no_configuration().initialization_options(json!({"onSave": 1, "rules": []})).start();
    assert!(client.shown_message().contains("onSave"));
    assert_ne!(client.initialize_result()["capabilities"]["textDocumentSync"]["willSaveWaitUntil"], true);
    // The other keys hold.
    assert_eq!(summaries(&client.open(URI, "json", TEXT)), ["0:3-0:4 error unexpected_character"]);
}

#[test]
fn a_client_that_does_not_answer_is_served_all_the_same() {
    let mut client =
        Client::builder().initialization_options(severity("warning")).withholding_settings().start();
    client.open(URI, "json", TEXT);
    check_severity(&mut client, "warning");
    assert!(!client.code_actions(URI, "0:2").is_empty());
}

#[test]
fn a_client_that_answers_nonsense_is_served_all_the_same() {
    let mut client =
        Client::builder().initialization_options(severity("warning")).refusing_settings().start();
    client.open(URI, "json", TEXT);
    check_severity(&mut client, "warning");

    for nonsense in [json!(null), json!([]), json!({}), json!("no"), json!([null, null, null])] {
        let mut client =
            Client::builder().initialization_options(severity("warning")).withholding_settings().start();
        client.permit_log_messages();
        client.answer_configuration(nonsense.clone());
        client.open(URI, "json", TEXT);
        check_severity(&mut client, "warning");
        // Nor does a second answer to the same question hurt.
        client.answer_configuration(nonsense);
        client.barrier();
    }
}

/// The one who asked is gone by then.
#[test]
fn an_answer_that_comes_much_too_late_hurts_nobody() {
    let mut client = Client::builder().withholding_settings().start();
    client.permit_log_messages();
    client.open(URI, "json", TEXT);
    std::thread::sleep(Duration::from_secs(11));
    client.answer_configuration(json!([severity("warning")]));
    client.barrier();
    client.change(URI, &[Change::replace("0:4", "\n")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
}

#[test]
fn settings_that_come_late_are_published_anew() {
    let mut client = Client::start();
    client.open(URI, "json", TEXT);
    check_severity(&mut client, "error");
    client.change_settings(ours(severity("information")));
    check_severity(&mut client, "information");
    client.change_settings(Value::Null);
    check_severity(&mut client, "error");
}

#[test]
fn a_change_with_the_settings_in_it_needs_no_question() {
    for mut client in [Client::start(), no_configuration().start()] {
        let asked = client.configuration_requests();
        client.open(URI, "json", TEXT);
        client.notify("workspace/didChangeConfiguration", json!({"settings": ours(severity("hint"))}));
        check_severity(&mut client, "hint");
        client.notify("workspace/didChangeConfiguration", json!({"settings": ours(severity("warning"))}));
        check_severity(&mut client, "warning");
        assert_eq!(client.configuration_requests(), asked);
    }
}

#[test]
fn a_change_without_settings_to_a_client_that_cannot_be_asked_changes_nothing() {
    let mut client = no_configuration().initialization_options(severity("hint")).start();
    client.open(URI, "json", TEXT);
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    client.barrier();
    client.change(URI, &[Change::replace("0:4", "\n")]);
    check_severity(&mut client, "hint");
}

#[test]
fn diagnostics_can_be_turned_off_and_on() {
    let mut client = Client::builder().settings(ours(json!({"diagnostics": {"enable": false}}))).start();
    client.open_silent("file:///p/silent.json", "json", TEXT);
    // What is asked for is still given.
    let action = client.fix_all("file:///p/silent.json").expect("a fix-all");
    assert_eq!(client.result_of("file:///p/silent.json", &action), "[1]");
    client.close("file:///p/silent.json");
    client.change_settings(ours(json!({"diagnostics": {"enable": true}})));
    client.open_version(URI, "json", 1, TEXT);
    check_severity(&mut client, "error");
    client.change_settings(ours(json!({"diagnostics": {"enable": false}})));
    assert_eq!(client.diagnostics_that(URI, <[Value]>::is_empty).len(), 0);
}

#[test]
fn a_rule_that_is_off_is_off_everywhere() {
    let text = "[1,] // c\n[\"cut";
    for (rules, expected_codes, expected_text) in [
        (json!([]), &["unexpected_character"][..], "[1,] // c\n[\"cut"),
        (json!(["remove_comments"]), &["remove_comments", "unexpected_character"], "[1,] \n[\"cut"),
        (json!(["close_truncated"]), &["close_truncated", "unexpected_character"], "[1,] // c\n[\"cut\"]"),
    ] {
        let mut client = Client::builder().settings(ours(json!({"rules": rules}))).start();
        let diagnostics = client.open(URI, "json", text);
        let mut codes: Vec<&str> =
            diagnostics.iter().filter_map(|diagnostic| diagnostic["code"].as_str()).collect();
        codes.sort_unstable();
        assert_eq!(codes, expected_codes, "{rules}");
        assert_eq!(client.report(URI)["text"], expected_text, "{rules}");
        // Jsonc allows what is not repaired there either way.
        let jsonc = "file:///p/a.jsonc";
        assert_eq!(client.open(jsonc, "jsonc", "[1,] // c").len(), 0, "{rules}");
        let is_closed = expected_codes.contains(&"close_truncated");
        client.change(jsonc, &[Change::full("[1")]);
        let expected =
            if is_closed { "0:1-0:2 error close_truncated" } else { "0:1-0:2 error unexpected_end" };
        assert_eq!(summaries(&client.diagnostics(jsonc)), [expected], "{rules}");
    }
}

#[test]
fn the_files_of_jsonc_can_be_named() {
    let files = json!({"jsonc": {"files": ["*.conf.json", "special/*.json"]}});
    let mut client = Client::builder().settings(ours(files)).start();
    for (uri, count) in [
        ("file:///p/my.conf.json", 0),
        ("file:///p/special/a.json", 0),
        ("file:///p/other/a.json", 2),
        // The default is replaced.
        ("file:///p/tsconfig.json", 2),
        ("file:///p/a.jsonc", 0),
    ] {
        assert_eq!(client.open(uri, "json", "[1,] // c").len(), count, "{uri}");
    }
    client.change_settings(Value::Null);
    for (uri, count) in [("file:///p/my.conf.json", 2), ("file:///p/tsconfig.json", 0)] {
        let diagnostics = client.diagnostics_that(uri, |diagnostics| diagnostics.len() == count);
        assert_eq!(diagnostics.len(), count, "{uri}");
    }
}
