//! The scan automaton: strings, comments, brackets and commas, hence the edits.
//!
//! It knows nothing of what JSON may look like, so it stays in step with a
//! text that is far from it. What the edits leave of the text it hands to the
//! grammar automaton, byte by byte.
//!
//! **It can be stopped and resumed at any byte.** A text is read in segments,
//! each from the [`State`] in which the one before it was left. What a scan
//! finds is a [`Summary`]: a function of the segment's bytes, of that state, and
//! of the kinds of the brackets that the segment closes beneath it. All offsets
//! in a summary count from the segment's beginning, so it stays true when text
//! is inserted before the segment. Whatever began before the segment has no
//! offset there: whoever puts the summaries together ([`super::fold`]) knows
//! where.
//!
//! Two questions are open for a while, and are answered by a later byte:
//!
//! - A `/` may begin a comment: the next byte tells.
//! - A comma is a trailing comma if the next significant byte is a closer.
//!   Until then the grammar is not told of it. It is told of the first blank
//!   behind it, though, when the comma goes: in `[-, ]` that blank is what
//!   cannot stand behind the minus sign.
//!
//! # Four ways to read
//!
//! [`Scan::step`] reads one byte and is the specification of everything. The
//! others read many at once, and give up at the first byte that is not the
//! most ordinary one in its place:
//!
//! - [`Scan::read_tokens`] reads whole tokens of a text that is JSON so far;
//! - [`super::blocks`] reads 64 bytes of it at a time;
//! - [`Scan::read_dead`] reads what comes behind the first error.
//!
//! Deleting any of these changes no answer: the tests below hold all ways
//! against one another, at every cut.
//!
//! # What was tried
//!
//! The token loop began at 0.76 times the speed of serde_json's validation alone
//! on minified documents, 0.67 on numbers and 0.34 in one long string. What made
//! it as fast, with fewer instructions a byte, was to read in a row what comes in
//! a row (a comma, a key, its colon and its value); to ask the last byte that was
//! read what it leaves for the grammar, instead of keeping that up to date with
//! each token; to pass a string's escapes, a comment and a trailing comma without
//! a step; and to compare 16 bytes of a string or of blanks, and 32 of a number,
//! at a time. Where a token ends is then known late, for the next one waits for
//! the comparison: so a single space is asked for by a branch, which the processor
//! guesses. That alone gave 1.2 on indented documents.
//!
//! What gave nothing or less: a number without branches. Openers of 16 bytes each
//! made the deepest texts three times as slow as those of 4. `benches/` measures
//! all of it.

use std::fmt;

use fearless_simd::{Level, Simd, dispatch, i8x32, prelude::*, u8x16, u8x32};

use super::{
    blocks::{self, BLOCK},
    grammar::{self, Bracket, Failure, is_blank},
    rules::{Policy, Rule, Treatment},
};

/// An open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opener {
    /// The byte at which it stands in the source.
    pub offset: usize,
    /// Which bracket it is.
    pub bracket: Bracket,
}

/// What the automaton is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lexical {
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

impl Lexical {
    /// Whether this is inside a string.
    pub(super) fn is_string(self) -> bool {
        matches!(self, Lexical::String | Lexical::Escape | Lexical::HexDigits(_))
    }

    /// Whether this is inside a comment, or behind a `/` that may begin one.
    pub(super) fn is_comment(self) -> bool {
        matches!(
            self,
            Lexical::Slash | Lexical::LineComment | Lexical::BlockComment | Lexical::BlockCommentStar
        )
    }

    /// Whether this is inside an escape of a string.
    pub(super) fn is_escape(self) -> bool {
        matches!(self, Lexical::Escape | Lexical::HexDigits(_))
    }
}

/// Whether there is a comma that nothing but blanks and comments has followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pending {
    Nothing,
    Comma,
    CommaAndBlank,
}

/// What stands right before the next byte, or before the comment that is being
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    /// Nothing that could grow together with a token.
    Nothing,
    /// A byte of a token.
    Token,
    /// A byte of a token, and comments between it and here.
    TokenAndComments,
}

/// All that the text so far has to do with the text to come, but for the open
/// brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) lexical: Lexical,
    pub(super) pending: Pending,
    pub(super) grammar: grammar::State,
    /// A closer was not the innermost open bracket's: the brackets mean nothing
    /// any more.
    pub(super) is_mismatched: bool,
    /// The last significant byte was a comma or an opening bracket.
    after_gap: bool,
    before: Before,
}

impl State {
    /// At the beginning of a text.
    pub(super) const START: State = State {
        lexical: Lexical::Between,
        pending: Pending::Nothing,
        grammar: grammar::State::START,
        is_mismatched: false,
        after_gap: false,
        before: Before::Nothing,
    };

    /// Whether a segment that is entered in this state sees nothing of the
    /// grammar and the brackets that one entered in `other` does not see.
    fn is_served_by(self, other: State) -> bool {
        let State { lexical, pending, grammar, is_mismatched, after_gap, before } = self;
        (lexical, pending, after_gap, before) == (other.lexical, other.pending, other.after_gap, other.before)
            && (is_mismatched || !other.is_mismatched)
            && (grammar == grammar::State::Failed || grammar == other.grammar)
    }
}

/// Where what a segment leaves open began, for what began in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) comma: Option<Comma>,
    /// The first blank behind the pending comma.
    pub(super) blank: Option<usize>,
    /// The comment, or the `/` that may begin one.
    pub(super) comment: Option<usize>,
    /// How long the open comment is in this segment, wherever it began.
    pub(super) comment_utf16: usize,
    pub(super) string: Option<usize>,
}

/// A comma that may be a trailing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comma {
    pub(super) offset: usize,
    /// It stands right behind another comma or an opening bracket.
    pub(super) is_in_gap: bool,
}

/// A piece of text that a rule deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deletion {
    pub(super) rule: Rule,
    pub(super) start: usize,
    pub(super) end: usize,
    /// For a comma: a value may be missing before it. For a comment: with the
    /// comments that touch it, it is all that separates two tokens; known for
    /// the last of them only.
    pub(super) is_doubtful: bool,
    pub(super) extent: Extent,
    pub(super) held: Held,
}

impl Deletion {
    fn of_comma(comma: Comma) -> Deletion {
        Deletion {
            rule: Rule::RemoveTrailingCommas,
            start: comma.offset,
            end: comma.offset + 1,
            is_doubtful: comma.is_in_gap,
            extent: Extent::default(),
            held: Held::Nothing,
        }
    }
}

/// What a comment holds that may not be meant to be in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Nothing,
    /// In a block comment: the beginning of another. The end of the first is
    /// missing, and it holds what is between them.
    Comment,
    /// In a line comment: closers of brackets that it does not open. Behind a
    /// lost line ending it holds what follows.
    Closers,
}

