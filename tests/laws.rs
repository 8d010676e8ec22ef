//! What holds for every text and every set of rules.
//!
//! Each law is held against random texts from a nasty alphabet, random documents that are then
//! damaged, every prefix of the fixtures and every fixture with one character missing. The first
//! law is that the engine agrees with the naive implementation in `naive/mod.rs`; the others do not
//! trust that one either.
//!
//! `PROPTEST_CASES` sets the number of random cases of each test.
#![allow(clippy::expect_used, reason = "the panic of a test is its answer, in its helpers too")]

mod naive;
mod vectors;

use json_repair_lsp::contract::{Request, Response, execute};
use json_repair_lsp::repair::{JsonErrorCode, Origin, Policy, Repair, Rule, RuleSet, repair};
use naive::Rules;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::de::IgnoredAny;

/// Every law, for one text and every set of rules.
fn check(text: &str) {
    for rules in Rules::every_set() {
        check_with(text, rules);
    }
    for close_truncated in [false, true] {
        check_where_comments_are_allowed(text, close_truncated);
    }
}

fn check_with(text: &str, rules: Rules) {
    let rule_set: RuleSet = rules.names().into_iter().map(rule_named).collect();
    let repaired = repair(text, rule_set);
    let result = apply(&repaired, text);
    let context = || format!("{text:?} with {:?} gives {result:?}, {repaired:?}", rules.names());

    let answer = naive::repair(text, rules);
    assert_eq!(answer_of_engine(text, &result, &repaired), answer, "{}", context());
    let request = Request { text: text.to_owned(), rules: rule_set };
    let response = execute(&request).expect("a text within the limits");
    assert_eq!(answer_of_response(response), answer, "{}", context());
    check_what_is_open(text, rules, &repaired);

    assert_eq!(repaired.edits.apply(text), result, "{}", context());
    check_edits(text, rule_set, &repaired);
    check_offset_maps(text, &result, &repaired);
    check_error_is_about_what_is_before_it(&result, &repaired);
    assert_eq!(is_json_to_serde(&result), repaired.is_valid(), "{}", context());

    if repaired.is_valid() {
        assert!(repair(&result, RuleSet::ALL).edits.is_empty(), "valid, but edited again: {}", context());
    }
    if is_json_to_serde(text) {
        assert!(repaired.edits.is_empty(), "valid, but edited: {}", context());
    }
}

/// What the contract knows nothing of: a document whose language has comments and trailing commas.
fn check_where_comments_are_allowed(text: &str, close_truncated: bool) {
    let rules = if close_truncated { RuleSet::ALL } else { RuleSet::NONE };
    let repaired = repair(text, Policy::allow_comments(rules));
    let result = apply(&repaired, text);
    let context = || format!("{text:?} gives {result:?}, {repaired:?}");

    let answer = naive::repair_where_comments_are_allowed(text, close_truncated);
    assert_eq!(answer_of_engine(text, &result, &repaired), answer, "{}", context());
    assert_eq!(repaired.edits.apply(text), result, "{}", context());
    check_offset_maps(text, &result, &repaired);

    // Whatever is JSON has nothing in it that would have to be allowed.
    if is_json_to_serde(text) {
        assert!(repaired.is_valid() && repaired.edits.is_empty(), "{}", context());
    }
    // What is allowed is what "Convert to strict JSON" takes away, and nothing but that is.
    if repaired.is_valid() {
        let strict = repair(&result, RuleSet::ALL);
        assert!(strict.is_valid(), "{}, and then {strict:?}", context());
        let closes = strict.edits.iter().any(|edit| edit.rule == Rule::CloseTruncated);
        assert!(!closes, "{}, and then {strict:?}", context());
    }
}

fn rule_named(name: &str) -> Rule {
    name.parse().expect("the name of a rule")
}

/// The edits made to the text by an applier that is not the engine's: it starts from the end, where
/// no edit moves those that are still to be made.
fn apply(repaired: &Repair, text: &str) -> String {
    let mut result = text.to_owned();
    for edit in repaired.edits.iter().rev() {
        result.replace_range(edit.range.clone(), &edit.inserted);
    }
    result
}

