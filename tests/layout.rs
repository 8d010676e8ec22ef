//! What holds for the layout of every valid text, whatever the client's options.
//!
//! Random documents, with and without comments, are written with random white space between their
//! tokens. Tokens are told apart by a reader of the tests' own, and where there are no comments the
//! result is held against a naive, recursive layout.
//!
//! `PROPTEST_CASES` sets the number of random cases of each test.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "the panic of a test is its answer")]

use json_repair_lsp::layout::{Options, Replacement, lay_out, lay_out_range, repair_and_lay_out};
use json_repair_lsp::repair::{Policy, RuleSet, repair_document};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A document's structure; what stands between its tokens is drawn apart from it.
#[derive(Clone, Debug)]
enum Node {
    Scalar(&'static str),
    Array(Vec<Node>, bool),
    Object(Vec<(&'static str, Node)>, bool),
}

const SCALARS: [&str; 12] = [
    "1",
    "-0.0e+10",
    "10000000000000000000000",
    "true",
    "null",
    "\"\"",
    r#""a // no comment""#,
    r#""/* nor this""#,
    r#""\\\"\u00e9\ud83d\uDE00""#,
    "\"é😀 [ ] , {\u{2028}\"",
    "\"\u{a0}  two blanks \"",
    r#""a rather long string that takes some room""#,
];

const KEYS: [&str; 5] = [r#""a""#, r#""a""#, r#""é:""#, r#""\"""#, r#""a longer key""#];

const BLANKS: [&str; 9] = ["", "", " ", "  ", "\t", "\n", "\r\n", "\r", "\n \n\n"];

const COMMENTS: [&str; 8] =
    ["/**/", "/* é */", "/* two\n lines */", "/*//*/", "// é\n", "//\r\n", "// blanks \t\r", "// \"[1,\n\n"];

fn node() -> impl Strategy<Value = Node> {
    let scalar = select(&SCALARS[..]).prop_map(Node::Scalar);
    scalar.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            (vec(inner.clone(), 0..6), any::<bool>())
                .prop_map(|(elements, comma)| Node::Array(elements, comma)),
            (vec((select(&KEYS[..]), inner), 0..6), any::<bool>())
                .prop_map(|(members, comma)| Node::Object(members, comma)),
        ]
    })
}

/// The tokens of a document. `allows`: whether trailing commas are allowed.
fn write(node: &Node, allows: bool, tokens: &mut Vec<&'static str>) {
    let mut write_all =
        |open, close, count: usize, comma: &bool, each: &mut dyn FnMut(usize, &mut Vec<_>)| {
            tokens.push(open);
            for index in 0..count {
                if index > 0 {
                    tokens.push(",");
                }
                each(index, tokens);
            }
            if *comma && allows && count > 0 {
                tokens.push(",");
            }
            tokens.push(close);
        };
    match node {
        Node::Scalar(scalar) => tokens.push(scalar),
        Node::Array(elements, comma) => write_all("[", "]", elements.len(), comma, &mut |index, tokens| {
            write(&elements[index], allows, tokens);
        }),
        Node::Object(members, comma) => write_all("{", "}", members.len(), comma, &mut |index, tokens| {
            tokens.extend([members[index].0, ":"]);
            write(&members[index].1, allows, tokens);
        }),
    }
}

/// A document, with comments or without.
fn document(allows: bool) -> impl Strategy<Value = String> {
    let comment = if allows { 1 } else { 0 };
    let piece = prop_oneof![12 => select(&BLANKS[..]), comment => select(&COMMENTS[..])];
    // Some documents are mostly on one line, so that something fits.
    let gaps = prop_oneof![vec(vec(piece, 0..3), 1..80), vec(vec(select(&["", " "][..]), 0..2), 1..9)];
    (node(), gaps).prop_map(move |(node, gaps)| {
        let mut tokens = Vec::new();
        write(&node, allows, &mut tokens);
        let mut gaps = gaps.iter().cycle();
        let mut text = String::new();
        for token in tokens {
            gaps.next().unwrap().iter().for_each(|piece| text.push_str(piece));
            text.push_str(token);
        }
        gaps.next().unwrap().iter().for_each(|piece| text.push_str(piece));
        text
    })
}

fn options() -> impl Strategy<Value = Options> {
    let flags = any::<(bool, bool, bool, bool)>();
    let line_endings = select(&["\n", "\r\n", "\r"][..]);
    (0_usize..9, flags, select(&[1_usize, 10, 20, 40, 80, usize::MAX][..]), line_endings).prop_map(
        |(tab_size, (spaces, insert, trim, blanks), line_width, line_ending)| Options {
            tab_size,
            insert_spaces: spaces,
            insert_final_newline: insert,
            trim_final_newlines: trim,
            trim_trailing_whitespace: blanks,
            line_width,
            line_ending,
        },
    )
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

/// The gaps and the tokens of a valid text, in turns; the last is a gap. A `//` comment has its
/// blanks, unless `trims`.
fn split(text: &str, trims: bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let (gap, behind) = rest.split_at(rest.find(|c| !is_blank(c)).unwrap_or(rest.len()));
        pieces.push(gap);
        if behind.is_empty() {
            return pieces;
        }
        let length = if behind.starts_with("//") {
            let line = &behind[..behind.find(is_line_end).unwrap_or(behind.len())];
            if trims { line.trim_end_matches(is_blank).len() } else { line.len() }
        } else if let Some(comment) = behind.strip_prefix("/*") {
            2 + comment.find("*/").unwrap() + 2
        } else if let Some(string) = behind.strip_prefix('"') {
            let mut is_escaped = false;
            let ends = |c| {
                let ends = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                ends
            };
            1 + string.find(ends).unwrap() + 1
        } else if behind.starts_with(['{', '}', '[', ']', ',', ':']) {
            1
        } else {
            behind.find(|c| is_blank(c) || "{}[],:/\"".contains(c)).unwrap_or(behind.len())
        };
        let (token, behind) = behind.split_at(length);
        pieces.push(token);
        rest = behind;
    }
}

fn tokens(text: &str, trims: bool) -> Vec<&str> {
    split(text, trims).into_iter().skip(1).step_by(2).collect()
}

fn apply(text: &str, edits: &[Replacement]) -> String {
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        result.replace_range(edit.range.clone(), &edit.inserted);
    }
    result
}

