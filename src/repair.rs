//! The repair engine: a text in, its edits and its first error out.
//!
//! Two automata run over the text in one pass: `scan` finds the edits, and
//! `grammar` reads what they leave and finds where it is not RFC 8259. Both
//! can be stopped and resumed at any byte. `segments` keeps what they found of
//! a text that changes, so that a change costs what it touches, and has it added
//! up by `sum`; `fold` ends the text, and [`Report`] answers from that. [`Lines`]
//! does all that for a document each line of which is a text.
//!
//! **The engine speaks bytes.** Offsets in UTF-16 code units belong to the
//! contract's JSON and to LSP positions; nothing here goes by them. Only the
//! lengths of deleted text are counted in both ([`Extent`]).

mod blocks;
mod deletions;
mod doubt;
mod edit;
mod fold;
mod grammar;
mod lines;
mod report;
mod rules;
mod scan;
mod segments;
mod sum;
mod text;
mod tokens;

pub use doubt::Doubt;
pub use edit::{Edit, Edits, Origin};
pub use grammar::{Bracket, Expected, JsonError, JsonErrorCode};
pub(crate) use grammar::{Grammar, is_blank};
pub use lines::{Line, Lines, doubt_by_next, is_fine};
pub use report::{Mismatch, Report};
pub use rules::{Policy, Rule, RuleSet, Treatment, UnknownRule};
pub(crate) use scan::utf16_len;
pub use scan::{Extent, Opener};

pub use text::{Part, Text, candidate_len};
pub(crate) use tokens::{Token, TokenKind, tokens};

/// What the rules would change in a text, and what is wrong with the result.
///
/// A [`Report`] with every edit made out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Every change, in order. Byte offsets of the source.
    pub edits: Edits,
    /// Where the text after the edits stops being JSON; `None` if it is valid.
    pub json_error: Option<JsonError>,
    /// Where the string begins that is open at the end of the source.
    pub open_string: Option<usize>,
    /// The brackets that are open at the end of the source, outermost first.
    /// None where there is a mismatch.
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
    Repair::from(&Report::of_text(text, policy.into()))
}

/// Repairs the candidate of a document: its text without its final line
/// endings ([`candidate`]).
///
/// Where closers must go on a line of their own, the line ends as the
/// document's lines do.
pub fn repair_document(document: &str, policy: impl Into<Policy>) -> Repair {
    Repair::from(&Report::new(document, policy.into()))
}

impl From<&Report> for Repair {
    fn from(report: &Report) -> Repair {
        let mut open_brackets: Vec<Opener> = report.open_brackets().collect();
        open_brackets.reverse();
        Repair {
            edits: Edits::new(report.edits().collect()),
            json_error: report.json_error(),
            open_string: report.open_string(),
            open_brackets,
            mismatch: report.mismatch(),
        }
    }
}

impl Repair {
    /// Whether the text after the edits is JSON.
    pub fn is_valid(&self) -> bool {
        self.json_error.is_none()
    }

    /// The unasked repair: the edits that may be made without anybody's asking
    /// for each of them.
    ///
    /// All of them, when the result is valid and none is doubtful; otherwise
    /// none. So it is idempotent, and never leaves half a job.
    pub fn unasked(&self) -> &[Edit] {
        let is_certain = self.is_valid() && self.edits.iter().all(|edit| edit.doubt.is_none());
        if is_certain { &self.edits } else { &[] }
    }
}

/// The part of a document that is repaired: all but its final line endings.
pub fn candidate(document: &str) -> &str {
    &document[..candidate_len(document)]
}

/// Whether a text is nothing but JSON's white space.
pub fn is_blank_text(text: &str) -> bool {
    text.bytes().all(is_blank)
}
