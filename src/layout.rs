//! Layout: the white space between the tokens of a valid text, and nothing else.
//!
//! A text is tokens and the gaps between them, before the first and behind the
//! last. [`lay_out`] says which white space belongs into each gap and returns
//! edits for what differs. **No token is touched**: numbers, escapes, the order
//! of keys, duplicate keys and comments stay byte for byte as they were
//! written. **Each gap is safe by itself**: whichever of the edits are made, no
//! two tokens join and no `//` comment swallows what stands behind it. So a
//! range is formatted by making only the edits in the gaps that touch it.
//!
//! # The rules
//!
//! - An array or object that stands on one line stays on one if it fits
//!   `line_width` with what stands before it on its line and the comma behind
//!   it; a comment behind it does not count. Inside, it has a blank behind its
//!   opener and before its closer if it had one behind its opener.
//! - All others have each element on a line of its own. Empty ones are `[]` and
//!   `{}`.
//! - `"key": value`, and no blank before a comma or a colon.
//! - A comment stays on the line on which it stands: behind its token, before
//!   it, or on a line of its own. Where elements on one line come to stand on
//!   lines of their own, a comment behind a comma goes with the element behind
//!   it.
//! - Where a line ends, one blank line is kept, except behind an opener and
//!   before a closer.
//! - Every line ends as the document's lines do.
//! - The end of the text and the blanks behind a `//` comment are the client's
//!   to decide, by its [formatting options]; blanks at the end of any other line
//!   go in any case.
//!
//! # How it works
//!
//! Two passes over the tokens, neither recursive. The first measures how wide
//! each array and object would be on one line. The second goes through the gaps
//! in order, knows the column at which it is, and decides at each opener. What
//! it decides depends on the tokens, on which of them shared a line, and on the
//! padding: all of which it leaves as they are. So it is idempotent.
//!
//! [formatting options]: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#formattingOptions

use std::ops::Range;

use crate::repair::{self, Edit, Edits, Policy, RuleSet, TokenKind, is_blank};

/// Indentation grows up to this many levels. It makes the result linear in the
/// text whatever its nesting, and nobody can read beyond.
const MOST_LEVELS: usize = 100;
/// The widest tab stop.
const WIDEST_TAB: usize = 16;

/// How a text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many columns a level of indentation is; 16 at most.
    pub tab_size: usize,
    /// Whether indentation is blanks; otherwise it is tabs.
    pub insert_spaces: bool,
    /// Whether a text without a final line ending gets one.
    pub insert_final_newline: bool,
    /// Whether a text with several final line endings keeps but one.
    pub trim_final_newlines: bool,
    /// Whether the blanks behind a `//` comment go.
    pub trim_trailing_whitespace: bool,
    /// The characters of the longest line that an array or object may stay on.
    pub line_width: usize,
    /// What a line ends with.
    pub line_ending: &'static str,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            tab_size: 2,
            insert_spaces: true,
            insert_final_newline: false,
            trim_final_newlines: false,
            trim_trailing_whitespace: false,
            line_width: 80,
            line_ending: "\n",
        }
    }
}

/// A change of a text: the bytes of `range` give way to `inserted`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that go; empty for an insertion.
    pub range: Range<usize>,
    /// What stands in their place; empty for a deletion.
    pub inserted: String,
}

/// The edits that lay out `text`, which is valid JSON, with comments and
/// trailing commas or without.
///
/// Sorted and disjoint, and none begins or ends with white space that it puts
/// back. White space only, even if `text` is not valid. Linear.
///
/// ```
/// use json_repair_lsp::layout::{Options, lay_out};
///
/// let edits = lay_out("{\"a\":1,\n \"b\":[1,2]}", &Options::default());
/// let inserted: Vec<&str> = edits.iter().map(|edit| edit.inserted.as_str()).collect();
/// // {
/// //   "a": 1,
/// //   "b": [1, 2]
/// // }
/// assert_eq!(["\n  ", " ", " ", " ", " ", "\n"], inserted[..]);
/// ```
pub fn lay_out(text: &str, options: &Options) -> Vec<Replacement> {
    Layout::new(text.as_bytes(), options, 0..text.len()).finish()
}

/// Those edits of [`lay_out`] that are in gaps which touch `range`.
pub fn lay_out_range(text: &str, range: Range<usize>, options: &Options) -> Vec<Replacement> {
    Layout::new(text.as_bytes(), options, range).finish()
}

