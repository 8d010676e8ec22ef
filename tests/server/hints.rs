//! Hovers, inlay hints, code lenses, and diagnostics that the client asks for;
//! and how each of them is turned on and off.

use serde_json::{Value, json};

use crate::client::document::{Change, Position, Range, TextEdit};
use crate::client::{Builder, Client, frame, summaries, titled};

const URI: &str = "file:///p/a.json";

/// The features that a setting turns on and off, each with whether it is on by
/// default, its capability of the client and what declares it in `initialize`.
const FEATURES: [(&str, bool, &str, &str); 7] = [
    ("hover.enable", true, "hover", "/hoverProvider"),
    ("inlayHint.enable", false, "inlayHint", "/inlayHintProvider"),
    ("codeLens.enable", false, "codeLens", "/codeLensProvider"),
    ("diagnostics.pull", false, "diagnostic", "/diagnosticProvider"),
    ("foldingRange.enable", true, "foldingRange", "/foldingRangeProvider"),
    ("selectionRange.enable", true, "selectionRange", "/selectionRangeProvider"),
    ("documentSymbol.enable", true, "documentSymbol", "/documentSymbolProvider"),
];

fn ours(settings: Value) -> Value {
    json!({"jsonRepair": settings})
}

/// A client for whose user all hints are on.
fn start() -> Client {
    Client::builder()
        .settings(ours(json!({"inlayHint": {"enable": true}, "codeLens": {"enable": true}})))
        .start()
}

/// A client that takes no registration of a feature.
fn declared(feature: &str) -> Builder {
    Client::builder().without(&format!("/textDocument/{feature}/dynamicRegistration"))
}

fn wait_for_registration(client: &mut Client, feature: &str, is_registered: bool) {
    let method = format!("textDocument/{feature}");
    client.wait_for("the registration to be as the settings are", |client| {
        client.registrations(&method).len() == usize::from(is_registered)
    });
}

#[track_caller]
fn hover(client: &mut Client, at: &str) -> Option<(String, String)> {
    let position = Position::parse(at).to_json();
    let params = json!({"textDocument": {"uri": URI}, "position": position});
    let hover = client.request("textDocument/hover", params);
    if hover.is_null() {
        return None;
    }
    let value = hover["contents"]["value"].as_str().expect("a hover has words");
    Some((Range::from_json(&hover["range"]).to_string(), value.to_owned()))
}

/// The hover at a place of a text, which has just been opened: its range, and
/// its lines.
#[track_caller]
fn check_hover(client: &mut Client, text: &str, at: &str, range: &str, lines: &[&str]) {
    client.open(URI, "json", text);
    let (found_range, value) = hover(client, at).unwrap_or_else(|| panic!("no hover at {at} of {text:?}"));
    assert_eq!(value.split('\n').collect::<Vec<_>>(), lines, "{text:?}");
    assert_eq!(found_range, range, "{text:?}");
    client.close(URI);
}

/// An answer that may be a list or null.
#[track_caller]
fn list(answer: Value) -> Vec<Value> {
    match answer {
        Value::Null => Vec::new(),
        Value::Array(list) => list,
        other => panic!("{other} is no list"),
    }
}

#[track_caller]
fn inlay_hints(client: &mut Client, range: Range) -> Vec<Value> {
    let params = json!({"textDocument": {"uri": URI}, "range": range.to_json()});
    list(client.request("textDocument/inlayHint", params))
}

/// The one hint of the document.
#[track_caller]
fn inlay_hint(client: &mut Client) -> Value {
    let whole = client.whole(URI);
    let mut hints = inlay_hints(client, whole);
    assert_eq!(hints.len(), 1, "{hints:?}");
    hints.remove(0)
}

#[track_caller]
fn code_lenses(client: &mut Client) -> Vec<Value> {
    list(client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})))
}

#[track_caller]
fn pull(client: &mut Client, previous: &Value) -> Value {
    let mut params = json!({"textDocument": {"uri": URI}});
    if previous.is_string() {
        params["previousResultId"] = previous.clone();
    }
    client.request("textDocument/diagnostic", params)
}

