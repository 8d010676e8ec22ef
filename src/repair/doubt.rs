//! Doubtful edits: what the contract asks for, but a person may not mean.

use std::fmt;

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
    /// The text ends in a line of closers that stands no deeper than the
    /// brackets that are still open: by its indentation it is whole, and a
    /// bracket is missing in its middle.
    BracketMayBeMissing,
    /// The string that is closed ends in the first half of a surrogate pair's
    /// escapes: `"\ud83d`.
    HalfCharacter,
    /// The line of JSON Lines is closed, and one record seems to stand on several
    /// lines: this one ends where people break lines, or the next one does not
    /// begin as records do.
    LineMayGoOn,
    /// The comment may hold more than was meant to be in it, and its removal
    /// would lose that: a `/* … */` holds the beginning of another; a text is
    /// closed, and a `//` comment in it holds closers that it does not open, or
    /// stands behind its end and holds a quote or a closer, as in `["a, "//b"]`.
    CommentMayHoldText,
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
            Doubt::BracketMayBeMissing => {
                "by its indentation the text is whole: a bracket may be missing before its end"
            }
            Doubt::HalfCharacter => "the string is cut in the middle of a character",
            Doubt::LineMayGoOn => "the next line may belong to it",
            Doubt::CommentMayHoldText => "what is missing in the text may stand in it",
        })
    }
}
