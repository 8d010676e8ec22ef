//! What stands in what, as LSP: folding ranges, selection ranges, document
//! symbols.
//!
//! They are made of the text when somebody asks, in one pass, and are as good
//! in text that is broken as it allows ([`crate::structure`]).
//!
//! **Answers are bounded, in number and in depth.** A client that decodes them
//! with serde_json takes 127 levels of JSON and no more, and a selection range
//! is a level for each range, a symbol two.

use ropey::Rope;
use tower_lsp::lsp_types as lsp;

use super::{
    capabilities::ClientCapabilities,
    diagnostics,
    documents::Snapshot,
    position::{self, Positions},
};
use crate::{
    policy::Dialect,
    repair::Text,
    structure::{self, FoldKind, Kind, Name, Symbol},
};

/// The most folding ranges and the most symbols of a document: those of VS
/// Code's JSON server.
const MOST: usize = 5000;

/// The most ranges around one position.
const MOST_AROUND: usize = 120;

/// The deepest level of symbols.
const MOST_LEVELS: usize = 60;

/// A name or a value is shown up to this many characters.
const LONGEST_SHOWN: usize = 100;

/// What can be folded: brackets and comments, the outermost if there are more
/// than the client wants.
///
/// A document in JSON Lines has nothing that is longer than a line.
pub fn folding_ranges(snapshot: &Snapshot, client: ClientCapabilities) -> Vec<lsp::FoldingRange> {
    if !diagnostics::is_reported(snapshot) || snapshot.dialect == Dialect::JsonLines {
        return Vec::new();
    }
    let wanted = client.folding_range_limit.and_then(|limit| usize::try_from(limit).ok());
    let most = wanted.map_or(MOST, |wanted| wanted.min(MOST));
    let mut folds = structure::folds(snapshot.rope(), snapshot.policy, client.folds_lines, most);
    if client.folds_lines {
        // Brackets within brackets, on the same lines: to fold one is to fold
        // the other.
        folds.dedup_by(|inner, outer| inner.lines == outer.lines);
    }
    let mut positions = Positions::new(snapshot.rope());
    let to_folding_range = |fold: structure::Fold| {
        let start = positions.of(fold.range.start);
        let (end_line, end_character) = if client.folds_lines {
            (u32::try_from(*fold.lines.end()).unwrap_or(u32::MAX), None)
        } else {
            let end = positions.of(fold.range.end);
            (end.line, Some(end.character))
        };
        lsp::FoldingRange {
            start_line: start.line,
            // The first line of a comment stays to be read.
            start_character: (fold.kind == FoldKind::Brackets && !client.folds_lines)
                .then_some(start.character),
            end_line,
            end_character,
            kind: (fold.kind == FoldKind::Comment).then_some(lsp::FoldingRangeKind::Comment),
            collapsed_text: None,
        }
    };
    folds.into_iter().map(to_folding_range).collect()
}

/// What stands around each position; `None` if there is nothing in the
/// document, or it is not ours.
pub fn selection_ranges(
    snapshot: &Snapshot,
    positions: &[lsp::Position],
) -> Option<Vec<lsp::SelectionRange>> {
    if !diagnostics::is_reported(snapshot) {
        return None;
    }
    let rope = snapshot.rope();
    let offset_of = |position: &lsp::Position| {
        position::bytes_of(rope, lsp::Range { start: *position, end: *position }).start
    };
    let offsets: Vec<usize> = positions.iter().map(offset_of).collect();
    let is_per_line = snapshot.dialect == Dialect::JsonLines;
    let found = structure::enclosing(rope, snapshot.policy, is_per_line, &offsets, MOST_AROUND);
    let to_selection_range = |around: Vec<std::ops::Range<usize>>| {
        around.into_iter().rev().fold(None, |parent: Option<lsp::SelectionRange>, range| {
            let range = position::range_of(rope, range);
            Some(lsp::SelectionRange { range, parent: parent.map(Box::new) })
        })
    };
    found.into_iter().map(to_selection_range).collect()
}

/// The members and elements of a document, as a tree if the client takes one.
pub fn document_symbols(snapshot: &Snapshot, client: ClientCapabilities) -> lsp::DocumentSymbolResponse {
    let found = if diagnostics::is_reported(snapshot) {
        let is_per_line = snapshot.dialect == Dialect::JsonLines;
        structure::symbols(snapshot.rope(), snapshot.policy, is_per_line, MOST, MOST_LEVELS)
    } else {
        Vec::new()
    };
    if client.symbol_trees {
        lsp::DocumentSymbolResponse::Nested(symbol_trees(snapshot.rope(), found))
    } else {
        lsp::DocumentSymbolResponse::Flat(symbol_list(snapshot, found))
    }
}

