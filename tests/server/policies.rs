//! What a document's language id and name make of the rules.

use serde_json::{Value, json};

use crate::client::{Client, summaries, titled, titles};

/// Opens each text and compares its diagnostics' summaries.
#[track_caller]
fn check(uri: &str, language_id: &str, rows: &[(&str, &[&str])]) {
    let mut client = Client::start();
    for (text, expected) in rows {
        let mut found = summaries(&client.open(uri, language_id, text));
        found.sort();
        assert_eq!(found, *expected, "{text:?}");
        client.close(uri);
    }
}

/// What fix-all makes of a document; `None` where it offers nothing.
#[track_caller]
fn check_fix_all(uri: &str, language_id: &str, rows: &[(&str, Option<&str>)]) {
    let mut client = Client::start();
    for (text, expected) in rows {
        client.open(uri, language_id, text);
        let action = client.fix_all(uri);
        let result = action.map(|action| client.apply(uri, &action));
        assert_eq!(result.as_deref(), *expected, "{text:?}");
        assert_eq!(client.fix_all(uri), None, "{text:?}");
        client.close(uri);
    }
}

#[test]
fn jsonc_allows_comments_and_trailing_commas() {
    check(
        "file:///p/a",
        "jsonc",
        &[
            ("{ // c\n\"a\":1,}", &[]),
            ("/* 1 */ [1, /* 2 */ 2, // 3\n] // 4", &[]),
            ("[[1,],{\"a\":2,},]\n", &[]),
            ("/**/{}", &[]),
            ("// c\r[1]", &[]),
            ("[1, // c\u{2028}2]\n]", &[]),
        ],
    );
}

#[test]
fn in_jsonc_a_comment_is_a_blank() {
    check(
        "file:///p/a",
        "jsonc",
        &[
            ("[1/**/2]", &["0:6-0:7 error unexpected_character"]),
            ("1 // c\n2", &["1:0-1:1 error trailing_content"]),
        ],
    );
    let mut client = Client::start();
    let diagnostics = summaries(&client.open("file:///p/a", "jsonc", "[tr/**/ue]"));
    assert_eq!(diagnostics.len(), 1);
    // What was being read is over where the comment begins.
    assert!(diagnostics[0].starts_with("0:3-"), "{diagnostics:?}");
    assert!(diagnostics[0].ends_with("invalid_literal"), "{diagnostics:?}");
}

#[test]
fn in_jsonc_a_comma_closes_after_a_value_only() {
    check(
        "file:///p/a",
        "jsonc",
        &[
            ("[,]", &["0:1-0:2 error unexpected_character"]),
            ("{,}", &["0:1-0:2 error unexpected_character"]),
            ("[1,,]", &["0:3-0:4 error unexpected_character"]),
            ("{\"a\":,}", &["0:5-0:6 error unexpected_character"]),
            ("1,", &["0:1-0:2 error trailing_content"]),
        ],
    );
}

#[test]
fn in_jsonc_an_unterminated_comment_is_an_error_at_its_place() {
    let mut client = Client::start();
    let uri = "file:///p/a";
    for (text, place) in
        [("{} /* x", "0:3"), ("[1, /* x ]", "0:4"), ("[1,\n2 /* x\n]", "1:2"), ("/*/", "0:0")]
    {
        let diagnostics = summaries(&client.open(uri, "jsonc", text));
        assert_eq!(diagnostics.len(), 1, "{text:?}: {diagnostics:?}");
        assert!(diagnostics[0].starts_with(&format!("{place}-")), "{text:?}: {diagnostics:?}");
        // Nothing is ever closed over it. To delete it is doubtful, as it may
        // take a whole document with it: who offers that must say so.
        let whole = client.whole(uri);
        let actions = client.code_actions_in(uri, whole, &json!({"triggerKind": 1}));
        let offered: Vec<&str> = titles(&actions)
            .into_iter()
            .filter(|title| !title.starts_with("Convert to strict JSON"))
            .collect();
        assert_eq!(offered, [""; 0], "{text:?}");
        assert!(
            !titles(&actions).contains(&"Convert to strict JSON"),
            "{text:?}: nothing says what is doubtful"
        );
        assert_eq!(client.report(uri)["edits"], json!([]), "{text:?}");
        assert_eq!(client.report(uri)["valid_json"], false, "{text:?}");
        client.close(uri);
    }
}

