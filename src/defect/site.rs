//! The text around an error, and the tokens in it.

use std::ops::Range;

use super::REACH;
use crate::{
    repair::{Report, Rule, Text, Treatment, is_blank},
    wording::quoted,
};

/// So many comments in a row are passed over.
const MOST_COMMENTS: usize = 64;
/// More of a token is not quoted anyway. Bytes.
const LONGEST_SHOWN: usize = 160;

/// The text around an error, as far as anybody looks.
///
/// Offsets are in [`Site::bytes`]; [`Site::place`] makes them those of the
/// source.
pub(super) struct Site<'report> {
    pub(super) report: &'report Report,
    pub(super) bytes: Vec<u8>,
    /// Where in the source `bytes` begin.
    base: usize,
    /// Where the error is.
    pub(super) at: usize,
    /// Whether `bytes` reach the end of the candidate.
    pub(super) has_end: bool,
}

impl<'report> Site<'report> {
    /// The surroundings of the byte at `at` of the source.
    pub(super) fn new(text: &(impl Text + ?Sized), report: &'report Report, at: usize) -> Site<'report> {
        let base = at.saturating_sub(REACH);
        let end = at.saturating_add(REACH).min(report.candidate_len());
        let bytes = text.pieces(base..end).flatten().copied().collect();
        Site { report, bytes, base, at: at - base, has_end: end == report.candidate_len() }
    }

    /// A range of `bytes` as one of the source.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        self.base + range.start..self.base + range.end
    }

    /// An offset of the source as one of `bytes`.
    pub(super) fn local(&self, offset: usize) -> Option<usize> {
        offset.checked_sub(self.base).filter(|local| *local <= self.bytes.len())
    }

    /// Whether `bytes` begin where the text does.
    pub(super) fn has_start(&self) -> bool {
        self.base == 0
    }

    /// The byte at `at`.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The character at `at`.
    pub(super) fn character(&self, at: usize) -> Option<char> {
        let end = self.bytes.len().min(at + 4);
        String::from_utf8_lossy(self.bytes.get(at..end)?).chars().next()
    }

    /// What stands in `range`.
    pub(super) fn string(&self, range: Range<usize>) -> String {
        String::from_utf8_lossy(&self.bytes[range]).into_owned()
    }

    /// The same, in backticks and no longer than can be read.
    pub(super) fn shown(&self, range: Range<usize>) -> String {
        quoted(&self.string(range.start..range.end.min(range.start + LONGEST_SHOWN)))
    }

