//! `source.fixAll.jsonRepair`: the unasked repair, or nothing.

use serde_json::json;

use crate::client::{Client, titles};

const URI: &str = "file:///p/a.json";

/// What fix-all makes of a text; `None` where it offers nothing.
#[track_caller]
fn check(language_id: &str, rows: &[(&str, Option<&str>)]) {
    let mut client = Client::start();
    for (text, expected) in rows {
        client.open(URI, language_id, text);
        let action = client.fix_all(URI);
        let result = action.map(|action| client.apply(URI, &action));
        assert_eq!(result.as_deref(), *expected, "{text:?}");
        // Whatever it did, there is nothing left for it to do.
        assert_eq!(client.fix_all(URI), None, "{text:?}");
        if expected.is_some() {
            assert_eq!(client.diagnostics(URI).len(), 0, "{text:?}");
        }
        client.close(URI);
    }
}

#[test]
fn it_is_the_whole_repair_of_what_ends_valid() {
    check(
        "json",
        &[
            ("[1,]", Some("[1]")),
            ("{\"a\": [1, 2,], // two\n\"b\": \"cut\n", Some("{\"a\": [1, 2], \n\"b\": \"cut\"}\n")),
            ("/* 😀 */ {\"é\": [\"😀\", /* 😀 */ \"😀\",],} // 😀", Some(" {\"é\": [\"😀\",  \"😀\"]} ")),
            ("[\r\n1,\r\n]\r\n", Some("[\r\n1\r\n]\r\n")),
            ("[\r1,\r]\r", Some("[\r1\r]\r")),
        ],
    );
}

#[test]
fn it_is_nothing_where_there_is_nothing_to_do() {
    check("json", &[("[1]", None), ("{}\n", None), ("", None), ("\n", None), ("\"// c\"", None)]);
}

#[test]
fn it_never_leaves_half_a_job() {
    check(
        "json",
        &[
            ("[1, 2 3,]", None),
            ("{\"a\":", None),
            ("[True,]", None),
            ("{\"a\": [1,}", None),
            ("[1,] 2 // c", None),
        ],
    );
}

#[test]
fn it_never_makes_a_doubtful_edit_nor_the_certain_ones_beside_it() {
    check(
        "json",
        &[
            ("[1/**/2, 3,]", None),
            ("[[,], 1,]", None),
            ("[1,,]", None),
            ("[1, 2,] /* unterminated", None),
            ("/* {\"a\": 1,}", None),
            ("{\"a\": [1, \"b]}", None),
        ],
    );
}

#[test]
fn what_is_allowed_stays() {
    check(
        "jsonc",
        &[
            ("{\"a\": 1, /* c */} // d", None),
            ("{\"a\": [1, // c\n2", Some("{\"a\": [1, // c\n2]}")),
            ("{\"a\": \"cut\n", Some("{\"a\": \"cut\"}\n")),
            ("[1,]", None),
        ],
    );
}

#[test]
fn an_editor_that_asks_by_itself_for_any_fix_all_deletes_no_comment() {
    const INVOKED: u32 = 1;
    const AUTOMATIC: u32 = 2;
    let mut client = Client::start();
    for (only, trigger_kind, of_comment, of_comma) in [
        (&["source"][..], AUTOMATIC, false, true),
        (&["source.fixAll"], AUTOMATIC, false, true),
        (&["source.fixAll", "source.organizeImports"], AUTOMATIC, false, true),
        (&["source.fixAll.jsonRepair"], AUTOMATIC, true, true),
        (&["source.fixAll", "source.fixAll.jsonRepair"], AUTOMATIC, true, true),
        (&["source"], INVOKED, true, true),
        (&["source.fixAll"], INVOKED, true, true),
        (&["source.fixAll.jsonRepair"], INVOKED, true, true),
    ] {
        for (text, is_offered) in
            [("[1,] // c", of_comment), ("[1, /* c */ 2", of_comment), ("[[1,], 2", of_comma)]
        {
            client.open(URI, "json", text);
            let whole = client.whole(URI);
            let context = json!({"only": only, "triggerKind": trigger_kind});
            let actions = client.code_actions_in(URI, whole, &context);
            assert_eq!(actions.len(), usize::from(is_offered), "{text:?} {context}: {:?}", titles(&actions));
            client.close(URI);
        }
    }
    // Nobody said who asks: the protocol's clients before 3.17 do not say.
    client.open(URI, "json", "[1,] // c");
    let whole = client.whole(URI);
    let actions = client.code_actions_in(URI, whole, &json!({"only": ["source.fixAll"]}));
    assert_eq!(actions.len(), 1);
}

#[test]
fn its_range_does_not_matter() {
    let mut client = Client::start();
    client.open(URI, "json", "[\n1,\n]");
    for range in ["0:0", "1:1", "2:1", "9:9", "0:0-2:1"] {
        let range = crate::client::document::Range::parse(range);
        let actions = client.code_actions_in(URI, range, &json!({"only": ["source.fixAll.jsonRepair"]}));
        assert_eq!(actions.len(), 1, "{range}");
    }
}
