//! The report of a text: what a whole pass finds, kept up to date so that a
//! change costs what it touches.
//!
//! [`super::segments`] keeps what each stretch of the text means, and what is
//! asked here is answered from the [`super::fold`] over it. Edits are made out
//! one by one, as far as somebody looks at them.
//!
//! **A report depends on the text and the policy alone**, never on where the
//! segments were cut or how the text came about.

use std::ops::Range;

use super::{
    deletions::{DeletionEdits, DeletionsBefore},
    doubt::Doubt,
    edit::{Edit, Origin},
    fold::{ErrorPlace, Folded},
    grammar::JsonError,
    rules::{Policy, Rule},
    scan::{Counts, Extent, MismatchedOpener, Opener},
    segments::{GoesOn, OpenBrackets, Segments},
    text::{Text, candidate_len},
};

/// The length of a segment when it is cut, in bytes.
const SEGMENT: usize = if cfg!(engine = "uncut") { usize::MAX / 4 } else { 32 * 1024 };

/// What the rules would change in a text, and what is wrong with the result.
///
/// Kept up to date by [`Report::change`] and [`Report::update`].
#[derive(Clone, Debug)]
pub struct Report {
    segments: Segments,
    /// The length of the document, which may be longer than the candidate.
    document_length: usize,
    folded: Folded,
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

    /// The same, but `goes_on` is told now and then how many bytes are read;
    /// `None` if it says no.
    pub fn new_while(
        document: &(impl Text + ?Sized),
        policy: Policy,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Option<Report> {
        let mut report = Report::empty(policy, SEGMENT);
        report.change(0..0, document.len());
        report.update_while(document, goes_on).then_some(report)
    }

    /// The report of a text all of which is the candidate.
    pub(super) fn of_text(text: &str, policy: Policy) -> Report {
        let mut report = Report::empty(policy, SEGMENT);
        report.change(0..0, text.len());
        report.update_to(text, text.len(), &mut |_| true);
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
        let segments = Segments::new(policy, segment_length);
        Report { segments, document_length: 0, folded: Folded::default() }
    }

    /// Notes that the bytes of `range` of the document were replaced by
    /// `inserted` others. [`Report::update`] must follow before anything is
    /// asked; changes in between count from one another's results.
    pub fn change(&mut self, range: Range<usize>, inserted: usize) {
        self.document_length = self.document_length - range.len() + inserted;
        // What lies behind the candidate is in no segment; `update` finds out
        // how much of the end is.
        self.segments.change(range, inserted);
    }

    /// Brings the report up to date with `document` after changes.
    ///
    /// Linear in the segments that were changed, and in those behind that mean
    /// something else now.
    pub fn update(&mut self, document: &(impl Text + ?Sized)) {
        self.update_while(document, &mut |_| true);
    }

    /// The same, but `goes_on` is told now and then how many bytes are up to
    /// date. `false` if it says no: then nothing can be asked until another
    /// update, which goes on from there.
    pub fn update_while(
        &mut self,
        document: &(impl Text + ?Sized),
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        self.update_to(document, candidate_len(document), goes_on)
    }

    fn update_to(
        &mut self,
        document: &(impl Text + ?Sized),
        candidate_len: usize,
        goes_on: &mut GoesOn<'_>,
    ) -> bool {
        debug_assert_eq!(self.document_length, document.len());
        let is_done = self.segments.update(document, candidate_len, goes_on);
        if is_done {
            self.folded = Folded::new(&mut self.segments, document);
            self.doubt_last_comment(document);
            self.doubt_closing(document);
        }
        is_done
    }

    /// Doubts the line comment behind the last token of a text that is closed,
    /// if what closes the text may stand in it.
    fn doubt_last_comment(&mut self, document: &(impl Text + ?Sized)) {
        if self.folded.closing.is_none() {
            return;
        }
        let last = self.folded.significant_end;
        let comment = self
            .deletions_touching(last..self.folded.sum.length)
            .find(|edit| edit.rule == Rule::RemoveComments && edit.range.start >= last)
            .filter(|edit| edit.doubt.is_none());
        let Some(Edit { range, .. }) = comment else { return };
        let is_line_comment = document.bytes_from(range.start + 1).next() == Some(b'/');
        let closes = |byte: u8| matches!(byte, b'"' | b'}' | b']');
        if is_line_comment && document.pieces(range.clone()).flatten().copied().any(closes) {
            self.folded.doubtful_comment = Some(range.start);
            self.folded.sum.doubtful.count(Rule::RemoveComments);
        }
    }

    /// Doubts the closing of a text that does not look cut off where it ends.
    fn doubt_closing(&mut self, document: &(impl Text + ?Sized)) {
        let Some(within) = self.folded.closing.map(|_| self.open_brackets().next()) else { return };
        if self.folded.open_string.is_some() {
            if ends_in_half_a_pair(document, self.folded.sum.length) {
                self.folded.doubt_closing(Doubt::HalfCharacter);
            }
        } else if let Some(closers) = indentation_of_closers(document, self.folded.significant_end)
            && let Some(opener) = within.and_then(|opener| indentation(document, opener.offset))
            && closers <= opener
        {
            self.folded.doubt_closing(Doubt::BracketMayBeMissing);
        }
    }

    /// Doubts the closing of a line of JSON Lines: what follows it may belong to
    /// it.
    pub(super) fn doubt_end_of_line(&mut self) {
        self.folded.doubt_closing(Doubt::LineMayGoOn);
    }

    /// What each rule means for the text.
    pub fn policy(&self) -> Policy {
        self.segments.policy
    }

    /// The length of the candidate, in bytes.
    pub fn candidate_len(&self) -> usize {
        self.folded.sum.length
    }

    /// How many edits there are.
    pub fn edit_count(&self) -> usize {
        self.folded.sum.counts.total()
    }

    /// How many edits each rule has.
    pub(super) fn counts(&self) -> Counts {
        self.folded.sum.counts
    }

    /// In how many places the edits of each rule are doubtful.
    pub(super) fn doubtful_counts(&self) -> Counts {
        self.folded.sum.doubtful
    }

    /// How many edits of `rule` there are.
    pub fn count(&self, rule: Rule) -> usize {
        self.folded.sum.counts.of(rule)
    }

    /// In how many places the edits of `rule` are doubtful. Comments that touch
    /// one another are one place.
    pub fn doubtful_count(&self, rule: Rule) -> usize {
        self.folded.sum.doubtful.of(rule)
    }

    /// How many comments and trailing commas there are that the dialect allows.
    pub fn allowed_count(&self) -> usize {
        self.folded.sum.allowed
    }

    /// Whether the text after the edits is JSON.
    pub fn is_valid(&self) -> bool {
        self.folded.failure.is_none()
    }

    /// Whether the edits may be made unasked: all of them together end in
    /// valid JSON, and none is doubtful.
    pub fn is_certain(&self) -> bool {
        self.is_valid() && self.folded.sum.doubtful.total() == 0
    }

    /// Every edit, in order. Each is made when it is asked for.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        self.deletions().chain(self.closing_edit())
    }

