use std::ops::RangeInclusive;

use proptest::prelude::*;

use super::*;
use crate::repair::{Opener, RuleSet, repair};

const FIX: Policy = Policy::fix(RuleSet::ALL);
const ALL: usize = usize::MAX;

/// The symbols, indented by their levels: name, kind, and the value if it is
/// not in brackets.
fn outline_of(text: &str, is_per_line: bool) -> Vec<String> {
    symbols(text, FIX, is_per_line, ALL, ALL)
        .into_iter()
        .map(|Symbol { level, name, kind, value, .. }| {
            let name = match name {
                Name::Key(range) => text[range].to_owned(),
                Name::Index(index) => index.to_string(),
                Name::Line => "line".to_owned(),
            };
            let value = value.map_or("", |range| &text[range]);
            let value = if matches!(kind, Kind::Object | Kind::Array) { "" } else { value };
            format!("{}{name} {kind:?} {value}", "  ".repeat(level)).trim_end().to_owned()
        })
        .collect()
}

#[track_caller]
fn check_outline(text: &str, expected: &[&str]) {
    assert_eq!(outline_of(text, false), expected, "{text}");
}

#[test]
fn members_and_elements_are_symbols() {
    check_outline(
        r#"{"a": 1, "b": [true, null, "x", [], {"": -2e1}], "c": {}}"#,
        &[
            "  \"a\" Number 1",
            "  \"b\" Array",
            "    0 Boolean true",
            "    1 Null null",
            "    2 String \"x\"",
            "    3 Array",
            "    4 Object",
            "      \"\" Number -2e1",
            "  \"c\" Object",
        ],
    );
    check_outline("[[1], 2]", &["  0 Array", "    0 Number 1", "  1 Number 2"]);
    check_outline("3", &[]);
}