#[track_caller]
fn pulled(answer: &Value) -> Vec<String> {
    assert_eq!(answer["kind"], "full", "{answer}");
    summaries(answer["items"].as_array().expect("a full report has its items"))
}

#[test]
fn a_hover_shows_the_edit_its_rule_and_why() {
    let mut client = Client::start();
    check_hover(
        &mut client,
        "{\n  \"a\": [1, 2,], // two\n\t\"b\": 3}\n",
        "1:12",
        "1:12-1:13",
        &[
            "`remove_trailing_commas`: JSON has no trailing commas",
            "",
            "```diff",
            " {",
            "-  \"a\": [1, 2,], // two",
            "+  \"a\": [1, 2], // two",
            " \t\"b\": 3}",
            "```",
        ],
    );
    // In UTF-16 code units: the emoji are two each.
    check_hover(
        &mut client,
        "[\"😀😀\", 1 /* 😀 */]",
        "0:15",
        "0:11-0:19",
        &[
            "`remove_comments`: JSON has no comments",
            "",
            "```diff",
            "-[\"😀😀\", 1 /* 😀 */]",
            "+[\"😀😀\", 1 ]",
            "```",
        ],
    );
    check_hover(
        &mut client,
        "[1,\r\n{\"t\": \"half a\r\n",
        "1:9",
        "1:6-1:13",
        &[
            "`close_truncated`: the text is cut off: `\"}]` would close it; the string may be incomplete",
            "",
            "```diff",
            " [1,",
            "-{\"t\": \"half a",
            "+{\"t\": \"half a\"}]",
            "```",
        ],
    );
}

#[test]
fn a_hover_touches_an_edit_at_both_its_ends() {
    let mut client = Client::start();
    client.open(URI, "json", "[\"😀\",] /* c */ ");
    for (at, is_touched) in [
        ("0:4", false),
        ("0:5", true),
        ("0:6", true),
        ("0:7", false),
        ("0:8", true),
        ("0:15", true),
        ("0:16", false),
        // Places that do not exist are the nearest that do.
        ("0:99", false),
        ("9:0", false),
    ] {
        assert_eq!(hover(&mut client, at).is_some(), is_touched, "{at}");
    }
    client.change(URI, &[Change::full("[\"😀\", [1\n\n")]);
    for (at, is_touched) in
        [("0:5", false), ("0:8", true), ("0:9", true), ("1:0", true), ("2:0", true), ("9:9", true)]
    {
        assert_eq!(hover(&mut client, at).is_some(), is_touched, "{at}");
    }
    client.diagnostics(URI);
}

/// Closing takes along what would come before the closers or swallow them, as
/// its quick fix does.
#[test]
fn edits_that_touch_are_shown_in_order() {
    let mut client = Client::start();
    check_hover(
        &mut client,
        "[1,// c",
        "0:3",
        "0:2-0:7",
        &[
            "`remove_trailing_commas`: JSON has no trailing commas",
            "",
            "```diff",
            "-[1,// c",
            "+[1// c",
            "```",
            "",
            "---",
            "",
            "`remove_comments`: JSON has no comments",
            "",
            "```diff",
            "-[1,// c",
            "+[1,",
            "```",
        ],
    );
    check_hover(
        &mut client,
        "[1, // c\n\n",
        "0:1",
        "0:1-0:2",
        &[
            "`close_truncated`: the text is cut off: `]` would close it; the list may be incomplete",
            "",
            "```diff",
            "-[1, // c",
            "+[1 ]",
            "```",
        ],
    );
}

#[test]
fn a_hover_says_what_is_doubtful() {
    let mut client = Client::start();
    for (text, at, doubt) in [
        ("[1,,]", "0:4", "a value may be missing before it"),
        ("[1/**/2]", "0:3", "it is all that separates two tokens"),
        ("[1] /* ]", "0:6", "it is not terminated and takes the rest of the text"),
        ("[\"a]", "0:3", "the string holds a bracket: its closing quote may be missing elsewhere"),
        ("[\"a\", \"//b\"]\n[1 //]", "1:1", "what is missing in the text may stand in it"),
    ] {
        client.open(URI, "json", text);
        let (_, value) = hover(&mut client, at).unwrap_or_else(|| panic!("no hover of {text:?}"));
        assert!(value.ends_with(&format!("```\n\nDoubtful: {doubt}")), "{text:?}: {value}");
        client.close(URI);
    }
}

