//! The naive implementation against the contract's vectors and the words of its rulings. The engine
//! has no part in this: an oracle has to be tested before anything is compared with it.
#![allow(clippy::expect_used, reason = "the panic of a test is its answer, in its helpers too")]

mod naive;
mod vectors;

use naive::Rules;

#[test]
fn agrees_with_every_vector() {
    let vectors = vectors::all();
    assert!(vectors.len() > 3000, "only {} vectors", vectors.len());
    for vector in &vectors {
        let rules = vector.rules().map_or(Rules::ALL, Rules::from_names);
        let answer = naive::repair(vector.text(), rules);
        assert_eq!(
            answer.to_json(),
            vector.response.to_value(),
            "{}: {:?} with {:?}",
            vector.name,
            vector.text(),
            rules.names()
        );
    }
}

/// The rulings that are about `json_error`, none of which needs a repair.
#[test]
fn follows_the_rulings_about_errors() {
    let cases = [
        ("", Some(("unexpected_end", 0))),
        (" ", Some(("unexpected_end", 1))),
        ("tru", Some(("unexpected_end", 3))),
        ("trux", Some(("invalid_literal", 3))),
        ("01", Some(("invalid_number", 1))),
        ("-", Some(("unexpected_end", 1))),
        ("-x", Some(("invalid_number", 1))),
        ("1.x", Some(("invalid_number", 2))),
        ("1e+x", Some(("invalid_number", 3))),
        ("\"\\q", Some(("invalid_escape", 2))),
        ("\"\\\n\"", Some(("invalid_escape", 2))),
        ("\"\\u12\"", Some(("invalid_escape", 5))),
        ("\"a\nb\"", Some(("control_character_in_string", 2))),
        ("NaN", Some(("unexpected_character", 0))),
        ("'a'", Some(("unexpected_character", 0))),
        (".5", Some(("unexpected_character", 0))),
        ("+1", Some(("unexpected_character", 0))),
        ("\u{feff}1", Some(("unexpected_character", 0))),
        ("1 2", Some(("trailing_content", 2))),
        ("nullx", Some(("trailing_content", 4))),
        ("1.2.3", Some(("trailing_content", 3))),
        ("0x1", Some(("trailing_content", 1))),
        ("[1 2]", Some(("unexpected_character", 3))),
        ("[nullx]", Some(("unexpected_character", 5))),
        ("[1.2.3]", Some(("unexpected_character", 4))),
        ("[0x1]", Some(("unexpected_character", 2))),
        ("\"\\ud800\"", None),
        ("1e99999", None),
        ("{\"a\":1,\"a\":2}", None),
        ("\"\u{2028}\u{7f}\"", None),
        ("1\u{2028}", Some(("trailing_content", 1))),
        ("[\"\u{1f600}\",]", Some(("unexpected_character", 6))),
    ];
    for (text, expected) in cases {
        let answer = naive::repair(text, Rules::NONE);
        let found = answer.json_error.as_ref().map(|error| (error.code, error.offset));
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(answer.valid_json, expected.is_none(), "{text:?}");
        assert!(!answer.changed && answer.edits.is_empty(), "{text:?}");
    }
}

/// The rulings that are about edits, with all rules on.
#[test]
fn follows_the_rulings_about_edits() {
    let cases = [
        ("1/**/2", "12"),
        ("[,]", "[]"),
        ("[1,}", "[1}"),
        ("[1,,]", "[1,]"),
        ("[1,,", "[1,]"),
        ("/*/ 1", ""),
        ("1//x\r2", "1\r2"),
        ("1//x\u{2028}2", "1"),
        ("\"ab", "\"ab\""),
        ("\"ab\\", "\"ab\\"),
        ("\"ab\\u12", "\"ab\\u12"),
        ("\"ab\\u12zz", "\"ab\\u12zz\""),
        ("\"ab\\u1234", "\"ab\\u1234\""),
        ("1,", "1,"),
        ("{\"a\":[1},", "{\"a\":[1},"),
        ("[1]],[", "[1]],["),
        ("[1, // a\n", "[1 \n]"),
        ("[1\u{a0},\u{a0}]", "[1\u{a0},\u{a0}]"),
    ];
    for (text, expected) in cases {
        assert_eq!(naive::repair(text, Rules::ALL).text, expected, "{text:?}");
    }
}

/// The rulings about a language that has comments and trailing commas.
#[test]
fn follows_the_rulings_about_what_is_allowed() {
    let cases = [
        ("[1/**/2]", "[1/**/2]", Some(("unexpected_character", 6))),
        ("[1/**/,/**/]//", "[1/**/,/**/]//", None),
        ("[1, /* a", "[1, /* a", Some(("unexpected_character", 4))),
        ("[1, /*/", "[1, /*/", Some(("unexpected_character", 4))),
        ("{} /* a", "{} /* a", Some(("trailing_content", 3))),
        ("[1,", "[1,]", None),
        ("[1,,]", "[1,,]", Some(("unexpected_character", 3))),
        ("[,]", "[,]", Some(("unexpected_character", 1))),
        ("{\"a\",}", "{\"a\",}", Some(("unexpected_character", 4))),
        ("{\"a\":1,}", "{\"a\":1,}", None),
        ("[1 // a", "[1 // a\n]", None),
        ("[\r\n1 // a", "[\r\n1 // a\r\n]", None),
        ("[1 // a\r", "[1 // a\r]", None),
        ("[1 /* a */", "[1 /* a */]", None),
        ("1,", "1,", Some(("trailing_content", 1))),
    ];
    for (text, expected_text, expected_error) in cases {
        let answer = naive::repair_where_comments_are_allowed(text, true);
        let found = answer.json_error.as_ref().map(|error| (error.code, error.offset));
        assert_eq!((answer.text.as_str(), found), (expected_text, expected_error), "{text:?}");
    }
}
