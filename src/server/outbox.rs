//! What is on its way to the client.
//!
//! Whoever has something to send puts it here and goes on; one thread writes.
//! Messages leave in the order in which they came, but for diagnostics: of
//! those a document has one place in the queue, and what is put there last is
//! sent. So a client that reads slowly costs no more memory than its documents
//! have diagnostics, and an older version's never follow a newer's.
//!
//! A document's URI leaves as the client wrote it. Parsed URIs are normal ones
//! (`a b.json` becomes `a%20b.json`), and a client that compares strings would
//! not know its own document again.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::Value;
use tower_lsp::lsp_types as lsp;

/// One outgoing message, or the place of one.
enum Outgoing {
    Message(Vec<u8>),
    /// The diagnostics of this document, whatever they are by then.
    Diagnostics(lsp::Url),
}

#[derive(Default)]
struct Queue {
    outgoing: VecDeque<Outgoing>,
    diagnostics: HashMap<lsp::Url, lsp::PublishDiagnosticsParams>,
    is_writing: bool,
}

/// The queue. See the module's own words.
#[derive(Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// How the client writes the URIs that it does not write in normal form.
    spellings: Mutex<HashMap<String, String>>,
}

#[derive(Serialize)]
struct Notification<'params, P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: &'params P,
}

impl Outbox {
    /// Has the URI `normal` written as `spelling` from now on.
    pub fn spell(&self, normal: &lsp::Url, spelling: &str) {
        if normal.as_str() != spelling {
            let mut spellings = self.spellings.lock().unwrap_or_else(PoisonError::into_inner);
            spellings.insert(normal.as_str().to_owned(), spelling.to_owned());
        }
    }

    fn to_body(&self, message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
        let spellings = self.spellings.lock().unwrap_or_else(PoisonError::into_inner);
        if spellings.is_empty() {
            return serde_json::to_vec(message);
        }
        let mut message = serde_json::to_value(message)?;
        respell(&mut message, &spellings);
        serde_json::to_vec(&message)
    }

    /// Sends a message: a request, a response or a notification.
    pub fn send(&self, message: &impl Serialize) {
        match self.to_body(message) {
            Ok(body) => self.put(|queue| queue.outgoing.push_back(Outgoing::Message(body))),
            Err(error) => tracing::error!(%error, "a message cannot be written as JSON"),
        }
    }

    /// Publishes diagnostics, instead of any for the same document that have
    /// not left yet.
    pub fn publish(&self, params: lsp::PublishDiagnosticsParams) {
        self.put(|queue| {
            let uri = params.uri.clone();
            if queue.diagnostics.insert(uri.clone(), params).is_none() {
                queue.outgoing.push_back(Outgoing::Diagnostics(uri));
            }
        });
    }

    /// Writes what comes, for ever; returns when writing fails.
    pub fn write_to(&self, mut output: impl Write) -> io::Error {
        loop {
            if let Err(error) = self.next().and_then(|body| write_frame(&mut output, &body)) {
                return error;
            }
            // Whoever waits for the queue to empty sees it empty only now.
            let mut queue = self.lock();
            if queue.outgoing.is_empty() {
                drop(queue);
                if let Err(error) = output.flush() {
                    return error;
                }
                queue = self.lock();
            }
            queue.is_writing = !queue.outgoing.is_empty();
            self.changed.notify_all();
        }
    }

    /// Waits until everything has left, or `patience` is over.
    pub fn drain(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut queue = self.lock();
        while queue.is_writing || !queue.outgoing.is_empty() {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return };
            queue = self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the next message and takes it.
    fn next(&self) -> io::Result<Vec<u8>> {
        let mut queue = self.lock();
        loop {
            match queue.outgoing.pop_front() {
                Some(Outgoing::Message(body)) => {
                    queue.is_writing = true;
                    return Ok(body);
                }
                Some(Outgoing::Diagnostics(uri)) => {
                    queue.is_writing = true;
                    let Some(params) = queue.diagnostics.remove(&uri) else { continue };
                    drop(queue);
                    let method = "textDocument/publishDiagnostics";
                    let notification = Notification { jsonrpc: "2.0", method, params: &params };
                    return self.to_body(&notification).map_err(io::Error::from);
                }
                None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn put(&self, put: impl FnOnce(&mut Queue)) {
        put(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the URIs in `message` as the client does: those in fields of that
/// name, and the keys of a workspace edit's `changes`.
fn respell(message: &mut Value, spellings: &HashMap<String, String>) {
    let mut rest = vec![message];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(elements) => rest.extend(elements),
            Value::Object(members) => {
                if let Some(Value::String(uri)) = members.get_mut("uri")
                    && let Some(spelling) = spellings.get(uri)
                {
                    uri.clone_from(spelling);
                }
                if let Some(Value::Object(changes)) = members.get_mut("changes") {
                    let respelled = std::mem::take(changes).into_iter();
                    changes.extend(respelled.map(|(uri, edits)| match spellings.get(&uri) {
                        Some(spelling) => (spelling.clone(), edits),
                        None => (uri, edits),
                    }));
                }
                rest.extend(members.values_mut());
            }
            _ => {}
        }
    }
}

fn write_frame(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)
}
