//! The base protocol as this client speaks it: frames out, frames in.
//!
//! The server under test must send nothing but well-formed frames; whatever
//! else stands on its standard output arrives here as [`Incoming::Garbage`].

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender};

use serde_json::Value;

/// What the server's standard output holds.
#[derive(Debug)]
pub enum Incoming {
    /// A frame whose body is JSON.
    Message(Value),
    /// Bytes that are no frame. Nothing behind them can be read.
    Garbage(String),
    /// The output is at its end.
    End,
}

/// The bytes of one frame with the header that every client sends.
pub fn frame(body: &str) -> Vec<u8> {
    frame_with_header(&format!("Content-Length: {}\r\n\r\n", body.len()), body)
}

/// The bytes of one frame with a header of the test's own.
pub fn frame_with_header(header: &str, body: &str) -> Vec<u8> {
    [header.as_bytes(), body.as_bytes()].concat()
}

/// Writes what it receives until there is nobody left to send it anything;
/// then the server's input ends.
///
/// A thread of its own, so that a server that stops reading blocks no test.
pub fn write_all(mut stdin: ChildStdin, chunks: &Receiver<Vec<u8>>) {
    while let Ok(chunk) = chunks.recv() {
        if stdin.write_all(&chunk).and_then(|()| stdin.flush()).is_err() {
            // The server has ended: its exit status is what tests look at.
            return;
        }
    }
}

/// Reads frames until the output ends or is no frame.
///
/// A thread of its own, so that the server is never blocked by a test that
/// does not read.
pub fn read_all(stdout: ChildStdout, incoming: &Sender<Incoming>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let next = read_frame(&mut stdout);
        let is_last = !matches!(next, Incoming::Message(_));
        if incoming.send(next).is_err() || is_last {
            return;
        }
    }
}

fn read_frame(stdout: &mut impl BufRead) -> Incoming {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if let Err(error) = stdout.read_until(b'\n', &mut line) {
            return Incoming::Garbage(error.to_string());
        }
        if line.is_empty() && length.is_none() {
            return Incoming::End;
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        if text == "\r\n" {
            break;
        }
        let value = text.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
        match value.and_then(|digits| digits.parse::<usize>().ok()) {
            Some(number) if length.is_none() => length = Some(number),
            _ => return Incoming::Garbage(format!("header line {text:?}")),
        }
    }
    let Some(length) = length else {
        return Incoming::Garbage("a header without Content-Length".to_owned());
    };
    let mut body = vec![0; length];
    if let Err(error) = stdout.read_exact(&mut body) {
        return Incoming::Garbage(format!("{error} in a body of {length} bytes"));
    }
    match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Garbage(format!("{error} in {:?}", String::from_utf8_lossy(&body))),
    }
}
