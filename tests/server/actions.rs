//! Code actions: what is offered where, under which title, and what it does.

use serde_json::{Value, json};

use crate::client::document::{Change, Range, TextEdit};
use crate::client::{Client, titled, titles};

const URI: &str = "file:///p/a.json";

/// Opens a text, asks for actions at a range, finds the one whose title begins
/// so, and compares what it makes of the text. Returns the action.
#[track_caller]
fn check(language_id: &str, text: &str, range: &str, title: &str, expected: &str) -> Value {
    let mut client = Client::start();
    client.open(URI, language_id, text);
    let actions = client.code_actions(URI, range);
    let action = titled(&actions, title).clone();
    assert_eq!(client.result_of(URI, &action), expected, "{text:?} at {range}");
    client.apply(URI, &action);
    client.diagnostics(URI);
    action
}

fn is_preferred(action: &Value) -> bool {
    action["isPreferred"] == true
}

/// The codes of the diagnostics that an action is linked to.
fn linked_codes(action: &Value) -> Vec<&str> {
    let diagnostics = action["diagnostics"].as_array().into_iter().flatten();
    diagnostics.filter_map(|diagnostic| diagnostic["code"].as_str()).collect()
}

#[test]
fn each_edit_has_its_quick_fix() {
    for (text, range, title, expected, code) in [
        ("[1,]", "0:2", "Remove trailing comma", "[1]", "remove_trailing_commas"),
        ("{} // c\n", "0:5", "Remove comment", "{} \n", "remove_comments"),
        ("{/* c */}", "0:1-0:8", "Remove comment", "{}", "remove_comments"),
        (
            "[1, {\"a\": \"b",
            "0:11",
            "Close truncated JSON with `\"}]`; the string may be incomplete",
            "[1, {\"a\": \"b\"}]",
            "close_truncated",
        ),
        (
            "[[\n",
            "0:2",
            "Close truncated JSON with `]]`; the list may be incomplete",
            "[[]]\n",
            "close_truncated",
        ),
    ] {
        let action = check("json", text, range, title, expected);
        assert_eq!(action["title"], title, "nothing is doubtful about it");
        assert_eq!(action["kind"], "quickfix");
        assert!(is_preferred(&action), "{action}");
        assert_eq!(linked_codes(&action), [code]);
    }
}

#[test]
fn a_quick_fix_takes_one_edit_and_leaves_the_others() {
    check("json", "[[1,],[2,]] // c", "0:9", "Remove trailing comma", "[[1,],[2]] // c");
    check("json", "[[1,],[2,]] // c", "0:12", "Remove comment", "[[1,],[2,]] ");
    check("json", "[[1,],[2", "0:8", "Close truncated JSON with `]]`", "[[1,],[2]]");
}

#[test]
fn a_range_touches_with_both_ends() {
    let mut client = Client::start();
    let text = "[1 , 2 , ] // c";
    client.open(URI, "json", text);
    for (range, expected) in [
        ("0:2-0:3", None),
        ("0:6", None),
        ("0:7", Some("Remove trailing comma")),
        ("0:8", Some("Remove trailing comma")),
        ("0:0-0:7", Some("Remove trailing comma")),
        ("0:8-0:10", Some("Remove trailing comma")),
        ("0:9", None),
        ("0:11", Some("Remove comment")),
        ("0:15", Some("Remove comment")),
        ("9:9", Some("Remove comment")),
    ] {
        let actions = client.code_actions(URI, range);
        let singles: Vec<&str> =
            titles(&actions).into_iter().filter(|title| title.starts_with("Remove ")).collect();
        assert_eq!(singles, Vec::from_iter(expected), "{range}");
        if expected.is_none() {
            assert_eq!(titles(&actions), [""; 0], "{range}");
        }
    }
    let both = client.code_actions(URI, "0:8-0:11");
    titled(&both, "Remove trailing comma");
    titled(&both, "Remove comment");
}

#[test]
fn closing_is_offered_at_the_end_and_at_the_last_token() {
    let mut client = Client::start();
    client.open(URI, "json", "[1, 234   ");
    for (range, is_offered) in
        [("0:3", false), ("0:4", true), ("0:6", true), ("0:7", true), ("0:8", false), ("0:10", true)]
    {
        let actions = client.code_actions(URI, range);
        let offered = titles(&actions).contains(&"Close truncated JSON with `]`; the list may be incomplete");
        assert_eq!(offered, is_offered, "{range}: {:?}", titles(&actions));
    }
}

