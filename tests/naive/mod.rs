//! The contract once more, written to be obviously right and nothing else.
//!
//! This is the oracle that the engine is compared with. It shares no code with the engine and
//! nothing of its shape: it works on a list of characters, asks one question at a time, walks the
//! whole text for each, and finds every answer anew wherever it needs it. That makes it quadratic,
//! which is fine for what it is for. Each function quotes the rule that it implements.
//!
//! An oracle has to be tested too: `tests/oracle.rs` holds it against the contract's vectors
//! without the engine having any part in it.
#![allow(dead_code, reason = "every test binary that includes this module uses a part of it")]

use serde_json::{Value, json};

pub(crate) const REMOVE_COMMENTS: &str = "remove_comments";
pub(crate) const CLOSE_TRUNCATED: &str = "close_truncated";
pub(crate) const REMOVE_TRAILING_COMMAS: &str = "remove_trailing_commas";

/// > "rules (optional, default all three) selects from remove_comments, close_truncated,
/// > remove_trailing_commas; they always run [...] regardless of array order. An empty array
/// > applies no repair and only validates."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) remove_comments: bool,
    pub(crate) close_truncated: bool,
    pub(crate) remove_trailing_commas: bool,
}

impl Rules {
    pub(crate) const ALL: Rules =
        Rules { remove_comments: true, close_truncated: true, remove_trailing_commas: true };

    pub(crate) const NONE: Rules =
        Rules { remove_comments: false, close_truncated: false, remove_trailing_commas: false };

    pub(crate) fn every_set() -> impl Iterator<Item = Rules> {
        (0..8).map(|bits| Rules {
            remove_comments: bits & 1 != 0,
            close_truncated: bits & 2 != 0,
            remove_trailing_commas: bits & 4 != 0,
        })
    }

    /// Panics at a name that is not a rule's.
    pub(crate) fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Rules {
        let names: Vec<&str> = names.into_iter().collect();
        for name in &names {
            assert!(
                [REMOVE_COMMENTS, CLOSE_TRUNCATED, REMOVE_TRAILING_COMMAS].contains(name),
                "{name:?} is no rule"
            );
        }
        Rules {
            remove_comments: names.contains(&REMOVE_COMMENTS),
            close_truncated: names.contains(&CLOSE_TRUNCATED),
            remove_trailing_commas: names.contains(&REMOVE_TRAILING_COMMAS),
        }
    }

    pub(crate) fn names(self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if self.remove_comments {
            names.push(REMOVE_COMMENTS);
        }
        if self.close_truncated {
            names.push(CLOSE_TRUNCATED);
        }
        if self.remove_trailing_commas {
            names.push(REMOVE_TRAILING_COMMAS);
        }
        names
    }
}

/// > "text is the result; changed is true when edits is non-empty. valid_json applies RFC 8259
/// > strictly to text, and json_error is null or {code, offset} into text."
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) changed: bool,
    pub(crate) valid_json: bool,
    pub(crate) json_error: Option<Error>,
    pub(crate) edits: Vec<Edit>,
}

/// `offset` counts UTF-16 code units of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) code: &'static str,
    pub(crate) offset: usize,
}

/// > "edits lists every change sorted by offset: {rule, offset (UTF-16 offset in the input),
/// > removed, inserted}."
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) rule: &'static str,
    pub(crate) offset: usize,
    pub(crate) removed: String,
    pub(crate) inserted: String,
}

impl Answer {
    /// The contract's response.
    pub(crate) fn to_json(&self) -> Value {
        let json_error =
            self.json_error.as_ref().map(|error| json!({"code": error.code, "offset": error.offset}));
        let edits: Vec<Value> = self
            .edits
            .iter()
            .map(|edit| {
                json!({
                    "rule": edit.rule,
                    "offset": edit.offset,
                    "removed": edit.removed,
                    "inserted": edit.inserted,
                })
            })
            .collect();
        json!({
            "text": self.text,
            "changed": self.changed,
            "valid_json": self.valid_json,
            "json_error": json_error,
            "edits": edits,
        })
    }
}