impl Held {
    /// No more of a comment is looked at. Bytes.
    pub(super) const REACH: usize = 4 * 1024;

    /// What a comment holds.
    pub(super) fn of(comment: &[u8]) -> Held {
        let reach = &comment[..comment.len().min(Held::REACH)];
        if reach.starts_with(b"/*") {
            let is_opening = |slash: usize| slash > 0 && reach.get(slash + 1) == Some(&b'*');
            return if memchr::memchr_iter(b'/', reach).any(is_opening) {
                Held::Comment
            } else {
                Held::Nothing
            };
        }
        if !holds_closer(reach) {
            return Held::Nothing;
        }
        let mut open = 0_usize;
        for byte in reach {
            match byte {
                b'{' | b'[' => open += 1,
                b'}' | b']' if open == 0 => return Held::Closers,
                b'}' | b']' => open -= 1,
                _ => {}
            }
        }
        Held::Nothing
    }
}

/// How long a piece of text is. UTF-16 code units mean nothing to the engine;
/// they are counted where the text is at hand, for those who speak in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// In bytes of UTF-8.
    pub bytes: usize,
    /// In UTF-16 code units.
    pub utf16: usize,
}

impl Extent {
    /// The extent of a piece of UTF-8.
    pub(super) fn of(utf8: &[u8]) -> Extent {
        Extent { bytes: utf8.len(), utf16: utf16_len(utf8) }
    }

    pub(super) fn add(&mut self, other: Extent) {
        self.bytes += other.bytes;
        self.utf16 += other.utf16;
    }
}

/// The UTF-16 code units of a piece of UTF-8, cut anywhere: one for the first
/// byte of a character, and a second one for those of four bytes.
pub(crate) fn utf16_len(utf8: &[u8]) -> usize {
    if utf8.is_ascii() {
        return utf8.len();
    }
    utf8.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
}

/// Where the grammar failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At this byte of the segment.
    Here(usize),
    /// At the comma that was pending when the segment began.
    Comma,
    /// At the first blank behind that comma.
    Blank,
    /// At the comment, or the `/`, that was being read when the segment began.
    Comment,
}

/// A closer that is not the innermost open bracket's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentMismatch {
    pub(super) closer: usize,
    pub(super) opener: MismatchedOpener,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MismatchedOpener {
    Here(Opener),
    /// The innermost of those that were open when the segment began, but for
    /// so many that it closed; there may be none.
    Below(usize),
}

/// A bracket that a segment opened: twice its offset there, and one more for an
/// object. Half a text may be opening brackets, so they are kept small; a
/// segment is shorter than 2 GiB.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Opened(u32);

impl Opened {
    pub(super) fn new(bracket: Bracket, offset: usize) -> Opened {
        debug_assert!(offset <= u32::MAX as usize / 2);
        Opened((offset as u32) << 1 | u32::from(bracket == Bracket::Object))
    }

    /// The same, where 1 stands for an object.
    pub(super) fn with_kind(kind: u8, offset: usize) -> Opened {
        Opened((offset as u32) << 1 | u32::from(kind))
    }

    pub(super) fn bracket(self) -> Bracket {
        if self.0 & 1 != 0 { Bracket::Object } else { Bracket::Array }
    }

    pub(super) fn opener(self) -> Opener {
        Opener { offset: self.0 as usize >> 1, bracket: self.bracket() }
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.opener().fmt(f)
    }
}

/// What a segment of text means where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    entry: State,
    /// The brackets beneath the segment that it closed, and the one below
    /// them; innermost first.
    seen_below: Vec<Bracket>,
    /// Whether the segment saw that there are no more of them.
    saw_bottom: bool,
    pub(super) exit: State,
    pub(super) begun: Begun,
    /// How many of the brackets beneath the segment it closed.
    pub(super) closed_below: usize,
    /// The brackets that it opened and left open, outermost first.
    pub(super) opened: Vec<Opened>,
    /// What is deleted of it, for what began in it. Sorted.
    pub(super) deletions: Vec<Deletion>,
    /// The comma that was pending when it began turned out a trailing one.
    pub(super) entry_comma_is_trailing: bool,
    /// Where the comment that was being read when it began ends, if it does.
    pub(super) entry_comment_end: Option<usize>,
    /// How long that comment is in this segment, if it ends here.
    pub(super) entry_comment_utf16: usize,
    /// Where comments end that are all that separates two tokens, and that
    /// began before the segment.
    pub(super) entry_comments_join: Option<usize>,
    pub(super) failure: Option<(Failure, Place)>,
    pub(super) mismatch: Option<SegmentMismatch>,
    /// The part of an open string that stands in it holds a `}` or `]`.
    pub(super) string_holds_closer: bool,
    /// Where the last byte in it ends that is neither blank nor of a comment.
    pub(super) significant_end: Option<usize>,
    /// How many comments and trailing commas end in it that the dialect allows.
    pub(super) allowed: usize,
    /// Of `deletions`: how many each rule has, how many of those are doubtful,
    /// and how much they delete.
    pub(super) counts: Counts,
    pub(super) doubtful: Counts,
    pub(super) deleted: Extent,
    /// How many of them are comments that hold closers.
    pub(super) comments_with_closers: usize,
}

/// A number for each rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts([usize; Rule::ALL.len()]);

impl Counts {
    pub(super) fn of(self, rule: Rule) -> usize {
        self.0[rule as usize]
    }

    pub(super) fn total(self) -> usize {
        self.0.iter().sum()
    }

    pub(super) fn count(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }

    pub(super) fn add(&mut self, other: Counts) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, other)| *sum += other);
    }
}

impl Summary {
    /// Whether this is what the segment means when it is entered in `entry`
    /// with the brackets `below` open, innermost first.
    ///
    /// Behind an error the grammar of a summary, and behind a mismatch its
    /// brackets, are looked at by nobody; so a summary made without either
    /// serves there too.
    pub(super) fn serves(&self, entry: State, below: impl IntoIterator<Item = Bracket>) -> bool {
        if !entry.is_served_by(self.entry) {
            return false;
        }
        if entry.is_mismatched {
            return true;
        }
        let mut below = below.into_iter();
        self.seen_below.iter().all(|seen| below.next() == Some(*seen))
            && (!self.saw_bottom || below.next().is_none())
    }

    /// The state behind the segment when it is entered in `entry`, for which
    /// the summary must serve.
    pub(super) fn exit_from(&self, entry: State) -> State {
        let mut exit = self.exit;
        if entry.grammar == grammar::State::Failed {
            exit.grammar = grammar::State::Failed;
        }
        exit.is_mismatched |= entry.is_mismatched;
        exit
    }
}

