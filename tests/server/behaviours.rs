//! Situations that broke other servers, with what this one must do:
//! `tests/vectors/behaviours.jsonl`, one test for each of its ids.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::document::{Change, Range, TextEdit};
use crate::client::{Client, frame_with_header, summaries, titled, titles};

const BEHAVIOURS: &str = include_str!("../vectors/behaviours.jsonl");

const URI: &str = "file:///p/a.json";

/// Whatever is the longest that an answer "at once" may take on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(10);

/// What the vectors call 50 MB. A build that checks its arithmetic takes a tenth
/// of that as long.
const FIFTY_MEGABYTES: usize = if cfg!(debug_assertions) { 5_000_000 } else { 50_000_000 };

fn behaviours() -> impl Iterator<Item = Value> {
    // Only LF ends a line here: the texts hold other line separators.
    BEHAVIOURS.split_terminator('\n').map(|line| serde_json::from_str(line).expect("a behaviour is JSON"))
}

/// The situation of a behaviour.
#[track_caller]
fn situation(id: &str) -> Value {
    let mut behaviours = behaviours();
    let behaviour = behaviours.find(|behaviour| behaviour["id"] == id);
    behaviour.unwrap_or_else(|| panic!("no behaviour {id}"))["situation"].clone()
}

#[track_caller]
fn document(id: &str) -> String {
    situation(id)["doc"].as_str().expect("the situation has a document").to_owned()
}

fn range(positions: &Value) -> Range {
    let position = |index: usize| format!("{}:{}", positions[index][0], positions[index][1]);
    Range::parse(&format!("{}-{}", position(0), position(1)))
}

fn change(change: &Value) -> Change {
    let text = change["text"].as_str().expect("a change has a text").to_owned();
    Change { range: Some(range(&change["range"])), text }
}

/// Opens the document of a behaviour, makes its changes in one notification,
/// and compares the server's text and the client's with the expected one.
#[track_caller]
fn check_changes(id: &str, expected: &str) {
    let situation = situation(id);
    let changes: Vec<Change> = match situation["changes"].as_array() {
        Some(changes) => changes.iter().map(change).collect(),
        None => vec![change(&situation["change"])],
    };
    let mut client = Client::start();
    client.open(URI, "json", &document(id));
    client.change(URI, &changes);
    assert_eq!(text_without_repair(&mut client), expected);
    assert_eq!(client.text(URI), expected);
    client.diagnostics(URI);
}

/// The server's own text of the document, whatever is wrong with it.
#[track_caller]
fn text_without_repair(client: &mut Client) -> Value {
    client.execute_command("jsonRepair.report", json!([{"uri": URI, "rules": []}]))["text"].take()
}

#[test]
fn every_behaviour_has_its_test() {
    let tests = include_str!("behaviours.rs");
    for behaviour in behaviours() {
        let id = behaviour["id"].as_str().expect("a behaviour has an id");
        let test = format!("#[test]\nfn {}() {{", id.replace('-', "_"));
        assert!(tests.contains(&test), "no test for {id}");
    }
}

#[test]
fn pos_nel_line() {
    let document = document("pos-nel-line");
    assert!(document.contains('\u{85}'));
    let mut client = Client::start();
    let diagnostics = client.open(URI, "json", &document);
    assert_eq!(summaries(&diagnostics), ["1:5-1:6 error remove_trailing_commas unnecessary"]);
    // The same for the others that are legal raw in a string and end no line.
    for (index, character) in ["\u{2028}", "\u{2029}"].iter().enumerate() {
        let uri = format!("file:///p/{index}.json");
        let diagnostics = client.open(&uri, "json", &document.replace('\u{85}', character));
        assert_eq!(summaries(&diagnostics), ["1:5-1:6 error remove_trailing_commas unnecessary"]);
    }
    // VT and FF end no line either, though they must be escaped in a string.
    let diagnostics = client.open("file:///p/vt.json", "json", "[\"a\u{b}\u{c}b\",]");
    assert!(summaries(&diagnostics).contains(&"0:7-0:8 error remove_trailing_commas unnecessary".to_owned()));
}