pub(crate) fn repair(text: &str, rules: Rules) -> Answer {
    let text: Vec<char> = text.chars().collect();
    let tokens = tokens(&text, rules);

    let mut changes = Vec::new();
    changes.extend(comment_deletions(&tokens, rules));
    changes.extend(trailing_comma_deletions(&text, &tokens, rules));
    changes.extend(dangling_comma_deletion(&text, &tokens, rules));
    changes.extend(closing(&text, &tokens, rules));
    changes.sort_by_key(|change| change.start);

    let result = apply(&text, &changes);
    let json_error = first_error(&result, Commas::Separate).err();
    answer(&text, changes, result, json_error)
}

/// The repair of a document whose language has comments and trailing commas.
///
/// > "*allow*: not reported and not repaired. Allowed is not deleted: a comment counts as a blank (it
/// > separates tokens: `[1/**/2]` is an error), an unterminated `/*` is an error at its place, a
/// > comma before a closer is allowed only after a value; `json_error` is about the text after the
/// > *fix* edits alone."
///
/// > "Where a comment is allowed and the text ends in a `//` comment, closers go on a new line, with
/// > the document's own line ending; nothing is ever closed over an open `/*`."
pub(crate) fn repair_where_comments_are_allowed(text: &str, close_truncated: bool) -> Answer {
    let line_ending = line_ending(text);
    let text: Vec<char> = text.chars().collect();
    let tokens = tokens(&text, Rules { remove_comments: true, ..Rules::NONE });
    let ends_in = |kind: Comment| tokens.last().is_some_and(|token| comment(&text, token) == Some(kind));

    let closes = close_truncated && !ends_in(Comment::UnterminatedBlock);
    let rules = Rules { close_truncated: closes, ..Rules::NONE };
    let mut changes: Vec<Change> = closing(&text, &tokens, rules).into_iter().collect();
    if ends_in(Comment::Line) {
        for closing in &mut changes {
            closing.inserted.insert_str(0, line_ending);
        }
    }
    let result = apply(&text, &changes);

    // What is inserted is inserted at the end, so that places in the text are places in the result.
    let mut blanked = result.clone();
    for token in &tokens {
        if let Some(Comment::Line | Comment::Block) = comment(&text, token) {
            blanked[token.start..token.end].fill(' ');
        }
    }
    let json_error = first_error(&blanked, Commas::SeparateOrTrail).err();
    answer(&text, changes, result, json_error)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comment {
    Line,
    Block,
    UnterminatedBlock,
}

fn comment(text: &[char], token: &Token) -> Option<Comment> {
    if token.kind != Kind::Comment {
        return None;
    }
    let comment = &text[token.start..token.end];
    if comment.starts_with(&['/', '/']) {
        Some(Comment::Line)
    } else if comment[2..].ends_with(&['*', '/']) {
        Some(Comment::Block)
    } else {
        Some(Comment::UnterminatedBlock)
    }
}

/// The line ending that the text uses first, and LF where it has one line.
fn line_ending(text: &str) -> &'static str {
    let Some(first) = text.find(['\n', '\r']) else {
        return "\n";
    };
    let endings = ["\r\n", "\r", "\n"];
    endings.into_iter().find(|ending| text[first..].starts_with(ending)).expect("one of them")
}

fn answer(text: &[char], changes: Vec<Change>, result: Vec<char>, json_error: Option<Located>) -> Answer {
    let json_error = json_error.map(|(code, at)| Error { code, offset: utf16_length(&result[..at]) });
    Answer {
        changed: !changes.is_empty(),
        valid_json: json_error.is_none(),
        json_error,
        edits: changes
            .iter()
            .map(|change| Edit {
                rule: change.rule,
                offset: utf16_length(&text[..change.start]),
                removed: text[change.start..change.end].iter().collect(),
                inserted: change.inserted.clone(),
            })
            .collect(),
        text: result.into_iter().collect(),
    }
}

