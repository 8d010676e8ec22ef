//! The report of a text: what a whole pass finds, kept in segments so that a
//! change costs the segments that it touches.
//!
//! A [`Report`] cuts the text into segments of some tens of KiB and keeps what
//! each means ([`Summary`]). A change rescans the segments that it touches. The
//! ones behind keep their summary as long as they are entered as they were
//! summarised for; the last few summaries of a segment are kept, since typing a
//! quote flips all the text behind it into a string, and taking it back flips
//! it out again. What is asked of the report is a fold over the summaries.
//!
//! What begins in one segment and is decided in another belongs to neither:
//! the fold collects it in [`Folded::crossing`]. There are at most two such
//! places a border.
//!
//! **A report depends on the text and the policy alone**, never on where the
//! segments were cut or how the text came about.

use std::{ops::Range, sync::Arc};

use super::{
    doubt::Doubt,
    edit::{Edit, Origin},
    grammar::{self, Bracket, Failure, JsonError},
    rules::{Policy, Rule, Treatment},
    scan::{
        Comma, Counts, Deletion, Lexical, MismatchedOpener, Opener, Pending, Place, Scan, SegmentMismatch,
        State, Summary,
    },
    text::{Text, candidate_len},
};

/// The length of a segment when it is cut, in bytes.
const SEGMENT: usize = 32 * 1024;
/// How many summaries a segment keeps.
const SUMMARIES: usize = 3;

/// What the rules would change in a text, and what is wrong with the result.
///
/// Kept up to date by [`Report::change`] and [`Report::update`].
#[derive(Clone, Debug)]
pub struct Report {
    policy: Policy,
    segment_length: usize,
    segments: Vec<Segment>,
    /// The length of the document, which may be longer than the candidate.
    document_length: usize,
    folded: Folded,
}

/// A stretch of the text.
#[derive(Clone, Debug)]
struct Segment {
    length: usize,
    /// What it means; the first is the one in force. Empty when it was changed.
    summaries: [Option<Arc<Summary>>; SUMMARIES],
    /// The state in which it is left.
    exit: State,
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

/// What the summaries of all segments come to.
#[derive(Clone, Debug, Default)]
struct Folded {
    length: usize,
    /// What is deleted across borders, or decided by the end of the text.
    crossing: Vec<Deletion>,
    /// Where comments end that crossed a border and are all that separates two
    /// tokens. Sorted.
    joined_ends: Vec<usize>,
    counts: Counts,
    doubtful: Counts,
    allowed: usize,
    deleted: usize,
    closing: Option<Closing>,
    failure: Option<(Failure, ErrorPlace)>,
    open_string: Option<usize>,
    significant_end: usize,
    /// How many brackets are open at the end.
    depth: usize,
    /// The segment of the first mismatch, where that begins, and the mismatch.
    mismatch: Option<(usize, usize, SegmentMismatch)>,
    ends_in_unterminated_comment: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorPlace {
    Source(usize),
    /// At this byte of what closing inserts.
    Inserted(usize),
}

/// How a truncated text is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Closing {
    /// What comes before the closers, where a comment would swallow them.
    line_ending: &'static str,
    closes_string: bool,
    is_doubtful: bool,
}

/// A closer that is not the innermost open bracket's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The byte at which the closer stands in the source.
    pub closer: usize,
    /// The innermost bracket that was open there.
    pub opener: Option<Opener>,
}

impl Report {
    /// The report of a document: of its candidate, all of it but its final line
    /// endings. Linear in the text.
    pub fn new(document: &(impl Text + ?Sized), policy: Policy) -> Report {
        Report::with_segments(document, policy, SEGMENT)
    }

    /// The report of a text all of which is the candidate.
    pub(super) fn of_text(text: &str, policy: Policy) -> Report {
        let mut report = Report::empty(policy, SEGMENT);
        report.change(0..0, text.len());
        report.update_to(text, text.len());
        report
    }

    /// The same as [`Report::new`], cut into segments of about `segment_length`
    /// bytes.
    fn with_segments(document: &(impl Text + ?Sized), policy: Policy, segment_length: usize) -> Report {
        let mut report = Report::empty(policy, segment_length);
        report.change(0..0, document.len());
        report.update(document);
        report
    }

    fn empty(policy: Policy, segment_length: usize) -> Report {
        Report {
            policy,
            segment_length,
            segments: vec![Segment::new(0)],
            document_length: 0,
            folded: Folded::default(),
        }
    }

