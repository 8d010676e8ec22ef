//! The repair engine: a text in, its edits and its first error out.
//!
//! Two automata run over the text in one pass: [`scan`] finds the edits, and
//! [`grammar`] reads what they leave and finds where it is not RFC 8259. Both
//! can be stopped and resumed at any byte.
//!
//! **The engine speaks bytes.** UTF-16 code units belong to the contract's
//! JSON and to LSP positions, and nothing here has heard of either.

mod doubt;
mod edit;
mod grammar;
mod rules;
mod scan;

use std::ops::Range;

pub use doubt::Doubt;
pub use edit::{Edit, Edits, Origin};
pub use grammar::{Expected, JsonError, JsonErrorCode};
pub(crate) use grammar::{Grammar, is_blank};
pub use rules::{Policy, Rule, RuleSet, Treatment, UnknownRule};
use scan::Scan;
pub use scan::{Mismatch, Opener};

/// What the rules would change in a text, and what is wrong with the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Every change, in order. Byte offsets of the source.
    pub edits: Edits,
    /// Where the text after the edits stops being JSON; `None` if it is valid.
    pub json_error: Option<JsonError>,
    /// Where the string begins that is open at the end of the source.
    pub open_string: Option<usize>,
    /// The brackets that are open at the end of the source, outermost first.
    /// Means nothing where `mismatch` is set.
    pub open_brackets: Vec<Opener>,
    /// The first closer that is not the innermost open bracket's. Where there
    /// is one, nothing is closed.
    pub mismatch: Option<Mismatch>,
}

/// Repairs a text: applies the rules, then validates what they leave.
///
/// Total on any text and linear in its length, whatever its nesting.
///
/// ```
/// use json_repair_lsp::repair::{RuleSet, repair};
///
/// let text = r#"{"list": [1, 2,], // two"#;
/// let repair = repair(text, RuleSet::ALL);
/// assert_eq!(r#"{"list": [1, 2] }"#, repair.edits.apply(text));
/// assert_eq!(None, repair.json_error);
/// ```
pub fn repair(text: &str, policy: impl Into<Policy>) -> Repair {
    repair_pieces([text], line_ending(text), policy.into())
}

/// Repairs the candidate of a document: its text without its final line
/// endings ([`candidate`]).
///
/// Where closers must go on a line of their own, the line ends as the
/// document's lines do.
pub fn repair_document(document: &str, policy: impl Into<Policy>) -> Repair {
    repair_pieces([candidate(document)], line_ending(document), policy.into())
}

fn repair_pieces<'text>(
    pieces: impl IntoIterator<Item = &'text str>,
    line_ending: &str,
    policy: Policy,
) -> Repair {
    let mut scan = Scan::new(policy);
    for piece in pieces {
        scan.feed(piece.as_bytes());
    }
    let scanned = scan.end(line_ending);
    Repair {
        edits: Edits::new(scanned.edits),
        json_error: scanned.json_error,
        open_string: scanned.open_string,
        open_brackets: scanned.open_brackets,
        mismatch: scanned.mismatch,
    }
}

impl Repair {
    /// Whether the text after the edits is JSON.
    pub fn is_valid(&self) -> bool {
        self.json_error.is_none()
    }

    /// Why the edit at `index` is doubtful, if it is. `source` is the text
    /// that was repaired.
    ///
    /// Linear in the blanks and comments that touch the edit.
    pub fn doubt(&self, source: &str, index: usize) -> Option<Doubt> {
        doubt::doubts(source, self, index..index + 1)[0]
    }

    /// The doubts about the edits at `indices`, one entry an edit.
    pub fn doubts(&self, source: &str, indices: Range<usize>) -> Vec<Option<Doubt>> {
        doubt::doubts(source, self, indices)
    }

    /// The unasked repair: the edits that may be made to `source` without
    /// anybody's asking for each of them.
    ///
    /// All of them, when the result is valid and none is doubtful; otherwise
    /// none. So it is idempotent, and never leaves half a job.
    pub fn unasked(&self, source: &str) -> &[Edit] {
        let is_certain =
            self.is_valid() && self.doubts(source, 0..self.edits.len()).iter().all(Option::is_none);
        if is_certain { &self.edits } else { &[] }
    }

    /// The last token of `source` that no edit deletes and that begins before
    /// `end`: where an error at the end of the text can be seen and reached.
    /// What is deleted counts when there is nothing else.
    ///
    /// A token that spans lines is cut to its last one. Bytes; empty only if
    /// all of `source` is blank.
    pub fn last_token(&self, source: &str) -> Range<usize> {
        let bytes = source.as_bytes();
        let mut end = bytes.len();
        let mut edits = self.edits.iter().rev().filter(|edit| !edit.range.is_empty()).peekable();
        loop {
            while end > 0 && is_blank(bytes[end - 1]) {
                end -= 1;
            }
            match edits.next_if(|edit| edit.range.end == end) {
                Some(edit) => end = edit.range.start,
                None => break,
            }
        }
        if end == 0 {
            end = source.trim_end_matches(BLANKS).len();
        }
        let start = match self.open_string {
            Some(string) if string < end => string,
            _ => token_start(source, end),
        };
        let line_start = bytes[start..end].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
        line_start.map_or(start, |at| start + at + 1)..end
    }
}

/// The white space of RFC 8259.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// The part of a document that is repaired: all but its final line endings.
///
/// Editors add one, and it would end up inside a cut string, with the closers
/// behind it.
pub fn candidate(document: &str) -> &str {
    document.trim_end_matches(['\n', '\r'])
}

/// Whether a text is nothing but JSON's white space.
pub fn is_blank_text(text: &str) -> bool {
    text.bytes().all(is_blank)
}

/// The line ending that `text` uses first; LF if it has a single line.
fn line_ending(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Where the token ends that begins at `start`: a bracket, comma or colon is
/// one byte, a string ends with its quote or its line, anything else at the
/// next of these or a blank. At least one character, at most `text`'s rest.
pub fn token_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let Some(first) = rest.chars().next() else { return start };
    let length = match first {
        '"' => string_length(rest),
        first if is_delimiter(first) => first.len_utf8(),
        _ => rest.find(is_delimiter).unwrap_or(rest.len()),
    };
    start + length
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' | b'\r' => return at,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Where the token begins that ends at `end`, outside of an open string.
fn token_start(text: &str, end: usize) -> usize {
    let before = &text[..end];
    let Some(last) = before.chars().next_back() else { return 0 };
    if last == '"' {
        // The quote that ended a string: the string began at the next quote
        // to the left that no backslash escapes.
        let bytes = before.as_bytes();
        let mut at = end - 1;
        while let Some(quote) = before[..at].rfind('"') {
            let backslashes = bytes[..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
            if backslashes % 2 == 0 {
                return quote;
            }
            at = quote;
        }
        return end - 1;
    }
    if is_delimiter(last) {
        return end - last.len_utf8();
    }
    before.rfind(is_delimiter).map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8))
}

fn is_delimiter(character: char) -> bool {
    matches!(character, '{' | '}' | '[' | ']' | ',' | ':' | '"') || BLANKS.contains(&character)
}
