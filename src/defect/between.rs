//! Defects between tokens, and of what stands where a token is expected.

use std::ops::Range;

use super::{Defect, Finding, is_delimiter, site::Site, word, wrapping};
use crate::{
    repair::{Expected, JsonError, JsonErrorCode, Rule, Text, Treatment, is_blank},
    wording::character_name,
};

/// The quotes that JSON does not have, and those that end what they begin.
const SMART_QUOTES: [(char, &[char]); 10] = [
    ('“', &['”', '“', '"']),
    ('”', &['”', '"']),
    ('„', &['“', '”', '"']),
    ('‟', &['”', '"']),
    ('«', &['»']),
    ('»', &['«']),
    ('‘', &['’', '‘']),
    ('’', &['’']),
    ('‚', &['‘', '’']),
    ('＂', &['＂']),
];

/// What behind a string in single quotes says that it is over.
const BEHIND_STRINGS: [u8; 8] = *b",:}])\r\n;";

/// The defect at `site`, which is not inside a string and not the end.
pub(super) fn find(site: &Site<'_>, text: &(impl Text + ?Sized), error: JsonError) -> Option<Finding> {
    let at = site.at;
    let first = site.character(at)?;
    let previous = site.token_before(at);
    let is_first = site.has_start() && previous.is_none();
    if is_first && first == '\u{feff}' {
        let what = "a byte order mark (U+FEFF) stands before the JSON";
        return Some(ending_at(site, at + first.len_utf8(), Finding::new(Defect::ByteOrderMark, what)));
    }
    if let Some(finding) = of_mark(site, first, previous.as_ref()) {
        return Some(finding);
    }
    if let Some(finding) = mismatch(site) {
        return Some(finding);
    }
    let word = site.word_at(at);
    if site.has_start() && site.token_before(word.start).is_none() {
        if let Some(finding) = wrapping::before(site, text, word.clone()) {
            return Some(finding);
        }
        if site.byte(word.end) == Some(b':') {
            // A member without braces, or another language than JSON.
            return None;
        }
    }
    if matches!(error.code, JsonErrorCode::InvalidNumber | JsonErrorCode::InvalidLiteral) {
        return word::find(&site.string(word));
    }
    if word.start < at
        && let Some(finding) = word::find(&site.string(word))
    {
        // It begins as a value does, and goes on.
        return Some(finding);
    }
    match error.expected {
        Expected::Value | Expected::ValueOrClosingBracket => value(site, first, previous),
        Expected::Key | Expected::KeyOrClosingBrace => key(site, first, error.expected, previous),
        Expected::Colon => colon(site, first, previous?),
        Expected::CommaOrClosingBracket | Expected::CommaOrClosingBrace => {
            after_value(site, first, error.expected, previous?)
        }
        Expected::EndOfText => {
            let previous = previous?;
            unescaped_quote(site, first, &previous).or_else(|| wrapping::behind(site, first, previous))
        }
        Expected::ClosingQuote
        | Expected::EscapeCharacter
        | Expected::HexDigit
        | Expected::Digit
        | Expected::DigitOrSign
        | Expected::NoDigit
        | Expected::Literal(_) => None,
    }
}

/// The defect of what means the same wherever it stands.
fn of_mark(site: &Site<'_>, first: char, previous: Option<&Range<usize>>) -> Option<Finding> {
    let at = site.at;
    if site.starts_with(at, "/*") || site.starts_with(at, "//") {
        let what = if site.has_comments() { "this comment has no end" } else { "JSON has no comments" };
        return Some(Finding::new(Defect::Comment, what));
    }
    // A `#` inside of a word, or before all else, is more likely something else:
    // a colour, a heading.
    let is_first_in_line = site.bytes[site.line_start(at)..at].iter().all(|byte| is_blank(*byte));
    let is_hash = first == '#' && (is_first_in_line || site.byte(at - 1).is_some_and(is_blank));
    if is_hash && (previous.is_some() || !site.has_start()) {
        return Some(Finding::new(Defect::Comment, "JSON has no comments, and `#` begins none elsewhere"));
    }
    if site.starts_with(at, "...") || first == '…' {
        let end = site.bytes[at..].iter().take_while(|byte| **byte == b'.').count().max(first.len_utf8());
        return Some(ending_at(
            site,
            at + end,
            Finding::new(Defect::Ellipsis, "something was left out here"),
        ));
    }
    if is_invisible(first) {
        let what = format!("{} is no blank in JSON", character_name(first));
        let finding = Finding::new(Defect::InvisibleCharacter, what);
        return Some(ending_at(site, at + first.len_utf8(), finding));
    }
    None
}