/// What is open at the end of a text, in characters of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Where the string begins that the text ends in.
    pub(crate) open_string: Option<usize>,
    pub(crate) open_brackets: Result<Vec<usize>, Mismatch>,
}

/// The first closer that does not match, and the innermost bracket that is open there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) closer: usize,
    pub(crate) opener: Option<usize>,
}

pub(crate) fn end(text: &str, rules: Rules) -> End {
    let text: Vec<char> = text.chars().collect();
    let tokens = tokens(&text, rules);
    let unfinished = |token: &&Token| matches!(token.kind, Kind::UnfinishedString | Kind::UnfinishedEscape);
    End {
        open_string: tokens.last().filter(unfinished).map(|string| string.start),
        open_brackets: open_brackets(&text, &tokens),
    }
}

/// One edit, in characters of the input.
struct Change {
    rule: &'static str,
    start: usize,
    end: usize,
    inserted: String,
}

impl Change {
    fn deletion(rule: &'static str, start: usize, end: usize) -> Change {
        Change { rule, start, end, inserted: String::new() }
    }
}

fn apply(text: &[char], changes: &[Change]) -> Vec<char> {
    let mut result = Vec::new();
    let mut kept_up_to = 0;
    for change in changes {
        result.extend(&text[kept_up_to..change.start]);
        result.extend(change.inserted.chars());
        kept_up_to = change.end;
    }
    result.extend(&text[kept_up_to..]);
    result
}

fn utf16_length(text: &[char]) -> usize {
    text.iter().map(|character| character.len_utf16()).sum()
}

// The scan: what is a string, what is a comment, and what is neither.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A string with its closing quote.
    String,
    /// A string that the text ends in, but not inside an escape.
    UnfinishedString,
    /// A string that the text ends in, inside an escape.
    UnfinishedEscape,
    Comment,
    /// One character that is in no string and in no removed comment.
    Character,
}

struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// > "in one left-to-right pass outside JSON strings"
///
/// > "With `remove_comments` off, `//` and `/*` are ordinary characters"
fn tokens(text: &[char], rules: Rules) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let this = text[start];
        let next = text.get(start + 1).copied();
        let (kind, end) = if this == '"' {
            string(text, start)
        } else if rules.remove_comments && this == '/' && next == Some('/') {
            (Kind::Comment, end_of_line_comment(text, start))
        } else if rules.remove_comments && this == '/' && next == Some('*') {
            (Kind::Comment, end_of_block_comment(text, start))
        } else {
            (Kind::Character, start + 1)
        };
        tokens.push(Token { kind, start, end });
        start = end;
    }
    tokens
}

fn string(text: &[char], opening_quote: usize) -> (Kind, usize) {
    let mut at = opening_quote + 1;
    loop {
        match text.get(at) {
            None => return (Kind::UnfinishedString, text.len()),
            Some('"') => return (Kind::String, at + 1),
            Some('\\') => match end_of_escape(text, at) {
                None => return (Kind::UnfinishedEscape, text.len()),
                Some(end) => at = end,
            },
            Some(_) => at += 1,
        }
    }
}

/// > "`\` at the end, or `\u` with fewer than 4 hex digits at the end, is "inside an escape" [...].
/// > `\u12zz` is a bad escape, but it is over; the string goes on"
fn end_of_escape(text: &[char], backslash: usize) -> Option<usize> {
    let escaped = text.get(backslash + 1)?;
    if *escaped != 'u' {
        return Some(backslash + 2);
    }
    for at in backslash + 2..backslash + 6 {
        let digit = text.get(at)?;
        if !digit.is_ascii_hexdigit() {
            return Some(at);
        }
    }
    Some(backslash + 6)
}

/// > "up to, not including, the next LF or CR, or the end. Lone CR ends it; U+2028 does not"
fn end_of_line_comment(text: &[char], start: usize) -> usize {
    (start..text.len()).find(|&at| text[at] == '\n' || text[at] == '\r').unwrap_or(text.len())
}