#[test]
fn a_client_that_reads_no_markdown_gets_none() {
    for builder in [
        Client::builder().with("/textDocument/hover/contentFormat", json!(["plaintext"])),
        Client::builder().without("/textDocument/hover/contentFormat"),
    ] {
        let mut client = builder.start();
        client.open(URI, "json", "[1/* `c` */2,]");
        let params = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 3}});
        let hover = client.request("textDocument/hover", params);
        let value = "remove_comments: JSON has no comments\n\n-[1/* `c` */2,]\n+[12,]\n\n\
                     Doubtful: it is all that separates two tokens";
        assert_eq!(hover["contents"], json!({"kind": "plaintext", "value": value}));
    }
}

#[test]
fn nothing_in_a_text_ends_the_fence_around_it() {
    let mut client = Client::start();
    for (text, fence) in [
        ("[1] // ```\n", "````"),
        ("```\n[1,]\n````", "`````"),
        ("{\"a\": \"`\",}", "```"),
        ("[1]\n/*\n``````````\n*/", "```````````"),
    ] {
        client.open(URI, "json", text);
        let edit = &client.report(URI)["edits"][0];
        let at = edit["offset"].as_u64().expect("an edit has its offset");
        let before: String = text.chars().take(usize::try_from(at).expect("it is small")).collect();
        let line = before.matches('\n').count();
        let character = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let (_, value) = hover(&mut client, &format!("{line}:{character}")).expect("a hover");
        let lines: Vec<&str> = value.split('\n').collect();
        assert_eq!(lines[2], format!("{fence}diff"), "{value}");
        let ends: Vec<usize> = (3..lines.len()).filter(|line| lines[*line].trim() == fence).collect();
        assert_eq!(ends, [lines.len() - 1], "{value}");
        client.close(URI);
    }
}

#[test]
fn a_hover_is_short_however_long_its_lines_are() {
    let mut client = Client::start();
    let long = "\"😀\",".repeat(50_000);
    let ends = ["😀\",\"😀\",\"😀\",\"😀\",\"😀\",\"😀\",\"😀\",\"😀\",\"😀\",\"😀\",1", "\"😀\",\"😀\""];
    client.open(URI, "json", &format!("[{long}1,]{long}"));
    // A comma behind that many code units.
    let (_, value) = hover(&mut client, "0:250002").expect("a hover");
    let lines: Vec<&str> = value.split('\n').collect();
    assert_eq!(lines.len(), 6, "{value}");
    for (line, middle) in [(lines[3], ",]"), (lines[4], "]")] {
        assert_eq!(line.chars().count(), 1 + 1 + 40 + 1 + 40 + 1 - usize::from(middle == "]"), "{line}");
        assert!(line[1..].starts_with('…') && line.ends_with('…'), "{line}");
        assert!(line.contains(&format!("{}{middle}{}", ends[0], ends[1])), "{line}");
    }
    client.close(URI);

    // A comment of many long lines, with other line endings than LF.
    for line_ending in ["\n", "\r\n", "\r"] {
        let comment = format!("{}{line_ending}", "é".repeat(100)).repeat(10_000);
        client.open(URI, "json", &format!("[1/*{line_ending}{comment}z*/]"));
        let (_, value) = hover(&mut client, "0:3").expect("a hover");
        let lines: Vec<&str> = value.split('\n').skip(3).collect();
        let long = format!("-{0}…{0}", "é".repeat(40));
        assert_eq!(lines, ["-[1/*", &long, &long, &long, "-…", &long, "-z*/]", "+[1]", "```"], "{value}");
        client.close(URI);
    }

    // A text that is deeper than anybody wants to see.
    client.open(URI, "json", &"[".repeat(100_000));
    let (_, value) = hover(&mut client, "0:100000").expect("a hover");
    assert!(value.len() < 1000 && value.contains("]…\n```"), "{value}");
    client.close(URI);

    // What a terminal would obey is not passed on.
    client.open(URI, "json", "[1] // \u{1b}[2J\u{7f}\u{9b}\t");
    let (_, value) = hover(&mut client, "0:5").expect("a hover");
    assert!(value.contains("// ␛[2J␡\u{fffd}\t\n"), "{value}");
}

