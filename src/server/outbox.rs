//! What is on its way to the client.
//!
//! Whoever has something to send puts it here and goes on; one thread writes.
//! Messages leave in the order in which they came, but for diagnostics: of
//! those a document has one place in the queue, and what is put there last is
//! sent. So a client that reads slowly costs no more memory than its documents
//! have diagnostics, and an older version's never follow a newer's.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::Serialize;
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
}

#[derive(Serialize)]
struct Notification<'params, P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: &'params P,
}

impl Outbox {
    /// Sends a message: a request, a response or a notification.
    pub fn send(&self, message: &impl Serialize) {
        match serde_json::to_vec(message) {
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
                    return serde_json::to_vec(&notification).map_err(io::Error::from);
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

fn write_frame(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)
}