#[test]
fn pos_past_eol_crlf() {
    let situation = situation("pos-past-eol-crlf");
    let document = situation["doc"].as_str().expect("a document");
    let positions = situation["positions"].as_array().expect("positions");
    let mut client = Client::start();
    for (position, offset) in positions.iter().zip([1, 3, 5, 5, 8]) {
        client.open(URI, "json", document);
        let insertion = Change { range: Some(range(&json!([position, position]))), text: "x".to_owned() };
        client.change(URI, &[insertion]);
        let expected = format!("{}x{}", &document[..offset], &document[offset..]);
        assert_eq!(text_without_repair(&mut client), expected, "{position}");
        assert_eq!(client.text(URI), expected, "{position}");
        client.close(URI);
    }
}

#[test]
fn pos_mid_surrogate() {
    let situation = situation("pos-mid-surrogate");
    let document = situation["doc"].as_str().expect("a document");
    let inside_the_pair = range(&situation["range"]);
    let mut client = Client::start();
    client.open(URI, "json", document);
    // The comma is not there, nor is anything else.
    let actions = client.code_actions_in(URI, inside_the_pair, &json!({"triggerKind": 1}));
    assert_eq!(titles(&actions), [""; 0]);
    client.change(URI, &[Change { range: Some(inside_the_pair), text: "x".to_owned() }]);
    assert_eq!(text_without_repair(&mut client), "[\"\u{fffd}x\u{fffd}\",1,]");
    // Later offsets hold.
    assert_eq!(summaries(&client.diagnostics(URI)), ["0:8-0:9 error remove_trailing_commas unnecessary"]);
    client.close(URI);

    // A query in the pair means the place before it, which the comment touches.
    client.open(URI, "json", "[1/**/😀");
    let actions = client.code_actions(URI, "0:7");
    titled(&actions, "Remove comment");
}

#[test]
fn pos_line_after_last() {
    check_changes("pos-line-after-last", "[\n1,\n");
}

#[test]
fn pos_start_after_end() {
    let situation = situation("pos-start-after-end");
    let reversed = range(&situation["range"]);
    let mut client = Client::start();
    client.permit_log_messages();
    client.open(URI, "json", situation["doc"].as_str().expect("a document"));
    let actions = client.code_actions_in(URI, reversed, &json!({"triggerKind": 1}));
    let action = titled(&actions, "Remove trailing comma");
    assert_eq!(client.result_of(URI, action), "[1]");
    client.change(URI, &[Change { range: Some(reversed), text: String::new() }]);
    assert_eq!(text_without_repair(&mut client), "[]");
    assert_eq!(client.diagnostics(URI), [json!(null); 0]);
}

#[test]
fn pos_bom() {
    let document = document("pos-bom");
    let mut client = Client::start();
    let diagnostics = summaries(&client.open(URI, "json", &document));
    assert!(
        diagnostics.contains(&"0:7-0:8 error remove_trailing_commas unnecessary".to_owned()),
        "{diagnostics:?}"
    );
    // The mark is no JSON, and stays: nothing but the comma is removed.
    assert!(diagnostics.iter().any(|diagnostic| diagnostic.starts_with("0:0-")), "{diagnostics:?}");
    let actions = client.code_actions(URI, "0:7");
    let action = titled(&actions, "Remove trailing comma");
    assert_eq!(client.apply(URI, action), "\u{feff}{\"a\":1}");
    assert_eq!(text_without_repair(&mut client), "\u{feff}{\"a\":1}");
    client.diagnostics(URI);
}

#[test]
fn sync_multi_change() {
    check_changes("sync-multi-change", "\n * c\n \n");
}

#[test]
fn sync_emoji_then_edit() {
    check_changes("sync-emoji-then-edit", "{\"e\":\"😀\", \"n\":2}");
}

#[test]
fn sync_delete_all_then_insert() {
    check_changes("sync-delete-all-then-insert", "{}");
}

