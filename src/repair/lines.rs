//! JSON Lines: a document each line of which is a candidate of its own.
//!
//! A line ends at LF, as the format has it, and a CR before that belongs to the
//! line's end; by itself it is white space. A line of nothing but blanks is no
//! candidate.
//!
//! What a line means depends on nothing but the line, with one exception: where
//! it would be closed, and one record seems to stand on several lines, that is
//! doubtful ([`goes_on`]). So a document is cut into groups of lines, and a change
//! costs the groups that it touches, and the one before.
//!
//! Most lines are fine, and nothing is kept of them. Of the others it is kept
//! where they stand and what they count for; their [`Report`] is made again when
//! somebody looks at it, since a line is short. A line longer than a group is a
//! group by itself, and keeps its report, up to date like any document's.

use std::{borrow::Cow, ops::Range, sync::Arc};

use super::{
    grammar::is_blank,
    report::Report,
    rules::{Policy, Rule},
    scan::{Counts, Lexical, Pending, Scan, State},
    segments::GoesOn,
    text::{Part, Text, candidate_len},
};

/// The length that a group has at least when it is cut, in bytes.
const GROUP: usize = 32 * 1024;

/// What the rules would change in the lines of a document, and what is wrong
/// with the results.
///
/// Kept up to date by [`Lines::change`] and [`Lines::update`].
#[derive(Clone, Debug)]
pub struct Lines {
    policy: Policy,
    group_length: usize,
    groups: Vec<Group>,
    total: Tally,
}

/// A line that has edits or an error.
#[derive(Clone, Debug)]
pub struct Line<'lines> {
    /// Its bytes in the document, without its end.
    pub range: Range<usize>,
    policy: Policy,
    kept: Option<&'lines Report>,
}

impl<'lines> Line<'lines> {
    /// What was found in it; offsets count from its beginning. Linear in the
    /// line, unless that is a long one.
    pub fn report(&self, document: &(impl Text + ?Sized)) -> Cow<'lines, Report> {
        match self.kept {
            Some(report) => Cow::Borrowed(report),
            None => {
                let mut report = Report::new(&Part::new(document, self.range.clone()), self.policy);
                doubt_by_next_line(&mut report, document, self.range.clone());
                Cow::Owned(report)
            }
        }
    }
}

/// Lines that follow one another.
#[derive(Clone, Debug)]
struct Group {
    length: usize,
    /// What was found in them; `None` since they were changed.
    found: Option<Arc<Found>>,
    /// The report of a group that is one long line, changed with it.
    long: Option<Arc<Report>>,
}

#[derive(Debug, Default)]
struct Found {
    /// The lines that have edits or an error, in bytes of the group.
    lines: Vec<Range<usize>>,
    tally: Tally,
}

/// What lines count for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    candidates: usize,
    invalid: usize,
    edits: Counts,
    doubtful: Counts,
    /// The edits of the lines whose repair is certain.
    certain: Counts,
}

impl Tally {
    fn count(&mut self, report: &Report) {
        let edits = report.counts();
        self.candidates += 1;
        self.invalid += usize::from(!report.is_valid());
        self.edits.add(edits);
        self.doubtful.add(report.doubtful_counts());
        if report.is_certain() {
            self.certain.add(edits);
        }
    }

    fn add(&mut self, other: Tally) {
        self.candidates += other.candidates;
        self.invalid += other.invalid;
        self.edits.add(other.edits);
        self.doubtful.add(other.doubtful);
        self.certain.add(other.certain);
    }
}

impl Lines {
    /// What is found in the lines of `document`. Linear in it.
    pub fn new(document: &(impl Text + ?Sized), policy: Policy) -> Lines {
        Lines::with_groups(document, policy, GROUP)
    }

