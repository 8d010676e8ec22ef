//! Structure: which brackets, members and elements hold what, in any text.
//!
//! It has three readers, one for each thing that an editor shows of it:
//! [`folds`] (what can be folded away), [`enclosing`] (what stands around a
//! place) and [`symbols`] (the outline). All of them work on text that is
//! broken, which most text is while it is being written, and see the strings,
//! comments and brackets that a [`Report`] sees.
//!
//! # Text that is broken
//!
//! - **A closer closes the innermost open bracket of its kind.** Brackets that
//!   were opened inside of that one and not closed end where it stands. A
//!   closer of which nothing is open is passed over, like the mistake that it
//!   is.
//! - What is open at the end of the text ends with it.
//! - A string or word with a colon behind it is a key, wherever it stands: a
//!   fragment of an object has its members too. In an object it is a key that
//!   has no value yet even without the colon.
//! - A value begins behind another one even without a comma between them. Words
//!   in a row on one line are one value: prose, or a string that lost its
//!   quotes.
//! - Behind an odd quote the strings and what is between them change places, as
//!   they do for the scan. Nobody can know better.
//!
//! **One pass over the tokens, no recursion, and bounded memory**: a byte for
//! each open bracket, some more for the outermost [`MOST_LEVELS`] of them, and
//! what the answer itself takes. Brackets within more than those are kept count
//! of, so that all others end where they should, and are not otherwise seen.
//!
//! [`Report`]: crate::repair::Report

mod enclosing;
mod folds;
mod outermost;
mod symbols;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use enclosing::enclosing;
pub use folds::{Fold, FoldKind, folds};
pub use symbols::{Kind, Name, Symbol, symbols};

use crate::repair::{Bracket, Part, Policy, Text, Token, TokenKind, candidate_len, tokens};

/// Within so many brackets there is structure; deeper there is only text.
pub const MOST_LEVELS: usize = 100_000;

/// Something in a text. Ranges are in bytes of it.
#[derive(Debug)]
enum Node {
    /// A string; without its quotes it is `content`.
    String {
        range: Range<usize>,
        content: Range<usize>,
    },
    /// A word: one token.
    Word {
        range: Range<usize>,
    },
    Comment(Comment),
    /// A member or an element; comes when it is over.
    Item(Item),
    /// A pair of brackets; comes when it is over, behind its last item.
    Brackets(Brackets),
}

#[derive(Debug)]
struct Comment {
    range: Range<usize>,
    first_line: usize,
    last_line: usize,
    is_line_comment: bool,
    /// Whether nothing but blanks stands before it on its first line.
    begins_line: bool,
    /// Whether nothing but blanks stands behind it on its last line.
    ends_line: bool,
}

/// A member of an object, an element of an array, or a value outside of both.
#[derive(Clone, Debug)]
struct Item {
    /// What it is in.
    within: Option<Bracket>,
    /// How many items are before it in there.
    index: usize,
    /// From its first token to its last.
    range: Range<usize>,
    key: Option<Range<usize>>,
    value: Option<Value>,
}

#[derive(Clone, Debug)]
struct Value {
    range: Range<usize>,
    kind: ValueKind,
    /// The line on which it ends.
    last_line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Brackets(Bracket),
    String,
    /// Words on one line.
    Words,
}

/// A pair of brackets, or as much of one as there is.
#[derive(Debug)]
struct Brackets {
    /// With the brackets.
    range: Range<usize>,
    /// Without them.
    content: Range<usize>,
    first_line: usize,
    /// The line of what ends it.
    last_line: usize,
    /// Whether it is open at the end of the text: no closer ends it, neither
    /// its own nor that of brackets around it.
    is_cut: bool,
}

/// Is told of every node. A level is the number of brackets around the node.
trait Visitor {
    fn visit(&mut self, level: usize, node: Node);

    /// Whether nothing that is still to come could matter.
    fn is_done(&self) -> bool {
        false
    }
}

