//! What is behind an error: the defects that people's texts really have, by
//! name.
//!
//! An error of the grammar says where a text stops being JSON, and what could
//! have stood there. Its [`Defect`] says what happened: quotes of the wrong
//! kind, a lost comma, a cut. [`find`] names it from the [`Report`] and from
//! the text around the error.
//!
//! **Nothing here repairs.** A defect is told, and why it is left alone.
//!
//! **A defect is named only where it is seen.** Where nothing is recognised
//! there is no name, and what was expected and found has to do.
//!
//! **No look goes further than [`REACH`]**, whatever the length of the text.

mod between;
mod cut;
mod site;
mod string;
#[cfg(test)]
mod tests;
mod word;
mod wrapping;

use std::ops::Range;

use crate::repair::{JsonErrorCode, Origin, Report, Text};
pub(crate) use cut::openers;
use site::Site;
pub(crate) use site::is_delimiter;

/// How far from an error, and from the end of the text, its defect is looked
/// for. Bytes.
pub const REACH: usize = 64 * 1024;

/// What happened to a text that is not JSON.
///
/// `editors/defects.md` has a section on each, under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defect {
    /// A byte order mark before the JSON.
    ByteOrderMark,
    /// A blank or an unseen character that JSON does not take for a blank.
    InvisibleCharacter,
    /// A Markdown code fence around the JSON, or behind it.
    MarkdownFence,
    /// Words or code before or behind the JSON.
    Prose,
    /// A comment that nobody removes: its rule is off, it is not terminated,
    /// or it begins with `#`.
    Comment,
    /// `...` for something that was left out.
    Ellipsis,
    /// A string or key in single quotes or backticks.
    SingleQuotes,
    /// Typographic quotes around a string or key.
    SmartQuotes,
    /// A key without quotes.
    UnquotedKey,
    /// A string without quotes, or a word that JSON does not have.
    UnquotedString,
    /// A quote inside a string that no backslash escapes.
    UnescapedQuote,
    /// Python's `True`, `False` and `None`.
    PythonLiteral,
    /// JavaScript's `undefined`.
    Undefined,
    /// `true`, `false` or `null` in other letters.
    LiteralCase,
    /// `NaN`, `Infinity` and their relatives.
    NonFiniteNumber,
    /// A hexadecimal, octal or binary number.
    HexadecimalNumber,
    /// A number with superfluous zeros before it.
    LeadingZero,
    /// A number with a plus sign.
    PlusSign,
    /// A number without a digit on one side of its decimal point.
    BareDecimalPoint,
    /// Several values where one may stand.
    SeveralValues,
    /// A trailing comma that nobody removes: its rule is off, or it stands
    /// outside of brackets.
    TrailingComma,
    /// A comma where a value or a key is expected.
    ExtraComma,
    /// No comma between two values.
    MissingComma,
    /// No colon between a key and its value.
    MissingColon,
    /// A key without a value, in the middle of the text.
    MissingValue,
    /// A bracket that is not closed before what comes next.
    MissingCloser,
    /// A closer of another kind than the bracket that is open.
    MismatchedBracket,
    /// A closer with nothing open.
    ExtraCloser,
    /// A string that goes on behind the end of its line.
    LineBreakInString,
    /// A control character in a string.
    ControlCharacter,
    /// A backslash that begins no escape.
    BadEscape,
    /// The text ends before a value.
    CutBeforeValue,
    /// The text ends inside `true`, `false` or `null`.
    CutInLiteral,
    /// The text ends inside a number.
    CutInNumber,
    /// The text ends inside an escape.
    CutInEscape,
    /// The text is cut off, and closing it is off.
    NotClosed,
}

/// A place that has to do with a problem, and what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// Bytes of the source.
    pub range: Range<usize>,
    /// What this place has to do with the problem.
    pub message: String,
}

impl Defect {
    /// Every defect, in the order of the page that explains them.
    pub const ALL: [Defect; 36] = [
        Defect::MarkdownFence,
        Defect::Prose,
        Defect::SeveralValues,
        Defect::ByteOrderMark,
        Defect::InvisibleCharacter,
        Defect::SingleQuotes,
        Defect::SmartQuotes,
        Defect::UnquotedKey,
        Defect::UnquotedString,
        Defect::PythonLiteral,
        Defect::Undefined,
        Defect::LiteralCase,
        Defect::NonFiniteNumber,
        Defect::HexadecimalNumber,
        Defect::LeadingZero,
        Defect::PlusSign,
        Defect::BareDecimalPoint,
        Defect::MissingComma,
        Defect::MissingColon,
        Defect::MissingValue,
        Defect::ExtraComma,
        Defect::TrailingComma,
        Defect::MismatchedBracket,
        Defect::ExtraCloser,
        Defect::MissingCloser,
        Defect::UnescapedQuote,
        Defect::LineBreakInString,
        Defect::ControlCharacter,
        Defect::BadEscape,
        Defect::Comment,
        Defect::Ellipsis,
        Defect::CutBeforeValue,
        Defect::CutInLiteral,
        Defect::CutInNumber,
        Defect::CutInEscape,
        Defect::NotClosed,
    ];