    /// The edits but closing, in order.
    pub fn deletions(&self) -> impl Iterator<Item = Edit> {
        DeletionEdits::new(&self.segments, &self.folded, 0)
    }

    /// The edits but closing that touch `range`, its ends included.
    ///
    /// Linear in these edits and the number of segments.
    pub fn deletions_touching(&self, range: Range<usize>) -> impl Iterator<Item = Edit> {
        let is_before = move |edit: &Edit| edit.range.end < range.start;
        let is_touched = move |edit: &Edit| edit.range.start <= range.end;
        DeletionEdits::new(&self.segments, &self.folded, range.start)
            .skip_while(is_before)
            .take_while(is_touched)
    }

    /// The edits but closing that begin before `offset`, the last first. Whether
    /// comments join tokens is not looked for.
    ///
    /// Linear in those that are looked at and the number of segments.
    pub fn deletions_before(&self, offset: usize) -> impl Iterator<Item = Edit> {
        DeletionsBefore::new(&self.segments, &self.folded, offset)
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
            doubt: closing.doubt,
            ..Edit::insertion(Rule::CloseTruncated, self.folded.sum.length, inserted)
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
        let is_known = self.folded.sum.mismatch.is_none();
        OpenBrackets::before(if is_known { self.segments.all() } else { &[] }, self.folded.sum.length)
    }

