//! Places of a text as people name them, and the part of a line beside one.
//!
//! A line ends with LF, CRLF or CR, as it does in an editor; one of JSON Lines
//! ends with LF alone. A column counts characters. Both begin with 1.

use std::ops::Range;

/// Where a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The positions of some bytes of a text.
#[derive(Debug)]
pub(super) struct Positions(Vec<(usize, Position)>);

impl Positions {
    /// Finds the bytes at `offsets`. One pass, however many they are.
    ///
    /// `only_line` is the number of the one line that the text is, where it is
    /// one of JSON Lines: a CR in it ends nothing.
    pub(super) fn find(text: &str, mut offsets: Vec<usize>, only_line: Option<usize>) -> Positions {
        offsets.sort_unstable();
        offsets.dedup();
        let bytes = text.as_bytes();
        let (mut line, mut column, mut at) = (only_line.unwrap_or(1), 1, 0);
        let mut positions = Vec::with_capacity(offsets.len());
        for offset in offsets {
            for byte in &bytes[at..offset] {
                at += 1;
                match byte {
                    b'\r' if bytes.get(at) == Some(&b'\n') => column += 1,
                    b'\n' | b'\r' if only_line.is_none() => (line, column) = (line + 1, 1),
                    // Every byte of a character but its first.
                    0x80..0xC0 => {}
                    _ => column += 1,
                }
            }
            positions.push((offset, Position { line, column }));
        }
        Positions(positions)
    }

    /// Where the byte at `offset` stands, which is one of those asked for.
    pub(super) fn of(&self, offset: usize) -> Position {
        match self.0.binary_search_by_key(&offset, |(offset, _)| *offset) {
            Ok(index) => self.0[index].1,
            Err(_) => Position { line: 1, column: 1 },
        }
    }
}

/// As much of a line as is shown.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The text to show: an ellipsis where the line is cut, and nothing that a
    /// terminal obeys or that cannot be pointed at.
    pub(super) shown: String,
    /// The bytes of the text that are shown.
    source: Range<usize>,
    is_cut: [bool; 2],
}

/// Stands for what is cut off.
const ELLIPSIS: char = '…';

impl Excerpt {
    /// The part around `range` of the line that it begins in, about `width`
    /// columns of it. Does not look at more of the text than that.
    pub(super) fn around(text: &str, range: &Range<usize>, width: usize) -> Excerpt {
        let behind = &text[range.start..];
        let (_, used) = fitting(behind.chars(), width / 2);
        let before = text[..range.start].chars().rev();
        let (before, used) = fitting(before, width - used);
        let (length, _) = fitting(behind.chars(), width - used);
        let source = range.start - before..range.start + length;
        let is_break = |character: char| matches!(character, '\n' | '\r');
        let is_cut = [
            text[..source.start].chars().next_back().is_some_and(|character| !is_break(character)),
            text[source.end..].chars().next().is_some_and(|character| !is_break(character)),
        ];
        let mut shown = String::new();
        shown.extend(is_cut[0].then_some(ELLIPSIS));
        shown.extend(text[source.clone()].chars().map(visible));
        shown.extend(is_cut[1].then_some(ELLIPSIS));
        Excerpt { shown, source, is_cut }
    }

    /// Whether the byte at `offset` of the text is shown.
    pub(super) fn holds(&self, offset: usize) -> bool {
        self.source.contains(&offset)
    }

    /// Where in `shown` the byte at `offset` of `text` stands, or the end of it
    /// that is nearer.
    pub(super) fn offset_in_shown(&self, text: &str, offset: usize) -> usize {
        let offset = offset.clamp(self.source.start, self.source.end);
        let before = text[self.source.start..offset].chars().map(|character| visible(character).len_utf8());
        usize::from(self.is_cut[0]) * ELLIPSIS.len_utf8() + before.sum::<usize>()
    }

    /// Where the next line begins, if that can be told.
    pub(super) fn next_line(&self, text: &str) -> Option<usize> {
        let rest = &text[self.source.end..];
        let line_break = ["\r\n", "\n", "\r"].into_iter().find(|line_break| rest.starts_with(line_break))?;
        Some(self.source.end + line_break.len())
    }
}

/// How many bytes of `characters` fit into `width` columns, up to the end of
/// their line, and how many columns these take.
fn fitting(characters: impl Iterator<Item = char>, width: usize) -> (usize, usize) {
    let (mut length, mut used) = (0, 0);
    for character in characters {
        // Where it matters how wide a character is, it is better thought wide.
        let columns = match character {
            '\n' | '\r' => break,
            '\t' => 4,
            ascii if ascii.is_ascii() => 1,
            _ => 2,
        };
        if used + columns > width {
            break;
        }
        used += columns;
        length += character.len_utf8();
    }
    (length, used)
}

/// The character that stands for `character` in a report. The renderer knows
/// pictures of the ASCII control characters; these are the others.
fn visible(character: char) -> char {
    if character.is_control() && !character.is_ascii() { char::REPLACEMENT_CHARACTER } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_crlf_or_cr_and_columns_count_characters() {
        let text = "é😀x\r\ny\rz\n\n";
        let places: Vec<(usize, usize)> = text
            .char_indices()
            .map(|(offset, _)| offset)
            .chain([text.len()])
            .map(|offset| {
                let Position { line, column } = Positions::find(text, vec![offset], None).of(offset);
                (line, column)
            })
            .collect();
        let expected =
            [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (5, 1)];
        assert_eq!(places, expected);
        let together = Positions::find(text, vec![text.len(), 0, 8, 8], None);
        assert_eq!(together.of(8), Position { line: 1, column: 5 });
        assert_eq!(together.of(text.len()), Position { line: 5, column: 1 });
        let one_line = Positions::find("é\rx\r", vec![0, 3, 5], Some(7));
        assert_eq!(
            [0, 3, 5].map(|offset| one_line.of(offset)),
            [1, 3, 5].map(|column| Position { line: 7, column })
        );
    }

    #[test]
    fn an_excerpt_holds_the_place_and_says_where_it_is_cut() {
        let long = "0123456789".repeat(3);
        for (text, at, width, expected, marked) in [
            ("", 0, 10, "", ""),
            ("a\nbc\nd", 2, 10, "bc", "b"),
            ("a\r\nbc\r\nd", 5, 10, "bc", ""),
            (&long, 0, 10, "0123456789…", "0"),
            (&long, 15, 10, "…0123456789…", "5"),
            (&long, 29, 10, "…0123456789", "9"),
            ("日本語日本語", 9, 4, "…語日…", "日"),
            ("\u{9b}x", 2, 4, "\u{fffd}x", "x"),
        ] {
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            let excerpt = Excerpt::around(text, &(at..end), width);
            assert_eq!(excerpt.shown, expected, "{text:?} {at}");
            let range = excerpt.offset_in_shown(text, at)..excerpt.offset_in_shown(text, end);
            let found = &excerpt.shown[range];
            assert!(found == marked || marked.is_empty(), "{text:?} {at}: {found:?}");
        }
    }
}