fn answer_of_engine(text: &str, result: &str, repaired: &Repair) -> naive::Answer {
    naive::Answer {
        text: result.to_owned(),
        changed: !repaired.edits.is_empty(),
        valid_json: repaired.is_valid(),
        json_error: repaired.json_error.map(|error| naive::Error {
            code: error.code.as_str(),
            offset: utf16_length(&result[..error.offset]),
        }),
        edits: repaired
            .edits
            .iter()
            .map(|edit| naive::Edit {
                rule: edit.rule.as_str(),
                offset: utf16_length(&text[..edit.range.start]),
                removed: text[edit.range.clone()].to_owned(),
                inserted: edit.inserted.clone(),
            })
            .collect(),
    }
}

fn answer_of_response(response: Response) -> naive::Answer {
    naive::Answer {
        text: response.text,
        changed: response.changed,
        valid_json: response.valid_json,
        json_error: response.json_error.map(|error| naive::Error { code: error.code, offset: error.offset }),
        edits: response
            .edits
            .into_iter()
            .map(|edit| naive::Edit {
                rule: edit.rule,
                offset: edit.offset,
                removed: edit.removed,
                inserted: edit.inserted,
            })
            .collect(),
    }
}

fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// What the engine says of the end of the text is what the naive scan sees there.
fn check_what_is_open(text: &str, rules: Rules, repaired: &Repair) {
    let in_characters = |offset: usize| text[..offset].chars().count();
    let engine = naive::End {
        open_string: repaired.open_string.map(in_characters),
        open_brackets: match repaired.mismatch {
            None => Ok(repaired.open_brackets.iter().map(|opener| in_characters(opener.offset)).collect()),
            Some(mismatch) => Err(naive::Mismatch {
                closer: in_characters(mismatch.closer),
                opener: mismatch.opener.map(|opener| in_characters(opener.offset)),
            }),
        },
    };
    assert_eq!(engine, naive::end(text, rules), "{text:?} with {rules:?}: {repaired:?}");
}

/// Edits are sorted, disjoint, of the rules that were asked for, each one does what its rule says
/// and nothing beside it, and none of them is a no-op.
fn check_edits(text: &str, rules: RuleSet, repaired: &Repair) {
    let mut end_of_last = 0;
    for edit in &repaired.edits {
        let context = || format!("{edit:?} of {text:?}");
        assert!(edit.range.start >= end_of_last, "{}", context());
        end_of_last = edit.range.end;
        assert!(rules.contains(edit.rule), "{}", context());
        let removed = text.get(edit.range.clone()).expect("a range of whole characters");
        assert_ne!(removed, edit.inserted, "a no-op: {}", context());
        match edit.rule {
            Rule::RemoveComments => {
                assert!(removed.starts_with("//") || removed.starts_with("/*"), "{}", context());
                assert_eq!(edit.inserted, "", "{}", context());
            }
            Rule::RemoveTrailingCommas => {
                assert_eq!(removed, ",", "{}", context());
                assert_eq!(edit.inserted, "", "{}", context());
            }
            Rule::CloseTruncated => {
                assert_eq!(edit.range, text.len()..text.len(), "{}", context());
                let closers = edit.inserted.strip_prefix('"').unwrap_or(&edit.inserted);
                assert!(closers.chars().all(|closer| matches!(closer, '}' | ']')), "{}", context());
            }
        }
    }
    let inserting = repaired.edits.iter().filter(|edit| !edit.inserted.is_empty());
    assert!(inserting.count() <= 1, "{text:?}: {repaired:?}");
}

