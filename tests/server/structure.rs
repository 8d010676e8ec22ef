//! `textDocument/foldingRange`, `selectionRange` and `documentSymbol`: what stands in what, in text
//! that is broken too.

use serde_json::{Value, json};

use crate::client::document::{Change, Position, Range};
use crate::client::{Builder, Client};

const URI: &str = "file:///p/a.json";
const LINES: &str = "file:///p/a.jsonl";

/// A model's answer that breaks off.
const ANSWER: &str = r#"{
  "é😀": {"name": "Ada 😀", "tags": ["first",
    "second"
  ]},
  // her
  // letters
  "letters": [
    {
      "to": "Charles",
      "": nul"#;

/// The client of most editors: it folds whole lines and takes trees.
fn editor() -> Builder {
    Client::builder()
        .with("/textDocument/foldingRange", json!({"dynamicRegistration": true, "lineFoldingOnly": true}))
        .with("/textDocument/selectionRange", json!({"dynamicRegistration": true}))
        .with(
            "/textDocument/documentSymbol",
            json!({"dynamicRegistration": true, "hierarchicalDocumentSymbolSupport": true}),
        )
}

fn document(uri: &str) -> Value {
    json!({"textDocument": {"uri": uri}})
}

/// The folding ranges as `line-line kind`, or `line:character-line:character kind`.
fn folds(client: &mut Client, uri: &str) -> Vec<String> {
    let answer = client.request("textDocument/foldingRange", document(uri));
    let edge = |fold: &Value, edge: &str| match &fold[format!("{edge}Character")] {
        Value::Null => fold[format!("{edge}Line")].to_string(),
        character => format!("{}:{character}", fold[format!("{edge}Line")]),
    };
    let fold = |fold: &Value| {
        let kind = fold["kind"].as_str().map(|kind| format!(" {kind}")).unwrap_or_default();
        format!("{}-{}{kind}", edge(fold, "start"), edge(fold, "end"))
    };
    answer.as_array().expect("folding ranges").iter().map(fold).collect()
}

/// What is selected, innermost first, for each position.
fn selections(client: &mut Client, uri: &str, positions: &[&str]) -> Vec<Vec<String>> {
    let at: Vec<Value> = positions.iter().map(|position| Position::parse(position).to_json()).collect();
    let params = json!({"textDocument": {"uri": uri}, "positions": at});
    let answer = client.request("textDocument/selectionRange", params);
    let text = client.text(uri);
    let chains = answer.as_array().expect("selection ranges");
    assert_eq!(chains.len(), positions.len());
    chains
        .iter()
        .map(|chain| {
            let mut selected = Vec::new();
            let mut next = chain;
            while !next.is_null() {
                selected.push(part(&text, &next["range"]));
                next = &next["parent"];
            }
            selected
        })
        .collect()
}

/// What stands in a range of a text.
fn part(text: &str, range: &Value) -> String {
    let lines = crate::client::document::Text::new(text).lines();
    let Range { start, end } = Range::from_json(range);
    let units: Vec<u16> = text.encode_utf16().collect();
    String::from_utf16(&units[lines.offset(start)..lines.offset(end)]).expect("whole characters")
}

/// The symbols, indented by their depth: name, kind, detail, and what is selected.
fn symbols(client: &mut Client, uri: &str) -> Vec<String> {
    fn write(text: &str, symbol: &Value, depth: usize, written: &mut Vec<String>) {
        let detail = symbol["detail"].as_str().map(|detail| format!(" = {detail}")).unwrap_or_default();
        written.push(format!(
            "{}{} ({}){detail} @ {}",
            "  ".repeat(depth),
            symbol["name"].as_str().expect("a name"),
            symbol["kind"],
            part(text, &symbol["selectionRange"]),
        ));
        assert!(part(text, &symbol["range"]).contains(&part(text, &symbol["selectionRange"])));
        for child in symbol["children"].as_array().into_iter().flatten() {
            write(text, child, depth + 1, written);
        }
    }
    let answer = client.request("textDocument/documentSymbol", document(uri));
    let text = client.text(uri);
    let mut written = Vec::new();
    for symbol in answer.as_array().expect("symbols") {
        write(&text, symbol, 0, &mut written);
    }
    written
}

#[test]
fn a_cut_answer_has_folds() {
    let mut client = editor().start();
    client.open(URI, "json", ANSWER);
    assert_eq!(folds(&mut client, URI), ["0-9", "1-2", "4-5 comment", "6-9", "7-9"]);
    // The same with CRLF, and by characters, which are UTF-16 code units.
    let mut client = editor().without("/textDocument/foldingRange/lineFoldingOnly").start();
    client.open(URI, "json", &ANSWER.replace('\n', "\r\n"));
    let expected = ["0:1-9:13", "1:10-3:3", "1:37-3:2", "4-5:12 comment", "6:14-9:13", "7:5-9:13"];
    assert_eq!(folds(&mut client, URI), expected);
}

#[test]
fn a_cut_answer_has_symbols() {
    let mut client = editor().start();
    client.open(URI, "json", ANSWER);
    let expected = [
        "é😀 (2) @ \"é😀\"",
        "  name (15) = \"Ada 😀\" @ \"name\"",
        "  tags (18) @ \"tags\"",
        "    0 (15) = \"first\" @ \"first\"",
        "    1 (15) = \"second\" @ \"second\"",
        "letters (18) @ \"letters\"",
        "  0 (2) @ {\n      \"to\": \"Charles\",\n      \"\": nul",
        "    to (15) = \"Charles\" @ \"to\"",
        "    \"\" (13) = nul @ \"\"",
    ];
    assert_eq!(symbols(&mut client, URI), expected);
    client.change(URI, &[Change::replace("9:13-9:13", "l, \"x\": tru")]);
    assert_eq!(symbols(&mut client, URI)[8..], ["    \"\" (13) = null @ \"\"", "    x (13) = tru @ \"x\""]);
    client.diagnostics(URI);
}

#[test]
fn selections_grow_in_a_cut_answer() {
    let mut client = editor().start();
    client.open(URI, "json", ANSWER);
    let found = selections(&mut client, URI, &["1:24", "8:18", "5:4", "0:0"]);
    let tags = "\"tags\": [\"first\",\n    \"second\"\n  ]";
    assert_eq!(
        found[0][..5],
        [
            "Ada 😀".to_owned(),
            "\"Ada 😀\"".to_owned(),
            "\"name\": \"Ada 😀\"".to_owned(),
            format!("\"name\": \"Ada 😀\", {tags}"),
            format!("{{\"name\": \"Ada 😀\", {tags}}}"),
        ]
    );
    assert_eq!(found[1][..3], ["Charles", "\"Charles\"", "\"to\": \"Charles\""]);
    assert_eq!(found[2][..2], ["// letters".to_owned(), ANSWER[1..].to_owned()]);
    assert_eq!(found[3], [ANSWER]);
    for chain in found {
        assert_eq!(chain.last().map(String::as_str), Some(ANSWER));
        assert!(chain.windows(2).all(|pair| pair[1].len() > pair[0].len() && pair[1].contains(&pair[0])));
    }
}

#[test]
fn a_mismatched_closer_ends_what_it_can() {
    let mut client = editor().start();
    client.open(URI, "json", "{\n\"a\": [\n1,\n{\"b\": 2\n],\n\"c\": 3}}\n");
    assert_eq!(
        symbols(&mut client, URI),
        [
            "a (18) @ \"a\"",
            "  0 (16) = 1 @ 1",
            "  1 (2) @ {\"b\": 2\n",
            "    b (16) = 2 @ \"b\"",
            "c (16) = 3 @ \"c\"",
        ]
    );
    assert_eq!(folds(&mut client, URI), ["0-4", "1-3"]);
}

#[test]
fn comments_are_comments_by_the_policy() {
    let text = "// [\n// {\n[1] // }\n";
    let mut client = editor().start();
    for (uri, language_id) in [(URI, "json"), ("file:///p/a.jsonc", "jsonc")] {
        client.open(uri, language_id, text);
        assert_eq!(folds(&mut client, uri), ["0-1 comment"], "{language_id}");
        assert_eq!(symbols(&mut client, uri), ["0 (16) = 1 @ 1"], "{language_id}");
        client.close(uri);
    }
    let settings = json!({"jsonRepair": {"rules": ["close_truncated"]}});
    let mut client = editor().settings(settings).start();
    client.open(URI, "json", text);
    assert_eq!(folds(&mut client, URI), ["0-2"]);
}

#[test]
fn the_outermost_folds_are_as_many_as_the_client_wants() {
    let mut client = editor().with("/textDocument/foldingRange/rangeLimit", json!(3)).start();
    client.open(URI, "json", "[\n[\n[\n1\n]\n],\n[\n1\n],\n[\n1\n]\n]\n");
    assert_eq!(folds(&mut client, URI), ["0-11", "1-4", "6-7"]);
    // Two that are folded together are one.
    client.change(URI, &[Change::full("[{\"a\": [\n1,\n2\n]}]")]);
    client.diagnostics(URI);
    assert_eq!(folds(&mut client, URI), ["0-2"]);
}

#[test]
fn each_line_of_json_lines_has_its_own() {
    let mut client = editor().start();
    client.open(LINES, "jsonl", "{\"a\": [1\n\n[2]\n\"x\n{\"b\": {\"c\": 3}}\n");
    assert_eq!(
        symbols(&mut client, LINES),
        [
            "1 (2) @ {\"a\": [1",
            "  a (18) @ \"a\"",
            "    0 (16) = 1 @ 1",
            "3 (18) @ [2]",
            "  0 (16) = 2 @ 2",
            "4 (15) = \"x @ \"x",
            "5 (2) @ {\"b\": {\"c\": 3}}",
            "  b (2) @ \"b\"",
            "    c (16) = 3 @ \"c\"",
        ]
    );
    assert_eq!(folds(&mut client, LINES), [""; 0]);
    let found = selections(&mut client, LINES, &["2:1", "1:0"]);
    assert_eq!(found[0], ["2", "[2]", &client.text(LINES)]);
    assert_eq!(found[1], [client.text(LINES)]);
}

#[test]
fn what_is_blank_or_not_ours_has_nothing() {
    let mut client = editor().start();
    for (language_id, text) in [("json", ""), ("json", " \r\n\n"), ("json5", "{\n\na: [1]\n}")] {
        let uri = format!("file:///p/a.{language_id}");
        client.open(&uri, language_id, text);
        assert_eq!(folds(&mut client, &uri), [""; 0]);
        assert_eq!(symbols(&mut client, &uri), [""; 0]);
        let params = json!({"textDocument": {"uri": uri}, "positions": [{"line": 0, "character": 0}]});
        assert_eq!(client.request("textDocument/selectionRange", params), Value::Null);
        client.close(&uri);
    }
    let unknown = client.request("textDocument/foldingRange", document("file:///p/closed.json"));
    assert_eq!(unknown, Value::Null);
}

#[test]
fn a_client_without_trees_gets_a_list() {
    let mut client =
        editor().without("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport").start();
    client.open(URI, "json", "{\"a\": {\"b\\n\": [1]}, \"c\": false");
    let answer = client.request("textDocument/documentSymbol", document(URI));
    let symbols = answer.as_array().expect("symbols").iter();
    let found: Vec<_> =
        symbols.map(|symbol| json!([symbol["name"], symbol["containerName"], symbol["kind"]])).collect();
    assert_eq!(
        found,
        [json!(["a", null, 2]), json!(["b↵", "a", 18]), json!(["0", "b↵", 16]), json!(["c", null, 17]),]
    );
    assert_eq!(answer[1]["location"], json!({"uri": URI, "range": Range::parse("0:7-0:17").to_json()}));
}

#[test]
fn names_can_be_read() {
    let mut client = editor().start();
    let long = "é".repeat(1000);
    client.open(
        URI,
        "json",
        &format!(
            "{{\"a\\u00e9\\\"\": 1, \"\\q\": 2, \" \": 3, \"\\t\": \"{long}\", \"{long}\": 4, key: 5, 'k': 6"
        ),
    );
    let answer = client.request("textDocument/documentSymbol", document(URI));
    let symbols = answer.as_array().expect("symbols").iter();
    let names: Vec<_> = symbols.map(|symbol| symbol["name"].as_str().expect("a name")).collect();
    let cut = "é".repeat(100) + "…";
    assert_eq!(names, ["aé\"", "\\q", "\" \"", "\" \"", &cut, "key", "'k'"]);
    assert_eq!(answer[3]["detail"], format!("\"{}…", "é".repeat(99)));
}

/// The depth of a JSON value.
fn depth(value: &Value) -> usize {
    let parts: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return 0,
    };
    1 + parts.into_iter().map(depth).max().unwrap_or(0)
}

#[test]
fn a_million_brackets_are_answered_within_bounds() {
    let mut client = editor().start();
    client.open(URI, "json", &("[\n".repeat(500_000) + &"]\n".repeat(500_000)));
    assert_eq!(folds(&mut client, URI).len(), 5000);
    client.close(URI);

    client.open(URI, "json", &"[{".repeat(500_000));
    let params = json!({"textDocument": {"uri": URI}, "positions": [{"line": 0, "character": 500_000}]});
    let answer = client.request("textDocument/selectionRange", params);
    // What serde_json takes, the message around it included.
    assert!((120..127).contains(&depth(&answer)), "{}", depth(&answer));
    let answer = client.request("textDocument/documentSymbol", document(URI));
    assert!((110..127).contains(&depth(&answer)), "{}", depth(&answer));
    client.close(URI);

    client.open(URI, "json", &format!("[{}1]", "[0],".repeat(100_000)));
    let answer = client.request("textDocument/documentSymbol", document(URI));
    let symbols = answer.as_array().expect("symbols");
    assert_eq!(symbols.len(), 5000);
    assert!(symbols.iter().all(|symbol| symbol["children"].is_null()));
}

const METHODS: [(&str, &str, &str); 3] = [
    ("textDocument/foldingRange", "foldingRangeProvider", "foldingRange"),
    ("textDocument/selectionRange", "selectionRangeProvider", "selectionRange"),
    ("textDocument/documentSymbol", "documentSymbolProvider", "documentSymbol"),
];

fn ask(client: &mut Client, method: &str) -> Value {
    let params = json!({"textDocument": {"uri": URI}, "positions": [{"line": 0, "character": 1}]});
    client.request(method, params)
}

/// A client that takes no registrations of them.
fn declaring() -> Builder {
    METHODS.iter().fold(Client::builder(), |client, (method, ..)| {
        client.without(&format!("/{method}/dynamicRegistration"))
    })
}

#[test]
fn each_is_declared_unless_a_setting_turns_it_off() {
    let mut client = declaring().start();
    for (_, provider, _) in METHODS {
        assert_eq!(client.initialize_result()["capabilities"][provider], true, "{provider}");
    }
    client.open(URI, "json", "[\n\n1]");
    assert!(METHODS.iter().all(|(method, ..)| ask(&mut client, method) != Value::Null));
    for (method, _, setting) in METHODS {
        let mut client = declaring().initialization_options(json!({setting: {"enable": false}})).start();
        for (other, provider, _) in METHODS {
            let is_declared = client.initialize_result()["capabilities"][provider] == true;
            assert_eq!(is_declared, other != method, "{method} {provider}");
        }
        client.open(URI, "json", "[\n\n1]");
        assert_eq!(ask(&mut client, method), Value::Null, "{method}");
    }
}

#[test]
fn each_is_registered_while_it_is_on() {
    let mut client = editor().start();
    client.open(URI, "json", "[\n\n1]");
    for (method, provider, setting) in METHODS {
        assert_eq!(client.initialize_result()["capabilities"][provider], Value::Null);
        client.wait_for("the registration", |client| client.registrations(method).len() == 1);
        assert_ne!(ask(&mut client, method), Value::Null, "{method}");
        client.change_settings(json!({"jsonRepair": {setting: {"enable": false}}}));
        client.wait_for("the end of the registration", |client| client.registrations(method).is_empty());
        assert_eq!(ask(&mut client, method), Value::Null, "{method}");
        client.change_settings(json!({"jsonRepair": {}}));
        client.wait_for("the registration again", |client| client.registrations(method).len() == 1);
    }
    client.barrier();
}