    /// Notes that the bytes of `range` of the document were replaced by
    /// `inserted` others. [`Report::update`] must follow before anything is
    /// asked; changes in between count from one another's results.
    pub fn change(&mut self, range: Range<usize>, inserted: usize) {
        let candidate = self.segments.iter().map(|segment| segment.length).sum::<usize>();
        self.document_length = self.document_length - range.len() + inserted;
        // What lies behind the candidate is not in the segments; `update` finds
        // out how much of the end is.
        let (start, end) = (range.start.min(candidate), range.end.min(candidate));
        let (first, first_start) = self.segment_at(start);
        let (last, last_start) = if end == start { (first, first_start) } else { self.segment_before(end) };
        let behind = last_start + self.segments[last].length - end;
        self.merge(first..last + 1);
        self.segments[first].length = start - first_start + inserted + behind;
        if self.segments[first].length < self.segment_length / 8 && first + 1 < self.segments.len() {
            let length = self.segments[first].length + self.segments[first + 1].length;
            self.merge(first..first + 2);
            self.segments[first].length = length;
        }
    }

    /// Makes a single changed segment of those at `indices`.
    fn merge(&mut self, indices: Range<usize>) {
        let merged = &self.segments[indices.clone()];
        let effect = merged.iter().skip(1).try_fold(merged[0].effect(), |effect, next| {
            let mut effect = effect?;
            effect.add(&next.effect()?);
            Some(Some(effect))
        });
        let first = indices.start;
        self.segments[first] = Segment { replaced: effect.flatten().map(Box::new), ..Segment::new(0) };
        self.segments.drain(first + 1..indices.end);
    }

    /// Brings the report up to date with `document` after changes.
    ///
    /// Linear in the segments that were changed, and in those behind that mean
    /// something else now.
    pub fn update(&mut self, document: &(impl Text + ?Sized)) {
        self.update_to(document, candidate_len(document));
    }

    fn update_to(&mut self, document: &(impl Text + ?Sized), candidate_len: usize) {
        debug_assert_eq!(self.document_length, document.len());
        self.resize(candidate_len);
        self.cut();
        self.scan(document);
        self.fold(document);
    }

    /// Makes the segments add up to `length`, by changing the end.
    fn resize(&mut self, length: usize) {
        let mut total = self.segments.iter().map(|segment| segment.length).sum::<usize>();
        while total > length {
            let last = self.segments.len() - 1;
            let before = total - self.segments[last].length;
            if before >= length && last > 0 {
                self.segments.pop();
                total = before;
            } else {
                self.segments[last] = Segment::new(length - before);
                total = length;
            }
        }
        if total < length {
            let last = self.segments.len() - 1;
            self.segments[last] = Segment::new(self.segments[last].length + length - total);
        }
    }

    /// Cuts the segments that have grown too long.
    fn cut(&mut self) {
        let most = 2 * self.segment_length;
        if self.segments.iter().all(|segment| segment.length <= most) {
            return;
        }
        let mut cut = Vec::with_capacity(self.document_length / self.segment_length + self.segments.len());
        for segment in self.segments.drain(..) {
            if segment.length <= most {
                cut.push(segment);
                continue;
            }
            // The first piece stands for what was replaced, the others add
            // nothing to it.
            let nothing = segment.replaced.as_ref().map(|effect| Box::new(Effect::nothing(effect.exit)));
            let mut rest = segment.length;
            let mut replaced = segment.replaced;
            while rest > 0 {
                let length = if rest > most { self.segment_length } else { rest };
                cut.push(Segment { replaced, ..Segment::new(length) });
                replaced = nothing.clone();
                rest -= length;
            }
        }
        self.segments = cut;
    }