/// The automaton. See the module's own words.
pub(super) struct Scan<'below> {
    policy: Policy,
    reads_comments: bool,
    state: State,
    /// The innermost open bracket.
    within: Option<Bracket>,
    below: &'below mut dyn Iterator<Item = Bracket>,
    /// How many edits stand before the pending comma: comments behind it are
    /// known before it is.
    deletions_before_comma: usize,
    /// Where the last comment ended.
    comment_end: usize,
    /// The instructions with which blocks are read.
    level: Level,
    /// Blocks are not read before this.
    blocks_from: usize,
    /// How much is read without them when they cannot be.
    stride: usize,
    /// How many bytes were read.
    read: usize,
    found: Summary,
}

impl<'below> Scan<'below> {
    /// At the beginning of a segment that is entered in `entry`, with the
    /// brackets `below` open, innermost first.
    pub(super) fn new(
        policy: Policy,
        entry: State,
        below: &'below mut dyn Iterator<Item = Bracket>,
    ) -> Scan<'below> {
        let found = Summary {
            entry,
            seen_below: Vec::new(),
            saw_bottom: false,
            exit: entry,
            begun: Begun::default(),
            closed_below: 0,
            opened: Vec::new(),
            deletions: Vec::new(),
            entry_comma_is_trailing: false,
            entry_comment_end: None,
            entry_comment_utf16: 0,
            entry_comments_join: None,
            failure: None,
            mismatch: None,
            string_holds_closer: false,
            significant_end: None,
            allowed: 0,
            counts: Counts::default(),
            doubtful: Counts::default(),
            deleted: Extent::default(),
            comments_with_closers: 0,
        };
        let mut scan = Scan {
            policy,
            reads_comments: policy.treatment(Rule::RemoveComments) != Treatment::Off,
            state: entry,
            within: None,
            below,
            deletions_before_comma: 0,
            comment_end: usize::MAX,
            level: if cfg!(engine = "baseline") { Level::baseline() } else { Level::new() },
            blocks_from: if cfg!(engine = "exact") { usize::MAX } else { 0 },
            stride: BLOCK,
            read: 0,
            found,
        };
        if !entry.is_mismatched {
            scan.look_below();
        }
        scan
    }

    /// Reads the bytes of the segment, and says what it means where it stands.
    pub(super) fn read(mut self, segment: &[u8]) -> Summary {
        while self.read < segment.len() {
            let at = self.read;
            self.read = match self.state.lexical {
                Lexical::String if self.may_read_blocks(segment, at) => self.read_blocks(segment, at),
                Lexical::String => string_body(segment, at),
                Lexical::LineComment => line_comment_run(segment, at),
                Lexical::BlockComment => block_comment_run(segment, at),
                // What the first byte stands behind, only its step knows.
                Lexical::Between if at > 0 => self.read_many(segment, at),
                _ => at,
            };
            let Some(&byte) = segment.get(self.read) else { break };
            let previous = self.read.checked_sub(1).map(|before| segment[before]);
            self.step(byte, previous);
            self.read += 1;
        }
        self.finish(segment)
    }

    fn finish(mut self, segment: &[u8]) -> Summary {
        if self.state.lexical == Lexical::Between {
            self.state.before = self.before(segment.last().copied(), segment.len());
        }
        let mut found = self.found;
        found.exit = self.state;
        // Only what is still open when the segment ends is anybody's business.
        if self.state.pending == Pending::Nothing {
            found.begun.comma = None;
            found.begun.blank = None;
        }
        if self.state.lexical.is_string() {
            found.exit.before = Before::Nothing;
            found.significant_end = Some(segment.len());
            let tail = &segment[found.begun.string.unwrap_or(0)..];
            found.string_holds_closer = holds_closer(tail);
        } else {
            found.begun.string = None;
        }
        if self.state.lexical.is_comment() {
            found.begun.comment_utf16 = utf16_len(&segment[found.begun.comment.unwrap_or(0)..]);
        }
        found.entry_comment_utf16 = found.entry_comment_end.map_or(0, |end| utf16_len(&segment[..end]));
        for deletion in &mut found.deletions {
            let deleted = &segment[deletion.start..deletion.end];
            deletion.extent = Extent::of(deleted);
            if deletion.rule == Rule::RemoveComments {
                deletion.held = Held::of(deleted);
                match deletion.held {
                    Held::Nothing => {}
                    Held::Comment => found.doubtful.count(deletion.rule),
                    Held::Closers => found.comments_with_closers += 1,
                }
            }
            found.counts.count(deletion.rule);
            if deletion.is_doubtful {
                found.doubtful.count(deletion.rule);
            }
            found.deleted.add(deletion.extent);
        }
        found
    }

    /// Reads the byte at `self.read`; `previous` is the one before it in the
    /// same piece.
    fn step(&mut self, byte: u8, previous: Option<u8>) {
        match self.state.lexical {
            Lexical::Between => self.step_between(byte, previous),
            Lexical::Slash => match byte {
                b'/' => self.state.lexical = Lexical::LineComment,
                b'*' => self.state.lexical = Lexical::BlockComment,
                _ => {
                    self.ordinary_slash();
                    self.step_between(byte, Some(b'/'));
                }
            },
            Lexical::LineComment => {
                if matches!(byte, b'\n' | b'\r') {
                    self.end_comment(self.read);
                    self.step_between(byte, previous);
                }
            }
            Lexical::BlockComment => {
                if byte == b'*' {
                    self.state.lexical = Lexical::BlockCommentStar;
                }
            }
            Lexical::BlockCommentStar => match byte {
                b'/' => self.end_comment(self.read + 1),
                b'*' => {}
                _ => self.state.lexical = Lexical::BlockComment,
            },
            Lexical::String => self.step_string(byte),
            Lexical::Escape => {
                self.keep(byte);
                self.state.lexical = if byte == b'u' { Lexical::HexDigits(4) } else { Lexical::String };
            }
            Lexical::HexDigits(owed) => {
                if byte.is_ascii_hexdigit() {
                    self.keep(byte);
                    self.state.lexical =
                        if owed == 1 { Lexical::String } else { Lexical::HexDigits(owed - 1) };
                } else {
                    self.step_string(byte);
                }
            }
        }
    }

    fn step_string(&mut self, byte: u8) {
        self.keep(byte);
        self.state.lexical = match byte {
            b'"' => Lexical::Between,
            b'\\' => Lexical::Escape,
            _ => Lexical::String,
        };
    }

    fn step_between(&mut self, byte: u8, previous: Option<u8>) {
        self.state.lexical = Lexical::Between;
        if is_blank(byte) {
            return self.blank(Place::Here(self.read), self.read);
        }
        if byte == b'/' && self.reads_comments {
            self.begin_comment(self.read, previous);
            self.state.lexical = Lexical::Slash;
            return;
        }
        if self.joins(byte, self.before(previous, self.read)) {
            match self.found.deletions.last_mut().filter(|last| last.end == self.read) {
                Some(last) => last.is_doubtful = true,
                None => self.found.entry_comments_join = Some(self.read),
            }
        }
        match byte {
            b',' => self.comma(self.read),
            b'}' | b']' => {
                self.trailing_comma();
                self.keep(byte);
                self.close(byte);
                self.state.after_gap = false;
            }
            _ => {
                self.keep_pending_comma();
                self.keep(byte);
                self.state.after_gap = false;
                match byte {
                    b'"' => {
                        self.found.begun.string = Some(self.read);
                        self.state.lexical = Lexical::String;
                    }
                    b'{' => self.open(Bracket::Object, self.read),
                    b'[' => self.open(Bracket::Array, self.read),
                    _ => {}
                }
            }
        }
    }

    /// What stands before the byte at `at`; `previous` is the one before it in
    /// the same piece.
    fn before(&self, previous: Option<u8>, at: usize) -> Before {
        match previous {
            Some(previous) if self.comment_end != at => {
                if is_token_byte(previous) {
                    Before::Token
                } else {
                    Before::Nothing
                }
            }
            _ => self.state.before,
        }
    }

    /// Whether comments are all that separates `byte` from a token `before`.
    fn joins(&self, byte: u8, before: Before) -> bool {
        before == Before::TokenAndComments && is_token_byte(byte)
    }

    /// Reads the comma at `at`, which may be a trailing one.
    fn comma(&mut self, at: usize) {
        self.keep_pending_comma();
        self.state.grammar = self.state.grammar.before_comma();
        self.state.pending = Pending::Comma;
        self.found.begun.comma = Some(Comma { offset: at, is_in_gap: self.state.after_gap });
        self.found.begun.blank = None;
        self.found.significant_end = Some(at + 1);
        self.deletions_before_comma = self.found.deletions.len();
        self.state.after_gap = true;
    }

    pub(super) fn open(&mut self, bracket: Bracket, offset: usize) {
        self.state.after_gap = true;
        if !self.state.is_mismatched {
            self.found.opened.push(Opened::new(bracket, offset));
            self.within = Some(bracket);
        }
    }

    fn close(&mut self, closer: u8) {
        if self.state.is_mismatched {
            return;
        }
        if self.within.is_some_and(|within| within.closer() == char::from(closer)) {
            self.close_innermost();
        } else {
            let opener = match self.found.opened.last() {
                Some(opened) => MismatchedOpener::Here(opened.opener()),
                None => MismatchedOpener::Below(self.found.closed_below),
            };
            self.found.mismatch = Some(SegmentMismatch { closer: self.read, opener });
            self.state.is_mismatched = true;
            self.found.opened.clear();
        }
    }

    pub(super) fn close_innermost(&mut self) {
        if self.found.opened.pop().is_none() {
            self.found.closed_below += 1;
        }
        match self.found.opened.last() {
            Some(opened) => self.within = Some(opened.bracket()),
            None => self.look_below(),
        }
    }

    /// The brackets that were opened here and are open, outermost first.
    pub(super) fn opened(&self) -> &[Opened] {
        &self.found.opened
    }

    /// Replaces them.
    pub(super) fn set_opened(&mut self, opened: &[Opened]) {
        self.found.opened.clear();
        self.found.opened.extend_from_slice(opened);
        match self.found.opened.last() {
            Some(opened) => self.within = Some(opened.bracket()),
            None => self.look_below(),
        }
    }

    /// Nothing that was opened here is open: the innermost open bracket is one
    /// of those beneath.
    fn look_below(&mut self) {
        if self.found.seen_below.len() == self.found.closed_below && !self.found.saw_bottom {
            match self.below.next() {
                Some(bracket) => self.found.seen_below.push(bracket),
                None => self.found.saw_bottom = true,
            }
        }
        self.within = self.bracket_below();
    }

    /// The state of the grammar.
    pub(super) fn grammar(&self) -> grammar::State {
        self.state.grammar
    }

    /// The innermost open bracket.
    pub(super) fn within(&self) -> Option<Bracket> {
        self.within
    }

    /// The innermost open bracket of those that were open when the segment began.
    pub(super) fn bracket_below(&self) -> Option<Bracket> {
        self.found.seen_below.get(self.found.closed_below).copied()
    }

    /// The byte at `self.read` stays, and the grammar reads it.
    fn keep(&mut self, byte: u8) {
        self.found.significant_end = Some(self.read + 1);
        self.grammar_reads(byte, Place::Here(self.read));
    }

    fn grammar_reads(&mut self, byte: u8, place: Place) {
        match self.state.grammar.step(byte, self.within) {
            Ok(state) => self.state.grammar = state,
            Err(failure) => {
                self.state.grammar = grammar::State::Failed;
                self.found.failure = Some((failure, place));
            }
        }
    }

    /// A blank, or what counts as one, stands at `offset`.
    fn blank(&mut self, place: Place, offset: usize) {
        match self.state.pending {
            Pending::Nothing => self.grammar_reads(b' ', place),
            Pending::Comma => {
                self.state.pending = Pending::CommaAndBlank;
                self.found.begun.blank = Some(offset);
            }
            Pending::CommaAndBlank => {}
        }
    }

    /// The `/` before the byte at `self.read` begins no comment.
    fn ordinary_slash(&mut self) {
        self.keep_pending_comma();
        self.grammar_reads(b'/', self.comment_place());
        self.found.significant_end = Some(self.read);
        self.state.before = Before::Nothing;
        self.state.after_gap = false;
        self.found.begun.comment = None;
    }

    fn comment_place(&self) -> Place {
        self.found.begun.comment.map_or(Place::Comment, Place::Here)
    }

    /// A `/` at `at` begins a comment, or may; `previous` is the byte before it
    /// in the same piece.
    fn begin_comment(&mut self, at: usize, previous: Option<u8>) {
        self.state.before = self.before(previous, at);
        self.found.begun.comment = Some(at);
    }

    /// The comment that was being read ends before the byte at `end`.
    fn end_comment(&mut self, end: usize) {
        self.state.lexical = Lexical::Between;
        self.comment_end = end;
        if self.policy.allows_comments() {
            self.found.allowed += 1;
            self.state.before = Before::Nothing;
            self.blank(self.comment_place(), self.found.begun.comment.unwrap_or_default());
        } else {
            if self.state.before == Before::Token {
                self.state.before = Before::TokenAndComments;
            }
            match self.found.begun.comment {
                Some(start) => {
                    let rule = Rule::RemoveComments;
                    self.found.deletions.push(Deletion {
                        rule,
                        start,
                        end,
                        is_doubtful: false,
                        extent: Extent::default(),
                        held: Held::Nothing,
                    });
                }
                None => self.found.entry_comment_end = Some(end),
            }
        }
        self.found.begun.comment = None;
    }

    /// The pending comma, if there is one, separates what stands around it.
    /// The blanks behind it mean nothing to a grammar that takes the comma.
    fn keep_pending_comma(&mut self) {
        if self.state.pending != Pending::Nothing {
            self.state.pending = Pending::Nothing;
            let place = self.found.begun.comma.map_or(Place::Comma, |comma| Place::Here(comma.offset));
            self.grammar_reads(b',', place);
            self.found.begun.comma = None;
        }
    }

    /// The pending comma, if there is one, stands before a closer.
    fn trailing_comma(&mut self) {
        if self.state.pending == Pending::Nothing {
            return;
        }
        match self.policy.treatment(Rule::RemoveTrailingCommas) {
            Treatment::Off => self.keep_pending_comma(),
            Treatment::Allow => {
                self.found.allowed += 1;
                self.keep_pending_comma();
                self.state.grammar = self.state.grammar.allow_trailing_comma();
            }
            Treatment::Fix => {
                match self.found.begun.comma.take() {
                    Some(comma) => {
                        // Moves the comments behind this comma, and each comment
                        // stands behind one pending comma at most: linear.
                        let deletion = Deletion::of_comma(comma);
                        self.found.deletions.insert(self.deletions_before_comma, deletion);
                    }
                    None => self.found.entry_comma_is_trailing = true,
                }
                if self.state.pending == Pending::CommaAndBlank {
                    let place = self.found.begun.blank.map_or(Place::Blank, Place::Here);
                    self.grammar_reads(b' ', place);
                }
                self.state.pending = Pending::Nothing;
            }
        }
    }

    /// Reads what can be read at once from `at` on; at least nothing. Returns
    /// where it gives up.
    fn read_many(&mut self, segment: &[u8], mut at: usize) -> usize {
        loop {
            at = self.read_gap(segment, at);
            match segment.get(at) {
                None | Some(b'/') => return at,
                Some(byte) if self.joins(*byte, self.before(segment.get(at - 1).copied(), at)) => return at,
                Some(b',') => {
                    self.comma(at);
                    at += 1;
                    continue;
                }
                Some(b'}' | b']') => self.trailing_comma(),
                Some(_) => self.keep_pending_comma(),
            }
            if self.may_read_blocks(segment, at) {
                let start = at;
                at = self.read_blocks(segment, start);
                if self.state.lexical == Lexical::String {
                    return at;
                }
                if at > start {
                    continue;
                }
            }
            let is_dead = self.state.grammar == grammar::State::Failed;
            let end = if is_dead { self.read_dead(segment, at) } else { self.read_tokens(segment, at) };
            if end == at {
                return at;
            }
            self.settle(segment, at, end, false);
            at = end;
        }
    }

    /// Brings the state up to date with what was read from `start` to `end`,
    /// which is outside of strings. A quote that is the last significant byte
    /// ends a key if a colon is owed.
    pub(super) fn settle(&mut self, segment: &[u8], start: usize, end: usize, owes_colon: bool) {
        let Some(last) = segment[start..end].iter().rposition(|byte| !is_blank(*byte)) else { return };
        let last = start + last;
        self.forget_pending_comma();
        self.found.significant_end = Some(last + 1);
        self.state.after_gap = matches!(segment[last], b'{' | b'[');
        if self.state.grammar == grammar::State::Failed {
            return;
        }
        self.state.grammar =
            if owes_colon { grammar::State::Colon } else { grammar::State::after(segment[last]) };
        if segment[last] == b',' {
            self.comma(last);
            if last + 1 < end {
                self.blank(Place::Here(last + 1), last + 1);
            }
        }
    }

    /// The pending comma, if there is one, was read as one that separates.
    fn forget_pending_comma(&mut self) {
        self.state.pending = Pending::Nothing;
        self.found.begun.comma = None;
    }

    /// Whether there is a comma that nothing but blanks and comments has
    /// followed.
    pub(super) fn has_pending_comma(&self) -> bool {
        self.state.pending != Pending::Nothing
    }

    /// Whether trailing commas are nothing that fails.
    pub(super) fn lets_trailing_commas_pass(&self) -> bool {
        self.policy.treatment(Rule::RemoveTrailingCommas) != Treatment::Off
    }

    /// Reads the trailing comma at `offset`, which stands behind a value.
    pub(super) fn pass_trailing_comma(&mut self, offset: usize) {
        if self.policy.treatment(Rule::RemoveTrailingCommas) == Treatment::Allow {
            self.found.allowed += 1;
        } else {
            self.found.deletions.push(Deletion::of_comma(Comma { offset, is_in_gap: false }));
        }
    }

    /// Reads the comment at `at`, or does away with the comma before the closer
    /// there, if the rules say so. Returns where to go on. The state must be up
    /// to date, but for the brackets, of which `within` is the innermost.
    pub(super) fn pass_stop(&mut self, segment: &[u8], at: usize, within: Bracket) -> Option<usize> {
        if segment[at] == b'/' {
            if !self.reads_comments {
                return None;
            }
            let end = comment_end(segment, at)?;
            self.begin_comment(at, segment.get(at - 1).copied());
            self.end_comment(end);
            return Some(end);
        }
        if !self.has_pending_comma() || !self.lets_trailing_commas_pass() {
            return None;
        }
        self.within = Some(within);
        self.trailing_comma();
        Some(at)
    }

    /// Reads blocks from `start` on. Returns where they can no longer be read.
    fn read_blocks(&mut self, segment: &[u8], start: usize) -> usize {
        let read = blocks::read(self.level, self, segment, start);
        if read.is_stuck || read.end == start {
            self.leave_to_tokens(read.end, read.end - start);
        }
        if read.end == start {
            return start;
        }
        match read.string {
            Some((role, begin)) => {
                self.forget_pending_comma();
                self.found.begun.string = begin.or(self.found.begun.string);
                self.found.significant_end = Some(read.end);
                self.state.lexical = Lexical::String;
                self.state.grammar = grammar::State::String(role);
                self.state.after_gap = false;
            }
            None => {
                self.state.lexical = Lexical::Between;
                self.settle(segment, read.settled, read.end, read.owes_colon);
            }
        }
        read.end
    }

    /// Whether there are as many open brackets as blocks can do with.
    fn is_nested_for_blocks(&self) -> bool {
        self.within.is_some() && self.found.opened.len() < blocks::MOST_OPENED
    }

    /// Whether blocks may be read from `at` on.
    fn may_read_blocks(&self, segment: &[u8], at: usize) -> bool {
        at >= self.blocks_from
            && segment.len() - at >= BLOCK
            && self.is_nested_for_blocks()
            && (self.state.grammar.is_between_tokens()
                || matches!(self.state.grammar, grammar::State::String(_)))
    }

    /// Blocks cannot be read from `at` on; they could for `read` bytes before
    /// that. Where they hardly ever can, they are not tried as often.
    fn leave_to_tokens(&mut self, at: usize, read: usize) {
        const MOST: usize = 64 * BLOCK;

        self.stride = if read >= BLOCK { BLOCK } else { (2 * self.stride).min(MOST) };
        self.blocks_from = at + self.stride;
    }

    /// Reads blanks and whole comments from `at` on.
    fn read_gap(&mut self, segment: &[u8], mut at: usize) -> usize {
        loop {
            let end = blank_run(segment, at);
            if end > at {
                self.blank(Place::Here(at), at);
                at = end;
            }
            if !self.reads_comments || segment.get(at) != Some(&b'/') {
                return at;
            }
            let Some(end) = comment_end(segment, at) else { return at };
            self.begin_comment(at, segment.get(at - 1).copied());
            self.end_comment(end);
            at = end;
        }
    }

    /// Reads tokens as long as they are whole, well-formed and followed by what
    /// ends them, from `at` on. Returns where it gives up: every token before
    /// that is read, no byte behind it is. What the last byte that was read
    /// leaves for a grammar is [`grammar::State::after`].
    ///
    /// What comes in a row, a comma, a key, its colon and its value, is read in
    /// a row: branches that are always taken cost nothing.
    fn read_tokens(&mut self, segment: &[u8], mut at: usize) -> usize {
        use grammar::State as G;

        let state = self.state.grammar;
        let mut is_behind_value = match state {
            G::AfterValue => true,
            // A closer may stand here as it may behind a value.
            G::ValueOrClosingBracket | G::KeyOrClosingBrace => matches!(segment.get(at), Some(b'}' | b']')),
            _ => false,
        };
        if !is_behind_value {
            let value = match state {
                G::Value | G::ValueOrClosingBracket => Some(at),
                G::Key | G::KeyOrClosingBrace => member_value(segment, at),
                G::Colon => colon_value(segment, at),
                _ => None,
            };
            let Some(value) = value else { return at };
            at = value;
        }
        // Tokens are read only as far as blocks cannot be.
        let can_read_blocks = self.blocks_from.checked_add(BLOCK).is_some_and(|end| end <= segment.len());
        let until = if can_read_blocks { self.blocks_from } else { usize::MAX };
        'values: loop {
            if at >= until && self.is_nested_for_blocks() {
                return at;
            }
            if !is_behind_value {
                let Some(&byte) = segment.get(at) else { return at };
                let end = match byte {
                    b'"' => string_end(segment, at),
                    b'-' | b'0'..=b'9' => number_end(segment, at),
                    b't' | b'f' | b'n' => literal_end(segment, at),
                    b'{' => {
                        self.open(Bracket::Object, at);
                        at = blank_run(segment, at + 1);
                        if segment.get(at) != Some(&b'}') {
                            let Some(value) = member_value(segment, at) else { return at };
                            at = value;
                            continue;
                        }
                        Some(at)
                    }
                    b'[' => {
                        self.open(Bracket::Array, at);
                        at = blank_run(segment, at + 1);
                        if segment.get(at) != Some(&b']') {
                            continue;
                        }
                        Some(at)
                    }
                    _ => None,
                };
                let Some(end) = end else { return at };
                at = blank_run(segment, end);
            }
            is_behind_value = false;
            loop {
                let Some(&byte) = segment.get(at) else { return at };
                match (byte, self.within) {
                    // It is no trailing comma if what follows is the beginning
                    // of a member or a value.
                    (b',', Some(Bracket::Object)) => {
                        let next = blank_run(segment, at + 1);
                        let Some(value) = member_value(segment, next) else { return at };
                        at = value;
                        continue 'values;
                    }
                    (b',', Some(Bracket::Array)) => {
                        let next = blank_run(segment, at + 1);
                        match segment.get(next) {
                            None | Some(b'/' | b'}' | b']' | b',') => return at,
                            Some(_) => {}
                        }
                        at = next;
                        continue 'values;
                    }
                    (b'}', Some(Bracket::Object)) | (b']', Some(Bracket::Array)) => {
                        self.close_innermost();
                        at = blank_run(segment, at + 1);
                    }
                    _ => return at,
                }
            }
        }
    }

    /// Passes the bytes that matter to nobody behind the first error.
    fn read_dead(&self, segment: &[u8], at: usize) -> usize {
        run(segment, at, |byte| !MATTERS_IN_DEAD_TEXT[usize::from(byte)])
    }
}