/// Brackets that are open, or the text itself.
#[derive(Debug, Default)]
struct Frame {
    /// `None` for the text.
    bracket: Option<Bracket>,
    /// Where the opener stands, and on which line.
    opener: usize,
    line: usize,
    /// How many items in it are over.
    items: usize,
    /// The one that is not.
    item: Option<Item>,
}

/// Visits what is in `range` of `text`, which is one text. Lines count from
/// its beginning.
fn walk(text: &(impl Text + ?Sized), range: Range<usize>, policy: Policy, visitor: &mut impl Visitor) {
    let mut walk =
        Walk { visitor, frame: Frame::default(), around: Vec::new(), open: Vec::new(), open_of: [0; 2] };
    let mut tokens = tokens(text, range, policy);
    let mut last_line = None;
    let mut next = tokens.next();
    while let Some(token) = next {
        next = tokens.next();
        let begins_line = last_line != Some(token.first_line);
        let ends_line = next.as_ref().is_none_or(|next| next.first_line != token.last_line);
        last_line = Some(token.last_line);
        walk.read(token, begins_line, ends_line);
        if walk.visitor.is_done() {
            return;
        }
    }
    walk.end(tokens.offset(), tokens.line());
}

struct Walk<'visitor, V> {
    visitor: &'visitor mut V,
    /// The innermost of the open brackets that are seen, and those around it.
    frame: Frame,
    around: Vec<Frame>,
    /// All open brackets, outermost first, and how many there are of each
    /// kind.
    open: Vec<Bracket>,
    open_of: [usize; 2],
}