#[test]
fn a_hover_on_one_of_many_edits_shows_that_one() {
    let mut client = start();
    let text = format!("[\n{}1]", "1, // 😀\n".repeat(100_000));
    client.open(URI, "json", &text);
    for line in [1, 50_000, 100_000] {
        let (range, value) = hover(&mut client, &format!("{line}:5")).expect("a hover");
        assert_eq!(range, format!("{line}:3-{line}:8"));
        assert_eq!(value.matches("remove_comments").count(), 1, "{value}");
    }
    let lenses = code_lenses(&mut client);
    assert_eq!(lenses[0]["command"]["title"], "Repair JSON: 100000 edits");
    let whole = client.whole(URI);
    assert_eq!(inlay_hints(&mut client, whole), [json!(null); 0]);
}

#[test]
fn an_inlay_hint_shows_what_would_close_the_text() {
    let mut client = start();
    for (language_id, text, at, label, closed) in [
        ("json", "{\"😀\": [1, \"half 😀", "0:19", "\"]}", "{\"😀\": [1, \"half 😀\"]}"),
        ("json", "{\"a\": [1,\n  {\n\n", "1:3", "}]}", "{\"a\": [1,\n  {}]}\n\n"),
        ("json", "[1, // c\r\n", "0:8", "]", "[1 ]\r\n"),
        ("json", "[1, /* c */", "0:11", "]", "[1 /* c */]"),
        ("json", "[1, // c\n\"a\", /* c */ // d", "1:17", "]", "[1, // c\n\"a\" /* c */ ]"),
        ("jsonc", "[1, // c\n", "0:8", "]", "[1, // c\n]\n"),
        ("json", "[[[[[[[[[[[[[[[[[", "0:17", "]]]]]]]]]]]]]]]]…", "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]"),
    ] {
        client.open(URI, language_id, text);
        let hint = inlay_hint(&mut client);
        assert_eq!(Position::from_json(&hint["position"]), Position::parse(at), "{text:?}");
        assert_eq!(hint["label"], label, "{text:?}");
        let tooltip = hint["tooltip"].as_str().expect("a tooltip");
        assert!(tooltip.starts_with("the text is cut off: `"), "{tooltip}");
        let edits = hint["textEdits"].as_array().expect("edits").iter().map(TextEdit::from_json);
        let edits: Vec<TextEdit> = edits.collect();
        assert_eq!(client.result_of_edits(URI, &edits), closed, "{text:?}");
        // The same as the quick fix makes of it.
        let actions = client.code_actions(URI, at);
        let quick_fix = titled(&actions, "Close truncated JSON").clone();
        assert_eq!(client.result_of(URI, &quick_fix), closed, "{text:?}");
        client.apply_edits(URI, &edits);
        let whole = client.whole(URI);
        assert_eq!(inlay_hints(&mut client, whole), [json!(null); 0], "{closed:?} is closed");
        client.close(URI);
    }
}

#[test]
fn an_inlay_hint_is_for_the_range_that_is_asked_for() {
    let mut client = start();
    client.open(URI, "json", "[1,\n2,\n[\n");
    for (range, is_inside) in [
        ("0:0-9:0", true),
        ("2:1", true),
        ("2:0-2:9", true),
        ("9:0-0:0", true),
        ("0:0-2:0", false),
        ("0:0-1:9", false),
        ("3:0-9:0", false),
    ] {
        assert_eq!(inlay_hints(&mut client, Range::parse(range)).len(), usize::from(is_inside), "{range}");
    }
}

