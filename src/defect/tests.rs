use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use proptest::{collection::vec, prelude::*, sample::select};
use ropey::Rope;

use super::*;
use crate::{
    problem,
    repair::{Policy, Rule, RuleSet},
};

/// A text, what of it the error is seen at, and what is pointed at.
type Case<'text> = (&'text str, &'text str, &'text [&'text str]);

fn all() -> Policy {
    Policy::fix(RuleSet::ALL)
}

fn check_one(policy: Policy, defect: Option<Defect>, (source, seen, related): Case<'_>) {
    let report = Report::new(source, policy);
    let problem = problem::of_json_error(source, &report).unwrap_or_else(|| panic!("{source:?} is JSON"));
    let context = format!("{source:?}: {problem:?}");
    assert_eq!(problem.defect, defect, "{context}");
    let related_texts: Vec<&str> = problem.related.iter().map(|place| &source[place.range.clone()]).collect();
    assert_eq!((&source[problem.range.clone()], &*related_texts), (seen, related), "{context}");
    check_contract(source, policy);
}

/// What no name changes: the code, and where the problem is.
fn check_contract(source: &str, policy: Policy) {
    let report = Report::new(source, policy);
    let Some(error) = report.json_error() else {
        assert_eq!(find(source, &report), None);
        return;
    };
    let problem = problem::of_json_error(source, &report).expect("there is an error");
    assert_eq!(problem.code, error.code.as_str());
    match report.json_error_origin() {
        Some(Origin::Source(at)) if at < report.candidate_len() => {
            assert_eq!(problem.range.start, at, "{source:?}")
        }
        _ => assert_eq!(problem.range, problem::last_token(source, &report), "{source:?}"),
    }
    assert!(problem.range.end <= source.len());
    assert!(source.get(problem.range.clone()).is_some(), "{source:?} {problem:?}");
    assert!(!problem.message.contains(['\n', '\r']), "{problem:?}");
    for place in &problem.related {
        assert!(!place.range.is_empty(), "{source:?} {problem:?}");
        assert!(source.get(place.range.clone()).is_some(), "{source:?} {problem:?}");
    }
    // A rope is read as a string is.
    assert_eq!(find(&Rope::from_str(source), &report), find(source, &report), "{source:?}");
}

fn check(defect: Defect, cases: &[Case<'_>]) {
    for case in cases {
        check_one(all(), Some(defect), *case);
    }
}

#[test]
fn text_around_the_json() {
    check(
        Defect::MarkdownFence,
        &[
            ("```json\n{\"a\": 1}\n```", "```json", &["{\"a\": 1}"]),
            ("```\r\n[1, 2,]\r\n```\r\n", "```", &["[1, 2,]"]),
            ("```json\n{\"a\": [1, {\"b\": \"cut o", "```json", &["{\"a\": [1, {\"b\": \"cut o"]),
            ("{\"a\": 1}\n```", "```", &["{\"a\": 1}"]),
            ("```json\n\n```", "```json", &[]),
            ("```json\n{'a': True}\n```\nDone.", "```json", &[]),
        ],
    );
    check(
        Defect::Prose,
        &[
            ("Here is the JSON you asked for:\n\n{\"a\": [1, 2]}\n", "Here", &["{\"a\": [1, 2]}"]),
            ("Sure! See [1] below.\n```json\n{\"a\": 1}\n```\nHope this helps!", "Sure!", &["{\"a\": 1}"]),
            ("Output: {\"a\": 1, // one\n \"b\": [2,", "Output", &["{\"a\": 1, // one\n \"b\": [2,"]),
            ("{\"a\":1}\nHope this helps!", "Hope", &["{\"a\":1}"]),
            ("const config = {\"a\": 1};", "const", &["{\"a\": 1}"]),
            ("callback({\"a\": 1});", "callback(", &["{\"a\": 1}"]),
            ("{\"a\": 1};", ";", &["{\"a\": 1}"]),
            ("// c\n[1,] and more", "and", &["[1,]"]),
            ("this is {\"a\": 1}", "his", &["{\"a\": 1}"]),
            ("1. The answer: {\"a\": 1}", " ", &["{\"a\": 1}"]),
            ("<!DOCTYPE html>\n<html></html>", "<!DOCTYPE", &[]),
            ("Internal server error", "Internal", &[]),
            ("$ curl -s localhost/status\n{\"up\": true}", "$", &["{\"up\": true}"]),
            (")]}',\n{\"a\": 1}", ")", &["{\"a\": 1}"]),
            ("2024-01-01 12:00:00 INFO started {\"a\": 1}", "-01-01", &["{\"a\": 1}"]),
            ("data: {\"a\": [1]}\n\n", "data", &["{\"a\": [1]}"]),
        ],
    );
    check(
        Defect::SeveralValues,
        &[
            ("{\"id\": 1}\n{\"id\": 2}\n{\"id\": 3}\n", "{", &["}"]),
            ("{\"a\": 1} {\"b\": 2}", "{", &["}"]),
            ("{\"a\": 1},\n{\"b\": 2}", ",", &["}"]),
            ("{\n  \"a\": 1\n}\n{\n  \"b\": 2\n}\n", "{", &["}"]),
            ("[1][2]", "[", &["]"]),
            ("\"a\" \"b\"", "\"b\"", &["\"a\""]),
            ("1 2", "2", &["1"]),
        ],
    );
    check(
        Defect::ByteOrderMark,
        &[
            ("\u{feff}{}", "\u{feff}", &[]),
            ("\u{feff}[1, 2]\r\n", "\u{feff}", &[]),
            ("\u{feff}// c\n{\"a\": 1,}", "\u{feff}", &[]),
        ],
    );
    check(
        Defect::InvisibleCharacter,
        &[
            ("{\u{a0}\"a\": 1}", "\u{a0}", &[]),
            ("[1,\u{2028}2]", "\u{2028}", &[]),
            ("{\"a\":\u{200b}\"x\"}", "\u{200b}", &[]),
            ("{}\0\0", "\0", &[]),
        ],
    );
}

#[test]
fn quotes_of_the_wrong_kind_or_none() {
    check(
        Defect::SingleQuotes,
        &[
            ("{'name': 'Ada'}", "'name'", &[]),
            ("[\"a\", 'it's here', 1]", "'it's here'", &[]),
            ("{\"sql\": `select 1`}", "`select 1`", &[]),
            ("{'e1','e2'}", "'e1'", &[]),
            ("[u'abc']", "u'abc'", &[]),
            ("'a'", "'a'", &[]),
            ("['cut of", "'cut", &[]),
        ],
    );
    check(
        Defect::SmartQuotes,
        &[
            ("{“name”: “Ada”}", "“name”", &[]),
            ("[\"a\", „b“]", "„b“", &[]),
            ("{\"a\": ‘it’s’}", "‘it’", &[]),
            ("{\n  \"name\": \"Ada”,\n  \"age\": 36\n}", "\n", &["\"", "”"]),
        ],
    );
    check(
        Defect::UnquotedKey,
        &[
            ("{name: \"Ada\"}", "name", &[]),
            ("{\n  \"a\": 1,\n  b_2: 2\n}", "b_2", &[]),
            ("{1: \"one\"}", "1", &[]),
            ("{$ref: \"#/x\"}", "$ref", &[]),
            ("{true: 1}", "true", &[]),
            ("{größe: 1}", "größe", &[]),
        ],
    );
    check(
        Defect::UnquotedString,
        &[
            ("{\"name\": Ada}", "Ada", &[]),
            ("[hello world]", "hello", &[]),
            ("{\"when\": 2024-01-15}", "-01-15", &[]),
            ("{\"version\": 1.2.3}", ".3", &[]),
            ("{\"status\": truely}", "ly", &[]),
            ("{\"url\": https://host.test/}", "https", &[]),
            ("[nil, 1]", "il", &[]),
            ("{\"w\": 12px}", "px", &[]),
            ("[yes]", "yes", &[]),
            ("hello", "hello", &[]),
        ],
    );
    check(
        Defect::UnescapedQuote,
        &[
            ("{\"t\": \"she said \"hi\" to me\"}", "hi", &["\""]),
            ("{\"a\": \"x, \"b\": 1}", "b", &["\""]),
            ("[\"a 27\" screen\"]", "screen", &["\""]),
            ("{\"the \"key\"\": 1}", "key", &["\""]),
            ("\"say \"hi\"\"", "hi", &["\""]),
            ("{\"a\": \"\"\"x\"\"\"}", "\"x\"", &["\""]),
            ("{\"html\": \"<a href=\"x\">y</a>\"}", "x", &["\""]),
        ],
    );
}

#[test]
fn words_and_numbers_of_other_languages() {
    check(
        Defect::PythonLiteral,
        &[
            ("{\"ok\": True}", "True", &[]),
            ("[1, None, 2]", "None", &[]),
            ("False", "False", &[]),
            ("{\n  \"a\": 1, // c\n  \"debug\": False,\n}", "False", &[]),
        ],
    );
    check(
        Defect::Undefined,
        &[
            ("{\"a\": undefined}", "undefined", &[]),
            ("[1,undefined,2]", "undefined", &[]),
            ("undefined", "undefined", &[]),
        ],
    );
    check(
        Defect::LiteralCase,
        &[
            ("{\"a\": TRUE}", "TRUE", &[]),
            ("[NULL]", "NULL", &[]),
            ("[Null, false]", "Null", &[]),
            ("[nULL]", "ULL", &[]),
        ],
    );
    check(
        Defect::NonFiniteNumber,
        &[
            ("{\"loss\": NaN}", "NaN", &[]),
            ("[1, Infinity]", "Infinity", &[]),
            ("[-Infinity]", "Infinity", &[]),
            ("[nan]", "an", &[]),
            ("{\"x\": -inf}", "inf", &[]),
        ],
    );
    check(
        Defect::HexadecimalNumber,
        &[
            ("{\"color\": 0xFF8800}", "xFF8800", &[]),
            ("[0x1f, 2]", "x1f", &[]),
            ("0x1", "x1", &[]),
            ("{\"mode\": 0o755}", "o755", &[]),
            ("[0b1010]", "b1010", &[]),
        ],
    );
    check(
        Defect::LeadingZero,
        &[
            ("{\"zip\": 01234}", "1234", &[]),
            ("{\"n\":-05}", "5", &[]),
            ("[007]", "07", &[]),
            ("00.5", "0.5", &[]),
        ],
    );
    check(
        Defect::PlusSign,
        &[
            ("{\"offset\": +2}", "+2", &[]),
            ("[+1.5e3]", "+1.5e3", &[]),
            ("+1", "+1", &[]),
            ("[1, +0]", "+0", &[]),
        ],
    );
    check(
        Defect::BareDecimalPoint,
        &[
            ("[1,.5,2]", ".5", &[]),
            ("{\"opacity\": .75}", ".75", &[]),
            ("[-.5]", ".5", &[]),
            ("{\"v\": 5.}", "}", &[]),
            ("[5., 1]", ",", &[]),
        ],
    );
}

#[test]
fn between_tokens() {
    check(
        Defect::MissingComma,
        &[
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "\"b\"", &["1"]),
            ("[1 2]", "2", &["1"]),
            ("[{\"a\": 1} {\"b\": 2}]", "{", &["}"]),
            ("[\"a\"\n\"b\"]", "\"b\"", &["\"a\""]),
            ("{\"a\": \"x\" /* c */\n \"b\": 1}", "\"b\"", &["\"x\""]),
            ("{\"a\": 1; \"b\": 2}", ";", &[]),
            ("{\"a\": [1, 2] \"b\": 3}", "\"b\"", &["]"]),
        ],
    );
    check(
        Defect::MissingColon,
        &[
            ("{\"a\" 1}", "1", &["\"a\""]),
            ("{\"a\" {\"b\": 1}}", "{", &["\"a\""]),
            ("{\"a\" \"b\"}", "\"b\"", &["\"a\""]),
            ("{\"a\" = 1}", "=", &[]),
            ("{\"a\" => 1}", "=>", &[]),
        ],
    );
    check(
        Defect::MissingValue,
        &[
            ("{\"a\":,\"b\":1}", ",", &["\"a\""]),
            ("{\"a\": }", "}", &["\"a\""]),
            ("{\n  \"v1\":\n  \"v2\": \"d\"\n}", ":", &["\"v1\""]),
            ("{\"a\"}", "}", &["\"a\""]),
            ("{\"a\", \"b\"}", ",", &["\"a\""]),
            ("{\n  \"a\": true,\n  \"\":\n  \"b\": false\n}", ":", &["\"\""]),
            ("{\"timeout\": , // c\n \"a\": 1}", ",", &["\"timeout\""]),
        ],
    );
    check(
        Defect::ExtraComma,
        &[
            ("[1,,2]", ",", &[","]),
            ("[1,,]", "]", &[","]),
            ("{\"a\": 1,, \"b\": 2}", ",", &[","]),
            ("[, 1]", ",", &[]),
            ("{, \"a\": 1}", ",", &[]),
        ],
    );
    check(Defect::TrailingComma, &[("{\"a\": 1},", ",", &[]), ("[1],\n", ",", &[]), ("1,", ",", &[])]);
    for case in [("[1, 2,]", "]", &[","][..]), ("{\"a\": 1,}", "}", &[","]), ("[1,\n]", "]", &[","])] {
        check_one(Policy::fix(RuleSet::NONE), Some(Defect::TrailingComma), case);
    }
    check(
        Defect::MismatchedBracket,
        &[
            ("{\"a\": [1}", "}", &["["]),
            ("[{\"a\": 1]", "]", &["{"]),
            ("{\n  \"a\": [\n    1,\n    2\n  },\n  \"b\": 3\n}", "}", &["["]),
            ("[1, 2}", "}", &["["]),
        ],
    );
    check(
        Defect::ExtraCloser,
        &[("{\"a\":1}}", "}", &[]), ("[1]]", "]", &[]), ("}", "}", &[]), ("{\"a\": 1}\n]", "]", &[])],
    );
    check(
        Defect::MissingCloser,
        &[
            ("[{\"a\":{\"b\":1},{\"c\":2}]", "{", &["{"]),
            ("{\"a\": [1, 2, \"b\": 3}", ":", &["["]),
            ("{\"a\": 1, {\"b\": 2}", "{", &[]),
        ],
    );
}

#[test]
fn inside_strings() {
    check(
        Defect::LineBreakInString,
        &[
            ("{\n  \"a\": \"x,\n  \"b\": 1\n}", "\n", &["\"", ","]),
            ("{\"a\": \"b\r\nc\"}", "\r\n", &["\""]),
            ("{\n  \"a\": \"x\n}", "\n", &["\""]),
            ("{\"a: 1,\n \"b\": 2}", "\n", &["\"", ":"]),
            ("[\"Hello,\nworld\"]", "\n", &["\""]),
            ("{\"list\": [\"a\", \"b]\n}", "\n", &["\"", "]"]),
            ("{\"a\": \"x\\\"\n}", "\n", &["\""]),
            ("{\"t\": \"one\n\", \"u\": 1}", "\n", &["\""]),
        ],
    );
    check(
        Defect::ControlCharacter,
        &[
            ("{\"a\": \"x\ty\"}", "\t", &["\""]),
            ("[\"\u{1b}[31mred\u{1b}[0m\"]", "\u{1b}", &["\""]),
            ("{\"t\": \"a\0b\"}", "\0", &["\""]),
            ("{\"t\u{7}\": 1}", "\u{7}", &["\""]),
        ],
    );
    check(
        Defect::BadEscape,
        &[
            ("{\"p\": \"C:\\dir\\new\"}", "d", &[]),
            ("{\"p\":\"App\\Http\",\"r\":\"\\d+\"}", "H", &[]),
            ("{\"re\": \"^\\d+\\.\\w*$\"}", "d", &[]),
            ("{\"p\": \"C:\\users\\x\"}", "s", &["\\"]),
            ("[\"it\\'s\"]", "'", &[]),
            ("[\"\\x41\"]", "x", &[]),
            ("[\"\\u12zz\"]", "z", &["\\"]),
            ("[\"a \\\nb\"]", "\n", &[]),
            ("{\"share\": \"\\\\\\\\host\\Share\"}", "S", &[]),
        ],
    );
}

#[test]
fn comments_and_ellipses() {
    let none = Policy::fix(RuleSet::NONE);
    for case in [
        ("{} // c", "//", &[][..]),
        ("// c\n{}", "//", &[]),
        ("{\"a\": 1, /* c */ \"b\": 2}", "/*", &[]),
        ("[1 // one\n]", "//", &[]),
    ] {
        check_one(none, Some(Defect::Comment), case);
    }
    check_one(Policy::allow_comments(RuleSet::ALL), Some(Defect::Comment), ("[1, /* open", "/*", &[]));
    check(
        Defect::Comment,
        &[
            ("{\n  # port\n  \"port\": 80\n}", "#", &[]),
            ("{\"a\": 1 # one\n}", "#", &[]),
            ("{\n  \"a\": 1,\n  #\"b\": 2\n}", "#", &[]),
        ],
    );
    check(
        Defect::Ellipsis,
        &[
            ("[1, 2, ...]", "...", &[]),
            ("{\"a\": 1, ...}", "...", &[]),
            ("{\"items\": [{\"id\": 1}, …]}", "…", &[]),
            ("{\"a\": ...}", "...", &[]),
        ],
    );
}

#[test]
fn comments_that_are_allowed_are_passed_over() {
    for (defect, case) in [
        (Defect::MissingComma, ("{\"a\": 1 // \"x\", y\n \"b\": 2}", "\"b\"", &["1"][..])),
        (Defect::MissingComma, ("[\"//\" /* c\n * d */ // e\n 2]", "2", &["\"//\""])),
        (Defect::MissingComma, ("[1/**/2]", "2", &["1"])),
        (Defect::MissingComma, ("[1//x \n2]", "2", &["1"])),
        (Defect::MissingComma, ("{\"a\": 1 // , \t\n \"b\": 2}", "\"b\"", &["1"])),
        (Defect::MissingComma, ("[\"a\" // b \n // c: \n\"d\"]", "\"d\"", &["\"a\""])),
        (Defect::MissingValue, ("{\"a\": /* v */ // w\n}", "}", &["\"a\""])),
        (Defect::ExtraComma, ("[1, // one\n, 2]", ",", &[","])),
        (Defect::CutBeforeValue, ("{\"a\" /* b */: // c", ":", &["\"a\""])),
        (Defect::UnquotedKey, ("{\n  // \"a\": 1\n  b: 2,\n}", "b", &[])),
        (Defect::TrailingComma, ("{} // c\n,", ",", &[])),
    ] {
        check_one(Policy::allow_comments(RuleSet::ALL), Some(defect), case);
        if defect != Defect::CutBeforeValue && !case.0.contains("/**/") {
            check_one(all(), Some(defect), case);
        }
    }
}

#[test]
fn cut_texts() {
    check(
        Defect::CutBeforeValue,
        &[
            ("{\"a\":1,\"b\":", ":", &["\"b\""]),
            ("{\"a\":1,\"b\"", "\"b\"", &[]),
            ("{\"a\": 1, \"na", "\"na", &[]),
            ("[{\"a\": 1, \"b\": // c", ":", &["\"b\""]),
            ("{\"a\": {\"b\" :\n", ":", &["\"b\""]),
        ],
    );
    let closing = Policy::fix(RuleSet::from_iter([Rule::CloseTruncated]));
    check_one(closing, Some(Defect::CutBeforeValue), ("[1,", ",", &[]));
    check_one(closing, Some(Defect::CutBeforeValue), ("{\"a\": 1, ", ",", &[]));
    check(
        Defect::CutInLiteral,
        &[
            ("{\"ok\":t", "t", &[]),
            ("[nul", "nul", &[]),
            ("{\"a\": [fals\n", "fals", &[]),
            ("tru", "tru", &[]),
        ],
    );
    check(
        Defect::CutInNumber,
        &[("{\"v\":1.", "1.", &[]), ("[2e+", "2e+", &[]), ("[1, -", "-", &[]), ("{\"n\": 1E", "1E", &[])],
    );
    check(
        Defect::CutInEscape,
        &[
            ("{\"k\":\"val\\", "\"val\\", &["\""]),
            ("{\"a\":\"t \\u00", "\"t \\u00", &["\""]),
            ("[\"x \\ud83d\\ude", "\"x \\ud83d\\ude", &["\""]),
        ],
    );
    // What is deleted behind it is no part of it.
    for source in ["[nul// c", "[nul/* c */", "[nul,"] {
        let finding = find(source, &Report::new(source, all())).expect("it is cut");
        assert!(finding.what.starts_with("`nul` is cut off"), "{source:?} {finding:?}");
    }
    for case in [
        ("[1, 2", "2", &["["][..]),
        ("{\"a\": [", "[", &["[", "{"]),
        ("{\"t\": \"half", "\"half", &["\"", "{"]),
    ] {
        check_one(Policy::fix(RuleSet::NONE), Some(Defect::NotClosed), case);
    }
}

#[test]
fn what_is_not_recognised_has_no_name() {
    for (source, seen) in [
        ("", ""),
        ("[1 \\ 2]", "\\"),
        ("{\"a\":: 1}", ":"),
        ("\"name\": \"Ada\"", ":"),
        ("a: 1", "a"),
        ("{\"id\": ObjectId(\"5f\")}", "ObjectId("),
        ("{{\"a\": 1}}", "{"),
        ("[1, @]", "@"),
        ("[-]", "]"),
        ("[1e]", "]"),
        ("{: 1}", ":"),
        ("[%]", "%"),
        ("{\"a\": 1,2}", "2"),
        ("{\"a\": \"x\" + \"y\"}", "+"),
        ("{\"v\": ${VALUE}}", "$"),
        ("{\"when\": datetime.datetime(2024, 1, 2)}", "datetime.datetime(2024"),
        ("{% raw %}", "%"),
        ("key: value\nlist:\n  - 1\n", "key"),
        ("?", "?"),
        ("{\"a\": 1 {\"b\": 2}}", "{"),
        ("/* draft\n{\"a\":1}", "}"),
    ] {
        let report = Report::new(source, all());
        assert_eq!(find(source, &report), None, "{source:?}");
        let problem = problem::of_json_error(source, &report).expect("it is not JSON");
        assert!(source[problem.range.clone()].starts_with(seen), "{source:?} {problem:?}");
        assert!(problem.message.starts_with("expected "), "{problem:?}");
    }
}

#[test]
fn json_has_no_defect() {
    for source in
        ["{}", "[1, 2,]", "{\"md\": \"```json {'a': None}\"}", "\"\u{feff}\"", "[1, // c\n2", "{\"t\": \"cut"]
    {
        assert_eq!(find(source, &Report::new(source, all())), None, "{source:?}");
    }
}

#[test]
fn messages_say_what_it_is_and_why_it_is_left_alone() {
    const SEVERAL: &str = "whether one of them is meant or a list is not ours to choose";
    const GUESS: &str = "what was meant by it is a guess";
    for (source, what, why) in [
        ("[True]", "`True` is Python, JSON has `true`", "it may be a string that lost its quotes"),
        ("[1 2]", "`,` is missing between `1` and `2`", "more than that may be missing"),
        ("{\"a\":", "the text is cut before the value of `\"a\"`", "what is missing is not invented"),
        (
            "{}\n{}",
            "several values, one a line, where one may stand: this is JSON Lines, save it as .jsonl",
            SEVERAL,
        ),
        ("{} {}", "several values, where one may stand", SEVERAL),
        ("[\"C:\\dir\"]", "`\\d` is no escape: in a path, every `\\` is written `\\\\`", GUESS),
        ("[\"\\d+\"]", "`\\d` is no escape: in a regular expression, every `\\` is written `\\\\`", GUESS),
        (
            "[\"\\u00",
            "the text is cut inside the escape `\\u00`",
            "closed here, the string would hold a character that nobody wrote",
        ),
    ] {
        let problem = problem::of_json_error(source, &Report::new(source, all())).expect("it is not JSON");
        assert_eq!(problem.message, format!("{what} (left alone: {why})"), "{source:?}");
    }
    let of_related = |source: &str| {
        let finding = find(source, &Report::new(source, all())).expect("it has a name");
        finding.related[0].message.clone()
    };
    assert_eq!(of_related("Here: [1]"), "this alone is valid JSON");
    assert_eq!(of_related("Here: [1"), "this alone is JSON that can be repaired");
    assert_eq!(of_related("[1] here"), "this alone is valid JSON");
    assert_eq!(of_related("[1,] here"), "this alone is JSON that can be repaired");
}

#[test]
fn json_lines_are_told_from_other_values() {
    for (source, is_lines) in [
        ("{}\n{}", true),
        ("{\"a\":1}\r\n\r\n{\"a\":2}\r\n{\"a\":", true),
        ("1\n2\n3\n", true),
        ("{} {}", false),
        ("{\n}\n{}", false),
        ("{}\n{\n}", false),
        ("{}\n{} {}", false),
    ] {
        let finding = find(source, &Report::new(source, all())).expect("there are several values");
        assert_eq!(finding.what.contains(".jsonl"), is_lines, "{source:?} {finding:?}");
    }
}

#[test]
fn every_look_is_bounded() {
    let big = 4 * REACH;
    let blank = " ".repeat(big);
    for source in [
        format!("[\"{}\n\"]", "x".repeat(big)),
        format!("[\"{}\\q\"]", "x".repeat(big)),
        format!("[{}1 2]", "1,".repeat(big)),
        format!("[{}1{blank}2]", "1,".repeat(big)),
        format!("[1{blank}'{}", "x".repeat(big)),
        format!("Hello {}", "[".repeat(big)),
        format!("Hello {}", "[1] ".repeat(big)),
        format!("```json\n[\"{}\"]\n```", "x\",\"".repeat(big)),
        format!("[{}", "é".repeat(big)),
        format!("[\"{}", "é".repeat(big)),
        format!("[\"{}\" x", "é".repeat(big)),
        format!("{}{}", "{}\n".repeat(big), "x".repeat(big)),
        format!("[{}2 3]", "/**/".repeat(big)),
        format!("[\"{}\n}}", "}".repeat(big)),
        format!("[\"{}\n}}", "\\".repeat(big)),
        format!("[{}", "' ".repeat(big)),
        format!("{{\"a\" {}", "\"".repeat(big)),
    ] {
        for policy in [all(), Policy::fix(RuleSet::NONE), Policy::allow_comments(RuleSet::ALL)] {
            let report = Report::new(&source[..], policy);
            let text = CountedText { text: &source, read: Cell::new(0) };
            find(&text, &report);
            assert!(text.read.get() <= 3 * REACH, "{} {}", text.read.get(), &source[..20]);
            text.read.set(0);
            let started = Instant::now();
            let problem = problem::of_json_error(&text, &report);
            // All that is looked at besides is a token, from either end.
            assert!(text.read.get() <= 6 * REACH, "{} {}", text.read.get(), &source[..20]);
            assert!(started.elapsed() < Duration::from_secs(2), "{:?} {}", started.elapsed(), &source[..20]);
            if let Some(problem) = problem {
                assert!(source.get(problem.range.clone()).is_some());
            }
        }
    }
    // The end of a fence is found wherever it is.
    let long = format!("```json\n[{}1]\n```\n", "1,".repeat(big));
    let finding = find(&long[..], &Report::new(&long[..], all())).expect("it is in a fence");
    assert_eq!(finding.related[0].range, 8..long.len() - 5);
}

#[test]
fn the_page_explains_every_defect_with_texts_that_have_it() {
    let page = include_str!("../../editors/defects.md");
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let names: Vec<&str> = sections.iter().map(|section| section.lines().next().unwrap_or("")).collect();
    assert_eq!(names, Defect::ALL.map(Defect::name));
    for (section, defect) in sections.iter().zip(Defect::ALL) {
        for part in ["**Left alone because**", "**What to do:**"] {
            assert!(section.contains(part), "{} lacks {part}", defect.name());
        }
        let examples: Vec<&str> = section.split("\n````").skip(1).step_by(2).collect();
        assert!(!examples.is_empty(), "{} has no example", defect.name());
        for example in examples {
            let (language, text) = example.split_once('\n').expect("it has a line");
            let policy = match language {
                "text" => all(),
                "text rules-off" => Policy::fix(RuleSet::NONE),
                _ => panic!("{language:?} in {}", defect.name()),
            };
            let found = find(text, &Report::new(text, policy)).map(|finding| finding.defect);
            assert_eq!(found, Some(defect), "{text:?}");
        }
    }
}

#[test]
fn names_are_anchors() {
    for (index, defect) in Defect::ALL.into_iter().enumerate() {
        let name = defect.name();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        assert!(Defect::ALL[..index].iter().all(|other| other.name() != name), "{name}");
    }
}

/// A text that counts what of it is read.
struct CountedText<'text> {
    text: &'text str,
    read: Cell<usize>,
}

