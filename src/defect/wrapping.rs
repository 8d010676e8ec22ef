//! Several values in one text, and text around the JSON: fences, prose, code.

use std::ops::Range;

use super::{
    Defect, Finding, REACH,
    site::{Site, find, is_line_break},
    word,
};
use crate::repair::{Grammar, RuleSet, Text, is_blank, repair};

/// In so many places of a text JSON is looked for.
const MOST_CANDIDATES: usize = 8;

const FENCE: &[u8] = b"```";

/// What is found inside of other text.
struct Inside {
    /// Where it is, in the source.
    range: Range<usize>,
    is: &'static str,
}

const VALID: &str = "this alone is valid JSON";
const REPAIRABLE: &str = "this alone is JSON that can be repaired";
const UNKNOWN: &str = "the JSON probably begins here";

/// The defect of a text that begins with `word`, and not as JSON does.
pub(super) fn before(site: &Site<'_>, text: &(impl Text + ?Sized), word: Range<usize>) -> Option<Finding> {
    let bytes = &site.bytes;
    let first = site.character(word.start)?;
    if matches!(first, '\'' | '"' | '“' | '‘' | '„' | '«' | ',' | ':' | '{' | '[' | '}' | ']') {
        return None;
    }
    if bytes[word.start..].starts_with(FENCE) {
        let what = "a Markdown code fence stands around the JSON";
        return Some(with_inside(
            Finding::new(Defect::MarkdownFence, what),
            in_fence(site, text, word.start),
        ));
    }
    let shown = site.shown(word.start..site.line_end(word.start));
    if let Some(fence) = find(bytes, word.end, b"\n```") {
        let what = format!("text stands before the JSON: {shown}");
        let inside = in_fence(site, text, fence + 1);
        return Some(with_inside(Finding::new(Defect::Prose, what), inside));
    }
    let inside = json_from(site, word.start);
    let is_value = is_number(&site.string(word.clone()));
    if inside.is_some() && !is_value {
        let what = format!("text stands before the JSON: {shown}");
        return Some(with_inside(Finding::new(Defect::Prose, what), inside));
    }
    let blanks = bytes[word.end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let next = site.character(word.end + blanks).filter(|_| blanks > 0);
    let is_words = next.is_some_and(char::is_alphabetic) && (first.is_alphanumeric() || inside.is_some());
    let is_markup = first == '<'
        && bytes[word.start + 1..]
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'?' | b'/'));
    if !is_words && !is_markup {
        return None;
    }
    let what = match &inside {
        Some(_) => format!("text stands before the JSON: {shown}"),
        None if is_markup => format!("this is markup, not JSON: {shown}"),
        None => format!("this is text, not JSON: {shown}"),
    };
    Some(with_inside(Finding::new(Defect::Prose, what), inside))
}

/// Whether `word`, which is not JSON or not alone, is a number or meant as one.
fn is_number(word: &str) -> bool {
    let is_string = || word::find(word).is_some_and(|finding| finding.defect == Defect::UnquotedString);
    word.trim_start_matches(['+', '-', '.']).starts_with(|first: char| first.is_ascii_digit()) && !is_string()
}

/// The defect of what stands behind the one value, whose last token is
/// `previous`.
pub(super) fn behind(site: &Site<'_>, first: char, previous: Range<usize>) -> Option<Finding> {
    let at = site.at;
    let ends = site.place(previous);
    let is_untouched = site.report.deletions().next().is_none_or(|edit| edit.range.start >= ends.end);
    let (json, is) = if site.has_start() {
        let start = site.place(0..site.after_blanks(0)).end;
        (start..ends.end, if is_untouched { VALID } else { REPAIRABLE })
    } else {
        (ends.clone(), "the JSON ends here")
    };
    let wrapped = |defect: Defect, what: String| Finding::new(defect, what).with(json.clone(), is);
    if site.bytes[at..].starts_with(FENCE) {
        let what = "a Markdown code fence stands behind the JSON";
        return Some(wrapped(Defect::MarkdownFence, what.to_owned()));
    }
    let several = |what: &str| {
        Finding::new(Defect::SeveralValues, what).with(ends.clone(), "the first value ends here")
    };
    let line = site.shown(at..site.line_end(at));
    match first {
        ',' => {
            let next = site.byte(site.after_blanks(at + 1));
            if next
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'"' | b'{' | b'[' | b'-'))
            {
                return Some(several(
                    "several values, where one may stand: a list has `[` and `]` around it",
                ));
            }
            Some(Finding::new(Defect::TrailingComma, "a comma stands behind the one value"))
        }
        ':' => None,
        '"' | '{' | '[' | '-' | '0'..='9' => Some(several(several_values(site))),
        _ if matches!(&*site.string(site.word_at(at)), "true" | "false" | "null") => {
            Some(several(several_values(site)))
        }
        _ => Some(wrapped(Defect::Prose, format!("text stands behind the JSON: {line}"))),
    }
}

