//! What is published: one diagnostic an edit, one for the error that is left.

use serde_json::{Value, json};

use crate::client::document::{Change, Range};
use crate::client::{Client, summaries, summary};

const URI: &str = "file:///p/a.json";

/// Opens each text as `json` and compares the diagnostics' summaries with the
/// expected ones, in any order.
#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    let mut client = Client::start();
    for (text, expected) in rows {
        let mut found = summaries(&client.open(URI, "json", text));
        let mut expected: Vec<String> = expected.iter().map(|summary| (*summary).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text:?}");
        client.close(URI);
    }
}

#[test]
fn what_is_removed_is_what_is_marked() {
    check(&[
        ("[1,]", &["0:2-0:3 error remove_trailing_commas unnecessary"]),
        ("{\"a\": 1 , }", &["0:8-0:9 error remove_trailing_commas unnecessary"]),
        ("{} // c", &["0:3-0:7 error remove_comments unnecessary"]),
        ("{}// c\n\n", &["0:2-0:6 error remove_comments unnecessary"]),
        ("// c\r\n{}", &["0:0-0:4 error remove_comments unnecessary"]),
        ("// c\r{}", &["0:0-0:4 error remove_comments unnecessary"]),
        ("// c\u{2028}d\n{}", &["0:0-0:6 error remove_comments unnecessary"]),
        ("/* a\n b */{}", &["0:0-1:5 error remove_comments unnecessary"]),
        (
            "/**/[/*/,*/]",
            &["0:0-0:4 error remove_comments unnecessary", "0:5-0:11 error remove_comments unnecessary"],
        ),
        ("[\"😀\",]", &["0:5-0:6 error remove_trailing_commas unnecessary"]),
        (
            "[\"é\u{10ffff}\", /* 😀 */\n{\"日\": 1,}]",
            &[
                "0:8-0:16 error remove_comments unnecessary",
                "1:7-1:8 error remove_trailing_commas unnecessary",
            ],
        ),
        // Inside strings nothing is anything.
        ("[\"// c\", \"/* c */\", \",]\"]", &[]),
    ]);
}

#[test]
fn closing_is_seen_at_the_last_token() {
    check(&[
        ("[1, 23", &["0:4-0:6 error close_truncated"]),
        ("[1, 23  ", &["0:4-0:6 error close_truncated"]),
        ("[[", &["0:1-0:2 error close_truncated"]),
        ("{\"a\": {}", &["0:7-0:8 error close_truncated"]),
        ("{\"t\": \"half a sent", &["0:6-0:18 error close_truncated"]),
        ("[\"😀", &["0:1-0:4 error close_truncated"]),
        ("\"half", &["0:0-0:5 error close_truncated"]),
        // What is deleted is no token.
        ("[1,", &["0:2-0:3 error remove_trailing_commas unnecessary", "0:1-0:2 error close_truncated"]),
        (
            "[1 /* a */ // b",
            &[
                "0:3-0:10 error remove_comments unnecessary",
                "0:11-0:15 error remove_comments unnecessary",
                "0:1-0:2 error close_truncated",
            ],
        ),
    ]);
}

#[test]
fn the_error_begins_where_the_text_stops_being_json() {
    check(&[
        ("[1 2]", &["0:3-0:4 error unexpected_character"]),
        ("[True]", &["0:1-0:5 error unexpected_character"]),
        ("{} {}", &["0:3-0:4 error trailing_content"]),
        ("[\"a\\qb\"]", &["0:4-0:5 error invalid_escape"]),
        ("[\"a\tb\"]", &["0:3-0:4 error control_character_in_string"]),
        // The edits before it move the offset, not the place.
        (
            "/* c */[1 2]",
            &["0:0-0:7 error remove_comments unnecessary", "0:10-0:11 error unexpected_character"],
        ),
        ("[\"😀\" \"😀\"]", &["0:6-0:10 error unexpected_character"]),
    ]);
}