#[test]
fn sync_change_unknown_doc() {
    let mut client = Client::start();
    client.permit_log_messages();
    let change = Change::replace("0:0", "x").to_json();
    let params = json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]});
    client.notify("textDocument/didChange", params);
    // The user learns of it, as there will be no diagnostics.
    client.shown_message();
    let diagnostics = client.open(URI, "json", "[1,]");
    assert_eq!(summaries(&diagnostics), ["0:2-0:3 error remove_trailing_commas unnecessary"]);
}

#[test]
fn diag_stale() {
    let mut client = Client::start();
    client.open(URI, "json", "[1]");
    let bad = client.prepare_change(URI, &[Change::replace("0:2", ",")]);
    let good = client.prepare_change(URI, &[Change::replace("0:2-0:3", "")]);
    client.send_all(&[bad, good]);
    // The client fails on its own when an older version comes after this one.
    assert_eq!(client.diagnostics(URI), [json!(null); 0]);
    assert_eq!(client.version(URI), 3);
    client.barrier();
}

#[test]
fn diag_reopen_lower_version() {
    let mut client = Client::start();
    client.open_version(URI, "json", 7, "[1,]");
    assert_eq!(client.diagnostics(URI).len(), 1);
    client.close(URI);
    client.open_version(URI, "json", 1, "[1,] // c");
    assert_eq!(client.diagnostics(URI).len(), 2);
    assert_eq!(client.report(URI)["version"], 1);
    client.change(URI, &[Change::full("[1]")]);
    assert_eq!(client.diagnostics(URI).len(), 0);
    assert_eq!(client.report(URI)["version"], 2);
}

#[test]
fn diag_close_clears() {
    let mut client = Client::start();
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
    // Waits for the empty list; the client fails on anything behind it.
    client.close(URI);
    client.barrier();
}

#[test]
fn life_stdin_eof() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    client.close_input();
    assert_eq!(client.exit_status(), 1);

    let mut client = Client::start();
    client.shutdown();
    client.close_input();
    assert_eq!(client.exit_status(), 0);
}

#[test]
fn life_shutdown_busy() {
    let mut client = Client::start();
    client.open(URI, "json", "[]");
    let element = "{\"key\": [1, 2, 3, \"four\"]}, // comment\n";
    let text = format!("[{}", element.repeat(FIFTY_MEGABYTES / element.len()));
    let change = client.prepare_change(URI, &[Change::full(&text)]);
    client.send_json(&change);
    let asked = Instant::now();
    client.shutdown();
    assert!(asked.elapsed() < AT_ONCE, "{:?}", asked.elapsed());
    let is_published = client.published(URI).iter().any(|published| published.version == Some(2));
    assert!(!is_published, "shutdown was answered behind the work");
}

#[test]
fn life_shutdown_not_exit() {
    let mut client = Client::start();
    // The answer must be null: the client looks at that.
    client.shutdown();
    for method in ["textDocument/codeAction", "workspace/executeCommand", "shutdown", "initialize"] {
        assert_eq!(client.request_error(method, json!({})).code, -32600, "{method}");
    }
    assert!(client.is_running());
    assert_eq!(client.exit(), 0);
}

#[test]
fn wire_content_type() {
    let header = situation("wire-content-type")["header"].as_str().expect("a header").to_owned();
    let mut client = Client::start();
    let swapped = "content-type: application/vim-jsonrpc; charset=utf-8\\r\\nCONTENT-LENGTH: N\\r\\n\\r\\n";
    for header in [&header, swapped] {
        let (id, request) = client.prepare_request(
            "workspace/executeCommand",
            json!({"command": "jsonRepair.execute", "arguments": [{"text": "[1,]"}]}),
        );
        let body = request.to_string();
        // The vector writes the line ends as escapes.
        let header = header.replace("\\r\\n", "\r\n").replace(": N", &format!(": {}", body.len()));
        client.send_bytes(frame_with_header(&header, &body));
        assert_eq!(client.answer(id).expect("a result")["text"], "[1]", "{header}");
    }
}

