//! A model client types at random; after each batch the server's report must
//! be what the library says about the model's own text.

use json_repair_lsp::contract::Response;
use json_repair_lsp::repair::{
    Policy, Repair, Report, RuleSet, candidate, doubt_by_next, is_blank_text, repair_document,
};
use serde_json::{Value, json};

use crate::client::document::{Change, Position, Range};
use crate::client::{Client, frame};
use crate::naive;

const PIECES: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"a\"",
    "1",
    "true",
    "null",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "//",
    "/*",
    "*/",
    "// c\n",
    "/* c */",
    "\\",
    "\\\"",
    "\\u00e9",
    "😀",
    "🌍🌍",
    "é",
    "日",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\u{b}",
    "\u{c}",
    "\u{feff}",
    "\u{fffd}",
    "{\"k\": [1, 2,],}",
    "[[[[",
    "]]]]",
    "\n\n",
    "",
];

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.below(most + 1)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    /// Somewhere in a document of this many lines, or beyond it.
    fn position(&mut self, lines: u32) -> Position {
        let line = self.below(lines as usize + 2) as u32;
        match self.below(12) {
            0 => Position::new(line, u32::MAX),
            1 => Position::new(u32::MAX, self.below(4) as u32),
            _ => Position::new(line, self.below(12) as u32),
        }
    }

    fn change(&mut self, lines: u32) -> Change {
        if self.one_in(60) {
            return Change::full(&self.text(30));
        }
        let start = self.position(lines);
        // Mostly a few characters, sometimes anything, reversed or not.
        let end = match self.below(4) {
            0 => self.position(lines),
            1 => start,
            _ => Position::new(start.line, start.character.saturating_add(self.below(4) as u32)),
        };
        Change { range: Some(Range { start, end }), text: self.text(4) }
    }
}

impl Random {
    /// A value with what people and models leave in it: comments, and commas
    /// that trail.
    fn value(&mut self, depth: usize) -> String {
        const SCALARS: [&str; 8] =
            ["1", "-2.5e3", "true", "null", "\"a\"", "\"😀 // no\"", "\"\\\"\"", "\"日]\""];
        if depth == 0 || self.one_in(3) {
            return SCALARS[self.below(SCALARS.len())].to_owned();
        }
        let is_object = self.one_in(2);
        let mut text = if is_object { "{" } else { "[" }.to_owned();
        let count = self.below(4);
        for index in 0..count {
            text += self.gap();
            if is_object {
                text += "\"k\"";
                text += self.gap();
                text += ":";
            }
            text += &self.value(depth - 1);
            text += self.gap();
            if index + 1 < count || self.one_in(3) {
                text += ",";
            }
        }
        text += self.gap();
        text += if is_object { "}" } else { "]" };
        text
    }

    fn gap(&mut self) -> &'static str {
        const GAPS: [&str; 10] =
            ["", "", "", " ", "\n  ", "\r\n", "\r", " // é c\n", "/* 😀 , ] */", "/* a\r\n b */"];
        GAPS[self.below(GAPS.len())]
    }

    /// A document that is JSON but for comments, trailing commas, and an end
    /// that may be missing.
    fn nearly_json(&mut self) -> String {
        let mut text = self.value(4) + self.gap();
        if self.one_in(2) {
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            text.truncate(boundaries[self.below(boundaries.len())]);
        }
        text + ["", "\n", "\r\n", "\r"][self.below(4)]
    }
}

/// What a document comes to: its candidates, each with where it begins in
/// bytes and in UTF-16 code units, and what is after it.
struct Expected {
    is_lines: bool,
    texts: Vec<String>,
    repairs: Vec<Repair>,
}

impl Expected {
    fn new(uri: &str, text: &str, policy: Policy) -> Expected {
        let is_lines = uri.ends_with(".jsonl");
        let texts: Vec<String> = if is_lines {
            text.split_inclusive('\n').map(str::to_owned).collect()
        } else {
            vec![text.to_owned()]
        };
        let repair = |(index, text): (usize, &String)| {
            let Some(next) = texts.get(index + 1) else { return repair_document(text, policy) };
            let mut report = Report::new(text.as_str(), policy);
            doubt_by_next(&mut report, text.as_str(), next.as_bytes());
            Repair::from(&report)
        };
        let repairs = texts.iter().enumerate().map(repair).collect();
        Expected { is_lines, texts, repairs }
    }

    /// The candidates with their repairs, but for blank lines.
    fn candidates(&self) -> impl Iterator<Item = (&str, Option<&Repair>)> {
        let is_candidate = |text: &str| !self.is_lines || !is_blank_text(text);
        self.texts
            .iter()
            .zip(&self.repairs)
            .map(move |(text, repair)| (&**text, is_candidate(text).then_some(repair)))
    }