    /// The segment that `offset` is in, and where it starts; a border is in the
    /// one behind it, if there is one.
    fn segment_at(&self, offset: usize) -> (usize, usize) {
        let mut start = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            if offset < start + segment.length || index + 1 == self.segments.len() {
                return (index, start);
            }
            start += segment.length;
        }
        (0, 0)
    }

    /// The same, but a border is in the segment before it.
    fn segment_before(&self, offset: usize) -> (usize, usize) {
        let mut start = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            if offset <= start + segment.length {
                return (index, start);
            }
            start += segment.length;
        }
        self.segment_at(offset)
    }

    /// Finds a summary for every segment that was changed, and for those behind
    /// that are entered differently now.
    fn scan(&mut self, document: &(impl Text + ?Sized)) {
        /// From so many segments in a row on it pays to know all open brackets.
        const MANY: usize = 4;

        let mut start = 0;
        let mut entry = State::START;
        // What the last segments in a row did to those behind, and do now.
        let mut row: Option<(Option<Effect>, Effect)> = None;
        let mut looked_at = 0;
        let mut open: Option<Vec<Bracket>> = None;
        let mut buffer = Vec::new();
        for index in 0..self.segments.len() {
            let end = start + self.segments[index].length;
            let is_changed = self.segments[index].summary().is_none();
            if let Some((Some(before), now)) = &row
                && !is_changed
                && before.leaves_the_same(now)
            {
                row = None;
            }
            if is_changed || row.is_some() {
                if row.is_none() {
                    looked_at = 0;
                    open = None;
                }
                looked_at += 1;
                if looked_at > MANY && open.is_none() {
                    open = Some(self.kinds_before(index));
                }
                let below = || match &open {
                    Some(open) => Below::Known(open.iter().rev()),
                    None => Below::Searched(OpenBrackets::before(self, index)),
                };
                let serves = |summary: &Option<Arc<Summary>>| {
                    summary.as_ref().is_some_and(|summary| summary.serves(entry, below()))
                };
                let serving = self.segments[index].summaries.iter().position(serves);
                let scanned = serving.is_none().then(|| {
                    let mut below = below();
                    let mut scan = Scan::new(self.policy, entry, &mut below);
                    feed(&mut scan, document, start..end, &mut buffer);
                    Arc::new(scan.finish())
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
        }
    }

    /// The kinds of the brackets that are open where the segment at `index`
    /// begins, outermost first.
    fn kinds_before(&self, index: usize) -> Vec<Bracket> {
        let mut open = Vec::new();
        for summary in self.segments[..index].iter().filter_map(Segment::summary) {
            open.truncate(open.len().saturating_sub(summary.closed_below));
            open.extend(summary.opened.iter().map(|opener| opener.bracket));
        }
        open
    }

    /// Puts together what the segments mean.
    fn fold(&mut self, document: &(impl Text + ?Sized)) {
        let mut folded = Folded::default();
        let mut entry = State::START;
        let mut carried = Carried::default();
        let mut start = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            if let Some(summary) = segment.summary() {
                folded.add(&mut carried, entry, index, start, summary);
            }
            entry = segment.exit;
            start += segment.length;
        }
        folded.length = start;
        let within = OpenBrackets::before(self, self.segments.len()).next().map(|opener| opener.bracket);
        folded.end(self.policy, &carried, entry, within, document);
        folded.crossing.sort_by_key(|deletion| deletion.start);
        self.folded = folded;
    }

    /// What each rule means for the text.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The length of the candidate, in bytes.
    pub fn candidate_len(&self) -> usize {
        self.folded.length
    }

    /// How many edits there are.
    pub fn edit_count(&self) -> usize {
        self.folded.counts.total()
    }

    /// How many edits of `rule` there are.
    pub fn count(&self, rule: Rule) -> usize {
        self.folded.counts.of(rule)
    }

    /// In how many places the edits of `rule` are doubtful. Comments that touch
    /// one another are one place.
    pub fn doubtful_count(&self, rule: Rule) -> usize {
        self.folded.doubtful.of(rule)
    }

    /// How many comments and trailing commas there are that the dialect allows.
    pub fn allowed_count(&self) -> usize {
        self.folded.allowed
    }

    /// Whether the text after the edits is JSON.
    pub fn is_valid(&self) -> bool {
        self.folded.failure.is_none()
    }

    /// Whether the edits may be made unasked: all of them together end in
    /// valid JSON, and none is doubtful.
    pub fn is_certain(&self) -> bool {
        self.is_valid() && self.folded.doubtful.total() == 0
    }

    /// Every edit, in order. Each is made when it is asked for.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        self.deletions().chain(self.closing_edit())
    }

    /// The edits but closing, in order.
    pub fn deletions(&self) -> impl Iterator<Item = Edit> {
        self.deletion_edits(0)
    }

    /// The edits but closing that touch `range`, its ends included.
    ///
    /// Linear in these edits and the number of segments.
    pub fn deletions_touching(&self, range: Range<usize>) -> impl Iterator<Item = Edit> {
        let is_before = move |edit: &Edit| edit.range.end < range.start;
        let is_touched = move |edit: &Edit| edit.range.start <= range.end;
        self.deletion_edits(range.start).skip_while(is_before).take_while(is_touched)
    }

    /// The edits but closing, the last first. Whether comments join tokens is
    /// not looked for.
    pub fn deletions_from_end(&self) -> impl Iterator<Item = Edit> {
        DeletionsFromEnd {
            report: self,
            index: self.segments.len(),
            start: self.folded.length,
            local: 0,
            crossing: self.folded.crossing.len(),
        }
        .map(|deletion| self.edit(deletion, false))
    }

    /// A deletion as an edit; `joins` says whether it is one of the comments
    /// that are all that separates two tokens.
    fn edit(&self, deletion: Deletion, joins: bool) -> Edit {
        let doubt = match deletion.rule {
            Rule::RemoveComments => {
                let is_last = deletion.end == self.folded.length;
                if is_last && self.folded.ends_in_unterminated_comment {
                    Some(Doubt::UnterminatedComment)
                } else {
                    joins.then_some(Doubt::JoinsTokens)
                }
            }
            _ => deletion.is_doubtful.then_some(Doubt::ValueMayBeMissing),
        };
        Edit { doubt, ..Edit::deletion(deletion.rule, deletion.start..deletion.end) }
    }

    /// The edit that closes the text.
    pub fn closing_edit(&self) -> Option<Edit> {
        self.closing_edit_for(usize::MAX)
    }

    /// The same as far as the innermost `most` brackets go: enough to show it,
    /// however deep the text is.
    pub fn closing_edit_for(&self, most: usize) -> Option<Edit> {
        let closing = self.folded.closing?;
        let mut inserted = closing.prefix();
        inserted.extend(self.open_brackets().take(most).map(|opener| opener.bracket.closer()));
        Some(Edit {
            doubt: closing.is_doubtful.then_some(Doubt::QuoteMayBeMissing),
            ..Edit::insertion(Rule::CloseTruncated, self.folded.length, inserted)
        })
    }

    /// Where the last byte of the candidate ends that is neither blank nor of a
    /// comment; 0 if there is none. A comma that is deleted counts.
    pub fn significant_end(&self) -> usize {
        self.folded.significant_end
    }

    /// Where the string begins that is open at the end.
    pub fn open_string(&self) -> Option<usize> {
        self.folded.open_string
    }

    /// The brackets that are open at the end, innermost first; none where there
    /// is a mismatch, since nobody knows then.
    pub fn open_brackets(&self) -> impl Iterator<Item = Opener> {
        let known = if self.folded.mismatch.is_none() { self.segments.len() } else { 0 };
        OpenBrackets::before(self, known)
    }

    /// The first closer that is not the innermost open bracket's.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let (index, start, mismatch) = self.folded.mismatch?;
        let opener = match mismatch.opener {
            MismatchedOpener::Here(opener) => Some(opener.moved(start)),
            MismatchedOpener::Below(closed) => OpenBrackets::before(self, index).nth(closed),
        };
        Some(Mismatch { closer: start + mismatch.closer, opener })
    }

    /// Where the text after the edits stops being JSON.
    ///
    /// Linear in the number of segments.
    pub fn json_error(&self) -> Option<JsonError> {
        let ((code, expected), place) = self.folded.failure?;
        let offset = match place {
            ErrorPlace::Source(offset) => offset - self.deleted_before(offset),
            ErrorPlace::Inserted(offset) => self.folded.length - self.folded.deleted + offset,
        };
        Some(JsonError { code, offset, expected })
    }

    /// Where in the source `json_error` stands.
    pub fn json_error_origin(&self) -> Option<Origin> {
        match self.folded.failure?.1 {
            ErrorPlace::Source(offset) => Some(Origin::Source(offset)),
            ErrorPlace::Inserted(_) => Some(Origin::Inserted(self.folded.length)),
        }
    }

    /// How many bytes before `offset` are deleted.
    fn deleted_before(&self, offset: usize) -> usize {
        let mut deleted = 0;
        let mut start = 0;
        for segment in &self.segments {
            let Some(summary) = segment.summary().filter(|_| start < offset) else { break };
            if start + segment.length <= offset {
                deleted += summary.deleted;
            } else {
                let before = summary.deletions.iter().take_while(|deletion| start + deletion.start < offset);
                deleted += before.map(|deletion| deletion.end - deletion.start).sum::<usize>();
            }
            start += segment.length;
        }
        let crossing = self.folded.crossing.iter().take_while(|deletion| deletion.start < offset);
        deleted + crossing.map(|deletion| deletion.end - deletion.start).sum::<usize>()
    }

    fn deletion_edits(&self, from: usize) -> DeletionEdits<'_> {
        let (index, start) = self.segment_before(from);
        let local = self.segments[index]
            .summary()
            .map_or(0, |summary| summary.deletions.partition_point(|deletion| start + deletion.end < from));
        let crossing = self.folded.crossing.partition_point(|deletion| deletion.end < from);
        DeletionEdits { deletions: Deletions { report: self, index, start, local, crossing }, run: None }
    }
}