/// The bytes that matter in a text that is known not to be JSON.
const MATTERS_IN_DEAD_TEXT: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\"/,{}[]";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
};

/// A byte that would go on with a number, a literal or a word.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-')
}

/// Where the run of `plain` bytes at `at` ends.
fn run(bytes: &[u8], at: usize, plain: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|byte| !plain(*byte)).map_or(bytes.len(), |run| at + run)
}

/// Whether there is a `}` or `]` in these bytes of a string.
fn holds_closer(bytes: &[u8]) -> bool {
    // Without an early end a chunk is a few vector instructions.
    bytes.chunks(256).any(|chunk| chunk.iter().fold(false, |holds, byte| holds | matches!(byte, b'}' | b']')))
}

/// Where the run of ordinary bytes of a string at `at` ends: at a quote, a
/// backslash, a byte below 0x20, or the end of `bytes`.
#[inline(always)]
fn string_run(bytes: &[u8], at: usize) -> usize {
    // What all processors of the kind have: nothing is chosen at run time.
    dispatch!(Level::baseline(), simd => string_run_with(simd, bytes, at))
}

#[inline(always)]
fn string_run_with<S: Simd>(simd: S, bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let chunk = u8x16::simd_from(simd, *chunk);
        let others = (chunk.simd_eq(b'"') | chunk.simd_eq(b'\\') | chunk.simd_le(0x1F)).to_bitmask();
        if others != 0 {
            return at + others.trailing_zeros() as usize;
        }
        at += 16;
    }
    run(bytes, at, |byte| byte >= 0x20 && byte != b'"' && byte != b'\\')
}