#[test]
fn closing_takes_what_would_keep_it_from_being_closed() {
    for (text, range, expected) in [
        ("[1,", "0:1", "[1]"),
        ("[1, ", "0:1", "[1 ]"),
        ("[1 // c", "0:1", "[1 ]"),
        ("[1, // c\n", "0:1", "[1 ]\n"),
        ("[1, /* c */", "0:1", "[1 /* c */]"),
        ("[1, /* c */ // d", "0:1", "[1 /* c */ ]"),
        ("[[1,], 2,", "0:7", "[[1,], 2]"),
        ("[1, // c\r\n2 // d", "1:0", "[1, // c\r\n2 ]"),
    ] {
        let action = check("json", text, range, "Close truncated JSON with `", expected);
        assert!(linked_codes(&action).contains(&"close_truncated"), "{action}");
    }
}

#[test]
fn a_quick_fix_removes_its_own_diagnostic() {
    for text in [
        "[1,]",
        "{\"a\": [1, 2,], // two\n\"b\": [1,\n/* three */ ], \"c\": \"cut",
        "[1, // c\n",
        "[\"a\", /* b */ // c",
        "{\"a\": {\"b\": [1, 2",
    ] {
        let mut client = Client::start();
        for index in 0.. {
            let before = client.open(URI, "json", text);
            let whole = client.whole(URI);
            let actions = client.code_actions_in(URI, whole, &json!({"triggerKind": 1}));
            let Some(action) = actions.iter().filter(|action| is_single(action)).nth(index) else {
                assert!(index > 0, "{text:?} has a quick fix");
                break;
            };
            let [code] = linked_codes(action)[..] else { panic!("linked to one diagnostic: {action}") };
            let count = |diagnostics: &[Value]| {
                diagnostics.iter().filter(|diagnostic| diagnostic["code"] == code).count()
            };
            client.apply(URI, action);
            let after = client.diagnostics(URI);
            assert_eq!(count(&after), count(&before) - 1, "{action} on {text:?}");
            client.close(URI);
        }
    }
}

fn is_single(action: &Value) -> bool {
    let title = action["title"].as_str().unwrap_or_default();
    ["Remove trailing comma", "Remove comment", "Close truncated JSON"]
        .iter()
        .any(|beginning| title.starts_with(beginning))
}

#[test]
fn what_is_doubtful_says_so_and_is_not_preferred() {
    for (text, range, title, expected) in [
        // Someone may just be typing it above a document.
        ("/* {\"a\": 1}", "0:0", "Remove comment", ""),
        ("{} /*", "0:3", "Remove comment", "{} "),
        // It joins two tokens.
        ("[1/**/2]", "0:3", "Remove comment", "[12]"),
        ("[tr/* c */ue]", "0:5", "Remove comment", "[true]"),
        ("[1/**//**/2]", "0:3", "Remove comment", "[1/**/2]"),
        // A value may be missing.
        ("[1,,]", "0:4", "Remove trailing comma", "[1,]"),
        ("[1, /* c */ , ]", "0:12", "Remove trailing comma", "[1, /* c */  ]"),
        ("[,]", "0:1", "Remove trailing comma", "[]"),
        ("{ , }", "0:2", "Remove trailing comma", "{  }"),
        // A quote may be missing.
        ("{\"a\": [1, \"b]}", "0:14", "Close truncated JSON with `\"]}`", "{\"a\": [1, \"b]}\"]}"),
    ] {
        let mut client = Client::start();
        client.open(URI, "json", text);
        let actions = client.code_actions(URI, range);
        let mut singles = actions.iter().filter(|action| is_single(action) && !is_preferred(action));
        let Some(action) =
            singles.find(|action| action["title"].as_str().unwrap_or_default().starts_with(title))
        else {
            panic!("no doubtful {title:?} for {text:?}: {:?}", titles(&actions));
        };
        assert_ne!(action["title"], title, "the title must say what is doubtful");
        assert_eq!(client.result_of(URI, action), expected, "{text:?}");
        assert_eq!(client.fix_all(URI), None, "{text:?} is not repaired unasked");
    }
}