/// White space as what an edit keeps or not: a CRLF is one.
fn units(text: &str) -> Vec<&str> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("\r\n") { 2 } else { c.len_utf8() };
        let (unit, behind) = rest.split_at(length);
        units.push(unit);
        rest = behind;
    }
    units
}

/// Edits are in order, apart, at places that have an LSP position, and none puts white space back
/// where it stood.
fn check_edits(text: &str, edits: &[Replacement]) {
    for pair in edits.windows(2) {
        assert!(pair[0].range.end < pair[1].range.start, "{text:?}: {pair:?}");
    }
    for edit in edits {
        let removed = &text[edit.range.clone()];
        for at in [edit.range.start, edit.range.end] {
            assert!(!(text[..at].ends_with('\r') && text[at..].starts_with('\n')), "{text:?}: {edit:?}");
        }
        let (removed, inserted) = (units(removed), units(&edit.inserted));
        for (old, new) in [(removed.first(), inserted.first()), (removed.last(), inserted.last())] {
            let is_put_back = old == new && old.is_some_and(|unit| unit.starts_with(is_blank));
            assert!(!is_put_back, "{text:?}: {edit:?}");
        }
        assert!(!(removed.is_empty() && inserted.is_empty()), "{text:?}: {edit:?}");
    }
}

fn check(text: &str, options: &Options, mask: &[bool], range: (Index, Index)) {
    let edits = lay_out(text, options);
    let result = apply(text, &edits);
    let context = || format!("{text:?} becomes {result:?} by {options:?}");
    let trims = options.trim_trailing_whitespace;

    check_edits(text, &edits);
    for edit in &edits {
        let is_white_space =
            text[edit.range.clone()].chars().all(is_blank) && edit.inserted.chars().all(is_blank);
        assert!(is_white_space, "{edit:?}: {}", context());
    }
    assert_eq!(tokens(text, trims), tokens(&result, trims), "{}", context());
    assert_eq!(lay_out(&result, options), [], "{}", context());
    let repair = repair_document(&result, Policy::allow_comments(RuleSet::ALL));
    assert!(repair.is_valid() && repair.edits.is_empty(), "{}", context());

    // Whichever edits are made, nothing joins.
    let mut mask = mask.iter().cycle();
    let some: Vec<Replacement> = edits.iter().filter(|_| *mask.next().unwrap()).cloned().collect();
    assert_eq!(tokens(text, trims), tokens(&apply(text, &some), trims), "{some:?}: {}", context());

    let (one, other) = (range.0.index(text.len() + 1), range.1.index(text.len() + 1));
    let range = one.min(other)..one.max(other);
    let mut start = 0;
    let mut gaps = Vec::new();
    for (index, piece) in split(text, true).into_iter().enumerate() {
        if index % 2 == 0 && start <= range.end && range.start <= start + piece.len() {
            gaps.push(start..start + piece.len());
        }
        start += piece.len();
    }
    let touching = |edit: &Replacement| {
        gaps.iter().any(|gap| gap.start <= edit.range.start && edit.range.end <= gap.end)
    };
    let expected: Vec<Replacement> = edits.into_iter().filter(touching).collect();
    assert_eq!(lay_out_range(text, range.clone(), options), expected, "{range:?}: {}", context());

    check_gaps(&result, options);
    check_lines(&split(text, true), &split(&result, true), &context());
}

