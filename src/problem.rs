//! What a person is told about a repair: one [`Problem`] an edit, and one for
//! the error that the edits leave. The diagnostics of the server and the
//! reports of the command line are both made of these.

use std::{fmt::Write, ops::Range};

use crate::repair::{JsonErrorCode, Origin, Repair, Rule, token_end};

/// The most openers that the closing of a text points at.
const MAX_OPENERS: usize = 10;

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is seen: bytes of the source, never empty.
    pub range: Range<usize>,
    /// The rule that repairs it, or the code of the error.
    pub code: &'static str,
    /// What is wrong, and what would be done about it.
    pub message: String,
    /// Other places that have to do with it.
    pub related: Vec<RelatedPlace>,
}

/// A place that has to do with a problem, and what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// Bytes of the source.
    pub range: Range<usize>,
    /// What this place has to do with the problem.
    pub message: String,
}

/// The problem that the edit at `index` of `repair` repairs.
pub fn of_edit(source: &str, repair: &Repair, index: usize) -> Problem {
    let edit = &repair.edits[index];
    let (range, message, related) = match edit.rule {
        Rule::RemoveComments => (edit.range.clone(), "JSON has no comments".to_owned(), Vec::new()),
        Rule::RemoveTrailingCommas => {
            (edit.range.clone(), "JSON has no trailing commas".to_owned(), Vec::new())
        }
        Rule::CloseTruncated => {
            let message = format!("the text is cut off: {} would close it", quoted(&edit.inserted));
            (repair.last_token(source), message, openers(repair))
        }
    };
    Problem { range, code: edit.rule.as_str(), message, related }
}

/// The problem that the edits of `repair` leave; `None` if the result is valid.
pub fn of_json_error(source: &str, repair: &Repair) -> Option<Problem> {
    let error = repair.json_error?;
    let origin = repair.edits.to_source(error.offset);
    let found = match origin {
        Origin::Source(offset) => source[offset..].chars().next(),
        Origin::Inserted(_) => None,
    };
    let Some(found) = found else {
        // At or in what closing inserts, or at the end of the text.
        let message = format!("expected {}, but the text ends here", error.expected);
        let range = repair.last_token(source);
        return Some(Problem { range, code: error.code.as_str(), message, related: Vec::new() });
    };
    let start = match origin {
        Origin::Source(offset) | Origin::Inserted(offset) => offset,
    };
    let end = match error.code {
        // Inside a string, where there are no tokens.
        JsonErrorCode::InvalidEscape | JsonErrorCode::ControlCharacterInString => {
            let is_crlf = source[start..].starts_with("\r\n");
            start + if is_crlf { 2 } else { found.len_utf8() }
        }
        _ => token_end(source, start),
    };
    let mut related = Vec::new();
    if let Some(mismatch) = repair.mismatch.filter(|mismatch| mismatch.closer == start)
        && let Some(opener) = mismatch.opener
    {
        related.push(RelatedPlace {
            range: opener.offset..opener.offset + 1,
            message: format!("the innermost open bracket: `{}` would close it", char::from(opener.closer)),
        });
    }
    let message = match error.code {
        JsonErrorCode::ControlCharacterInString => {
            format!("{} must be escaped in a string", character_name(found))
        }
        _ => format!("expected {}, found {}", error.expected, found_name(&source[start..end], found)),
    };
    Some(Problem { range: start..end, code: error.code.as_str(), message, related })
}

/// Where the string and the brackets begin that closing would close, innermost
/// first.
fn openers(repair: &Repair) -> Vec<RelatedPlace> {
    let string = repair
        .open_string
        .map(|start| RelatedPlace { range: start..start + 1, message: "the string begins here".to_owned() });
    let brackets = repair.open_brackets.iter().rev().map(|opener| RelatedPlace {
        range: opener.offset..opener.offset + 1,
        message: format!("`{}` would close this bracket", char::from(opener.closer)),
    });
    string.into_iter().chain(brackets).take(MAX_OPENERS).collect()
}