    /// The text after the edits of every candidate that is `repaired`.
    fn result(&self, repaired: impl Fn(&Repair) -> bool) -> String {
        let result = |(text, repair): (&str, Option<&Repair>)| match repair {
            Some(repair) if repaired(repair) => repair.edits.apply(text),
            _ => text.to_owned(),
        };
        self.candidates().map(result).collect()
    }

    /// How many edits of a rule there are.
    fn count(&self, code: &str) -> usize {
        let edits = self.candidates().filter_map(|(_, repair)| repair).flat_map(|repair| repair.edits.iter());
        edits.filter(|edit| edit.rule.as_str() == code).count()
    }

    /// What the server must say about the document.
    fn report(&self, version: i64) -> Value {
        let units = |text: &str| text.encode_utf16().count() as u64;
        let (mut source, mut result) = (0, 0);
        let (mut edits, mut lines) = (Vec::new(), Vec::new());
        let mut newlines = 0;
        for (text, repair) in self.candidates() {
            if let Some(repair) = repair {
                let mut response =
                    serde_json::to_value(Response::new(candidate(text), repair)).expect("it is JSON");
                let own = response["edits"].as_array_mut().expect("edits");
                for edit in &mut *own {
                    edit["offset"] = json!(edit["offset"].as_u64().expect("an offset") + source);
                }
                let count = own.len();
                edits.append(own);
                if let Some(offset) = response["json_error"]["offset"].as_u64() {
                    response["json_error"]["offset"] = json!(offset + result);
                }
                let (valid_json, json_error) = (&response["valid_json"], &response["json_error"]);
                if !self.is_lines || count > 0 || !repair.is_valid() {
                    let line = json!({
                        "line": newlines, "edits": count, "valid_json": valid_json, "json_error": json_error
                    });
                    lines.push(line);
                }
                result += units(&repair.edits.apply(text));
            } else {
                result += units(text);
            }
            source += units(text);
            // As LSP counts them.
            newlines +=
                text.matches('\n').count() + text.matches('\r').count() - text.matches("\r\n").count();
        }
        let errors = lines.iter().map(|line| &line["json_error"]);
        let mut report = json!({
            "text": self.result(|_| true),
            "changed": !edits.is_empty(),
            "valid_json": lines.iter().all(|line| line["valid_json"] == true),
            "json_error": errors.into_iter().find(|error| !error.is_null()),
            "edits": edits,
            "version": version,
        });
        if self.is_lines {
            report["lines"] = json!(lines);
        }
        report
    }
}

/// What the naive implementation says about it, if it can be asked: it does not
/// see the line ending of a document behind its candidate.
fn naive_report(text: &str, policy: Policy) -> Option<Value> {
    let candidate = candidate(text);
    if policy == Policy::fix(RuleSet::ALL) {
        Some(naive::repair(candidate, naive::Rules::ALL).to_json())
    } else {
        let is_all = candidate.len() == text.len();
        is_all.then(|| naive::repair_where_comments_are_allowed(candidate, true).to_json())
    }
}

#[test]
fn every_report_is_about_the_clients_own_text() {
    const BATCHES: usize = 20_000;
    // A build that checks its arithmetic takes its time.
    const ACTIONS_IN: usize = if cfg!(debug_assertions) { 40 } else { 8 };
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut client = Client::start();
    // It may log that it clamped a position.
    client.permit_log_messages();
    let documents = [
        ("file:///p/a.json", "json", Policy::fix(RuleSet::ALL)),
        ("file:///p/b.json", "jsonc", Policy::allow_comments(RuleSet::ALL)),
        ("untitled:c", "json", Policy::fix(RuleSet::ALL)),
        ("file:///p/d.jsonl", "jsonl", Policy::fix(RuleSet::ALL)),
    ];
    for (uri, language_id, _) in documents {
        client.open(uri, language_id, "");
    }
    for batch in 0..BATCHES {
        let (uri, language_id, policy) = documents[random.below(documents.len())];
        if random.one_in(100) {
            client.close(uri);
            // Versions may begin anew at any number.
            client.open_version(uri, language_id, random.below(50) as i64, &random.text(20));
        }
        let lines = client.whole(uri).end.line;
        let changes: Vec<Change> = (0..=random.below(4)).map(|_| random.change(lines)).collect();
        let before = client.text(uri);
        let message = client.prepare_change(uri, &changes).to_string();
        // Half of them as VS Code sends them, when a change falls between the
        // halves of a pair.
        let message = if random.one_in(2) { message.replace('\u{fffd}', "\\ud83d") } else { message };
        client.send_bytes(frame(&message));
        let text = client.text(uri);
        let expected = Expected::new(uri, &text, policy);
        for (text, repair) in expected.candidates() {
            let Some((repair, naive)) = repair.zip(naive_report(text, policy)) else { continue };
            let found = serde_json::to_value(Response::new(candidate(text), repair)).expect("it is JSON");
            for field in ["changed", "valid_json", "json_error", "edits"] {
                assert_eq!(found[field], naive[field], "batch {batch}: {text:?}");
            }
        }
        let expected = expected.report(client.version(uri));
        let report = client.report(uri);
        assert_eq!(report, expected, "batch {batch}: {before:?} after {changes:?} is {text:?}");
        if random.one_in(ACTIONS_IN) {
            let range = Range { start: random.position(lines), end: random.position(lines) };
            check_actions(&mut client, uri, policy, range, &format!("batch {batch}: {text:?}"));
        }
        // Mostly short ones, which cost little; some that no chunk of a rope holds.
        let longest = if batch % 2000 < 100 { 4000 } else { 200 };
        if text.len() > longest {
            client.change(uri, &[Change::full("[1,\n2")]);
        }
        if random.one_in(20) {
            let count = report_count(&client.report(uri));
            assert_eq!(client.diagnostics(uri).len(), count, "batch {batch}: {:?}", client.text(uri));
        }
    }
    for (uri, _, _) in documents {
        client.diagnostics(uri);
    }
}

