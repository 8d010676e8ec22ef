//! `execute`: the contract over a pipe.

use std::{
    io::Write,
    process::{Child, ChildStdin},
    sync::mpsc::Receiver,
};

use serde_json::{Value, json};

use crate::command::{PATIENCE, Workspace, lines, wait};

/// The answers to `input`, and the exit status.
fn execute(input: impl AsRef<[u8]>) -> (Vec<Value>, Option<i32>) {
    let run = Workspace::new().run_with_input(&["execute"], input);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.is_empty() || run.stdout.ends_with('\n'));
    let answers =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    (answers, run.code)
}

/// Each answer in short: the text, or the error's code.
fn in_short(answers: &[Value]) -> Vec<&str> {
    answers
        .iter()
        .map(|answer| answer["text"].as_str().or(answer["error"]["code"].as_str()).expect("an answer"))
        .collect()
}

#[test]
fn every_vector_is_answered_as_the_contract_says() {
    let vectors: Vec<Value> = include_str!("../vectors/contract.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a vector"))
        .collect();
    assert_eq!(vectors.len(), 3000);
    // One a line, and one right after the other.
    for separator in ["\n", ""] {
        let requests: Vec<String> = vectors.iter().map(|vector| vector["request"].to_string()).collect();
        let (answers, code) = execute(requests.join(separator));
        assert_eq!((answers.len(), code), (3000, Some(0)));
        for (vector, answer) in vectors.iter().zip(&answers) {
            assert_eq!(*answer, vector["response"], "{}", vector["request"]);
        }
    }
}