/// Nor is a text of closers that nobody has seen.
#[test]
fn what_is_doubtful_is_not_accepted_with_a_hint() {
    let mut client = start();
    for (text, label, doubt) in [
        ("[\"a]", "\"]", "(doubtful: the string holds a bracket"),
        ("[1, /* c", "]", "(doubtful: it is not terminated"),
        ("[1 //]", "]", "(doubtful: what is missing in the text may stand in it"),
        (&"[".repeat(65), "]]]]]]]]]]]]]]]]…", "…"),
    ] {
        client.open(URI, "json", text);
        let hint = inlay_hint(&mut client);
        assert_eq!(hint["label"], label, "{text:?}");
        assert!(hint["tooltip"].as_str().is_some_and(|tooltip| tooltip.contains(doubt)), "{hint}");
        assert!(hint.get("textEdits").is_none(), "{hint}");
        client.close(URI);
    }
}

#[test]
fn a_code_lens_offers_the_repair_as_the_quick_fix_does() {
    let mut client = start();
    for (text, at, title, repaired) in [
        ("[1,]\n", "0:2", "Repair JSON: 1 edit", "[1]\n"),
        ("{\"a\": [1,], // c\n\"b\": [2", "0:8", "Repair JSON: 3 edits", "{\"a\": [1], \n\"b\": [2]}"),
        ("[1,,]", "0:3", "Repair JSON: 1 edit (1 doubtful, still not valid)", "[1,]"),
        ("[1 2,]", "0:4", "Repair JSON: 1 edit (still not valid)", "[1 2]"),
    ] {
        client.open(URI, "json", text);
        let quick_fixes = client.code_actions(URI, at);
        assert_eq!(titled(&quick_fixes, "Repair JSON")["title"], title);
        let lenses = code_lenses(&mut client);
        assert_eq!(lenses.len(), 1, "{lenses:?}");
        assert_eq!(Range::from_json(&lenses[0]["range"]), Range::parse("0:0"));
        let command = &lenses[0]["command"];
        assert_eq!(command["title"], title);
        assert_eq!(*command["arguments"].as_array().expect("arguments"), [json!({"uri": URI})]);
        let applied = client.applied_edits();
        let name = command["command"].as_str().expect("a command");
        client.execute_command(name, command["arguments"].clone());
        client.wait_for("the edit", |client| client.applied_edits() > applied);
        assert_eq!(client.text(URI), repaired);
        client.close(URI);
    }
}

#[test]
fn each_line_of_json_lines_has_its_hints() {
    let mut client = start();
    client.open(URI, "jsonl", "{\"😀\": [1,]}\n\n[1 // c\r\n[1 2]\n{\"t\": \"half");
    let (range, value) = hover(&mut client, "0:10").expect("a hover");
    assert_eq!(range, "0:9-0:10");
    assert!(value.ends_with("```diff\n-{\"😀\": [1,]}\n+{\"😀\": [1]}\n```"), "{value}");
    let (range, value) = hover(&mut client, "2:7").expect("a hover");
    assert_eq!(range, "2:1-2:7");
    assert!(value.ends_with("```diff\n-[1 // c\n+[1 ]\n [1 2]\n```"), "{value}");
    for nothing in ["1:0", "3:0", "3:2", "3:5", "4:0"] {
        assert_eq!(hover(&mut client, nothing), None, "{nothing}");
    }
    let whole = client.whole(URI);
    let hints = inlay_hints(&mut client, whole);
    assert_eq!(hints.len(), 2, "{hints:?}");
    for (hint, at, label) in [(&hints[0], "2:7", "]"), (&hints[1], "4:11", "\"}")] {
        assert_eq!(
            (Position::from_json(&hint["position"]), &hint["label"]),
            (Position::parse(at), &json!(label))
        );
    }
    let edits: Vec<TextEdit> = [&hints[0]["textEdits"], &hints[1]["textEdits"]]
        .into_iter()
        .flat_map(|edits| edits.as_array().expect("edits").iter().map(TextEdit::from_json))
        .collect();
    let closed = "{\"😀\": [1,]}\n\n[1 ]\r\n[1 2]\n{\"t\": \"half\"}";
    assert_eq!(client.result_of_edits(URI, &edits), closed);
    assert_eq!(inlay_hints(&mut client, Range::parse("2:0-3:9")).len(), 1);
    assert_eq!(inlay_hints(&mut client, Range::parse("0:0-2:6")).len(), 0);
    let title = "Repair JSON: 4 edits (still not valid)";
    assert_eq!(code_lenses(&mut client)[0]["command"]["title"], title);
}