#[test]
fn what_is_nearly_json_is_repaired_or_left_alone() {
    const DOCUMENTS: usize = 300;
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let mut client = Client::start();
    let mut repaired = 0;
    for (uri, language_id, policy) in [
        ("file:///p/a.json", "json", Policy::fix(RuleSet::ALL)),
        ("file:///p/b.jsonc", "jsonc", Policy::allow_comments(RuleSet::ALL)),
        ("file:///p/c.jsonl", "jsonl", Policy::fix(RuleSet::ALL)),
    ] {
        client.open(uri, language_id, "");
        for _ in 0..DOCUMENTS {
            let text = random.nearly_json();
            client.change(uri, &[Change::full(&text)]);
            client.diagnostics(uri);
            let lines = client.whole(uri).end.line;
            let range = Range { start: random.position(lines), end: random.position(lines) };
            check_actions(&mut client, uri, policy, range, &format!("{text:?}"));
            if let Some(action) = client.fix_all(uri) {
                repaired += 1;
                client.apply(uri, &action);
                assert_eq!(client.fix_all(uri), None, "{text:?}");
                // Lines that are not certain stay as they are.
                if !uri.ends_with(".jsonl") {
                    assert_eq!(client.diagnostics(uri).len(), 0, "{text:?}");
                }
            }
        }
    }
    assert!(repaired > DOCUMENTS / 4, "{repaired} repairs are no test");
}

/// Every action can be made, and does what it says.
#[track_caller]
fn check_actions(client: &mut Client, uri: &str, policy: Policy, range: Range, about: &str) {
    let text = client.text(uri);
    let before = Expected::new(uri, &text, policy);
    let repaired = before.result(|_| true);
    for action in client.code_actions_in(uri, range, &json!({"triggerKind": 1})) {
        // The client fails on edits that an editor could not rely on.
        let result = client.result_of(uri, &action);
        let title = action["title"].as_str().unwrap_or_default();
        if title.starts_with("Repair JSON") {
            assert_eq!(result, repaired, "{about}: {title}");
        }
        if action["isPreferred"] == true {
            let code = action["diagnostics"][0]["code"].as_str().unwrap_or_default();
            let after = Expected::new(uri, &result, policy);
            assert!(
                after.count(code) < before.count(code),
                "{about}: {title} leaves its own diagnostic in {result:?}"
            );
        }
    }
    let unasked = before.result(|repair| !repair.unasked().is_empty());
    let result = client.fix_all(uri).map(|action| client.result_of(uri, &action));
    let expected = (unasked != text).then_some(unasked);
    assert_eq!(result, expected, "{about}");
    let edits = client.formatting(uri);
    let formatted = client.result_of_edits(uri, &edits);
    assert_eq!(formatted, expected.unwrap_or(text), "{about}");
}

/// How many diagnostics a report makes: a blank document has none.
fn report_count(report: &Value) -> usize {
    let text = report["text"].as_str().unwrap_or_default();
    let edits = report["edits"].as_array().map_or(0, Vec::len);
    if let Some(lines) = report["lines"].as_array() {
        return edits + lines.iter().filter(|line| line["valid_json"] == false).count();
    }
    let is_blank = edits == 0 && text.trim_matches([' ', '\t', '\n', '\r']).is_empty();
    if is_blank { 0 } else { edits + usize::from(!report["json_error"].is_null()) }
}
