//! The tokens of any text, by the lexical rules of the scan.
//!
//! For those who ask what stands in a text rather than what is wrong with it:
//! [`crate::structure`] and [`crate::layout`].
//! [`super::scan`] reads bytes and can be stopped at any of them; this reads
//! tokens. What is a string, a comment or a bracket to one is so to the other,
//! which the tests hold against [`super::Report`].

use std::ops::Range;

use super::{
    grammar::{Bracket, is_blank},
    rules::{Policy, Rule, Treatment},
    text::Text,
};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Opener(Bracket),
    Closer(Bracket),
    Comma,
    Colon,
    /// With its quotes; one that the text ends in has no closing one.
    String {
        is_closed: bool,
    },
    /// A run of anything else: a number, a literal, or what is no JSON.
    Word,
    LineComment,
    /// One that the text ends in has no `*/`.
    BlockComment,
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// In bytes of the text.
    pub(crate) range: Range<usize>,
    /// The line on which it begins. Lines end with LF, CR or CRLF.
    pub(crate) first_line: usize,
    /// The line on which it ends.
    pub(crate) last_line: usize,
}

/// Reads the tokens of a part of a text, one after another.
pub(crate) struct Tokens<'text, P> {
    reads_comments: bool,
    pieces: P,
    /// The piece that is being read, and where in the text it begins.
    piece: &'text [u8],
    piece_start: usize,
    /// How much of the piece was read.
    read: usize,
    line: usize,
    /// Where the last CR ended: an LF there ends the same line.
    cr_end: usize,
    /// The `/` before the next byte begins a comment.
    is_behind_slash: bool,
}

/// The tokens of `range` of `text`, on lines counted from its beginning.
/// Comments are read unless `policy` knows none. Linear.
pub(crate) fn tokens<'text>(
    text: &'text (impl Text + ?Sized),
    range: Range<usize>,
    policy: Policy,
) -> Tokens<'text, impl Iterator<Item = &'text [u8]>> {
    Tokens {
        reads_comments: policy.treatment(Rule::RemoveComments) != Treatment::Off,
        piece_start: range.start,
        pieces: text.pieces(range),
        piece: &[],
        read: 0,
        line: 0,
        cr_end: usize::MAX,
        is_behind_slash: false,
    }
}

impl<'text, P: Iterator<Item = &'text [u8]>> Iterator for Tokens<'text, P> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.pass_blanks();
        let (start, first_line) = (self.offset() - usize::from(self.is_behind_slash), self.line);
        let kind = if std::mem::take(&mut self.is_behind_slash) {
            self.comment()
        } else {
            let byte = self.peek()?;
            self.pass(byte);
            match byte {
                b'{' => TokenKind::Opener(Bracket::Object),
                b'[' => TokenKind::Opener(Bracket::Array),
                b'}' => TokenKind::Closer(Bracket::Object),
                b']' => TokenKind::Closer(Bracket::Array),
                b',' => TokenKind::Comma,
                b':' => TokenKind::Colon,
                b'"' => self.string(),
                b'/' if self.begins_comment() => self.comment(),
                _ => self.word(),
            }
        };
        let end = self.offset() - usize::from(self.is_behind_slash);
        Some(Token { kind, range: start..end, first_line, last_line: self.line })
    }
}