impl CountedText<'_> {
    fn count(&self, bytes: usize) {
        self.read.set(self.read.get() + bytes);
    }
}

impl Text for CountedText<'_> {
    fn len(&self) -> usize {
        self.text.len()
    }

    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.count(range.len());
        self.text.pieces(range)
    }

    fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8> {
        self.text.bytes_before(end).inspect(|_| self.count(1))
    }

    fn bytes_from(&self, start: usize) -> impl Iterator<Item = u8> {
        self.text.bytes_from(start).inspect(|_| self.count(1))
    }

    fn line_ending(&self) -> &'static str {
        self.text.line_ending()
    }
}

/// What texts are made of that have these defects.
const PIECES: [&str; 64] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "/",
    "*",
    "//",
    "/*",
    "*/",
    "#",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\0",
    "```",
    "\n```",
    "json",
    "“",
    "”",
    "‘",
    "’",
    "é",
    "😀",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "...",
    "…",
    "0",
    "1",
    "-",
    "+",
    ".",
    "e",
    "0x1",
    "True",
    "None",
    "NaN",
    "undefined",
    "true",
    "nul",
    "tru",
    "\"a\"",
    "\"a\":",
    "\"a\":1",
    "[1]",
    "{\"a\":1}",
    "\\u12",
    "\\d",
    "C:\\",
    "Hello",
    " world",
    ";",
    "=",
    "(",
    "<",
    "x",
];

/// Documents that break as people's do: cut anywhere, or with a byte too few.
#[test]
fn broken_documents_keep_their_code_and_place() {
    for document in [
        include_str!("../../tests/fixtures/commented-config-crlf.json"),
        include_str!("../../tests/fixtures/model-answer.json"),
        include_str!("../../tests/fixtures/missing-value.json"),
        include_str!("../../tests/fixtures/tsconfig.json"),
    ] {
        for (at, character) in document.char_indices() {
            let rest = &document[at + character.len_utf8()..];
            for broken in [document[..at].to_owned(), format!("{}{rest}", &document[..at])] {
                check_contract(&broken, all());
                check_contract(&broken, Policy::allow_comments(RuleSet::ALL));
            }
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_no_code_or_place_changes(pieces in vec(select(&PIECES[..]), 0..24)) {
        let source = pieces.concat();
        for policy in [
            all(),
            Policy::fix(RuleSet::NONE),
            Policy::fix(RuleSet::from_iter([Rule::CloseTruncated])),
            Policy::allow_comments(RuleSet::ALL),
        ] {
            check_contract(&source, policy);
        }
    }
}
