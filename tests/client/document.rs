//! The client's own model of a document, in UTF-16 code units as editors keep
//! it, and its own edit applier.
//!
//! **Nothing here is shared with the server**: what positions mean is written
//! down a second time, from the protocol's text.

use serde_json::{Value, json};

/// A place in a document as the protocol speaks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    /// UTF-16 code units from the beginning of the line.
    pub character: u32,
}

/// From one place to another; written `0:2-0:3` in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

impl Position {
    pub const fn new(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    /// Reads `line:character`.
    #[track_caller]
    pub fn parse(text: &str) -> Position {
        let (line, character) = text.split_once(':').expect("a position is written line:character");
        let number = |digits: &str| digits.parse().expect("a position is made of numbers");
        Position { line: number(line), character: number(character) }
    }

    #[track_caller]
    pub fn from_json(value: &Value) -> Position {
        let number = |key: &str| {
            let number = value[key].as_u64().unwrap_or_else(|| panic!("no `{key}` in the position {value}"));
            u32::try_from(number).expect("a uinteger of the protocol")
        };
        Position { line: number("line"), character: number("character") }
    }

    pub fn to_json(self) -> Value {
        json!({"line": self.line, "character": self.character})
    }
}

impl Range {
    /// Reads `line:character-line:character`, or one position for the empty
    /// range there.
    #[track_caller]
    pub fn parse(text: &str) -> Range {
        let (start, end) = text.split_once('-').unwrap_or((text, text));
        Range { start: Position::parse(start), end: Position::parse(end) }
    }

    #[track_caller]
    pub fn from_json(value: &Value) -> Range {
        Range { start: Position::from_json(&value["start"]), end: Position::from_json(&value["end"]) }
    }

    pub fn to_json(self) -> Value {
        json!({"start": self.start.to_json(), "end": self.end.to_json()})
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Range { start, end } = self;
        write!(f, "{}:{}-{}:{}", start.line, start.character, end.line, end.character)
    }
}

/// One element of `contentChanges`.
#[derive(Clone, Debug)]
pub struct Change {
    /// `None` for the whole document.
    pub range: Option<Range>,
    pub text: String,
}

impl Change {
    /// Replaces a range, written as in [`Range::parse`].
    #[track_caller]
    pub fn replace(range: &str, text: &str) -> Change {
        Change { range: Some(Range::parse(range)), text: text.to_owned() }
    }

    /// Replaces the whole document.
    pub fn full(text: &str) -> Change {
        Change { range: None, text: text.to_owned() }
    }

    pub fn to_json(&self) -> Value {
        match self.range {
            Some(range) => json!({"range": range.to_json(), "text": self.text}),
            None => json!({"text": self.text}),
        }
    }
}

/// One `TextEdit` of the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range,
    pub new_text: String,
}

impl TextEdit {
    #[track_caller]
    pub fn from_json(value: &Value) -> TextEdit {
        let new_text = value["newText"].as_str().unwrap_or_else(|| panic!("no `newText` in {value}"));
        TextEdit { range: Range::from_json(&value["range"]), new_text: new_text.to_owned() }
    }
}

/// A text in UTF-16 code units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    units: Vec<u16>,
}

impl Text {
    pub fn new(text: &str) -> Text {
        Text { units: text.encode_utf16().collect() }
    }

    /// The text; there are no lone surrogates in it.
    pub fn to_text(&self) -> String {
        String::from_utf16(&self.units).expect("a change leaves no lone surrogate")
    }

    pub fn lines(&self) -> Lines {
        Lines::new(&self.units)
    }

    /// The range from the first character to behind the last one.
    pub fn whole(&self) -> Range {
        let lines = self.lines();
        Range { start: lines.position(0), end: lines.position(self.units.len()) }
    }

    /// Makes one change as a server must understand it: its range clamped and
    /// sorted, and what is left of a surrogate pair that it cuts is U+FFFD.
    pub fn change(&mut self, change: &Change) {
        let Some(range) = change.range else {
            *self = Text::new(&change.text);
            return;
        };
        let lines = self.lines();
        let (from, to) = (lines.offset(range.start), lines.offset(range.end));
        let (start, end) = (from.min(to), from.max(to));
        let inserted: Vec<u16> = change.text.encode_utf16().collect();
        if start == end && inserted.is_empty() {
            // No change at all, not even of a pair that it stands in.
            return;
        }
        if self.is_inside_pair(end) {
            self.units[end] = 0xFFFD;
            if start == end {
                self.units[start - 1] = 0xFFFD;
            }
        }
        if self.is_inside_pair(start) {
            self.units[start - 1] = 0xFFFD;
        }
        self.units.splice(start..end, inserted);
    }

    fn is_inside_pair(&self, offset: usize) -> bool {
        offset > 0
            && (0xD800..0xDC00).contains(&self.units[offset - 1])
            && self.units.get(offset).is_some_and(|unit| (0xDC00..0xE000).contains(unit))
    }