/// > "through the next `*/` that starts at or after 2 characters on (`/*/` is still open), or the
/// > end"
fn end_of_block_comment(text: &[char], start: usize) -> usize {
    (start + 2..text.len())
        .find(|&at| text[at] == '*' && text.get(at + 1) == Some(&'/'))
        .map_or(text.len(), |star| star + 2)
}

/// > "space, tab, LF, CR; nothing else (no BOM, NBSP, U+2028)"
fn is_json_whitespace(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

// The rules.

/// > "remove_comments deletes '//' through the end of its line (the LF/CR is kept) and '/*' through
/// > the next '*/' (or the end of the text)."
fn comment_deletions(tokens: &[Token], rules: Rules) -> Vec<Change> {
    if !rules.remove_comments {
        return Vec::new();
    }
    tokens
        .iter()
        .filter(|token| token.kind == Kind::Comment)
        .map(|comment| Change::deletion(REMOVE_COMMENTS, comment.start, comment.end))
        .collect()
}

fn is_comma(text: &[char], token: &Token) -> bool {
    token.kind == Kind::Character && text[token.start] == ','
}

/// > "skipping JSON whitespace and removed comments"
fn next_significant<'a>(text: &[char], following: &'a [Token]) -> Option<&'a Token> {
    following.iter().find(|token| match token.kind {
        Kind::Comment => false,
        Kind::Character => !is_json_whitespace(text[token.start]),
        Kind::String | Kind::UnfinishedString | Kind::UnfinishedEscape => true,
    })
}

/// > "remove_trailing_commas deletes a ',' whose next significant character [...] is '}' or ']'.
/// > Only that last comma is deleted, so ',,]' stays invalid."
///
/// > "whatever stands before it, so `[,]` gives `[]`; the closer need not match"
fn trailing_comma_deletions(text: &[char], tokens: &[Token], rules: Rules) -> Vec<Change> {
    if !rules.remove_trailing_commas {
        return Vec::new();
    }
    let mut deletions = Vec::new();
    for (index, comma) in tokens.iter().enumerate() {
        if !is_comma(text, comma) {
            continue;
        }
        let Some(next) = next_significant(text, &tokens[index + 1..]) else {
            continue;
        };
        if next.kind == Kind::Character && matches!(text[next.start], '}' | ']') {
            deletions.push(Change::deletion(REMOVE_TRAILING_COMMAS, comma.start, comma.end));
        }
    }
    deletions
}

/// > "With close_truncated it also deletes a ',' left dangling at the end of a truncated text."
///
/// > "deleted only when close_truncated closes something, and both rules are on; logged as
/// > `remove_trailing_commas`. So `1,` and `{"a":[1},` keep theirs"
fn dangling_comma_deletion(text: &[char], tokens: &[Token], rules: Rules) -> Option<Change> {
    if !rules.remove_trailing_commas || !rules.close_truncated {
        return None;
    }
    closing(text, tokens, rules)?;
    let (index, comma) = tokens.iter().enumerate().rfind(|(_, token)| is_comma(text, token))?;
    if next_significant(text, &tokens[index + 1..]).is_some() {
        return None;
    }
    Some(Change::deletion(REMOVE_TRAILING_COMMAS, comma.start, comma.end))
}

/// > "close_truncated appends, at the end of the text, '"' if the text ends inside a string, then
/// > the closer of every still-open bracket (innermost first). It is skipped when any closer did
/// > not match the innermost open bracket, when the text ends inside a string escape, or when
/// > nothing is open."
///
/// > "neither a string nor a bracket; a cut top-level string `"ab` is closed"
fn closing(text: &[char], tokens: &[Token], rules: Rules) -> Option<Change> {
    if !rules.close_truncated {
        return None;
    }
    let open = open_brackets(text, tokens).ok()?;
    let mut inserted = String::new();
    match tokens.last().map(|token| token.kind) {
        Some(Kind::UnfinishedEscape) => return None,
        Some(Kind::UnfinishedString) => inserted.push('"'),
        Some(Kind::String | Kind::Comment | Kind::Character) | None => {}
    }
    inserted.extend(open.into_iter().rev().map(|opener| closer_of(text[opener])));
    if inserted.is_empty() {
        return None;
    }
    Some(Change { rule: CLOSE_TRUNCATED, start: text.len(), end: text.len(), inserted })
}