/// Whether nobody sees that `character` is none of JSON's blanks.
fn is_invisible(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
    );
    let is_blank_of_json = matches!(character, ' ' | '\t' | '\n' | '\r');
    is_format || (!is_blank_of_json && (character.is_whitespace() || character.is_control()))
}

/// The defect of a closer that is not the innermost open bracket's.
fn mismatch(site: &Site<'_>) -> Option<Finding> {
    let mismatch = site.report.mismatch().filter(|mismatch| site.local(mismatch.closer) == Some(site.at))?;
    let closer = site.shown(site.at..site.at + 1);
    Some(match mismatch.opener {
        None => Finding::new(Defect::ExtraCloser, format!("{closer} closes a bracket, but none is open")),
        Some(opener) => {
            let expected = opener.bracket.closer();
            let open = if expected == '}' { '{' } else { '[' };
            let what = format!("{closer} stands where `{open}` is open");
            Finding::new(Defect::MismatchedBracket, what).with(
                opener.offset..opener.offset + 1,
                format!("the innermost open bracket: `{expected}` would close it"),
            )
        }
    })
}

/// The defect of what stands where a value is expected.
fn value(site: &Site<'_>, first: char, previous: Option<Range<usize>>) -> Option<Finding> {
    let behind = previous.clone().and_then(|previous| site.byte(previous.start));
    match first {
        ',' | '}' | ']' if behind == Some(b':') => {
            let key = site.token_before(previous?.start)?;
            let what = format!("{} has no value", site.shown(key.clone()));
            Some(Finding::new(Defect::MissingValue, what).with(site.place(key), "this key has no value"))
        }
        _ => comma(site, first, previous).or_else(|| foreign_string(site, first)).or_else(|| {
            let word = site.word_at(site.at);
            if is_delimiter_character(first) { None } else { word::find(&site.string(word)) }
        }),
    }
}

/// The defect of what stands where a key is expected.
fn key(site: &Site<'_>, first: char, expected: Expected, previous: Option<Range<usize>>) -> Option<Finding> {
    let found = comma(site, first, previous).or_else(|| foreign_string(site, first));
    if found.is_some() {
        return found;
    }
    match first {
        '{' | '[' if expected == Expected::Key => {
            let what =
                format!("`{first}` stands where a key is expected: a `}}` is probably missing before it");
            Some(missing_closer(site, what))
        }
        _ if first.is_alphanumeric() || matches!(first, '_' | '$' | '-' | '@') => {
            let word = site.word_at(site.at);
            // A number that no colon follows is rather a value.
            let is_key = !first.is_ascii_digit() || site.byte(site.after_blanks(word.end)) == Some(b':');
            let is_name = is_key && !site.bytes[word.clone()].contains(&b'(');
            let what = format!("the key {} has no quotes", site.shown(word));
            is_name.then(|| Finding::new(Defect::UnquotedKey, what))
        }
        _ => None,
    }
}

