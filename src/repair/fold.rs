//! What the segments of a text come to: their [`Sum`], and what the end of the
//! text makes of it.

use super::{
    doubt::Doubt,
    grammar::{self, Bracket, Failure},
    rules::{Policy, Rule, Treatment},
    scan::{Extent, Held, Lexical, Pending, Place, State},
    segments::{OpenBrackets, Segments},
    sum::Sum,
    text::Text,
};

/// What the summaries of all segments come to.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded {
    pub(super) sum: Sum,
    pub(super) deleted: Extent,
    pub(super) closing: Option<Closing>,
    pub(super) failure: Option<(Failure, ErrorPlace)>,
    pub(super) open_string: Option<usize>,
    pub(super) significant_end: usize,
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
    /// Folds the segments of `document`. Linear in those of the groups that were
    /// changed, and in the number of groups.
    pub(super) fn new(segments: &mut Segments, document: &(impl Text + ?Sized)) -> Folded {
        let sum = segments.sum();
        let place = |(failure, place): (Failure, Place)| match place {
            Place::Here(offset) => (failure, ErrorPlace::Source(offset)),
            // Nothing stands before the first segment.
            Place::Comma | Place::Blank | Place::Comment => (failure, ErrorPlace::Source(0)),
        };
        let mut folded = Folded {
            failure: sum.failure.map(place),
            significant_end: sum.significant_end.unwrap_or_default(),
            sum,
            ..Folded::default()
        };
        let state = segments.all().last().map_or(State::START, |last| last.exit);
        let within = OpenBrackets::before(segments.all(), folded.sum.length).next();
        folded.end(segments.policy, state, within.map(|opener| opener.bracket), document);
        folded.doubt_comments(document);
        folded.sum.crossing.sort_by_key(|deletion| deletion.start);
        folded.deleted = folded.sum.deleted;
        folded.sum.crossing.iter().for_each(|deletion| folded.deleted.add(deletion.extent));
        folded
    }

    /// Ends the text in `state`, with `within` its innermost open bracket.
    fn end(
        &mut self,
        policy: Policy,
        state: State,
        within: Option<Bracket>,
        document: &(impl Text + ?Sized),
    ) {
        let end = self.sum.length;
        let begun = self.sum.begun;
        let mut grammar = EndOfText { state: state.grammar, within, failure: None };
        let mut ends_in_line_comment = false;
        let mut ends_in_block_comment = false;
        let mut pending = state.pending;
        let comma = begun.comma.map_or(end, |comma| comma.offset);
        let comment = begun.comment.unwrap_or_default();
        match state.lexical {
            Lexical::Slash => {
                self.significant_end = end;
                grammar.keep_comma(&mut pending, comma);
                grammar.read(b'/', ErrorPlace::Source(comment));
            }
            Lexical::LineComment if policy.allows_comments() => {
                ends_in_line_comment = true;
                self.sum.allowed += 1;
                if pending == Pending::Nothing {
                    grammar.read(b' ', ErrorPlace::Source(comment));
                }
            }
            Lexical::BlockComment | Lexical::BlockCommentStar if policy.allows_comments() => {
                // A dialect with comments has no use for this `/`.
                ends_in_block_comment = true;
                grammar.keep_comma(&mut pending, comma);
                grammar.read(b'/', ErrorPlace::Source(comment));
            }
            Lexical::LineComment => self.sum.delete_comment(comment..end, begun.comment_utf16),
            Lexical::BlockComment | Lexical::BlockCommentStar => {
                self.sum.delete_comment(comment..end, begun.comment_utf16);
                self.ends_in_unterminated_comment = true;
                self.sum.doubtful.count(Rule::RemoveComments);
            }
            _ => {}
        }
        self.open_string = state.lexical.is_string().then_some(begun.string).flatten();
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
                    self.sum.allowed += 1;
                    grammar.keep_comma(&mut pending, comma);
                    grammar.state = grammar.state.allow_trailing_comma();
                }
                Treatment::Fix => {
                    if let Some(comma) = begun.comma {
                        self.sum.delete_comma(comma);
                    }
                    if pending == Pending::CommaAndBlank {
                        grammar.read(b' ', ErrorPlace::Source(begun.blank.unwrap_or_default()));
                    }
                }
            }
        }
        let closing = Closing {
            line_ending: if ends_in_line_comment { document.line_ending() } else { "" },
            closes_string: self.open_string.is_some(),
            doubt: None,
        };
        self.sum.counts.count(Rule::CloseTruncated);
        self.closing = Some(closing);
        if self.open_string.is_some() && self.sum.string_holds_closer {
            self.doubt_closing(Doubt::QuoteMayBeMissing);
        }
        // The closers behind the first are right if that is: they are the open
        // brackets' own.
        let first_bracket = within.map(|within| within.closer());
        for (index, closer) in closing.prefix().chars().chain(first_bracket).enumerate() {
            grammar.read(closer as u8, ErrorPlace::Inserted(index));
        }
        let closers = closing.prefix().len() + self.sum.opened;
        self.failure = self.failure.or_else(|| grammar.end(None, ErrorPlace::Inserted(closers)));
    }

    /// Doubts the closing of the text, if it is closed and nobody doubts it yet.
    pub(super) fn doubt_closing(&mut self, doubt: Doubt) {
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.doubt.is_none()) {
            closing.doubt = Some(doubt);
            self.sum.doubtful.count(Rule::CloseTruncated);
        }
    }

    /// Doubts comments for what they hold: another comment's beginning always,
    /// closers where the text is closed, which may be for want of them.
    fn doubt_comments(&mut self, document: &(impl Text + ?Sized)) {
        for deletion in self.sum.crossing.iter_mut().filter(|deletion| deletion.rule == Rule::RemoveComments)
        {
            let length = (deletion.end - deletion.start).min(Held::REACH);
            let comment: Vec<u8> = document.bytes_from(deletion.start).take(length).collect();
            deletion.held = Held::of(&comment);
            match deletion.held {
                Held::Nothing => {}
                Held::Comment => self.sum.doubtful.count(Rule::RemoveComments),
                Held::Closers => self.sum.comments_with_closers += 1,
            }
        }
        if self.closing.is_some() {
            (0..self.sum.comments_with_closers).for_each(|_| self.sum.doubtful.count(Rule::RemoveComments));
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