#[test]
fn closing_says_if_the_result_is_still_not_valid() {
    let mut client = Client::start();
    let still = " (still not valid)";
    let bracket = "the string holds a bracket: its closing quote may be missing elsewhere";
    for (language_id, text, caveats) in [
        ("json", "[1,", ""),
        ("json", "[1 // c", ""),
        // What no edit repairs is left.
        ("json", "[1 2", still),
        ("json", "{\"a\":", still),
        // What other edits repair is.
        ("json", "[[1,], 2", still),
        ("json", "[1, /* c */ // d", still),
        ("json", "[[1,], \"b]", &format!(" (doubtful: {bracket}, still not valid)")),
        ("json", "[1, \"b]", &format!(" (doubtful: {bracket})")),
        // Nothing is left that is not allowed.
        ("jsonc", "[[1,], /* c */ 2", ""),
        ("jsonc", "[[1,], /* c */ 2 3", still),
        // Other lines are other texts.
        ("jsonl", "[1 2]\n[1,]\n[1", ""),
        ("jsonl", "[1]\n[1 2", still),
    ] {
        client.open(URI, language_id, text);
        let end = client.whole(URI).end;
        let actions = client.code_actions_in(URI, Range { start: end, end }, &json!({"triggerKind": 1}));
        let action = titled(&actions, "Close truncated JSON");
        let title = action["title"].as_str().expect("a title");
        let (_, found) = title.split_once(" may be incomplete").expect("what may be incomplete");
        assert_eq!(found, caveats, "{text:?}");
        // It is true.
        client.apply(URI, action);
        let diagnostics = client.diagnostics(URI);
        let is_valid = diagnostics.iter().all(|found| found["range"]["start"]["line"] != end.line);
        assert_eq!(is_valid, !caveats.contains("still"), "{text:?}: {diagnostics:?}");
        client.close(URI);
    }
}

#[test]
fn what_only_looks_doubtful_is_preferred() {
    for (text, range, title) in [
        ("[1 /**/,2]", "0:4", "Remove comment"),
        ("[1/**/, 2]", "0:4", "Remove comment"),
        ("[\"a\"/**/]", "0:5", "Remove comment"),
        ("[[1],]", "0:5", "Remove trailing comma"),
        ("[{},\n// c\n]", "0:4", "Remove trailing comma"),
        ("[\"a b", "0:5", "Close truncated JSON with `\"]`; the string may be incomplete"),
        ("[\"}]\", \"a", "0:8", "Close truncated JSON with `\"]`; the string may be incomplete"),
    ] {
        let mut client = Client::start();
        client.open(URI, "json", text);
        let actions = client.code_actions(URI, range);
        let action = titled(&actions, title);
        assert_eq!(action["title"], title);
        assert!(is_preferred(action), "{text:?}: {action}");
    }
}

#[test]
fn all_of_a_kind_at_once() {
    let text = "[[1,], // a\n{\"b\": [2,],}, /* b */ 3] // c\n";
    let all_commas = "[[1], // a\n{\"b\": [2]}, /* b */ 3] // c\n";
    let all_comments = "[[1,], \n{\"b\": [2,],},  3] \n";
    let repaired = "[[1], \n{\"b\": [2]},  3] \n";
    let action = check("json", text, "0:3", "Remove all 3 trailing commas", all_commas);
    assert_eq!(action["kind"], "quickfix");
    let action = check("json", text, "0:8", "Remove all 3 comments", all_comments);
    assert_eq!(action["kind"], "quickfix");
    for range in ["0:3", "0:8", "1:8"] {
        let action = check("json", text, range, "Repair JSON: 6 edits", repaired);
        assert_eq!(action["kind"], "quickfix");
    }
}

#[test]
fn one_of_a_kind_is_not_all_of_them() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,] // c");
    let actions = client.code_actions(URI, "0:0-0:9");
    assert!(!titles(&actions).iter().any(|title| title.starts_with("Remove all")), "{:?}", titles(&actions));
    titled(&actions, "Repair JSON: 2 edits");
}

