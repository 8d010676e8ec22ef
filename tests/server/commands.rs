//! `jsonRepair.execute`, `jsonRepair.report` and `jsonRepair.apply`.

use serde_json::{Value, json};

use crate::client::Client;
use crate::client::document::Change;

const URI: &str = "file:///p/a.json";

const INVALID_PARAMS: i64 = -32602;
const REQUEST_FAILED: i64 = -32803;

#[test]
fn execute_refuses_what_the_contract_refuses() {
    let mut client = Client::start();
    let too_long = "a".repeat(131_073);
    let too_many_bytes = "é".repeat(65_537);
    let too_many_edits = "[1,]".repeat(513);
    for (arguments, code) in [
        (json!([null]), "invalid_request"),
        (json!(["[1,]"]), "invalid_request"),
        (json!([{}]), "invalid_request"),
        (json!([{"rules": []}]), "invalid_request"),
        (json!([{"text": 1}]), "invalid_request"),
        (json!([{"text": "[1,]", "rules": null}]), "invalid_request"),
        (json!([{"text": "[1,]", "rules": "remove_comments"}]), "invalid_request"),
        (json!([{"text": "[1,]", "rules": ["remove_comments", "remove_comments"]}]), "invalid_request"),
        (json!([{"text": "[1,]", "rules": ["remove_everything"]}]), "invalid_request"),
        (json!([{"text": "[1,]", "rules": [1]}]), "invalid_request"),
        (json!([{"text": "[1,]", "strict": true}]), "invalid_request"),
        (json!([{"text": too_long}]), "text_too_large"),
        (json!([{"text": too_many_bytes}]), "text_too_large"),
        (json!([{"text": too_many_edits}]), "too_many_edits"),
    ] {
        let error = client.execute_command_error("jsonRepair.execute", arguments.clone());
        let about = arguments.to_string().chars().take(80).collect::<String>();
        assert_eq!(error.code, INVALID_PARAMS, "{about}");
        assert_eq!(error.data["code"], code, "{about}");
        assert!(!error.message.is_empty(), "{about}");
    }
    // No request at all.
    for arguments in [json!([]), json!([{"text": ""}, {"text": ""}])] {
        assert_eq!(client.execute_command_error("jsonRepair.execute", arguments).code, INVALID_PARAMS);
    }
    // The error names what is wrong.
    for (argument, name) in [
        (json!({"text": "", "strict": true}), "strict"),
        (json!({"text": "", "rules": ["remove_everything"]}), "remove_everything"),
        (json!({"rules": []}), "text"),
    ] {
        let error = client.execute_command_error("jsonRepair.execute", json!([argument]));
        assert!(error.message.contains(name), "{:?} does not name {name}", error.message);
    }
    // As much as is allowed is allowed.
    let longest = "[".to_owned() + &" ".repeat(131_070) + "]";
    let result = client.execute_command("jsonRepair.execute", json!([{"text": longest}]));
    assert_eq!(result["valid_json"], true);
    let result = client.execute_command("jsonRepair.execute", json!([{"text": "[1,]".repeat(512)}]));
    assert_eq!(result["edits"].as_array().map(Vec::len), Some(512));
}

#[test]
fn execute_gives_the_contracts_answer_and_nothing_else() {
    let mut client = Client::start();
    let request = json!({"text": "{\"a\": [1, 2,], // note\n \"b\": tru"});
    assert_eq!(
        client.execute_command("jsonRepair.execute", json!([request])),
        json!({
            "text": "{\"a\": [1, 2], \n \"b\": tru}",
            "changed": true,
            "valid_json": false,
            "json_error": {"code": "invalid_literal", "offset": 24},
            "edits": [
                {"rule": "remove_trailing_commas", "offset": 11, "removed": ",", "inserted": ""},
                {"rule": "remove_comments", "offset": 15, "removed": "// note", "inserted": ""},
                {"rule": "close_truncated", "offset": 32, "removed": "", "inserted": "}"},
            ],
        })
    );
}

#[test]
fn an_unknown_command_is_an_error() {
    let mut client = Client::start();
    for command in ["jsonRepair.none", "", "execute"] {
        assert!(client.execute_command_error(command, json!([])).code < 0, "{command:?}");
    }
}