#[test]
fn an_error_at_the_end_is_seen_at_the_last_token() {
    check(&[
        ("tru", &["0:0-0:3 error unexpected_end"]),
        ("-", &["0:0-0:1 error unexpected_end"]),
        // A blank is a character that was found.
        ("1e+ ", &["0:3-0:4 error invalid_number"]),
        // At what closing inserts.
        ("{\"a\":", &["0:4-0:5 error close_truncated", "0:4-0:5 error unexpected_character"]),
        ("[tru", &["0:1-0:4 error close_truncated", "0:1-0:4 error invalid_literal"]),
        // Nothing is closed inside an escape.
        ("[\"a\\", &["0:1-0:4 error unexpected_end"]),
        ("[\"a\\u12", &["0:1-0:7 error unexpected_end"]),
    ]);
}

#[test]
fn the_error_carries_the_contracts_own() {
    let mut client = Client::start();
    for (text, code, offset) in [
        ("[1 2]", "unexpected_character", 3),
        ("[\"😀\" 1]", "unexpected_character", 6),
        ("/* c */[1 2]", "unexpected_character", 3),
        ("[1, /* 😀 */ 2 // c\r\n, 3 4]\r\n", "unexpected_character", 13),
        ("{\"a\":", "unexpected_character", 5),
        ("[tru", "invalid_literal", 4),
        ("tru\n\n", "unexpected_end", 3),
        ("[1,,]", "unexpected_character", 3),
        ("01", "invalid_number", 1),
    ] {
        let diagnostics = client.open(URI, "json", text);
        let errors: Vec<&Value> =
            diagnostics.iter().filter(|diagnostic| diagnostic["code"] == code).collect();
        assert_eq!(errors.len(), 1, "{text:?}: {diagnostics:?}");
        assert_eq!(errors[0]["data"], json!({"code": code, "offset": offset}), "{text:?}");
        let report = client.report(URI);
        assert_eq!(report["json_error"], errors[0]["data"], "{text:?}");
        client.close(URI);
    }
}

fn related_ranges(diagnostic: &Value) -> Vec<String> {
    let related = diagnostic["relatedInformation"].as_array().into_iter().flatten();
    related.map(|related| Range::from_json(&related["location"]["range"]).to_string()).collect()
}

#[test]
fn closing_points_at_what_is_open() {
    let mut client = Client::start();
    let diagnostics = client.open(URI, "json", "{\"a\": [1,\n[], {\"b\": 2");
    assert_eq!(summaries(&diagnostics), ["1:10-1:11 error close_truncated"]);
    let mut related = related_ranges(&diagnostics[0]);
    related.sort();
    assert_eq!(related, ["0:0-0:1", "0:6-0:7", "1:4-1:5"]);
    client.close(URI);

    let diagnostics = client.open(URI, "json", &"[".repeat(12));
    let closing = diagnostics.iter().find(|diagnostic| diagnostic["code"] == "close_truncated");
    assert_eq!(related_ranges(closing.expect("closing")).len(), 10);
}

#[test]
fn a_mismatch_points_at_its_opener() {
    let mut client = Client::start();
    let diagnostics = client.open(URI, "json", "{\"a\": [1}");
    assert_eq!(summaries(&diagnostics), ["0:8-0:9 error unexpected_character"]);
    assert_eq!(related_ranges(&diagnostics[0]), ["0:6-0:7"]);
}

#[test]
fn a_client_without_related_information_gets_none() {
    let capability = "/textDocument/publishDiagnostics/relatedInformation";
    let mut client = Client::builder().without(capability).start();
    for text in ["[[1", "{\"a\": [1}"] {
        let diagnostics = client.open(URI, "json", text);
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(related_ranges(&diagnostics[0]), [""; 0]);
        client.close(URI);
    }
}

#[test]
fn the_error_says_what_was_expected_and_found() {
    let mut client = Client::start();
    for (text, parts) in [
        ("{\"a\" ? 1}", ["expected `:`", "found `?`"]),
        // Where it has a name, it says what it is and why it is left alone.
        ("{\"a\": 1 \"b\": 2}", ["`,` is missing between `1` and `\"b\"`", "left alone"]),
        ("{\"a\":", ["cut before the value of `\"a\"`", "not invented"]),
    ] {
        let diagnostics = client.open(URI, "json", text);
        let messages: Vec<&str> =
            diagnostics.iter().filter_map(|diagnostic| diagnostic["message"].as_str()).collect();
        let is_meant = |message: &&str| parts.iter().all(|part| message.contains(part));
        assert_eq!(messages.iter().copied().filter(is_meant).count(), 1, "{messages:?} {parts:?}");
        client.close(URI);
    }
}

