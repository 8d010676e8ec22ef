//! Doubtful edits: what the contract asks for, but a person may not mean.

use std::{fmt, ops::Range};

use super::{Repair, edit::Edits, grammar::is_blank, rules::Rule};

/// Why an edit is offered, but never made unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// An unterminated `/*` takes all the text behind it. Someone may just be
    /// typing it above a document.
    UnterminatedComment,
    /// The comment is all that separates two tokens: `1/**/2` becomes `12`.
    JoinsTokens,
    /// The comma stands right behind another comma or an opening bracket:
    /// the value between them may be missing. In `[1,,]` the next repair would
    /// take the next comma.
    ValueMayBeMissing,
    /// The string that is closed holds a `}` or `]`: it is likelier that its
    /// closing quote was lost than that the text was cut inside it.
    QuoteMayBeMissing,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::UnterminatedComment => "it is not terminated and takes the rest of the text",
            Doubt::JoinsTokens => "it is all that separates two tokens",
            Doubt::ValueMayBeMissing => "a value may be missing before it",
            Doubt::QuoteMayBeMissing => {
                "the string holds a bracket: its closing quote may be missing elsewhere"
            }
        })
    }
}

/// The doubts about the edits at `indices` of `repair`, one entry an edit.
///
/// Linear in these edits and the blanks and comments that touch them.
pub(super) fn doubts(source: &str, repair: &Repair, indices: Range<usize>) -> Vec<Option<Doubt>> {
    let edits = &repair.edits;
    let mut doubts = Vec::with_capacity(indices.len());
    let mut index = indices.start;
    while index < indices.end {
        let edit = &edits[index];
        match edit.rule {
            Rule::RemoveComments => {
                // Comments that touch one another are one gap.
                let run = comment_run(edits, index);
                let joins = joins_tokens(source, edits[run.start].range.start..edits[run.end - 1].range.end);
                for edit in &edits[index..run.end.min(indices.end)] {
                    doubts.push(if is_unterminated(edit.removed(source)) {
                        Some(Doubt::UnterminatedComment)
                    } else {
                        joins.then_some(Doubt::JoinsTokens)
                    });
                }
            }
            Rule::RemoveTrailingCommas => {
                let before = significant_before(source, edits, index);
                let is_gap = matches!(before, Some(b',' | b'[' | b'{'));
                doubts.push(is_gap.then_some(Doubt::ValueMayBeMissing));
            }
            Rule::CloseTruncated => {
                let string = repair.open_string.map_or("", |start| &source[start..]);
                doubts.push(string.contains(['}', ']']).then_some(Doubt::QuoteMayBeMissing));
            }
        }
        index = indices.start + doubts.len();
    }
    doubts
}

/// The comments around the one at `index` that touch it and one another.
fn comment_run(edits: &Edits, index: usize) -> Range<usize> {
    let touch = |first: usize| {
        edits[first + 1].rule == Rule::RemoveComments
            && edits[first].rule == Rule::RemoveComments
            && edits[first].range.end == edits[first + 1].range.start
    };
    let mut run = index..index + 1;
    while run.start > 0 && touch(run.start - 1) {
        run.start -= 1;
    }
    while run.end < edits.len() && touch(run.end - 1) {
        run.end += 1;
    }
    run
}

fn joins_tokens(source: &str, gap: Range<usize>) -> bool {
    let before = source[..gap.start].bytes().next_back();
    let after = source[gap.end..].bytes().next();
    before.is_some_and(is_token_byte) && after.is_some_and(is_token_byte)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-')
}

fn is_unterminated(comment: &str) -> bool {
    comment.starts_with("/*") && (comment.len() < 4 || !comment.ends_with("*/"))
}

/// The last byte before the edit at `index` that is neither blank nor in a
/// deleted comment.
fn significant_before(source: &str, edits: &Edits, index: usize) -> Option<u8> {
    let bytes = source.as_bytes();
    let mut end = edits[index].range.start;
    let mut comments = edits[..index].iter().rev().peekable();
    loop {
        while end > 0 && is_blank(bytes[end - 1]) {
            end -= 1;
        }
        match comments.next_if(|edit| edit.rule == Rule::RemoveComments && edit.range.end == end) {
            Some(comment) => end = comment.range.start,
            None => return end.checked_sub(1).map(|last| bytes[last]),
        }
    }
}
