//! What the segments of a text come to: a fold over their summaries.
//!
//! What begins in one segment and is decided in another belongs to neither: the
//! fold collects it in [`Folded::crossing`]. There are at most two such places
//! a border.

use std::ops::Range;

use super::{
    doubt::Doubt,
    grammar::{self, Bracket, Failure},
    rules::{Policy, Rule, Treatment},
    scan::{
        Comma, Counts, Deletion, Extent, Held, Lexical, Pending, Place, Plain, SegmentMismatch, State,
        Summary,
    },
    segments::{OpenBrackets, Segments},
    text::Text,
};

/// What the summaries of all segments come to.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded {
    pub(super) length: usize,
    /// What is deleted across borders, or decided by the end of the text.
    pub(super) crossing: Vec<Deletion>,
    /// Where comments end that crossed a border and are all that separates two
    /// tokens. Sorted.
    pub(super) joined_ends: Vec<usize>,
    pub(super) counts: Counts,
    pub(super) doubtful: Counts,
    pub(super) allowed: usize,
    pub(super) deleted: Extent,
    comments_with_closers: usize,
    pub(super) closing: Option<Closing>,
    pub(super) failure: Option<(Failure, ErrorPlace)>,
    pub(super) open_string: Option<usize>,
    pub(super) significant_end: usize,
    /// How many brackets are open at the end.
    depth: usize,
    /// The segment of the first mismatch, where that begins, and the mismatch.
    pub(super) mismatch: Option<(usize, usize, SegmentMismatch)>,
    pub(super) ends_in_unterminated_comment: bool,
    /// Where the comment begins that may hold what closes the text.
    pub(super) doubtful_comment: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorPlace {
    Source(usize),
    /// At this byte of what closing inserts.
    Inserted(usize),
}

/// How a truncated text is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    /// What comes before the closers, where a comment would swallow them.
    line_ending: &'static str,
    closes_string: bool,
    pub(super) doubt: Option<Doubt>,
}

impl Folded {
    /// Folds the segments of `document`. Linear in their number.
    pub(super) fn new(segments: &Segments, document: &(impl Text + ?Sized)) -> Folded {
        let mut folded = Folded::default();
        let mut entry = State::START;
        let mut carried = Carried::default();
        let mut start = 0;
        for (index, segment) in segments.all().iter().enumerate() {
            if let Some(plain) = &segment.plain {
                folded.add_plain(&mut carried, start, plain);
            } else if let Some(summary) = segment.summary() {
                folded.add(&mut carried, entry, index, start, summary);
            }
            if !entry.is_mismatched {
                folded.depth = folded.depth.saturating_sub(segment.closed_below) + segment.opened;
            }
            entry = segment.exit;
            start += segment.length;
        }
        folded.length = start;
        let within = OpenBrackets::before(segments.all()).next().map(|opener| opener.bracket);
        folded.end(segments.policy, &carried, entry, within, document);
        folded.doubt_comments(document);
        folded.crossing.sort_by_key(|deletion| deletion.start);
        folded
    }

    /// Adds a segment that begins at `start` and is entered in `entry`.
    fn add(&mut self, carried: &mut Carried, entry: State, index: usize, start: usize, summary: &Summary) {
        self.counts.add(summary.counts);
        self.doubtful.add(summary.doubtful);
        self.comments_with_closers += summary.comments_with_closers;
        self.allowed += summary.allowed;
        if let Some(end) = summary.significant_end {
            self.significant_end = start + end;
        }
        self.deleted.add(summary.deleted);
        if let Some(end) = summary.entry_comment_end {
            self.delete_comment(
                carried.comment..start + end,
                carried.comment_utf16 + summary.entry_comment_utf16,
            );
        }
        if summary.entry_comma_is_trailing {
            self.delete_comma(carried);
        }
        if let Some(end) = summary.entry_comments_join {
            self.joined_ends.push(start + end);
            self.doubtful.count(Rule::RemoveComments);
        }
        if entry.grammar != grammar::State::Failed
            && let Some((failure, place)) = summary.failure
        {
            let offset = match place {
                Place::Here(offset) => start + offset,
                Place::Comma => carried.comma.map_or(start, |comma| comma.offset),
                Place::Blank => carried.blank,
                Place::Comment => carried.comment,
            };
            self.failure = Some((failure, ErrorPlace::Source(offset)));
        }
        if !entry.is_mismatched {
            self.mismatch = summary.mismatch.map(|mismatch| (index, start, mismatch));
        }
        let begun = &summary.begun;
        if let Some(comma) = begun.comma {
            carried.comma = Some(Comma { offset: start + comma.offset, ..comma });
        }
        if let Some(blank) = begun.blank {
            carried.blank = start + blank;
        }
        if let Some(comment) = begun.comment {
            carried.comment = start + comment;
            carried.comment_utf16 = 0;
        }
        carried.comment_utf16 += begun.comment_utf16;
        carried.add_string(begun.string.map(|string| start + string), summary.string_holds_closer);
    }

