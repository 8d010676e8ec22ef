//! What must hold whatever bytes come: one check for each fuzz target.
//!
//! `fuzz/` runs them on what libFuzzer finds, and `main.rs` beside this file
//! on random bytes and on the finds that were worth keeping. Each compares the
//! crate with something that shares no code with it.

use std::{
    io::{self, Cursor, Write},
    sync::{Arc, Mutex, PoisonError},
};

use json_repair_lsp::{
    contract::{self, ContractErrorCode, Request, Response},
    repair::{Policy, Repair, Report, Rule, RuleSet, candidate, doubt_by_next, is_blank_text, repair},
    server::{
        analysis::Analysis,
        commands,
        documents::{Changed, Documents, Snapshot},
        settings::Settings,
        transport,
    },
};
use serde_json::Value;
use tower_lsp::lsp_types as lsp;

use crate::{
    document::{Change, Position, Range, Text},
    naive::{self, Rules},
};

/// The naive implementation is quadratic.
const LONGEST_TEXT: usize = 2000;

/// Repairs a text by the rules that the first byte names, and by all of a
/// language with comments.
pub fn check_repair(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_TEXT)]);
    let text = &*text;
    let rules = Rules {
        remove_comments: first & 1 != 0,
        close_truncated: first & 2 != 0,
        remove_trailing_commas: first & 4 != 0,
    };
    let response = Response::new(text, &repair(text, Policy::fix(rule_set(rules))));
    assert_eq!(to_value(&response), naive::repair(text, rules).to_json(), "{text:?} {:?}", rules.names());

    let allowed = if rules.close_truncated { RuleSet::ALL } else { RuleSet::NONE };
    let response = Response::new(text, &repair(text, Policy::allow_comments(allowed)));
    let expected = naive::repair_where_comments_are_allowed(text, rules.close_truncated).to_json();
    assert_eq!(to_value(&response), expected, "{text:?} with comments allowed");
}

/// Executes a request of the contract, in both of the ways that there are.
pub fn check_request(bytes: &[u8]) {
    let json = String::from_utf8_lossy(bytes);
    let json = &*json;
    let value = serde_json::from_str::<Value>(json).ok();
    let wanted = value.as_ref().and_then(wanted);
    let executed = Request::from_json(json).and_then(|request| contract::execute(&request));
    match (&executed, &wanted) {
        (Ok(response), Some((text, rules))) if text.len() <= LONGEST_TEXT => {
            assert_eq!(to_value(response), naive::repair(text, *rules).to_json(), "{json}");
        }
        (Ok(_), Some(_)) => {}
        (Ok(_), None) => panic!("{json} is no request, and was executed"),
        (Err(error), Some((text, _))) => {
            // What is given first may be wrong as well; the value has the last.
            let is_twice = |key: &str| json.matches(key).count() > 1;
            let is_given_twice = error.message.contains("given twice")
                || is_twice("\"text\"")
                || is_twice("\"rules\"")
                || json.contains("\\u");
            let is_too_much = error.code == ContractErrorCode::TooManyEdits
                || error.code == ContractErrorCode::TextTooLarge;
            assert!(is_given_twice || is_too_much, "{json}: {}", error.message);
            assert!(!is_too_much || text.len() > 512, "{json}: {}", error.message);
        }
        (Err(error), None) => assert!(!error.message.is_empty(), "{json}"),
    }
    // The command takes JSON that is parsed already, in which nothing can be
    // given twice.
    if let (Some(value), Some(_)) = (value, &wanted) {
        let by_command = commands::execute(std::slice::from_ref(&value));
        if let Ok(response) = &executed {
            assert_eq!(by_command.as_ref().ok(), Some(response), "{json}");
        }
    }
}

/// What a value asks for, if it is a request of the contract.
fn wanted(value: &Value) -> Option<(String, Rules)> {
    let members = value.as_object()?;
    let text = members.get("text")?.as_str()?;
    if members.keys().any(|key| key != "text" && key != "rules") || text.len() > 131_072 {
        return None;
    }
    let rules = match members.get("rules") {
        None => Rules::ALL,
        Some(rules) => {
            let names: Vec<&str> = rules.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
            let is_rule = |name: &&str| Rule::ALL.iter().any(|rule| rule.as_str() == *name);
            let is_repeated = (1..names.len()).any(|at| names[..at].contains(&names[at]));
            if is_repeated || !names.iter().all(is_rule) {
                return None;
            }
            Rules::from_names(names)
        }
    };
    Some((text.to_owned(), rules))
}

