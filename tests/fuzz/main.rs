//! A taste of `fuzz/` on the stable toolchain: its checks on random bytes, on
//! bytes that look like what is meant, and on what fuzzing has found.

#![allow(dead_code, unreachable_pub, reason = "the modules are shared, and each test uses a part of them")]
#![allow(clippy::expect_used, reason = "a test's panic is its answer")]

mod checks;
#[path = "../client/document.rs"]
mod document;
#[path = "../naive/mod.rs"]
mod naive;

use proptest::{collection::vec, prelude::*, sample::select};

/// Pieces of JSON and of what is nearly JSON.
const TOKENS: [&str; 28] = [
    "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\\", "\\u12", "\\ud83d", "/", "//", "/*", "*/", "\n", "\r",
    " ", "1", "-0.5e3", "true", "nul", "'", "😀", "\u{2028}", "\u{feff}", "\u{fffd}", "é",
];

fn tokens(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(select(&TOKENS[..]), 0..most).prop_map(|tokens| tokens.concat().into_bytes())
}

fn with_first(rest: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), rest).prop_map(|(first, rest)| [&[first][..], &rest].concat())
}

/// Requests of the contract, nearly.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let rule = select(&["remove_comments", "close_truncated", "remove_trailing_commas", "all", ""][..]);
    let rules = vec(rule, 0..4);
    let frame = select(
        &[
            "{\"text\":T,\"rules\":R}",
            "{\"rules\":R,\"text\":T}",
            "{\"text\":T}",
            "{\"text\":T,\"text\":T}",
            "{\"text\":T,\"rules\":R,\"x\":1}",
            "[T]",
            "{\"text\":R}",
            "{\"text\":\"\\ud800\"}",
            "{\"text\":T",
        ][..],
    );
    (frame, tokens(12), rules).prop_map(|(frame, text, rules)| {
        let text = serde_json::to_string(&String::from_utf8_lossy(&text)).expect("it is JSON");
        let rules = serde_json::to_string(&rules).expect("it is JSON");
        frame.replace('T', &text).replace('R', &rules).into_bytes()
    })
}

/// Frames, and what is none.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    const BODIES: [&str; 16] = [
        r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"$/x"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":5}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"a:b","languageId":"json","version":1,"text":"[1,\ud800]"}}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"a:b","version":2},"contentChanges":[{"text":"[2,]"}]}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"a:b"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"jsonRepair.report","arguments":[{"uri":"a:b"}]}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"textDocument/codeAction","params":5}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"textDocument/didChange"}]"#,
        "5",
        "{",
    ];
    let framed = select(&BODIES[..]).prop_map(checks::frame);
    const RAW: [&[u8]; 7] = [
        b"Content-Length: 1\r\n\r\n",
        b"content-length:0\n\n",
        b"Content-Length: 99\r\n\r\n{}",
        b"X: y\r\n",
        b"\r\n",
        b"\xFF",
        b"Content-Length: -1\r\n\r\n",
    ];
    let piece = prop_oneof![8 => framed, 1 => select(&RAW[..]).prop_map(<[u8]>::to_vec)];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// What fuzzing has found, each named after its target.
#[test]
fn finds() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/finds");
    for find in std::fs::read_dir(directory).expect("a directory") {
        let path = find.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("a file");
        match name.split_once('-') {
            Some(("repair", _)) => checks::check_repair(&bytes),
            Some(("request", _)) => checks::check_request(&bytes),
            Some(("stream", _)) => checks::check_stream(&bytes),
            Some(("changes", _)) => checks::check_changes(&bytes),
            _ => panic!("{name} names no target"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn repair(bytes in prop_oneof![with_first(tokens(40)), vec(any::<u8>(), 0..60)]) {
        checks::check_repair(&bytes);
    }

    #[test]
    fn request_of_the_contract(bytes in prop_oneof![request(), vec(any::<u8>(), 0..60)]) {
        checks::check_request(&bytes);
    }

    #[test]
    fn stream_of_the_transport(bytes in prop_oneof![with_first(stream()), vec(any::<u8>(), 0..60)]) {
        checks::check_stream(&bytes);
    }

    #[test]
    fn changes_of_documents(bytes in vec(any::<u8>(), 0..600)) {
        checks::check_changes(&bytes);
    }
}