impl<'text, P: Iterator<Item = &'text [u8]>> Tokens<'text, P> {
    /// Where in the text the next byte stands.
    pub(crate) fn offset(&self) -> usize {
        self.piece_start + self.read
    }

    /// The line on which the next byte stands.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    fn pass_blanks(&mut self) {
        loop {
            self.pass_while(|byte| byte == b' ' || byte == b'\t');
            match self.peek() {
                Some(byte @ (b'\n' | b'\r')) => self.pass(byte),
                _ => return,
            }
        }
    }

    /// Behind a quote.
    fn string(&mut self) -> TokenKind {
        loop {
            self.pass_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n' | b'\r'));
            let Some(byte) = self.peek() else { return TokenKind::String { is_closed: false } };
            self.pass(byte);
            match byte {
                b'"' => return TokenKind::String { is_closed: true },
                b'\\' => {
                    // Whatever else belongs to the escape is ordinary bytes.
                    if let Some(escaped) = self.peek() {
                        self.pass(escaped);
                    }
                }
                _ => {}
            }
        }
    }

    /// Behind the first byte of a word.
    fn word(&mut self) -> TokenKind {
        loop {
            self.pass_while(|byte| WORD[usize::from(byte)]);
            if self.peek() != Some(b'/') {
                return TokenKind::Word;
            }
            self.pass(b'/');
            if self.begins_comment() {
                self.is_behind_slash = true;
                return TokenKind::Word;
            }
        }
    }

    /// Whether the `/` before the next byte begins a comment.
    fn begins_comment(&mut self) -> bool {
        self.reads_comments && matches!(self.peek(), Some(b'/' | b'*'))
    }

    /// Behind the first `/` of a comment.
    fn comment(&mut self) -> TokenKind {
        if self.peek() == Some(b'/') {
            self.pass_while(|byte| byte != b'\n' && byte != b'\r');
            return TokenKind::LineComment;
        }
        self.pass(b'*');
        loop {
            self.pass_while(|byte| !matches!(byte, b'*' | b'\n' | b'\r'));
            let Some(byte) = self.peek() else { return TokenKind::BlockComment };
            self.pass(byte);
            if byte == b'*' && self.peek() == Some(b'/') {
                self.pass(b'/');
                return TokenKind::BlockComment;
            }
        }
    }

    fn peek(&mut self) -> Option<u8> {
        while self.read == self.piece.len() {
            self.load()?;
        }
        Some(self.piece[self.read])
    }

    /// Passes the byte that was peeked at.
    fn pass(&mut self, byte: u8) {
        let offset = self.offset();
        self.read += 1;
        match byte {
            b'\r' => {
                self.line += 1;
                self.cr_end = offset + 1;
            }
            b'\n' if self.cr_end != offset => self.line += 1,
            _ => {}
        }
    }

    /// Passes bytes that end no line.
    fn pass_while(&mut self, is_passed: impl Fn(u8) -> bool) {
        loop {
            let rest = &self.piece[self.read..];
            if let Some(passed) = rest.iter().position(|byte| !is_passed(*byte)) {
                self.read += passed;
                return;
            }
            self.read = self.piece.len();
            if self.load().is_none() {
                return;
            }
        }
    }

    /// Goes on to the next piece.
    fn load(&mut self) -> Option<()> {
        let piece = self.pieces.next()?;
        self.piece_start += self.piece.len();
        self.piece = piece;
        self.read = 0;
        Some(())
    }
}