/// The edits that repair `text` and lay out the result, all of them edits of
/// `text`.
///
/// Sorted, and no two touch. None begins or ends with white space that it puts
/// back.
///
/// # Panics
///
/// When `repair` is not in order, or no repair of `text`.
pub fn repair_and_lay_out(text: &str, repair: Edits, options: &Options) -> Vec<Replacement> {
    let repaired = repair.apply(text);
    let layout = lay_out(&repaired, options);
    compose(text, &repair, &repaired, &layout)
}

/// Two lists of edits, one made after the other, as one.
///
/// `first` are the edits that make `between` of `text`, `second` are edits of
/// `between`. Where they touch, they become one.
fn compose(text: &str, first: &[Edit], between: &str, second: &[Replacement]) -> Vec<Replacement> {
    let mut composed = Vec::new();
    let mut first = first.iter().peekable();
    let mut second = second.iter().peekable();
    // How much the edits of `first` that are behind us have inserted and
    // removed: so places of `between` and of `text` are converted.
    let (mut inserted, mut removed) = (0, 0);
    loop {
        let next_first = first.peek().map(|edit| edit.range.start + inserted - removed);
        let next_second = second.peek().map(|edit| edit.range.start);
        let Some(start) = next_first.into_iter().chain(next_second).min() else { break };
        let text_start = start + removed - inserted;
        let mut end = start;
        let mut replacement = String::new();
        let mut taken_to = start;
        loop {
            if let Some(edit) = first.next_if(|edit| edit.range.start + inserted - removed <= end) {
                end = end.max(edit.range.start + inserted - removed + edit.inserted.len());
                inserted += edit.inserted.len();
                removed += edit.range.len();
            } else if let Some(edit) = second.next_if(|edit| edit.range.start <= end) {
                replacement.push_str(&between[taken_to..edit.range.start]);
                replacement.push_str(&edit.inserted);
                taken_to = edit.range.end;
                end = end.max(taken_to);
            } else {
                break;
            }
        }
        replacement.push_str(&between[taken_to..end]);
        let range = text_start..end + removed - inserted;
        push_difference(&mut composed, text.as_bytes(), range, &replacement);
    }
    composed
}

/// Adds what replaces the bytes of `range` by `wanted`, but for the white space
/// that both begin or end with. A CRLF is kept as a whole or not at all, since
/// no LSP position is inside of one.
fn push_difference(edits: &mut Vec<Replacement>, text: &[u8], range: Range<usize>, wanted: &str) {
    let (old, new) = (&text[range.clone()], wanted.as_bytes());
    let splits_crlf = |bytes: &[u8], at: usize| {
        at > 0 && bytes[at - 1] == b'\r' && bytes.get(at).is_some_and(|byte| *byte == b'\n')
    };
    let is_same_blank = |(old, new): &(&u8, &u8)| old == new && is_blank(**old);
    let mut prefix = old.iter().zip(new).take_while(is_same_blank).count();
    if splits_crlf(old, prefix) || splits_crlf(new, prefix) {
        prefix -= 1;
    }
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let mut suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(is_same_blank).count();
    if splits_crlf(old_rest, old_rest.len() - suffix) || splits_crlf(new_rest, new_rest.len() - suffix) {
        suffix -= 1;
    }
    let range = range.start + prefix..range.end - suffix;
    let inserted = &wanted[prefix..wanted.len() - suffix];
    if range.is_empty() && inserted.is_empty() {
        return;
    }
    match edits.last_mut() {
        Some(last) if last.range.end == range.start => {
            last.range.end = range.end;
            last.inserted.push_str(inserted);
        }
        _ => edits.push(Replacement { range, inserted: inserted.to_owned() }),
    }
}

/// What a token is to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The start of the text.
    Start,
    Opener,
    Closer,
    Comma,
    Colon,
    /// A string, number or literal.
    Word,
    LineComment,
    BlockComment,
    /// The end of the text.
    End,
}

impl From<TokenKind> for Kind {
    fn from(kind: TokenKind) -> Kind {
        match kind {
            TokenKind::Opener(_) => Kind::Opener,
            TokenKind::Closer(_) => Kind::Closer,
            TokenKind::Comma => Kind::Comma,
            TokenKind::Colon => Kind::Colon,
            TokenKind::String { .. } | TokenKind::Word => Kind::Word,
            TokenKind::LineComment => Kind::LineComment,
            TokenKind::BlockComment => Kind::BlockComment,
        }
    }
}