fn several_values(site: &Site<'_>) -> &'static str {
    if is_json_lines(site) {
        "several values, one a line, where one may stand: this is JSON Lines, save it as .jsonl"
    } else {
        "several values, where one may stand"
    }
}

/// Whether each line is a JSON text, as far as the lines are in reach; the
/// error is where the second begins.
fn is_json_lines(site: &Site<'_>) -> bool {
    let is_break = |byte: &u8| is_line_break(*byte);
    let line = site.line_start(site.at);
    let first = site.bytes[..line].trim_ascii();
    if !site.has_start() || first.is_empty() || first.iter().any(is_break) {
        return false;
    }
    let mut lines = site.bytes[line..].split(is_break).peekable();
    while let Some(line) = lines.next() {
        let mut grammar = Grammar::new();
        line.iter().enumerate().for_each(|(offset, byte)| grammar.step(*byte, offset));
        // The last line of a log may be cut, as it may be out of reach.
        let is_last = lines.peek().is_none();
        let is_blank_line = line.iter().all(|byte| is_blank(*byte));
        if !is_blank_line && (grammar.has_failed() || (!is_last && grammar.end(line.len()).is_some())) {
            return false;
        }
    }
    true
}

fn with_inside(finding: Finding, inside: Option<Inside>) -> Finding {
    match inside {
        Some(Inside { range, is }) => finding.with(range, is),
        None => finding,
    }
}

/// What the fence holds that begins at `fence`.
fn in_fence(site: &Site<'_>, text: &(impl Text + ?Sized), fence: usize) -> Option<Inside> {
    let bytes = &site.bytes;
    let line_end = site.line_end(fence);
    let start = line_end + bytes[line_end..].iter().take_while(|byte| is_blank(**byte)).count();
    let closing = find(bytes, line_end, b"\n```");
    if let Some(end) = closing.or(site.has_end.then_some(bytes.len())) {
        let range = start..start + bytes[start..end.max(start)].trim_ascii_end().len();
        if range.is_empty() {
            return None;
        }
        let is = match judge(&site.string(range.clone())) {
            Some(is) => is,
            None => return json_from(site, start),
        };
        return Some(Inside { range: site.place(range), is });
    }
    let end = site.report.candidate_len();
    let tail_start = end.saturating_sub(REACH).max(site.place(0..bytes.len()).end);
    let tail: Vec<u8> = text.pieces(tail_start..end).flatten().copied().collect();
    let start = site.place(start..start).start;
    let closing = tail.windows(1 + FENCE.len()).rposition(|window| window == b"\n```");
    let end = closing.map_or(start + 1, |closing| tail_start + closing);
    Some(Inside { range: start..end, is: UNKNOWN })
}

/// The longest JSON from `from` on that an object or a list is.
fn json_from(site: &Site<'_>, from: usize) -> Option<Inside> {
    let mut longest: Option<(Range<usize>, &'static str)> = None;
    let mut at = from;
    for _ in 0..MOST_CANDIDATES {
        let Some(opener) = site.bytes[at..].iter().position(|byte| matches!(byte, b'{' | b'[')) else {
            break;
        };
        let start = at + opener;
        at = start + 1;
        let end = match value_end(&site.bytes, start) {
            Some(end) => end,
            None if site.has_end => start + site.bytes[start..].trim_ascii_end().len(),
            None => {
                // It goes on out of reach: nobody knows how.
                longest = longest.or(Some((start..start + 1, UNKNOWN)));
                continue;
            }
        };
        if let Some(is) = judge(&site.string(start..end)) {
            if longest.as_ref().is_none_or(|(range, is)| *is == UNKNOWN || range.len() < end - start) {
                longest = Some((start..end, is));
            }
            at = end;
        }
    }
    longest.map(|(range, is)| Inside { range: site.place(range), is })
}

/// What `text` is on its own; `None` if it is no JSON.
fn judge(text: &str) -> Option<&'static str> {
    let repair = repair(text, RuleSet::ALL);
    match repair.is_valid() {
        true if repair.edits.is_empty() => Some(VALID),
        true => Some(REPAIRABLE),
        false => None,
    }
}

/// Where the object or list ends that begins at `start`, by its brackets.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_in_string = false;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if is_in_string => at += 1,
            b'"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