    /// The same, but `goes_on` is told now and then how many bytes are read;
    /// `None` if it says no.
    pub fn new_while(
        document: &(impl Text + ?Sized),
        policy: Policy,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Option<Lines> {
        let mut lines = Lines::unread(document.len(), policy, GROUP);
        lines.update_while(document, goes_on).then_some(lines)
    }

    fn with_groups(document: &(impl Text + ?Sized), policy: Policy, group_length: usize) -> Lines {
        let mut lines = Lines::unread(document.len(), policy, group_length);
        lines.update(document);
        lines
    }

    fn unread(length: usize, policy: Policy, group_length: usize) -> Lines {
        let all = Group { length, found: None, long: None };
        Lines { policy, group_length, groups: vec![all], total: Tally::default() }
    }

    /// Notes that the bytes of `range` of the document were replaced by
    /// `inserted` others. [`Lines::update`] must follow before anything is
    /// asked; changes in between count from one another's results.
    pub fn change(&mut self, range: Range<usize>, inserted: usize) {
        // What is inserted between two groups goes to the one behind.
        let (index, start) = self.group_at(range.start);
        let mut end = start + self.groups[index].length;
        let mut last = index;
        while end < range.end {
            last += 1;
            end += self.groups[last].length;
        }
        let mut long = self.groups[index].long.take().filter(|_| last == index);
        if let Some(report) = &mut long {
            Arc::make_mut(report).change(range.start - start..range.end - start, inserted);
        }
        if let Some(before) = index.checked_sub(1) {
            // Its last line is looked at beside the first one here.
            self.groups[before].found = None;
        }
        let length = end - start - range.len() + inserted;
        self.groups[index] = Group { length, found: None, long };
        self.groups.drain(index + 1..=last);
    }

    /// Brings everything up to date with `document` after changes.
    ///
    /// Linear in the groups that were changed, and in the number of groups.
    pub fn update(&mut self, document: &(impl Text + ?Sized)) {
        self.update_while(document, &mut |_| true);
    }

    /// How many bytes the next update has to read, or a little less.
    pub fn changed_len(&self) -> usize {
        self.groups.iter().filter(|group| group.found.is_none()).map(|group| group.length).sum()
    }

    fn update_while(&mut self, document: &(impl Text + ?Sized), goes_on: &mut GoesOn<'_>) -> bool {
        let mut groups = Vec::with_capacity(self.groups.len());
        let mut buffer = Vec::new();
        let reader = Reader { policy: self.policy, group_length: self.group_length, document };
        let mut start = 0;
        let mut old = self.groups.drain(..);
        while let Some(mut group) = old.next() {
            if group.found.is_none() {
                // A line whose end was changed goes on in the next group, and
                // a group that has become short takes the next one in.
                let is_open = |end: usize| document.bytes_before(end).next() != Some(b'\n');
                while (group.length < self.group_length / 8 || is_open(start + group.length))
                    && let Some(next) = old.next()
                {
                    group = Group { length: group.length + next.length, found: None, long: None };
                }
                let range = start..start + group.length;
                start = range.end;
                if !reader.read(range, group.long, &mut buffer, &mut groups, goes_on) {
                    return false;
                }
            } else {
                start += group.length;
                groups.push(group);
            }
        }
        drop(old);
        debug_assert_eq!(start, document.len());
        if groups.is_empty() {
            groups.push(Group { length: 0, found: Some(Arc::default()), long: None });
        }
        self.total = Tally::default();
        groups.iter().filter_map(|group| group.found.as_ref()).for_each(|found| self.total.add(found.tally));
        self.groups = groups;
        true
    }

    /// The group that `offset` is in, and where it starts; a border is in the
    /// group behind it, if there is one.
    fn group_at(&self, offset: usize) -> (usize, usize) {
        let mut start = 0;
        for (index, group) in self.groups.iter().enumerate() {
            if offset < start + group.length || index + 1 == self.groups.len() {
                return (index, start);
            }
            start += group.length;
        }
        (0, 0)
    }

    /// How many candidates there are: lines that are not blank.
    pub fn candidate_count(&self) -> usize {
        self.total.candidates
    }

    /// How many lines are not JSON after the edits.
    pub fn invalid_count(&self) -> usize {
        self.total.invalid
    }

    /// How many edits of `rule` there are.
    pub fn count(&self, rule: Rule) -> usize {
        self.total.edits.of(rule)
    }

    /// In how many places the edits of `rule` are doubtful, as
    /// [`Report::doubtful_count`] counts them.
    pub fn doubtful_count(&self, rule: Rule) -> usize {
        self.total.doubtful.of(rule)
    }

    /// How many edits of `rule` may be made unasked: those of the lines that
    /// [`Report::is_certain`] of.
    pub fn certain_count(&self, rule: Rule) -> usize {
        self.total.certain.of(rule)
    }

    /// The lines that have edits or an error and that touch `range`, its ends
    /// included, in order.
    ///
    /// Linear in these lines, those of a group around, and the number of groups.
    pub fn touching(&self, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
        let policy = self.policy;
        let mut start = 0;
        let groups = self.groups.iter().map(move |group| {
            start += group.length;
            (group, start - group.length)
        });
        groups
            .skip_while(move |(group, start)| start + group.length < range.start)
            .take_while(move |(_, start)| *start <= range.end)
            .flat_map(move |(group, start)| {
                let lines = group.found.as_deref().map_or(&[][..], |found| &found.lines);
                lines.iter().map(move |line| Line {
                    range: start + line.start..start + line.end,
                    policy,
                    kept: group.long.as_deref(),
                })
            })
            .skip_while(move |line| line.range.end < range.start)
            .take_while(move |line| line.range.start <= range.end)
    }

    /// All lines that have edits or an error, in order.
    pub fn all(&self) -> impl Iterator<Item = Line<'_>> {
        self.touching(0..usize::MAX)
    }
}