    /// The first closer that is not the innermost open bracket's.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let (index, start, mismatch) = self.folded.sum.mismatch?;
        let opener = match mismatch.opener {
            MismatchedOpener::Here(opener) => Some(opener.moved(start)),
            MismatchedOpener::Below(closed) => {
                OpenBrackets::before(&self.segments.all()[..index], start).nth(closed)
            }
        };
        Some(Mismatch { closer: start + mismatch.closer, opener })
    }

    /// Where the text after the edits stops being JSON.
    ///
    /// Linear in the number of segments.
    pub fn json_error(&self) -> Option<JsonError> {
        let ((code, expected), place) = self.folded.failure?;
        let offset = match place {
            ErrorPlace::Source(offset) => offset - self.deleted_before(offset).bytes,
            ErrorPlace::Inserted(offset) => self.folded.sum.length - self.folded.deleted.bytes + offset,
        };
        Some(JsonError { code, offset, expected })
    }

    /// Where in the source `json_error` stands.
    pub fn json_error_origin(&self) -> Option<Origin> {
        match self.folded.failure?.1 {
            ErrorPlace::Source(offset) => Some(Origin::Source(offset)),
            ErrorPlace::Inserted(_) => Some(Origin::Inserted(self.folded.sum.length)),
        }
    }

    /// How much text before `offset` is deleted, if no deletion reaches beyond
    /// it. Linear in the number of segments.
    pub fn deleted_before(&self, offset: usize) -> Extent {
        let mut deleted = Extent::default();
        let (index, mut start) = self.segments.groups_before(offset, |sum| deleted.add(sum.deleted));
        for segment in &self.segments.all()[index..] {
            let Some(summary) = segment.summary().filter(|_| start < offset) else { break };
            if start + segment.length <= offset {
                deleted.add(summary.deleted);
            } else {
                let before = summary.deletions.iter().take_while(|deletion| start + deletion.start < offset);
                before.for_each(|deletion| deleted.add(deletion.extent));
            }
            start += segment.length;
        }
        let crossing = self.folded.sum.crossing.iter().take_while(|deletion| deletion.start < offset);
        crossing.for_each(|deletion| deleted.add(deletion.extent));
        deleted
    }
}

