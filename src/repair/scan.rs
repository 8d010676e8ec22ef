//! The scan automaton: strings, comments, brackets and commas, hence the edits.
//!
//! It knows nothing of what JSON may look like, so it stays in step with a
//! text that is far from it. What the edits leave of the text it hands to the
//! grammar automaton beside it, byte by byte, each with its offset in the
//! result.
//!
//! **It can be stopped and resumed at any byte**: [`Scan::feed`] takes a text
//! in pieces, cut anywhere. What it carries across a cut is a few small values
//! and the stack of open brackets; none of it grows with the text.
//!
//! Two questions are open for a while, and are answered by a later byte:
//!
//! - A `/` may begin a comment: the next byte tells.
//! - A comma is a trailing comma if the next significant byte is a closer.
//!   Until then the grammar is not told of it. It is told of the first blank
//!   behind it, though, when the comma goes: in `[-, ]` that blank is what
//!   cannot stand behind the minus sign.

use super::{
    edit::Edit,
    grammar::{Grammar, is_blank},
    rules::{Policy, Rule, Treatment},
};

/// An open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opener {
    /// The byte at which it stands in the source.
    pub offset: usize,
    /// What closes it: `}` or `]`.
    pub closer: u8,
}

/// A closer that is not the innermost open bracket's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The byte at which the closer stands in the source.
    pub closer: usize,
    /// The innermost bracket that was open there.
    pub opener: Option<Opener>,
}

/// What the automaton is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lexical {
    /// Outside of strings and comments.
    Between,
    /// Behind a `/` that may begin a comment.
    Slash,
    /// In a comment that ends before LF or CR.
    LineComment,
    BlockComment,
    /// In a block comment, behind a `*`.
    BlockCommentStar,
    String,
    /// Behind a `\` in a string.
    Escape,
    /// Behind `\u` in a string; so many hexadecimal digits are owed. Anything
    /// else ends the escape, and is an ordinary byte of the string.
    HexDigits(u8),
}

/// A comma that nothing but blanks and comments has followed.
#[derive(Clone, Copy, Debug)]
struct PendingComma {
    offset: usize,
    result_offset: usize,
    /// How many edits stand before it: comments behind it may be known first.
    edits_before: usize,
    /// The result's offset of the first blank behind it, were it deleted.
    first_blank: Option<usize>,
}

/// The automaton. See the module's own words.
#[derive(Debug)]
pub(crate) struct Scan {
    policy: Policy,
    lexical: Lexical,
    /// Where the comment, or the `/` that may begin one, stands.
    comment_start: usize,
    string_start: usize,
    pending_comma: Option<PendingComma>,
    mismatch: Option<Mismatch>,
    open_brackets: Vec<Opener>,
    grammar: Grammar,
    edits: Vec<Edit>,
    /// How many bytes were read, and how many of them `edits` delete.
    read: usize,
    deleted: usize,
}

/// What a scan found out about a whole text.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) edits: Vec<Edit>,
    pub(crate) json_error: Option<super::grammar::JsonError>,
    pub(crate) open_string: Option<usize>,
    pub(crate) open_brackets: Vec<Opener>,
    pub(crate) mismatch: Option<Mismatch>,
}

impl Scan {
    /// At the beginning of a text.
    pub(crate) fn new(policy: Policy) -> Scan {
        Scan {
            policy,
            lexical: Lexical::Between,
            comment_start: 0,
            string_start: 0,
            pending_comma: None,
            mismatch: None,
            open_brackets: Vec::new(),
            grammar: Grammar::new(),
            edits: Vec::new(),
            read: 0,
            deleted: 0,
        }
    }