/// Reads changed lines.
struct Reader<'document, T: ?Sized> {
    policy: Policy,
    group_length: usize,
    document: &'document T,
}

impl<T: Text + ?Sized> Reader<'_, T> {
    /// Reads the lines of `range` into groups. `long` is the report of the long
    /// line that they were, changed as they were. `false` if `goes_on` said no.
    fn read(
        &self,
        range: Range<usize>,
        long: Option<Arc<Report>>,
        buffer: &mut Vec<u8>,
        groups: &mut Vec<Group>,
        goes_on: &mut GoesOn<'_>,
    ) -> bool {
        let is_long = range.len() > self.group_length;
        if let Some(mut report) = long.filter(|_| is_long && self.is_one_line(range.clone())) {
            Arc::make_mut(&mut report).update(&Part::new(self.document, range.clone()));
            groups.push(self.long_line(range, report));
            return true;
        }
        buffer.clear();
        self.document.pieces(range.clone()).for_each(|piece| buffer.extend_from_slice(piece));
        let mut rest = &buffer[..];
        while !rest.is_empty() {
            let start = range.end - rest.len();
            if !goes_on(start) {
                return false;
            }
            let (lines, behind) = rest.split_at(self.group_end(rest));
            groups.push(self.group(lines, start));
            rest = behind;
        }
        true
    }

    /// The group of a line that is long, all of `range`.
    fn long_line(&self, range: Range<usize>, mut report: Arc<Report>) -> Group {
        let mut found = Found::default();
        let line = range.start..range.start + report.candidate_len();
        doubt_by_next_line(Arc::make_mut(&mut report), self.document, line.clone());
        let is_blank = report.significant_end() == 0 && report.edit_count() == 0;
        if !is_blank {
            found.tally.count(&report);
            if !report.is_valid() || report.edit_count() > 0 {
                found.lines.push(0..line.len());
            }
        }
        Group { length: range.len(), found: Some(Arc::new(found)), long: Some(report) }
    }

    /// Whether there is no line end in `range` but at its end.
    fn is_one_line(&self, range: Range<usize>) -> bool {
        let mut left = range.len();
        let mut pieces = self.document.pieces(range);
        pieces.all(|piece| {
            let line_end = memchr::memchr(b'\n', piece).unwrap_or(left);
            let is_last = line_end + 1 >= left;
            left -= piece.len();
            is_last
        })
    }

    /// Where the first group of `lines` ends.
    fn group_end(&self, lines: &[u8]) -> usize {
        let mut end = 0;
        while end < lines.len() && end < self.group_length {
            let line_end = line_end(lines, end);
            if end > 0 && line_end - end > self.group_length {
                break;
            }
            end = line_end;
        }
        end
    }

    /// What is found in a group of lines, which begins at `group_start`.
    fn group(&self, lines: &[u8], group_start: usize) -> Group {
        if lines.len() > self.group_length && line_end(lines, 0) == lines.len() {
            let range = group_start..group_start + lines.len();
            return self.long_line(range, Arc::new(Report::new(lines, self.policy)));
        }
        let mut found = Found::default();
        let mut start = 0;
        while start < lines.len() {
            let end = line_end(lines, start);
            let line = &lines[start..end];
            let line = &line[..candidate_len(line)];
            if is_fine(line, self.policy) {
                found.tally.candidates += 1;
            } else if !line.iter().copied().all(is_blank) {
                let mut report = Report::new(line, self.policy);
                let in_document = group_start + start..group_start + start + line.len();
                doubt_by_next_line(&mut report, self.document, in_document);
                found.tally.count(&report);
                found.lines.push(start..start + line.len());
            }
            start = end;
        }
        Group { length: lines.len(), found: Some(Arc::new(found)), long: None }
    }
}

