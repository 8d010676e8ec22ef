//! The outline: the members and elements of a text.

use std::ops::Range;

use super::{Item, Node, Value, ValueKind, Visitor, outermost::Outermost, texts, walk};
use crate::repair::{Bracket, Policy, Text};

/// A member, an element, or a line of JSON Lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// It is part of the last one before it that is on a lower level, if that
    /// reaches so far.
    pub level: usize,
    /// What it is called.
    pub name: Name,
    /// All of it, in bytes.
    pub range: Range<usize>,
    /// Its key, where it has one; otherwise its value.
    pub name_range: Range<usize>,
    /// What its value is.
    pub kind: Kind,
    /// Where its value stands, if there is one.
    pub value: Option<Range<usize>>,
}

/// What a symbol is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// By its key, which stands there in the text: a string with its quotes, or
    /// words that have none.
    Key(Range<usize>),
    /// By the number of items before it.
    Index(usize),
    /// By the line on which it stands.
    Line,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are those of RFC 8259")]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
    /// None of them, or there is none.
    Unknown,
}

/// The members and elements of a text, sorted; at most `most`, the outermost of
/// them, and none within more than `most_levels` others.
///
/// The outermost brackets are nobody's member, and what is in them is on the
/// level 1. A value outside of brackets is no symbol unless it has a key. With
/// `is_per_line` each line that is not blank is a symbol on the level 0, of the
/// kind of its first value. Linear.
///
/// ```
/// use json_repair_lsp::{repair::{Policy, RuleSet}, structure::{Name, symbols}};
///
/// let text = r#"{"a": 1, "b": [tru"#;
/// let symbols = symbols(text, Policy::fix(RuleSet::ALL), false, 5000, 60);
/// let names: Vec<_> = symbols.into_iter().map(|symbol| (symbol.level, symbol.name)).collect();
/// assert_eq!([(1, Name::Key(1..4)), (1, Name::Key(9..12)), (2, Name::Index(0))], names[..]);
/// ```
pub fn symbols(
    text: &(impl Text + ?Sized),
    policy: Policy,
    is_per_line: bool,
    most: usize,
    most_levels: usize,
) -> Vec<Symbol> {
    let mut symbols = Symbols { line_end: None, most_levels, found: Outermost::new(most) };
    for range in texts(text, is_per_line) {
        symbols.line_end = is_per_line.then_some(range.end);
        walk(text, range, policy, &mut symbols);
        if symbols.is_done() {
            break;
        }
    }
    let found = symbols.found.in_order();
    found.map(|(level, (name, item))| symbol(text, level, name, item)).collect()
}

struct Symbols {
    /// Where the line ends that is a text of its own.
    line_end: Option<usize>,
    most_levels: usize,
    found: Outermost<(Name, Item)>,
}

impl Visitor for Symbols {
    fn visit(&mut self, level: usize, node: Node) {
        let Node::Item(mut item) = node else { return };
        if level > self.most_levels {
            return;
        }
        let name = match (&item.key, self.line_end) {
            (_, Some(line_end)) if level == 0 && item.index == 0 => {
                item.range.end = line_end;
                Name::Line
            }
            (_, Some(_)) if level == 0 => return,
            (Some(key), _) => Name::Key(key.clone()),
            (None, _) if level == 0 => return,
            (None, _) => Name::Index(item.index),
        };
        self.found.push(level, item.range.start, (name, item));
    }

    fn is_done(&self) -> bool {
        self.found.is_full(0)
    }
}

fn symbol(text: &(impl Text + ?Sized), level: usize, name: Name, item: Item) -> Symbol {
    let Item { range, key, value, .. } = item;
    let kind = value.as_ref().map_or(Kind::Unknown, |value| kind_of(text, value));
    let value = value.map(|value| value.range);
    let name_range = key.or_else(|| value.clone()).unwrap_or_else(|| range.clone());
    Symbol { level, name, range, name_range, kind, value }
}

fn kind_of(text: &(impl Text + ?Sized), value: &Value) -> Kind {
    match value.kind {
        ValueKind::Brackets(Bracket::Object) => Kind::Object,
        ValueKind::Brackets(Bracket::Array) => Kind::Array,
        ValueKind::String => Kind::String,
        ValueKind::Words => {
            let longest = "false".len();
            let seen = value.range.start..value.range.end.min(value.range.start + longest + 1);
            let word: Vec<u8> = text.pieces(seen).flatten().copied().collect();
            match &word[..] {
                b"true" | b"false" => Kind::Boolean,
                b"null" => Kind::Null,
                // One that goes wrong later is meant as a number all the same.
                [b'-' | b'0'..=b'9', ..] => Kind::Number,
                _ => Kind::Unknown,
            }
        }
    }
}
