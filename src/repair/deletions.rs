//! The deletions of a report, made out one by one: what the segments hold,
//! merged with what crosses their borders.

use super::{
    doubt::Doubt,
    edit::Edit,
    fold::Folded,
    rules::Rule,
    scan::{Deletion, Held},
    segments::{Segment, Segments},
};

/// The deletions of a report, in order and in bytes of the source.
#[derive(Clone)]
pub(super) struct Deletions<'report> {
    segments: &'report [Segment],
    folded: &'report Folded,
    /// The segment that is next, where it starts, and its next deletion.
    index: usize,
    start: usize,
    local: usize,
    /// The next one of those that cross borders.
    crossing: usize,
}

impl Iterator for Deletions<'_> {
    type Item = Deletion;

    fn next(&mut self) -> Option<Deletion> {
        let local = loop {
            let Some(segment) = self.segments.get(self.index) else { break None };
            if self.local < segment.deletions
                && let Some(deletion) =
                    segment.summary().and_then(|summary| summary.deletions.get(self.local))
            {
                let (start, end) = (self.start + deletion.start, self.start + deletion.end);
                break Some(Deletion { start, end, ..*deletion });
            }
            // A crossing one that begins in this segment comes before those of
            // the next.
            let end = self.start + segment.length;
            if self.folded.sum.crossing.get(self.crossing).is_some_and(|deletion| deletion.start < end) {
                break None;
            }
            self.start = end;
            self.index += 1;
            self.local = 0;
        };
        let crossing = self.folded.sum.crossing.get(self.crossing).copied();
        let mut next = match (local, crossing) {
            (Some(local), Some(crossing)) if crossing.start < local.start => {
                self.crossing += 1;
                crossing
            }
            (Some(local), _) => {
                self.local += 1;
                local
            }
            (None, crossing) => {
                self.crossing += 1;
                crossing?
            }
        };
        next.is_doubtful |=
            next.rule == Rule::RemoveComments && self.folded.sum.joined_ends.binary_search(&next.end).is_ok();
        Some(next)
    }
}

/// The same as edits. The comments that touch one another share their doubt,
/// which the last of them is known by.
pub(super) struct DeletionEdits<'report> {
    deletions: Deletions<'report>,
    /// Where the last run of comments ends that was looked at, and whether it
    /// joins tokens.
    run: Option<(usize, bool)>,
}

impl Iterator for DeletionEdits<'_> {
    type Item = Edit;

    fn next(&mut self) -> Option<Edit> {
        let deletion = self.deletions.next()?;
        let joins = deletion.rule == Rule::RemoveComments
            && match self.run {
                Some((end, joins)) if deletion.end <= end => joins,
                _ => self.run.insert(self.run_from(deletion)).1,
            };
        Some(edit(self.deletions.folded, deletion, joins))
    }
}

impl<'report> DeletionEdits<'report> {
    /// From the first on that ends at `from` or behind it.
    pub(super) fn new(segments: &'report Segments, folded: &'report Folded, from: usize) -> Self {
        let (index, start) = segments.segment_before(from);
        let segments = segments.all();
        let local = segments[index]
            .summary()
            .map_or(0, |summary| summary.deletions.partition_point(|deletion| start + deletion.end < from));
        let crossing = folded.sum.crossing.partition_point(|deletion| deletion.end < from);
        DeletionEdits { deletions: Deletions { segments, folded, index, start, local, crossing }, run: None }
    }

    /// Where the comments end that touch `first` and one another, and whether
    /// they are all that separates two tokens.
    fn run_from(&self, first: Deletion) -> (usize, bool) {
        let mut last = first;
        for next in self.deletions.clone() {
            if next.rule != Rule::RemoveComments || next.start != last.end {
                break;
            }
            last = next;
        }
        (last.end, last.is_doubtful)
    }
}

/// The deletions of a report before an offset as edits, the last first. Whether comments join
/// tokens is not looked for.
pub(super) struct DeletionsBefore<'report> {
    segments: &'report [Segment],
    folded: &'report Folded,
    /// The segment that was looked at last, where it starts, and how many of
    /// its deletions are left.
    index: usize,
    start: usize,
    local: usize,
    /// How many of those that cross borders are left.
    crossing: usize,
}

impl<'report> DeletionsBefore<'report> {
    /// Those that begin before `offset`.
    pub(super) fn new(segments: &'report Segments, folded: &'report Folded, offset: usize) -> Self {
        let (index, start) = segments.segment_before(offset);
        let segments = segments.all();
        let summary = segments.get(index).and_then(Segment::summary);
        let local = summary.map_or(0, |summary| {
            summary.deletions.partition_point(|deletion| start + deletion.start < offset)
        });
        let crossing = folded.sum.crossing.partition_point(|deletion| deletion.start < offset);
        DeletionsBefore { segments, folded, index, start, local, crossing }
    }

    fn next_deletion(&mut self) -> Option<Deletion> {
        while self.local == 0 && self.index > 0 {
            self.index -= 1;
            let segment = &self.segments[self.index];
            self.start -= segment.length;
            self.local = segment.deletions;
        }
        let segment = self.segments.get(self.index).and_then(Segment::summary);
        let local = self.local.checked_sub(1).zip(segment).map(|(last, summary)| {
            let deletion = summary.deletions[last];
            Deletion { start: self.start + deletion.start, end: self.start + deletion.end, ..deletion }
        });
        let crossing = self.crossing.checked_sub(1).map(|last| self.folded.sum.crossing[last]);
        match (local, crossing) {
            (Some(local), Some(crossing)) if local.start > crossing.start => {
                self.local -= 1;
                Some(local)
            }
            (Some(local), None) => {
                self.local -= 1;
                Some(local)
            }
            (_, crossing) => {
                self.crossing = self.crossing.saturating_sub(1);
                crossing
            }
        }
    }
}

impl Iterator for DeletionsBefore<'_> {
    type Item = Edit;

    fn next(&mut self) -> Option<Edit> {
        let deletion = self.next_deletion()?;
        Some(edit(self.folded, deletion, false))
    }
}

/// A deletion as an edit; `joins` says whether it is one of the comments
/// that are all that separates two tokens.
fn edit(folded: &Folded, deletion: Deletion, joins: bool) -> Edit {
    let doubt = match deletion.rule {
        Rule::RemoveComments => {
            let is_last = deletion.end == folded.sum.length;
            if is_last && folded.ends_in_unterminated_comment {
                Some(Doubt::UnterminatedComment)
            } else if folded.doubtful_comment == Some(deletion.start)
                || deletion.held == Held::Comment
                || deletion.held == Held::Closers && folded.closing.is_some()
            {
                Some(Doubt::CommentMayHoldText)
            } else {
                joins.then_some(Doubt::JoinsTokens)
            }
        }
        _ => deletion.is_doubtful.then_some(Doubt::ValueMayBeMissing),
    };
    Edit { doubt, ..Edit::deletion(deletion.rule, deletion.start..deletion.end) }
}