/// Whether one record seems to stand on several lines, of which `line` is one
/// that would be closed: it ends where people break lines, or the next line does
/// not begin as records do. A log whose writer was stopped goes on with another
/// record.
fn goes_on(line: &(impl Text + ?Sized), next: &[u8], report: &Report) -> bool {
    if next.iter().copied().all(is_blank) {
        return false;
    }
    let last = line.bytes_before(report.significant_end()).next();
    let is_broken = report.open_string().is_none() && matches!(last, Some(b'{' | b'[' | b',' | b':'));
    let is_record = matches!(next[0], b'{' | b'[') || Report::new(next, report.policy()).is_valid();
    is_broken || !is_record
}

/// Doubts the closing of a line of JSON Lines, of which `report` is, if the next
/// one may belong to it. Either may have its line end.
pub fn doubt_by_next(report: &mut Report, line: &(impl Text + ?Sized), next: &[u8]) {
    if report.closing_edit_for(0).is_some() && goes_on(line, next, report) {
        report.doubt_end_of_line();
    }
}

/// The same for a line of `document`, behind which the next one stands.
fn doubt_by_next_line(report: &mut Report, document: &(impl Text + ?Sized), line: Range<usize>) {
    if report.closing_edit_for(0).is_none() {
        return;
    }
    let mut behind = document.bytes_from(line.end).skip_while(|byte| *byte == b'\r').skip(1);
    let next: Vec<u8> = behind.by_ref().take_while(|byte| *byte != b'\n').collect();
    doubt_by_next(report, &Part::new(document, line), &next);
}

/// Whether a text is JSON as it stands, but for white space and final line
/// endings: its [`Report`] would have nothing to say. Costs the scan alone.
pub fn is_fine(text: &(impl AsRef<[u8]> + ?Sized), policy: Policy) -> bool {
    let text = text.as_ref();
    let nothing_below = &mut std::iter::empty();
    let scanned = Scan::new(policy, State::START, nothing_below).read(&text[..candidate_len(text)]);
    let is_over = scanned.exit.lexical == Lexical::Between
        && scanned.exit.pending == Pending::Nothing
        && scanned.opened.is_empty()
        && scanned.exit.grammar.end(None).is_ok();
    is_over && scanned.failure.is_none() && scanned.counts.total() == 0
}