    /// Whether `prefix` stands at `at`.
    pub(super) fn starts_with(&self, at: usize, prefix: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    /// Whether comments are passed over: they are removed, or allowed.
    pub(super) fn has_comments(&self) -> bool {
        self.report.policy().treatment(Rule::RemoveComments) != Treatment::Off
    }

    /// The token that ends before `end`, blanks and comments aside. `end` is
    /// not in a string.
    pub(super) fn token_before(&self, end: usize) -> Option<Range<usize>> {
        let mut end = end;
        for _ in 0..MOST_COMMENTS {
            end -= self.bytes[..end].iter().rev().take_while(|byte| is_blank(**byte)).count();
            match self.skipped_before(end) {
                Some(start) => end = start,
                None => return self.token_ending_at(end),
            }
        }
        None
    }

    fn token_ending_at(&self, end: usize) -> Option<Range<usize>> {
        let before = &self.bytes[..end];
        match before.last()? {
            b'"' => {
                let quotes = before[..end - 1].iter().enumerate().rev().filter(|(_, byte)| **byte == b'"');
                let mut starts = quotes.map(|(at, _)| at).filter(|at| !self.is_escaped(*at));
                Some(starts.next()?..end)
            }
            byte if is_delimiter(*byte) => Some(end - 1..end),
            _ => Some(self.word_start(end)..end),
        }
    }

    /// Whether an odd number of backslashes stands before `at`.
    pub(super) fn is_escaped(&self, at: usize) -> bool {
        self.bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    }

    /// Where the run of characters begins that ends at `end` and has no
    /// delimiter in it, nor the end of a comment.
    fn word_start(&self, end: usize) -> usize {
        let mut start = end;
        while start > 0 && !is_delimiter(self.bytes[start - 1]) {
            if self.has_comments() && self.bytes[..start].ends_with(b"*/") {
                break;
            }
            start -= 1;
        }
        start
    }

    /// The run of characters without a delimiter that `at` is in, or at the
    /// end of, comments behind it aside.
    pub(super) fn word_at(&self, at: usize) -> Range<usize> {
        let mut at = at;
        if self.byte(at).is_none_or(is_delimiter) {
            for _ in 0..MOST_COMMENTS {
                let Some(start) = self.skipped_before(at) else { break };
                at = start;
            }
        }
        let mut end = at;
        while end < self.bytes.len() && !is_delimiter(self.bytes[end]) && !self.begins_comment(end) {
            end += 1;
        }
        self.word_start(at)..end
    }

    /// The token that begins at `at`.
    pub(super) fn token_at(&self, at: usize) -> Range<usize> {
        match self.byte(at) {
            None => at..at,
            Some(b'"') => {
                let closing = (at + 1..self.bytes.len())
                    .take_while(|at| !is_line_break(self.bytes[*at]))
                    .find(|at| self.bytes[*at] == b'"' && !self.is_escaped(*at));
                at..closing.map_or_else(|| self.line_end(at), |closing| closing + 1)
            }
            Some(byte) if is_delimiter(byte) => at..at + 1,
            Some(_) => at..self.word_at(at).end,
        }
    }

    /// The first place from `at` on with neither a blank nor a comment.
    pub(super) fn after_blanks(&self, at: usize) -> usize {
        let mut at = at;
        for _ in 0..MOST_COMMENTS {
            at += self.bytes[at..].iter().take_while(|byte| is_blank(**byte)).count();
            if !self.begins_comment(at) {
                break;
            }
            at = if self.starts_with(at, "//") {
                self.line_end(at)
            } else {
                find(&self.bytes, at + 2, b"*/").map_or(self.bytes.len(), |end| end + 2)
            };
        }
        at
    }

    /// Where the line ends that `at` is in.
    pub(super) fn line_end(&self, at: usize) -> usize {
        at + self.bytes[at..].iter().take_while(|byte| !is_line_break(**byte)).count()
    }

    /// Where the line begins that `at` is in.
    pub(super) fn line_start(&self, at: usize) -> usize {
        at - self.bytes[..at].iter().rev().take_while(|byte| !is_line_break(**byte)).count()
    }

    fn begins_comment(&self, at: usize) -> bool {
        self.has_comments() && (self.starts_with(at, "//") || self.starts_with(at, "/*"))
    }

    /// Where what ends at `end` begins, if it is deleted or an allowed comment.
    fn skipped_before(&self, end: usize) -> Option<usize> {
        if !self.report.policy().allows_comments() {
            let end = self.base + end;
            let mut deletions = self.report.deletions_touching(end..end);
            // The blanks at the end of a line comment are part of it.
            let deletion = deletions.find(|edit| edit.range.start < end && end <= edit.range.end)?;
            // One that begins out of reach leaves nothing to be seen.
            return Some(deletion.range.start.saturating_sub(self.base));
        }
        let before = &self.bytes[..end];
        if before.ends_with(b"*/") {
            return before[..end - 2].windows(2).rposition(|pair| pair == b"/*");
        }
        let mut at = self.line_start(end);
        let mut is_in_string = false;
        while at < end {
            match self.bytes[at] {
                b'"' => is_in_string = !is_in_string,
                b'\\' if is_in_string => at += 1,
                b'/' if !is_in_string && self.starts_with(at, "//") => return Some(at),
                b'/' if !is_in_string && self.starts_with(at, "/*") => {
                    at = find(&self.bytes, at + 2, b"*/")? + 1;
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

pub(super) fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Where `wanted` stands in `bytes`, from `from` on.
pub(super) fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let found = bytes.get(from..)?.windows(wanted.len()).position(|window| window == wanted)?;
    Some(from + found)
}

/// Whether a byte ends a token that is neither a bracket nor a string, or is
/// one of those.
pub(crate) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"') || is_blank(byte)
}
