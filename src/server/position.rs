//! Byte offsets and LSP positions: **the only file that knows both.**
//!
//! An LSP position is a line and a number of UTF-16 code units into it. Lines
//! end with LF, CR or CRLF and nothing else, which is what ropey counts with
//! the feature `cr_lines` alone; a test fails if another crate's features turn
//! on more.
//!
//! Every position has an answer. Past the end of a line means the end of that
//! line, before its line ending; past the last line, the end of the document;
//! inside a surrogate pair, before the character. Each conversion is
//! logarithmic in the document.

use std::ops::Range;

use ropey::Rope;
use tower_lsp::lsp_types as lsp;

/// The position of the byte `offset`, which is taken down to its character.
pub fn position_of(rope: &Rope, offset: usize) -> lsp::Position {
    let char_index = rope.byte_to_char(offset.min(rope.len_bytes()));
    let line = rope.char_to_line(char_index);
    // Between CR and LF is no place of a line; before both is the nearest.
    let char_index = char_index.min(end_of_line(rope, line));
    let character = rope.char_to_utf16_cu(char_index) - rope.char_to_utf16_cu(rope.line_to_char(line));
    lsp::Position { line: saturate(line), character: saturate(character) }
}

/// The range of the bytes `range`.
pub fn range_of(rope: &Rope, range: Range<usize>) -> lsp::Range {
    let is_empty = range.is_empty();
    let start = position_of(rope, range.start);
    let end = if is_empty { start } else { position_of(rope, range.end) };
    lsp::Range { start, end }
}

/// The bytes of `range`, whose ends may be anywhere and in any order.
pub fn bytes_of(rope: &Rope, range: lsp::Range) -> Range<usize> {
    let units = code_units_of(rope, range);
    // `utf16_cu_to_char` goes down to the character inside a pair.
    let byte = |unit| rope.char_to_byte(rope.utf16_cu_to_char(unit));
    byte(units.start)..byte(units.end)
}

/// A change of a document: the bytes of `removed` gave way to `inserted` others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What was removed, in bytes of the document before the change.
    pub removed: Range<usize>,
    /// How many bytes were inserted.
    pub inserted: usize,
}

/// Replaces `range` of the document by `text`.
///
/// An edge that cuts a surrogate pair leaves U+FFFD for the half that stays,
/// one code unit for one, so that later offsets hold.
pub fn replace(rope: &mut Rope, range: lsp::Range, text: &str) -> Change {
    let units = code_units_of(rope, range);
    if units.is_empty() && text.is_empty() {
        // No change at all, not even of a pair that it stands in.
        return Change { removed: 0..0, inserted: 0 };
    }
    let (start, is_start_inside) = char_at(rope, units.start);
    let (end, is_end_inside) = char_at(rope, units.end);
    // A character that an edge cuts goes; the halves that stay come back.
    let end = end + usize::from(is_end_inside);
    let removed = rope.char_to_byte(start)..rope.char_to_byte(end);
    rope.remove(start..end);
    let mut inserted = text.len();
    rope.insert(start, text);
    let mut insert_half = |at: usize| {
        rope.insert_char(at, char::REPLACEMENT_CHARACTER);
        inserted += char::REPLACEMENT_CHARACTER.len_utf8();
    };
    if is_end_inside {
        insert_half(start + text.chars().count());
    }
    if is_start_inside {
        insert_half(start);
    }
    Change { removed, inserted }
}

/// How many UTF-16 code units the bytes of `range` are.
pub fn utf16_len(rope: &Rope, range: Range<usize>) -> usize {
    let unit = |byte| rope.char_to_utf16_cu(rope.byte_to_char(byte));
    unit(range.end) - unit(range.start)
}

/// The character that holds the code unit at `unit`, and whether `unit` is its
/// second one.
fn char_at(rope: &Rope, unit: usize) -> (usize, bool) {
    let char_index = rope.utf16_cu_to_char(unit);
    (char_index, rope.char_to_utf16_cu(char_index) != unit)
}

/// The code units of `range` into the document, in order.
fn code_units_of(rope: &Rope, range: lsp::Range) -> Range<usize> {
    let (start, end) = (code_unit_of(rope, range.start), code_unit_of(rope, range.end));
    start.min(end)..start.max(end)
}