/// Comments stay on their lines, and of blank lines one is kept.
fn check_lines(before: &[&str], after: &[&str], context: &str) {
    let is_comment = |token: &str| token.starts_with("//") || token.starts_with("/*");
    // The gaps between two tokens.
    for at in (2..before.len() - 1).step_by(2) {
        let (token, next) = (before[at - 1], before[at + 1]);
        let (old, new) = (breaks(before[at]), breaks(after[at]));
        if is_comment(token) || is_comment(next) {
            assert!(old == 0 || new > 0, "a line is gone behind {token}: {context}");
            let may_break = matches!(token, "[" | "{" | ",") || matches!(next, "]" | "}");
            assert!(old > 0 || new == 0 || may_break, "a line ends behind {token}: {context}");
        }
        let has_blank_line = old > 1 && !matches!(token, "[" | "{") && !matches!(next, "]" | "}");
        assert!(new == 0 || new == 1 + usize::from(has_blank_line), "behind {token}: {context}");
    }
}

/// No more than one blank line, no blanks at the end of a line, one line ending.
fn check_gaps(result: &str, options: &Options) {
    let pieces = split(result, options.trim_trailing_whitespace);
    let (last, gaps) = pieces.split_last().unwrap();
    for gap in gaps.iter().step_by(2) {
        let lines: Vec<&str> = gap.split(options.line_ending).collect();
        assert!(lines.len() <= 3, "{result:?}");
        let (indentation, ends) = lines.split_last().unwrap();
        assert!(ends.iter().all(|line| line.is_empty()), "{result:?}");
        assert!(!indentation.contains(is_line_end), "{result:?}");
        assert!(lines.len() == 1 || options.insert_spaces || !indentation.contains(' '), "{result:?}");
    }
    assert!(last.split(options.line_ending).all(str::is_empty), "{result:?}");
    assert!(!(options.insert_final_newline && last.is_empty()), "{result:?}");
    assert!(!(options.trim_final_newlines && last.len() > options.line_ending.len()), "{result:?}");
}

/// Lays out what has no comments, by its structure.
struct Naive<'text> {
    pieces: Vec<&'text str>,
    at: usize,
    options: Options,
    result: String,
}

impl<'text> Naive<'text> {
    fn lay_out(text: &'text str, options: Options) -> String {
        let mut naive = Naive { pieces: split(text, true), at: 0, options, result: String::new() };
        naive.value(0, false);
        let breaks = breaks(naive.pieces[naive.pieces.len() - 1]);
        let most = if options.trim_final_newlines { 1 } else { usize::MAX };
        let least = usize::from(options.insert_final_newline);
        naive.result + &options.line_ending.repeat(breaks.min(most).max(least))
    }

    /// Writes the next value, which is on the line of those around it if `is_flat`.
    fn value(&mut self, level: usize, is_flat: bool) {
        let opener = self.pieces[self.at + 1];
        if !matches!(opener, "[" | "{") {
            return self.token();
        }
        let (flat, is_on_one_line) = self.flat();
        let line = self.result.rsplit(is_line_end).next().unwrap();
        let column: usize = line.chars().map(|c| if c == '\t' { self.options.tab_size } else { 1 }).sum();
        let fits = column.saturating_add(flat.chars().count()) <= self.options.line_width;
        let is_flat = is_flat || (is_on_one_line && fits);
        self.token();
        let is_padded = is_flat && !self.gap().is_empty();
        let is_empty = matches!(self.pieces[self.at + 1], "]" | "}");
        while !matches!(self.pieces[self.at + 1], "]" | "}") {
            let is_first = matches!(self.pieces[self.at - 1], "[" | "{");
            if !is_flat {
                self.line(level + 1, !is_first && breaks(self.gap()) > 1);
            } else if !is_first || is_padded {
                self.result.push(' ');
            }
            if opener == "{" {
                self.token();
                self.token();
                self.result.push(' ');
            }
            self.value(level + 1, is_flat);
            if self.pieces[self.at + 1] == "," {
                self.token();
            }
        }
        if !is_flat && !is_empty {
            self.line(level, false);
        } else if is_padded && !is_empty {
            self.result.push(' ');
        }
        self.token();
    }

