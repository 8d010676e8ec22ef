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

/// Turns offsets into positions one after another, faster than each by itself
/// where they are close together: it counts on from the last one.
pub struct Positions<'rope> {
    rope: &'rope Rope,
    /// The chunk of the rope that was looked at last, and where it starts.
    chunk: &'rope str,
    chunk_start: usize,
    /// The last offset, and its position.
    offset: usize,
    position: lsp::Position,
}

impl<'rope> Positions<'rope> {
    /// At the beginning of a document.
    pub fn new(rope: &'rope Rope) -> Positions<'rope> {
        Positions { rope, chunk: "", chunk_start: 0, offset: 0, position: lsp::Position::new(0, 0) }
    }

    /// The position of the byte `offset`, as [`position_of`] has it.
    pub fn of(&mut self, offset: usize) -> lsp::Position {
        /// So far it is worth while to count.
        const NEAR: usize = 4096;

        let is_near = (self.offset..self.offset + NEAR).contains(&offset) && offset <= self.rope.len_bytes();
        if !is_near || self.is_inside_crlf(offset) || !self.count_to(offset) {
            self.offset = offset.min(self.rope.len_bytes());
            self.position = position_of(self.rope, offset);
            if self.is_inside_crlf(self.offset) {
                // No place to count on from.
                let position = self.position;
                self.offset -= 1;
                return position;
            }
        }
        self.position
    }

    /// The range of the bytes `range`, as [`range_of`] has it.
    pub fn range_of(&mut self, range: Range<usize>) -> lsp::Range {
        let start = self.of(range.start);
        let end = if range.is_empty() { start } else { self.of(range.end) };
        lsp::Range { start, end }
    }

    /// Counts on to `offset`; `false` if that cuts a character.
    fn count_to(&mut self, offset: usize) -> bool {
        let mut is_after_cr = self.offset > 0 && self.byte(self.offset - 1) == b'\r';
        while self.offset < offset {
            self.load(self.offset);
            let end = offset.min(self.chunk_start + self.chunk.len());
            let Some(counted) = self.chunk.get(self.offset - self.chunk_start..end - self.chunk_start) else {
                return false;
            };
            for byte in counted.bytes() {
                match byte {
                    b'\n' if is_after_cr => {}
                    b'\n' | b'\r' => self.position = lsp::Position::new(self.position.line + 1, 0),
                    _ => {
                        let is_first = byte & 0xC0 != 0x80;
                        self.position.character += u32::from(is_first) + u32::from(byte >= 0xF0);
                    }
                }
                is_after_cr = byte == b'\r';
            }
            self.offset = end;
        }
        true
    }

    fn is_inside_crlf(&mut self, offset: usize) -> bool {
        offset > 0
            && offset < self.rope.len_bytes()
            && self.byte(offset) == b'\n'
            && self.byte(offset - 1) == b'\r'
    }

    fn byte(&mut self, offset: usize) -> u8 {
        self.load(offset);
        self.chunk.as_bytes()[offset - self.chunk_start]
    }

    /// Looks at the chunk that holds `offset`, which is not the end.
    fn load(&mut self, offset: usize) {
        if !(self.chunk_start..self.chunk_start + self.chunk.len()).contains(&offset) {
            (self.chunk, self.chunk_start, ..) = self.rope.chunk_at_byte(offset);
        }
    }
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
        fn counting_on_comes_to_the_same(
            text in "([ab]{0,9}|\n|\r|\r\n|é|😀|\u{2028}|x{700}){0,60}",
            offsets in proptest::collection::vec(any::<proptest::sample::Index>(), 1..30),
            is_sorted in any::<bool>(),
        ) {
            let rope = Rope::from_str(&text);
            let mut offsets: Vec<usize> = offsets.iter().map(|offset| offset.index(text.len() + 2)).collect();
            if is_sorted {
                offsets.sort_unstable();
            }
            let mut positions = Positions::new(&rope);
            for offset in offsets {
                prop_assert_eq!(positions.of(offset), position_of(&rope, offset), "{}", offset);
            }
        }

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