impl<V: Visitor> Walk<'_, V> {
    fn read(&mut self, token: Token, begins_line: bool, ends_line: bool) {
        let Token { kind, range, first_line, last_line } = token;
        match kind {
            TokenKind::Opener(bracket) => self.open(bracket, range.start, first_line),
            TokenKind::Closer(bracket) => self.close(bracket, range, first_line),
            _ if self.open.len() > self.around.len() => {}
            TokenKind::Comma => self.end_item(),
            TokenKind::Colon => self.colon(range),
            TokenKind::String { is_closed } => {
                let content = range.start + 1..range.end - usize::from(is_closed);
                self.visit(Node::String { range: range.clone(), content });
                self.value(Value { range, kind: ValueKind::String, last_line });
            }
            TokenKind::Word => {
                self.visit(Node::Word { range: range.clone() });
                self.word(range, first_line);
            }
            TokenKind::LineComment | TokenKind::BlockComment => {
                let is_line_comment = kind == TokenKind::LineComment;
                self.visit(Node::Comment(Comment {
                    range,
                    first_line,
                    last_line,
                    is_line_comment,
                    begins_line,
                    ends_line,
                }));
            }
        }
    }

    fn end(&mut self, end: usize, line: usize) {
        self.open.truncate(self.around.len());
        while self.open.pop().is_some() {
            self.end_brackets(end..end, line, true);
        }
        self.end_item();
    }

    fn visit(&mut self, node: Node) {
        self.visitor.visit(self.around.len(), node);
    }

    fn open(&mut self, bracket: Bracket, opener: usize, line: usize) {
        if self.open.len() < MOST_LEVELS {
            if self.frame.item.as_ref().is_some_and(|item| item.value.is_some()) {
                self.end_item();
            }
            self.begin_item(opener);
            let frame = Frame { bracket: Some(bracket), opener, line, items: 0, item: None };
            self.around.push(std::mem::replace(&mut self.frame, frame));
        }
        self.open.push(bracket);
        self.open_of[bracket as usize] += 1;
    }

    /// A closer of `bracket` ends the innermost of that kind, and what is open
    /// in there.
    fn close(&mut self, bracket: Bracket, closer: Range<usize>, line: usize) {
        if self.open_of[bracket as usize] == 0 {
            return;
        }
        while let Some(innermost) = self.open.pop() {
            self.open_of[innermost as usize] -= 1;
            let end = if innermost == bracket { closer.clone() } else { closer.start..closer.start };
            if self.open.len() < self.around.len() {
                self.end_brackets(end, line, false);
            }
            if innermost == bracket {
                return;
            }
        }
    }

    /// The innermost brackets end with `end`: their closer, or the place where
    /// it is missing.
    fn end_brackets(&mut self, end: Range<usize>, last_line: usize, is_cut: bool) {
        self.end_item();
        let Some(outer) = self.around.pop() else { return };
        let Frame { bracket, opener, line: first_line, .. } = std::mem::replace(&mut self.frame, outer);
        let (range, content) = (opener..end.end, opener + 1..end.start);
        self.visit(Node::Brackets(Brackets { range: range.clone(), content, first_line, last_line, is_cut }));
        if let Some(bracket) = bracket {
            self.value(Value { range, kind: ValueKind::Brackets(bracket), last_line });
        }
    }

    fn colon(&mut self, range: Range<usize>) {
        let item = self.begin_item(range.start);
        let is_key = |value: &mut Value| !matches!(value.kind, ValueKind::Brackets(_));
        if item.key.is_none()
            && let Some(key) = item.value.take_if(is_key)
        {
            item.key = Some(key.range);
            item.range.end = range.end;
        }
    }

    fn word(&mut self, range: Range<usize>, line: usize) {
        let before = self.frame.item.as_mut().and_then(|item| item.value.as_mut());
        let is_joined = |before: &&mut Value| before.kind == ValueKind::Words && before.last_line == line;
        match before.filter(is_joined) {
            Some(words) => {
                words.range.end = range.end;
                self.begin_item(range.start).range.end = range.end;
            }
            None => self.value(Value { range, kind: ValueKind::Words, last_line: line }),
        }
    }

    /// Gives the item a value, or begins a new one with it where it has one.
    fn value(&mut self, value: Value) {
        if self.frame.item.as_ref().is_some_and(|item| item.value.is_some()) {
            self.end_item();
        }
        let item = self.begin_item(value.range.start);
        item.range.end = value.range.end;
        item.value = Some(value);
    }

    /// The item, which begins at `start` unless it did before.
    fn begin_item(&mut self, start: usize) -> &mut Item {
        let Frame { bracket, items, .. } = self.frame;
        self.frame.item.get_or_insert_with(|| Item {
            within: bracket,
            index: items,
            range: start..start + 1,
            key: None,
            value: None,
        })
    }

    fn end_item(&mut self) {
        let Some(mut item) = self.frame.item.take() else { return };
        if item.within == Some(Bracket::Object) && item.key.is_none() {
            let is_key = |value: &mut Value| !matches!(value.kind, ValueKind::Brackets(_));
            item.key = item.value.take_if(is_key).map(|value| value.range);
        }
        self.frame.items += 1;
        self.visit(Node::Item(item));
    }
}

/// The texts of a document, in bytes of it.
///
/// All of it but its final line endings is one text; with `is_per_line` each
/// line is one.
fn texts(document: &(impl Text + ?Sized), is_per_line: bool) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let (range, behind) = text_at(document, next.take()?, is_per_line);
        next = behind;
        Some(range)
    })
}

/// The text that begins at `start`, and where the next one does. Linear in it.
fn text_at(
    document: &(impl Text + ?Sized),
    start: usize,
    is_per_line: bool,
) -> (Range<usize>, Option<usize>) {
    let (mut end, mut next) = (document.len(), None);
    if is_per_line {
        let mut read = start;
        for piece in document.pieces(start..end) {
            if let Some(line) = memchr::memchr(b'\n', piece) {
                end = read + line;
                next = Some(end + 1);
                break;
            }
            read += piece.len();
        }
    }
    (start..start + candidate_len(&Part::new(document, start..end)), next)
}