/// The defect of what stands where a colon is expected, behind `key`.
fn colon(site: &Site<'_>, first: char, key: Range<usize>) -> Option<Finding> {
    if let Some(finding) = unescaped_quote(site, first, &key) {
        return Some(finding);
    }
    let at = site.at;
    let name = site.shown(key.clone());
    let key = site.place(key);
    match first {
        ',' | '}' | ']' => {
            let found = site.shown(at..at + 1);
            let what = format!("{name} has no value: `:` and a value are expected before {found}");
            Some(Finding::new(Defect::MissingValue, what).with(key, "this key has no value"))
        }
        '=' | ';' => {
            let found = site.shown(site.word_at(at));
            let what = format!("{found} stands where `:` is expected behind {name}");
            Some(Finding::new(Defect::MissingColon, what))
        }
        _ if begins_value(site, first) => {
            let found = site.shown(site.token_at(at));
            let what = format!("`:` is missing between {name} and {found}");
            Some(Finding::new(Defect::MissingColon, what).with(key, "`:` is expected behind this"))
        }
        _ => None,
    }
}

/// The defect of what stands behind `previous`, where a value is over.
fn after_value(site: &Site<'_>, first: char, expected: Expected, previous: Range<usize>) -> Option<Finding> {
    if let Some(finding) = unescaped_quote(site, first, &previous) {
        return Some(finding);
    }
    let at = site.at;
    let is_behind_string = site.byte(previous.start) == Some(b'"');
    match first {
        ':' if expected == Expected::CommaOrClosingBrace && is_behind_string => {
            let colon = site.token_before(previous.start).filter(|colon| site.bytes[colon.start] == b':')?;
            let key = site.token_before(colon.start)?;
            let (name, next) = (site.shown(key.clone()), site.shown(previous));
            let what = format!("{name} has no value of its own: {next} is followed by `:`");
            Some(Finding::new(Defect::MissingValue, what).with(site.place(key), "this key has no value"))
        }
        ':' if expected == Expected::CommaOrClosingBracket && is_behind_string => {
            let what = format!(
                "{} is a key, but a list is open: a `]` is probably missing before it",
                site.shown(previous)
            );
            Some(missing_closer(site, what))
        }
        ';' => {
            let what = format!("`;` stands where `,` is expected behind {}", site.shown(previous));
            Some(Finding::new(Defect::MissingComma, what))
        }
        _ if begins_value(site, first) => {
            // In an object another value has no place, with or without a comma.
            let is_key = !matches!(first, '{' | '[') || expected == Expected::CommaOrClosingBracket;
            let found = site.shown(site.token_at(at));
            let what = format!("`,` is missing between {} and {found}", site.shown(previous.clone()));
            let finding = Finding::new(Defect::MissingComma, what);
            is_key.then(|| finding.with(site.place(previous), "`,` is expected behind this"))
        }
        _ => None,
    }
}

/// A comma where a value or a key is expected, and a closer behind a comma.
fn comma(site: &Site<'_>, first: char, previous: Option<Range<usize>>) -> Option<Finding> {
    let previous = previous?;
    let is_behind_comma = site.byte(previous.start) == Some(b',');
    let place = site.place(previous.clone());
    match first {
        ',' if is_behind_comma => {
            let what = "nothing stands between two commas";
            Some(Finding::new(Defect::ExtraComma, what).with(place, "the comma before it"))
        }
        ',' if matches!(site.byte(previous.start), Some(b'[' | b'{')) => {
            Some(Finding::new(Defect::ExtraComma, "nothing stands before this comma"))
        }
        '}' | ']' if is_behind_comma => {
            let is_single = site
                .token_before(previous.start)
                .is_none_or(|before| !matches!(site.bytes[before.start], b',' | b'[' | b'{'));
            if is_single && site.report.policy().treatment(Rule::RemoveTrailingCommas) == Treatment::Off {
                let what = format!("a trailing comma stands before `{first}`");
                return Some(Finding::new(Defect::TrailingComma, what).with(place, "the trailing comma"));
            }
            let what = format!("nothing stands between a comma and `{first}`");
            Some(Finding::new(Defect::ExtraComma, what).with(place, "the comma before it"))
        }
        _ => None,
    }
}