#[test]
fn an_answer_has_the_contracts_order_of_fields() {
    let run =
        Workspace::new().run_with_input(&["execute"], r#"{"text": "[1,", "rules": ["close_truncated"]}{}"#);
    let expected = r#"{"text":"[1,]","changed":true,"valid_json":false,"json_error":{"code":"unexpected_character","offset":3},"edits":[{"rule":"close_truncated","offset":3,"removed":"","inserted":"]"}]}
{"error":{"code":"invalid_request","message":"missing field `text` at line 1 column 2"}}
"#;
    assert_eq!(run.stdout, expected);
}

#[test]
fn requests_are_found_wherever_they_end() {
    const WRONG: &str = "invalid_request";
    for (input, expected) in [
        (&b""[..], &[][..]),
        (b"\n \r\n\t\n", &[]),
        (b"{\"text\":\"1\"}", &["1"]),
        (b"{\"text\":\"1\"}{\"text\":\"2\"} {\"text\":\"3\"}\r\n\n{\"text\":\"4\"}\n", &["1", "2", "3", "4"]),
        (b"{\n  \"text\":\n  \"1\"\n}\n{\"text\":\"2\"}", &["1", "2"]),
        (b"{\"text\":\"}{\\\"\\\\\"}{\"text\":\"\"}", &["}{\"\\", ""]),
        // A request that is JSON, and wrong.
        (b"{}{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":1}{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"\",\"more\":1}{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"\",\"rules\":[\"x\"]}{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"\\ud800\"}{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"[1,[2]]{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"\"text\"{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"true{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"null", &[WRONG]),
        (b"12\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"12 13\t{\"text\":\"1\"}", &[WRONG, WRONG, "1"]),
        (b"12", &[WRONG]),
        (b"-0.5e3", &[WRONG]),
        // A request that is not JSON: the next one begins in the next line.
        (b"{\"text\" \"0\"} {\"text\":\"0\"}\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"a\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"\\q\"}\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"1\"}, {\"text\":\"0\"}\n{\"text\":\"2\"}", &["1", WRONG, "2"]),
        (b"nope {\"text\":\"0\"}\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"1{\"text\":\"0\"}\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"\xEF\xBB\xBF{\"text\":\"0\"}\n{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"]\n]\n{\"text\":\"1\"}", &[WRONG, WRONG, "1"]),
        (b"\0\n{\"text\":\"1\"}", &[WRONG, "1"]),
        // Not UTF-8.
        (b"{\"text\":\"\xFF\"}{\"text\":\"1\"}", &[WRONG, "1"]),
        (b"{\"text\":\"\xC3\"}{\"text\":\"\xC3\xA9\"}", &[WRONG, "é"]),
        (b"\xFF{\"text\":\"0\"}\n{\"text\":\"1\"}", &[WRONG, "1"]),
        // The input ends inside a request.
        (b"{\"text\":\"1\"}{\"text\":", &["1", WRONG]),
        (b"{\"text\":\"1", &[WRONG]),
        (b"tru", &[WRONG]),
        (b"-", &[WRONG]),
    ] {
        let (answers, code) = execute(input);
        let shown = String::from_utf8_lossy(input);
        assert_eq!(in_short(&answers), expected, "{shown}");
        assert_eq!(code, Some(i32::from(expected.contains(&WRONG))), "{shown}");
    }
}

#[test]
fn an_error_says_what_is_wrong() {
    for (input, message) in [
        ("{\"text\":\"1\",\"x\":1}", "unknown field `x`"),
        ("{\"text\" 1}", "the request is not JSON: unexpected_character at its byte 8, expected `:`"),
        ("{\"text\":\"1\"", "the input ends inside a request: expected `,` or `}`"),
        ("42", "invalid type: integer `42`, expected a request object"),
        ("{\"text\":\"1\",\"text\":\"2\"}", "`text` is given twice"),
    ] {
        let (answers, code) = execute(input);
        let found = answers[0]["error"]["message"].as_str().expect("a message");
        assert!(found.contains(message), "{found}");
        assert_eq!((answers.len(), code), (1, Some(1)));
    }
}

#[test]
fn limits_are_the_contracts() {
    let request = |text: &str| json!({ "text": text }).to_string();
    // As long as a request can be: every byte of the text an escape of six.
    let escaped = format!("{{\"text\":\"{}\"}}", "\\u0020".repeat(131_072));
    let (answers, code) = execute(escaped + &request(&" ".repeat(131_072)));
    assert_eq!((answers.len(), code), (2, Some(0)));
    assert!(answers.iter().all(|answer| answer["text"].as_str().map(str::len) == Some(131_072)));

    let inputs = [
        (request(&"x".repeat(131_073)), "text_too_large"),
        (request(&"é".repeat(65_537)), "text_too_large"),
        (request(&"x".repeat(10_000_000)), "text_too_large"),
        (request(&"x".repeat(10_000_000)) + "\n", "text_too_large"),
        (format!("{{{}\"text\":\"1\"}}", " ".repeat(10_000_000)), "text_too_large"),
        (request(&"[1,],".repeat(513)), "too_many_edits"),
        (format!("{}{}\n", "[".repeat(100), "]".repeat(100)), "invalid_request"),
        (format!("{}{}\n", "[".repeat(1_000_000), "]".repeat(1_000_000)), "invalid_request"),
    ];
    for (input, expected) in inputs {
        let (answers, code) = execute(input + &request("[1,"));
        assert_eq!((in_short(&answers), code), (vec![expected, "[1]"], Some(1)));
    }
    let (answers, code) = execute(format!("{{\"text\":\"{}", "x".repeat(10_000_000)));
    assert_eq!((in_short(&answers), code), (vec!["text_too_large"], Some(1)));
    let (answers, code) = execute(request(&"[1,],".repeat(512)));
    assert_eq!((answers[0]["edits"].as_array().map(Vec::len), code), (Some(512), Some(0)));
}

/// A conversation: `execute` does not know how much is still to come.
struct Conversation {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<String>,
}

impl Conversation {
    fn new() -> Conversation {
        let mut child = Workspace::new().command(&["execute"]).spawn().expect("it starts");
        let stdin = child.stdin.take().expect("a pipe");
        let answers = lines(child.stdout.take().expect("a pipe"));
        Conversation { child, stdin, answers }
    }

    fn send(&mut self, input: &[u8]) {
        self.stdin.write_all(input).and_then(|()| self.stdin.flush()).expect("it reads");
    }

    fn answer(&self) -> Value {
        let line = self.answers.recv_timeout(PATIENCE).expect("an answer");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    fn end(mut self) -> Option<i32> {
        drop(self.stdin);
        wait(&mut self.child)
    }
}

#[test]
fn an_answer_comes_before_the_next_request() {
    let mut conversation = Conversation::new();
    for (index, input) in [
        // No line break tells that a request is over.
        &b"{\"text\":\"[0\"}"[..],
        b"\n{\"text\":\"[1\"}\n",
        b"{\"text\":\"[2\"}{\"text\":\"[3",
    ]
    .into_iter()
    .enumerate()
    {
        conversation.send(input);
        assert_eq!(conversation.answer()["text"], format!("[{index}]"));
    }
    // Cut anywhere, even inside a character.
    for byte in "é\\u00e9\"}".bytes() {
        conversation.send(&[byte]);
    }
    assert_eq!(conversation.answer()["text"], "[3éé]");
    conversation.send(b"{\"text\": oops");
    assert_eq!(conversation.answer()["error"]["code"], "invalid_request");
    conversation.send(b"\n{\"text\":\"[]\"}");
    assert_eq!(conversation.answer()["text"], "[]");
    assert_eq!(conversation.end(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_whatever_arrives() {
    let mut conversation = Conversation::new();
    let status = format!("/proc/{}/status", conversation.child.id());
    for filler in ["x", "[", " "] {
        conversation.send(match filler {
            "x" => b"{\"text\":\"",
            "[" => b"[",
            _ => b"{",
        });
        let piece = filler.repeat(1 << 20);
        for _ in 0..16 {
            conversation.send(piece.as_bytes());
        }
        conversation.send(b"\n{\"text\":\"[1\"}\n");
        if filler == " " {
            conversation.send(b"oops\n{\"text\":\"[1\"}");
        }
        let is_wrong = |answer: &Value| answer["error"].is_object();
        assert!(is_wrong(&conversation.answer()), "{filler}");
        while is_wrong(&conversation.answer()) {}
    }
    let status = std::fs::read_to_string(status).expect("Linux tells");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak: usize = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    // Half of what was sent; the binary itself takes some, more of it the larger it is.
    assert!(peak < 24 * 1024, "{peak} kB");
    assert_eq!(conversation.end(), Some(1));
}