#[test]
fn the_whole_repair_is_offered_at_an_error_too_valid_or_not() {
    let text = "[[1,], 2 3, // c\n4";
    check("json", text, "0:9", "Repair JSON: 3 edits", "[[1], 2 3, \n4]");
}

#[test]
fn touching_edits_are_one_text_edit_and_two_in_the_title() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,");
    let actions = client.code_actions(URI, "0:2");
    let action = titled(&actions, "Repair JSON: 2 edits");
    let merged = TextEdit { range: Range::parse("0:2-0:3"), new_text: "]".to_owned() };
    assert_eq!(client.edits_of(URI, action), [merged]);
    client.close(URI);

    client.open(URI, "json", "[1,// c\n/* d *//* e */,]// f");
    let actions = client.code_actions(URI, "0:3");
    let action = titled(&actions, "Repair JSON: 5 edits");
    // The client's applier fails on edits that touch.
    assert_eq!(client.result_of(URI, action), "[1,\n]");
}

#[test]
fn nothing_of_ours_nothing_offered() {
    let mut client = Client::start();
    for text in ["{\"a\": [1, 2]}\n", "", "\n", "[1 2]", "{'a': 1}", "nul"] {
        client.open(URI, "json", text);
        let whole = client.whole(URI);
        let actions = client.code_actions_in(URI, whole, &json!({"triggerKind": 1}));
        assert_eq!(titles(&actions), [""; 0], "{text:?}");
        client.close(URI);
    }
}

#[test]
fn kinds_are_asked_for_by_prefix() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,] // c");
    for (only, expected) in [
        (&["quickfix"][..], &["quickfix"][..]),
        (&["source"], &["source.fixAll.jsonRepair"]),
        (&["source.fixAll"], &["source.fixAll.jsonRepair"]),
        (&["source.fixAll.jsonRepair"], &["source.fixAll.jsonRepair"]),
        (&["source.fixAll.eslint", "source.fixAll.jsonRepair"], &["source.fixAll.jsonRepair"]),
        (&["quickfix", "source.fixAll"], &["quickfix", "source.fixAll.jsonRepair"]),
        (&["source.organizeImports"], &[]),
        (&["source.fixAll.eslint"], &[]),
        (&["source.fixAll.json"], &[]),
        (&["source.fixAll.jsonRepair.more"], &[]),
        (&["quick"], &[]),
        (&["refactor"], &[]),
    ] {
        let actions = client.code_actions_only(URI, only);
        let mut kinds: Vec<&str> = actions.iter().filter_map(|action| action["kind"].as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds, expected, "{only:?}");
    }
    // Source actions come only to who asks for them.
    let actions = client.code_actions(URI, "0:0-0:9");
    let is_source = |action: &Value| action["kind"].as_str().unwrap_or_default().starts_with("source");
    assert!(!actions.iter().any(is_source), "{actions:?}");
}

#[test]
fn a_client_without_document_changes_gets_changes() {
    let mut client = Client::builder().without("/workspace/workspaceEdit/documentChanges").start();
    client.open(URI, "json", "[[1,],[2,]] // c");
    let actions = client.code_actions(URI, "0:3");
    // The client looks at the shape of each.
    for (title, expected) in [
        ("Remove trailing comma", "[[1],[2,]] // c"),
        ("Remove all 2 trailing commas", "[[1],[2]] // c"),
        ("Repair JSON: 3 edits", "[[1],[2]] "),
    ] {
        let action = titled(&actions, title);
        assert!(action["edit"]["changes"][URI].is_array(), "{action}");
        assert_eq!(client.result_of(URI, action), expected);
    }
}

fn trailing_commas(count: usize) -> String {
    format!("[{}\n]", vec!["\n[\"😀\",]"; count].join(","))
}

#[test]
fn a_large_action_is_resolved() {
    let mut client = Client::start();
    for (count, is_resolved_later) in [(200, false), (201, true)] {
        let text = trailing_commas(count);
        client.open(URI, "json", &text);
        let actions = client.code_actions(URI, "1:6");
        for title in [format!("Repair JSON: {count} edits"), format!("Remove all {count} trailing commas")] {
            let action = titled(&actions, &title);
            assert_eq!(action.get("edit").is_none(), is_resolved_later, "{title}");
            assert_eq!(client.result_of(URI, action), text.replace(",]", "]"));
        }
        let action = client.fix_all(URI).expect("a fix-all");
        assert_eq!(action.get("edit").is_none(), is_resolved_later);
        assert_eq!(client.result_of(URI, &action), text.replace(",]", "]"));
        // A small one is not, whatever stands beside it.
        assert!(titled(&actions, "Remove trailing comma").get("edit").is_some());
        client.close(URI);
    }
}

