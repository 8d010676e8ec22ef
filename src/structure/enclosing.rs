//! What stands around a place.

use std::ops::Range;

use super::{Node, Visitor, text_at, walk};
use crate::repair::{Policy, Text};

/// What stands around each of `offsets`, innermost first: the content of a
/// string, the string, its member, the content of the brackets around it, the
/// brackets, and so on up to all of the text. A comment is one thing.
///
/// Each range is in bytes, contains the offset, its ends included, and is part
/// of the next and smaller than it. Where two things touch at the offset it is
/// the one that begins there. At most `most` for each, the innermost and the
/// last, which is always the whole text.
///
/// `is_per_line` says that each line is a text of its own. Linear in the text,
/// or in the lines that the offsets are on, and in the offsets and the depth at
/// which they are.
///
/// # Panics
///
/// When an offset is behind the end of the text.
///
/// ```
/// use json_repair_lsp::{repair::{Policy, RuleSet}, structure::enclosing};
///
/// let text = r#"{"key": ["value", 1"#;
/// let found = enclosing(text, Policy::fix(RuleSet::ALL), false, &[12], 100);
/// let found: Vec<&str> = found[0].iter().map(|range| &text[range.clone()]).collect();
/// let expected = [
///     "value", r#""value""#, r#""value", 1"#, r#"["value", 1"#,
///     r#""key": ["value", 1"#, r#"{"key": ["value", 1"#,
/// ];
/// assert_eq!(expected, found[..]);
/// ```
pub fn enclosing(
    text: &(impl Text + ?Sized),
    policy: Policy,
    is_per_line: bool,
    offsets: &[usize],
    most: usize,
) -> Vec<Vec<Range<usize>>> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_unstable_by_key(|index| offsets[*index]);
    let places = order.iter().map(|index| Place { offset: offsets[*index], around: Vec::new() }).collect();
    let mut enclosing = Enclosing { most: most.saturating_sub(1), places };
    let mut read = 0;
    for index in &order {
        let offset = offsets[*index];
        if offset < read {
            continue;
        }
        let start = if is_per_line {
            offset - text.bytes_before(offset).take_while(|byte| *byte != b'\n').count()
        } else {
            0
        };
        let (range, next) = text_at(text, start, is_per_line);
        walk(text, range.clone(), policy, &mut enclosing);
        if is_per_line {
            enclosing.add(range);
        }
        read = next.unwrap_or(usize::MAX);
    }
    enclosing.most = most.max(1);
    enclosing.add(0..text.len());

    let mut found = vec![Vec::new(); offsets.len()];
    for (index, place) in order.into_iter().zip(enclosing.places) {
        found[index] = place.around;
    }
    found
}

/// The places, in order, and what was found to stand around them.
struct Enclosing {
    most: usize,
    places: Vec<Place>,
}

struct Place {
    offset: usize,
    around: Vec<Range<usize>>,
}

impl Visitor for Enclosing {
    fn visit(&mut self, _: usize, node: Node) {
        match node {
            Node::String { range, content } => {
                self.add(content);
                self.add(range);
            }
            Node::Brackets(brackets) => {
                self.add(brackets.content);
                self.add(brackets.range);
            }
            Node::Word { range } => self.add(range),
            Node::Comment(comment) => self.add(comment.range),
            Node::Item(item) => self.add(item.range),
        }
    }
}

impl Enclosing {
    /// The indices of the places in `range`, its ends included.
    fn places_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.places.partition_point(|place| place.offset < range.start);
        let count = self.places[first..].partition_point(|place| place.offset <= range.end);
        first..first + count
    }

    /// Adds `range` to the places that it is around. What comes after it is
    /// around it, or beside it.
    fn add(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let places = self.places_in(&range);
        for Place { around, .. } in &mut self.places[places] {
            // What only touches this ends where it begins, or begins where it
            // ends: items come late.
            while around.last().is_some_and(|last| last.start < range.start) {
                around.pop();
            }
            let is_around = around.last().is_none_or(|last| last.end <= range.end && *last != range);
            if is_around && around.len() < self.most {
                around.push(range.clone());
            }
        }
    }
}
