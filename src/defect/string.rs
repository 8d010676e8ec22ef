//! Defects inside of strings.

use std::ops::Range;

use super::{Defect, Finding, site::Site};
use crate::{repair::is_blank, wording::character_name};

/// The defect of a raw control character in a string.
pub(super) fn control_character(site: &Site<'_>) -> Finding {
    let start = string_start(site, site.at);
    let character = site.character(site.at).unwrap_or(char::REPLACEMENT_CHARACTER);
    if !matches!(character, '\n' | '\r') {
        let escape = match character {
            '\t' => "\\t".to_owned(),
            '\u{8}' => "\\b".to_owned(),
            '\u{c}' => "\\f".to_owned(),
            other => format!("\\u{:04x}", u32::from(other)),
        };
        let what = format!("{} is written `{escape}` in a string", character_name(character));
        return Finding::new(Defect::ControlCharacter, what).with(quote(site, start), BEGINS);
    }
    let Some(start) = start else {
        return Finding::new(Defect::LineBreakInString, "the string goes on behind the end of its line");
    };
    if let Some(smart) = smart_closer(site, start) {
        let what =
            "the string goes on behind the end of its line: it begins with `\"`, but ends with another quote";
        return Finding::new(Defect::SmartQuotes, what)
            .with(quote(site, Some(start)), BEGINS)
            .with(site.place(smart), "this is no `\"`");
    }
    match missing_quote(site, start) {
        Some(at) if at < site.at => {
            let what = "the string goes on behind the end of its line: its closing `\"` is probably missing";
            Finding::new(Defect::LineBreakInString, what)
                .with(quote(site, Some(start)), BEGINS)
                .with(site.place(at..at + 1), "a `\"` is probably missing before this")
        }
        Some(_) => {
            let what = "the string goes on behind the end of its line: a `\"` is probably missing here";
            Finding::new(Defect::LineBreakInString, what).with(quote(site, Some(start)), BEGINS)
        }
        None => {
            let what = "the string goes on behind the end of its line: a line break in it is written `\\n`";
            Finding::new(Defect::LineBreakInString, what).with(quote(site, Some(start)), BEGINS)
        }
    }
}

/// What the place is where a string begins.
const BEGINS: &str = "the string begins here";

/// The defect of an escape that JSON does not have.
pub(super) fn bad_escape(site: &Site<'_>) -> Finding {
    let at = site.at;
    let backslash = site.bytes[..at].iter().rposition(|byte| *byte == b'\\').unwrap_or(at);
    let found = site.character(at).unwrap_or(char::REPLACEMENT_CHARACTER);
    let is_in_hex = at > backslash + 1;
    let end = if found.is_control() { at } else { at + found.len_utf8() };
    let escape = site.shown(backslash..end.min(site.bytes.len()));
    let string = string_start(site, backslash).map(|start| site.string(start + 1..backslash));
    let what = if found.is_control() && !is_in_hex {
        format!("a backslash before {} is no escape", character_name(found))
    } else if is_path(string.as_deref().unwrap_or_default(), found, is_in_hex) {
        format!("{escape} is no escape: in a path, every `\\` is written `\\\\`")
    } else if is_in_hex {
        format!("{} is cut short: `\\u` takes four hexadecimal digits", site.shown(backslash..at))
    } else {
        match found {
            '\'' => "`\\'` is no escape: a single quote needs none".to_owned(),
            'x' => "`\\x` is no escape: it is written `\\u00` and two digits".to_owned(),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'B' | '.' | '(' | ')' | '[' | ']' | '{' | '}' | '*' | '+'
            | '?' | '^' | '$' | '|' | '-' => {
                format!("{escape} is no escape: in a regular expression, every `\\` is written `\\\\`")
            }
            _ => format!("{escape} is no escape: a `\\` itself is written `\\\\`"),
        }
    };
    let place = if is_in_hex { site.place(backslash..backslash + 1) } else { 0..0 };
    Finding::new(Defect::BadEscape, what).with(place, "the escape begins here")
}