/// Where the line ends that a line comment goes on in at `at`.
fn line_comment_run(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}

/// Where the next `*` of a block comment stands from `at` on.
fn block_comment_run(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'*', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}

/// Where the run of blanks at `at` ends.
#[inline(always)]
fn blank_run(bytes: &[u8], at: usize) -> usize {
    let may_be_blank = |at: usize| bytes.get(at).is_some_and(|byte| *byte <= b' ');
    if !may_be_blank(at) {
        return at;
    }
    // One space is the most common run. Said by a branch that the processor
    // guesses, the next token is begun before this one is counted.
    if bytes[at] == b' ' && !may_be_blank(at + 1) {
        return at + 1;
    }
    dispatch!(Level::baseline(), simd => blank_run_with(simd, bytes, at))
}

#[inline(always)]
fn blank_run_with<S: Simd>(simd: S, bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let chunk = u8x16::simd_from(simd, *chunk);
        let line_ending = chunk.simd_eq(b'\n') | chunk.simd_eq(b'\r');
        let others = !(chunk.simd_eq(b' ') | chunk.simd_eq(b'\t') | line_ending).to_bitmask() as u16;
        if others != 0 {
            return at + others.trailing_zeros() as usize;
        }
        at += 16;
    }
    run(bytes, at, is_blank)
}

