//! Edits: what a repair changes, and how offsets move when it does.

use std::ops::{Deref, Range};

use super::{doubt::Doubt, rules::Rule};

/// One change to a text: the bytes of `range` are replaced by `inserted`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The rule that asks for the change.
    pub rule: Rule,
    /// The bytes of the source that go; empty for an insertion.
    pub range: Range<usize>,
    /// What stands in their place; empty for a deletion.
    pub inserted: String,
    /// Why it is doubtful, if it is.
    pub doubt: Option<Doubt>,
}

impl Edit {
    /// Deletes the bytes of `range`.
    pub fn deletion(rule: Rule, range: Range<usize>) -> Edit {
        Edit { rule, range, inserted: String::new(), doubt: None }
    }

    /// Inserts `inserted` at the byte offset `at`.
    pub fn insertion(rule: Rule, at: usize, inserted: String) -> Edit {
        Edit { rule, range: at..at, inserted, doubt: None }
    }

    /// What the edit removes from `text`.
    pub fn removed<'text>(&self, text: &'text str) -> &'text str {
        &text[self.range.clone()]
    }
}

/// The edits of one repair.
///
/// Invariant: **sorted, disjoint, and none is a no-op.** Two edits may touch:
/// the comma of `[1,` is deleted at 2..3 and the closer inserted at 3..3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

/// Where a place of the result stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At this byte of the source: the character was kept, or the offset is
    /// the end of the text.
    Source(usize),
    /// In the text that was inserted at this byte of the source.
    Inserted(usize),
}

impl Edits {
    /// Takes edits that are in order.
    ///
    /// # Panics
    ///
    /// When they are not sorted, overlap, or one of them changes nothing.
    pub fn new(edits: Vec<Edit>) -> Edits {
        for edit in &edits {
            assert!(
                !edit.range.is_empty() || !edit.inserted.is_empty(),
                "an edit changes something: {edit:?}"
            );
        }
        for pair in edits.windows(2) {
            assert!(pair[0].range.end <= pair[1].range.start, "edits are sorted and disjoint: {pair:?}");
        }
        Edits(edits)
    }

    /// The source with every edit made.
    ///
    /// # Panics
    ///
    /// When `source` is not the text that the edits were made for: an edit
    /// ends behind its end or cuts a character.
    pub fn apply(&self, source: &str) -> String {
        let inserted: usize = self.0.iter().map(|edit| edit.inserted.len()).sum();
        let mut result = String::with_capacity(source.len() + inserted);
        result.extend(self.pieces(source));
        result
    }

    /// The pieces that the result consists of, in order: what is kept of
    /// `source`, and what is inserted. Some may be empty.
    ///
    /// # Panics
    ///
    /// As [`Edits::apply`].
    pub fn pieces<'text>(&'text self, source: &'text str) -> impl Iterator<Item = &'text str> {
        let mut kept_from = 0;
        let before_and_in_edits = self.0.iter().flat_map(move |edit| {
            let kept = &source[kept_from..edit.range.start];
            kept_from = edit.range.end;
            [kept, edit.inserted.as_str()]
        });
        let behind = &source[self.0.last().map_or(0, |edit| edit.range.end)..];
        before_and_in_edits.chain([behind])
    }

    /// Maps a byte offset of the source into the result.
    ///
    /// A place inside deleted text maps to where that text was; a place where
    /// text is inserted maps to before the insertion. Monotone. Linear in the
    /// number of edits.
    pub fn to_result(&self, source_offset: usize) -> usize {
        let mut offset = source_offset;
        for edit in &self.0 {
            if edit.range.start >= source_offset {
                break;
            }
            offset = offset + edit.inserted.len() - (edit.range.end.min(source_offset) - edit.range.start);
        }
        offset
    }

    /// Maps a byte offset of the result back into the source: to the kept
    /// character that stands there, behind everything deleted before it.
    ///
    /// Monotone, and the inverse of [`Edits::to_result`] on every kept
    /// character. Linear in the number of edits.
    pub fn to_source(&self, result_offset: usize) -> Origin {
        let mut offset = result_offset;
        for edit in &self.0 {
            // Here `offset` is the place in the source as far as the edits
            // before this one tell.
            if offset < edit.range.start {
                break;
            }
            if offset - edit.range.start < edit.inserted.len() {
                return Origin::Inserted(edit.range.start);
            }
            offset = offset - edit.inserted.len() + edit.range.len();
        }
        Origin::Source(offset)
    }
}

impl Deref for Edits {
    type Target = [Edit];

    fn deref(&self) -> &[Edit] {
        &self.0
    }
}

impl<'edits> IntoIterator for &'edits Edits {
    type Item = &'edits Edit;
    type IntoIter = std::slice::Iter<'edits, Edit>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deletion(range: Range<usize>) -> Edit {
        Edit::deletion(Rule::RemoveComments, range)
    }

    fn closing(at: usize, inserted: &str) -> Edit {
        Edit::insertion(Rule::CloseTruncated, at, inserted.to_owned())
    }

    #[test]
    fn offsets_map_both_ways() {
        // [1,/**/2,    source
        // [1,2]        result
        let edits = Edits::new(vec![deletion(3..7), deletion(8..9), closing(9, "]")]);
        assert_eq!(edits.apply("[1,/**/2,"), "[1,2]");
        let to_result: Vec<usize> = (0..=9).map(|offset| edits.to_result(offset)).collect();
        assert_eq!(to_result, [0, 1, 2, 3, 3, 3, 3, 3, 4, 4]);
        let to_source: Vec<Origin> = (0..=5).map(|offset| edits.to_source(offset)).collect();
        let source = Origin::Source;
        assert_eq!(to_source, [source(0), source(1), source(2), source(7), Origin::Inserted(9), source(9)]);
    }

    #[test]
    fn nothing_but_deletions_maps_to_the_end() {
        let edits = Edits::new(vec![deletion(0..4)]);
        assert_eq!(edits.to_source(0), Origin::Source(4));
        assert_eq!(edits.to_result(4), 0);
    }
}
