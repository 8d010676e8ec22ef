//! What is on its way to the client.
//!
//! Whoever has something to send puts it here and goes on; one thread writes.
//! Messages leave in the order in which they came, but for diagnostics: of
//! those a document has one place in the queue, and what is put there last is
//! sent. So a client that reads slowly costs no more memory than its documents
//! have diagnostics, and an older version's never follow a newer's.
//!
//! **What waits here is bounded**, also for a client that does not read at all:
//! [`MOST_BYTES`] of messages and as many of diagnostics, and what was being
//! made when that was reached. Whoever makes more waits for room first.
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
use tokio::sync::watch;
use tower_lsp::lsp_types as lsp;

/// How many bytes may wait before nothing more is made.
pub const MOST_BYTES: usize = 64 << 20;
/// What a diagnostic takes beside its words, in bytes: a guess, and no small
/// one.
const BYTES_OF_DIAGNOSTIC: usize = 1024;

/// One outgoing message, or the place of one.
enum Outgoing {
    Message(Vec<u8>),
    /// The diagnostics of this document, whatever they are by then.
    Diagnostics(lsp::Url),
}

#[derive(Default)]
struct Queue {
    outgoing: VecDeque<Outgoing>,
    diagnostics: HashMap<lsp::Url, Publication>,
    is_writing: bool,
    is_closed: bool,
}

/// The diagnostics of a document, as they are to leave.
struct Publication {
    params: lsp::PublishDiagnosticsParams,
    bytes: usize,
    /// Which spelling of the URI to forget behind it: nothing more is said of
    /// the document.
    last_words: Option<u64>,
}

/// The queue. See the module's own words.
#[derive(Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// How many bytes of messages wait, the one that is being written among
    /// them.
    message_bytes: watch::Sender<usize>,
    /// How many bytes of diagnostics wait, more or less.
    diagnostics_bytes: watch::Sender<usize>,
    /// How the client writes the URIs that it does not write in normal form.
    spellings: Mutex<Spellings>,
}

