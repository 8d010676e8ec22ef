//! What a person is told about a report: one [`Problem`] an edit, and one for
//! the error that the edits leave. The diagnostics of the server and the
//! reports of the command line are both made of these.

use std::ops::Range;

use crate::{
    defect::{self, Defect, RelatedPlace, is_delimiter, openers},
    repair::{Bracket, Edit, JsonErrorCode, Origin, Report, Rule, Text, is_blank},
    wording::{LONGEST_QUOTE, character_name, quoted},
};

/// No more of a token is seen: a string may be as long as the text. Bytes.
const LONGEST_TOKEN: usize = 64 * 1024;

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is seen: bytes of the source, never empty.
    pub range: Range<usize>,
    /// The rule that repairs it, or the code of the error.
    pub code: &'static str,
    /// What is wrong, and what would be done about it.
    pub message: String,
    /// What is behind an error, where that has a name.
    pub defect: Option<Defect>,
    /// Other places that have to do with it.
    pub related: Vec<RelatedPlace>,
}

/// The problem that `edit`, one of `report`, repairs.
pub fn of_edit(text: &(impl Text + ?Sized), report: &Report, edit: &Edit) -> Problem {
    let (range, message, related) = match edit.rule {
        Rule::RemoveComments => (edit.range.clone(), "JSON has no comments".to_owned(), Vec::new()),
        Rule::RemoveTrailingCommas => {
            (edit.range.clone(), "JSON has no trailing commas".to_owned(), Vec::new())
        }
        Rule::CloseTruncated => {
            let closers = quoted(&edit.inserted);
            let last = last_value(text, report);
            let message = format!("the text is cut off: {closers} would close it; {last} may be incomplete");
            (last_token(text, report), message, openers(report))
        }
    };
    Problem { range, code: edit.rule.as_str(), message, defect: None, related }
}

/// What closing a text closes that may be incomplete: a value may be the
/// beginning of a longer one, and a list that of a longer list.
pub fn last_value(text: &(impl Text + ?Sized), report: &Report) -> &'static str {
    let end = report.candidate_len();
    // Behind a number that a blank or a comment follows it is over.
    let is_number = report.significant_end() == end
        && text.bytes_before(end).next().is_some_and(|byte| byte.is_ascii_digit());
    match report.open_brackets().next() {
        _ if report.open_string().is_some() => "the string",
        _ if is_number => "the number",
        Some(opener) if opener.bracket == Bracket::Object => "the object",
        Some(_) | None => "the list",
    }
}

/// The problem that the edits of `report` leave; `None` if the result is valid.
pub fn of_json_error(text: &(impl Text + ?Sized), report: &Report) -> Option<Problem> {
    let error = report.json_error()?;
    let code = error.code.as_str();
    let finding = defect::find(text, report);
    let named = finding.as_ref().map(defect::Finding::message);
    let defect = finding.as_ref().map(|finding| finding.defect);
    let end_of_finding = finding.as_ref().and_then(|finding| finding.end);
    let related = finding.map_or_else(Vec::new, |finding| finding.related);
    let start = match report.json_error_origin()? {
        Origin::Source(offset) if offset < report.candidate_len() => offset,
        // At or in what closing inserts, or at the end of the text.
        Origin::Source(_) | Origin::Inserted(_) => {
            let range = last_token(text, report);
            let ends = || format!("expected {}, but the text ends here", error.expected);
            return Some(Problem { range, code, message: named.unwrap_or_else(ends), defect, related });
        }
    };
    let end = match error.code {
        // Inside a string, where there are no tokens.
        JsonErrorCode::InvalidEscape | JsonErrorCode::ControlCharacterInString => {
            let mut bytes = text.bytes_from(start);
            let is_crlf = bytes.next() == Some(b'\r') && bytes.next() == Some(b'\n');
            if is_crlf { start + 2 } else { character_end(text, start) }
        }
        _ => end_of_finding.unwrap_or_else(|| token_end(text, start)).min(report.candidate_len()),
    };
    let found = || {
        let shown = text.string_of(start..end.min(start + 4 * LONGEST_QUOTE + 4));
        let first = shown.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
        format!("expected {}, found {}", error.expected, found_name(&shown, first))
    };
    Some(Problem { range: start..end, code, message: named.unwrap_or_else(found), defect, related })
}