/// Has `scan` read the bytes of `range`, in one piece.
fn feed(scan: &mut Scan<'_>, document: &(impl Text + ?Sized), range: Range<usize>, buffer: &mut Vec<u8>) {
    let mut pieces = document.pieces(range.clone());
    match pieces.next() {
        Some(piece) if piece.len() == range.len() => scan.feed(piece),
        Some(piece) => {
            // Short pieces are slow to read, and copying them is fast.
            buffer.clear();
            buffer.extend_from_slice(piece);
            pieces.for_each(|piece| buffer.extend_from_slice(piece));
            scan.feed(buffer);
        }
        None => {}
    }
}

impl Segment {
    /// A changed one, which stands for nothing that is known.
    fn new(length: usize) -> Segment {
        Segment { length, summaries: [const { None }; SUMMARIES], exit: State::START, replaced: None }
    }

    /// What it means; `None` if it was changed.
    fn summary(&self) -> Option<&Summary> {
        self.summaries[0].as_deref()
    }

    /// What it does to the segments behind it or, if it was changed, did.
    fn effect(&self) -> Option<Effect> {
        match self.summary() {
            Some(summary) => Some(Effect {
                closed: summary.closed_below,
                opened: summary.opened.iter().map(|opener| opener.bracket).collect(),
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
        }
        self.replaced = None;
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
struct OpenBrackets<'report> {
    segments: &'report [Segment],
    /// Where the last of `segments` ends.
    end: usize,
    /// How many of the brackets that `segments` leave open are closed behind.
    closed: usize,
    /// How many of the last segment's are left to be looked at.
    left: usize,
}

impl<'report> OpenBrackets<'report> {
    fn before(report: &'report Report, index: usize) -> OpenBrackets<'report> {
        let segments = &report.segments[..index];
        let end = segments.iter().map(|segment| segment.length).sum();
        let mut open = OpenBrackets { segments, end, closed: 0, left: 0 };
        open.enter();
        open
    }

    /// Looks at the brackets that the last of the segments opened.
    fn enter(&mut self) {
        let opened =
            self.segments.last().and_then(Segment::summary).map_or(0, |summary| summary.opened.len());
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
                return Some(last.summary()?.opened[left].moved(self.end - last.length));
            }
            self.closed += last.summary().map_or(0, |summary| summary.closed_below);
            self.end -= last.length;
            self.segments = before;
            self.enter();
        }
    }
}

impl Opener {
    fn moved(self, by: usize) -> Opener {
        Opener { offset: self.offset + by, ..self }
    }
}

/// Where what is still open began, in bytes of the source.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    comma: Option<Comma>,
    blank: usize,
    comment: usize,
    string: usize,
    string_holds_closer: bool,
}

impl Folded {
    /// Adds a segment that begins at `start` and is entered in `entry`.
    fn add(&mut self, carried: &mut Carried, entry: State, index: usize, start: usize, summary: &Summary) {
        self.counts.add(summary.counts);
        self.doubtful.add(summary.doubtful);
        self.allowed += summary.allowed;
        if let Some(end) = summary.significant_end {
            self.significant_end = start + end;
        }
        self.deleted += summary.deleted;
        if let Some(end) = summary.entry_comment_end {
            self.delete_comment(carried.comment..start + end);
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
            self.depth = self.depth.saturating_sub(summary.closed_below) + summary.opened.len();
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
        }
        match begun.string {
            Some(string) => {
                carried.string = start + string;
                carried.string_holds_closer = summary.string_holds_closer;
            }
            None => carried.string_holds_closer |= summary.string_holds_closer,
        }
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
            Lexical::LineComment => self.delete_comment(carried.comment..end),
            Lexical::BlockComment | Lexical::BlockCommentStar => {
                self.delete_comment(carried.comment..end);
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
            is_doubtful: self.open_string.is_some() && carried.string_holds_closer,
        };
        if closing.is_doubtful {
            self.doubtful.count(Rule::CloseTruncated);
        }
        self.counts.count(Rule::CloseTruncated);
        self.closing = Some(closing);
        // The closers behind the first are right if that is: they are the open
        // brackets' own.
        let first_bracket = within.map(|within| within.closer());
        for (index, closer) in closing.prefix().chars().chain(first_bracket).enumerate() {
            grammar.read(closer as u8, ErrorPlace::Inserted(index));
        }
        let closers = closing.prefix().len() + self.depth;
        self.failure = self.failure.or_else(|| grammar.end(None, ErrorPlace::Inserted(closers)));
    }