/// Where the ordinary bytes and whole escapes of a string at `at` end.
#[inline(never)]
fn string_body(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = string_run(bytes, at);
        if bytes.get(at) != Some(&b'\\') {
            return at;
        }
        let length = usize::from(bytes.get(at + 1).map_or(0, |byte| ESCAPES[usize::from(*byte)]));
        let is_whole = match length {
            0 => false,
            2 => true,
            _ => bytes[at + 2..].first_chunk().is_some_and(are_hex_digits),
        };
        if !is_whole {
            return at;
        }
        at += length;
    }
}

/// How long an escape is by the byte behind its backslash; 0 if it is none.
pub(super) const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let bytes = b"\"\\/bfnrt";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = 2;
        index += 1;
    }
    table[b'u' as usize] = 6;
    table
};

/// Whether all of these are hexadecimal digits. All are looked at: branches
/// cost more.
pub(super) fn are_hex_digits(bytes: &[u8; 4]) -> bool {
    bytes.iter().fold(true, |all, byte| all & byte.is_ascii_hexdigit())
}

/// Where the comment that begins at `at` ends, if it is one and ends.
fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'/' => Some(line_comment_run(bytes, at + 2)).filter(|end| *end < bytes.len()),
        b'*' => {
            let mut star = block_comment_run(bytes, at + 2);
            while *bytes.get(star + 1)? != b'/' {
                star = block_comment_run(bytes, star + 1);
            }
            Some(star + 2)
        }
        _ => None,
    }
}