#[test]
fn the_cause_of_an_error_is_pointed_at() {
    let mut client = Client::start();
    for (text, expected) in [
        ("Here:\n```json\n{\"a\": \"é\"}\n```\n", "2:0-2:10"),
        ("{\n \"é\": \"x,\n \"b\": 1}", "1:6-1:7"),
        ("[1\n2]", "0:1-0:2"),
    ] {
        let diagnostics = client.open(URI, "json", text);
        let error = diagnostics.iter().find(|diagnostic| diagnostic["data"].is_object()).expect("an error");
        assert_eq!(related_ranges(error)[0], expected, "{text:?}");
        client.close(URI);
    }
}

#[test]
fn blank_documents_have_no_diagnostics() {
    check(&[("", &[]), ("\n", &[]), (" \t\r\n\r ", &[])]);
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    client.change(URI, &[Change::replace("0:0-0:4", "")]);
    assert_eq!(client.diagnostics(URI).len(), 0);
    // An ordinary character is not blank.
    client.change(URI, &[Change::full("\u{a0}")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
}

#[test]
fn severity_is_lowered_for_what_is_repaired_alone() {
    for (setting, word) in [("warning", "warning"), ("information", "information"), ("hint", "hint")] {
        let options = json!({"diagnostics": {"severity": setting}});
        let mut client = Client::builder().initialization_options(options).start();
        let mut found = summaries(&client.open(URI, "json", "[1,] // c\n["));
        found.sort();
        assert_eq!(
            found,
            [
                format!("0:2-0:3 {word} remove_trailing_commas unnecessary"),
                format!("0:5-0:9 {word} remove_comments unnecessary"),
                "1:0-1:1 error trailing_content".to_owned(),
                format!("1:0-1:1 {word} close_truncated"),
            ]
        );
    }
}

#[test]
fn no_more_are_published_than_the_setting_allows() {
    let text = "[[1,],[2,],[3,],[4,],[5,], 1 2";
    let mut client = Client::builder().initialization_options(json!({"diagnostics": {"max": 4}})).start();
    let diagnostics = client.open(URI, "json", text);
    assert_eq!(diagnostics.len(), 4);
    let found = summaries(&diagnostics[..3]);
    for expected in [
        "0:29-0:30 error unexpected_character",
        "0:29-0:30 error close_truncated",
        "0:3-0:4 error remove_trailing_commas unnecessary",
    ] {
        assert!(found.iter().any(|found| found == expected), "{expected} is not among {found:?}");
    }
    // Seven problems, three of them shown.
    let message = diagnostics[3]["message"].as_str().expect("a message");
    assert!(message.contains('4'), "{message:?} does not say how many are not shown");
    client.close(URI);

    // As many as are allowed need nobody to speak for them.
    let diagnostics = client.open(URI, "json", "[[1,],[2,],[3,],[4,]]");
    let trailing_commas =
        diagnostics.iter().filter(|diagnostic| diagnostic["code"] == "remove_trailing_commas");
    assert_eq!(trailing_commas.count(), 4);
    client.close(URI);

    client.open(URI, "json", text);
    let report = client.report(URI);
    assert_eq!(report["edits"].as_array().map(Vec::len), Some(6), "what is not shown is still reported");
}

#[test]
fn the_one_diagnostic_is_the_first_problem_and_says_how_many_more_there_are() {
    let mut client = Client::builder().initialization_options(json!({"diagnostics": {"max": 1}})).start();
    for (language_id, text, expected, hidden) in [
        (
            "json",
            "[[1,],[2,],[3,]]",
            "0:3-0:4 error remove_trailing_commas unnecessary",
            Some("2 more problems are"),
        ),
        (
            "json",
            "[[1,],[2,]]",
            "0:3-0:4 error remove_trailing_commas unnecessary",
            Some("1 more problem is"),
        ),
        // What no edit repairs comes first.
        ("json", "[[1,], 1 2]", "0:9-0:10 error unexpected_character", Some("1 more problem is")),
        (
            "jsonl",
            "[1,]\n[1 2\n",
            "0:2-0:3 error remove_trailing_commas unnecessary",
            Some("2 more problems are"),
        ),
        ("json", "[1,]", "0:2-0:3 error remove_trailing_commas unnecessary", None),
    ] {
        let diagnostics = client.open(URI, language_id, text);
        assert_eq!(summaries(&diagnostics), [expected], "{text:?}");
        let message = diagnostics[0]["message"].as_str().expect("a message");
        let expected = hidden.map(|hidden| format!("; {hidden} not shown (jsonRepair.diagnostics.max)"));
        match expected {
            Some(expected) => assert!(message.ends_with(&expected), "{text:?}: {message:?}"),
            None => assert!(!message.contains("not shown"), "{text:?}: {message:?}"),
        }
        client.close(URI);
    }
}

#[test]
fn every_publication_has_a_version_and_the_last_is_the_documents() {
    let mut client = Client::start();
    client.open_version(URI, "json", 41, "[1");
    for _ in 0..20 {
        // The client fails on a publication without a version, with one that
        // was never sent, or with an older one behind a newer.
        client.change(URI, &[Change::replace("0:1", "1, ")]);
        client.change(URI, &[Change::replace("0:1", "2, ")]);
        let diagnostics = client.diagnostics(URI);
        let end = client.whole(URI).end.character;
        assert_eq!(summary(&diagnostics[0]), format!("0:{}-0:{end} error close_truncated", end - 1));
    }
    assert_eq!(client.version(URI), 81);
}

#[test]
fn documents_do_not_mix() {
    let mut client = Client::start();
    client.open("file:///p/a.json", "json", "[1,]");
    client.open("file:///p/b.json", "json", "[2");
    client.close("file:///p/a.json");
    client.change("file:///p/b.json", &[Change::replace("0:2", "]")]);
    assert_eq!(client.diagnostics("file:///p/b.json").len(), 0);
    let error = client.execute_command_error("jsonRepair.report", json!([{"uri": "file:///p/a.json"}]));
    assert_eq!(error.code, -32803);
}

#[test]
fn uris_come_back_as_they_were_sent() {
    let mut client = Client::start();
    for uri in [
        "file:///c%3A/Users/a%20b/%5B%5D.json",
        "file:///C:/p/a.json",
        "file:///c:/p/%c3%a9.json",
        "file://server/share/a.json",
        "untitled:Untitled-1",
        "vscode-notebook-cell:/p/a.ipynb#W0sZmlsZQ%3D%3D",
        "file:///p/A.json?x=1#y",
    ] {
        check_uri(&mut client, uri);
    }
}

/// A client that writes them in its own way looks for them in its own way.
#[test]
fn uris_that_are_not_normal_come_back_as_they_were_sent() {
    let mut client = Client::start();
    for uri in ["file:///p/a b é.json", "file:/p/a.json", "FILE:///p/a.json", "file:///p/../q/./a.json"] {
        check_uri(&mut client, uri);
    }
}

/// Opens a document and looks at its URI wherever it comes back: the client
/// compares it in diagnostics, related information and edits.
#[track_caller]
fn check_uri(client: &mut Client, uri: &str) {
    assert_eq!(client.open(uri, "json", "[[1,]").len(), 2, "{uri}");
    let actions = client.code_actions(uri, "0:3");
    assert!(!actions.is_empty());
    for action in &actions {
        client.result_of(uri, action);
    }
    client.close(uri);
}

#[test]
fn the_code_of_a_defect_links_to_its_section_of_the_page_that_is_named() {
    let page = json!({"jsonRepair": {"diagnostics": {"documentation": "file:///p/a%20b/defects.md"}}});
    let href = |diagnostics: &[Value]| diagnostics[0]["codeDescription"]["href"].clone();
    let mut client = Client::builder().settings(page.clone()).start();
    assert_eq!(href(&client.open(URI, "json", "{'a': 1}")), "file:///p/a%20b/defects.md#single-quotes");
    // What a rule repairs needs no explanation, nor does an error without a name.
    for text in ["[1,]", "[1 \\]"] {
        client.change(URI, &[Change::full(text)]);
        assert_eq!(href(&client.diagnostics(URI)), Value::Null, "{text}");
    }
    let mut client = Client::start();
    assert_eq!(href(&client.open(URI, "json", "{'a': 1}")), Value::Null);
    let without = "/textDocument/publishDiagnostics/codeDescriptionSupport";
    let mut client = Client::builder().without(without).settings(page).start();
    assert_eq!(href(&client.open(URI, "json", "{'a': 1}")), Value::Null);
}