/// The brackets that are still open, outermost first, unless a closer did not match:
///
/// > "a closer that is not the innermost open bracket's, or that comes with nothing open"
fn open_brackets(text: &[char], tokens: &[Token]) -> Result<Vec<usize>, Mismatch> {
    let mut open: Vec<usize> = Vec::new();
    for token in tokens {
        if token.kind != Kind::Character {
            continue;
        }
        let closer = match text[token.start] {
            '{' | '[' => {
                open.push(token.start);
                continue;
            }
            closer @ ('}' | ']') => closer,
            _ => continue,
        };
        let innermost = open.pop();
        if innermost.map(|opener| closer_of(text[opener])) != Some(closer) {
            return Err(Mismatch { closer: token.start, opener: innermost });
        }
    }
    Ok(open)
}

fn closer_of(opener: char) -> char {
    match opener {
        '{' => '}',
        '[' => ']',
        other => unreachable!("{other:?} opens nothing"),
    }
}

// The recheck: RFC 8259, and where a text stops being the beginning of one.

/// What is still to come, as far as the grammar can tell at some place in a text.
enum Owed {
    Value,
    /// After `[`: `]`, or a value and then `MoreElements`.
    FirstElement,
    /// After an element: `]`, or a comma, a value and then `MoreElements`.
    MoreElements,
    /// After `{`: `}`, or a member and then `MoreMembers`.
    FirstMember,
    /// After a member: `}`, or a comma, a member and then `MoreMembers`.
    MoreMembers,
    Member,
    Colon,
}

/// What a comma may be: RFC 8259 knows only one that separates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commas {
    Separate,
    SeparateOrTrail,
}