#[test]
fn a_large_action_of_a_document_that_moved_on_is_refused() {
    let mut client = Client::start();
    client.open(URI, "json", &trailing_commas(201));
    let action = client.fix_all(URI).expect("a fix-all");
    assert!(action.get("edit").is_none());
    client.change(URI, &[Change::replace("1:0", " ")]);
    assert_eq!(client.request_error("codeAction/resolve", action.clone()).code, -32801);

    // The same version of a document that was closed and opened again is not
    // the same document.
    client.close(URI);
    assert!(client.request_error("codeAction/resolve", action.clone()).code < 0);
    client.open(URI, "json", "[1,]");
    assert_eq!(client.request_error("codeAction/resolve", action).code, -32801);
}

#[test]
fn a_client_that_cannot_resolve_gets_everything_at_once() {
    let text = trailing_commas(201);
    for pointer in ["/textDocument/codeAction/resolveSupport", "/textDocument/codeAction/dataSupport"] {
        let mut client = Client::builder().without(pointer).start();
        client.open(URI, "json", &text);
        let action = client.fix_all(URI).expect("a fix-all");
        assert!(action.get("edit").is_some(), "without {pointer}");
        assert_eq!(client.result_of(URI, &action), text.replace(",]", "]"));
    }
    let support = json!({"properties": ["command", "tooltip"]});
    let mut client = Client::builder().with("/textDocument/codeAction/resolveSupport", support).start();
    client.open(URI, "json", &text);
    assert!(client.fix_all(URI).expect("a fix-all").get("edit").is_some());
}

#[test]
fn nothing_is_computed_from_what_the_client_echoes() {
    let mut client = Client::start();
    client.open(URI, "json", "[1, 2,]");
    let range = Range::parse("0:0-0:7");
    let expected = client.code_actions_in(URI, range, &json!({"triggerKind": 1}));
    let lie = json!({
        "range": Range::parse("0:2-0:3").to_json(),
        "severity": 1,
        "source": "json-repair",
        "code": "remove_trailing_commas",
        "message": "JSON has no trailing commas",
        "data": {"edits": [{"range": Range::parse("0:0-0:7").to_json(), "newText": "null"}]},
    });
    for diagnostics in
        [json!([]), json!([lie]), json!([{"range": range.to_json(), "message": "another tool's"}])]
    {
        let context = json!({"diagnostics": diagnostics, "triggerKind": 1});
        let actions = client.code_actions_in(URI, range, &context);
        assert_eq!(actions, expected, "{diagnostics}");
        let there = client.code_actions_in(URI, Range::parse("0:2-0:3"), &context);
        assert_eq!(titles(&there), [""; 0], "{diagnostics}");
    }
}

#[test]
fn actions_are_for_the_text_of_now_with_no_diagnostics_in_between() {
    let mut client = Client::start();
    client.open(URI, "json", "[1]");
    client.change(URI, &[Change::replace("0:2", ",")]);
    let actions = client.code_actions(URI, "0:2");
    let action = titled(&actions, "Remove trailing comma");
    assert_eq!(client.apply(URI, action), "[1]");
    let actions = client.code_actions(URI, "0:0-0:3");
    assert_eq!(titles(&actions), [""; 0]);
    client.diagnostics(URI);
}

#[test]
fn what_is_not_shown_can_be_fixed_all_the_same() {
    let mut client = Client::builder().initialization_options(json!({"diagnostics": {"max": 2}})).start();
    client.open(URI, "json", "[[1,],[2,],[3,]]");
    // Its diagnostic is not among those that are published.
    let actions = client.code_actions(URI, "0:13");
    let action = titled(&actions, "Remove trailing comma");
    assert_eq!(client.result_of(URI, action), "[[1,],[2,],[3]]");
}
