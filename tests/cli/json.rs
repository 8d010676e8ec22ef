//! `repair --json`: the report, in the contract's words.

use json_repair_lsp::{contract::Response, repair::RuleSet, repair::repair_document};
use serde_json::{Value, json};

use crate::command::Workspace;

#[test]
fn the_report_is_the_contracts_response_and_the_path() {
    let workspace = Workspace::new();
    workspace.write("a.json", "{\"😀\": [1,], \"t\": \"half\r\n");
    workspace.write("b.json", "[]\n");
    let run = workspace.run_with_input(&["repair", "--json", "a.json", "b.json", "-"], "[tru\n");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr, "");
    let expected = [
        r#"{"path":"a.json","text":"{\"😀\": [1], \"t\": \"half\"}\r\n","changed":true,"valid_json":true,"json_error":null,"edits":[{"rule":"remove_trailing_commas","offset":9,"removed":",","inserted":""},{"rule":"close_truncated","offset":23,"removed":"","inserted":"\"}"}]}"#,
        r#"{"path":"b.json","text":"[]\n","changed":false,"valid_json":true,"json_error":null,"edits":[]}"#,
        r#"{"text":"[tru]\n","changed":true,"valid_json":false,"json_error":{"code":"invalid_literal","offset":4},"edits":[{"rule":"close_truncated","offset":4,"removed":"","inserted":"]"}]}"#,
    ];
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines, expected);
}

#[test]
fn the_report_has_none_of_the_contracts_limits() {
    let text = "[1,],\n".repeat(50_000);
    let workspace = Workspace::with("a.json", &text);
    let run = workspace.run(&["repair", "--json", "a.json"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("a line of JSON");
    let mut expected = json!(Response::new(&text, &repair_document(&text, RuleSet::ALL)));
    expected["path"] = json!("a.json");
    assert_eq!(report, expected);
    assert_eq!(report["edits"].as_array().map(Vec::len), Some(50_000));
}