/// The maps between source and result are monotone, and inverse to each other on what is kept.
fn check_offset_maps(text: &str, result: &str, repaired: &Repair) {
    let edits = &repaired.edits;
    let context = || format!("{text:?}, {edits:?}");

    let to_result: Vec<usize> = (0..=text.len()).map(|offset| edits.to_result(offset)).collect();
    assert!(to_result.is_sorted(), "{}", context());
    assert_eq!(to_result[0], 0, "{}", context());

    // As a plain number, so that an insertion comes before what stands behind it.
    let place = |origin| match origin {
        Origin::Inserted(offset) | Origin::Source(offset) => offset,
    };
    let to_source: Vec<Origin> = (0..=result.len()).map(|offset| edits.to_source(offset)).collect();
    assert!(to_source.is_sorted_by_key(|origin| place(*origin)), "{}", context());
    assert_eq!(to_source[result.len()], Origin::Source(text.len()), "{}", context());

    let is_deleted = |offset| edits.iter().any(|edit| edit.range.contains(&offset));
    for offset in 0..text.len() {
        let mapped = to_result[offset];
        if is_deleted(offset) {
            // Where deleted text was, stands what was behind it: no byte before it moves there.
            assert_eq!(mapped, to_result[offset + 1], "{offset} in {}", context());
        } else {
            assert_eq!(text.as_bytes()[offset], result.as_bytes()[mapped], "{offset} in {}", context());
            assert_eq!(to_source[mapped], Origin::Source(offset), "{offset} in {}", context());
        }
    }
    for (offset, origin) in to_source.iter().enumerate().take(result.len()) {
        match *origin {
            Origin::Source(kept) => {
                assert!(!is_deleted(kept), "{offset} in {}", context());
                assert_eq!(to_result[kept], offset, "{offset} in {}", context());
            }
            Origin::Inserted(at) => {
                let insertion = edits.iter().find(|edit| edit.range.start == at && !edit.inserted.is_empty());
                let insertion = insertion.expect("an edit that inserts there");
                let within = offset - edits.to_result(at);
                assert_eq!(
                    result.as_bytes()[offset],
                    insertion.inserted.as_bytes()[within],
                    "{offset} in {}",
                    context()
                );
            }
        }
    }
}

/// An error is where the result goes wrong for good: what comes behind the character there changes
/// nothing, and without that character nothing is wrong yet but that the text is over.
fn check_error_is_about_what_is_before_it(result: &str, repaired: &Repair) {
    let Some(error) = repaired.json_error else {
        return;
    };
    let before = &result[..error.offset];
    if let Some(unexpected) = result[error.offset..].chars().next() {
        let with_it = format!("{before}{unexpected}");
        assert_eq!(repair(&with_it, RuleSet::NONE).json_error, Some(error), "{with_it:?} of {result:?}");
    } else {
        assert_eq!(error.code, JsonErrorCode::UnexpectedEnd, "{result:?}");
    }
    if let Some(earlier) = repair(before, RuleSet::NONE).json_error {
        assert_eq!(earlier.code, JsonErrorCode::UnexpectedEnd, "{before:?} of {result:?}");
        assert_eq!(earlier.offset, before.len(), "{before:?} of {result:?}");
    }
}

/// Whether serde_json takes the text for JSON.
///
/// It is asked to ignore the value, because only then is it a judge of RFC 8259's grammar and of
/// nothing else. When it builds a `Value` it is stricter than the grammar: it refuses escapes of
/// lone surrogates, which no `String` can hold, numbers beyond the range of `f64`, and more than 128
/// levels of nesting. When it ignores a value it reads `\u` and four digits without pairing them,
/// reads digits without computing a number, and keeps the open brackets on the heap.
fn is_json_to_serde(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[test]
fn serde_json_is_a_judge_of_the_grammar_alone() {
    for text in [r#""\ud800""#, r#"["\udc00\ud800"]"#, "1e999", "-1e-999", r#"{"a":1,"a":2}"#] {
        assert!(is_json_to_serde(text), "{text}");
    }
    assert!(is_json_to_serde(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))));
}

/// `offset` of an error is "where the text stops being the beginning of any RFC 8259 text". That is
/// a statement about all texts there are, and this takes it at its word: up to the offset, some text
/// completes it, which is found by trying; with the character there, none does.
fn check_error_is_where_no_text_can_go_on(text: &str) {
    let error = repair(text, RuleSet::NONE).json_error;
    let offset = error.map_or(text.len(), |error| error.offset);
    let before = &text[..offset];
    assert!(can_be_completed(before), "{before:?}, which is {text:?} up to {error:?}, cannot go on");
    if let Some(unexpected) = text[offset..].chars().next() {
        let with_it = format!("{before}{unexpected}");
        assert!(!can_be_completed(&with_it), "{with_it:?} can go on, but {text:?} has {error:?}");
    }
}