    /// The same for one that is plain.
    fn add_plain(&mut self, carried: &mut Carried, start: usize, plain: &Plain) {
        if let Some(end) = plain.significant_end {
            self.significant_end = start + end as usize;
        }
        carried.add_string(plain.string.map(|string| start + string as usize), plain.string_holds_closer);
    }

    /// Ends the text in `state`, with `within` its innermost open bracket.
    fn end(
        &mut self,
        policy: Policy,
        carried: &Carried,
        state: State,
        within: Option<Bracket>,
        document: &(impl Text + ?Sized),
    ) {
        let end = self.length;
        let mut grammar = EndOfText { state: state.grammar, within, failure: None };
        let mut ends_in_line_comment = false;
        let mut ends_in_block_comment = false;
        let mut pending = state.pending;
        let comma = carried.comma.map_or(end, |comma| comma.offset);
        match state.lexical {
            Lexical::Slash => {
                self.significant_end = end;
                grammar.keep_comma(&mut pending, comma);
                grammar.read(b'/', ErrorPlace::Source(carried.comment));
            }
            Lexical::LineComment if policy.allows_comments() => {
                ends_in_line_comment = true;
                self.allowed += 1;
                if pending == Pending::Nothing {
                    grammar.read(b' ', ErrorPlace::Source(carried.comment));
                }
            }
            Lexical::BlockComment | Lexical::BlockCommentStar if policy.allows_comments() => {
                // A dialect with comments has no use for this `/`.
                ends_in_block_comment = true;
                grammar.keep_comma(&mut pending, comma);
                grammar.read(b'/', ErrorPlace::Source(carried.comment));
            }
            Lexical::LineComment => self.delete_comment(carried.comment..end, carried.comment_utf16),
            Lexical::BlockComment | Lexical::BlockCommentStar => {
                self.delete_comment(carried.comment..end, carried.comment_utf16);
                self.ends_in_unterminated_comment = true;
                self.doubtful.count(Rule::RemoveComments);
            }
            _ => {}
        }
        self.open_string = state.lexical.is_string().then_some(carried.string);
        let closes = policy.treatment(Rule::CloseTruncated) == Treatment::Fix
            && (self.open_string.is_some() || within.is_some())
            && !state.is_mismatched
            && !state.lexical.is_escape()
            && !ends_in_block_comment;
        if !closes {
            grammar.keep_comma(&mut pending, comma);
            self.failure = self.failure.or_else(|| grammar.end(within, ErrorPlace::Source(end)));
            return;
        }
        if pending != Pending::Nothing {
            match policy.treatment(Rule::RemoveTrailingCommas) {
                Treatment::Off => grammar.keep_comma(&mut pending, comma),
                Treatment::Allow => {
                    self.allowed += 1;
                    grammar.keep_comma(&mut pending, comma);
                    grammar.state = grammar.state.allow_trailing_comma();
                }
                Treatment::Fix => {
                    self.delete_comma(carried);
                    if pending == Pending::CommaAndBlank {
                        grammar.read(b' ', ErrorPlace::Source(carried.blank));
                    }
                }
            }
        }
        let closing = Closing {
            line_ending: if ends_in_line_comment { document.line_ending() } else { "" },
            closes_string: self.open_string.is_some(),
            doubt: None,
        };
        self.counts.count(Rule::CloseTruncated);
        self.closing = Some(closing);
        if self.open_string.is_some() && carried.string_holds_closer {
            self.doubt_closing(Doubt::QuoteMayBeMissing);
        }
        // The closers behind the first are right if that is: they are the open
        // brackets' own.
        let first_bracket = within.map(|within| within.closer());
        for (index, closer) in closing.prefix().chars().chain(first_bracket).enumerate() {
            grammar.read(closer as u8, ErrorPlace::Inserted(index));
        }
        let closers = closing.prefix().len() + self.depth;
        self.failure = self.failure.or_else(|| grammar.end(None, ErrorPlace::Inserted(closers)));
    }