    fn delete_comment(&mut self, range: Range<usize>) {
        self.delete(Rule::RemoveComments, range, false);
    }

    /// Deletes the pending comma.
    fn delete_comma(&mut self, carried: &Carried) {
        if let Some(Comma { offset, is_in_gap }) = carried.comma {
            self.delete(Rule::RemoveTrailingCommas, offset..offset + 1, is_in_gap);
        }
    }

    fn delete(&mut self, rule: Rule, range: Range<usize>, is_doubtful: bool) {
        self.counts.count(rule);
        if is_doubtful {
            self.doubtful.count(rule);
        }
        self.deleted += range.len();
        self.crossing.push(Deletion { rule, start: range.start, end: range.end, is_doubtful });
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
    fn prefix(self) -> String {
        let quote = if self.closes_string { "\"" } else { "" };
        format!("{}{quote}", self.line_ending)
    }
}

/// The deletions of a report, in order and in bytes of the source.
#[derive(Clone)]
struct Deletions<'report> {
    report: &'report Report,
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
            let Some(segment) = self.report.segments.get(self.index) else { break None };
            let deletions = segment.summary().map_or(&[][..], |summary| &summary.deletions);
            if let Some(deletion) = deletions.get(self.local) {
                let (start, end) = (self.start + deletion.start, self.start + deletion.end);
                break Some(Deletion { start, end, ..*deletion });
            }
            // A crossing one that begins in this segment comes before those of
            // the next.
            let end = self.start + segment.length;
            if self.report.folded.crossing.get(self.crossing).is_some_and(|deletion| deletion.start < end) {
                break None;
            }
            self.start = end;
            self.index += 1;
            self.local = 0;
        };
        let crossing = self.report.folded.crossing.get(self.crossing).copied();
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
        next.is_doubtful |= next.rule == Rule::RemoveComments
            && self.report.folded.joined_ends.binary_search(&next.end).is_ok();
        Some(next)
    }
}

