//! What is typed into a long document may change what all the text behind it
//! means. The server breaks such an update off and has another thread take it
//! up; what it finds must be what a whole pass finds.

use serde_json::{Value, json};

use crate::client::Client;
use crate::client::document::Change;

const URI: &str = "file:///p/a.json";
/// Under this one the same text is opened, so that all of it is read.
const AFRESH: &str = "file:///p/b.json";

/// The server keeps a text in segments of so many bytes, and breaks an update
/// off when it has come through 64 of them, on any machine.
const SEGMENT: usize = 32 * 1024;
/// The place in the middle has segments before it that stay as they are.
const BEFORE_MIDDLE: usize = 3 * SEGMENT;
/// Enough lies behind the place in the middle for an update to be broken off.
const LENGTH: usize = BEFORE_MIDDLE + 67 * SEGMENT;

/// A long document, and the lines in its middle and at its end at which
/// elements begin.
///
/// Elements go over several lines, so that a line comment breaks the first of
/// them. What a quote or `/*` begins goes on to the end of the document: no
/// string holds a quote or a comment, no comment holds a quote, and no `*/` is
/// anywhere. There are edits in every segment, so that none of them can be left
/// out.
fn document() -> (String, usize, usize) {
    // Few characters to count for so many bytes.
    let name = "日".repeat(1000);
    let mut text = "[\n".to_owned();
    let mut line = 1;
    let mut grow_to = |length| {
        while text.len() < length {
            let repairable = if line % 24 == 1 { ", // é 😀" } else { "" };
            text += &format!("{{\"line\": {line}, \"name\": \"😀{name}\", \"of\": [1, -2.5e3, {{\n");
            text += &format!("\"is\": [true, null{repairable}\n]}}, \"\\\\ é\"]}},\n");
            line += 3;
        }
        line
    };
    let (middle, end) = (grow_to(BEFORE_MIDDLE), grow_to(LENGTH));
    text += "null]\n";
    (text, middle, end)
}

/// The diagnostics, whatever the document's name is.
#[track_caller]
fn diagnostics(client: &mut Client, uri: &str) -> String {
    Value::from(client.diagnostics(uri)).to_string().replace(uri, "")
}

/// What is found in the document is what is found in its text when that is
/// opened.
#[track_caller]
fn check(client: &mut Client, about: &str) {
    // It answers what `jsonRepair.report` does but for the text, which is as long
    // as the document and follows from the edits.
    let repair =
        |client: &mut Client, uri: &str| client.execute_command("jsonRepair.apply", json!([{"uri": uri}]));
    let found = (diagnostics(client, URI), repair(client, URI));
    let (text, version) = (client.text(URI), client.version(URI));
    client.open_version(AFRESH, "json", version, &text);
    let expected = (diagnostics(client, AFRESH), repair(client, AFRESH));
    client.close(AFRESH);
    assert_eq!(found.0, expected.0, "{about}");
    // What an edit removes may be as long as the document, and is not shown.
    assert!(found.1 == expected.1, "{about}: the repair is another one");
}

#[test]
fn an_update_that_is_broken_off_comes_to_what_a_whole_pass_finds() {
    const OTHER: &str = "[1,], ";
    let (text, middle, end) = document();
    let mut client = Client::start();
    // Of a repair only the answer is wanted.
    client.refuse_edits();
    client.permit_log_messages();
    client.open(URI, "json", &text);
    let untouched = diagnostics(&mut client, URI);

    let insert = |line: usize, character: usize, text: &str| {
        let end = character + text.len();
        let inserted = Change::replace(&format!("{line}:{character}"), text);
        (inserted, Change::replace(&format!("{line}:{character}-{line}:{end}"), ""))
    };
    // What else is changed before anything of the former change is awaited:
    // nothing, what the update has not come to yet, what lies before it.
    let others = [None, Some(insert(end, 0, OTHER)), Some(insert(0, 1, OTHER))];
    let pieces = ["\"", "/*", "//", "[", "tru"];
    for (first_other, line) in [(0, 1), (1, middle)] {
        for (other, piece) in others.iter().cycle().skip(first_other).zip(pieces) {
            let about = format!("{piece:?} at {line}:0, then {other:?}");
            let (typed, taken_back) = insert(line, 0, piece);
            client.change(URI, &[typed]);
            if let Some((inserted, _)) = other {
                client.change(URI, std::slice::from_ref(inserted));
            }
            check(&mut client, &about);
            assert_ne!(diagnostics(&mut client, URI), untouched, "{about}: nothing to take up");

            client.change(URI, &[taken_back]);
            if let Some((_, removed)) = other {
                client.change(URI, std::slice::from_ref(removed));
            }
            assert_eq!(diagnostics(&mut client, URI), untouched, "{about}, taken back");
        }
    }
}