impl Kind {
    fn is_comment(self) -> bool {
        matches!(self, Kind::LineComment | Kind::BlockComment)
    }
}

/// A token and the gap before it.
#[derive(Clone, Copy, Debug)]
struct Token<'text> {
    kind: Kind,
    /// Where the gap before it starts.
    gap_start: usize,
    gap: &'text [u8],
    /// How often a line ends in the gap.
    breaks: usize,
    text: &'text [u8],
    /// How often a line ends in the text.
    breaks_within: usize,
}

/// The tokens of a text, the last of which is its [`Kind::End`].
fn tokens(text: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut tokens = repair::tokens(text, 0..text.len(), Policy::allow_comments(RuleSet::NONE));
    let (mut gap_start, mut line) = (0, 0);
    let mut is_over = false;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let (kind, range, first_line, last_line) = match tokens.next() {
            Some(repair::Token { kind: TokenKind::LineComment, range, first_line, last_line }) => {
                // The blanks at its end belong to the gap behind it.
                let blanks = text[range.clone()].iter().rev().take_while(|byte| is_blank(**byte));
                (Kind::LineComment, range.start..range.end - blanks.count(), first_line, last_line)
            }
            Some(repair::Token { kind, range, first_line, last_line }) => {
                (Kind::from(kind), range, first_line, last_line)
            }
            None => {
                is_over = true;
                (Kind::End, text.len()..text.len(), tokens.line(), tokens.line())
            }
        };
        let gap = gap_start..range.start;
        let token = Token {
            kind,
            gap_start,
            gap: &text[gap],
            breaks: first_line - line,
            text: &text[range.clone()],
            breaks_within: last_line - first_line,
        };
        (gap_start, line) = (range.end, last_line);
        Some(token)
    })
}

fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// How many characters `text` has.
fn width(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// Whether there is a blank between two tokens of a line. `is_padded`: whether
/// there is one inside the brackets around them.
fn is_spaced(before: Kind, behind: Kind, is_padded: bool) -> bool {
    match (before, behind) {
        (Kind::Start, _) | (_, Kind::Comma | Kind::Colon | Kind::End) | (Kind::Opener, Kind::Closer) => false,
        (Kind::Opener, _) | (_, Kind::Closer) => is_padded,
        _ => true,
    }
}

/// How wide each array and object is on one line, in the order of their
/// openers, the comma behind it included. `None` if it is not on one line.
fn measure(text: &[u8]) -> Vec<Option<usize>> {
    struct Open {
        index: usize,
        width_before: usize,
        breaks_before: usize,
        is_padded: bool,
    }

    let mut widths: Vec<Option<usize>> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let (mut total, mut breaks) = (0, 0);
    let mut previous = Kind::Start;
    let mut just_closed = 0;
    for token in tokens(text) {
        breaks += token.breaks;
        if let (Kind::Opener, Some(innermost)) = (previous, open.last_mut()) {
            innermost.is_padded = !token.gap.is_empty();
        }
        let is_padded = open.last().is_some_and(|open| open.is_padded);
        total += usize::from(is_spaced(previous, token.kind, is_padded));
        let width_before = total;
        total += width(token.text);
        match token.kind {
            Kind::Opener => {
                let index = widths.len();
                open.push(Open { index, width_before, breaks_before: breaks, is_padded: false });
                widths.push(None);
            }
            Kind::Closer => {
                if let Some(closed) = open.pop() {
                    just_closed = closed.index;
                    let is_on_one_line = breaks == closed.breaks_before;
                    widths[closed.index] = is_on_one_line.then_some(total - closed.width_before);
                }
            }
            Kind::Comma if previous == Kind::Closer => {
                if let Some(Some(width)) = widths.get_mut(just_closed) {
                    *width += 1;
                }
            }
            Kind::BlockComment => breaks += token.breaks_within,
            _ => {}
        }
        previous = token.kind;
    }
    widths
}

/// The second pass.
struct Layout<'text> {
    text: &'text [u8],
    options: &'text Options,
    /// Only gaps that touch it are changed.
    range: Range<usize>,
    widths: std::vec::IntoIter<Option<usize>>,
    open: Vec<Open>,
    /// How many of the open ones have their elements on lines of their own.
    level: usize,
    /// The indentation of [`MOST_LEVELS`], all others are the beginning of it.
    deepest_indentation: String,
    level_bytes: usize,
    level_columns: usize,
    /// How wide the current line is so far.
    column: usize,
    /// The token before, be it a comment.
    previous: Kind,
    edits: Vec<Replacement>,
    /// The white space that belongs into the current gap; kept to be used
    /// again.
    wanted: String,
}