fn symbol_trees(rope: &Rope, symbols: Vec<Symbol>) -> Vec<lsp::DocumentSymbol> {
    /// Those that are over are children of the last of `open`.
    fn end_last(open: &mut Vec<(Symbol, lsp::DocumentSymbol)>, trees: &mut Vec<lsp::DocumentSymbol>) {
        if let Some((_, tree)) = open.pop() {
            match open.last_mut() {
                Some((_, parent)) => parent.children.get_or_insert_default().push(tree),
                None => trees.push(tree),
            }
        }
    }

    let mut trees = Vec::new();
    let mut open: Vec<(Symbol, lsp::DocumentSymbol)> = Vec::new();
    for symbol in symbols {
        while open.last().is_some_and(|(last, _)| !is_part_of(&symbol, last)) {
            end_last(&mut open, &mut trees);
        }
        let range = position::range_of(rope, symbol.range.clone());
        #[expect(deprecated, reason = "the type has the field")]
        let tree = lsp::DocumentSymbol {
            name: name_of(rope, &symbol, range.start.line),
            detail: detail_of(rope, &symbol),
            kind: kind_of(symbol.kind),
            tags: None,
            deprecated: None,
            range,
            selection_range: position::range_of(rope, symbol.name_range.clone()),
            children: None,
        };
        open.push((symbol, tree));
    }
    while !open.is_empty() {
        end_last(&mut open, &mut trees);
    }
    trees
}

fn symbol_list(snapshot: &Snapshot, symbols: Vec<Symbol>) -> Vec<lsp::SymbolInformation> {
    let rope = snapshot.rope();
    let mut open: Vec<(Symbol, String)> = Vec::new();
    let mut list = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        while open.pop_if(|(last, _)| !is_part_of(&symbol, last)).is_some() {}
        let range = position::range_of(rope, symbol.range.clone());
        let name = name_of(rope, &symbol, range.start.line);
        #[expect(deprecated, reason = "the type has the field")]
        list.push(lsp::SymbolInformation {
            name: name.clone(),
            kind: kind_of(symbol.kind),
            tags: None,
            deprecated: None,
            location: lsp::Location { uri: snapshot.uri.clone(), range },
            container_name: open.last().map(|(_, name)| name.clone()),
        });
        open.push((symbol, name));
    }
    list
}

fn is_part_of(symbol: &Symbol, other: &Symbol) -> bool {
    other.level < symbol.level && symbol.range.start < other.range.end
}

/// What a symbol that begins on `line` is called; never blank.
fn name_of(rope: &Rope, symbol: &Symbol, line: u32) -> String {
    match &symbol.name {
        Name::Index(index) => index.to_string(),
        // As editors count them.
        Name::Line => (u64::from(line) + 1).to_string(),
        Name::Key(range) => {
            let (written, is_whole) = beginning_of(rope, range.clone());
            let unescaped = is_whole.then(|| serde_json::from_str(&written).ok()).flatten();
            // What is no string of JSON is shown as it was written.
            let key = unescaped.unwrap_or_else(|| {
                let content = written.strip_prefix('"').unwrap_or(&written);
                content.strip_suffix('"').unwrap_or(content).to_owned()
            });
            if key.trim().is_empty() { format!("\"{}\"", shown(&key)) } else { shown(&key) }
        }
    }
}

/// The value, if it is not in brackets.
fn detail_of(rope: &Rope, symbol: &Symbol) -> Option<String> {
    let range = symbol.value.clone()?;
    let is_scalar = !matches!(symbol.kind, Kind::Object | Kind::Array);
    is_scalar.then(|| shown(&beginning_of(rope, range).0))
}

/// Only kinds that every client knows, and those of VS Code's JSON server.
fn kind_of(kind: Kind) -> lsp::SymbolKind {
    match kind {
        Kind::Object => lsp::SymbolKind::MODULE,
        Kind::Array => lsp::SymbolKind::ARRAY,
        Kind::String => lsp::SymbolKind::STRING,
        Kind::Number => lsp::SymbolKind::NUMBER,
        Kind::Boolean => lsp::SymbolKind::BOOLEAN,
        Kind::Null | Kind::Unknown => lsp::SymbolKind::VARIABLE,
    }
}

/// What stands in `range`, or more of it than is shown; and whether it is all.
fn beginning_of(rope: &Rope, range: std::ops::Range<usize>) -> (String, bool) {
    // An escape has up to six bytes, a character four.
    let end = range.end.min(range.start + 6 * (LONGEST_SHOWN + 2));
    (rope.string_of(range.start..end), end == range.end)
}

/// As much of `text` as can be read, on one line.
fn shown(text: &str) -> String {
    let mut characters = text.chars().map(|c| match c {
        '\n' => '↵',
        c if c.is_control() => ' ',
        c => c,
    });
    let mut shown: String = characters.by_ref().take(LONGEST_SHOWN).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