/// Where the line ends that begins at `start`, behind its LF.
fn line_end(lines: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &lines[start..]).map_or(lines.len(), |length| start + length + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::repair::{Repair, RuleSet, is_blank_text};

    /// What can be asked of lines: each that has anything to say, with what it
    /// says, and the sums.
    type Answers = (Vec<(Range<usize>, Repair)>, Vec<usize>);

    fn answers(lines: &Lines, document: &str) -> Answers {
        let each = lines.all().map(|line| (line.range.clone(), Repair::from(&*line.report(document))));
        let mut counts = vec![lines.candidate_count(), lines.invalid_count()];
        for rule in Rule::ALL {
            counts.extend([lines.count(rule), lines.doubtful_count(rule), lines.certain_count(rule)]);
        }
        (each.collect(), counts)
    }

    /// The same, of each line by itself.
    fn naive(document: &str, policy: Policy) -> Answers {
        let mut each = Vec::new();
        let mut counts = vec![0; 2 + 3 * Rule::ALL.len()];
        let mut start = 0;
        let mut lines = document.split('\n').peekable();
        while let Some(line) = lines.next() {
            let candidate = line.trim_end_matches('\r');
            let mut report = Report::new(candidate, policy);
            let next = lines.peek().copied().unwrap_or_default();
            let mut shown = candidate.to_owned();
            for comment in
                report.deletions_before(usize::MAX).filter(|edit| edit.rule == Rule::RemoveComments)
            {
                shown.replace_range(comment.range, "");
            }
            let is_broken = report.open_string().is_none()
                && shown.trim_end_matches([' ', '\t', '\r']).ends_with(['{', '[', ',', ':']);
            let is_json = Report::new(next, policy).is_valid();
            if !is_blank_text(next) && (is_broken || !(next.starts_with(['{', '[']) || is_json)) {
                report.doubt_end_of_line();
            }
            if !is_blank_text(candidate) {
                counts[0] += 1;
                counts[1] += usize::from(!report.is_valid());
                for (index, rule) in Rule::ALL.into_iter().enumerate() {
                    counts[2 + 3 * index] += report.count(rule);
                    counts[3 + 3 * index] += report.doubtful_count(rule);
                    counts[4 + 3 * index] += if report.is_certain() { report.count(rule) } else { 0 };
                }
                if report.edit_count() > 0 || !report.is_valid() {
                    each.push((start..start + candidate.len(), Repair::from(&report)));
                }
            }
            start += line.len() + 1;
        }
        (each, counts)
    }

    fn documents(pieces: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = String> {
        let piece = proptest::sample::select(vec![
            "\n",
            "\n",
            "\n",
            "\r\n",
            "\r",
            " ",
            "{",
            "}",
            "[",
            "]",
            ",",
            "\"",
            "\"é😀\"",
            "//",
            "/*",
            "*/",
            "1",
            "true",
            "{\"a\": 1}\n",
            "{\"a\": [1, 2,]}\n",
            "{\"cut\": \"of",
            "[1, 2]\r\n",
        ]);
        proptest::collection::vec(piece, pieces).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

        #[test]
        fn each_line_is_a_candidate_of_its_own_whatever_changes(
            document in documents(0..40),
            has_rules in any::<bool>(),
            group_length in 1_usize..24,
            changes in proptest::collection::vec(
                (any::<proptest::sample::Index>(), 0_usize..12, documents(0..4), any::<bool>()),
                0..12,
            ),
        ) {
            let policy = Policy::fix(if has_rules { RuleSet::ALL } else { RuleSet::NONE });
            let mut document = document;
            let mut lines = Lines::with_groups(document.as_str(), policy, group_length);
            prop_assert_eq!(answers(&lines, &document), naive(&document, policy));
            for (at, length, inserted, is_asked) in changes {
                let at = at.index(document.len() + 1);
                let start = document.floor_char_boundary(at);
                let end = document.floor_char_boundary((at + length).min(document.len()));
                document.replace_range(start..end, &inserted);
                lines.change(start..end, inserted.len());
                if is_asked {
                    lines.update(document.as_str());
                    prop_assert_eq!(answers(&lines, &document), naive(&document, policy));
                }
            }
            lines.update(document.as_str());
            let all = answers(&lines, &document);
            prop_assert_eq!(&all, &naive(&document, policy));
            for range in [0..0, 0..3, 5..5, 5..17, document.len()..document.len()] {
                let touching: Vec<_> = lines.touching(range.clone()).map(|line| line.range).collect();
                let touches = |line: &Range<usize>| line.start <= range.end && range.start <= line.end;
                let expected: Vec<_> =
                    all.0.iter().map(|(line, _)| line.clone()).filter(touches).collect();
                prop_assert_eq!(touching, expected);
            }
        }
    }
}