    /// Makes the edits of one answer, all of them on the text as it is.
    ///
    /// Fails the test unless they are what an editor may rely on: sorted,
    /// apart from one another, at places that exist, changing something, and
    /// not the whole document anew.
    #[track_caller]
    pub fn apply(&self, edits: &[TextEdit]) -> Text {
        let lines = self.lines();
        let mut units = Vec::with_capacity(self.units.len());
        let mut kept_from = 0;
        for (index, edit) in edits.iter().enumerate() {
            let [start, end] = [edit.range.start, edit.range.end].map(|position| {
                let offset = lines.offset(position);
                assert_eq!(lines.position(offset), position, "{edit:?} is at a place that does not exist");
                assert!(!self.is_inside_pair(offset), "{edit:?} cuts a surrogate pair");
                offset
            });
            assert!(start <= end, "{edit:?} is reversed");
            assert!(index == 0 || kept_from < start, "{edit:?} is not sorted, or touches the one before it");
            let inserted: Vec<u16> = edit.new_text.encode_utf16().collect();
            assert!(self.units[start..end] != inserted, "{edit:?} changes nothing");
            let is_whole_document = start == 0 && end == self.units.len() && !self.units.is_empty();
            assert!(!is_whole_document || inserted.is_empty(), "{edit:?} replaces the whole document");
            units.extend_from_slice(&self.units[kept_from..start]);
            units.extend_from_slice(&inserted);
            kept_from = end;
        }
        units.extend_from_slice(&self.units[kept_from..]);
        Text { units }
    }

    /// Whether `position` is a place of this text that needs no clamping;
    /// `lines` are the text's own.
    pub fn has(&self, lines: &Lines, position: Position) -> bool {
        let offset = lines.offset(position);
        lines.position(offset) == position && !self.is_inside_pair(offset)
    }
}

/// Where the lines of a text begin and end. LF, CR and CRLF end a line;
/// U+2028, U+0085, VT and FF do not.
pub struct Lines {
    /// Of each line, where it begins and where its terminator does.
    bounds: Vec<(usize, usize)>,
}

impl Lines {
    fn new(units: &[u16]) -> Lines {
        const LF: u16 = 0x0A;
        const CR: u16 = 0x0D;
        let mut bounds = Vec::new();
        let mut start = 0;
        let mut at = 0;
        while at < units.len() {
            let terminator = match (units[at], units.get(at + 1)) {
                (CR, Some(&LF)) => 2,
                (CR | LF, _) => 1,
                _ => 0,
            };
            if terminator > 0 {
                bounds.push((start, at));
                start = at + terminator;
            }
            at += terminator.max(1);
        }
        bounds.push((start, units.len()));
        Lines { bounds }
    }

    /// The offset of a position, clamped: past the end of a line to before its
    /// terminator, past the last line to the end.
    pub fn offset(&self, position: Position) -> usize {
        match self.bounds.get(position.line as usize) {
            Some((start, end)) => (*end).min(start.saturating_add(position.character as usize)),
            None => self.bounds.last().map_or(0, |(_, end)| *end),
        }
    }

    /// The position of an offset; between CR and LF it is before the CR.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.bounds.partition_point(|(start, _)| *start <= offset) - 1;
        let (start, end) = self.bounds[line];
        let number = |count: usize| u32::try_from(count).expect("a uinteger of the protocol");
        Position { line: number(line), character: number(offset.min(end) - start) }
    }
}

mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_what_the_protocol_says() {
        // 0 a | LF      1 LF    2 😀 | CRLF     3 b U+2028 U+0085 | CR    4
        let text = Text::new("a\n\n😀\r\nb\u{2028}\u{85}\r");
        let lines = text.lines();
        for (position, offset, back) in [
            ("0:0", 0, "0:0"),
            ("0:1", 1, "0:1"),
            ("0:9", 1, "0:1"),
            ("1:0", 2, "1:0"),
            ("1:5", 2, "1:0"),
            ("2:0", 3, "2:0"),
            ("2:1", 4, "2:1"),
            ("2:2", 5, "2:2"),
            ("2:3", 5, "2:2"),
            ("3:0", 7, "3:0"),
            ("3:3", 10, "3:3"),
            ("3:4", 10, "3:3"),
            ("4:0", 11, "4:0"),
            ("4:1", 11, "4:0"),
            ("5:0", 11, "4:0"),
            ("4294967295:4294967295", 11, "4:0"),
        ] {
            assert_eq!(lines.offset(Position::parse(position)), offset, "{position}");
            assert_eq!(lines.position(offset), Position::parse(back), "{position}");
        }
        assert_eq!(lines.position(6), Position::parse("2:2"), "between CR and LF");
    }

    #[test]
    fn changes_are_made_as_a_server_must_understand_them() {
        for (before, range, inserted, after) in [
            ("abc", "0:1-0:2", "x", "axc"),
            ("abc", "0:2-0:1", "x", "axc"),
            ("a\r\nb", "0:9-1:0", "", "ab"),
            ("a\r\nb", "1:9-7:0", "c", "a\r\nbc"),
            ("😀", "0:1-0:1", "x", "\u{fffd}x\u{fffd}"),
            ("😀", "0:1-0:1", "", "😀"),
            ("😀", "0:1-0:2", "", "\u{fffd}"),
            ("😀🌍", "0:1-0:3", "x", "\u{fffd}x\u{fffd}"),
            ("😀🌍", "0:1-0:3", "", "\u{fffd}\u{fffd}"),
            ("a😀b", "0:0-0:2", "", "\u{fffd}b"),
        ] {
            let mut text = Text::new(before);
            text.change(&Change::replace(range, inserted));
            assert_eq!(text.to_text(), after, "{before:?} {range} {inserted:?}");
        }
    }
}