#[test]
fn wire_stdout_clean() {
    // The client fails on every byte that is no frame.
    let mut client = Client::builder().environment("JSON_REPAIR_LSP_LOG", "trace").start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    client.code_actions(URI, "0:2");
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": "file:///unknown", "version": 2}, "contentChanges": []}),
    );
    client.shown_message();
    client.notify("no/such/notification", json!({}));
    client.request_error("no/such/request", json!({}));
    client.close(URI);
}

#[test]
fn wire_panic() {
    // A release build unwinds as well, or nothing could be caught there.
    assert!(!include_str!("../../Cargo.toml").contains("panic = \"abort\""));
    // The fault is built into the server for this test alone.
    if !cfg!(debug_assertions) {
        return;
    }
    let mut client = Client::start();
    client.permit_log_messages();
    client.permit_panics();
    client.open(URI, "json", "[1,]");
    for _ in 0..3 {
        assert_eq!(client.execute_command_error("jsonRepair.debug.panic", json!([])).code, -32603);
        let action = client.fix_all(URI).expect("a fix-all");
        assert_eq!(client.result_of(URI, &action), "[1]");
    }
    client.change(URI, &[Change::replace("0:2-0:3", "")]);
    assert_eq!(client.diagnostics(URI).len(), 0);
}

#[test]
fn ca_only_other_kind() {
    let only = situation("ca-only-other-kind");
    let kinds: Vec<&str> = match only["only"].as_array() {
        Some(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        None => vec!["source.organizeImports"],
    };
    let mut client = Client::start();
    client.open(URI, "json", "[1,] // c");
    assert_eq!(client.code_actions_only(URI, &kinds), [json!(null); 0]);
}

#[test]
fn ca_stale_text() {
    let mut client = Client::start();
    let old = client.open(URI, "json", "[1,]");
    // The comma is a separator now, and the diagnostic is an old one.
    client.change(URI, &[Change::replace("0:3", "2")]);
    let context = json!({"diagnostics": old, "triggerKind": 1});
    let actions = client.code_actions_in(URI, Range::parse("0:2-0:3"), &context);
    assert_eq!(titles(&actions), [""; 0]);
    // It is a trailing one again, but somewhere else.
    client.change(URI, &[Change::full("[\n1, 2 ,]")]);
    let actions = client.code_actions_in(URI, Range::parse("0:0-1:7"), &context);
    let action = titled(&actions, "Remove trailing comma");
    assert_eq!(client.result_of(URI, action), "[\n1, 2 ]");
    client.diagnostics(URI);
}

#[test]
fn ca_twice() {
    let mut client = Client::start();
    client.open(URI, "json", "{\"a\": [1, 2,], // two\n\"b\": \"cut");
    let action = client.fix_all(URI).expect("a fix-all");
    client.apply(URI, &action);
    assert_eq!(client.fix_all(URI), None);
    assert_eq!(client.diagnostics(URI).len(), 0);
}

#[track_caller]
fn edits(of: &[(&str, &str)]) -> Vec<TextEdit> {
    of.iter()
        .map(|(range, text)| TextEdit { range: Range::parse(range), new_text: (*text).to_owned() })
        .collect()
}

#[test]
fn edit_overlap() {
    let mut client = Client::start();
    client.open(URI, "json", &document("edit-overlap"));
    for _ in 0..2 {
        let action = client.fix_all(URI).expect("a fix-all");
        assert_eq!(
            client.edits_of(URI, &action),
            edits(&[("0:3-0:4", ""), ("0:5-0:6", ""), ("0:7-0:12", "")])
        );
    }
}

#[test]
fn edit_adjacent() {
    let mut client = Client::start();
    client.open(URI, "json", &document("edit-adjacent"));
    let action = client.fix_all(URI).expect("a fix-all");
    assert_eq!(client.edits_of(URI, &action), edits(&[("0:2-0:3", "]")]));
}

#[test]
fn fmt_noop_empty_list() {
    let mut client = Client::start();
    client.open(URI, "json", "{\"valid\": [1, 2]}\n");
    // The client takes nothing but a list.
    assert_eq!(client.formatting(URI), []);
}

#[test]
fn save_one_undo() {
    let text = "{\"a\": [1, 2,], // two\n\"b\": [3,],\n\"c\": \"cut\n";
    let mut client = Client::start();
    client.open(URI, "json", text);
    // One workspace edit of one entry for one document, and no command: the
    // client looks at that. So one undo takes all of it back.
    let action = client.fix_all(URI).expect("a fix-all");
    assert_eq!(client.apply(URI, &action), "{\"a\": [1, 2], \n\"b\": [3],\n\"c\": \"cut\"}\n");
    client.change(URI, &[Change::full(text)]);
    assert_eq!(client.fix_all(URI).expect("a fix-all")["title"], action["title"]);
    client.diagnostics(URI);
}

#[test]
fn lang_jsonc_id() {
    let situation = situation("lang-jsonc-id");
    let mut client = Client::start();
    let text = situation["doc"].as_str().expect("a document");
    let diagnostics = client.open(URI, situation["languageId"].as_str().expect("a language id"), text);
    assert_eq!(diagnostics, [json!(null); 0]);
    assert_eq!(client.fix_all(URI), None);
}

#[test]
fn lang_tsconfig_policy() {
    let situation = situation("lang-tsconfig-policy");
    let uri = situation["uri"].as_str().expect("a uri");
    let language_id = situation["languageId"].as_str().expect("a language id");
    let mut client = Client::start();
    for (text, expected) in [
        ("{\"a\": 1 /* c */} // d", ""),
        ("{\"a\": [1,],}", ""),
        // A comma is allowed after a value only, a comment is no token.
        ("{\"a\": [,]}", "0:7-0:8 error unexpected_character"),
        ("[1/**/2]", "0:6-0:7 error unexpected_character"),
    ] {
        let diagnostics = summaries(&client.open(uri, language_id, text));
        assert_eq!(diagnostics.join(", "), expected, "{text}");
        client.close(uri);
    }
}

#[test]
fn diag_cascade() {
    let mut client = Client::start();
    let diagnostics = client.open(URI, "json", &document("diag-cascade"));
    assert_eq!(summaries(&diagnostics), ["1:0-1:3 error unexpected_character"]);
}

#[test]
fn big_one_line() {
    let element = "{\"key\": [1, 2, 3, \"four\",]}, ";
    let text = format!("[{}0]", element.repeat(FIFTY_MEGABYTES / element.len()));
    let mut client = Client::start();
    assert_eq!(client.open(URI, "json", &text).len(), 1000);
    let end = client.whole(URI).end;
    let before_the_end = Range { start: end, end };
    client.change(URI, &[Change { range: Some(before_the_end), text: " ".to_owned() }]);
    let asked = Instant::now();
    let actions = client.code_actions_in(URI, before_the_end, &json!({"triggerKind": 1, "diagnostics": []}));
    assert_eq!(titles(&actions), [""; 0]);
    assert!(asked.elapsed() < 3 * AT_ONCE, "{:?}", asked.elapsed());
    assert_eq!(client.diagnostics(URI).len(), 1000);
}

#[test]
fn big_many_errors() {
    const COUNT: usize = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    let text = format!("[{}]", vec!["[1,]"; COUNT].join(","));
    let mut client = Client::start();
    let diagnostics = client.open(URI, "json", &text);
    assert_eq!(diagnostics.len(), 1000);
    // 999 of them are edits.
    let hidden = (COUNT - 999).to_string();
    let tells = |diagnostic: &&Value| {
        let message = diagnostic["message"].as_str().unwrap_or_default();
        message.replace([',', '.', '\u{a0}'], "").contains(&hidden)
    };
    assert_eq!(diagnostics.iter().filter(tells).count(), 1, "{hidden} are not shown");
    let action = client.fix_all(URI).expect("a fix-all");
    let edits = client.edits_of(URI, &action);
    assert_eq!(edits.len(), COUNT);
    let repaired = text.replace(",]", "]");
    assert_eq!(client.result_of_edits(URI, &edits), repaired);
    client.change(URI, &[Change::full(&repaired)]);
    assert_eq!(client.diagnostics(URI).len(), 0);
}
