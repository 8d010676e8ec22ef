//! `floor null|validate`: a language server that does nothing but answer, to measure against.
//!
//! `null` finds the version in the first bytes of a message and publishes no diagnostics: what the
//! pipes, the framing and the driver cost. `validate` keeps the text and has serde_json read all of it
//! after every change: what the plainest server would cost.
//!
//! It understands the bench's driver and no other client: the fields' order and spelling are taken as
//! the driver writes them.

use std::io::{self, BufRead, BufReader, Read, Write};

use memchr::{memchr, memchr_iter, memmem};
use serde::Deserialize;

/// In so many bytes of a message stands all of it but the text.
const HEAD: usize = 600;

#[derive(Deserialize)]
struct Message {
    params: Params,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: TextDocument,
    #[serde(default)]
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct TextDocument {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Change {
    range: Option<Range>,
    text: String,
}

#[derive(Deserialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Deserialize)]
struct Position {
    line: usize,
    character: usize,
}

fn main() -> io::Result<()> {
    let validates = match std::env::args().nth(1).as_deref() {
        Some("null") => false,
        Some("validate") => true,
        _ => return Err(io::Error::other("usage: floor null|validate")),
    };
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut send = |body: &str| {
        write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        output.flush()
    };
    let (mut body, mut text) = (Vec::new(), String::new());
    while read_frame(&mut input, &mut body)? {
        let head = &body[..body.len().min(HEAD)];
        let method = string_after(head, b"\"method\":\"").unwrap_or_default();
        if method == "exit" {
            break;
        }
        if let Some(id) = number_after(head, b"\"id\":") {
            let result = match method {
                "initialize" => r#"{"capabilities":{"textDocumentSync":2}}"#,
                _ => "null",
            };
            send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))?;
        } else if matches!(method, "textDocument/didOpen" | "textDocument/didChange") {
            let uri = string_after(head, b"\"uri\":\"").unwrap_or_default();
            let version = number_after(head, b"\"version\":").unwrap_or_default();
            let diagnostic = if validates { validate(&body, &mut text)? } else { String::new() };
            send(&format!(
                r#"{{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{{"uri":"{uri}","version":{version},"diagnostics":[{diagnostic}]}}}}"#
            ))?;
        }
    }
    Ok(())
}

fn read_frame(input: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<bool> {
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    body.clear();
    input.take(length).read_to_end(body)?;
    Ok(true)
}

fn after<'head>(head: &'head [u8], key: &[u8]) -> Option<&'head [u8]> {
    memmem::find(head, key).map(|at| &head[at + key.len()..])
}

fn string_after<'head>(head: &'head [u8], key: &[u8]) -> Option<&'head str> {
    let rest = after(head, key)?;
    std::str::from_utf8(&rest[..memchr(b'"', rest)?]).ok()
}

fn number_after(head: &[u8], key: &[u8]) -> Option<u64> {
    let digits = after(head, key)?.iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// Applies the message to the text, and returns a diagnostic if that is not JSON.
fn validate(body: &[u8], text: &mut String) -> io::Result<String> {
    let Params { text_document, content_changes } = serde_json::from_slice::<Message>(body)?.params;
    if let Some(opened) = text_document.text {
        *text = opened;
    }
    for change in content_changes {
        match change.range {
            None => *text = change.text,
            Some(Range { start, end }) => {
                let range = offset(text, &start)..offset(text, &end);
                text.replace_range(range, &change.text);
            }
        }
    }
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else { return Ok(String::new()) };
    let (line, character) = (error.line().saturating_sub(1), error.column().saturating_sub(1));
    let position = format!(r#"{{"line":{line},"character":{character}}}"#);
    Ok(format!(r#"{{"range":{{"start":{position},"end":{position}}},"severity":1,"message":"not JSON"}}"#))
}

/// The byte at a position, by looking for the line's beginning.
fn offset(text: &str, position: &Position) -> usize {
    let start = match position.line.checked_sub(1) {
        Some(lines) => memchr_iter(b'\n', text.as_bytes()).nth(lines).map_or(text.len(), |at| at + 1),
        None => 0,
    };
    let mut units = 0;
    for (at, character) in text[start..].char_indices() {
        if units >= position.character {
            return start + at;
        }
        units += character.len_utf16();
    }
    text.len()
}
