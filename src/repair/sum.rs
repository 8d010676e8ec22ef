//! What the summaries of segments that follow one another come to.
//!
//! A [`Sum`] is to a row of segments what a [`Summary`] is to one, but for the
//! lists: it speaks of bytes from the row's beginning, and leaves open what began
//! before that, so it stays true wherever the row stands. Sums of neighbours add
//! up, so that those of rows in which nothing has changed need not be made again.
//!
//! What begins in one segment and is decided in another belongs to neither: the
//! sum collects it in [`Sum::crossing`]. There are at most two such places a
//! border.

use std::ops::Range;

use super::{
    grammar::{self, Failure},
    rules::Rule,
    scan::{Begun, Comma, Counts, Deletion, Extent, Held, Place, SegmentMismatch, State, Summary},
};

/// What segments that follow one another come to, in bytes from their beginning.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    /// How many segments these are.
    pub(super) segments: usize,
    pub(super) length: usize,
    /// How many of the brackets beneath them they close.
    closed: usize,
    /// How many brackets they open and leave open.
    pub(super) opened: usize,
    pub(super) counts: Counts,
    pub(super) doubtful: Counts,
    pub(super) allowed: usize,
    /// By what the summaries hold; what crosses borders is not in it.
    pub(super) deleted: Extent,
    pub(super) comments_with_closers: usize,
    pub(super) significant_end: Option<usize>,
    /// Where what they leave open began, if it did here. Of what is not open
    /// it means nothing.
    pub(super) begun: Begun,
    pub(super) string_holds_closer: bool,
    /// The comma that was pending when they began turned out a trailing one.
    entry_comma_is_trailing: bool,
    /// Where the comment that was being read when they began ends, if it does.
    entry_comment_end: Option<usize>,
    /// How long that comment is here, if it ends here.
    entry_comment_utf16: usize,
    pub(super) failure: Option<(Failure, Place)>,
    /// The segment of the first mismatch, where that begins, and the mismatch.
    pub(super) mismatch: Option<(usize, usize, SegmentMismatch)>,
    /// What is deleted across borders.
    pub(super) crossing: Vec<Deletion>,
    /// Where comments end that crossed a border and are all that separates two
    /// tokens. Sorted.
    pub(super) joined_ends: Vec<usize>,
}

impl Sum {
    /// That of one segment of `length` bytes which is entered in `entry`.
    pub(super) fn of(length: usize, summary: &Summary, entry: State) -> Sum {
        let mut sum = Sum {
            segments: 1,
            length,
            counts: summary.counts,
            doubtful: summary.doubtful,
            allowed: summary.allowed,
            deleted: summary.deleted,
            comments_with_closers: summary.comments_with_closers,
            significant_end: summary.significant_end,
            begun: summary.begun,
            string_holds_closer: summary.string_holds_closer,
            entry_comma_is_trailing: summary.entry_comma_is_trailing,
            entry_comment_end: summary.entry_comment_end,
            entry_comment_utf16: summary.entry_comment_utf16,
            ..Sum::default()
        };
        if let Some(end) = summary.entry_comments_join {
            sum.joined_ends.push(end);
            sum.doubtful.count(Rule::RemoveComments);
        }
        // Behind an error nobody looks at the grammar, and behind a mismatch
        // nobody at the brackets.
        if entry.grammar != grammar::State::Failed {
            sum.failure = summary.failure;
        }
        if !entry.is_mismatched {
            sum.mismatch = summary.mismatch.map(|mismatch| (0, 0, mismatch));
            (sum.closed, sum.opened) = (summary.closed_below, summary.opened.len());
        }
        sum
    }

    /// Adds that of the segments behind.
    pub(super) fn add(&mut self, behind: &Sum) {
        let start = self.length;
        self.counts.add(behind.counts);
        self.doubtful.add(behind.doubtful);
        self.allowed += behind.allowed;
        self.deleted.add(behind.deleted);
        self.comments_with_closers += behind.comments_with_closers;
        if let Some(end) = behind.significant_end {
            self.significant_end = Some(start + end);
        }
        let moved = |deletion: &Deletion| Deletion {
            start: start + deletion.start,
            end: start + deletion.end,
            ..*deletion
        };
        self.crossing.extend(behind.crossing.iter().map(moved));
        self.joined_ends.extend(behind.joined_ends.iter().map(|end| start + end));
        if let Some(end) = behind.entry_comment_end {
            let (end, utf16) = (start + end, self.begun.comment_utf16 + behind.entry_comment_utf16);
            match self.begun.comment {
                Some(comment) => self.delete_comment(comment..end, utf16),
                None => (self.entry_comment_end, self.entry_comment_utf16) = (Some(end), utf16),
            }
        }
        if behind.entry_comma_is_trailing {
            match self.begun.comma {
                Some(comma) => self.delete_comma(comma),
                None => self.entry_comma_is_trailing = true,
            }
        }
        if self.failure.is_none() {
            self.failure = behind.failure.map(|(failure, place)| (failure, self.place(start, place)));
        }
        if self.mismatch.is_none() {
            let moved = |(index, begin, mismatch)| (self.segments + index, start + begin, mismatch);
            self.mismatch = behind.mismatch.map(moved);
        }
        self.begin(start, &behind.begun, behind.string_holds_closer);
        self.closed += behind.closed.saturating_sub(self.opened);
        self.opened = self.opened.saturating_sub(behind.closed) + behind.opened;
        self.segments += behind.segments;
        self.length += behind.length;
    }

    /// Where that is which a row that begins at `start` calls so.
    fn place(&self, start: usize, place: Place) -> Place {
        let begun = match place {
            Place::Here(offset) => Some(start + offset),
            Place::Comma => self.begun.comma.map(|comma| comma.offset),
            Place::Blank => self.begun.blank,
            Place::Comment => self.begun.comment,
        };
        begun.map_or(place, Place::Here)
    }

    /// Something began in a row that begins at `start`.
    fn begin(&mut self, start: usize, behind: &Begun, string_holds_closer: bool) {
        let begun = &mut self.begun;
        if let Some(comma) = behind.comma {
            begun.comma = Some(Comma { offset: start + comma.offset, ..comma });
        }
        if let Some(blank) = behind.blank {
            begun.blank = Some(start + blank);
        }
        if let Some(comment) = behind.comment {
            begun.comment = Some(start + comment);
            begun.comment_utf16 = 0;
        }
        begun.comment_utf16 += behind.comment_utf16;
        match behind.string {
            Some(string) => {
                begun.string = Some(start + string);
                self.string_holds_closer = string_holds_closer;
            }
            None => self.string_holds_closer |= string_holds_closer,
        }
    }

    pub(super) fn delete_comment(&mut self, range: Range<usize>, utf16: usize) {
        self.delete(Rule::RemoveComments, range, utf16, false);
    }

    pub(super) fn delete_comma(&mut self, Comma { offset, is_in_gap }: Comma) {
        self.delete(Rule::RemoveTrailingCommas, offset..offset + 1, 1, is_in_gap);
    }

    fn delete(&mut self, rule: Rule, range: Range<usize>, utf16: usize, is_doubtful: bool) {
        self.counts.count(rule);
        if is_doubtful {
            self.doubtful.count(rule);
        }
        let extent = Extent { bytes: range.len(), utf16 };
        let (start, end) = (range.start, range.end);
        self.crossing.push(Deletion { rule, start, end, is_doubtful, extent, held: Held::Nothing });
    }
}