    /// Doubts the closing of the text, if it is closed and nobody doubts it yet.
    pub(super) fn doubt_closing(&mut self, doubt: Doubt) {
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.doubt.is_none()) {
            closing.doubt = Some(doubt);
            self.doubtful.count(Rule::CloseTruncated);
        }
    }

    fn delete_comment(&mut self, range: Range<usize>, utf16: usize) {
        self.delete(Rule::RemoveComments, range, utf16, false);
    }

    /// Deletes the pending comma.
    fn delete_comma(&mut self, carried: &Carried) {
        if let Some(Comma { offset, is_in_gap }) = carried.comma {
            self.delete(Rule::RemoveTrailingCommas, offset..offset + 1, 1, is_in_gap);
        }
    }

    fn delete(&mut self, rule: Rule, range: Range<usize>, utf16: usize, is_doubtful: bool) {
        self.counts.count(rule);
        if is_doubtful {
            self.doubtful.count(rule);
        }
        let extent = Extent { bytes: range.len(), utf16 };
        self.deleted.add(extent);
        let (start, end) = (range.start, range.end);
        self.crossing.push(Deletion { rule, start, end, is_doubtful, extent, held: Held::Nothing });
    }

    /// Doubts comments for what they hold: another comment's beginning always,
    /// closers where the text is closed, which may be for want of them.
    fn doubt_comments(&mut self, document: &(impl Text + ?Sized)) {
        for deletion in self.crossing.iter_mut().filter(|deletion| deletion.rule == Rule::RemoveComments) {
            let length = (deletion.end - deletion.start).min(Held::REACH);
            let comment: Vec<u8> = document.bytes_from(deletion.start).take(length).collect();
            deletion.held = Held::of(&comment);
            match deletion.held {
                Held::Nothing => {}
                Held::Comment => self.doubtful.count(Rule::RemoveComments),
                Held::Closers => self.comments_with_closers += 1,
            }
        }
        if self.closing.is_some() {
            (0..self.comments_with_closers).for_each(|_| self.doubtful.count(Rule::RemoveComments));
        }
    }
}

/// Where what is still open began, in bytes of the source.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    comma: Option<Comma>,
    blank: usize,
    comment: usize,
    /// How long it is so far.
    comment_utf16: usize,
    string: usize,
    string_holds_closer: bool,
}

impl Carried {
    /// A segment leaves a string open, which begins in it or before.
    fn add_string(&mut self, begin: Option<usize>, holds_closer: bool) {
        match begin {
            Some(begin) => (self.string, self.string_holds_closer) = (begin, holds_closer),
            None => self.string_holds_closer |= holds_closer,
        }
    }
}

/// The grammar at the end of the text.
struct EndOfText {
    state: grammar::State,
    within: Option<Bracket>,
    failure: Option<(Failure, ErrorPlace)>,
}

impl EndOfText {
    fn read(&mut self, byte: u8, place: ErrorPlace) {
        match self.state.step(byte, self.within) {
            Ok(state) => self.state = state,
            Err(failure) => {
                self.state = grammar::State::Failed;
                self.failure = Some((failure, place));
            }
        }
    }

    fn keep_comma(&mut self, pending: &mut Pending, comma: usize) {
        if std::mem::replace(pending, Pending::Nothing) != Pending::Nothing {
            self.read(b',', ErrorPlace::Source(comma));
        }
    }

    /// Ends the text with `within` its innermost open bracket.
    fn end(mut self, within: Option<Bracket>, place: ErrorPlace) -> Option<(Failure, ErrorPlace)> {
        if let Err(failure) = self.state.end(within) {
            self.failure = Some((failure, place));
        }
        self.failure
    }
}

impl Closing {
    /// What is inserted before the closers of the brackets.
    pub(super) fn prefix(self) -> String {
        let quote = if self.closes_string { "\"" } else { "" };
        format!("{}{quote}", self.line_ending)
    }
}
