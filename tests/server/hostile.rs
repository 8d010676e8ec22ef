//! Broken clients: what they send, what they do not read, and how they end.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{
    Client, PATIENCE, SERVER,
    document::{Change, Range},
    frame, frame_with_header,
};

const URI: &str = "file:///p/a.json";

/// A server whose client does by itself whatever a client should not.
struct Raw {
    child: Child,
    /// `None` once another thread writes.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Raw {
    fn start() -> Raw {
        let mut child = Command::new(SERVER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary can be run");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut raw = Raw { child, input, output };
        let params = json!({"processId": std::process::id(), "capabilities": {}});
        raw.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        raw.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        assert_eq!(read(&mut raw.output).expect("an answer")["id"], 0);
        raw
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("this thread writes");
        input.write_all(&frame(&message.to_string())).expect("the server reads");
    }

    fn wait(&mut self) -> std::process::ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next message of the server; `None` at the end.
fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut header = String::new();
    output.read_line(&mut header).expect("a header is text");
    if header.is_empty() {
        return None;
    }
    let length = header.trim_end().strip_prefix("Content-Length: ").expect("a header");
    output.read_line(&mut String::new()).expect("an empty line");
    let mut body = vec![0; length.parse().expect("a length")];
    output.read_exact(&mut body).expect("a body");
    Some(serde_json::from_slice(&body).expect("JSON"))
}

/// Reads on until the answer to the request with this id.
fn read_to_answer(output: &mut impl BufRead, id: i64, mut other: impl FnMut(Value)) {
    loop {
        let message = read(output).expect("the server lives");
        if message["id"] == id {
            return;
        }
        other(message);
    }
}

/// A number of kB that Linux tells of a process; `None` elsewhere.
fn memory(process: u32, field: &str) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Waits for a line of the server's log.
#[track_caller]
fn wait_for_log(client: &Client, line: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !client.standard_error().contains(line) {
        assert!(Instant::now() < deadline, "no {line:?} in {:?}", client.standard_error());
        thread::sleep(Duration::from_millis(2));
    }
}

#[track_caller]
fn report_error(client: &mut Client) -> i64 {
    client.execute_command_error("jsonRepair.report", json!([{"uri": URI}])).code
}

#[test]
fn any_nesting_and_any_bytes_are_answered_and_life_goes_on() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    let nested = |open: &str, close: &str| {
        let params = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let head = r#"{"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": "#;
        format!("{head}{params}}}").into_bytes()
    };
    for body in [
        nested("[", "]"),
        nested("{\"a\":", "}"),
        nested("[", ""),
        b"\xFF\xFE{\0}\0".to_vec(),
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xC3\"}".to_vec(),
        b"\xEF\xBB\xBF{}".to_vec(),
        Vec::new(),
        b"\0".to_vec(),
    ] {
        client.send_bytes([format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat());
        assert_eq!(client.answer_to_nobody().code, -32700);
        assert!(client.fix_all(URI).is_some(), "the document is as it was");
    }
}

#[test]
fn where_frames_cannot_be_told_apart_it_says_so_and_ends() {
    for garbage in [
        "hello\r\n",
        "\r\n",
        "Content-Type: x\r\n\r\n{}",
        "Content-Length: -1\r\n\r\n{}",
        "Content-Length: 0x2\r\n\r\n{}",
        "Content-Length: 1073741825\r\n\r\n{}",
        "Content-Length: 99999999999999999999999999\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        "{\"jsonrpc\": \"2.0\", \"method\": \"exit\"}\n",
    ] {
        let mut client = Client::start();
        client.open(URI, "json", "[1,]");
        client.send_bytes(garbage.as_bytes().to_vec());
        assert_eq!(client.answer_to_nobody().code, -32700, "{garbage:?}");
        assert_eq!(client.exit_status(), 1, "{garbage:?}");
        wait_for_log(&client, "no stream of frames any more");
    }
    // A header without end.
    let mut client = Client::start();
    client.send_bytes(b"X".repeat(20_000));
    assert_eq!(client.answer_to_nobody().code, -32700);
    assert_eq!(client.exit_status(), 1);
    // A length that is too short leaves a rest that is no header: the answer
    // to the cut body comes first.
    let mut client = Client::start();
    let body = r#"{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}"#;
    client.send_bytes(frame_with_header("Content-Length: 20\r\n\r\n", body));
    client.send_bytes(frame(body));
    assert_eq!(client.answer_to_nobody().code, -32700);
    assert_eq!(client.answer_to_nobody().code, -32700);
    assert_eq!(client.exit_status(), 1);
    wait_for_log(&client, "no stream of frames any more");
}

#[test]
fn a_length_takes_no_memory_before_its_bytes_do() {
    let mut client = Client::start();
    client.barrier();
    let before = memory(client.process_id_of_server(), "VmRSS");
    client.send_bytes(b"Content-Length: 1073741824\r\n\r\n{\"jsonrpc\"".to_vec());
    // Silence is no message: nothing tells that it has been read.
    thread::sleep(Duration::from_millis(200));
    assert!(client.is_running());
    if let (Some(before), Some(now)) = (before, memory(client.process_id_of_server(), "VmRSS")) {
        assert!(now < before + 16 * 1024, "{before} kB, then {now} kB");
    }
    client.close_input();
    assert_eq!(client.exit_status(), 1);
    wait_for_log(&client, "the input ends inside a frame");
}

#[test]
fn a_longest_message_is_as_configured() {
    let mut client = Client::builder().environment("JSON_REPAIR_LSP_MAX_MESSAGE", "5000").start();
    client.open(URI, "json", &" ".repeat(4000));
    client.send_bytes(b"Content-Length: 5000\r\n\r\n".to_vec());
    client.send_bytes(b" ".repeat(5000));
    assert_eq!(client.answer_to_nobody().code, -32700);
    client.send_bytes(b"Content-Length: 5001\r\n\r\n".to_vec());
    assert_eq!(client.answer_to_nobody().message, "\"Content-Length: 5001\": at most 5000 bytes");
    assert_eq!(client.exit_status(), 1);
}

/// Whatever keeps a change from its handler, nothing is answered from the text
/// without it, and the user is told once.
#[test]
fn a_change_that_does_not_arrive_is_a_lost_one() {
    let change = |extra: &str| {
        let params = format!(
            r#""params": {{"textDocument": {{"uri": "{URI}", "version": 2}}, "contentChanges": []}}"#
        );
        format!(r#"{{"method": "textDocument/didChange", {extra}{params}}}"#)
    };
    let reopen = r#"{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "URI", "languageId": "json", "version": 2.5, "text": "[2]"}}}"#;
    let nested = format!(r#""jsonrpc": "2.0", "x": {}{}, "#, "[".repeat(200), "]".repeat(200));
    for (body, code) in [
        (format!("[{}]", change(r#""jsonrpc": "2.0", "#)), Some(-32600)),
        (change(r#""jsonrpc": "2.0", "id": 77, "#).replace("77", "null"), Some(-32600)),
        (change(r#""jsonrpc": "1.0", "#), Some(-32600)),
        (change(""), Some(-32600)),
        (change(&nested), Some(-32700)),
        (change("\u{1}").replace('/', "\\/"), Some(-32700)),
        // Escapes in its name, and a backslash in the text before it.
        (change("\u{1}").replace("textDocument/", "\\u0074extDocument\\u002f"), Some(-32700)),
        (change("\u{1}").replace("Change", "\\u0043\\u0068ange"), Some(-32700)),
        (format!("[{}]", change("").replace("did", "\\u0064\\u0069d")), Some(-32600)),
        (
            r#"{"params": {"text": "\\"}, x, "method": "textDocument\/didChang\u0065"}"#.to_owned(),
            Some(-32700),
        ),
        // Its name cut off, or not there yet.
        (r#"{"jsonrpc": "2.0", "method": "textDocument/didOpen"#.to_owned(), Some(-32700)),
        (r#"{"jsonrpc": "2.0", "method": "textDocument/didCh"#.to_owned(), Some(-32700)),
        (r#" {"params": {"text": "\"method\": \"x\""}, "meth"#.to_owned(), Some(-32700)),
        (reopen.replace("URI", URI), None),
        (r#"{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {}}"#.to_owned(), None),
        (r#"{"jsonrpc": "2.0", "method": "textDocument/didChange"}"#.to_owned(), None),
    ] {
        let mut client = Client::start();
        client.permit_log_messages();
        client.open(URI, "json", "[1,]");
        client.permit_clearing(URI);
        client.send_bytes(frame(&body));
        client.shown_message();
        assert_eq!(report_error(&mut client), -32803, "{body}");
        assert_eq!(client.fix_all(URI), None, "{body}");
        if let Some(code) = code {
            assert_eq!(client.answer_to_nobody().code, code, "{body}");
        }
        client.send_bytes(frame(&body));
        if let Some(code) = code {
            assert_eq!(client.answer_to_nobody().code, code, "{body}");
        }
        client.change(URI, &[Change::full("[1,]")]);
        assert_eq!(client.diagnostics(URI).len(), 1, "{body}");
    }
    // With an id that can be answered it is answered.
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    client.permit_clearing(URI);
    let params = json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": []});
    client.request_error("textDocument/didChange", params);
    client.shown_message();
    assert_eq!(report_error(&mut client), -32803);
}

/// Nothing is known of its text, and nobody finds out by himself why there are
/// no diagnostics.
#[test]
fn a_change_of_what_is_not_open_is_told_once() {
    let change = |uri: &str| {
        let changes = json!([{"text": "[1,]"}]);
        json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": changes})
    };
    let mut client = Client::start();
    client.permit_log_messages();
    for _ in 0..2 {
        for _ in 0..3 {
            client.notify("textDocument/didChange", change(URI));
            assert_eq!(report_error(&mut client), -32803);
        }
        assert!(client.shown_message().contains(URI));
        // What cannot be decoded is no news of it either.
        let item = json!({"uri": URI, "languageId": "json", "version": 2.5, "text": "[2]"});
        client.notify("textDocument/didOpen", json!({"textDocument": item}));
        assert_eq!(report_error(&mut client), -32803);
        assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
        client.close(URI);
    }
    // Whoever makes names up gets no message for each.
    for index in 0..1000 {
        client.notify("textDocument/didChange", change(&format!("file:///p/{index}.json")));
    }
    let mut told: Vec<String> = (0..64).map(|_| client.shown_message()).collect();
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), 64);
    client.barrier();
}

/// An opening that cannot be decoded opens nothing: the changes after it are
/// no news.
#[test]
fn a_lost_opening_is_told_once() {
    let mut client = Client::start();
    client.permit_log_messages();
    let item = json!({"uri": URI, "languageId": "json", "version": "one", "text": "[2,]"});
    client.notify("textDocument/didOpen", json!({"textDocument": item}));
    let params = json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "[1,]"}]});
    client.notify("textDocument/didChange", params);
    assert_eq!(report_error(&mut client), -32803);
    client.shown_message();
}

/// One version goes without its diagnostics, and the next has them.
#[test]
fn a_publication_that_panics_does_not_silence_its_document() {
    // The fault is built into the server for this test alone.
    if !cfg!(debug_assertions) {
        return;
    }
    let mut client = Client::start();
    client.permit_panics();
    client.open(URI, "json", "[1]");
    client.execute_command("jsonRepair.debug.panic", json!(["next"]));
    client.change(URI, &[Change::replace("0:2", ",")]);
    wait_for_log(&client, "a publication panicked");
    assert!(client.fix_all(URI).is_some());
    client.change(URI, &[Change::replace("0:3", " ")]);
    assert_eq!(client.diagnostics(URI).len(), 1);
    assert!(client.published(URI).iter().all(|published| published.version != Some(2)));
}

/// tower-lsp calls some of the handlers, the transport the others.
#[test]
fn a_panic_is_an_error_answer_whoever_calls_the_handler() {
    // As above.
    if !cfg!(debug_assertions) {
        return;
    }
    let mut client = Client::start();
    client.permit_panics();
    client.open(URI, "json", "[1,]");
    let document = json!({"uri": URI});
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let only = json!({"diagnostics": [], "only": ["source.fixAll.jsonRepair"]});
    let range = Range::parse("0:0").to_json();
    for (method, params) in [
        ("textDocument/formatting", json!({"textDocument": document, "options": options})),
        ("textDocument/codeAction", json!({"textDocument": document, "range": range, "context": only})),
        ("workspace/executeCommand", json!({"command": "jsonRepair.report", "arguments": [document]})),
    ] {
        client.execute_command("jsonRepair.debug.panic", json!(["next"]));
        assert_eq!(client.request_error(method, params.clone()).code, -32603, "{method}");
        assert!(!client.request(method, params).is_null(), "{method}");
    }
}

#[test]
fn what_is_no_change_of_a_text_loses_none() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.open(URI, "json", "[1,]");
    for body in [
        r#"{"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"#,
        r#"{"jsonrpc": "2.0", "method": "workspace/didChangeWatchedFiles", "params": "#,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "textDocument/codeAction", "params": {"#,
    ] {
        client.send_bytes(frame(body));
        assert_eq!(client.answer_to_nobody().code, -32700, "{body}");
    }
    client.notify("workspace/didChangeConfiguration", json!([]));
    assert!(client.fix_all(URI).is_some());
}

#[test]
fn of_two_initializes_only_the_first_counts() {
    let mut client = Client::builder().spawn();
    let params = client.initialize_params();
    // One that cannot be decoded is none.
    assert_eq!(client.request_error("initialize", json!({"capabilities": 5})).code, -32602);
    let (first, first_message) = client.prepare_request("initialize", params.clone());
    let (second, second_message) = client.prepare_request("initialize", params);
    client.send_all(&[first_message, second_message]);
    assert!(client.answer(first).is_ok());
    assert_eq!(client.answer(second).expect_err("it is the second").code, -32600);
    client.barrier();
    // The editor is watched once.
    let threads = format!("/proc/{}/task", client.process_id_of_server());
    let watches = || {
        let threads = std::fs::read_dir(&threads).ok()?;
        let names =
            threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok());
        Some(names.filter(|name| name.trim() == "client watch").count())
    };
    // A thread gives itself its name, which may be later.
    let deadline = Instant::now() + PATIENCE;
    while watches() == Some(0) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(matches!(watches(), None | Some(1)), "{:?}", watches());
    client.shutdown();
    assert_eq!(client.exit(), 0);
}

#[cfg(unix)]
#[test]
fn a_signal_to_terminate_ends_it() {
    use std::os::unix::process::ExitStatusExt;

    let mut raw = Raw::start();
    let kill = Command::new("kill").args(["-TERM", &raw.child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()), "there is a `kill`");
    assert_eq!(raw.wait().signal(), Some(15));
}

#[test]
fn an_output_that_nobody_can_read_ends_it() {
    let mut child = Command::new(SERVER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be run");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("it is piped");
    // The answer to it finds no reader; the input stays open.
    let _ = input.write_all(&frame("{}"));
    let status = child.wait().expect("a child can be waited for");
    assert_eq!(status.code(), Some(1));
    let mut log = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut log).expect("a log is text");
    assert!(log.contains("the output cannot be written") && !log.contains("panicked"), "{log}");
}

/// The pipe takes some of it; what is not read after that waits, and of each
/// document only the newest.
#[test]
fn who_does_not_read_gets_the_newest_diagnostics_later() {
    const DOCUMENTS: usize = 20;
    const CHANGES: usize = 50;
    let mut raw = Raw::start();
    let text = "[1,],".repeat(200);
    let uri = |index: usize| format!("file:///p/{index}.json");
    for index in 0..DOCUMENTS {
        let item = json!({"uri": uri(index), "languageId": "json", "version": 0, "text": text});
        raw.send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}),
        );
    }
    for version in 1..=CHANGES {
        for index in 0..DOCUMENTS {
            let change = Change::replace("0:0", "[1,],").to_json();
            let params =
                json!({"textDocument": {"uri": uri(index), "version": version}, "contentChanges": [change]});
            raw.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}));
        }
    }
    let peak = memory(raw.child.id(), "VmHWM");
    raw.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}));
    let mut versions = [-1; DOCUMENTS];
    let mut count = 0;
    let mut note = |message: Value| {
        let index = (0..DOCUMENTS).find(|index| message["params"]["uri"] == uri(*index)).expect("a document");
        let version = message["params"]["version"].as_i64().expect("a version");
        assert!(versions[index] < version, "{version} behind {}", versions[index]);
        versions[index] = version;
        count += 1;
        versions.iter().all(|version| *version == CHANGES as i64)
    };
    let mut are_all_newest = false;
    read_to_answer(&mut raw.output, 1, |message| are_all_newest = note(message));
    while !are_all_newest {
        are_all_newest = note(read(&mut raw.output).expect("the server lives"));
    }
    assert!(count < DOCUMENTS * CHANGES / 2, "{count} publications");
    if let Some(peak) = peak {
        assert!(peak < 128 * 1024, "{peak} kB");
    }
}