/// A string or key in quotes that JSON does not have.
fn foreign_string(site: &Site<'_>, first: char) -> Option<Finding> {
    let at = site.at;
    let has_prefix = matches!(first, 'u' | 'b' | 'r' | 'f') && site.starts_with(at + 1, "'");
    if has_prefix || matches!(first, '\'' | '`') {
        let opening = at + usize::from(has_prefix);
        let quote = site.byte(opening)?;
        let is_closing = |at: &usize| site.bytes[*at] == quote && !site.is_escaped(*at);
        let line = opening + 1..site.line_end(opening);
        let is_followed = |closing: &usize| {
            let behind = site.bytes[closing + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            behind.is_none_or(|byte| BEHIND_STRINGS.contains(byte))
        };
        let closing =
            line.clone().filter(is_closing).find(is_followed).or_else(|| line.clone().find(is_closing));
        let end = closing.map_or_else(|| site.token_at(at).end, |closing| closing + 1);
        let kind = if quote == b'`' { "backticks" } else { "single quotes" };
        let shown = site.shown(at..end);
        let what = match closing {
            Some(_) => format!("{shown} is in {kind}, JSON has double quotes"),
            None => format!("{shown} begins no string, a double quote does"),
        };
        return Some(ending_at(site, end, Finding::new(Defect::SingleQuotes, what)));
    }
    let (_, closers) = SMART_QUOTES.iter().find(|(quote, _)| *quote == first)?;
    let start = at + first.len_utf8();
    let line = site.string(start..site.line_end(at));
    // What is no UTF-8 at the end of reach has another length as a string.
    let end = line
        .char_indices()
        .find(|(_, character)| closers.contains(character))
        .map_or_else(|| site.token_at(at).end, |(closing, quote)| start + closing + quote.len_utf8())
        .min(site.bytes.len());
    let what = format!("{} is in typographic quotes, JSON has straight ones", site.shown(at..end));
    Some(ending_at(site, end, Finding::new(Defect::SmartQuotes, what)))
}

/// The defect of a string, `previous`, that a quote inside it ended.
fn unescaped_quote(site: &Site<'_>, first: char, previous: &Range<usize>) -> Option<Finding> {
    let at = site.at;
    let touches = previous.end == at;
    let is_behind_empty = touches && previous.len() == 2 && first == '"';
    if site.byte(previous.start) != Some(b'"') || (is_delimiter_character(first) && !is_behind_empty) {
        return None;
    }
    let rest = &site.bytes[at..site.line_end(at)];
    let quotes = rest.iter().filter(|byte| **byte == b'"').count();
    let is_word = first.is_alphanumeric() || !first.is_ascii();
    let is_inside = if touches { quotes > 0 } else { is_word && quotes % 2 == 1 };
    let what = format!(
        "a `\"` ends the string {} before {}",
        site.shown(previous.clone()),
        site.shown(site.token_at(at))
    );
    is_inside.then(|| {
        Finding::new(Defect::UnescapedQuote, what)
            .with(site.place(previous.end - 1..previous.end), "as text, this quote is written `\\\"`")
    })
}

/// `finding`, which is no token and ends at `end`.
fn ending_at(site: &Site<'_>, end: usize, finding: Finding) -> Finding {
    Finding { end: Some(site.place(end..end).start), ..finding }
}

fn missing_closer(site: &Site<'_>, what: String) -> Finding {
    let opener = site.report.mismatch().and_then(|mismatch| mismatch.opener);
    let opener = opener.filter(|opener| site.local(opener.offset).is_none_or(|offset| offset < site.at));
    let place = opener.map_or(0..0, |opener| opener.offset..opener.offset + 1);
    Finding::new(Defect::MissingCloser, what).with(place, "this bracket is not closed")
}

/// Whether a value or a key begins at `site` with `first`, in JSON or meant as
/// JSON.
fn begins_value(site: &Site<'_>, first: char) -> bool {
    match first {
        '-' | '+' | '.' => site.byte(site.at + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()),
        _ => first.is_alphanumeric() || matches!(first, '"' | '{' | '[' | '\'' | '“' | '‘' | '_' | '$'),
    }
}

fn is_delimiter_character(character: char) -> bool {
    u8::try_from(character).is_ok_and(|byte| byte.is_ascii() && is_delimiter(byte))
}