    /// Reads the next piece of the text, cut at any byte.
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        let mut rest = piece;
        loop {
            // Most bytes of most texts change nothing; they are passed in runs.
            let run = match self.lexical {
                Lexical::String => run_length(rest, |byte| byte >= 0x20 && byte != b'"' && byte != b'\\'),
                Lexical::LineComment => run_length(rest, |byte| byte != b'\n' && byte != b'\r'),
                Lexical::BlockComment => run_length(rest, |byte| byte != b'*'),
                _ => 0,
            };
            self.read += run;
            let Some((&byte, behind)) = rest[run..].split_first() else { return };
            self.step(byte);
            self.read += 1;
            rest = behind;
        }
    }

    /// Reads the byte at `self.read`.
    fn step(&mut self, byte: u8) {
        match self.lexical {
            Lexical::Between => self.step_between(byte),
            Lexical::Slash => match byte {
                b'/' => self.lexical = Lexical::LineComment,
                b'*' => self.lexical = Lexical::BlockComment,
                _ => {
                    self.ordinary_slash();
                    self.step_between(byte);
                }
            },
            Lexical::LineComment => {
                if matches!(byte, b'\n' | b'\r') {
                    self.end_comment(self.read);
                    self.step_between(byte);
                }
            }
            Lexical::BlockComment => {
                if byte == b'*' {
                    self.lexical = Lexical::BlockCommentStar;
                }
            }
            Lexical::BlockCommentStar => match byte {
                b'/' => self.end_comment(self.read + 1),
                b'*' => {}
                _ => self.lexical = Lexical::BlockComment,
            },
            Lexical::String => self.step_string(byte),
            Lexical::Escape => {
                self.keep(byte);
                self.lexical = if byte == b'u' { Lexical::HexDigits(4) } else { Lexical::String };
            }
            Lexical::HexDigits(owed) => {
                if byte.is_ascii_hexdigit() {
                    self.keep(byte);
                    self.lexical = if owed == 1 { Lexical::String } else { Lexical::HexDigits(owed - 1) };
                } else {
                    self.step_string(byte);
                }
            }
        }
    }

    fn step_string(&mut self, byte: u8) {
        self.keep(byte);
        self.lexical = match byte {
            b'"' => Lexical::Between,
            b'\\' => Lexical::Escape,
            _ => Lexical::String,
        };
    }

    fn step_between(&mut self, byte: u8) {
        self.lexical = Lexical::Between;
        match byte {
            blank if is_blank(blank) => self.blank(self.read),
            b'/' if self.policy.treatment(Rule::RemoveComments) != Treatment::Off => {
                self.comment_start = self.read;
                self.lexical = Lexical::Slash;
            }
            b',' => {
                self.keep_pending_comma();
                self.pending_comma = Some(PendingComma {
                    offset: self.read,
                    result_offset: self.read - self.deleted,
                    edits_before: self.edits.len(),
                    first_blank: None,
                });
            }
            b'}' | b']' => {
                self.trailing_comma();
                self.keep(byte);
                match self.open_brackets.last() {
                    Some(opener) if opener.closer == byte => {
                        self.open_brackets.pop();
                    }
                    innermost => {
                        let mismatch = Mismatch { closer: self.read, opener: innermost.copied() };
                        self.mismatch.get_or_insert(mismatch);
                    }
                }
            }
            _ => {
                self.keep_pending_comma();
                self.keep(byte);
                match byte {
                    b'"' => {
                        self.string_start = self.read;
                        self.lexical = Lexical::String;
                    }
                    b'{' => self.open_brackets.push(Opener { offset: self.read, closer: b'}' }),
                    b'[' => self.open_brackets.push(Opener { offset: self.read, closer: b']' }),
                    _ => {}
                }
            }
        }
    }

    /// The byte at `self.read` stays, and the grammar reads it.
    fn keep(&mut self, byte: u8) {
        self.grammar.step(byte, self.read - self.deleted);
    }

    /// A blank, or what counts as one, stands at `offset`.
    fn blank(&mut self, offset: usize) {
        let result_offset = offset - self.deleted;
        match &mut self.pending_comma {
            Some(comma) => {
                comma.first_blank.get_or_insert(result_offset - 1);
            }
            None => self.grammar.step(b' ', result_offset),
        }
    }

    /// The `/` at `self.comment_start` begins no comment.
    fn ordinary_slash(&mut self) {
        self.keep_pending_comma();
        self.grammar.step(b'/', self.comment_start - self.deleted);
    }

    /// The comment that was being read ends before the byte at `end`.
    fn end_comment(&mut self, end: usize) {
        self.lexical = Lexical::Between;
        if self.policy.allows_comments() {
            self.blank(self.comment_start);
        } else {
            self.edits.push(Edit::deletion(Rule::RemoveComments, self.comment_start..end));
            self.deleted += end - self.comment_start;
        }
    }

    /// The pending comma, if there is one, separates what stands around it.
    /// The blanks behind it mean nothing to a grammar that takes the comma.
    fn keep_pending_comma(&mut self) {
        if let Some(comma) = self.pending_comma.take() {
            self.grammar.step(b',', comma.result_offset);
        }
    }

    /// The pending comma, if there is one, stands before a closer.
    fn trailing_comma(&mut self) {
        match self.policy.treatment(Rule::RemoveTrailingCommas) {
            Treatment::Off => self.keep_pending_comma(),
            Treatment::Allow => {
                if self.pending_comma.is_some() {
                    self.keep_pending_comma();
                    self.grammar.allow_trailing_comma();
                }
            }
            Treatment::Fix => {
                if let Some(comma) = self.pending_comma.take() {
                    let range = comma.offset..comma.offset + 1;
                    let edit = Edit::deletion(Rule::RemoveTrailingCommas, range);
                    // Moves the comments behind this comma, and each comment
                    // stands behind one pending comma at most: linear.
                    self.edits.insert(comma.edits_before, edit);
                    self.deleted += 1;
                    if let Some(blank) = comma.first_blank {
                        self.grammar.step(b' ', blank);
                    }
                }
            }
        }
    }

    /// The text is over. `line_ending` is what a line of it ends with.
    pub(crate) fn end(mut self, line_ending: &str) -> Scanned {
        let end = self.read;
        let mut ends_in_allowed_line_comment = false;
        let mut ends_in_allowed_block_comment = false;
        match self.lexical {
            Lexical::Slash => self.ordinary_slash(),
            Lexical::LineComment => {
                ends_in_allowed_line_comment = self.policy.allows_comments();
                self.end_comment(end);
            }
            Lexical::BlockComment | Lexical::BlockCommentStar => {
                if self.policy.allows_comments() {
                    // A dialect with comments has no use for this `/`.
                    ends_in_allowed_block_comment = true;
                    self.ordinary_slash();
                } else {
                    self.end_comment(end);
                }
            }
            _ => {}
        }
        let open_string = match self.lexical {
            Lexical::String | Lexical::Escape | Lexical::HexDigits(_) => Some(self.string_start),
            _ => None,
        };
        let ends_in_escape = matches!(self.lexical, Lexical::Escape | Lexical::HexDigits(_));
        let is_something_open = open_string.is_some() || !self.open_brackets.is_empty();
        if self.policy.treatment(Rule::CloseTruncated) == Treatment::Fix
            && is_something_open
            && self.mismatch.is_none()
            && !ends_in_escape
            && !ends_in_allowed_block_comment
        {
            self.trailing_comma();
            let mut closers = String::with_capacity(self.open_brackets.len() + 3);
            if ends_in_allowed_line_comment {
                closers.push_str(line_ending);
            }
            if open_string.is_some() {
                closers.push('"');
            }
            closers.extend(self.open_brackets.iter().rev().map(|opener| char::from(opener.closer)));
            for (index, closer) in closers.bytes().enumerate() {
                self.grammar.step(closer, end - self.deleted + index);
            }
            self.read += closers.len();
            self.edits.push(Edit::insertion(Rule::CloseTruncated, end, closers));
        } else {
            self.keep_pending_comma();
        }
        Scanned {
            json_error: self.grammar.end(self.read - self.deleted),
            edits: self.edits,
            open_string,
            open_brackets: self.open_brackets,
            mismatch: self.mismatch,
        }
    }
}

/// How many bytes at the beginning of `bytes` are `plain`.
fn run_length(bytes: &[u8], plain: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !plain(*byte)).unwrap_or(bytes.len())
}