    /// Its name, which is also the anchor of its section on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Defect::ByteOrderMark => "byte-order-mark",
            Defect::InvisibleCharacter => "invisible-character",
            Defect::MarkdownFence => "markdown-fence",
            Defect::Prose => "prose",
            Defect::Comment => "comment",
            Defect::Ellipsis => "ellipsis",
            Defect::SingleQuotes => "single-quotes",
            Defect::SmartQuotes => "smart-quotes",
            Defect::UnquotedKey => "unquoted-key",
            Defect::UnquotedString => "unquoted-string",
            Defect::UnescapedQuote => "unescaped-quote",
            Defect::PythonLiteral => "python-literal",
            Defect::Undefined => "undefined",
            Defect::LiteralCase => "literal-case",
            Defect::NonFiniteNumber => "non-finite-number",
            Defect::HexadecimalNumber => "hexadecimal-number",
            Defect::LeadingZero => "leading-zero",
            Defect::PlusSign => "plus-sign",
            Defect::BareDecimalPoint => "bare-decimal-point",
            Defect::SeveralValues => "several-values",
            Defect::TrailingComma => "trailing-comma",
            Defect::ExtraComma => "extra-comma",
            Defect::MissingComma => "missing-comma",
            Defect::MissingColon => "missing-colon",
            Defect::MissingValue => "missing-value",
            Defect::MissingCloser => "missing-closer",
            Defect::MismatchedBracket => "mismatched-bracket",
            Defect::ExtraCloser => "extra-closer",
            Defect::LineBreakInString => "line-break-in-string",
            Defect::ControlCharacter => "control-character",
            Defect::BadEscape => "bad-escape",
            Defect::CutBeforeValue => "cut-before-value",
            Defect::CutInLiteral => "cut-in-literal",
            Defect::CutInNumber => "cut-in-number",
            Defect::CutInEscape => "cut-in-escape",
            Defect::NotClosed => "not-closed",
        }
    }

    /// Why it is left alone.
    pub const fn why(self) -> &'static str {
        match self {
            Defect::ByteOrderMark => "it belongs to the encoding of the file, not to its JSON",
            Defect::InvisibleCharacter => "it may be text that lost its quotes, or damage",
            Defect::MarkdownFence | Defect::Prose => "what of the text is meant is not ours to choose",
            Defect::Comment => "no rule that is on removes it",
            Defect::Ellipsis => "what it stands for is not known",
            Defect::SingleQuotes | Defect::SmartQuotes => "where such a string ends is a guess",
            Defect::UnquotedKey => "where such a key ends is a guess",
            Defect::UnquotedString => "it may be a string, a name or a slip",
            Defect::UnescapedQuote => "which of the quotes ends the string is a guess",
            Defect::PythonLiteral | Defect::LiteralCase => "it may be a string that lost its quotes",
            Defect::Undefined => "`null`, `\"undefined\"` and no member at all are different things",
            Defect::NonFiniteNumber => "JSON has no such number, and another value would be invented",
            Defect::HexadecimalNumber => "it may be a number or an identifier",
            Defect::LeadingZero => "it may be decimal, octal or a string such as a postal code",
            Defect::PlusSign | Defect::BareDecimalPoint => "it may be a number or a string",
            Defect::SeveralValues => "whether one of them is meant or a list is not ours to choose",
            Defect::TrailingComma => "no rule that is on removes it",
            Defect::ExtraComma => "a value may be missing, or a comma be too many",
            Defect::MissingComma | Defect::MissingColon => "more than that may be missing",
            Defect::MissingValue => "a value is never invented",
            Defect::MissingCloser => "where it belongs is a guess",
            Defect::MismatchedBracket => "which of the two is wrong is a guess",
            Defect::ExtraCloser => "what should have opened it is not known",
            Defect::LineBreakInString => "whether the next line belongs to it is a guess",
            Defect::ControlCharacter => "it may be meant, or be damage",
            Defect::BadEscape => "what was meant by it is a guess",
            Defect::CutBeforeValue | Defect::CutInNumber => "what is missing is not invented",
            Defect::CutInLiteral => "what is missing is not invented, however likely it is",
            Defect::CutInEscape => "closed here, the string would hold a character that nobody wrote",
            Defect::NotClosed => "`close_truncated` is off",
        }
    }
}

/// A defect of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub defect: Defect,
    /// What it looks like in this text.
    pub what: String,
    /// Where it ends that begins at the error, where that is not the end of a
    /// token. A byte of the source.
    pub end: Option<usize>,
    /// Where it comes from, if not from where the error is.
    pub related: Vec<RelatedPlace>,
}

impl Finding {
    fn new(defect: Defect, what: impl Into<String>) -> Finding {
        Finding { defect, what: what.into(), end: None, related: Vec::new() }
    }

    /// Adds a place, unless it is none.
    fn with(mut self, range: Range<usize>, message: impl Into<String>) -> Finding {
        if !range.is_empty() {
            self.related.push(RelatedPlace { range, message: message.into() });
        }
        self
    }

    /// What it is, and why it is left alone.
    pub fn message(&self) -> String {
        format!("{} (left alone: {})", self.what, self.defect.why())
    }
}

/// The defect behind the error of `report`; `None` if there is no error, or
/// none that has a name.
///
/// Looks at no more than [`REACH`] of the text before the error, behind it, and
/// before its end.
pub fn find(text: &(impl Text + ?Sized), report: &Report) -> Option<Finding> {
    let error = report.json_error()?;
    match report.json_error_origin()? {
        Origin::Source(at) if at < report.candidate_len() => {
            let site = Site::new(text, report, at);
            match error.code {
                JsonErrorCode::InvalidEscape => Some(string::bad_escape(&site)),
                JsonErrorCode::ControlCharacterInString => Some(string::control_character(&site)),
                _ => between::find(&site, text, error),
            }
        }
        Origin::Source(_) | Origin::Inserted(_) => {
            cut::find(&Site::new(text, report, report.candidate_len()), error)
        }
    }
}