#[test]
fn jsonc_is_closed() {
    check(
        "file:///p/a",
        "jsonc",
        &[
            ("{\"a\": [1, // c\n2", &["1:0-1:1 error close_truncated"]),
            ("{\"a\": \"cut\n", &["0:6-0:10 error close_truncated"]),
        ],
    );
    check_fix_all(
        "file:///p/a",
        "jsonc",
        &[
            ("{\"a\": [1, // c\n2", Some("{\"a\": [1, // c\n2]}")),
            ("{\"a\": \"cut\n", Some("{\"a\": \"cut\"}\n")),
            ("{\"a\": \"cut // no comment\n", Some("{\"a\": \"cut // no comment\"}\n")),
            // A dangling comma is an allowed one once the text is closed.
            ("[1,", Some("[1,]")),
            ("[1, /* c */\n", Some("[1, /* c */]\n")),
        ],
    );
}

#[test]
fn in_jsonc_closers_never_fall_into_a_comment() {
    check_fix_all(
        "file:///p/a",
        "jsonc",
        &[
            ("[1 // c", Some("[1 // c\n]")),
            ("[1 // c\n", Some("[1 // c\n]\n")),
            ("[1 // c\r\n", Some("[1 // c\r\n]\r\n")),
            ("[1 // c\r", Some("[1 // c\r]\r")),
            ("{\r\n\"a\": [1 // c", Some("{\r\n\"a\": [1 // c\r\n]}")),
            ("{\r\"a\": [1 // c", Some("{\r\"a\": [1 // c\r]}")),
            ("{\n\"a\": [1, // c", Some("{\n\"a\": [1, // c\n]}")),
            ("[1 // c\n // d\n\n", Some("[1 // c\n // d\n]\n\n")),
        ],
    );
    let mut client = Client::start();
    client.open("file:///p/a", "jsonc", "{\"a\": [1 // c\r\n");
    let actions = client.code_actions("file:///p/a", "0:0-0:13");
    let is_closing =
        |action: &&Value| action["title"].as_str().unwrap_or_default().starts_with("Close truncated");
    let action = actions.iter().find(is_closing).expect("closing");
    assert_eq!(client.apply("file:///p/a", action), "{\"a\": [1 // c\r\n]}\r\n");
    assert_eq!(client.diagnostics("file:///p/a").len(), 0);
}

#[test]
fn in_jsonc_a_comment_is_no_token() {
    check(
        "file:///p/a",
        "jsonc",
        &[
            ("[1 // c", &["0:1-0:2 error close_truncated"]),
            ("[1\n/* c */ // d\n", &["0:1-0:2 error close_truncated"]),
            ("[1, /* c */", &["0:2-0:3 error close_truncated"]),
            ("{\"a\": // c\n", &["0:4-0:5 error close_truncated", "0:4-0:5 error unexpected_character"]),
            ("tru /* c */", &["0:3-0:4 error invalid_literal"]),
        ],
    );
}

#[test]
fn in_jsonc_the_error_is_about_the_text_with_its_comments() {
    let mut client = Client::start();
    for (text, offset) in [("/* 😀 */[1 2]", 11), ("[1,] // c\n[", 10), ("{\"a\": [1,, // c\n2", 9)] {
        let diagnostics = client.open("file:///p/a", "jsonc", text);
        let error = diagnostics.iter().find(|diagnostic| !diagnostic["data"].is_null());
        assert_eq!(error.expect("an error")["data"]["offset"], offset, "{text:?}");
        assert_eq!(client.report("file:///p/a")["json_error"]["offset"], offset, "{text:?}");
        client.close("file:///p/a");
    }
}

