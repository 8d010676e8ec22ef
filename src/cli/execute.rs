//! `execute`: the contract over a pipe, requests in and one response a line out.
//!
//! A request ends where its JSON value ends, so the grammar automaton finds
//! the requests: it reads every byte once, as it arrives, and a request is
//! answered as soon as its last byte is there.
//!
//! **Memory is bounded**, whatever arrives: what is too large for a request is
//! read on to its end, but not kept.

use std::io::{self, BufRead, BufWriter, Write};

use serde::Serialize;

use crate::{
    cli::Status,
    contract::{ContractError, ContractErrorCode, MAX_TEXT_BYTES, Request, execute},
    repair::{Grammar, JsonErrorCode, is_blank},
};

/// The longest request that is looked at, in bytes: each byte of the longest
/// text as an escape of six, and room for the rest of a request.
const MAX_REQUEST_BYTES: usize = 6 * MAX_TEXT_BYTES + 64 * 1024;
/// The deepest nesting that is followed to its end. A request has two levels.
const MAX_DEPTH: usize = 128;

/// Answers the requests of standard input until it ends. The error is standard
/// output's.
pub(super) fn run() -> io::Result<Status> {
    let mut input = io::stdin().lock();
    let mut answers = Answers { out: BufWriter::new(io::stdout().lock()), status: Status::Valid };
    let mut requests = Requests::default();
    loop {
        // Who waits for an answer before sending more gets it now.
        answers.out.flush()?;
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = writeln!(io::stderr(), "error: cannot read standard input: {error}");
                return Ok(Status::Failed);
            }
        };
        if chunk.is_empty() {
            break;
        }
        let length = chunk.len();
        requests.feed(chunk, |request| answers.write(request))?;
        input.consume(length);
    }
    requests.end(|request| answers.write(request))?;
    answers.out.flush()?;
    Ok(answers.status)
}

/// What is found where a request should be.
type Found<'input> = Result<&'input [u8], ContractError>;

/// Finds requests in a stream that arrives in pieces.
#[derive(Debug, Default)]
struct Requests {
    state: State,
    /// The request that is being read, as far as it came with earlier pieces.
    kept: Vec<u8>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Between,
    /// In a request, of which so many bytes were read.
    Request { grammar: Grammar, length: usize },
    /// In a line with a mistake.
    BadLine,
}

impl Requests {
    /// Reads the next piece, and hands over every request that ends in it.
    fn feed(&mut self, piece: &[u8], mut found: impl FnMut(Found<'_>) -> io::Result<()>) -> io::Result<()> {
        // Where the part of the request begins that this piece holds.
        let mut start = 0;
        for (at, byte) in piece.iter().enumerate() {
            match &mut self.state {
                State::BadLine if *byte == b'\n' => self.state = State::Between,
                State::BadLine => {}
                State::Between if is_blank(*byte) => {}
                State::Between => {
                    start = at;
                    let mut grammar = Grammar::new();
                    grammar.step(*byte, 0);
                    self.state = State::Request { grammar, length: 1 };
                    self.end_of_step(*byte, &piece[start..=at], &mut found)?;
                }
                State::Request { grammar, length } => {
                    grammar.step(*byte, *length);
                    *length += 1;
                    self.end_of_step(*byte, &piece[start..=at], &mut found)?;
                }
            }
        }
        if let State::Request { length, .. } = &self.state {
            if *length <= MAX_REQUEST_BYTES {
                self.kept.extend_from_slice(&piece[start..]);
            } else {
                self.kept = Vec::new();
            }
        }
        Ok(())
    }

    /// Looks at what the last byte, which ends `part`, has done to a request.
    fn end_of_step(
        &mut self,
        byte: u8,
        part: &[u8],
        found: &mut impl FnMut(Found<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let State::Request { grammar, length } = &self.state else { return Ok(()) };
        let is_too_deep = grammar.depth() > MAX_DEPTH;
        if !grammar.is_complete() && !grammar.has_failed() && !is_too_deep {
            return Ok(());
        }
        let outcome = if *length > MAX_REQUEST_BYTES {
            Err(too_large())
        } else if is_too_deep {
            Err(invalid_request(format!("the request is nested over {MAX_DEPTH} levels deep")))
        } else if grammar.has_failed() {
            Err(not_json(grammar.clone(), *length))
        } else if self.kept.is_empty() {
            Ok(part)
        } else {
            self.kept.extend_from_slice(part);
            Ok(&self.kept[..])
        };
        let is_complete = grammar.is_complete();
        found(outcome)?;
        self.kept.clear();
        // A mistake may be a line break itself: a string that is not closed.
        self.state = if is_complete || byte == b'\n' { State::Between } else { State::BadLine };
        Ok(())
    }

    /// The stream ends.
    fn end(self, mut found: impl FnMut(Found<'_>) -> io::Result<()>) -> io::Result<()> {
        let State::Request { grammar, length } = self.state else { return Ok(()) };
        if length > MAX_REQUEST_BYTES {
            return found(Err(too_large()));
        }
        match grammar.clone().end(length) {
            // A number, which could have gone on.
            None => found(Ok(&self.kept)),
            Some(_) => found(Err(not_json(grammar, length))),
        }
    }
}

fn invalid_request(message: String) -> ContractError {
    ContractError { code: ContractErrorCode::InvalidRequest, message }
}

fn too_large() -> ContractError {
    ContractError {
        code: ContractErrorCode::TextTooLarge,
        message: format!(
            "the request is over {MAX_REQUEST_BYTES} bytes; its `text` may have {MAX_TEXT_BYTES} bytes of UTF-8"
        ),
    }
}

/// The request is not JSON: the automaton failed, or the input ends too early.
fn not_json(grammar: Grammar, length: usize) -> ContractError {
    invalid_request(match grammar.end(length) {
        Some(error) if error.code == JsonErrorCode::UnexpectedEnd => {
            format!("the input ends inside a request: expected {}", error.expected)
        }
        Some(error) => {
            let (code, offset, expected) = (error.code, error.offset, error.expected);
            format!("the request is not JSON: {code} at its byte {offset}, expected {expected}")
        }
        None => "the request is not JSON".to_owned(),
    })
}

/// Writes one line a request.
struct Answers<W> {
    out: W,
    status: Status,
}

impl<W: Write> Answers<W> {
    fn write(&mut self, request: Found<'_>) -> io::Result<()> {
        match request.and_then(read).and_then(|request| execute(&request)) {
            Ok(response) => serde_json::to_writer(&mut self.out, &response)?,
            Err(error) => {
                self.status = Status::NotValid;
                let error = ErrorObject { code: error.code.as_str(), message: &error.message };
                serde_json::to_writer(&mut self.out, &ErrorLine { error })?;
            }
        }
        self.out.write_all(b"\n")
    }
}

fn read(request: &[u8]) -> Result<Request, ContractError> {
    let json = std::str::from_utf8(request)
        .map_err(|error| invalid_request(format!("the request is not UTF-8: {error}")))?;
    Request::from_json(json)
}

/// The answer to a request that is wrong.
#[derive(Debug, Serialize)]
struct ErrorLine<'error> {
    error: ErrorObject<'error>,
}

#[derive(Debug, Serialize)]
struct ErrorObject<'error> {
    code: &'static str,
    message: &'error str,
}