/// Where the value begins of the member that begins at `at`, if its key and its
/// colon are whole and well-formed.
#[inline(always)]
fn member_value(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    colon_value(bytes, blank_run(bytes, string_end(bytes, at)?))
}

/// Where what follows the colon at `at` begins.
#[inline(always)]
fn colon_value(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b':')).then(|| blank_run(bytes, at + 1))
}

/// Where the string that begins at `at` ends, behind its quote; `None` if it
/// does not, or is not one of RFC 8259.
#[inline]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = string_run(bytes, at + 1);
    if bytes.get(end)? == &b'\\' {
        end = string_body(bytes, end);
    }
    (bytes.get(end)? == &b'"').then_some(end + 1)
}

/// Longer numbers are left to the steps. Bytes.
const MOST_OF_A_NUMBER: usize = 32;

/// Where the number that begins at `at` ends, if it is one of at most
/// [`MOST_OF_A_NUMBER`] and is followed by what ends numbers. A comment does not:
/// when it goes, the number may go on.
#[inline]
fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let length = match rest.first_chunk() {
        Some(chunk) => number_length(chunk)?,
        None => {
            let mut chunk = [0; MOST_OF_A_NUMBER];
            chunk[..rest.len()].copy_from_slice(rest);
            number_length(&chunk)?
        }
    };
    let end = at + length;
    matches!(bytes.get(end)?, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t').then_some(end)
}

/// How long the number is that these bytes begin with, or hold all of.
#[inline(always)]
fn number_length(bytes: &[u8; MOST_OF_A_NUMBER]) -> Option<usize> {
    let digits = dispatch!(Level::baseline(), simd => digits(simd, bytes));
    let run = |at: usize| (!(digits >> at)).trailing_zeros() as usize;
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);

    let integer = usize::from(is(0, b'-'));
    let length = run(integer);
    if length == 0 || length > 1 && is(integer, b'0') {
        return None;
    }
    let mut end = integer + length;
    if is(end, b'.') {
        let length = run(end + 1);
        if length == 0 {
            return None;
        }
        end += 1 + length;
    }
    if is(end, b'e') || is(end, b'E') {
        end += 1;
        end += usize::from(is(end, b'+') || is(end, b'-'));
        let length = run(end);
        if length == 0 {
            return None;
        }
        end += length;
    }
    Some(end)
}

/// A bit for each byte, the first one lowest, set for digits.
#[inline(always)]
fn digits<S: Simd>(simd: S, bytes: &[u8; MOST_OF_A_NUMBER]) -> u64 {
    let bytes = u8x32::simd_from(simd, *bytes);
    // Digits become the ten highest of the signed bytes.
    let raised = bytes + u8x32::splat(simd, i8::MAX as u8 - b'9');
    raised.bitcast::<i8x32<S>>().simd_gt(i8::MAX - 10).to_bitmask()
}

