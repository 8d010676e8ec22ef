//! JSON Lines: each line that is not blank is a candidate of its own.

use serde_json::json;

use crate::client::document::Change;
use crate::client::{Client, summaries, titled, titles};

const URI: &str = "file:///p/log.jsonl";

const LOG: &str = "{\"level\": \"info\", \"é😀\": [1, 2,]}\n\
                   {\"level\": \"info\"}\n\
                   \n\
                   {\"level\": True, \"a\": 1,}\r\n\
                   {\"level\": \"info\", \"tags\": [\"a\",] // é\n\
                   {\"level\": \"in";

const REPAIRED: &str = "{\"level\": \"info\", \"é😀\": [1, 2]}\n\
                        {\"level\": \"info\"}\n\
                        \n\
                        {\"level\": True, \"a\": 1,}\r\n\
                        {\"level\": \"info\", \"tags\": [\"a\"] }\n\
                        {\"level\": \"in\"}";

#[test]
fn each_line_has_its_diagnostics() {
    let mut client = Client::start();
    let diagnostics = client.open(URI, "jsonl", LOG);
    assert_eq!(
        summaries(&diagnostics),
        [
            "0:30-0:31 error remove_trailing_commas unnecessary",
            "3:10-3:14 error unexpected_character",
            "3:22-3:23 error remove_trailing_commas unnecessary",
            "4:31-4:32 error close_truncated",
            "4:30-4:31 error remove_trailing_commas unnecessary",
            "4:33-4:37 error remove_comments unnecessary",
            "5:10-5:13 error close_truncated",
        ]
    );
    // The offset is that of the line's own result, as the line is the candidate.
    assert_eq!(diagnostics[1]["data"], json!({"code": "unexpected_character", "offset": 10}));
    let opener = &diagnostics[3]["relatedInformation"][0]["location"]["range"];
    assert_eq!(*opener, json!({"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 1}}));
}

#[test]
fn a_document_is_lines_by_its_language_or_its_name() {
    let mut client = Client::start();
    for (uri, language_id) in [
        ("file:///p/a", "jsonl"),
        ("file:///p/a", "ndjson"),
        ("file:///p/a.log", "jsonlines"),
        ("file:///p/a.jsonl", "json"),
        ("file:///p/a.ndjson", "plaintext"),
        ("file:///p/A.JSONL", ""),
        ("untitled:a", "jsonl"),
    ] {
        assert_eq!(client.open(uri, language_id, "{}\n{}\n").len(), 0, "{uri} as {language_id}");
        client.close(uri);
        assert_eq!(client.open(uri, language_id, "{}\n{\n").len(), 1, "{uri} as {language_id}");
        client.close(uri);
    }
    assert_eq!(client.open("file:///p/a.json", "json", "{}\n{}\n").len(), 1);
}

#[test]
fn blank_lines_and_line_ends_are_nobodys() {
    let mut client = Client::start();
    for (text, repaired) in [
        ("\n\n \t\n{}\n\n[1,]\n\n", "\n\n \t\n{}\n\n[1]\n\n"),
        ("[1,]\r\n[2,]\r\n", "[1]\r\n[2]\r\n"),
        ("[\"cut\r\n[2", "[\"cut\"]\r\n[2]"),
        ("[1 // c\r\n{}", "[1 ]\r\n{}"),
        // A CR by itself is white space, as RFC 8259 has it.
        ("[1,\r2,]\r\r\n[3,]\r", "[1,\r2]\r\r\n[3]\r"),
    ] {
        client.open(URI, "jsonl", text);
        assert_eq!(client.report(URI)["text"], repaired, "{text:?}");
        let action = client.fix_all(URI).expect("a repair");
        assert_eq!(client.apply(URI, &action), repaired, "{text:?}");
        assert_eq!(client.diagnostics(URI).len(), 0, "{text:?}");
        client.close(URI);
    }
    for text in ["", "\n", " \r\n\t\n", "\r", "1\n\"a\"\nnull\n{}\n[]\n-0.5e1\n\"é\\n\"\r\n"] {
        assert_eq!(client.open(URI, "jsonl", text).len(), 0, "{text:?}");
        assert_eq!(client.fix_all(URI), None, "{text:?}");
        client.close(URI);
    }
}

#[test]
fn an_edit_of_a_line_is_a_quick_fix_there() {
    let mut client = Client::start();
    client.open(URI, "jsonl", LOG);
    let actions = client.code_actions(URI, "0:30");
    assert_eq!(
        titles(&actions),
        ["Remove trailing comma", "Remove all 3 trailing commas", "Repair JSON: 6 edits (still not valid)"]
    );
    assert_eq!(client.result_of(URI, &actions[0]), LOG.replacen("2,]", "2]", 1));

    // The end of a line is not the beginning of the next.
    assert_eq!(titles(&client.code_actions(URI, "1:0")), [""; 0]);
    assert_eq!(titles(&client.code_actions(URI, "1:0-3:0")), [""; 0]);

    let actions = client.code_actions(URI, "4:37");
    let closing = titled(&actions, "Close truncated JSON with `}`");
    let closed = LOG.replace("[\"a\",] // é\n", "[\"a\",] }\n");
    assert_eq!(client.result_of(URI, closing), closed);
    let line = titled(&actions, "Repair this line: 3 edits");
    assert_eq!(client.result_of(URI, line), LOG.replace("[\"a\",] // é\n", "[\"a\"] }\n"));
    let all = titled(&actions, "Repair JSON: 6 edits");
    assert_eq!(client.result_of(URI, all), REPAIRED.replace("1,}", "1}"));

    // The last line of a log that is being written.
    let actions = client.code_actions(URI, "5:13");
    let closing = titled(&actions, "Close truncated JSON with `\"}`; the string may be incomplete");
    assert_eq!(client.apply(URI, closing), format!("{LOG}\"}}"));
    client.diagnostics(URI);
}

#[test]
fn the_unasked_repair_is_that_of_each_line_for_itself() {
    let settings = json!({"jsonRepair": {"onSave": true, "format": {"layout": "indent"}}});
    let mut client = Client::builder().settings(settings).start();
    client.open(URI, "jsonl", LOG);
    let edits = client.will_save_wait_until(URI, 1);
    assert_eq!(client.result_of_edits(URI, &edits), REPAIRED);
    // A layout would spread a line over many.
    let edits = client.formatting(URI);
    assert_eq!(client.result_of_edits(URI, &edits), REPAIRED);
    let action = client.fix_all(URI).expect("a repair");
    assert_eq!(client.apply(URI, &action), REPAIRED);
    assert_eq!(client.fix_all(URI), None);
    assert_eq!(client.formatting(URI), []);
    // What a person has to look at stays.
    assert_eq!(
        summaries(&client.diagnostics(URI)),
        ["3:10-3:14 error unexpected_character", "3:22-3:23 error remove_trailing_commas unnecessary"]
    );
}

#[test]
fn a_generic_fix_all_deletes_no_comment_that_is_certain() {
    let mut client = Client::start();
    let context = json!({"only": ["source.fixAll"], "triggerKind": 2});
    for (text, count) in [
        ("[1,]\n[2,]\n", 1),
        ("[1,]\n[2] // c\n", 0),
        // This line's comment is not up for deletion anyway.
        ("[1,]\n[2 3] // c\n", 1),
    ] {
        client.open(URI, "jsonl", text);
        let whole = client.whole(URI);
        assert_eq!(client.code_actions_in(URI, whole, &context).len(), count, "{text:?}");
        client.close(URI);
    }
}

#[test]
fn a_report_tells_line_by_line() {
    let mut client = Client::start();
    client.open(URI, "jsonl", "[\"é😀\",]\n{}\n[1 2]\r\n{\"a\": tru");
    assert_eq!(
        client.report(URI),
        json!({
            "text": "[\"é😀\"]\n{}\n[1 2]\r\n{\"a\": tru}",
            "changed": true,
            "valid_json": false,
            "json_error": {"code": "unexpected_character", "offset": 14},
            "edits": [
                {"rule": "remove_trailing_commas", "offset": 6, "removed": ",", "inserted": ""},
                {"rule": "close_truncated", "offset": 28, "removed": "", "inserted": "}"},
            ],
            "lines": [
                {"line": 0, "edits": 1, "valid_json": true, "json_error": null},
                {
                    "line": 2,
                    "edits": 0,
                    "valid_json": false,
                    "json_error": {"code": "unexpected_character", "offset": 14},
                },
                {
                    "line": 3,
                    "edits": 1,
                    "valid_json": false,
                    "json_error": {"code": "invalid_literal", "offset": 27},
                },
            ],
            "version": client.version(URI),
        })
    );
    let rules = json!([{"uri": URI, "rules": ["remove_trailing_commas"]}]);
    let report = client.execute_command("jsonRepair.report", rules);
    assert_eq!(report["edits"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["text"], "[\"é😀\"]\n{}\n[1 2]\r\n{\"a\": tru");
    let applied = client.execute_command("jsonRepair.apply", json!([{"uri": URI}]));
    assert_eq!(applied["lines"].as_array().map(Vec::len), Some(3));
    client.wait_for("the edit", |client| client.applied_edits() > 0);
    assert_eq!(client.text(URI), "[\"é😀\"]\n{}\n[1 2]\r\n{\"a\": tru}");
    client.diagnostics(URI);
}

#[test]
fn lines_are_joined_and_parted_as_one_types() {
    let mut client = Client::start();
    let many = "{\"key\": [1, 2, 3], \"text\": \"some of it\"}\n".repeat(5000);
    client.open(URI, "jsonl", &format!("{many}[1,\n2]\n{many}"));
    assert_eq!(
        summaries(&client.diagnostics(URI)),
        [
            "5000:1-5000:2 error close_truncated",
            "5000:2-5000:3 error remove_trailing_commas unnecessary",
            "5001:1-5001:2 error trailing_content"
        ]
    );
    client.change(URI, &[Change::replace("5000:3-5001:0", "")]);
    assert_eq!(client.diagnostics(URI).len(), 0);
    client.change(URI, &[Change::replace("0:1", "\n")]);
    assert_eq!(client.diagnostics(URI).len(), 2);
    client.change(URI, &[Change::replace("0:1-1:0", ""), Change::replace("9000:0-9000:1", "")]);
    assert_eq!(summaries(&client.diagnostics(URI)), ["9000:5-9000:6 error trailing_content"]);
    client.change(URI, &[Change::replace("0:0-9000:39", "")]);
    assert_eq!(client.diagnostics(URI).len(), 0);
}

#[test]
fn so_many_diagnostics_are_shown_and_the_last_says_how_many_are_not() {
    let mut client = Client::builder().settings(json!({"jsonRepair": {"diagnostics": {"max": 3}}})).start();
    let diagnostics = client.open(URI, "jsonl", &"[1,]\n".repeat(100_000));
    assert_eq!(
        summaries(&diagnostics[..2]),
        [
            "0:2-0:3 error remove_trailing_commas unnecessary",
            "1:2-1:3 error remove_trailing_commas unnecessary"
        ]
    );
    assert_eq!(diagnostics[2]["message"], "99998 more problems are not shown (jsonRepair.diagnostics.max)");
    assert_eq!(diagnostics[2]["range"]["start"], json!({"line": 2, "character": 2}));
    let actions = client.code_actions(URI, "500:3");
    assert_eq!(
        titles(&actions),
        ["Remove trailing comma", "Remove all 100000 trailing commas", "Repair JSON: 100000 edits"]
    );
    assert_eq!(client.result_of(URI, &actions[2]), "[1]\n".repeat(100_000));
}

#[test]
fn a_line_may_be_long() {
    let mut client = Client::start();
    let long = format!("[{}]", "\"é😀\", 1, ".repeat(20_000));
    client.open(URI, "jsonl", &format!("{{}}\n{long}\n[1,]\n"));
    assert_eq!(
        client.report(URI)["lines"],
        json!([
            {"line": 1, "edits": 1, "valid_json": true, "json_error": null},
            {"line": 2, "edits": 1, "valid_json": true, "json_error": null},
        ])
    );
    client.change(URI, &[Change::replace("1:1", "0 ")]);
    let diagnostics = client.diagnostics(URI);
    assert_eq!(diagnostics[0]["data"], json!({"code": "unexpected_character", "offset": 3}));
    client.change(URI, &[Change::replace("1:3", ",\n[")]);
    assert_eq!(client.report(URI)["lines"][0]["line"], 1);
    assert_eq!(client.report(URI)["lines"][1]["line"], 2);
    assert_eq!(client.diagnostics(URI).len(), 4);
}

#[test]
fn a_record_on_several_lines_is_not_taken_for_cut_ones() {
    let mut client = Client::start();
    for text in [
        "{\n  \"a\": 1\n}\n",
        "[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n",
        "{\"msg\": \"stack:\n  at foo\"}\n",
        "[1,\n2]\n",
    ] {
        client.open(URI, "jsonl", text);
        assert_eq!(client.fix_all(URI), None, "{text:?}");
        assert_eq!(client.formatting(URI), [], "{text:?}");
        let end = text.find('\n').expect("a line end");
        let actions = client.code_actions(URI, &format!("0:{end}"));
        let closing = titled(&actions, "Close truncated JSON with");
        let title = closing["title"].as_str().unwrap_or_default();
        assert!(title.ends_with("(doubtful: the next line may belong to it)"), "{title}");
        client.close(URI);
    }
    // Typed behind it, the next line decides.
    client.open(URI, "jsonl", "{\"a\": [1\n");
    assert!(client.fix_all(URI).is_some());
    client.change(URI, &[Change::replace("1:0", "2]")]);
    assert_eq!(client.fix_all(URI), None);
    client.change(URI, &[Change::replace("1:0-1:2", "{}")]);
    assert!(client.fix_all(URI).is_some());
    client.diagnostics(URI);
}