fn can_be_completed(text: &str) -> bool {
    // What may be missing of a token, the quote that may be missing behind it, what may be missing
    // of a member, and then the closers.
    let token_rests =
        ["", "0", "00", "000", "0000", "n", "rue", "ue", "alse", "lse", "se", "e", "ull", "ll", "l"];
    let quotes = ["", "\""];
    let member_rests = ["", ":0", "\"\":0"];
    let Ok(open) = naive::end(text, Rules::NONE).open_brackets else {
        return false;
    };
    let characters: Vec<char> = text.chars().collect();
    let closers: String =
        open.iter().rev().map(|opener| if characters[*opener] == '[' { ']' } else { '}' }).collect();
    token_rests.iter().any(|token_rest| {
        quotes.iter().any(|quote| {
            member_rests.iter().any(|member_rest| {
                is_json_to_serde(&format!("{text}{token_rest}{quote}{member_rest}{closers}"))
            })
        })
    })
}

// The random texts.

/// The number of cases is `PROPTEST_CASES` where that is set, and else what a test can afford.
///
/// No failures are written to files: a failing text is printed whole, and belongs into
/// [`HANDWRITTEN`].
fn cases(affordable: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = affordable;
    }
    config
}

/// Characters and pieces that mean something to a rule or to the grammar, or that must not.
fn nasty_piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => select(&["{", "}", "[", "]"][..]),
        4 => select(&[",", ", ", ",\r\n", ", /**/ "][..]),
        3 => Just("\""),
        3 => select(&["/", "*", "//", "/*", "*/", "/**/", "/*/"][..]),
        2 => select(&["\\", "\\u", "\\\"", "\\\\", "\\n", "\\u00", "\\u00e9", "\\ud83d", "\\uzz"][..]),
        2 => select(&[" ", "\t", "\n", "\r", "\r\n"][..]),
        2 => select(&[":", "\"\":", "\"a\""][..]),
        1 => select(&["\u{2028}", "\u{2029}", "\u{85}", "\u{a0}", "\u{feff}"][..]),
        1 => select(&["\0", "\u{b}", "\u{c}", "\u{1f}", "\u{7f}"][..]),
        1 => select(&["\u{1f600}", "\u{e9}", "e\u{301}", "\u{ffff}", "\u{10ffff}"][..]),
        1 => select(&["t", "r", "u", "e", "f", "a", "l", "s", "n", "E", "x", "b", "'"][..]),
        1 => select(&["true", "false", "null", "NaN", "True"][..]),
        1 => select(UNFINISHED),
        2 => select(&["0", "1", "9", "-", "+", ".", "e1", "0.5", "-0", "12"][..]),
    ]
}

/// Tokens that are not over, so that whatever stands behind them is an error: even a blank is.
const UNFINISHED: &[&str] = &["-", "1.", "1e", "1e-", "t", "fals", "nul", "\"", "\"\\", "\"\\u0"];

fn nasty_text() -> impl Strategy<Value = String> {
    vec(nasty_piece(), 0..40).prop_map(|pieces| pieces.concat())
}

/// A valid document as the list of its tokens, so that damage can be done between them.
fn document() -> impl Strategy<Value = Vec<&'static str>> {
    let string = || {
        select(
            &[
                r#""""#,
                r#""a""#,
                r#""// no""#,
                r#""/* no */""#,
                r#"",]""#,
                r#"",}""#,
                r#""[{""#,
                r#""\"""#,
                r#""\\""#,
                r#""\\\"""#,
                r#""\u00e9\ud83d""#,
                "\"\u{1f600}\u{2028}\u{7f}\"",
            ][..],
        )
    };
    let scalar = prop_oneof![
        select(&["0", "-0", "12", "1.5", "-3.25e+10", "1E9", "1e-999"][..]),
        select(&["true", "false", "null"][..]),
        string(),
    ];
    scalar.prop_map(|token| vec![token]).prop_recursive(4, 48, 5, move |value| {
        let array = vec(value.clone(), 0..5).prop_map(|elements| bracketed("[", elements, "]"));
        let member = (string(), value).prop_map(|(key, value)| {
            let mut member = vec![key, ":"];
            member.extend(value);
            member
        });
        let object = vec(member, 0..5).prop_map(|members| bracketed("{", members, "}"));
        prop_oneof![array, object]
    })
}

fn bracketed(opener: &'static str, items: Vec<Vec<&'static str>>, closer: &'static str) -> Vec<&'static str> {
    let mut tokens = vec![opener];
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            tokens.push(",");
        }
        tokens.extend(item);
    }
    tokens.push(closer);
    tokens
}