/// Where the literal that begins at `at` ends, if it is one.
#[inline]
pub(super) fn literal_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    if rest.starts_with(b"true") || rest.starts_with(b"null") {
        Some(at + 4)
    } else if rest.starts_with(b"false") {
        Some(at + 5)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::RuleSet;

    /// How a segment is read.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Way {
        Steps,
        Tokens,
        /// With what the processor has, and with what all of its kind have.
        Blocks,
        BaselineBlocks,
    }

    /// The summaries of a text that is cut at `cuts`.
    fn summaries(text: &[u8], cuts: &[usize], policy: Policy, way: Way) -> Vec<Summary> {
        let mut open: Vec<Bracket> = Vec::new();
        let mut entry = State::START;
        let ends = cuts.iter().copied().chain([text.len()]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let segments = starts.zip(ends).map(|(start, end)| {
            let segment = &text[start..end];
            let mut below = open.iter().rev().copied();
            let mut scan = Scan::new(policy, entry, &mut below);
            let summary = match way {
                Way::Steps => {
                    while let Some(&byte) = segment.get(scan.read) {
                        scan.step(byte, scan.read.checked_sub(1).map(|before| segment[before]));
                        scan.read += 1;
                    }
                    scan.finish(segment)
                }
                Way::Tokens => {
                    scan.blocks_from = usize::MAX;
                    scan.read(segment)
                }
                Way::Blocks => scan.read(segment),
                Way::BaselineBlocks => {
                    scan.level = Level::baseline();
                    scan.read(segment)
                }
            };
            open.truncate(open.len().saturating_sub(summary.closed_below));
            open.extend(summary.opened.iter().map(|opened| opened.bracket()));
            entry = summary.exit;
            summary
        });
        segments.collect()
    }

    fn assert_agreement(text: &str, cuts: &[usize], policy: Policy) {
        let by_steps = summaries(text.as_bytes(), cuts, policy, Way::Steps);
        for way in [Way::Tokens, Way::Blocks, Way::BaselineBlocks] {
            let summaries = summaries(text.as_bytes(), cuts, policy, way);
            assert_eq!(summaries, by_steps, "{way:?} of {text:?}, cut at {cuts:?}, {policy:?}");
        }
    }

    /// SplitMix64.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((mixed ^ (mixed >> 31)) % end as u64) as usize
        }

        fn one_in(&mut self, many: usize) -> bool {
            self.below(many) == 0
        }

        fn of<T: Copy>(&mut self, from: &[T]) -> T {
            from[self.below(from.len())]
        }
    }

    /// How a random document is written.
    struct Style {
        /// One in so many gaps between tokens is not empty.
        blanks: usize,
        /// One in so many of those holds a comment.
        comments: usize,
        /// One in so many containers has a trailing comma.
        trailing_commas: usize,
    }

    fn gap(text: &mut String, random: &mut Random, style: &Style) {
        if !random.one_in(style.blanks) {
            return;
        }
        text.push_str(random.of(&[" ", "\n", "\r\n", "\t", "  ", "\n    ", "\n            "]));
        if random.one_in(style.comments) {
            text.push_str(random.of(&[
                "//\n",
                "// \"a\": [1, {\r",
                "/**/",
                "/* ] \" */ ",
                "/***/",
                "/*/*/",
                "/* é\n*/",
            ]));
        }
    }

    fn string(text: &mut String, random: &mut Random) {
        text.push('"');
        for _ in 0..random.of(&[0, 1, 1, 2, 3, 5, 30]) {
            text.push_str(random.of(&[
                "a", "key", "word ", "\\\"", "\\\\", "\\n", "\\u00e9", "\\/", "é", "😀", "{", "]", ",", ":",
                "//", "/*", "0",
            ]));
        }
        text.push('"');
    }

    fn scalar(text: &mut String, random: &mut Random) {
        match random.below(8) {
            0 => text.push_str(random.of(&["true", "false", "null"])),
            1..=4 => {
                let digits = |random: &mut Random| {
                    let count = random.of(&[1, 1, 2, 3, 6, 20]);
                    (0..count).map(|_| char::from(b'0' + random.below(10) as u8)).collect::<String>()
                };
                text.push_str(random.of(&["", "", "-"]));
                let first = random.below(10) as u8;
                text.push(char::from(b'0' + first));
                if first > 0 && random.one_in(2) {
                    text.push_str(&digits(random));
                }
                if random.one_in(3) {
                    text.push('.');
                    text.push_str(&digits(random));
                }
                if random.one_in(4) {
                    text.push_str(random.of(&["e", "E", "e+", "E-"]));
                    text.push_str(&digits(random));
                }
            }
            _ => string(text, random),
        }
    }

    fn value(text: &mut String, random: &mut Random, style: &Style, most_depth: usize) {
        if most_depth == 0 || text.len() > 1_000 || random.one_in(2) {
            return scalar(text, random);
        }
        let is_object = random.one_in(2);
        text.push(if is_object { '{' } else { '[' });
        gap(text, random, style);
        let count = random.below(7);
        for index in 0..count {
            if is_object {
                string(text, random);
                gap(text, random, style);
                text.push(':');
                gap(text, random, style);
            }
            value(text, random, style, most_depth - 1);
            gap(text, random, style);
            if index + 1 < count || random.one_in(style.trailing_commas) {
                text.push(',');
                gap(text, random, style);
            }
        }
        text.push(if is_object { '}' } else { ']' });
    }

    /// A document, perhaps with a few damages.
    fn document(random: &mut Random) -> String {
        let style = Style {
            blanks: random.of(&[1, 2, 1000]),
            comments: random.of(&[3, 20, 1000, 1000]),
            trailing_commas: random.of(&[2, 1000]),
        };
        let mut text = String::from("[");
        let length = random.of(&[100, 300, 700]);
        while text.len() < length {
            let depth = random.of(&[0, 1, 3, 70]);
            value(&mut text, random, &style, depth);
            gap(&mut text, random, &style);
            text.push(',');
            gap(&mut text, random, &style);
        }
        text.push_str("null]");
        let damages = random.of(&[0, 0, 1, 1, 2, 5]);
        for _ in 0..damages {
            let at = text.floor_char_boundary(random.below(text.len()));
            let end = text.ceil_char_boundary((at + random.below(2)).min(text.len()));
            text.replace_range(
                at..end,
                random.of(&[
                    "", "", "\"", "{", "}", "[", "]", ",", ":", "0", "1", "-", "+", ".", "e", "E", "t",
                    "true", "x", "/", "//", "*/", "\\", "\\u", "\u{1}", "\u{7f}", " ", "\n", "é", "\u{feff}",
                    "[[", "]]", "\"a\":", "00",
                ]),
            );
        }
        text
    }

    fn random_policy(random: &mut Random) -> Policy {
        let rules = Rule::ALL.into_iter().filter(|_| !random.one_in(4)).collect::<RuleSet>();
        if random.one_in(3) { Policy::allow_comments(rules) } else { Policy::fix(rules) }
    }

    /// How many random documents there are; more with `DOCUMENTS=1000000`.
    fn documents(count: u64) -> u64 {
        std::env::var("DOCUMENTS").ok().and_then(|count| count.parse().ok()).unwrap_or(count)
    }

    #[test]
    fn all_ways_to_read_agree_wherever_a_text_is_cut() {
        for seed in 0..documents(2_000) {
            let mut random = Random(seed << 20);
            let text = document(&mut random);
            let policy = random_policy(&mut random);
            assert_agreement(&text, &[], policy);
            for _ in 0..3 {
                let first = random.below(text.len() + 1);
                let second = first + random.below(text.len() + 1 - first);
                assert_agreement(&text, &[first, second], policy);
            }
        }
    }

    #[test]
    fn all_ways_to_read_agree_at_every_cut() {
        for seed in 0..documents(2_000) / 100 {
            let mut random = Random(!seed << 20);
            let text = document(&mut random);
            let policy = random_policy(&mut random);
            for cut in 0..text.len() {
                assert_agreement(&text, &[cut], policy);
            }
        }
    }
}