/// An error's code and its place, in characters.
type Located = (&'static str, usize);

/// > "`offset` is where the text stops being the beginning of any RFC 8259 text: the first character
/// > that cannot be there, or the length where more is owed. [...] anything after the one value
/// > `trailing_content`, all else `unexpected_character`. [...] Running out of text is always
/// > `unexpected_end`"
fn first_error(text: &[char], commas: Commas) -> Result<(), Located> {
    // The next thing owed is the last of the list.
    let mut owed = vec![Owed::Value];
    let mut at = 0;
    loop {
        while at < text.len() && is_json_whitespace(text[at]) {
            at += 1;
        }
        let Some(next) = owed.pop() else {
            return if at == text.len() { Ok(()) } else { Err(("trailing_content", at)) };
        };
        let Some(&character) = text.get(at) else {
            return Err(("unexpected_end", at));
        };
        match (next, character) {
            (Owed::FirstElement | Owed::MoreElements, ']') => at += 1,
            (Owed::FirstMember | Owed::MoreMembers, '}') => at += 1,
            (Owed::FirstElement, _) => owed.extend([Owed::MoreElements, Owed::Value]),
            (Owed::MoreElements, ',') => {
                match commas {
                    Commas::Separate => owed.extend([Owed::MoreElements, Owed::Value]),
                    // Behind such a comma may stand what may stand behind the opener.
                    Commas::SeparateOrTrail => owed.push(Owed::FirstElement),
                }
                at += 1;
            }
            (Owed::FirstMember, _) => owed.extend([Owed::MoreMembers, Owed::Member]),
            (Owed::MoreMembers, ',') => {
                match commas {
                    Commas::Separate => owed.extend([Owed::MoreMembers, Owed::Member]),
                    Commas::SeparateOrTrail => owed.push(Owed::FirstMember),
                }
                at += 1;
            }
            (Owed::Member, '"') => {
                owed.extend([Owed::Value, Owed::Colon]);
                at = after_string(text, at)?;
            }
            (Owed::Colon, ':') => at += 1,
            (Owed::Value, '[') => {
                owed.push(Owed::FirstElement);
                at += 1;
            }
            (Owed::Value, '{') => {
                owed.push(Owed::FirstMember);
                at += 1;
            }
            (Owed::Value, '"') => at = after_string(text, at)?,
            (Owed::Value, '-' | '0'..='9') => at = after_number(text, at)?,
            (Owed::Value, 't') => at = after_literal(text, at, "true")?,
            (Owed::Value, 'f') => at = after_literal(text, at, "false")?,
            (Owed::Value, 'n') => at = after_literal(text, at, "null")?,
            _ => return Err(("unexpected_character", at)),
        }
    }
}

/// The place after the one character at `at`, if `allowed` allows it there.
fn after_one(
    text: &[char],
    at: usize,
    code_if_not_allowed: &'static str,
    allowed: impl Fn(char) -> bool,
) -> Result<usize, Located> {
    match text.get(at) {
        None => Err(("unexpected_end", at)),
        Some(&character) if allowed(character) => Ok(at + 1),
        Some(_) => Err((code_if_not_allowed, at)),
    }
}

/// > "`code` names what was being read: a literal `invalid_literal`"
///
/// > "`tru` at the end: unexpected_end at 3. `trux`: invalid_literal at 3."
fn after_literal(text: &[char], start: usize, literal: &str) -> Result<usize, Located> {
    let mut at = start;
    for expected in literal.chars() {
        at = after_one(text, at, "invalid_literal", |character| character == expected)?;
    }
    Ok(at)
}

/// > "a number `invalid_number`"
///
/// > "A complete number or literal is over: only a digit after a leading 0 still belongs to it."
///
/// > "`01`: invalid_number at 1. `-x`, `1.x`, `1e+x`: invalid_number at the x."
///
/// RFC 8259, section 6: `number = [ minus ] int [ frac ] [ exp ]`.
fn after_number(text: &[char], start: usize) -> Result<usize, Located> {
    let mut at = start;
    if text[at] == '-' {
        at += 1;
    }
    if text.get(at) == Some(&'0') {
        at += 1;
        if text.get(at).is_some_and(char::is_ascii_digit) {
            return Err(("invalid_number", at));
        }
    } else {
        at = after_digits(text, at)?;
    }
    if text.get(at) == Some(&'.') {
        at = after_digits(text, at + 1)?;
    }
    if matches!(text.get(at), Some('e' | 'E')) {
        at += 1;
        if matches!(text.get(at), Some('+' | '-')) {
            at += 1;
        }
        at = after_digits(text, at)?;
    }
    Ok(at)
}

/// At least one digit, and all that follow it.
fn after_digits(text: &[char], start: usize) -> Result<usize, Located> {
    let mut at = after_one(text, start, "invalid_number", |digit| digit.is_ascii_digit())?;
    while text.get(at).is_some_and(char::is_ascii_digit) {
        at += 1;
    }
    Ok(at)
}

/// > "an escape `invalid_escape`, a raw control character in a string
/// > `control_character_in_string`"
///
/// > "Inside an escape, `invalid_escape` wins over a raw control character."
///
/// > "Lone surrogate escapes [...] are valid"
fn after_string(text: &[char], opening_quote: usize) -> Result<usize, Located> {
    let mut at = opening_quote + 1;
    loop {
        match text.get(at) {
            Some('"') => return Ok(at + 1),
            Some('\\') => {
                let is_unicode_escape = text.get(at + 1) == Some(&'u');
                at = after_one(text, at + 1, "invalid_escape", |escaped| "\"\\/bfnrtu".contains(escaped))?;
                if is_unicode_escape {
                    for _ in 0..4 {
                        at = after_one(text, at, "invalid_escape", |digit| digit.is_ascii_hexdigit())?;
                    }
                }
            }
            _ => {
                at = after_one(text, at, "control_character_in_string", |character| character >= ' ')?;
            }
        }
    }
}