/// Whether the string that is open at `end` ends in the escape of a surrogate
/// pair's first half.
fn ends_in_half_a_pair(document: &(impl Text + ?Sized), end: usize) -> bool {
    let mut before = document.bytes_before(end);
    let mut next = || before.next().unwrap_or_default();
    let is_low_byte = next().is_ascii_hexdigit() & next().is_ascii_hexdigit();
    let is_first_half =
        matches!(next(), b'8'..=b'9' | b'A'..=b'B' | b'a'..=b'b') & matches!(next(), b'D' | b'd');
    // A backslash that is escaped begins no escape.
    is_low_byte
        && is_first_half
        && next() == b'u'
        && before.take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// So far the beginning of a line is looked for. Bytes.
const LONGEST_LINE: usize = 4096;

/// The blanks before the closers that the line before `end` is made of; `None`
/// if there is anything else in it, or it is the first one.
fn indentation_of_closers(document: &(impl Text + ?Sized), end: usize) -> Option<usize> {
    let mut blanks = 0;
    for byte in document.bytes_before(end).take(LONGEST_LINE) {
        match byte {
            b'\n' | b'\r' => return Some(blanks),
            b' ' | b'\t' => blanks += 1,
            b'}' | b']' => blanks = 0,
            _ => return None,
        }
    }
    None
}

/// The blanks that the line begins with in which `at` is.
fn indentation(document: &(impl Text + ?Sized), at: usize) -> Option<usize> {
    let mut blanks = 0;
    for byte in document.bytes_before(at).take(LONGEST_LINE) {
        match byte {
            b'\n' | b'\r' => return Some(blanks),
            b' ' | b'\t' => blanks += 1,
            _ => blanks = 0,
        }
    }
    (at <= LONGEST_LINE).then_some(blanks)
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
        before: Vec<(Rule, Range<usize>)>,
        origin: Option<Origin>,
        deleted: Extent,
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
            from_end: report.deletions_before(length).map(|edit| (edit.rule, edit.range)).collect(),
            before: report.deletions_before(length / 2).map(|edit| (edit.rule, edit.range)).collect(),
            origin: report.json_error_origin(),
            deleted: report.deleted_before(length),
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
        let middle = whole.counts[0] / 2;
        let before: Vec<_> = from_end.into_iter().filter(|(_, range)| range.start < middle).collect();
        assert_eq!(whole.before, before);
        let deleted: usize = edits.iter().map(|edit| edit.removed(document).encode_utf16().count()).sum();
        assert_eq!(whole.deleted.utf16, deleted);
        if let (Some(error), Some(origin)) = (whole.repair.json_error, whole.origin) {
            assert_eq!(edits.to_source(error.offset), origin, "{document:?}");
        }
        whole
    }

    #[test]
    fn a_comment_that_may_hold_what_closes_the_text_is_doubtful() {
        let doubt = |text: &str| {
            let report = Report::new(text, Policy::fix(RuleSet::ALL));
            assert!(report.is_valid(), "{text:?}");
            report.edits().find_map(|edit| edit.doubt)
        };
        for text in [
            "[\"a, \"//b\"]",
            "{\"a\": \"http:\"//example.com\", \"b\": 1}",
            "[\"a\"//, \"b\"]",
            "[1 // 2, 3]\n",
            "[1 // ]\n, 2",
        ] {
            assert_eq!(doubt(text), Some(Doubt::CommentMayHoldText), "{text:?}");
        }
        for text in ["[1, 2 // cut he", "[1 // ]\n]", "[1 /* ] */"] {
            assert_eq!(doubt(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_comment_that_may_hold_more_than_was_meant_is_doubtful() {
        for (text, is_doubtful) in [
            ("{\"a\": 1, /* first\n\"b\": 2, /* second */\n\"c\": 3}", true),
            ("/*/*/1", true),
            ("/**/1", false),
            ("/* a / * b */1", false),
            ("/* // */ 1 // /*", false),
            // Closed, and a closer may have been lost in a comment.
            ("{\"x\":{\"a\":1, // note \"b\":2},\n\"c\":3}", true),
            ("{\"x\":{\"a\":1, // e.g. {\"b\": [2]}\n\"c\":3}", false),
            // Whole, so that nothing was.
            ("{\"x\":{\"a\":1} // note \"b\":2},\n}", false),
        ] {
            let policy = Policy::fix(RuleSet::ALL);
            for segment in [1, 3, 1000] {
                let report = Report::with_segments(text, policy, segment);
                let doubts: Vec<Doubt> = report.edits().filter_map(|edit| edit.doubt).collect();
                let expected = if is_doubtful { vec![Doubt::CommentMayHoldText] } else { Vec::new() };
                assert_eq!(doubts, expected, "{text:?}");
                assert_eq!(report.is_certain(), report.is_valid() && !is_doubtful, "{text:?}");
            }
        }
    }

    #[test]
    fn a_text_that_does_not_look_cut_is_closed_with_a_doubt() {
        for (text, expected) in [
            ("{\n  \"a\": {\n    \"x\": 1,\n  \"b\": 2\n}\n", Some(Doubt::BracketMayBeMissing)),
            ("{\n  \"a\": {\n    \"b\": {\n      \"y\": 2\n  }\n}", Some(Doubt::BracketMayBeMissing)),
            ("[\r{\r\t\"a\": [\r]}", Some(Doubt::BracketMayBeMissing)),
            // Cut off behind a member or an element.
            ("{\n  \"a\": {\n    \"x\": 1\n  }", None),
            ("{\n  \"a\": [\n    {\n      \"x\": 1\n    },", None),
            ("{\"a\": {\"x\": 1}", None),
            ("[\n{\"a\": 1},\n{\"b\": 2}\n", None),
            ("[\n  1", None),
            ("{\"t\": \"hi \\ud83d", Some(Doubt::HalfCharacter)),
            ("\"\\\\\\uDBff", Some(Doubt::HalfCharacter)),
            ("\"\\\\ud83d", None),
            ("\"\\ud83d\\ude00", None),
            ("\"ud83d", None),
        ] {
            let report = Report::new(text, Policy::fix(RuleSet::ALL));
            assert!(report.is_valid(), "{text:?}");
            let closing = report.closing_edit().expect("it is closed");
            assert_eq!((closing.doubt, report.is_certain()), (expected, expected.is_none()), "{text:?}");
        }
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
                (
                    any::<proptest::sample::Index>(),
                    prop_oneof![4 => 0_usize..6, 1 => 0_usize..200],
                    prop_oneof![4 => texts(0..3), 1 => texts(0..40)],
                    any::<bool>(),
                    any::<bool>(),
                    0_usize..5,
                ),
                1..12,
            ),
        ) {
            let mut text = text;
            let mut report = Report::with_segments(text.as_str(), policy, segment);
            for (at, length, inserted, is_asked, is_undone, patience) in changes {
                let before = text.clone();
                let at = at.index(text.len() + 1);
                let start = text.floor_char_boundary(at);
                let end = text.floor_char_boundary((at + length).min(text.len()));
                text.replace_range(start..end, &inserted);
                report.change(start..end, inserted.len());
                // An update that is broken off is taken up by the next one.
                let mut segments = 0;
                report.update_while(text.as_str(), &mut |_| {
                    segments += 1;
                    segments <= patience
                });
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
