//! A text cut into segments, each with what it means where it stands.
//!
//! A change costs the segments that it touches: they are scanned anew. The
//! ones behind keep their [`Summary`] as long as they are entered as they were
//! summarised for; the last few summaries of a segment are kept, since typing a
//! quote flips all the text behind it into a string, and taking it back flips
//! it out again.
//!
//! How far a change reaches is told by [`Effect`]: once the segments from the
//! first changed one on leave the same state and the same brackets to the text
//! behind as they did before, nothing behind has to be looked at.
//!
//! Segments are grouped, and groups keep their [`Sum`]. So what all of them come
//! to, and which one an offset is in, is found without looking at each. In 100 MiB
//! that made a keystroke's update three times as fast: the summaries lie about in
//! memory, and fetching them is what took time.

use std::{ops::Range, sync::Arc};

use super::{
    grammar::Bracket,
    rules::Policy,
    scan::{Opener, Scan, State, Summary},
    sum::Sum,
    text::Text,
};

/// Hears how many bytes a pass has read, and says whether it goes on.
pub(super) type GoesOn<'caller> = dyn FnMut(usize) -> bool + 'caller;

/// How many summaries a segment keeps.
const SUMMARIES: usize = 3;

/// The segments of a text.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    pub(super) policy: Policy,
    /// The length of a segment when it is cut, in bytes.
    segment_length: usize,
    segments: Vec<Segment>,
    /// The same, some at a time.
    groups: Vec<Group>,
    /// So many segments at the beginning are up to date: they were not changed,
    /// and are entered as they were.
    settled_in_front: usize,
    /// So many at the end were not changed.
    unchanged_behind: usize,
}

/// How many segments are grouped; twice as many at most. A change costs the sum
/// of one group, and one of all groups. Where tests look at short texts, groups
/// are short.
const GROUP: usize = if cfg!(test) { 2 } else { 48 };

/// Segments that follow one another.
#[derive(Clone, Debug)]
struct Group {
    segments: usize,
    length: usize,
    /// Empty when one of them was changed, or is entered in another way.
    sum: Option<Sum>,
}

/// A stretch of the text.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) length: usize,
    /// What it means; the first is the one in force. Empty when it was changed.
    summaries: [Option<Arc<Summary>>; SUMMARIES],
    /// The state in which it is left.
    pub(super) exit: State,
    /// Of the summary in force: how many of the brackets beneath it closes.
    closed_below: usize,
    /// And how many it leaves open.
    opened: usize,
    /// And how many deletions it holds.
    pub(super) deletions: usize,
    /// If it was changed: what stood in its place did.
    replaced: Option<Box<Effect>>,
}

/// What a stretch of text does to those behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Effect {
    /// How many of the brackets beneath it closes.
    closed: usize,
    /// The kinds of those that it opens and leaves open, outermost first.
    opened: Vec<Bracket>,
    /// The state in which it is left.
    exit: State,
}