#[test]
fn there_are_no_hints_where_there_is_nothing_to_repair() {
    let mut client = start();
    for (language_id, text) in [
        ("json", "[1]"),
        ("json", ""),
        ("json", " \n"),
        // An error, but no edit.
        ("json", "[1 2]"),
        // Allowed there.
        ("jsonc", "[1, // c\n]"),
        // Not ours.
        ("json5", "[1, // c"),
        ("jsonl", "[1]\n[2 3]\n"),
    ] {
        client.open(URI, language_id, text);
        for at in ["0:0", "0:2", "0:3", "0:6", "9:9"] {
            assert_eq!(hover(&mut client, at), None, "{language_id} {text:?}");
        }
        let whole = client.whole(URI);
        assert_eq!(inlay_hints(&mut client, whole), [json!(null); 0], "{language_id} {text:?}");
        assert_eq!(code_lenses(&mut client), [json!(null); 0], "{language_id} {text:?}");
        client.close(URI);
    }
    // Nor for what is not open.
    assert_eq!(hover(&mut client, "0:2"), None);
    assert_eq!(inlay_hints(&mut client, Range::parse("0:0-9:0")), [json!(null); 0]);
    assert_eq!(code_lenses(&mut client), [json!(null); 0]);
}

#[test]
fn nothing_is_said_from_a_text_that_is_not_the_clients() {
    let mut client = start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,");
    assert!(hover(&mut client, "0:2").is_some());
    client.permit_clearing(URI);
    client.send_bytes(frame("{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/didChange\"}"));
    client.shown_message();
    assert_eq!(hover(&mut client, "0:2"), None);
    assert_eq!(inlay_hints(&mut client, Range::parse("0:0-9:0")), [json!(null); 0]);
    assert_eq!(code_lenses(&mut client), [json!(null); 0]);
    client.change(URI, &[Change::full("[2,")]);
    assert!(hover(&mut client, "0:2").is_some());
    assert_eq!(inlay_hint(&mut client)["label"], "]");
    assert_eq!(code_lenses(&mut client).len(), 1);
    client.diagnostics(URI);
}

/// They are asked for in the same breath as the change.
#[test]
fn hints_are_for_the_text_of_now() {
    let mut client = start();
    client.open(URI, "json", "[1]");
    client.change(URI, &[Change::replace("0:2-0:3", ",")]);
    assert_eq!(hover(&mut client, "0:3").map(|(range, _)| range), Some("0:1-0:3".to_owned()));
    assert_eq!(inlay_hint(&mut client)["label"], "]");
    assert_eq!(code_lenses(&mut client)[0]["command"]["title"], "Repair JSON: 2 edits");
    client.diagnostics(URI);
}

#[test]
fn a_feature_is_registered_as_long_as_its_setting_is_on() {
    for (setting, is_on, feature, provider) in FEATURES {
        let mut client = Client::start();
        let capabilities = &client.initialize_result()["capabilities"];
        assert_eq!(capabilities.pointer(provider), None, "{feature} is not declared as well");
        wait_for_registration(&mut client, feature, is_on);
        for is_on in [!is_on, is_on, !is_on] {
            client.change_settings(ours(json!({setting: is_on})));
            wait_for_registration(&mut client, feature, is_on);
        }
        if let Some(registration) = client.registrations(&format!("textDocument/{feature}")).first() {
            assert_eq!(registration["registerOptions"]["documentSelector"], json!(null));
            if feature == "diagnostic" {
                assert_eq!(registration["registerOptions"]["interFileDependencies"], false);
                assert_eq!(registration["registerOptions"]["workspaceDiagnostics"], false);
            }
        }
    }
}