/// The last token of the candidate that no edit deletes: where an error at the
/// end of the text can be seen and reached. What is deleted counts when there
/// is nothing else.
///
/// A token that spans lines is cut to its last one, and of one that is longer
/// than anybody looks the end is left. Bytes; empty only if all of the candidate
/// is blank.
pub fn last_token(text: &(impl Text + ?Sized), report: &Report) -> Range<usize> {
    let before_blanks = |end: usize| end - text.bytes_before(end).take_while(|byte| is_blank(*byte)).count();
    let last = match report.significant_end() {
        0 => before_blanks(report.candidate_len()),
        end => end,
    };
    let mut end = last;
    let mut deletions = report.deletions_before(last).peekable();
    // The blanks at the end of a line comment are part of it.
    while let Some(edit) = deletions.next_if(|edit| edit.range.start < end && end <= edit.range.end) {
        end = before_blanks(edit.range.start);
    }
    if end == 0 {
        end = last;
    }
    let start = match report.open_string() {
        Some(string) if string < end => string,
        // A comment that touches the token is no part of it.
        _ => {
            let comment_end = deletions.find(|edit| edit.range.end <= end).map_or(0, |edit| edit.range.end);
            token_start(text, end).max(if comment_end < end { comment_end } else { 0 })
        }
    };
    let is_on_line = |byte: &u8| !matches!(byte, b'\n' | b'\r');
    let in_reach = (end - start).min(LONGEST_TOKEN);
    let on_line = text.bytes_before(end).take(in_reach).take_while(is_on_line).count();
    character_start(text, end - on_line)..end
}

/// Where the token ends that begins at `start`: a bracket, comma or colon is
/// one byte, a string ends with its quote or its line, anything else at the
/// next of these, a blank or a comment.
fn token_end(text: &(impl Text + ?Sized), start: usize) -> usize {
    let mut bytes = text.bytes_from(start).take(LONGEST_TOKEN);
    let length = match bytes.next() {
        None => 0,
        Some(b'"') => {
            let mut is_escaped = false;
            let mut length = 1;
            for byte in bytes {
                if matches!(byte, b'\n' | b'\r') {
                    break;
                }
                length += 1;
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' => is_escaped = true,
                    b'"' => break,
                    _ => {}
                }
            }
            length
        }
        Some(delimiter) if is_delimiter(delimiter) => 1,
        Some(_) => {
            let mut bytes = bytes.peekable();
            let mut length = 1;
            while let Some(byte) = bytes.next_if(|byte| !is_delimiter(*byte)) {
                let begins_comment = byte == b'/' && matches!(bytes.peek(), Some(b'/' | b'*'));
                if begins_comment {
                    break;
                }
                length += 1;
            }
            length
        }
    };
    if length == 0 { start } else { character_end(text, start + length - 1) }
}

/// Where the token begins that ends at `end`, outside of an open string.
fn token_start(text: &(impl Text + ?Sized), end: usize) -> usize {
    let mut before = text.bytes_before(end).take(LONGEST_TOKEN).peekable();
    let length = match before.next() {
        None => 0,
        Some(b'"') => {
            // The quote that ended a string: the string began at the next
            // quote to the left that no backslash escapes.
            let mut length = 1;
            while let Some(byte) = before.next() {
                length += 1;
                if byte == b'"' {
                    let mut backslashes = 0;
                    while before.next_if_eq(&b'\\').is_some() {
                        backslashes += 1;
                    }
                    if backslashes % 2 == 0 {
                        return end - length;
                    }
                    length += backslashes;
                }
            }
            1
        }
        Some(delimiter) if is_delimiter(delimiter) => 1,
        Some(_) => 1 + before.take_while(|byte| !is_delimiter(*byte)).count(),
    };
    character_start(text, end - length)
}