impl Segments {
    /// Those of an empty text, to be cut at about `segment_length` bytes.
    pub(super) fn new(policy: Policy, segment_length: usize) -> Segments {
        let segments = vec![Segment::new(0)];
        let groups = vec![Group::new(&segments)];
        Segments { policy, segment_length, segments, groups, settled_in_front: 0, unchanged_behind: 0 }
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> &[Segment] {
        &self.segments
    }

    /// How many bytes they hold.
    fn length(&self) -> usize {
        self.groups.iter().map(|group| group.length).sum()
    }

    /// What all of them come to, once they are up to date.
    pub(super) fn sum(&mut self) -> Sum {
        let mut sum = Sum::default();
        let mut rest = &self.segments[..];
        let mut entry = State::START;
        for group in &mut self.groups {
            let own;
            (own, rest) = rest.split_at(group.segments);
            let own_sum = group.sum.get_or_insert_with(|| {
                let mut sum = Sum::default();
                let mut entry = entry;
                for segment in own {
                    if let Some(summary) = segment.summary() {
                        sum.add(&Sum::of(segment.length, summary, entry));
                    }
                    entry = segment.exit;
                }
                sum
            });
            sum.add(own_sum);
            entry = own.last().map_or(entry, |last| last.exit);
        }
        sum
    }

    /// Hands the sums of the groups that end before `offset` or there to `see`.
    /// Returns the first segment that is in none of them, and where it begins.
    pub(super) fn groups_before(&self, offset: usize, mut see: impl FnMut(&Sum)) -> (usize, usize) {
        let (mut index, mut start) = (0, 0);
        for group in &self.groups {
            let Some(sum) = group.sum.as_ref().filter(|sum| start + sum.length <= offset) else { break };
            see(sum);
            (index, start) = (index + group.segments, start + group.length);
        }
        (index, start)
    }

    /// Notes that the bytes of `range` were replaced by `inserted` others. What
    /// of `range` lies behind the last segment does not count.
    pub(super) fn change(&mut self, range: Range<usize>, inserted: usize) {
        let held = self.length();
        let (start, end) = (range.start.min(held), range.end.min(held));
        let (first, first_start) = self.segment_at(start);
        let (last, last_start) = if end == start { (first, first_start) } else { self.segment_before(end) };
        let length = last_start + self.segments[last].length - first_start - (end - start) + inserted;
        self.replace(first..last + 1, length);
        if length < self.segment_length / 8 && first + 1 < self.segments.len() {
            self.replace(first..first + 2, length + self.segments[first + 1].length);
        }
        self.cut(first);
    }

    /// Brings them up to date with the first `length` bytes of `document`,
    /// unless `goes_on`, which hears up to where they are, says no before that:
    /// `false` then, and there is nothing that can be asked of them until another
    /// update, which goes on from there.
    ///
    /// Linear in the segments that were changed, and in those behind that mean
    /// something else now.
    pub(super) fn update(
        &mut self,
        document: &(impl Text + ?Sized),
        length: usize,
        goes_on: &mut GoesOn<'_>,
    ) -> bool {
        self.resize(length);
        self.scan(document, goes_on)
    }

    /// Makes a single changed segment of those at `indices`.
    fn replace(&mut self, indices: Range<usize>, length: usize) {
        let replaced = &self.segments[indices.clone()];
        let effect = replaced.iter().skip(1).try_fold(replaced[0].effect(), |effect, next| {
            let mut effect = effect?;
            effect.add(&next.effect()?);
            Some(Some(effect))
        });
        self.settled_in_front = self.settled_in_front.min(indices.start);
        self.unchanged_behind = self.unchanged_behind.min(self.segments.len() - indices.end);
        let first = indices.start;
        self.segments[first] = Segment { replaced: effect.flatten().map(Box::new), ..Segment::new(length) };
        self.segments.drain(first + 1..indices.end);
        self.regroup(indices, 1);
    }

    /// Groups the segments anew that stand in place of those at `indices` now,
    /// `count` of them.
    fn regroup(&mut self, indices: Range<usize>, count: usize) {
        let (mut first, mut start) = (0, 0);
        while start + self.groups[first].segments <= indices.start {
            start += self.groups[first].segments;
            first += 1;
        }
        let (mut last, mut end) = (first, start + self.groups[first].segments);
        while end < indices.end {
            last += 1;
            end += self.groups[last].segments;
        }
        let grouped = &self.segments[start..end - indices.len() + count];
        let each = if grouped.len() > 2 * GROUP { GROUP } else { 2 * GROUP };
        self.groups.splice(first..last + 1, grouped.chunks(each).map(Group::new));
    }

    /// Forgets the sums of groups of which a segment is at one of `indices`.
    fn forget_sums(&mut self, indices: Range<usize>) {
        let mut start = 0;
        for group in &mut self.groups {
            let end = start + group.segments;
            if start < indices.end && end > indices.start {
                group.sum = None;
            }
            start = end;
        }
    }

    /// Makes the segments add up to `length`, by changing the end.
    fn resize(&mut self, length: usize) {
        let mut held = self.length();
        while held > length {
            let last = self.segments.len() - 1;
            let before = held - self.segments[last].length;
            if before < length || last == 0 {
                self.replace(last..last + 1, length - before);
                return;
            }
            self.segments.pop();
            self.regroup(last..last + 1, 0);
            self.settled_in_front = self.settled_in_front.min(last);
            self.unchanged_behind = 0;
            held = before;
        }
        if held < length {
            let last = self.segments.len() - 1;
            self.replace(last..last + 1, self.segments[last].length + length - held);
            self.cut(last);
        }
    }

    /// Cuts the changed segment at `index`, if it has grown too long.
    fn cut(&mut self, index: usize) {
        let most = 2 * self.segment_length;
        let mut rest = self.segments[index].length;
        if rest <= most {
            return;
        }
        // The first piece stands for what was replaced, the others add nothing
        // to it.
        let mut replaced = self.segments[index].replaced.take();
        let nothing = replaced.as_ref().map(|effect| Box::new(Effect::nothing(effect.exit)));
        let mut pieces = Vec::with_capacity(rest / self.segment_length + 1);
        while rest > 0 {
            let length = if rest > most { self.segment_length } else { rest };
            pieces.push(Segment { replaced, ..Segment::new(length) });
            replaced = nothing.clone();
            rest -= length;
        }
        let count = pieces.len();
        self.segments.splice(index..index + 1, pieces);
        self.regroup(index..index + 1, count);
    }

    /// Where the segment at `index` starts.
    fn start_of(&self, index: usize) -> usize {
        let (mut before, mut start) = (0, 0);
        for group in &self.groups {
            if before + group.segments > index {
                break;
            }
            (before, start) = (before + group.segments, start + group.length);
        }
        start + self.segments[before..index].iter().map(|segment| segment.length).sum::<usize>()
    }

    /// The segment that `offset` is in, and where it starts; a border is in the
    /// one behind it, if there is one.
    fn segment_at(&self, offset: usize) -> (usize, usize) {
        self.first_segment(|end| offset < end)
    }

    /// The same, but a border is in the segment before it.
    pub(super) fn segment_before(&self, offset: usize) -> (usize, usize) {
        self.first_segment(|end| offset <= end)
    }

    /// The first segment the end of which is accepted, or the last, and where it
    /// starts.
    fn first_segment(&self, accepts: impl Fn(usize) -> bool) -> (usize, usize) {
        let (mut index, mut start) = (0, 0);
        let (_, groups) = self.groups.split_last().unzip();
        for group in groups.unwrap_or_default() {
            if accepts(start + group.length) {
                break;
            }
            (index, start) = (index + group.segments, start + group.length);
        }
        while index + 1 < self.segments.len() && !accepts(start + self.segments[index].length) {
            (index, start) = (index + 1, start + self.segments[index].length);
        }
        (index, start)
    }

    /// Finds a summary for every segment that was changed, and for those behind
    /// that are entered differently now.
    fn scan(&mut self, document: &(impl Text + ?Sized), goes_on: &mut GoesOn<'_>) -> bool {
        /// From so many segments in a row on it pays to know all open brackets.
        const MANY: usize = 4;

        let first = self.settled_in_front;
        let mut start = self.start_of(first);
        let mut entry = self.segments[..first].last().map_or(State::START, |before| before.exit);
        // What the last segments in a row did to those behind, and do now.
        let mut row: Option<(Option<Effect>, Effect)> = None;
        let mut looked_at = 0;
        let mut open: Option<Vec<Bracket>> = None;
        let mut buffer = Vec::new();
        let mut settled = first;
        for index in first..self.segments.len() {
            let end = start + self.segments[index].length;
            let is_changed = self.segments[index].summary().is_none();
            if let Some((Some(before), now)) = &row
                && !is_changed
                && before.leaves_the_same(now)
            {
                row = None;
            }
            if row.is_none() && index >= self.segments.len() - self.unchanged_behind {
                break;
            }
            if is_changed || row.is_some() {
                if row.is_none() {
                    looked_at = 0;
                    open = None;
                }
                if !goes_on(start) {
                    // Those behind may be entered differently now.
                    self.segments[index] = Segment::new(end - start);
                    self.forget_sums(first..index + 1);
                    self.settled_in_front = index;
                    self.unchanged_behind = self.unchanged_behind.min(self.segments.len() - 1 - index);
                    return false;
                }
                looked_at += 1;
                if looked_at > MANY && open.is_none() {
                    open = Some(self.kinds_before(index));
                }
                let below = || match &open {
                    Some(open) => Below::Known(open.iter().rev()),
                    None => Below::Searched(OpenBrackets::before(&self.segments[..index], start)),
                };
                let serves = |summary: &Option<Arc<Summary>>| {
                    summary.as_ref().is_some_and(|summary| summary.serves(entry, below()))
                };
                let serving = self.segments[index].summaries.iter().position(serves);
                let scanned = serving.is_none().then(|| {
                    let mut below = below();
                    let scan = Scan::new(self.policy, entry, &mut below);
                    Arc::new(read(scan, document, start..end, &mut buffer))
                });
                let segment = &mut self.segments[index];
                let before = segment.effect();
                segment.put(serving, scanned, entry);
                let (old, new) =
                    row.get_or_insert_with(|| (Some(Effect::nothing(entry)), Effect::nothing(entry)));
                match (&mut *old, before) {
                    (Some(old), Some(before)) => old.add(&before),
                    _ => *old = None,
                }
                if let Some(now) = segment.effect() {
                    new.add(&now);
                    if let Some(open) = &mut open {
                        now.nest(open);
                    }
                }
            }
            entry = self.segments[index].exit;
            start = end;
            settled = index + 1;
        }
        self.forget_sums(first..settled);
        self.settled_in_front = self.segments.len();
        self.unchanged_behind = self.segments.len();
        true
    }

    /// The kinds of the brackets that are open where the segment at `index`
    /// begins, outermost first.
    fn kinds_before(&self, index: usize) -> Vec<Bracket> {
        let mut open = Vec::new();
        for summary in self.segments[..index].iter().filter_map(Segment::summary) {
            open.truncate(open.len().saturating_sub(summary.closed_below));
            open.extend(summary.opened.iter().map(|opened| opened.bracket()));
        }
        open
    }
}

/// Has `scan` read the bytes of `range`, in one piece.
fn read(
    scan: Scan<'_>,
    document: &(impl Text + ?Sized),
    range: Range<usize>,
    buffer: &mut Vec<u8>,
) -> Summary {
    let mut pieces = document.pieces(range.clone());
    match pieces.next() {
        Some(piece) if piece.len() == range.len() => scan.read(piece),
        first => {
            // Short pieces are slow to read, and copying them is fast.
            buffer.clear();
            first.into_iter().chain(pieces).for_each(|piece| buffer.extend_from_slice(piece));
            scan.read(buffer)
        }
    }
}

impl Segment {
    /// A changed one, which stands for nothing that is known.
    fn new(length: usize) -> Segment {
        Segment {
            length,
            summaries: [const { None }; SUMMARIES],
            exit: State::START,
            closed_below: 0,
            opened: 0,
            deletions: 0,
            replaced: None,
        }
    }