fn code_unit_of(rope: &Rope, position: lsp::Position) -> usize {
    let line = position.line as usize;
    if line >= rope.len_lines() {
        return rope.len_utf16_cu();
    }
    let start = rope.char_to_utf16_cu(rope.line_to_char(line));
    let end = rope.char_to_utf16_cu(end_of_line(rope, line));
    end.min(start + position.character as usize)
}

/// The character index of the end of `line`, before its line ending.
fn end_of_line(rope: &Rope, line: usize) -> usize {
    let start = rope.line_to_char(line);
    let mut end = rope.line_to_char(line + 1);
    if end > start && rope.char(end - 1) == '\n' {
        end -= 1;
        if end > start && rope.char(end - 1) == '\r' {
            end -= 1;
        }
    } else if end > start && rope.char(end - 1) == '\r' {
        end -= 1;
    }
    end
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn position(line: u32, character: u32) -> lsp::Position {
        lsp::Position { line, character }
    }

    fn range(start: (u32, u32), end: (u32, u32)) -> lsp::Range {
        lsp::Range { start: position(start.0, start.1), end: position(end.0, end.1) }
    }

    #[test]
    fn only_lf_cr_and_crlf_end_lines() {
        // Fails when some dependency turns on ropey's `unicode_lines`.
        let text = "a\u{2028}b\u{85}c\u{b}d\u{c}e\u{2029}f\rg\r\nh\ni";
        assert_eq!(Rope::from_str(text).len_lines(), 4);
    }

    #[test]
    fn positions_clamp() {
        let rope = Rope::from_str("A\nB\rC\r\nD");
        for ((line, character), offset) in [
            ((0, 0), 0),
            ((0, 10), 1),
            ((1, 10), 3),
            ((2, 2), 5),
            ((2, 10), 5),
            ((3, 10), 8),
            ((4, 0), 8),
            ((u32::MAX, u32::MAX), 8),
        ] {
            let at = bytes_of(&rope, range((line, character), (line, character)));
            assert_eq!(at, offset..offset, "{line}:{character}");
        }
        // Between CR and LF.
        assert_eq!(position_of(&rope, 6), position(2, 1));
    }

    #[test]
    fn a_query_inside_a_pair_goes_down() {
        let rope = Rope::from_str("[\"🌍\",1,]");
        assert_eq!(bytes_of(&rope, range((0, 3), (0, 3))), 2..2);
        assert_eq!(position_of(&rope, 6), position(0, 4));
    }

    #[test]
    fn a_change_that_cuts_pairs_leaves_a_unit_for_a_unit() {
        for (text, start, end, inserted, expected) in [
            ("a😀b", 2, 2, "x", "a\u{fffd}x\u{fffd}b"),
            ("a😀b", 1, 2, "x", "ax\u{fffd}b"),
            ("a😀b", 2, 3, "x", "a\u{fffd}xb"),
            ("a😀😀b", 2, 4, "", "a\u{fffd}\u{fffd}b"),
            ("a😀b", 1, 3, "", "ab"),
            ("a😀b", 2, 2, "", "a😀b"),
        ] {
            let mut rope = Rope::from_str(text);
            replace(&mut rope, range((0, end), (0, start)), inserted);
            assert_eq!(rope.to_string(), expected, "{text} {start}..{end}");
        }
    }

    /// The same by walking the characters, one by one.
    fn naive_position(text: &str, offset: usize) -> lsp::Position {
        let (mut line, mut character) = (0, 0);
        let mut characters = text.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            if at >= offset {
                break;
            }
            match c {
                '\r' if characters.peek().is_some_and(|next| next.1 == '\n') => {
                    if offset <= at + 1 {
                        break;
                    }
                    characters.next();
                    (line, character) = (line + 1, 0);
                }
                '\n' | '\r' => (line, character) = (line + 1, 0),
                _ => character += c.len_utf16() as u32,
            }
        }
        position(line, character)
    }

    proptest! {
        #[test]
        fn there_and_back(text in "[ab\n\ré😀\u{2028}\u{85}]{0,40}") {
            let rope = Rope::from_str(&text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let found = position_of(&rope, offset);
                prop_assert_eq!(found, naive_position(&text, offset));
                let back = bytes_of(&rope, lsp::Range { start: found, end: found });
                let is_inside_crlf = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                let expected = if is_inside_crlf { offset - 1 } else { offset };
                prop_assert_eq!(back, expected..expected);
            }
        }
    }
}