/// The same as edits. The comments that touch one another share their doubt,
/// which the last of them is known by.
struct DeletionEdits<'report> {
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
        Some(self.deletions.report.edit(deletion, joins))
    }
}

impl DeletionEdits<'_> {
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

/// The deletions of a report, the last first.
struct DeletionsFromEnd<'report> {
    report: &'report Report,
    /// The segment that was looked at last, where it starts, and how many of
    /// its deletions are left.
    index: usize,
    start: usize,
    local: usize,
    /// How many of those that cross borders are left.
    crossing: usize,
}

impl Iterator for DeletionsFromEnd<'_> {
    type Item = Deletion;

    fn next(&mut self) -> Option<Deletion> {
        while self.local == 0 && self.index > 0 {
            self.index -= 1;
            let segment = &self.report.segments[self.index];
            self.start -= segment.length;
            self.local = segment.summary().map_or(0, |summary| summary.deletions.len());
        }
        let segment = self.report.segments.get(self.index).and_then(Segment::summary);
        let local = self.local.checked_sub(1).zip(segment).map(|(last, summary)| {
            let deletion = summary.deletions[last];
            Deletion { start: self.start + deletion.start, end: self.start + deletion.end, ..deletion }
        });
        let crossing = self.crossing.checked_sub(1).map(|last| self.report.folded.crossing[last]);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::Repair, *};
    use crate::repair::RuleSet;

    /// Everything that can be asked of a report.
    #[derive(Debug, PartialEq)]
    struct Answers {
        repair: Repair,
        counts: Vec<usize>,
        is_valid: bool,
        is_certain: bool,
        touching: Vec<Vec<Edit>>,
        from_end: Vec<(Rule, Range<usize>)>,
        origin: Option<Origin>,
    }

    fn answers(report: &Report) -> Answers {
        let length = report.candidate_len();
        let places = [0..0, 0..length, length / 2..length / 2, length / 3..length / 2, length..length];
        Answers {
            repair: Repair::from(report),
            counts: [
                report.candidate_len(),
                report.edit_count(),
                report.allowed_count(),
                report.significant_end(),
            ]
            .into_iter()
            .chain(Rule::ALL.map(|rule| report.count(rule)))
            .chain(Rule::ALL.map(|rule| report.doubtful_count(rule)))
            .collect(),
            is_valid: report.is_valid(),
            is_certain: report.is_certain(),
            touching: places.map(|place| report.deletions_touching(place).collect()).to_vec(),
            from_end: report.deletions_from_end().map(|edit| (edit.rule, edit.range)).collect(),
            origin: report.json_error_origin(),
        }
    }

    /// The answers of one whole pass, held against what they must come to.
    fn whole(document: &str, policy: Policy) -> Answers {
        let whole = answers(&Report::with_segments(document, policy, usize::MAX / 4));
        let edits = &whole.repair.edits;
        assert_eq!(whole.counts[1], edits.len());
        assert_eq!(whole.is_certain, whole.is_valid && edits.iter().all(|edit| edit.doubt.is_none()));
        let deletions = edits.iter().filter(|edit| edit.rule != Rule::CloseTruncated);
        let from_end: Vec<_> = deletions.map(|edit| (edit.rule, edit.range.clone())).rev().collect();
        assert_eq!(whole.from_end, from_end);
        if let (Some(error), Some(origin)) = (whole.repair.json_error, whole.origin) {
            assert_eq!(edits.to_source(error.offset), origin, "{document:?}");
        }
        whole
    }

    fn policies() -> impl Strategy<Value = Policy> {
        let rules = proptest::sample::subsequence(Rule::ALL.to_vec(), 0..=3);
        let rules = prop_oneof![3 => Just(RuleSet::ALL), 1 => rules.prop_map(RuleSet::from_iter)];
        (rules, any::<bool>()).prop_map(|(rules, allows)| {
            if allows { Policy::allow_comments(rules) } else { Policy::fix(rules) }
        })
    }

    fn texts(pieces: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = String> {
        let piece = proptest::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            "[",
            "]",
            ",",
            ",",
            ":",
            "\"",
            "\"a\":",
            "\"b\"",
            "\\",
            "\\u12",
            "//",
            "/*",
            "*/",
            "/**/",
            "/",
            "*",
            " ",
            "\n",
            "\r\n",
            "1",
            "-",
            "0",
            ".5",
            "e",
            "true",
            "tr",
            "ue",
            "null",
            "é",
            "😀",
            "[1,2,",
            "{\"k\": [1, /* c */ 2], // d\n",
            "]}",
            "},",
        ]);
        proptest::collection::vec(piece, pieces).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn a_report_depends_on_the_text_and_the_policy_alone(
            text in texts(0..40),
            policy in policies(),
            segment in 1_usize..9,
        ) {
            let cut = Report::with_segments(text.as_str(), policy, segment);
            prop_assert_eq!(answers(&cut), whole(&text, policy));
        }

        #[test]
        fn changes_come_to_what_a_whole_pass_finds(
            text in texts(0..40),
            policy in policies(),
            segment in 1_usize..12,
            changes in proptest::collection::vec(
                (any::<proptest::sample::Index>(), 0_usize..6, texts(0..3), any::<bool>(), any::<bool>()),
                1..12,
            ),
        ) {
            let mut text = text;
            let mut report = Report::with_segments(text.as_str(), policy, segment);
            for (at, length, inserted, is_asked, is_undone) in changes {
                let before = text.clone();
                let at = at.index(text.len() + 1);
                let start = text.floor_char_boundary(at);
                let end = text.floor_char_boundary((at + length).min(text.len()));
                text.replace_range(start..end, &inserted);
                report.change(start..end, inserted.len());
                if is_asked {
                    report.update(text.as_str());
                    prop_assert_eq!(answers(&report), whole(&text, policy));
                }
                if is_undone {
                    text.clone_from(&before);
                    report.change(start..start + inserted.len(), end - start);
                }
            }
            report.update(text.as_str());
            prop_assert_eq!(answers(&report), whole(&text, policy));
        }
    }
}