    /// What it means; `None` if it was changed.
    pub(super) fn summary(&self) -> Option<&Summary> {
        self.summaries[0].as_deref()
    }

    /// What it does to the segments behind it or, if it was changed, did.
    fn effect(&self) -> Option<Effect> {
        match self.summary() {
            Some(summary) => Some(Effect {
                closed: summary.closed_below,
                opened: summary.opened.iter().map(|opened| opened.bracket()).collect(),
                exit: self.exit,
            }),
            None => self.replaced.as_deref().cloned(),
        }
    }

    /// Puts the summary in force with which the segment is entered in `entry`:
    /// one that it has, or the new one.
    fn put(&mut self, serving: Option<usize>, scanned: Option<Arc<Summary>>, entry: State) {
        match serving {
            Some(serving) => self.summaries[..=serving].rotate_right(1),
            None => {
                self.summaries.rotate_right(1);
                self.summaries[0] = scanned;
            }
        }
        if let Some(summary) = &self.summaries[0] {
            self.exit = summary.exit_from(entry);
            (self.closed_below, self.opened) = (summary.closed_below, summary.opened.len());
            self.deletions = summary.deletions.len();
        }
        self.replaced = None;
    }
}

impl Group {
    fn new(segments: &[Segment]) -> Group {
        let length = segments.iter().map(|segment| segment.length).sum();
        Group { segments: segments.len(), length, sum: None }
    }
}

impl Effect {
    /// That of no text, entered in `state`.
    fn nothing(state: State) -> Effect {
        Effect { closed: 0, opened: Vec::new(), exit: state }
    }