/// What was found: a short token as it is written, otherwise its beginning.
fn found_name(token: &str, first: char) -> String {
    match first {
        '"' => format!("the string {}", quoted(token)),
        _ if first.is_control() || matches!(first, '\u{feff}' | '\u{a0}' | '\u{2028}' | '\u{2029}') => {
            character_name(first)
        }
        _ => quoted(token),
    }
}

/// A character that cannot be seen, by its code point and, where it has one
/// that people know, its name.
fn character_name(character: char) -> String {
    let mut name = format!("U+{:04X}", u32::from(character));
    let known = match character {
        '\n' | '\r' => "line break",
        '\t' => "tab",
        '\0' => "NUL",
        '\u{feff}' => "byte order mark",
        '\u{a0}' => "no-break space",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        _ => return name,
    };
    let _ = write!(name, " ({known})");
    name
}

/// `text` in backticks, on one line, at most 32 characters of it.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 32;
    let mut shown = String::from("`");
    for (index, character) in text.chars().enumerate() {
        if index == LONGEST {
            shown.push('…');
            break;
        }
        match character {
            '\n' => shown.push('⏎'),
            '\r' => {}
            control if control.is_control() => {
                let _ = write!(shown, "U+{:04X}", u32::from(control));
            }
            _ => shown.push(character),
        }
    }
    shown.push('`');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::{RuleSet, repair};

    /// The error's problem, as the text it is seen at and its message.
    fn check(source: &str, rules: RuleSet, expected: Option<(&str, &str)>) {
        let problem = of_json_error(source, &repair(source, rules));
        let found =
            problem.as_ref().map(|problem| (&source[problem.range.clone()], problem.message.as_str()));
        assert_eq!(found, expected, "{source:?}");
    }

    #[test]
    fn the_error_says_what_was_expected_and_found() {
        let all = RuleSet::ALL;
        check("{}", all, None);
        check(
            "{\"s\":{\"a\":\"x y\"\n\"b\":\"1\"}}",
            all,
            Some(("\"b\"", "expected `,` or `}`, found the string `\"b\"`")),
        );
        check("{\"a\":", all, Some((":", "expected a value, but the text ends here")));
        check("[tru", all, Some(("tru", "expected `true`, but the text ends here")));
        check("[1 2]", all, Some(("2", "expected `,` or `]`, found `2`")));
        check("[True]", all, Some(("True", "expected a value or `]`, found `True`")));
        check("\u{feff}{}", all, Some(("\u{feff}", "expected a value, found U+FEFF (byte order mark)")));
        check("{\"a\":\"b\r\nc\"}", all, Some(("\r\n", "U+000D (line break) must be escaped in a string")));
        check("[\"C:\\dir\"]", all, Some(("d", "expected one of `\"\\/bfnrtu` after `\\`, found `d`")));
        check("{} // c", RuleSet::NONE, Some(("//", "expected the end of the text, found `//`")));
        check("// c", all, Some(("c", "expected a value, but the text ends here")));
        check("[1,", RuleSet::NONE, Some((",", "expected a value, but the text ends here")));
    }

    #[test]
    fn closing_is_seen_at_the_last_token_and_points_at_the_openers() {
        for (source, seen) in [
            ("[1, 2 // cut he", "2"),
            ("[1,", "1"),
            ("{\"k\": \"a \\\" b\"  ", "\"a \\\" b\""),
            ("{\"t\":\"half a sent", "\"half a sent"),
            ("[\"over\nlines", "lines"),
            ("[[", "["),
            ("[1 /* a */ // b", "1"),
        ] {
            let repair = repair(source, RuleSet::ALL);
            let problem = of_edit(source, &repair, repair.edits.len() - 1);
            assert_eq!(&source[problem.range.clone()], seen, "{source:?}");
            let openers = repair.open_brackets.len() + usize::from(repair.open_string.is_some());
            assert_eq!(problem.related.len(), openers, "{source:?}");
        }
    }

    #[test]
    fn a_mismatch_points_at_the_open_bracket() {
        let source = "{\"a\": [1}";
        let problem = of_json_error(source, &repair(source, RuleSet::ALL)).expect("it is not JSON");
        assert_eq!(&source[problem.range], "}");
        assert_eq!(problem.related[0].range, 6..7);
    }
}
