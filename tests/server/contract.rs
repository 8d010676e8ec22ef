//! The contract's vectors, through the server: as requests, and as documents.

use serde_json::{Value, json};

use crate::client::{Client, titles};

const VECTORS: &str = include_str!("../vectors/contract.jsonl");

fn vectors() -> impl Iterator<Item = Value> {
    VECTORS.split_terminator('\n').map(|line| serde_json::from_str(line).expect("a vector is JSON"))
}

#[test]
fn execute_answers_every_vector() {
    let mut client = Client::start();
    let vectors: Vec<Value> = vectors().collect();
    let mut messages = Vec::new();
    let mut ids = Vec::new();
    for vector in &vectors {
        let params = json!({"command": "jsonRepair.execute", "arguments": [vector["request"]]});
        let (id, message) = client.prepare_request("workspace/executeCommand", params);
        messages.push(message);
        ids.push(id);
    }
    client.send_all(&messages);
    for (vector, id) in vectors.iter().zip(ids) {
        let answer = client.answer(id).expect("a result");
        assert_eq!(answer, vector["response"], "{}", vector["request"]);
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '\t', '\n', '\r']).is_empty()
}

/// A sample of them is enough for a build that checks its arithmetic.
const STEP: usize = if cfg!(debug_assertions) { 3 } else { 1 };

/// The vectors with all three rules, each opened as a `json` document with a final
/// line ending: its diagnostics are the contract's edits and error, and "Repair
/// JSON" makes of it exactly the contract's text. Its report is the response.
#[test]
fn a_json_document_is_diagnosed_and_repaired_as_the_contract_says() {
    let mut client = Client::start();
    let mut count = 0;
    for vector in vectors().step_by(STEP) {
        let has_all_rules = vector["request"]["rules"].as_array().is_none_or(|rules| rules.len() == 3);
        let text = vector["request"]["text"].as_str().expect("a text");
        // The final line endings of a document are not part of the candidate.
        if !has_all_rules || is_blank(text) || text.ends_with(['\n', '\r']) {
            continue;
        }
        count += 1;
        let response = &vector["response"];
        let edits = response["edits"].as_array().expect("edits");
        let uri = format!("file:///p/{count}.json");
        let final_line_ending = ["", "\n", "\r\n", "\n\n", "\r"][count % 5];
        let document = format!("{text}{final_line_ending}");
        let diagnostics = client.open(&uri, "json", &document);

        let mut found: Vec<&Value> = diagnostics.iter().map(|diagnostic| &diagnostic["code"]).collect();
        let mut expected: Vec<&Value> = edits.iter().map(|edit| &edit["rule"]).collect();
        if !response["json_error"].is_null() {
            expected.push(&response["json_error"]["code"]);
        }
        found.sort_by_key(|code| code.as_str());
        expected.sort_by_key(|code| code.as_str());
        assert_eq!(found, expected, "{text:?}");
        let error = diagnostics.iter().find(|diagnostic| !diagnostic["data"]["offset"].is_null());
        assert_eq!(error.map_or(&Value::Null, |error| &error["data"]), &response["json_error"], "{text:?}");

        let expected = format!("{}{final_line_ending}", response["text"].as_str().expect("a text"));
        let whole = client.whole(&uri);
        let actions = client.code_actions_in(&uri, whole, &json!({"triggerKind": 1}));
        // One edit needs no action for all of them, but may have it.
        let title = match edits.len() {
            0 => {
                assert_eq!(titles(&actions), [""; 0], "{text:?}");
                client.close(&uri);
                continue;
            }
            1 => "Repair JSON: 1 edit".to_owned(),
            count => format!("Repair JSON: {count} edits"),
        };
        // Behind it stands what is doubtful, if anything is.
        let is_meant = |action: &&Value| {
            let rest = action["title"].as_str().and_then(|found| found.strip_prefix(&title));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        };
        let action = actions.iter().find(is_meant);
        match action {
            Some(action) => assert_eq!(client.result_of(&uri, action), expected, "{text:?}"),
            None => assert_eq!(edits.len(), 1, "no {title:?} for {text:?}: {:?}", titles(&actions)),
        }
        // A report is the contract's response for the whole document, and nothing else.
        let mut expected_report = response.clone();
        expected_report["text"] = json!(expected);
        expected_report["version"] = json!(client.version(&uri));
        assert_eq!(client.report(&uri), expected_report, "{text:?}");
        // Unasked is all of it, or nothing.
        if let Some(action) = client.fix_all(&uri) {
            assert_eq!(response["valid_json"], true, "{text:?}");
            assert_eq!(client.apply(&uri, &action), expected, "{text:?}");
            assert_eq!(client.diagnostics(&uri).len(), 0, "{text:?}");
            assert_eq!(client.fix_all(&uri), None, "{text:?}");
        }
        client.close(&uri);
    }
    assert!(count > 200, "{count} vectors are not a sample");
}