/// Where the first character begins from `at` on.
fn character_start(text: &(impl Text + ?Sized), at: usize) -> usize {
    at + text.bytes_from(at).take_while(|byte| byte & 0xC0 == 0x80).count()
}

/// Where the character ends that begins at `start`, or that `start` is in.
fn character_end(text: &(impl Text + ?Sized), start: usize) -> usize {
    let is_continuation = |byte: &u8| byte & 0xC0 == 0x80;
    start + 1 + text.bytes_from(start + 1).take_while(is_continuation).count()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::{Policy, RuleSet};

    /// The error's problem, as the text it is seen at and its message.
    fn check(source: &str, rules: RuleSet, expected: Option<(&str, &str)>) {
        let problem = of_json_error(source, &Report::new(source, Policy::fix(rules)));
        let found =
            problem.as_ref().map(|problem| (&source[problem.range.clone()], problem.message.as_str()));
        assert_eq!(found, expected, "{source:?}");
    }

    #[test]
    fn the_error_says_what_it_is_or_what_was_expected_and_found() {
        let all = RuleSet::ALL;
        check("{}", all, None);
        check("[1 \\]", all, Some(("\\", "expected `,` or `]`, found `\\`")));
        check("\"a\": 1", all, Some((":", "expected the end of the text, found `:`")));
        check(
            "[new Date(0)]",
            all,
            Some((
                "ew",
                "`new` is no JSON value, and a string needs double quotes (left alone: it may be a string, a name or a slip)",
            )),
        );
        check("// c", all, Some(("c", "expected a value, but the text ends here")));
        check(
            "{\"a\":",
            all,
            Some((
                ":",
                "the text is cut before the value of `\"a\"` (left alone: what is missing is not invented)",
            )),
        );
        check(
            "{\"a\":\"b\r\nc\"}",
            all,
            Some((
                "\r\n",
                "the string goes on behind the end of its line: a line break in it is written `\\n` (left alone: \
                 whether the next line belongs to it is a guess)",
            )),
        );
        check(
            "{} // c",
            RuleSet::NONE,
            Some(("//", "JSON has no comments (left alone: no rule that is on removes it)")),
        );
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
            ("[1,/**/23,/**/", "23"),
        ] {
            let report = Report::new(source, Policy::fix(RuleSet::ALL));
            let closing = report.closing_edit().expect("it is truncated");
            let problem = of_edit(source, &report, &closing);
            assert_eq!(&source[problem.range.clone()], seen, "{source:?}");
            let openers = report.open_brackets().count() + usize::from(report.open_string().is_some());
            assert_eq!(problem.related.len(), openers, "{source:?}");
        }
    }

    #[test]
    fn closing_says_what_may_be_incomplete() {
        for (source, expected) in [
            ("{\"t\": [\"half a sent", "the string"),
            ("[1, 2", "the number"),
            ("{\"a\": -0.5", "the number"),
            ("[1, 2 ", "the list"),
            ("[1, 2, ", "the list"),
            ("[1, 2 // 3", "the list"),
            ("[", "the list"),
            ("[{\"a\": [1]", "the object"),
            ("[{\"a\": true", "the object"),
            ("{\"a\": [1], \"b\": [{}", "the list"),
        ] {
            let report = Report::new(source, Policy::fix(RuleSet::ALL));
            assert_eq!(last_value(source, &report), expected, "{source:?}");
            let closing = report.closing_edit().expect("it is truncated");
            let message = of_edit(source, &report, &closing).message;
            assert!(message.ends_with(&format!("would close it; {expected} may be incomplete")), "{message}");
        }
        let source = "[1 // 2";
        let report = Report::new(source, Policy::allow_comments(RuleSet::ALL));
        assert_eq!(last_value(source, &report), "the list");
    }

    #[test]
    fn a_mismatch_points_at_the_open_bracket() {
        let source = "{\"a\": [1}";
        let problem =
            of_json_error(source, &Report::new(source, Policy::fix(RuleSet::ALL))).expect("it is not JSON");
        assert_eq!(&source[problem.range], "}");
        assert_eq!(problem.related[0].range, 6..7);
    }
}