#[test]
fn a_feature_is_declared_where_it_cannot_be_registered() {
    for (setting, is_on_by_default, feature, provider) in FEATURES {
        for (options, is_on) in [
            (json!(null), is_on_by_default),
            (json!({setting: true}), true),
            (json!({setting: false}), false),
        ] {
            let mut client = declared(feature).initialization_options(options).start();
            let capabilities = &client.initialize_result()["capabilities"];
            let declared = capabilities.pointer(provider).is_some_and(|provider| *provider != false);
            assert_eq!(declared, is_on, "{feature}");
            // The client fails at a registration that it does not take.
            client.change_settings(ours(json!({setting: !is_on})));
            client.change_settings(ours(json!({setting: is_on})));
            client.barrier();
        }
    }
    let mut client = declared("diagnostic").initialization_options(json!({"diagnostics.pull": true})).start();
    let provider = &client.initialize_result()["capabilities"]["diagnosticProvider"];
    assert_eq!(*provider, json!({"interFileDependencies": false, "workspaceDiagnostics": false}));
    client.barrier();
}

/// A client may go on asking for what was declared.
#[test]
fn what_is_turned_off_says_nothing() {
    let mut client = start();
    client.open(URI, "json", "[1,");
    assert!(hover(&mut client, "0:2").is_some());
    let off = json!({"hover.enable": false, "inlayHint.enable": false, "codeLens.enable": false});
    client.change_settings(ours(off));
    wait_for_registration(&mut client, "hover", false);
    assert_eq!(hover(&mut client, "0:2"), None);
    assert_eq!(inlay_hints(&mut client, Range::parse("0:0-9:0")), [json!(null); 0]);
    assert_eq!(code_lenses(&mut client), [json!(null); 0]);
    assert_eq!(pull(&mut client, &Value::Null), json!({"kind": "full", "items": []}));
}

#[test]
fn the_client_is_told_to_ask_anew_when_settings_change() {
    for (setting, capability, method) in [
        ("inlayHint.enable", "/workspace/inlayHint/refreshSupport", "workspace/inlayHint/refresh"),
        ("codeLens.enable", "/workspace/codeLens/refreshSupport", "workspace/codeLens/refresh"),
        ("diagnostics.pull", "/workspace/diagnostics/refreshSupport", "workspace/diagnostic/refresh"),
    ] {
        let mut client = Client::start();
        client.barrier();
        // Other settings have nothing to do with it while it is off.
        client.change_settings(ours(json!({"rules": []})));
        for (index, settings) in [
            json!({setting: true}),
            json!({setting: true, "rules": []}),
            json!({setting: false, "rules": []}),
        ]
        .into_iter()
        .enumerate()
        {
            client.change_settings(ours(settings));
            client.wait_for("the request to ask anew", |client| client.refreshes().len() == index + 1);
        }
        assert!(client.refreshes().iter().all(|refresh| refresh == method), "{:?}", client.refreshes());

        // The client fails at a request that it does not take.
        let mut client = Client::builder().without(capability).start();
        client.change_settings(ours(json!({setting: true})));
        client.change_settings(ours(json!({})));
        client.barrier();
    }
}

#[test]
fn diagnostics_are_asked_for_where_the_setting_says_so() {
    let text = "[\"😀\", 1,] // c\n[\"cut";
    let mut client = Client::start();
    let published = client.open(URI, "json", text);
    client.close(URI);

    client.change_settings(ours(json!({"diagnostics.pull": true})));
    wait_for_registration(&mut client, "diagnostic", true);
    client.open_silent(URI, "json", text);
    let answer = pull(&mut client, &Value::Null);
    assert_eq!(answer["items"], json!(published));
    let id = &answer["resultId"];
    assert!(id.is_string(), "{answer}");
    // The same again is nothing new; another text is, and other settings are.
    assert_eq!(pull(&mut client, id), json!({"kind": "unchanged", "resultId": id}));
    assert_eq!(pulled(&pull(&mut client, &json!("another"))), summaries(&published));
    client.change(URI, &[Change::full("[1,]")]);
    let answer = pull(&mut client, id);
    assert_eq!(pulled(&answer), ["0:2-0:3 error remove_trailing_commas unnecessary"]);
    let id = answer["resultId"].clone();
    assert_eq!(pull(&mut client, &id)["kind"], "unchanged");
    client.change_settings(ours(json!({"diagnostics": {"pull": true, "severity": "hint"}})));
    client.wait_for("the request to ask anew", |client| client.refreshes().len() == 2);
    assert_eq!(pulled(&pull(&mut client, &id)), ["0:2-0:3 hint remove_trailing_commas unnecessary"]);
    // A document that is opened anew may come to the same version again.
    client.close(URI);
    client.barrier();
    client.open_silent(URI, "json", "[1]");
    client.change(URI, &[Change::full("[2 3]")]);
    assert_eq!(pulled(&pull(&mut client, &id)), ["0:3-0:4 error unexpected_character"]);
    // Nothing is published.
    client.barrier();
    assert_eq!(client.published(URI).len(), 0);
}