#[test]
fn report_is_about_the_whole_document_by_its_policy() {
    let mut client = Client::start();
    client.open(URI, "json", "[\"😀\", 2,] // c\r\n\r\n");
    assert_eq!(
        client.report(URI),
        json!({
            "text": "[\"😀\", 2] \r\n\r\n",
            "changed": true,
            "valid_json": true,
            "json_error": null,
            "edits": [
                {"rule": "remove_trailing_commas", "offset": 8, "removed": ",", "inserted": ""},
                {"rule": "remove_comments", "offset": 11, "removed": "// c", "inserted": ""},
            ],
            "version": 1,
        })
    );
    client.change(URI, &[Change::full("{\"t\":\"half\n")]);
    assert_eq!(
        client.report(URI),
        json!({
            "text": "{\"t\":\"half\"}\n",
            "changed": true,
            "valid_json": true,
            "json_error": null,
            "edits": [{"rule": "close_truncated", "offset": 10, "removed": "", "inserted": "\"}"}],
            "version": 2,
        })
    );
    client.close(URI);

    client.open(URI, "jsonc", "[1, // c\n[2\n");
    let report = client.report(URI);
    assert_eq!(report["text"], "[1, // c\n[2]]\n");
    assert_eq!(report["edits"].as_array().map(Vec::len), Some(1));
}

#[test]
fn report_takes_other_rules() {
    let mut client = Client::start();
    client.open(URI, "jsonc", "[1,] // c\n[");
    for (rules, text, count) in [
        (json!([]), "[1,] // c\n[", 0),
        (json!(["remove_comments"]), "[1,] \n[", 1),
        (json!(["close_truncated", "remove_trailing_commas"]), "[1] // c\n[]", 2),
        (json!(["remove_trailing_commas", "remove_comments", "close_truncated"]), "[1] \n[]", 3),
    ] {
        let report = client.execute_command("jsonRepair.report", json!([{"uri": URI, "rules": rules}]));
        assert_eq!(report["text"], text, "{rules}");
        assert_eq!(report["edits"].as_array().map(Vec::len), Some(count), "{rules}");
    }
}

#[test]
fn report_has_no_limits() {
    let mut client = Client::start();
    let text = format!("[{}{}]", " ".repeat(131_072), vec!["[1,]"; 1000].join(","));
    client.open(URI, "json", &text);
    let commas = text.match_indices(",]").map(|(offset, _)| {
        json!({"rule": "remove_trailing_commas", "offset": offset, "removed": ",", "inserted": ""})
    });
    let expected = json!({
        "text": text.replace(",]", "]"),
        "changed": true,
        "valid_json": true,
        "json_error": null,
        "edits": commas.collect::<Vec<_>>(),
        "version": 1,
    });
    assert_eq!(client.report(URI), expected);
}

#[test]
fn report_and_apply_know_open_documents_only() {
    let mut client = Client::start();
    for command in ["jsonRepair.report", "jsonRepair.apply"] {
        let argument = json!([{"uri": URI}]);
        assert_eq!(client.execute_command_error(command, argument.clone()).code, REQUEST_FAILED);
        client.open(URI, "json", "[1]");
        client.close(URI);
        assert_eq!(client.execute_command_error(command, argument).code, REQUEST_FAILED);
    }
}

#[test]
fn report_and_apply_refuse_wrong_arguments() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    for command in ["jsonRepair.report", "jsonRepair.apply"] {
        for arguments in [
            json!([]),
            json!([null]),
            json!([URI]),
            json!([{}]),
            json!([{"uri": 1}]),
            json!([{"uri": URI, "rules": ["no_such_rule"]}]),
            json!([{"uri": URI, "rules": ["remove_comments", "remove_comments"]}]),
            json!([{"uri": URI, "rules": "remove_comments"}]),
        ] {
            let error = client.execute_command_error(command, arguments.clone());
            assert_eq!(error.code, INVALID_PARAMS, "{command} {arguments}");
        }
    }
    assert_eq!(client.applied_edits(), 0);
}