/// An array or object that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    is_on_one_line: bool,
    is_padded: bool,
}

impl<'text> Layout<'text> {
    fn new(text: &'text [u8], options: &'text Options, range: Range<usize>) -> Layout<'text> {
        let level_columns = options.tab_size.min(WIDEST_TAB);
        let unit = if options.insert_spaces { " ".repeat(level_columns) } else { "\t".to_owned() };
        Layout {
            text,
            options,
            range,
            widths: measure(text).into_iter(),
            open: Vec::new(),
            level: 0,
            deepest_indentation: unit.repeat(MOST_LEVELS),
            level_bytes: unit.len(),
            level_columns,
            column: 0,
            previous: Kind::Start,
            edits: Vec::new(),
            wanted: String::new(),
        }
    }

    fn finish(mut self) -> Vec<Replacement> {
        let mut run = Vec::new();
        for token in tokens(self.text) {
            run.push(token);
            if !token.kind.is_comment() {
                self.place(&run);
                run.clear();
            }
        }
        self.edits
    }

    /// Places a token and the comments before it, since where a line ends among
    /// them depends on all of them.
    fn place(&mut self, run: &[Token<'text>]) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let (before, behind) = (self.previous, last.kind);
        if let (Kind::Opener, Some(innermost)) = (before, self.open.last_mut()) {
            innermost.is_padded = !innermost.is_on_one_line || !first.gap.is_empty();
        }
        let innermost = self.open.last().copied();
        let is_padded = innermost.is_some_and(|open| open.is_padded);
        let is_empty = (before, first.kind) == (Kind::Opener, Kind::Closer);
        // Whether a line has to end somewhere in the run, and whether one does.
        let must_break = innermost.is_some_and(|open| !open.is_on_one_line)
            && !is_empty
            && (matches!(before, Kind::Opener | Kind::Comma) || behind == Kind::Closer);
        let has_break = run.iter().any(|token| token.breaks > 0);
        for (index, token) in run.iter().enumerate() {
            let is_first = index == 0;
            let is_last = index + 1 == run.len();
            let is_added = must_break
                && match behind {
                    Kind::Closer => is_last || (is_first && before == Kind::Opener && !has_break),
                    _ => is_first && !has_break,
                };
            let is_kept =
                token.breaks > 0 && (must_break || self.previous.is_comment() || token.kind.is_comment());
            self.make_gap(token, is_added || is_kept || self.previous == Kind::LineComment, is_padded);
            self.pass(token);
        }
    }

    /// Makes the gap before `token` what it should be.
    fn make_gap(&mut self, token: &Token<'text>, ends_line: bool, is_padded: bool) {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        let (line_ending, previous) = (self.options.line_ending, self.previous);
        if previous == Kind::LineComment && !self.options.trim_trailing_whitespace {
            let blanks = token.gap.iter().take_while(|byte| !is_line_break(**byte));
            wanted.extend(blanks.map(|byte| char::from(*byte)));
        }
        if token.kind == Kind::End {
            let kept = if self.options.trim_final_newlines { token.breaks.min(1) } else { token.breaks };
            let inserted = usize::from(token.breaks == 0 && self.options.insert_final_newline);
            wanted.extend(std::iter::repeat_n(line_ending, kept + inserted));
        } else if ends_line && previous != Kind::Start {
            let has_blank_line = token.breaks > 1 && previous != Kind::Opener && token.kind != Kind::Closer;
            wanted.extend(std::iter::repeat_n(line_ending, 1 + usize::from(has_blank_line)));
            let level = self.level - usize::from(token.kind == Kind::Closer && self.level > 0);
            let level = level.min(MOST_LEVELS);
            wanted.push_str(&self.deepest_indentation[..level * self.level_bytes]);
            self.column = level * self.level_columns;
        } else if is_spaced(previous, token.kind, is_padded) {
            wanted.push(' ');
            self.column += 1;
        }
        self.replace_gap(token, &wanted);
        self.wanted = wanted;
    }

    /// Replaces the gap before `token`. If a line ends in it, before and after,
    /// what stands before that place is another edit than what stands behind
    /// it, so that the line stays a line.
    fn replace_gap(&mut self, token: &Token<'text>, wanted: &str) {
        let gap = token.gap_start..token.gap_start + token.gap.len();
        let touches_range = gap.start <= self.range.end && self.range.start <= gap.end;
        if !touches_range || token.gap == wanted.as_bytes() {
            return;
        }
        let line_end = |text: &[u8]| text.iter().position(|byte| is_line_break(*byte));
        let (old_end, new_end) = match (line_end(token.gap), line_end(wanted.as_bytes())) {
            (Some(old_end), Some(new_end)) => (old_end, new_end),
            _ => (0, 0),
        };
        let middle = gap.start + old_end;
        push_difference(&mut self.edits, self.text, gap.start..middle, &wanted[..new_end]);
        push_difference(&mut self.edits, self.text, middle..gap.end, &wanted[new_end..]);
    }

    /// Goes past `token`.
    fn pass(&mut self, token: &Token<'text>) {
        match token.kind {
            Kind::Opener => {
                let fits = |width: usize| self.column.saturating_add(width) <= self.options.line_width;
                let width = self.widths.next().flatten();
                let is_around_on_one_line = self.open.last().is_some_and(|open| open.is_on_one_line);
                let is_on_one_line = is_around_on_one_line || width.is_some_and(fits);
                self.open.push(Open { is_on_one_line, is_padded: false });
                self.level += usize::from(!is_on_one_line);
            }
            Kind::Closer => {
                let closed = self.open.pop();
                self.level -= usize::from(closed.is_some_and(|closed| !closed.is_on_one_line));
            }
            _ => {}
        }
        match token.text.iter().rposition(|byte| is_line_break(*byte)) {
            Some(line_end) if token.kind == Kind::BlockComment => {
                self.column = width(&token.text[line_end + 1..]);
            }
            _ => self.column += width(token.text),
        }
        self.previous = token.kind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, edits: &[Replacement]) -> String {
        let mut result = text.to_owned();
        for edit in edits.iter().rev() {
            result.replace_range(edit.range.clone(), &edit.inserted);
        }
        result
    }

    fn check(text: &str, expected: &str) {
        check_with(Options::default(), text, expected);
    }

    fn check_with(options: Options, text: &str, expected: &str) {
        let laid_out = apply(text, &lay_out(text, &options));
        assert_eq!(laid_out, expected, "{text:?}");
        assert_eq!(lay_out(&laid_out, &options), [], "not idempotent: {text:?}");
    }

    #[test]
    fn what_was_on_one_line_stays_on_one_if_it_fits() {
        check("{\"a\":1}", "{\"a\": 1}");
        check("{ \"a\" :1}", "{ \"a\": 1 }");
        check("[1,2 , 3 ]", "[1, 2, 3]");
        check("[\n1,2]", "[\n  1,\n  2\n]");
        check("[[1,2],\n[3]]", "[\n  [1, 2],\n  [3]\n]");
        check("{\"a\":\n{\"b\":[1,\n2]}}", "{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ]\n  }\n}");
    }

    #[test]
    fn the_width_is_that_of_the_whole_line_with_its_comma() {
        let options = Options { line_width: 12, ..Options::default() };
        check_with(options, "[\n\"k\",[1,2,34]]", "[\n  \"k\",\n  [1, 2, 34]\n]");
        check_with(options, "[\n[1,2,34],\"k\"]", "[\n  [\n    1,\n    2,\n    34\n  ],\n  \"k\"\n]");
        check_with(options, "{\n\"k\":[1,2]}", "{\n  \"k\": [\n    1,\n    2\n  ]\n}");
        check_with(options, "[\"äöüß😀äöü\"]", "[\"äöüß😀äöü\"]");
        check_with(options, "[\"äöüß😀äöüß\"]", "[\n  \"äöüß😀äöüß\"\n]");
        // A comment behind it does not count.
        check_with(options, "[1,2] // a long comment", "[1, 2] // a long comment");
    }

    #[test]
    fn empty_ones_are_closed_at_once() {
        check("[ \n ]", "[]");
        check("{\"a\":{ },\"b\":[\n\n]}", "{\n  \"a\": {},\n  \"b\": []\n}");
        check("[ /* none */ ]", "[ /* none */ ]");
        check("[/* none */]", "[/* none */]");
        check("[ // none\n\n]", "[ // none\n]");
        check("{\n\n// none\n\n}", "{\n  // none\n}");
    }

    #[test]
    fn comments_stay_on_their_lines() {
        check(
            "{ // one\n\"a\":1, // two\n// three\n\"b\":2 // four\n}// five",
            "{ // one\n  \"a\": 1, // two\n  // three\n  \"b\": 2 // four\n} // five",
        );
        check("/* a */ // b\n\n\n// c\n[]", "/* a */ // b\n\n// c\n[]");
        check(
            "[\n1/* a */,/* b */2, /* c */\n3\n/* d */]",
            "[\n  1 /* a */,\n  /* b */ 2, /* c */\n  3\n  /* d */\n]",
        );
        check("[\n1 // a\n, 2]", "[\n  1 // a\n  ,\n  2\n]");
        check("{\n\"a\" // k\n: // v\n1}", "{\n  \"a\" // k\n  : // v\n  1\n}");
        check("[\n/* a\n b */ 1, [2]]", "[\n  /* a\n b */ 1,\n  [2]\n]");
        check("[\n1,/* last */]", "[\n  1, /* last */\n]");
    }

    #[test]
    fn trailing_commas_stay() {
        check("[1,2, ]", "[1, 2,]");
        check("{\n\"a\":1\n,}", "{\n  \"a\": 1,\n}");
    }

    #[test]
    fn one_blank_line_is_kept_between_members() {
        check("[\n\n1,\n\n\n2,\n\n// c\n\n3\n\n]", "[\n  1,\n\n  2,\n\n  // c\n\n  3\n]");
    }

    #[test]
    fn lines_end_as_the_documents_do() {
        let options = Options { line_ending: "\r\n", ..Options::default() };
        check_with(options, "[\r\n1,\r\n\r\n 2]\r\n", "[\r\n  1,\r\n\r\n  2\r\n]\r\n");
        check_with(options, "[\n1,\r2]", "[\r\n  1,\r\n  2\r\n]");
        check_with(Options::default(), "[\r\n1]\r\n", "[\n  1\n]\n");
        // No edit begins or ends inside a CRLF.
        let edits = lay_out("[\r\n1\r\n]", &Options::default());
        let ranges: Vec<Range<usize>> = edits.into_iter().map(|edit| edit.range).collect();
        assert_eq!(ranges, [1..3, 4..6]);
    }

    #[test]
    fn the_client_says_how_lines_begin_and_the_text_ends() {
        let options = Options { insert_spaces: false, tab_size: 4, ..Options::default() };
        check_with(options, "[[\n1]]", "[\n\t[\n\t\t1\n\t]\n]");
        let insert = Options { insert_final_newline: true, ..Options::default() };
        check_with(insert, "[] ", "[]\n");
        check_with(insert, "[]\n\n \n", "[]\n\n\n");
        let trim = Options { trim_final_newlines: true, ..Options::default() };
        check_with(trim, " []\n\n \n", "[]\n");
        check_with(trim, "[]", "[]");
        let blanks = Options { trim_trailing_whitespace: true, ..Options::default() };
        check_with(blanks, "[ // a \t\n1] // b ", "[ // a\n  1\n] // b");
        check_with(Options::default(), "[ // a \t\n1] // b ", "[ // a \t\n  1\n] // b ");
    }

    #[test]
    fn a_line_stays_a_line_where_blanks_around_its_end_change() {
        let edits = lay_out("[\n  1, \n2\n]", &Options::default());
        let edit = |range, inserted: &str| Replacement { range, inserted: inserted.to_owned() };
        assert_eq!(edits, [edit(6..7, ""), edit(8..8, "  ")]);
    }

    #[test]
    fn a_range_is_the_gaps_that_touch_it() {
        let text = "[\n1,\n2,\n3\n]";
        let edits = lay_out_range(text, 5..6, &Options::default());
        assert_eq!(apply(text, &edits), "[\n1,\n  2,\n3\n]");
    }

    #[test]
    fn repair_and_layout_are_one_list() {
        let text = "{\"a\":1, // one\n\"b\":[1,2,],\n\"c\":\"cut";
        let repair = crate::repair::repair(text, crate::repair::RuleSet::ALL);
        let edits = repair_and_lay_out(text, repair.edits, &Options::default());
        assert_eq!(apply(text, &edits), "{\n  \"a\": 1,\n  \"b\": [1, 2],\n  \"c\": \"cut\"\n}");
        let edit = |range, inserted: &str| Replacement { range, inserted: inserted.to_owned() };
        assert_eq!(edits[..3], [edit(1..1, "\n  "), edit(5..5, " "), edit(7..14, "")]);
    }
}