#[test]
fn what_was_published_is_cleared_when_diagnostics_are_asked_for() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    client.change_settings(ours(json!({"diagnostics.pull": true})));
    assert_eq!(client.diagnostics_that(URI, <[Value]>::is_empty).len(), 0);
    wait_for_registration(&mut client, "diagnostic", true);
    let answer = pull(&mut client, &Value::Null);
    assert_eq!(pulled(&answer), ["0:2-0:3 error remove_trailing_commas unnecessary"]);
    let published = client.published(URI).len();
    client.change(URI, &[Change::replace("0:4", "\n")]);
    assert_eq!(pulled(&pull(&mut client, &Value::Null)).len(), 1);
    client.barrier();
    assert_eq!(client.published(URI).len(), published);
    // And published again when they no longer are.
    client.change_settings(ours(json!({"diagnostics.pull": false})));
    assert_eq!(client.diagnostics_that(URI, |diagnostics| !diagnostics.is_empty()).len(), 1);
    wait_for_registration(&mut client, "diagnostic", false);
    assert_eq!(pulled(&pull(&mut client, &Value::Null)), [""; 0]);
}

#[test]
fn a_client_that_cannot_ask_has_its_diagnostics_published() {
    let mut client = Client::builder()
        .without("/textDocument/diagnostic")
        .initialization_options(json!({"diagnostics.pull": true}))
        .settings(ours(json!({"diagnostics": {"pull": true}})))
        .start();
    assert_eq!(client.initialize_result()["capabilities"].get("diagnosticProvider"), None);
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
    client.change_settings(ours(json!({"diagnostics": {"pull": true, "severity": "hint"}})));
    client.diagnostics_that(URI, |diagnostics| diagnostics[0]["severity"] == 4);
    assert_eq!(client.registrations("textDocument/diagnostic"), [json!(null); 0]);
}

#[test]
fn nothing_is_answered_where_there_is_nothing_to_report() {
    let mut client = Client::builder().settings(ours(json!({"diagnostics.pull": true}))).start();
    client.permit_log_messages();
    wait_for_registration(&mut client, "diagnostic", true);
    assert_eq!(pulled(&pull(&mut client, &Value::Null)), [""; 0]);
    for (language_id, text) in [("json", "[1]"), ("json", "\n"), ("jsonc", "[1, // c\n]"), ("json5", "[1,")] {
        client.open_silent(URI, language_id, text);
        assert_eq!(pulled(&pull(&mut client, &Value::Null)), [""; 0], "{language_id} {text:?}");
        client.close(URI);
        client.barrier();
    }
    // Nor from a text that is not the client's.
    client.open_silent(URI, "json", "[1,]");
    let id = pull(&mut client, &Value::Null)["resultId"].clone();
    client.permit_clearing(URI);
    client.send_bytes(frame("{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/didChange\"}"));
    client.shown_message();
    assert_eq!(pulled(&pull(&mut client, &id)), [""; 0]);
    client.change(URI, &[Change::full("[1,]")]);
    assert_eq!(pulled(&pull(&mut client, &id)).len(), 1);
    client.change_settings(ours(json!({"diagnostics": {"pull": true, "enable": false}})));
    client.wait_for("the request to ask anew", |client| client.refreshes().len() == 2);
    assert_eq!(pulled(&pull(&mut client, &id)), [""; 0]);
}