/// Runs `jsonRepair.apply` and waits for the edit.
#[track_caller]
fn apply(client: &mut Client, argument: Value) {
    let before = client.applied_edits();
    client.execute_command("jsonRepair.apply", json!([argument]));
    client.wait_for("an edit to apply", |client| client.applied_edits() > before);
}

#[test]
fn apply_makes_the_whole_repair_doubtful_edits_too() {
    let mut client = Client::start();
    for (text, expected) in [
        ("[1,] // c\n", "[1] \n"),
        ("{\"t\":\"half\n", "{\"t\":\"half\"}\n"),
        ("[1,", "[1]"),
        ("[1/**/2]", "[12]"),
        ("[1,,]", "[1,]"),
        ("[1 2,]", "[1 2]"),
        ("{\"a\": [1, \"b]}", "{\"a\": [1, \"b]}\"]}"),
    ] {
        client.open(URI, "json", text);
        apply(&mut client, json!({"uri": URI}));
        assert_eq!(client.text(URI), expected, "{text:?}");
        client.close(URI);
    }
}

#[test]
fn apply_answers_what_report_does_without_the_text() {
    let mut client = Client::start();
    for (language_id, text) in [
        ("json", "[\"😀\", 2,] // \u{7f}\"\\\r\n\r\n"),
        ("json", "[1 2,]"),
        ("jsonl", "[1,]\n[2]\n{\"é\": \"cut\n[3 4,]\n"),
        ("json", "[1]"),
    ] {
        client.open(URI, language_id, text);
        let mut report = client.report(URI);
        let answer = client.execute_command("jsonRepair.apply", json!([{"uri": URI}]));
        let edits = report["edits"].as_array().map_or(0, Vec::len);
        client.wait_for("the edit", |client| edits == 0 || client.text(URI) == report["text"]);
        report.as_object_mut().expect("an object").remove("text");
        assert_eq!(answer, report, "{text:?}");
        client.close(URI);
    }
}

#[test]
fn apply_takes_the_policy_or_other_rules() {
    let mut client = Client::start();
    let text = "[1,] // c\n[";
    for (rules, expected) in [
        (None, "[1,] // c\n[]"),
        (Some(json!(["remove_comments"])), "[1,] \n["),
        (Some(json!(["remove_trailing_commas"])), "[1] // c\n["),
    ] {
        client.open(URI, "jsonc", text);
        let argument = match rules {
            Some(rules) => json!({"uri": URI, "rules": rules}),
            None => json!({"uri": URI}),
        };
        apply(&mut client, argument);
        assert_eq!(client.text(URI), expected);
        client.close(URI);
    }
}

#[test]
fn apply_makes_edits_of_any_number_and_shape() {
    let builder = Client::builder().without("/workspace/workspaceEdit/documentChanges");
    for mut client in [Client::start(), builder.start()] {
        let text = format!("[{}]", vec!["[1,]"; 1000].join(","));
        client.open(URI, "json", &text);
        apply(&mut client, json!({"uri": URI}));
        assert_eq!(client.text(URI), text.replace(",]", "]"));
        client.diagnostics(URI);
    }
}

#[test]
fn apply_asks_for_nothing_where_there_is_nothing_to_do() {
    let mut client = Client::start();
    for text in ["[1]", "", "[1 2]"] {
        client.open(URI, "json", text);
        client.execute_command("jsonRepair.apply", json!([{"uri": URI}]));
        client.barrier();
        client.close(URI);
    }
    client.shutdown();
    assert_eq!(client.applied_edits(), 0);
}

#[test]
fn an_edit_that_is_refused_changes_nothing() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.refuse_edits();
    client.open(URI, "json", "[1,]");
    // Whether the command reports the refusal is its own affair.
    let params = json!({"command": "jsonRepair.apply", "arguments": [{"uri": URI}]});
    let id = client.send_request("workspace/executeCommand", params);
    let _ = client.answer(id);
    client.wait_for("an edit to refuse", |client| client.applied_edits() == 1);
    assert_eq!(client.report(URI)["text"], "[1]");
    assert_eq!(client.report(URI)["version"], 1);
}
