//! A text that is read in pieces: a `str`, the rope of an open document, or a
//! part of either.

use std::ops::Range;

/// A text, by bytes of UTF-8.
///
/// Offsets are in bytes; those behind the end are an error of the caller's.
pub trait Text {
    /// Its length.
    fn len(&self) -> usize;

    /// The bytes of `range`, in pieces.
    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]>;

    /// The bytes before `end`, the last first.
    fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8>;

    /// The line ending that it uses first; LF if it has a single line.
    fn line_ending(&self) -> &'static str;

    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes from `start` on.
    fn bytes_from(&self, start: usize) -> impl Iterator<Item = u8> {
        self.pieces(start..self.len()).flatten().copied()
    }

    /// The bytes of `range` as a string. What is no UTF-8, because `range`
    /// cuts a character, becomes U+FFFD.
    fn string_of(&self, range: Range<usize>) -> String {
        let bytes: Vec<u8> = self.pieces(range).flatten().copied().collect();
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl Text for str {
    fn len(&self) -> usize {
        str::len(self)
    }

    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.as_bytes().pieces(range)
    }

    fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8> {
        self.as_bytes().bytes_before(end)
    }

    fn line_ending(&self) -> &'static str {
        self.as_bytes().line_ending()
    }
}

impl Text for [u8] {
    fn len(&self) -> usize {
        <[u8]>::len(self)
    }

    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&self[range])
    }

    fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8> {
        self[..end].iter().rev().copied()
    }

    fn line_ending(&self) -> &'static str {
        match self.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(at) if self[at..].starts_with(b"\r\n") => "\r\n",
            Some(at) if self[at] == b'\r' => "\r",
            _ => "\n",
        }
    }
}

/// A part of a text, as a text of its own: offsets count from its beginning.
#[derive(Debug)]
pub struct Part<'text, T: ?Sized> {
    text: &'text T,
    range: Range<usize>,
}

impl<'text, T: Text + ?Sized> Part<'text, T> {
    /// The bytes of `range`, which must not cut a character.
    pub fn new(text: &'text T, range: Range<usize>) -> Part<'text, T> {
        Part { text, range }
    }
}

impl<T: Text + ?Sized> Text for Part<'_, T> {
    fn len(&self) -> usize {
        self.range.len()
    }

    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.text.pieces(self.range.start + range.start..self.range.start + range.end)
    }

    fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8> {
        self.text.bytes_before(self.range.start + end).take(end)
    }

    fn line_ending(&self) -> &'static str {
        self.text.line_ending()
    }
}

/// The length of the part of a document that is repaired: all of it but its
/// final line endings.
///
/// Editors add one, and it would end up inside a cut string, with the closers
/// behind it.
pub fn candidate_len(document: &(impl Text + ?Sized)) -> usize {
    let is_line_ending = |byte: &u8| matches!(byte, b'\n' | b'\r');
    document.len() - document.bytes_before(document.len()).take_while(is_line_ending).count()
}