#[test]
fn text_that_is_cut_has_what_it_has() {
    check_outline(
        r#"{"a": [1, {"b": "half"#,
        &["  \"a\" Array", "    0 Number 1", "    1 Object", "      \"b\" String \"half"],
    );
    check_outline(r#"{"a": 1, "b"#, &["  \"a\" Number 1", "  \"b Unknown"]);
    check_outline(r#"{"a": 1, "b":"#, &["  \"a\" Number 1", "  \"b\" Unknown"]);
}

#[test]
fn a_closer_ends_the_innermost_of_its_kind() {
    check_outline(
        r#"{"a": [1, {"b": 2], "c": 3}"#,
        &["  \"a\" Array", "    0 Number 1", "    1 Object", "      \"b\" Number 2", "  \"c\" Number 3"],
    );
    // Of one that closes nothing is nothing left.
    check_outline(r#"{"a": 1], "b": 2}"#, &["  \"a\" Number 1", "  \"b\" Number 2"]);
    check_outline(r#"]}{"a": 1}"#, &["  \"a\" Number 1"]);
}

#[test]
fn a_value_begins_behind_another_one() {
    check_outline(
        r#"{"a": 1 "b": [2 "x" {}]"#,
        &["  \"a\" Number 1", "  \"b\" Array", "    0 Number 2", "    1 String \"x\"", "    2 Object"],
    );
    check_outline(
        "[one two, three\nfour]",
        &["  0 Unknown one two", "  1 Unknown three", "  2 Unknown four"],
    );
    check_outline("{a: 1\n b: it's}", &["  a Number 1", "  b Unknown it's"]);
    check_outline(
        "{{1}, \"a\" : : 2, :3}",
        &["  0 Object", "    1 Unknown", "  \"a\" Number 2", "  3 Unknown"],
    );
}

#[test]
fn prose_around_and_fragments() {
    check_outline(
        "Here you are:\n```json\n{\"a\": 1}\n```\n",
        &["Here you are Unknown ```json", "  \"a\" Number 1"],
    );
    check_outline("\"a\": {\"b\": 1},\n\"c\": 2", &["\"a\" Object", "  \"b\" Number 1", "\"c\" Number 2"]);
}

#[test]
fn each_line_of_json_lines_is_a_text() {
    let text = "{\"a\": 1}\r\n\n[2, \"x\r\n3\n{\"b\": 4} 5\r{\"c\": 6}\r\r\n";
    let expected = [
        "line Object",
        "  \"a\" Number 1",
        "line Array",
        "  0 Number 2",
        "  1 String \"x",
        "line Number 3",
        "line Object",
        "  \"b\" Number 4",
        "  \"c\" Number 6",
    ];
    assert_eq!(outline_of(text, true), expected);
    let offsets = ["2,", "\n\n", "{\"b", "\r\r\n"].map(|place| text.find(place).unwrap());
    let found = enclosing(text, FIX, true, &offsets, ALL);
    let found: Vec<Vec<&str>> =
        found.into_iter().map(|around| around.into_iter().map(|range| &text[range]).collect()).collect();
    let last = "{\"b\": 4} 5\r{\"c\": 6}";
    assert_eq!(found[0], ["2", "2, \"x", "[2, \"x", text]);
    assert_eq!(found[1], [text]);
    assert_eq!(found[2], ["{\"b\": 4}", last, text]);
    assert_eq!(found[3], ["{\"c\": 6}", last, text]);
}

#[track_caller]
fn check_folds(text: &str, whole_lines: bool, expected: &[(&str, RangeInclusive<usize>)]) {
    let found = folds(text, FIX, whole_lines, ALL);
    let found: Vec<_> = found.into_iter().map(|fold| (&text[fold.range], fold.lines)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn brackets_fold_up_to_the_line_of_their_closer() {
    check_folds(
        "{\n\"a\": [\n1\n],\n\"b\": [1\n]\n}",
        true,
        &[("\n\"a\": [\n1\n],\n\"b\": [1\n]\n", 0..=5), ("\n1\n", 1..=2)],
    );
    check_folds("[1, [\r\n]]", false, &[("1, [\r\n]", 0..=0), ("\r\n", 0..=0)]);
    check_folds("[1, [\r\n]]", true, &[]);
    check_folds("[[1], {}]", false, &[]);
}

#[test]
fn what_is_open_folds_to_the_end_or_to_the_closer_around_it() {
    check_folds("{\n\"a\": [\n1,\n", true, &[("\n\"a\": [\n1,", 0..=2), ("\n1,", 1..=2)]);
    check_folds("{\"a\": [\n1\n}", true, &[("\"a\": [\n1\n", 0..=1), ("\n1\n", 0..=1)]);
}

#[test]
fn comments_fold_where_there_are_comments() {
    let text = "// one\n// two\n\n// three\n[ // four\n// five\n1, // six\n/* seven\n*/ /* eight */]";
    let comments =
        [("// one\n// two", 0..=1), (" // four\n// five\n1, // six\n/* seven\n*/ /* eight */", 4..=7)];
    check_folds(text, true, &comments);
    let found = folds(text, Policy::allow_comments(RuleSet::NONE), true, ALL);
    assert_eq!(found, folds(text, FIX, true, ALL));
    assert!(
        folds(text, Policy::fix(RuleSet::NONE), true, ALL).iter().all(|fold| fold.kind == FoldKind::Brackets)
    );
}

#[test]
fn what_stands_behind_a_comment_stays_to_be_seen() {
    let comment = "/*\n\n*/";
    check_folds("/*\n\n*/", true, &[(comment, 0..=2)]);
    check_folds("/*\n\n*/ [\n1\n]", true, &[(comment, 0..=1), ("\n1\n", 2..=3)]);
    check_folds("/*\n\n*/ // b", false, &[(comment, 0..=1)]);
    check_folds("1 /*\n*/ 2", true, &[]);
}

#[test]
fn the_outermost_folds_are_kept() {
    let text = "[\n[\n[\n\n]\n],\n[\n\n]\n]";
    let lines = |most| folds(text, FIX, true, most).into_iter().map(|fold| fold.lines).collect::<Vec<_>>();
    assert_eq!(lines(4), [0..=8, 1..=4, 2..=3, 6..=7]);
    assert_eq!(lines(3), [0..=8, 1..=4, 6..=7]);
    assert_eq!(lines(2), [0..=8, 1..=4]);
    assert_eq!(lines(0), []);
}

#[track_caller]
fn check_enclosing(text_with_place: &str, expected: &[&str]) {
    let offset = text_with_place.find('|').unwrap();
    let text = text_with_place.replace('|', "");
    let found = enclosing(text.as_str(), FIX, false, &[offset], ALL);
    let found: Vec<&str> = found[0].iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(found, expected, "{text_with_place}");
}

#[test]
fn what_stands_around_a_place() {
    let all = "{\"a\": [1, \"x y\"]}\n";
    let root = "{\"a\": [1, \"x y\"]}";
    let (member, array, elements) = ("\"a\": [1, \"x y\"]", "[1, \"x y\"]", "1, \"x y\"");
    check_enclosing("{\"a\": [1, \"x| y\"]}\n", &["x y", "\"x y\"", elements, array, member, root, all]);
    check_enclosing("{\"a\": [1, |\"x y\"]}\n", &["\"x y\"", elements, array, member, root, all]);
    check_enclosing("{\"a\": [|1, \"x y\"]}\n", &["1", elements, array, member, root, all]);
    check_enclosing("{\"a\": |[1, \"x y\"]}\n", &[array, member, root, all]);
    check_enclosing("{\"a\":| [1, \"x y\"]}\n", &[member, root, all]);
    check_enclosing("{\"|a\": [1, \"x y\"]}\n", &["a", "\"a\"", member, root, all]);
    check_enclosing("|{\"a\": [1, \"x y\"]}\n", &[root, all]);
    check_enclosing("{\"a\": [1, \"x y\"]}\n|", &[all]);
    check_enclosing("[|]", &["[]"]);
    check_enclosing("[\"|\"]", &["\"\"", "[\"\"]"]);
    check_enclosing("[1, /* |2 */ 3]", &["/* 2 */", "1, /* 2 */ 3", "[1, /* 2 */ 3]"]);
    // Of two that touch it is the second one.
    check_enclosing("[[1]|[2]]", &["[2]", "[1][2]", "[[1][2]]"]);
    check_enclosing("[1|/*c*/]", &["/*c*/", "1/*c*/", "[1/*c*/]"]);
    // The brace closes nothing.
    check_enclosing("[1, [2, |3}, 4]", &["3", "2, 3}, 4", "[2, 3}, 4]", "1, [2, 3}, 4]", "[1, [2, 3}, 4]"]);
}

#[test]
fn the_innermost_and_the_whole_are_kept() {
    let text = "[[[[[1]]]]]";
    let widths = |most| {
        let found = enclosing(text, FIX, false, &[5], most);
        found[0].iter().map(ExactSizeIterator::len).collect::<Vec<_>>()
    };
    assert_eq!(widths(ALL), [1, 3, 5, 7, 9, 11]);
    assert_eq!(widths(3), [1, 3, 11]);
    assert_eq!(widths(1), [11]);
}

#[test]
fn depth_and_mismatches_cost_no_more_than_their_length() {
    let deep = 200_000;
    for text in [
        "[".repeat(deep),
        "[\n".repeat(deep) + &"]\n".repeat(deep),
        "{\"a\":\n".repeat(deep),
        "[".repeat(deep) + &"}".repeat(deep),
        "{[".repeat(deep / 2) + &"]".repeat(deep) + &"}".repeat(deep),
        "{".repeat(deep) + &"[}]".repeat(deep),
        "[{]".repeat(deep),
    ] {
        let offsets = [0, deep / 2, text.len()];
        let around = enclosing(text.as_str(), FIX, false, &offsets, 120);
        assert!(around.iter().all(|around| around.last() == Some(&(0..text.len()))));
        assert!(folds(text.as_str(), FIX, true, 5000).len() <= 5000);
        assert!(symbols(text.as_str(), FIX, false, 5000, 60).len() <= 5000);
    }
    // What is too deep to be seen ends where it should.
    let text = "[".repeat(MOST_LEVELS + 5) + "\n\n{\"deep\":1}" + &"]".repeat(MOST_LEVELS + 4) + ",7]";
    let found = enclosing(text.as_str(), FIX, false, &[text.len() - 1], ALL);
    let found: Vec<_> = found[0].iter().map(|range| range.start).collect();
    assert_eq!(found, [text.len() - 2, 1, 0]);
    assert_eq!(folds(text.as_str(), FIX, true, ALL).len(), MOST_LEVELS);
}

/// A JSON text that knows its structure.
#[derive(Debug, Default)]
struct Written {
    text: String,
    symbols: Vec<Symbol>,
    /// Everything that can stand around a place.
    ranges: Vec<Range<usize>>,
    brackets: Vec<Range<usize>>,
}

#[derive(Clone, Debug)]
enum Tree {
    Scalar(Kind, &'static str),
    Array(Vec<Tree>),
    Object(Vec<(&'static str, Tree)>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let string = || prop::sample::select(vec![r#""""#, r#""a""#, r#""\"]}\\""#, "\"😀,: // /*\""]);
    let scalar = prop_oneof![
        string().prop_map(|string| Tree::Scalar(Kind::String, string)),
        Just(Tree::Scalar(Kind::Number, "-1.5e+3")),
        Just(Tree::Scalar(Kind::Boolean, "false")),
        Just(Tree::Scalar(Kind::Null, "null")),
    ];
    scalar.prop_recursive(5, 60, 6, move |tree| {
        prop_oneof![
            prop::collection::vec(tree.clone(), 0..6).prop_map(Tree::Array),
            prop::collection::vec((string(), tree), 0..6).prop_map(Tree::Object),
        ]
    })
}

impl Written {
    /// `gaps` are what stands between tokens, over and over.
    fn new(tree: &Tree, gaps: &[&'static str]) -> Written {
        let mut written = Written::default();
        let mut gaps = gaps.iter().cycle();
        let mut gap = move || *gaps.next().unwrap();
        written.text += gap();
        let (_, value) = written.write(tree, 0, &mut gap);
        written.ranges.push(value);
        written.text += gap();
        written.ranges.push(0..written.text.len());
        written.ranges.retain(|range| !range.is_empty());
        written.symbols.sort_by_key(|symbol| (symbol.range.start, symbol.level));
        written
    }

    fn token(&mut self, token: &str) -> Range<usize> {
        let start = self.text.len();
        self.text += token;
        let range = start..self.text.len();
        if token.starts_with('"') {
            self.ranges.push(start + 1..range.end - 1);
        }
        self.ranges.push(range.clone());
        range
    }

    fn write(
        &mut self,
        tree: &Tree,
        level: usize,
        gap: &mut impl FnMut() -> &'static str,
    ) -> (Kind, Range<usize>) {
        let (kind, brackets, items): (_, _, Vec<(Option<&str>, &Tree)>) = match tree {
            Tree::Scalar(kind, scalar) => return (*kind, self.token(scalar)),
            Tree::Array(items) => (Kind::Array, ("[", "]"), items.iter().map(|item| (None, item)).collect()),
            Tree::Object(members) => {
                (Kind::Object, ("{", "}"), members.iter().map(|(key, value)| (Some(*key), value)).collect())
            }
        };
        let start = self.text.len();
        self.text += brackets.0;
        self.text += gap();
        for (index, (key, value)) in items.into_iter().enumerate() {
            if index > 0 {
                self.text += ",";
                self.text += gap();
            }
            let item_start = self.text.len();
            let key = key.map(|key| {
                let key = self.token(key);
                self.text += gap();
                self.text += ":";
                self.text += gap();
                key
            });
            let (kind, value) = self.write(value, level + 1, gap);
            let range = item_start..self.text.len();
            self.ranges.push(range.clone());
            let name = key.clone().map_or(Name::Index(index), Name::Key);
            let name_range = key.unwrap_or(value.clone());
            self.symbols.push(Symbol { level: level + 1, name, range, name_range, kind, value: Some(value) });
            self.text += gap();
        }
        self.ranges.push(start + 1..self.text.len());
        self.text += brackets.1;
        let range = start..self.text.len();
        self.ranges.push(range.clone());
        self.brackets.push(range.clone());
        (kind, range)
    }

    fn bracket_lines(&self) -> Vec<(Range<usize>, RangeInclusive<usize>)> {
        let line = |offset: usize| self.text[..offset].matches('\n').count();
        let mut found: Vec<_> = self
            .brackets
            .iter()
            .map(|range| (range.start + 1..range.end - 1, line(range.start), line(range.end)))
            .filter(|(_, first, last)| first < last)
            .map(|(range, first, last)| (range, first..=last - 1))
            .collect();
        found.sort_by_key(|(range, _)| range.start);
        found
    }
}

fn gaps(with_comments: bool) -> impl Strategy<Value = Vec<&'static str>> {
    let mut gaps = vec!["", "", " ", "\n", "\r\n", "\n\n  "];
    if with_comments {
        gaps.extend([" // ] }\n", "/* [ */", "/* \" \n */"]);
    }
    prop::collection::vec(prop::sample::select(gaps), 1..9)
}

const BROKEN: &str =
    r#"([{}\[\],:"/ \n]|//|/\*|\*/|"a"|"b": ?|12|tru|é|😀|\{"k":|\[1,|, *\}|\]\r\n|a b){0,50}"#;

#[derive(Default)]
struct CutBrackets(Vec<usize>);

impl Visitor for CutBrackets {
    fn visit(&mut self, level: usize, node: Node) {
        if let Node::Brackets(brackets) = node
            && brackets.is_cut
        {
            assert!(level < 1000);
            self.0.push(brackets.range.start);
        }
    }
}

fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_structure_of_json_is_that_which_was_written(tree in tree(), gaps in gaps(false)) {
        let written = Written::new(&tree, &gaps);
        let text = written.text.as_str();
        prop_assert!(repair(text, FIX).is_valid());
        prop_assert_eq!(symbols(text, FIX, false, ALL, ALL), written.symbols.clone());
        let found: Vec<_> = folds(text, FIX, false, ALL).into_iter().map(|fold| (fold.range, fold.lines)).collect();
        prop_assert_eq!(found, written.bracket_lines());

        let offsets: Vec<usize> = (0..=text.len()).rev().collect();
        for (offset, found) in offsets.iter().zip(enclosing(text, FIX, false, &offsets, ALL)) {
            let mut expected: Vec<_> = written.ranges.clone();
            expected.retain(|range| range.start <= *offset && *offset <= range.end);
            expected.sort_by_key(|range| (range.len(), range.start));
            expected.dedup();
            prop_assert_eq!(found, expected, "{} {}", text, offset);
        }
    }

    #[test]
    fn comments_change_nothing_but_places(tree in tree(), gaps in gaps(true)) {
        let written = Written::new(&tree, &gaps);
        let text = written.text.as_str();
        let policy = Policy::allow_comments(RuleSet::ALL);
        prop_assert_eq!(symbols(text, policy, false, ALL, ALL), written.symbols.clone());
        let brackets = folds(text, policy, false, ALL).into_iter().filter(|fold| fold.kind == FoldKind::Brackets);
        let found: Vec<_> = brackets.map(|fold| (fold.range, fold.lines)).collect();
        prop_assert_eq!(found, written.bracket_lines());
    }

    /// What is over before the text is cut is as it would be without.
    #[test]
    fn a_cut_changes_nothing_before_it(tree in tree(), gaps in gaps(false), cut in any::<prop::sample::Index>()) {
        let written = Written::new(&tree, &gaps);
        let mut cut = cut.index(written.text.len() + 1);
        while !written.text.is_char_boundary(cut) {
            cut -= 1;
        }
        let found = symbols(&written.text[..cut], FIX, false, ALL, ALL);
        for symbol in written.symbols.iter().filter(|symbol| symbol.range.end < cut) {
            prop_assert!(found.contains(symbol), "{symbol:?}");
        }
    }

    #[test]
    fn what_is_open_at_the_end_is_what_the_report_finds_open(text in BROKEN) {
        let report = repair(&text, FIX);
        let mut cut = CutBrackets::default();
        walk(text.as_str(), 0..text.len(), FIX, &mut cut);
        if report.mismatch.is_none() {
            let open: Vec<usize> = report.open_brackets.iter().rev().map(|opener: &Opener| opener.offset).collect();
            prop_assert_eq!(cut.0, open);
        }
    }

    #[test]
    fn folds_nest_and_the_outermost_come_first(text in BROKEN, whole_lines in any::<bool>(), most in 0_usize..6) {
        let all = folds(text.as_str(), FIX, whole_lines, ALL);
        let mut around: Vec<&Fold> = Vec::new();
        for fold in &all {
            prop_assert!(fold.range.end <= text.len() && fold.lines.start() <= fold.lines.end());
            prop_assert!(text[fold.range.clone()].contains(['\n', '\r']));
            prop_assert!(!whole_lines || fold.lines.start() < fold.lines.end());
            while around.pop_if(|outer| outer.range.end <= fold.range.start).is_some() {}
            if let Some(outer) = around.last() {
                prop_assert!(is_within(&fold.range, &outer.range));
                prop_assert!(outer.lines.contains(fold.lines.start()) && outer.lines.contains(fold.lines.end()));
            }
            around.push(fold);
        }
        let some = folds(text.as_str(), FIX, whole_lines, most);
        prop_assert_eq!(some.len(), all.len().min(most));
        // Whatever is around one of them is one of them.
        for fold in &some {
            for outer in all.iter().filter(|outer| is_within(&fold.range, &outer.range)) {
                prop_assert!(some.contains(outer));
            }
        }
    }

    #[test]
    fn what_is_around_a_place_grows(text in BROKEN, is_per_line in any::<bool>(), most in 1_usize..9) {
        let offsets: Vec<usize> = (0..=text.len()).collect();
        let all = enclosing(text.as_str(), FIX, is_per_line, &offsets, ALL);
        for (offset, around) in offsets.iter().zip(&all).filter(|_| !text.is_empty()) {
            prop_assert_eq!(around.last(), Some(&(0..text.len())));
            prop_assert!(around.iter().all(|range| range.start <= *offset && *offset <= range.end));
            for pair in around.windows(2) {
                prop_assert!(is_within(&pair[0], &pair[1]) && pair[0] != pair[1], "{:?}", pair);
            }
        }
        let some = enclosing(text.as_str(), FIX, is_per_line, &offsets, most);
        for (some, all) in some.iter().zip(&all) {
            prop_assert_eq!(some.len(), all.len().min(most));
            prop_assert_eq!(some.last(), all.last());
        }
    }

    #[test]
    fn symbols_nest(text in BROKEN, is_per_line in any::<bool>(), most in 0_usize..9, most_levels in 0_usize..5) {
        let all = symbols(text.as_str(), FIX, is_per_line, ALL, ALL);
        let mut around: Vec<&Symbol> = Vec::new();
        for symbol in &all {
            prop_assert!(symbol.range.end <= text.len() && !symbol.range.is_empty());
            prop_assert!(is_within(&symbol.name_range, &symbol.range) && !symbol.name_range.is_empty());
            if let Some(value) = &symbol.value {
                prop_assert!(is_within(value, &symbol.range));
            }
            let is_over = |outer: &Symbol| outer.level >= symbol.level || outer.range.end <= symbol.range.start;
            while around.pop_if(|outer| is_over(outer)).is_some() {}
            if let Some(outer) = around.last() {
                prop_assert!(is_within(&symbol.range, &outer.range), "{:?} {:?}", symbol, outer);
            }
            around.push(symbol);
        }
        let mut expected: Vec<&Symbol> = all.iter().filter(|symbol| symbol.level <= most_levels).collect();
        expected.sort_by_key(|symbol| (symbol.level, symbol.range.start));
        expected.truncate(most);
        expected.sort_by_key(|symbol| (symbol.range.start, symbol.level));
        let some = symbols(text.as_str(), FIX, is_per_line, most, most_levels);
        prop_assert_eq!(some.iter().collect::<Vec<_>>(), expected);
    }
}