/// What is done to a document.
#[derive(Clone, Debug)]
enum Damage {
    /// A comment or blanks between two tokens.
    Between(Index, &'static str),
    /// A comma before a closer.
    TrailingComma(Index),
    /// A token that is not over, in the place of another.
    Unfinished(Index, &'static str),
    /// The text ends early.
    Cut(Index),
    Delete(Index),
    Duplicate(Index),
    Insert(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<Index>;
    let between = select(
        &[
            " ",
            "\n",
            "\r\n",
            "\t",
            "\r",
            "/**/",
            "/* c, } */",
            "/*/ */",
            "/***/",
            "//\n",
            "// c ] \"\n",
            "// \u{2028}\r",
            "// \u{1f600}\n",
            "/",
            "/*",
        ][..],
    );
    prop_oneof![
        8 => (index(), between).prop_map(|(at, what)| Damage::Between(at, what)),
        8 => index().prop_map(Damage::TrailingComma),
        1 => (index(), select(UNFINISHED)).prop_map(|(at, what)| Damage::Unfinished(at, what)),
        1 => index().prop_map(Damage::Cut),
        1 => index().prop_map(Damage::Delete),
        1 => index().prop_map(Damage::Duplicate),
        1 => (index(), nasty_piece()).prop_map(|(at, what)| Damage::Insert(at, what)),
    ]
}

fn damaged_document() -> impl Strategy<Value = String> {
    (document(), vec(damage(), 0..10)).prop_map(|(mut tokens, damages)| {
        // Damage that needs tokens comes first, because the rest leaves none.
        for damage in &damages {
            match damage {
                Damage::Between(at, what) => tokens.insert(at.index(tokens.len() + 1), what),
                Damage::TrailingComma(at) => {
                    let closers: Vec<usize> = tokens
                        .iter()
                        .enumerate()
                        .filter(|(_, token)| matches!(**token, "]" | "}"))
                        .map(|(index, _)| index)
                        .collect();
                    if !closers.is_empty() {
                        tokens.insert(closers[at.index(closers.len())], ",");
                    }
                }
                Damage::Unfinished(at, what) => {
                    let at = at.index(tokens.len());
                    tokens[at] = what;
                }
                Damage::Cut(_) | Damage::Delete(_) | Damage::Duplicate(_) | Damage::Insert(..) => {}
            }
        }
        let mut text: Vec<char> = tokens.concat().chars().collect();
        for damage in &damages {
            match damage {
                Damage::Insert(at, what) => {
                    let at = at.index(text.len() + 1);
                    text.splice(at..at, what.chars());
                }
                _ if text.is_empty() => {}
                Damage::Cut(at) => text.truncate(at.index(text.len())),
                Damage::Delete(at) => {
                    text.remove(at.index(text.len()));
                }
                Damage::Duplicate(at) => {
                    let at = at.index(text.len());
                    text.insert(at, text[at]);
                }
                Damage::Between(..) | Damage::TrailingComma(_) | Damage::Unfinished(..) => {}
            }
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(cases(2500))]

    #[test]
    fn every_law_holds_for_nasty_texts(text in nasty_text()) {
        check(&text);
    }
}

proptest! {
    #![proptest_config(cases(2500))]

    #[test]
    fn every_law_holds_for_damaged_documents(text in damaged_document()) {
        check(&text);
    }
}

proptest! {
    #![proptest_config(cases(700))]

    #[test]
    fn every_law_holds_for_any_text(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
        check(&text);
    }

    #[test]
    fn undamaged_documents_are_valid_and_left_alone(tokens in document()) {
        let text = tokens.concat();
        let repaired = repair(&text, RuleSet::ALL);
        prop_assert!(repaired.is_valid() && repaired.edits.is_empty(), "{:?}", repaired);
    }

    #[test]
    fn errors_are_where_no_text_can_go_on(
        nasty in nasty_text(),
        damaged in damaged_document(),
    ) {
        check_error_is_where_no_text_can_go_on(&nasty);
        check_error_is_where_no_text_can_go_on(&damaged);
    }
}

// The fixtures.

/// Small texts that have everything in them that a rule or a ruling is about.
const HANDWRITTEN: &[&str] = &[
    "{\"a\": [1, 2,], // note\n \"b\": tru",
    "[{\"id\": 1}, {\"id\": 2",
    "/*/ open */ [1, /**/ 2, /* , */ // ]\r\n,] // end",
    "[tr/**/ue, 1/* */2, /*/**//**/-/*-*/1.5e+3,\u{2028},]",
    "{\"\\u00e9\\ud83d\\uDE00\": \"\\\\\\\"\\/\\b\\f\\n\\r\\t\", \"x\": [false, null, -0.5E-7, {}],}",
    "{\"\u{1f600}\": \"\u{e9}\u{2028}//\", /* \u{1f600} */ \"k\" : [[[{\"a\": [,",
    "[\"\\u12zz\\q\\u\\\\u\", \"\\u1\\u12\", \"\u{1}\t\u{7f}\"]",
    "{\"a\":1}],{[\"b\",]}\u{feff}/",
    "\"cut \\\" // at the top, [",
    "[\"cut in an escape\\u00",
    "[1 ,\t\n , ] / / * /* ** / */ 01 -x 1.x 1e+x NaN 'a' .5 +1 0x1",
    "{\"a\" \"b\" : , : 1 } , 1",
    "[-,\n\t/* a */ \r]",
    "{\"a\": tru, // b\n // c\n}",
    "[1., /**/ //\r\n",
    "\u{feff}[]",
];

/// The fixtures' texts: handwritten, of the reports, and a sample of the contract's vectors.
fn fixtures() -> Vec<String> {
    let mut texts: Vec<String> = HANDWRITTEN.iter().map(|text| text.to_string()).collect();
    texts.extend(vectors::reports().iter().map(|vector| vector.text().to_owned()));
    let sample = vectors::contract();
    let sample = sample.iter().map(vectors::Vector::text).filter(|text| text.len() < 120);
    texts.extend(sample.step_by(40).map(str::to_owned));
    texts.sort();
    texts.dedup();
    texts
}

#[test]
fn every_law_holds_for_every_vector() {
    for vector in vectors::all() {
        check(vector.text());
    }
}

#[test]
fn every_law_holds_for_every_prefix_of_a_fixture() {
    for text in fixtures() {
        for (end, _) in text.char_indices() {
            check(&text[..end]);
            check_error_is_where_no_text_can_go_on(&text[..end]);
        }
    }
}

#[test]
fn every_law_holds_for_every_fixture_with_one_character_missing() {
    for text in fixtures() {
        for (start, character) in text.char_indices() {
            let mut text = text.clone();
            text.replace_range(start..start + character.len_utf8(), "");
            check(&text);
        }
    }
}

// The small texts, all of them.

/// A text for every state that either automaton can be in, so that each character is tried in each.
const STATES: &[&str] = &[
    "",
    "[",
    "{",
    "[1",
    "[1 ",
    "[1,",
    "{\"a",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "[]",
    "{} ",
    "]",
    "\"",
    "\"\\",
    "\"\\u",
    "\"\\u0",
    "\"\\u00e9",
    "\"\\uz",
    "-",
    "0",
    "-0",
    "1",
    "1.",
    "0.5",
    "1e",
    "1E+",
    "1e-5",
    "t",
    "tru",
    "true",
    "f",
    "fals",
    "n",
    "nul",
    "/",
    "//",
    "// \r",
    "/*",
    "/**",
    "/* */",
    "[1,/",
    "[1,/*",
    "[1,/* *",
    "[-,",
    "[-, ",
    "[1,\n//",
];

#[test]
fn every_law_holds_for_every_character_in_every_state() {
    let ascii = '\0'..='\x7f';
    let others = ['\u{80}', '\u{85}', '\u{a0}', '\u{2028}', '\u{feff}', '\u{ffff}', '\u{1f600}'];
    for character in ascii.chain(others) {
        for state in STATES {
            check(&format!("{state}{character}"));
        }
    }
}

#[test]
fn every_law_holds_for_every_short_text_of_what_matters_most() {
    let alphabet = ['[', ']', '{', ',', '"', '\\', '/', '*', '\n', '-', '1'];
    let mut texts = vec![String::new()];
    for _length in 1..=4 {
        texts = texts
            .iter()
            .flat_map(|text| alphabet.iter().map(move |character| format!("{text}{character}")))
            .collect();
        texts.iter().for_each(|text| check(text));
    }
}