#[derive(Default)]
struct Spellings {
    /// By the normal form; each with its number.
    of: HashMap<String, (String, u64)>,
    /// How many there were so far.
    noted: u64,
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
        let mut spellings = self.spellings();
        spellings.noted += 1;
        if normal.as_str() == spelling {
            spellings.of.remove(spelling);
        } else {
            let noted = spellings.noted;
            spellings.of.insert(normal.as_str().to_owned(), (spelling.to_owned(), noted));
        }
    }

    fn spellings(&self) -> MutexGuard<'_, Spellings> {
        self.spellings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_body(&self, message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
        let spellings = self.spellings();
        if spellings.of.is_empty() {
            drop(spellings);
            return serde_json::to_vec(message);
        }
        let mut message = serde_json::to_value(message)?;
        respell(&mut message, &spellings.of);
        drop(spellings);
        serde_json::to_vec(&message)
    }

    /// Waits until there is room for another message.
    pub async fn room_for_messages(&self) {
        has_room(&self.message_bytes).await;
    }

    /// Waits until there is room for the diagnostics of another document.
    pub async fn room_for_diagnostics(&self) {
        has_room(&self.diagnostics_bytes).await;
    }

    /// Sends a message: a request, a response or a notification.
    pub fn send(&self, message: &impl Serialize) {
        match self.to_body(message) {
            Ok(body) => {
                self.message_bytes.send_modify(|bytes| *bytes += body.len());
                self.put(|queue| queue.outgoing.push_back(Outgoing::Message(body)));
            }
            Err(error) => tracing::error!(%error, "a message cannot be written as JSON"),
        }
    }

    /// Publishes diagnostics, instead of any for the same document that have
    /// not left yet.
    pub fn publish(&self, params: lsp::PublishDiagnosticsParams) {
        self.put_diagnostics(params, None);
    }

    /// Clears the diagnostics of a document of which nothing more is to be
    /// said.
    pub fn publish_last(&self, uri: lsp::Url) {
        let last_words = self.spellings().of.get(uri.as_str()).map(|(_, noted)| *noted);
        self.put_diagnostics(lsp::PublishDiagnosticsParams::new(uri, Vec::new(), None), last_words);
    }

    fn put_diagnostics(&self, params: lsp::PublishDiagnosticsParams, last_words: Option<u64>) {
        let bytes_of = |diagnostic: &lsp::Diagnostic| BYTES_OF_DIAGNOSTIC + diagnostic.message.len();
        let bytes = params.diagnostics.iter().map(bytes_of).sum::<usize>();
        self.put(|queue| {
            let uri = params.uri.clone();
            let publication = Publication { params, bytes, last_words };
            let before = queue.diagnostics.insert(uri.clone(), publication);
            self.diagnostics_bytes.send_modify(|waiting| {
                *waiting = *waiting + bytes - before.as_ref().map_or(0, |before| before.bytes);
            });
            if before.is_none() {
                queue.outgoing.push_back(Outgoing::Diagnostics(uri));
            }
        });
    }

    /// Writes what comes until the outbox is closed, or writing fails.
    pub fn write_to(&self, mut output: impl Write) -> io::Result<()> {
        while let Some((body, is_message)) = self.next()? {
            write_frame(&mut output, &body)?;
            if is_message {
                self.message_bytes.send_modify(|bytes| *bytes -= body.len());
            }
            // Whoever waits for the queue to empty sees it empty only now.
            let mut queue = self.lock();
            if queue.outgoing.is_empty() {
                drop(queue);
                output.flush()?;
                queue = self.lock();
            }
            queue.is_writing = !queue.outgoing.is_empty();
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Nothing more is written.
    pub fn close(&self) {
        self.put(|queue| queue.is_closed = true);
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

    /// Waits for the next message and takes it, with whether it counts as one;
    /// `None` when the outbox is closed.
    fn next(&self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let mut queue = self.lock();
        loop {
            if queue.is_closed {
                return Ok(None);
            }
            match queue.outgoing.pop_front() {
                Some(Outgoing::Message(body)) => {
                    queue.is_writing = true;
                    return Ok(Some((body, true)));
                }
                Some(Outgoing::Diagnostics(uri)) => {
                    queue.is_writing = true;
                    let Some(publication) = queue.diagnostics.remove(&uri) else { continue };
                    drop(queue);
                    let Publication { params, bytes, last_words } = publication;
                    self.diagnostics_bytes.send_modify(|waiting| *waiting -= bytes);
                    let method = "textDocument/publishDiagnostics";
                    let notification = Notification { jsonrpc: "2.0", method, params: &params };
                    let body = self.to_body(&notification)?;
                    let mut spellings = self.spellings();
                    // Unless it was opened anew.
                    if spellings.of.get(uri.as_str()).map(|(_, noted)| *noted) == last_words {
                        spellings.of.remove(uri.as_str());
                    }
                    return Ok(Some((body, false)));
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
fn respell(message: &mut Value, spellings: &HashMap<String, (String, u64)>) {
    let mut rest = vec![message];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(elements) => rest.extend(elements),
            Value::Object(members) => {
                if let Some(Value::String(uri)) = members.get_mut("uri")
                    && let Some((spelling, _)) = spellings.get(uri)
                {
                    uri.clone_from(spelling);
                }
                if let Some(Value::Object(changes)) = members.get_mut("changes") {
                    let respelled = std::mem::take(changes).into_iter();
                    changes.extend(respelled.map(|(uri, edits)| match spellings.get(&uri) {
                        Some((spelling, _)) => (spelling.clone(), edits),
                        None => (uri, edits),
                    }));
                }
                rest.extend(members.values_mut());
            }
            _ => {}
        }
    }
}

async fn has_room(waiting: &watch::Sender<usize>) {
    // The sender is alive: this one has it.
    let _ = waiting.subscribe().wait_for(|bytes| *bytes < MOST_BYTES).await;
}

fn write_frame(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;

    /// What leaves, up to now.
    fn written(outbox: &Arc<Outbox>) -> String {
        let mut output = Vec::new();
        thread::scope(|scope| {
            let writer = scope.spawn(|| outbox.write_to(&mut output));
            outbox.drain(Duration::from_secs(10));
            outbox.close();
            writer.join().expect("no panic").expect("a vector takes everything");
        });
        outbox.lock().is_closed = false;
        String::from_utf8(output).expect("JSON is UTF-8")
    }

    #[test]
    fn a_spelling_is_forgotten_behind_the_last_words() {
        let outbox = Arc::new(Outbox::default());
        let uri = lsp::Url::parse("file:///a b.json").expect("a URI");
        let publication = || lsp::PublishDiagnosticsParams::new(uri.clone(), Vec::new(), Some(1));
        outbox.spell(&uri, "file:///a b.json");
        outbox.publish(publication());
        assert!(written(&outbox).contains("\"file:///a b.json\""));
        outbox.publish_last(uri.clone());
        assert!(written(&outbox).contains("\"file:///a b.json\""));
        assert!(outbox.spellings().of.is_empty());

        // Opened anew before the last words have left, and written otherwise.
        outbox.spell(&uri, "file:///a b.json");
        outbox.publish_last(uri.clone());
        outbox.spell(&uri, "file:///%61 b.json");
        assert!(written(&outbox).contains("\"file:///%61 b.json\""));
        assert_eq!(outbox.spellings().of.len(), 1);
        outbox.spell(&uri, uri.as_str());
        outbox.publish(publication());
        assert!(written(&outbox).contains("\"file:///a%20b.json\""));
        assert!(outbox.spellings().of.is_empty());
    }

    #[test]
    fn what_has_left_or_was_replaced_takes_no_room() {
        let outbox = Arc::new(Outbox::default());
        let uri = lsp::Url::parse("file:///a.json").expect("a URI");
        for count in [3, 1, 0, 2] {
            let diagnostics = vec![lsp::Diagnostic::default(); count];
            outbox.publish(lsp::PublishDiagnosticsParams::new(uri.clone(), diagnostics, None));
            assert_eq!(*outbox.diagnostics_bytes.borrow(), count * BYTES_OF_DIAGNOSTIC);
        }
        outbox.send(&[1]);
        assert_eq!(*outbox.message_bytes.borrow(), "[1]".len());
        written(&outbox);
        assert_eq!((*outbox.message_bytes.borrow(), *outbox.diagnostics_bytes.borrow()), (0, 0));
    }
}