/// Whether what a string begins with, up to a backslash before `found`, looks
/// like a path of Windows.
fn is_path(string: &str, found: char, is_in_hex: bool) -> bool {
    let bytes = string.as_bytes();
    let has_drive = bytes.windows(2).enumerate().any(|(at, pair)| {
        let is_letter = pair[0].is_ascii_alphabetic() && pair[1] == b':';
        let is_alone = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        is_letter && is_alone && (at + 2 == bytes.len() || bytes[at + 2] == b'\\')
    });
    // A share, or the parts of a relative path.
    let has_share = string.starts_with("\\\\");
    let is_relative = string.ends_with("..") || string.ends_with("%");
    (has_drive || has_share || is_relative)
        && (is_in_hex || found.is_alphanumeric() || matches!(found, '_' | '.' | '-' | '$' | '%' | ' '))
}

/// Where the string begins that `at` is in.
fn string_start(site: &Site<'_>, at: usize) -> Option<usize> {
    let quotes = site.bytes[..at].iter().enumerate().rev().filter(|(_, byte)| **byte == b'"');
    quotes.map(|(at, _)| at).find(|at| !site.is_escaped(*at))
}

/// The quote of a string that begins at `start`, in the source.
fn quote(site: &Site<'_>, start: Option<usize>) -> Range<usize> {
    start.map_or(0..0, |start| site.place(start..start + 1))
}

/// The typographic quote that was to end the string that begins at `start`.
fn smart_closer(site: &Site<'_>, start: usize) -> Option<Range<usize>> {
    let line = &site.bytes[start + 1..site.at];
    let mut closers = [&b"\xe2\x80\x9d"[..], b"\xe2\x80\x9c"].into_iter().filter_map(|smart| {
        let found = line.windows(smart.len()).enumerate().position(|(at, window)| {
            let behind = line[at + smart.len()..].iter().find(|byte| !is_blank(**byte));
            window == smart && behind.is_none_or(|byte| matches!(byte, b':' | b',' | b'}' | b']'))
        });
        found.map(|at| start + 1 + at..start + 1 + at + smart.len())
    });
    closers.next()
}

/// Where the closing quote of the string was probably meant that begins at
/// `start` and goes on behind its line; the line's end counts as that of the
/// text in it. `None` if more lines are probably meant.
fn missing_quote(site: &Site<'_>, start: usize) -> Option<usize> {
    let line = &site.bytes[start + 1..site.at];
    let behind = site.at + site.bytes[site.at..].iter().take_while(|byte| is_blank(**byte)).count();
    let is_end = |at: usize| match site.byte(at) {
        None => site.has_end,
        Some(byte) => matches!(byte, b',' | b'}' | b']' | b':'),
    };
    let goes_on_as_json = match site.byte(behind) {
        None => site.has_end,
        Some(b'}' | b']') => true,
        Some(b'{' | b'[') => trimmed(line).ends_with(b","),
        // The string's own closing quote may stand on a line of its own.
        Some(b'"') => {
            let next = behind + 1;
            let blanks = site.bytes[next..].iter().take_while(|byte| is_blank(**byte)).count();
            !is_end(next + blanks)
        }
        Some(_) => false,
    };
    if !goes_on_as_json {
        return None;
    }
    // A key without its closing quote.
    let word =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let is_behind_opener =
        site.token_before(start).is_some_and(|token| matches!(site.bytes[token.start], b'{' | b','));
    if word > 0 && line.get(word) == Some(&b':') && is_behind_opener {
        return Some(start + 1 + word);
    }
    let text = trimmed(line);
    let mut kept = trimmed(text.strip_suffix(b",").unwrap_or(text));
    // A closer belongs to the string if its opener does.
    let is_foreign = [(b'}', b'{'), (b']', b'[')].map(|(closer, opener)| (closer, !text.contains(&opener)));
    while let Some((last, rest)) = kept.split_last()
        && is_foreign.contains(&(*last, true))
    {
        kept = trimmed(rest);
    }
    let kept = kept.len();
    Some(if kept == text.len() { site.at } else { start + 1 + kept })
}

/// `line` without the blanks at its end.
fn trimmed(line: &[u8]) -> &[u8] {
    &line[..line.len() - line.iter().rev().take_while(|byte| is_blank(**byte)).count()]
}