/// Serves a client that sends these bytes and then nothing more. The first one
/// says whether it sends an `initialize` before them.
///
/// Every frame of the output is one, and every request has its one answer.
pub fn check_stream(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    if bytes.windows(9).any(|window| window == b"processId") {
        // A client that has died ends the process, and that is this one.
        return;
    }
    let mut input = Vec::new();
    if first & 1 != 0 {
        input
            .extend(frame(r#"{"jsonrpc":"2.0","id":-1,"method":"initialize","params":{"capabilities":{}}}"#));
    }
    input.extend_from_slice(bytes);
    let (expected, is_broken) = expected_answers(&input);
    let output = Output::default();
    let served = transport::serve(Cursor::new(input.clone()), output.clone(), transport::MAX_CONTENT_LENGTH);
    assert!(served.is_ok(), "it cannot start");
    let output = output.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut answers = 0;
    let mut rest = &output[..];
    while !rest.is_empty() {
        let message = take_frame(&mut rest);
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        if message.get("method").is_none() {
            let is_answer = message.get("result").is_some() != message.get("error").is_some();
            assert!(is_answer && message.get("id").is_some(), "{message}");
            answers += 1;
        }
    }
    let expected = expected.0 + usize::from(is_broken)..=expected.1 + usize::from(is_broken);
    let shown = String::from_utf8_lossy(&input);
    assert!(expected.contains(&answers), "{answers} answers, not {expected:?}, to {shown:?}");
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of one frame.
pub fn frame(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Takes the first frame of what the server has written.
fn take_frame(output: &mut &[u8]) -> Value {
    let shown = String::from_utf8_lossy(output).into_owned();
    let frame = output.strip_prefix(b"Content-Length: ").and_then(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length: usize = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        let body = rest[digits..].strip_prefix(b"\r\n\r\n")?;
        *output = body.get(length..)?;
        serde_json::from_slice(&body[..length]).ok()
    });
    frame.unwrap_or_else(|| panic!("no frame: {shown:?}"))
}

/// How many answers a stream must get, at least and at most, and whether its
/// frames cannot be told apart at some place.
fn expected_answers(mut input: &[u8]) -> ((usize, usize), bool) {
    let (mut least, mut most) = (0, 0);
    loop {
        let mut length = None;
        loop {
            let Some(end) = input.iter().position(|byte| *byte == b'\n') else {
                return ((least, most), input.len() >= 16 * 1024);
            };
            let line = String::from_utf8_lossy(&input[..end]).into_owned();
            input = &input[end + 1..];
            let line = line.trim_matches([' ', '\t', '\r', '\n', '\x0c']);
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { return ((least, most), true) };
            let [name, value] = [name, value].map(|part| part.trim_matches([' ', '\t', '\r', '\x0c']));
            let is_token = |byte: u8| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_token) {
                return ((least, most), true);
            }
            if name.eq_ignore_ascii_case("content-length") {
                let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number = value.parse::<u64>().ok().filter(|number| is_number && *number <= 1 << 30);
                let Some(number) = number.map(|number| number as usize) else { return ((least, most), true) };
                if length.is_some_and(|length| length != number) {
                    return ((least, most), true);
                }
                length = Some(number);
            }
        }
        let Some(length) = length else { return ((least, most), true) };
        let Some(body) = input.get(..length) else { return ((least, most), false) };
        input = &input[length..];
        let Ok(message) = serde_json::from_slice::<Value>(body) else {
            // Lone surrogates may be all that is wrong with it.
            let has_escape = body.windows(2).any(|window| window == b"\\u");
            if has_escape && String::from_utf8_lossy(body).contains("exit") {
                return ((0, usize::MAX / 2), false);
            }
            least += usize::from(!has_escape);
            most += 1;
            continue;
        };
        let has = |key: &str| message.get(key).is_some();
        match message.get("method") {
            Some(Value::String(method)) if method == "exit" => return ((least, most), false),
            Some(Value::String(_)) if has("id") => (least, most) = (least + 1, most + 1),
            // A notification, if nothing is wrong with the rest of it.
            Some(Value::String(_)) => most += 1,
            None if has("id") && (has("result") || has("error")) => most += 1,
            _ => (least, most) = (least + 1, most + 1),
        }
    }
}

/// A client that opens, changes, closes and reopens a document, against the
/// tests' own model of one and against reports that are made from nothing.
pub fn check_changes(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let settings = Settings::default();
    let Ok(uri) = lsp::Url::parse("file:///p/a.json") else { return };
    let mut documents = Documents::default();
    let language_id = ["json", "jsonc", "jsonl"][usize::from(bytes.next() % 3)];
    let mut version = 0;
    let mut text = Text::new("");
    let open = |documents: &mut Documents, version: i32, text: &str| {
        let (uri, language_id) = (uri.clone(), language_id.to_owned());
        let item = lsp::TextDocumentItem { uri, language_id, version, text: text.to_owned() };
        documents.open(item, &settings);
    };
    open(&mut documents, version, "");
    let mut kept = Vec::new();
    while !bytes.0.is_empty() {
        let action = bytes.next();
        version += 1;
        if action < 8 {
            documents.close(&uri);
            version = i32::from(action);
            let opened = bytes.text();
            text = Text::new(&opened);
            open(&mut documents, version, &opened);
        } else {
            let changes: Vec<Change> = (0..action % 4).map(|_| bytes.change()).collect();
            changes.iter().for_each(|change| text.change(change));
            let events = changes.iter().map(event).collect();
            let identifier = lsp::VersionedTextDocumentIdentifier { uri: uri.clone(), version };
            assert_eq!(documents.change(&identifier, events), Changed::ToNewVersion);
        }
        let Some(snapshot) = documents.get(&uri) else { panic!("it is open and in step") };
        let expected = text.to_text();
        assert_eq!((snapshot.rope().to_string(), snapshot.version), (expected.clone(), version));
        if action & 16 != 0 {
            check_analysis(&expected, &snapshot);
        }
        if action & 32 != 0 {
            // Somebody answers from it later.
            kept.push(snapshot);
        }
        if expected.len() > LONGEST_TEXT {
            break;
        }
    }
    for snapshot in kept {
        check_analysis(&snapshot.rope().to_string(), &snapshot);
    }
}

fn check_analysis(text: &str, snapshot: &Snapshot) {
    let Analysis::Lines(lines) = snapshot.analysis() else {
        return snapshot.candidates().for_each(|all| check_report(text, snapshot.policy, &all.report));
    };
    let mut found = snapshot.candidates();
    let mut start = 0;
    let (mut candidates, mut edits, mut invalid) = (0, 0, 0);
    let mut texts = text.split('\n').peekable();
    while let Some(line) = texts.next() {
        let candidate = candidate(line);
        let naive = naive::repair(candidate, Rules::ALL);
        if !is_blank_text(candidate) {
            candidates += 1;
            if naive.changed || !naive.valid_json {
                edits += naive.edits.len();
                invalid += usize::from(!naive.valid_json);
                let Some(found) = found.next() else { panic!("nothing is found in {candidate:?}") };
                assert_eq!((found.start, found.report.candidate_len()), (start, candidate.len()), "{text:?}");
                let mut expected = Report::new(candidate, snapshot.policy);
                let next = texts.peek().map_or(&b""[..], |next| next.as_bytes());
                doubt_by_next(&mut expected, candidate, next);
                let expected = Repair::from(&expected);
                assert_eq!(Repair::from(&*found.report), expected, "{text:?}");
                assert_eq!(to_value(&Response::new(candidate, &expected)), naive.to_json(), "{text:?}");
            }
        }
        start += line.len() + 1;
    }
    assert!(found.next().is_none(), "{text:?}");
    let counted = (lines.candidate_count(), snapshot.analysis().edit_count(), lines.invalid_count());
    assert_eq!(counted, (candidates, edits, invalid), "{text:?}");
}

fn check_report(text: &str, policy: Policy, report: &Report) {
    let found = Repair::from(report);
    assert_eq!(found, Repair::from(&Report::new(text, policy)), "{text:?}");
    let candidate = candidate(text);
    let naive = if policy == Policy::fix(RuleSet::ALL) {
        naive::repair(candidate, Rules::ALL)
    } else if candidate.len() == text.len() {
        naive::repair_where_comments_are_allowed(candidate, true)
    } else {
        // Its line ending is the document's, which the naive one does not see.
        return;
    };
    assert_eq!(to_value(&Response::new(candidate, &found)), naive.to_json(), "{text:?}");
}

fn event(change: &Change) -> lsp::TextDocumentContentChangeEvent {
    let position = |at: Position| lsp::Position { line: at.line, character: at.character };
    let range =
        change.range.map(|range| lsp::Range { start: position(range.start), end: position(range.end) });
    lsp::TextDocumentContentChangeEvent { range, range_length: None, text: change.text.clone() }
}

/// Bytes that decide, and zero when there are no more.
struct Bytes<'bytes>(&'bytes [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn text(&mut self) -> String {
        let length = usize::from(self.next() % 32).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        // Bytes that are no characters of their own stand for longer ones.
        let wide = ["😀", "é", "\u{2028}", "\u{85}", "日", "\r\n", "/*", "*/", "//", "\\u00"];
        let piece = |byte: &u8| match byte {
            0..128 => char::from(*byte).to_string(),
            _ => wide[usize::from(*byte) % wide.len()].to_owned(),
        };
        text.iter().map(piece).collect()
    }

    fn position(&mut self) -> Position {
        let (line, character) = (self.next(), self.next());
        let beyond = |number: u8, bound| if number == 255 { u32::MAX } else { u32::from(number % bound) };
        Position { line: beyond(line, 6), character: beyond(character, 24) }
    }

    fn change(&mut self) -> Change {
        let range = (self.next() > 15).then(|| Range { start: self.position(), end: self.position() });
        Change { range, text: self.text() }
    }
}

fn rule_set(rules: Rules) -> RuleSet {
    Rule::ALL.into_iter().filter(|rule| rules.names().contains(&rule.as_str())).collect()
}

fn to_value(response: &Response) -> Value {
    serde_json::to_value(response).unwrap_or_default()
}