    fn gap(&self) -> &'text str {
        self.pieces[self.at]
    }

    fn token(&mut self) {
        self.result.push_str(self.pieces[self.at + 1]);
        self.at += 2;
    }

    fn line(&mut self, level: usize, is_behind_blank_line: bool) {
        self.result.push_str(&self.options.line_ending.repeat(1 + usize::from(is_behind_blank_line)));
        let indentation =
            if self.options.insert_spaces { " ".repeat(self.options.tab_size) } else { "\t".to_owned() };
        self.result.push_str(&indentation.repeat(level));
    }

    /// The array or object that is next, with its comma, as it is on one line; and whether it is.
    fn flat(&self) -> (String, bool) {
        let mut flat = String::new();
        let mut paddings: Vec<&str> = Vec::new();
        let mut is_on_one_line = true;
        for at in (self.at + 1..).step_by(2) {
            let (token, before, gap) =
                (self.pieces[at], self.pieces.get(at.wrapping_sub(2)), self.pieces[at - 1]);
            let padding = |padding: &str| if padding.is_empty() { "" } else { " " };
            if at > self.at + 1 {
                is_on_one_line &= breaks(gap) == 0;
                let space = match (*before.unwrap(), token) {
                    (_, "," | ":") | ("[", "]") | ("{", "}") => "",
                    ("[" | "{", _) => padding(gap),
                    (_, "]" | "}") => padding(paddings[paddings.len() - 1]),
                    _ => " ",
                };
                flat.push_str(space);
            }
            flat.push_str(token);
            match token {
                "[" | "{" => paddings.push(self.pieces[at + 1]),
                "]" | "}" => {
                    paddings.pop();
                }
                _ => {}
            }
            if paddings.is_empty() {
                if self.pieces.get(at + 2) == Some(&",") {
                    flat.push(',');
                }
                return (flat, is_on_one_line);
            }
        }
        (flat, false)
    }
}

fn breaks(text: &str) -> usize {
    units(text).into_iter().filter(|unit| unit.starts_with(is_line_end)).count()
}

proptest! {
    #[test]
    fn json_is_laid_out(
        text in document(false),
        options in options(),
        mask in vec(any::<bool>(), 1..20),
        range in any::<(Index, Index)>(),
    ) {
        check(&text, &options, &mask, range);
        let result = apply(&text, &lay_out(&text, &options));
        prop_assert_eq!(&result, &Naive::lay_out(&text, options), "{:?}", &text);
        let value = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
        prop_assert_eq!(value(&text), value(&result));
    }

    #[test]
    fn json_with_comments_is_laid_out(
        text in document(true),
        options in options(),
        mask in vec(any::<bool>(), 1..20),
        range in any::<(Index, Index)>(),
    ) {
        check(&text, &options, &mask, range);
    }

    #[test]
    fn a_repair_and_the_layout_of_its_result_are_one_list(
        text in document(true),
        end in any::<Index>(),
        options in options(),
        allows in any::<bool>(),
    ) {
        for end in [text.len(), end.index(text.len() + 1)] {
            let text = &text[..text.floor_char_boundary(end)];
            let policy = if allows { Policy::allow_comments(RuleSet::ALL) } else { Policy::fix(RuleSet::ALL) };
            let repair = repair_document(text, policy);
            if repair.is_valid() {
                let repaired = repair.edits.apply(text);
                let edits = repair_and_lay_out(text, repair.edits, &options);
                check_edits(text, &edits);
                let expected = apply(&repaired, &lay_out(&repaired, &options));
                prop_assert_eq!(apply(text, &edits), expected, "{:?} by {:?}", text, &edits);
            }
        }
    }

    #[test]
    fn what_is_not_valid_loses_and_gains_white_space_only(text in "[\\[\\]{}:,\"\\\\a1/* \n\ré]{0,60}") {
        for edit in lay_out(&text, &Options::default()) {
            prop_assert!(text[edit.range].chars().chain(edit.inserted.chars()).all(is_blank));
        }
    }
}

#[test]
fn depth_costs_no_stack_and_no_square() {
    const DEPTH: usize = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":\n", "}")] {
        let text = [open.repeat(DEPTH), "1".to_owned(), close.repeat(DEPTH)].concat();
        let options = Options { tab_size: 1, ..Options::default() };
        let result = apply_in_one_pass(&text, &lay_out(&text, &options));
        assert!(result.len() < 300 * DEPTH);
        assert_eq!(lay_out(&result, &options), []);
    }
    // All of it on one line, if the width allows.
    let text = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
    assert_eq!(lay_out(&text, &Options { line_width: usize::MAX, ..Options::default() }), []);
}

fn apply_in_one_pass(text: &str, edits: &[Replacement]) -> String {
    let mut result = String::new();
    let mut kept_from = 0;
    for edit in edits {
        result.push_str(&text[kept_from..edit.range.start]);
        result.push_str(&edit.inserted);
        kept_from = edit.range.end;
    }
    result + &text[kept_from..]
}