/// Answers are not forgotten, so that whoever does not read them has to stop
/// asking: memory stays where it is, and all of them come in the end.
#[test]
fn who_does_not_read_answers_gets_no_more_of_them_made() {
    const REQUESTS: usize = 40;
    let mut raw = Raw::start();
    let mut input = raw.input.take().expect("it has not been taken");
    // An error that repeats four megabytes.
    let command = "x".repeat(4 << 20);
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let writer = thread::spawn(move || {
        for id in 1..=REQUESTS {
            let params = json!({"command": command, "arguments": []});
            let request =
                json!({"jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": params});
            if input.write_all(&frame(&request.to_string())).is_err() {
                break;
            }
            counter.fetch_add(1, Ordering::SeqCst);
        }
        input
    });
    // Until the server stops reading, or has read everything.
    let mut before = usize::MAX;
    while before != sent.load(Ordering::SeqCst) && !writer.is_finished() {
        before = sent.load(Ordering::SeqCst);
        thread::sleep(Duration::from_secs(2));
    }
    let peak = memory(raw.child.id(), "VmHWM");
    for id in 1..=REQUESTS as i64 {
        read_to_answer(&mut raw.output, id, |message| panic!("{message}"));
    }
    if let Some(peak) = peak {
        // 64 MiB of answers, as many of requests, and what is in hand.
        assert!(peak < 176 * 1024, "{peak} kB");
        assert!(before < REQUESTS, "all requests were read");
    }
    let mut input = writer.join().expect("the writer does not panic");
    let exit = json!({"jsonrpc": "2.0", "method": "exit"}).to_string();
    input.write_all(&frame(&exit)).expect("the server reads again");
    assert_eq!(raw.wait().code(), Some(1));
}