    /// Adds that of the text behind.
    fn add(&mut self, behind: &Effect) {
        self.closed += behind.closed.saturating_sub(self.opened.len());
        behind.nest(&mut self.opened);
        self.exit = behind.exit;
    }

    /// Closes and opens brackets.
    fn nest(&self, open: &mut Vec<Bracket>) {
        open.truncate(open.len().saturating_sub(self.closed));
        open.extend_from_slice(&self.opened);
    }

    /// Whether the text behind is entered in the same way. Behind a mismatch
    /// nobody looks at brackets.
    fn leaves_the_same(&self, other: &Effect) -> bool {
        self.exit == other.exit && (self.exit.is_mismatched || self == other)
    }
}

/// The kinds of the brackets beneath a segment, innermost first.
enum Below<'report> {
    Known(std::iter::Rev<std::slice::Iter<'report, Bracket>>),
    Searched(OpenBrackets<'report>),
}

impl Iterator for Below<'_> {
    type Item = Bracket;

    fn next(&mut self) -> Option<Bracket> {
        match self {
            Below::Known(open) => open.next().copied(),
            Below::Searched(open) => open.next().map(|opener| opener.bracket),
        }
    }
}

/// The brackets that are open where a segment begins, innermost first.
pub(super) struct OpenBrackets<'report> {
    segments: &'report [Segment],
    /// Where the last of `segments` ends.
    end: usize,
    /// How many of the brackets that `segments` leave open are closed behind.
    closed: usize,
    /// How many of the last segment's are left to be looked at.
    left: usize,
}

impl<'report> OpenBrackets<'report> {
    /// Those that `segments` leave open, which end at `end`.
    pub(super) fn before(segments: &'report [Segment], end: usize) -> OpenBrackets<'report> {
        let mut open = OpenBrackets { segments, end, closed: 0, left: 0 };
        open.enter();
        open
    }

    /// Looks at the brackets that the last of the segments opened.
    fn enter(&mut self) {
        let opened = self.segments.last().map_or(0, |segment| segment.opened);
        self.left = opened.saturating_sub(self.closed);
        self.closed = self.closed.saturating_sub(opened);
    }
}

impl Iterator for OpenBrackets<'_> {
    type Item = Opener;

    fn next(&mut self) -> Option<Opener> {
        loop {
            let (last, before) = self.segments.split_last()?;
            if let Some(left) = self.left.checked_sub(1) {
                self.left = left;
                return Some(last.summary()?.opened[left].opener().moved(self.end - last.length));
            }
            self.closed += last.closed_below;
            self.end -= last.length;
            self.segments = before;
            self.enter();
        }
    }
}

impl Opener {
    pub(super) fn moved(self, by: usize) -> Opener {
        Opener { offset: self.offset + by, ..self }
    }
}