/// The bytes that go on with a word, whatever follows them.
const WORD: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_delimiter = matches!(byte as u8, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b'/');
        table[byte] = !is_delimiter && !is_blank(byte as u8);
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::repair::{Opener, Report, RuleSet};

    /// A text in pieces of one length.
    struct Pieces<'text>(&'text str, usize);

    impl Text for Pieces<'_> {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
            self.0.as_bytes()[range].chunks(self.1)
        }

        fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8> {
            self.0.bytes_before(end)
        }

        fn line_ending(&self) -> &'static str {
            self.0.line_ending()
        }
    }

    fn tokens_of(text: &str, policy: Policy) -> Vec<Token> {
        tokens(text, 0..text.len(), policy).collect()
    }

    fn written(text: &str, policy: Policy) -> Vec<(TokenKind, &str)> {
        tokens_of(text, policy).into_iter().map(|token| (token.kind, &text[token.range])).collect()
    }

    #[test]
    fn tokens_are_what_they_look_like() {
        use TokenKind::*;
        let closed = String { is_closed: true };
        let found = written("{\"a\\\"\": [-1.5e3, true]} // b\n/*/ c */", Policy::fix(RuleSet::ALL));
        let expected = [
            (Opener(Bracket::Object), "{"),
            (closed, "\"a\\\"\""),
            (Colon, ":"),
            (Opener(Bracket::Array), "["),
            (Word, "-1.5e3"),
            (Comma, ","),
            (Word, "true"),
            (Closer(Bracket::Array), "]"),
            (Closer(Bracket::Object), "}"),
            (LineComment, "// b"),
            (BlockComment, "/*/ c */"),
        ];
        assert_eq!(found, expected);
        assert_eq!(written("\"\\u\"x", Policy::fix(RuleSet::ALL)), [(closed, "\"\\u\""), (Word, "x")]);
        assert_eq!(written("\"\\", Policy::fix(RuleSet::ALL)), [(String { is_closed: false }, "\"\\")]);
    }

    #[test]
    fn a_slash_is_a_comment_only_where_there_are_comments() {
        use TokenKind::*;
        let text = "a/b//c\nd/";
        let fixing = [(Word, "a/b"), (LineComment, "//c"), (Word, "d/")];
        assert_eq!(written(text, Policy::fix(RuleSet::ALL)), fixing);
        assert_eq!(written(text, Policy::allow_comments(RuleSet::NONE)), fixing);
        assert_eq!(written(text, Policy::fix(RuleSet::NONE)), [(Word, "a/b//c"), (Word, "d/")]);
    }

    #[test]
    fn lines_end_with_lf_cr_and_crlf() {
        let tokens = tokens_of("1\n2\r3\r\n4\n\r5 /*\r\n\r*/ \"\n\u{2028}\r\" 6", Policy::fix(RuleSet::ALL));
        let lines: Vec<_> = tokens.iter().map(|token| (token.first_line, token.last_line)).collect();
        assert_eq!(lines, [(0, 0), (1, 1), (2, 2), (3, 3), (5, 5), (5, 7), (7, 9), (9, 9)]);
    }

    fn policy() -> impl Strategy<Value = Policy> {
        prop_oneof![
            3 => Just(Policy::fix(RuleSet::ALL)),
            1 => Just(Policy::allow_comments(RuleSet::ALL)),
            1 => Just(Policy::fix(RuleSet::NONE)),
        ]
    }

    const BROKEN: &str =
        r#"([{}\[\],:"/*\\ \n\r]|//|/\*|\*/|"a"|\\u00e9|\\u12|12|true|é|😀|\{"k":|\[1,|, *\}|, *\]){0,60}"#;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        /// The report knows comments by their deletion, trailing commas too,
        /// and what is open at the end.
        #[test]
        fn the_scan_sees_the_same(text in BROKEN) {
            let policy = Policy::fix(RuleSet::ALL);
            let report = Report::of_text(&text, policy);
            let tokens = tokens_of(&text, policy);
            let ranges = |rule| report.deletions().filter(move |edit| edit.rule == rule).map(|edit| edit.range);
            let is_comment =
                |token: &&Token| matches!(token.kind, TokenKind::LineComment | TokenKind::BlockComment);
            let comments = tokens.iter().filter(is_comment).map(|token| token.range.clone());
            prop_assert!(comments.eq(ranges(Rule::RemoveComments)));

            let mut open: Vec<Opener> = Vec::new();
            let mut mismatch = None;
            let mut trailing = Vec::new();
            let mut last: Option<&Token> = None;
            for token in tokens.iter().filter(|token| !is_comment(token)) {
                match token.kind {
                    TokenKind::Opener(bracket) => open.push(Opener { offset: token.range.start, bracket }),
                    TokenKind::Closer(bracket) => {
                        trailing.extend(last.filter(|last| last.kind == TokenKind::Comma));
                        if open.pop_if(|opener| opener.bracket == bracket).is_none() {
                            mismatch = mismatch.or(Some(token.range.start));
                        }
                    }
                    _ => {}
                }
                last = Some(token);
            }
            prop_assert_eq!(report.mismatch().map(|mismatch| mismatch.closer), mismatch);
            let open_string = tokens.last().filter(|token| token.kind == TokenKind::String { is_closed: false });
            prop_assert_eq!(report.open_string(), open_string.map(|token| token.range.start));
            if mismatch.is_none() {
                prop_assert!(report.open_brackets().eq(open.iter().rev().copied()));
                if !open.is_empty() && report.closing_edit().is_some() {
                    trailing.extend(last.filter(|last| last.kind == TokenKind::Comma));
                }
            }
            let trailing = trailing.into_iter().map(|token| token.range.clone());
            prop_assert!(trailing.eq(ranges(Rule::RemoveTrailingCommas)));
        }

        #[test]
        fn tokens_are_disjoint_and_leave_blanks_out(text in BROKEN, policy in policy()) {
            let mut end = 0;
            for token in tokens_of(&text, policy) {
                prop_assert!(text[end..token.range.start].bytes().all(is_blank));
                prop_assert!(token.range.start < token.range.end);
                end = token.range.end;
            }
            prop_assert!(text[end..].bytes().all(is_blank));
        }

        #[test]
        fn pieces_make_no_difference(text in BROKEN, policy in policy(), length in 1_usize..5) {
            let pieces = Pieces(&text, length);
            let found: Vec<Token> = tokens(&pieces, 0..text.len(), policy).collect();
            prop_assert_eq!(found, tokens_of(&text, policy));
        }
    }
}