#[test]
fn convert_to_strict_json_offers_what_is_allowed() {
    let mut client = Client::start();
    let uri = "file:///p/a";
    for (text, expected) in [
        ("{ // c\n\"a\":1,}", "{ \n\"a\":1}"),
        ("[1,]", "[1]"),
        ("/* 😀 */ [[1,], /* b */ 2] // 😀\r\n", " [[1],  2] \r\n"),
    ] {
        client.open(uri, "jsonc", text);
        let actions = client.code_actions_only(uri, &["refactor"]);
        let action = titled(&actions, "Convert to strict JSON");
        assert_eq!(action["kind"], "refactor.rewrite");
        assert_eq!(client.apply(uri, action), expected, "{text:?}");
        // Once it is strict there is nothing to convert.
        let actions = client.code_actions_only(uri, &["refactor"]);
        assert_eq!(titles(&actions), [""; 0], "{expected:?}");
        client.close(uri);
    }
    // What is an error in json is repaired there, not converted.
    client.open("file:///p/a.json", "json", "[1,] // c");
    assert_eq!(client.code_actions_only("file:///p/a.json", &["refactor"]), [json!(null); 0]);
}

#[test]
fn the_name_says_what_the_language_id_does_not() {
    let mut client = Client::start();
    for uri in [
        "file:///p/tsconfig.json",
        "file:///p/tsconfig.base.json",
        "file:///p/jsconfig.json",
        "file:///p/.eslintrc",
        "file:///p/.eslintrc.json",
        "file:///p/.babelrc",
        "file:///p/.babelrc.json",
        "file:///p/.swcrc",
        "file:///p/.jshintrc",
        "file:///p/tslint.json",
        "file:///p/devcontainer.json",
        "file:///p/.devcontainer.json",
        "file:///p/api-extractor.json",
        "file:///p/language-configuration.json",
        "file:///p/deno.json",
        "file:///p/deno.jsonc",
        "file:///p/.vscode/settings.json",
        "file:///p/my.code-workspace",
        "file:///p/my.code-snippets",
        "file:///p/.luarc.json",
        "file:///p/any.jsonc",
        // As VS Code writes it on Windows.
        "file:///c%3A/p/%2Evscode/tasks.json",
    ] {
        for language_id in ["json", "jsonc", "plaintext"] {
            assert_eq!(
                client.open(uri, language_id, "{\"a\": [1,]} // c").len(),
                0,
                "{uri} as {language_id}"
            );
            client.close(uri);
        }
    }
    for uri in [
        "file:///p/package.json",
        "file:///p/my-tsconfig.jso.json",
        "file:///p/vscode/settings.json",
        "file:///p/tsconfig.json/a.json",
        "untitled:Untitled-1",
    ] {
        assert_eq!(client.open(uri, "json", "{\"a\": [1,]} // c").len(), 2, "{uri}");
    }
}

#[test]
fn an_unknown_language_id_is_json_by_its_name_alone() {
    let mut client = Client::start();
    for language_id in ["plaintext", "", "no-such-language"] {
        assert_eq!(client.open("file:///p/a.json", language_id, "[1,]").len(), 1, "{language_id:?}");
        client.close("file:///p/a.json");
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let mut client = Client::start();
    for (uri, language_id) in [
        ("file:///p/a.json5", "json5"),
        ("file:///p/a.json", "json5"),
        ("file:///p/a.hjson", "hjson"),
        ("file:///p/a.txt", "plaintext"),
        ("file:///p/a", "yaml"),
    ] {
        client.open_silent(uri, language_id, "{'a': [1,], // c\n");
        let whole = client.whole(uri);
        let actions = client.code_actions_in(uri, whole, &json!({"triggerKind": 1}));
        assert_eq!(titles(&actions), [""; 0], "{uri} as {language_id}");
        assert_eq!(client.fix_all(uri), None, "{uri} as {language_id}");
        assert_eq!(client.formatting(uri), [], "{uri} as {language_id}");
    }
    client.barrier();
}

#[test]
fn a_document_may_change_its_language() {
    let mut client = Client::start();
    let uri = "file:///p/a.json";
    let text = "[1, // c\n]";
    assert_eq!(client.open(uri, "json", text).len(), 2);
    client.close(uri);
    assert_eq!(client.open(uri, "jsonc", text).len(), 0);
    client.close(uri);
    assert_eq!(client.open(uri, "json", text).len(), 2);
}
