//! What the engine found in a document: one report, or one for each line of
//! JSON Lines. Whoever makes protocol of it goes from [`Candidate`] to
//! candidate, and need not know which of the two it is.

use std::{borrow::Cow, ops::Range};

use ropey::Rope;

use crate::{
    policy::Dialect,
    repair::{Edit, Lines, Part, Policy, Report, Rule, Text},
};

/// What was found in a document.
#[derive(Clone, Debug)]
pub enum Analysis {
    /// The document is one text.
    OneText(Box<Report>),
    /// Each line of it is one.
    Lines(Lines),
    /// It took too long for somebody: nothing is known.
    Cancelled,
}

/// A text that is repaired and validated by itself, and what was found in it.
///
/// A document in JSON Lines has one for each line in which anything was found;
/// every other document is one.
#[derive(Debug)]
pub struct Candidate<'document> {
    /// Where it begins in the document, in bytes. Offsets of the report count
    /// from here.
    pub start: usize,
    /// Its text; behind the end of the candidate there may be line endings.
    pub text: Part<'document, Rope>,
    /// What was found.
    pub report: Cow<'document, Report>,
}

impl Candidate<'_> {
    /// The bytes of the document that are `range` here.
    pub fn in_document(&self, range: Range<usize>) -> Range<usize> {
        self.start + range.start..self.start + range.end
    }

    /// An edit of the report, in bytes of the document.
    pub fn edit_in_document(&self, edit: Edit) -> Edit {
        Edit { range: self.in_document(edit.range.clone()), ..edit }
    }

    /// The bytes here that are `range` of the document; what lies before the
    /// candidate is taken for its beginning.
    pub fn from_document(&self, range: &Range<usize>) -> Range<usize> {
        range.start.saturating_sub(self.start)..range.end.saturating_sub(self.start)
    }
}

impl Analysis {
    /// What is found in a document by a whole pass.
    pub fn new(document: &(impl Text + ?Sized), dialect: Dialect, policy: Policy) -> Analysis {
        Analysis::new_while(document, dialect, policy, &mut |_| true)
    }

    /// The same, but `goes_on` is told now and then how many bytes are read, and
    /// may cancel it.
    pub fn new_while(
        document: &(impl Text + ?Sized),
        dialect: Dialect,
        policy: Policy,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Analysis {
        let analysis = match dialect {
            Dialect::JsonLines => Lines::new_while(document, policy, goes_on).map(Analysis::Lines),
            _ => {
                Report::new_while(document, policy, goes_on).map(|report| Analysis::OneText(Box::new(report)))
            }
        };
        analysis.unwrap_or(Analysis::Cancelled)
    }

    /// The analysis, unless it was cancelled.
    pub fn known(self) -> Option<Analysis> {
        if let Analysis::Cancelled = self { None } else { Some(self) }
    }

    /// As [`Report::change`].
    pub fn change(&mut self, range: Range<usize>, inserted: usize) {
        match self {
            Analysis::Cancelled => {}
            Analysis::OneText(report) => report.change(range, inserted),
            Analysis::Lines(lines) => lines.change(range, inserted),
        }
    }

    /// As [`Report::update`].
    pub fn update(&mut self, document: &Rope) {
        match self {
            Analysis::OneText(report) => report.update(document),
            Analysis::Lines(lines) => lines.update(document),
            Analysis::Cancelled => {}
        }
    }

    /// The same if it takes a moment at most. `false` if it would take longer:
    /// then [`Analysis::update`] has to follow before anything is asked.
    pub fn update_in_a_moment(&mut self, document: &Rope) -> bool {
        // About a millisecond if all of them have to be read.
        const SEGMENTS: usize = 64;
        const BYTES: usize = 256 * 1024;

        match self {
            Analysis::OneText(report) => {
                let mut segments = 0;
                report.update_while(document, &mut |_| {
                    segments += 1;
                    segments <= SEGMENTS
                })
            }
            Analysis::Lines(lines) => {
                let is_short = lines.changed_len() <= BYTES;
                if is_short {
                    lines.update(document);
                }
                is_short
            }
            Analysis::Cancelled => true,
        }
    }

    /// The candidates of `document`, in order.
    pub fn candidates<'document>(
        &'document self,
        document: &'document Rope,
    ) -> impl Iterator<Item = Candidate<'document>> {
        self.candidates_touching(document, 0..usize::MAX)
    }

    /// The candidates that touch the bytes `range` of `document`, its ends
    /// included.
    pub fn candidates_touching<'document>(
        &'document self,
        document: &'document Rope,
        range: Range<usize>,
    ) -> impl Iterator<Item = Candidate<'document>> {
        let (report, lines) = match self {
            Analysis::OneText(report) => (Some(report), None),
            Analysis::Lines(lines) => (None, Some(lines)),
            Analysis::Cancelled => (None, None),
        };
        let one = report.into_iter().map(|report| Candidate {
            start: 0,
            text: Part::new(document, 0..document.len_bytes()),
            report: Cow::Borrowed(&**report),
        });
        let lines = lines.into_iter().flat_map(move |lines| lines.touching(range.clone()));
        one.chain(lines.map(|line| Candidate {
            start: line.range.start,
            report: line.report(document),
            text: Part::new(document, line.range),
        }))
    }

    /// How many edits there are.
    pub fn edit_count(&self) -> usize {
        Rule::ALL.into_iter().map(|rule| self.count(rule)).sum()
    }

    /// How many edits of `rule` there are.
    pub fn count(&self, rule: Rule) -> usize {
        match self {
            Analysis::OneText(report) => report.count(rule),
            Analysis::Lines(lines) => lines.count(rule),
            Analysis::Cancelled => 0,
        }
    }

    /// In how many places edits are doubtful, as [`Report::doubtful_count`]
    /// counts them.
    pub fn doubtful_count(&self, rule: Rule) -> usize {
        match self {
            Analysis::OneText(report) => report.doubtful_count(rule),
            Analysis::Lines(lines) => lines.doubtful_count(rule),
            Analysis::Cancelled => 0,
        }
    }

    /// How many edits of `rule` may be made unasked: those of each candidate
    /// that ends valid and has no doubtful one.
    pub fn certain_count(&self, rule: Rule) -> usize {
        match self {
            Analysis::OneText(report) if report.is_certain() => report.count(rule),
            Analysis::OneText(_) => 0,
            Analysis::Lines(lines) => lines.certain_count(rule),
            Analysis::Cancelled => 0,
        }
    }

    /// How many comments and trailing commas there are that the dialect allows.
    pub fn allowed_count(&self) -> usize {
        match self {
            Analysis::OneText(report) => report.allowed_count(),
            Analysis::Lines(_) | Analysis::Cancelled => 0,
        }
    }

    /// How many candidates are not JSON after the edits.
    pub fn invalid_count(&self) -> usize {
        match self {
            Analysis::OneText(report) => usize::from(!report.is_valid()),
            Analysis::Lines(lines) => lines.invalid_count(),
            Analysis::Cancelled => 0,
        }
    }
}
