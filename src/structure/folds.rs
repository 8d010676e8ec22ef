//! What can be folded away.

use std::ops::{Range, RangeInclusive};

use super::{Brackets, Comment, Node, Visitor, outermost::Outermost, walk};
use crate::repair::{Policy, Text, candidate_len};

/// A part of a text that can be folded away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// What it is.
    pub kind: FoldKind,
    /// What stands between the brackets, or the comments. In bytes.
    pub range: Range<usize>,
    /// The same in lines, for those who fold whole ones: the first stays to be
    /// seen, and so does the line of a closer and what stands behind a comment,
    /// which is not one of them.
    pub lines: RangeInclusive<usize>,
}

/// What is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// An array or object.
    Brackets,
    /// A block comment, or line comments with nothing else on their lines and
    /// none in between.
    Comment,
}

/// What can be folded in a text, sorted; at most `most`, the outermost of them.
///
/// Each is more than one line. `whole_lines` leaves out those that have no line
/// to hide when whole lines are folded. Linear.
///
/// ```
/// use json_repair_lsp::{repair::{Policy, RuleSet}, structure::folds};
///
/// let folds = folds("{\n  \"a\": [\n    1, // cut\n", Policy::fix(RuleSet::ALL), true, 5000);
/// let lines: Vec<_> = folds.into_iter().map(|fold| fold.lines).collect();
/// assert_eq!([0..=2, 1..=2], lines[..]);
/// ```
pub fn folds(text: &(impl Text + ?Sized), policy: Policy, whole_lines: bool, most: usize) -> Vec<Fold> {
    let mut folds = Folds { whole_lines, found: Outermost::new(most), line_comments: None };
    walk(text, 0..candidate_len(text), policy, &mut folds);
    folds.end_line_comments();
    folds.found.in_order().map(|(_, fold)| fold).collect()
}

struct Folds {
    whole_lines: bool,
    found: Outermost<Fold>,
    /// The last line comments on lines of their own.
    line_comments: Option<LineComments>,
}

/// Line comments with nothing else on their lines and no line in between.
struct LineComments {
    level: usize,
    range: Range<usize>,
    first_line: usize,
    last_line: usize,
}

impl Visitor for Folds {
    fn visit(&mut self, level: usize, node: Node) {
        match node {
            Node::Brackets(Brackets { content, first_line, last_line, is_cut, .. }) => {
                self.add(level, FoldKind::Brackets, content, first_line, last_line, is_cut);
            }
            Node::Comment(comment) if comment.is_line_comment => {
                if comment.begins_line {
                    self.line_comment(level, comment);
                }
            }
            Node::Comment(Comment { range, first_line, last_line, ends_line, .. }) => {
                self.add(level, FoldKind::Comment, range, first_line, last_line, ends_line);
            }
            Node::String { .. } | Node::Word { .. } | Node::Item(_) => {}
        }
    }
}

impl Folds {
    /// `hides_last`: whether there is nothing on the last line that must be
    /// seen.
    fn add(
        &mut self,
        level: usize,
        kind: FoldKind,
        range: Range<usize>,
        first_line: usize,
        last_line: usize,
        hides_last: bool,
    ) {
        let last_hidden = if hides_last { last_line } else { last_line.saturating_sub(1) };
        if first_line < if self.whole_lines { last_hidden } else { last_line } {
            self.found.push(level, range.start, Fold { kind, range, lines: first_line..=last_hidden });
        }
    }

    /// A line comment that is alone on its line.
    fn line_comment(&mut self, level: usize, comment: Comment) {
        let Comment { range, first_line, last_line, .. } = comment;
        match &mut self.line_comments {
            Some(comments) if comments.last_line + 1 == first_line => {
                comments.range.end = range.end;
                comments.last_line = last_line;
            }
            _ => {
                self.end_line_comments();
                self.line_comments = Some(LineComments { level, range, first_line, last_line });
            }
        }
    }

    fn end_line_comments(&mut self) {
        if let Some(LineComments { level, range, first_line, last_line }) = self.line_comments.take() {
            self.add(level, FoldKind::Comment, range, first_line, last_line, true);
        }
    }
}
