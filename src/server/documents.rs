//! The open documents: their text, version and report, in step with the client.
//!
//! Each version of a document is a [`Snapshot`] that never changes. Whoever
//! wants to answer from it holds on to it, without a lock; its report is made
//! once, by the first who asks.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use ropey::Rope;
use tower_lsp::lsp_types as lsp;

use super::position;
use crate::{
    policy::Dialect,
    repair::{self, Policy, Repair},
};

use super::settings::Settings;

/// A text this long is analysed where it is asked for; a longer one on a
/// thread that may take its time. Bytes.
const ANALYSED_IN_PLACE: usize = 32 * 1024;

/// One version of a document.
#[derive(Debug)]
pub struct Snapshot {
    /// Its URI.
    pub uri: lsp::Url,
    /// Its version, as the client counts.
    pub version: i32,
    /// Its text.
    pub rope: Rope,
    /// What it is written in.
    pub dialect: Dialect,
    /// What each rule means for it.
    pub policy: Policy,
    report: OnceLock<Report>,
}

/// What there is to say about one version of a document.
#[derive(Debug)]
pub struct Report {
    /// The text that is repaired: the document without its final line endings.
    /// The bytes of the document up to its length are the same.
    pub candidate: String,
    /// What would be repaired in it.
    pub repair: Repair,
}

impl Report {
    /// Repairs the text of `rope` by `policy`. Linear in the text.
    pub fn new(rope: &Rope, policy: Policy) -> Report {
        let mut text = rope.to_string();
        let repair = repair::repair_document(&text, policy);
        text.truncate(repair::candidate(&text).len());
        Report { candidate: text, repair }
    }
}

impl Snapshot {
    /// The report, by the document's own policy. Linear in the text when asked
    /// for first.
    pub fn report(&self) -> &Report {
        self.report.get_or_init(|| Report::new(&self.rope, self.policy))
    }

    /// The same snapshot once its report is made, which keeps no other
    /// request waiting.
    pub async fn analysed(self: Arc<Self>) -> Arc<Self> {
        if self.report.get().is_some() || self.rope.len_bytes() <= ANALYSED_IN_PLACE {
            return self;
        }
        let snapshot = Arc::clone(&self);
        let analysis = tokio::task::spawn_blocking(move || {
            snapshot.report();
        });
        if analysis.await.is_err() {
            tracing::error!(uri = %self.uri, version = self.version, "the analysis panicked");
        }
        self
    }

    fn with(&self, version: i32, rope: Rope, dialect: Dialect, policy: Policy) -> Arc<Snapshot> {
        Arc::new(Snapshot { uri: self.uri.clone(), version, rope, dialect, policy, report: OnceLock::new() })
    }
}

/// A document that the client has open.
#[derive(Debug)]
struct Document {
    current: Arc<Snapshot>,
    language_id: String,
    /// Whether `current` is the client's text. Once a change was lost it is
    /// not, until the client sends all of it again.
    is_in_step: bool,
}

/// The open documents.
#[derive(Debug, Default)]
pub struct Documents {
    open: HashMap<lsp::Url, Document>,
}

/// What became of a change.
#[derive(Debug)]
pub enum Changed {
    /// The document is at this snapshot now.
    To(Arc<Snapshot>),
    /// The document is out of step, and the change could not help it.
    StillOutOfStep,
    /// No such document is open.
    Unknown,
}

impl Documents {
    /// Opens a document, or opens it anew.
    pub fn open(&mut self, document: lsp::TextDocumentItem, settings: &Settings) -> Arc<Snapshot> {
        let lsp::TextDocumentItem { uri, language_id, version, text } = document;
        let dialect = dialect_of(&uri, &language_id, settings);
        let current = Arc::new(Snapshot {
            uri: uri.clone(),
            version,
            rope: Rope::from_str(&text),
            dialect,
            policy: dialect.policy(settings.rules),
            report: OnceLock::new(),
        });
        let document = Document { current: Arc::clone(&current), language_id, is_in_step: true };
        self.open.insert(uri, document);
        current
    }

    /// Applies changes, each to the result of the one before.
    pub fn change(
        &mut self,
        identifier: &lsp::VersionedTextDocumentIdentifier,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    ) -> Changed {
        let Some(document) = self.open.get_mut(&identifier.uri) else { return Changed::Unknown };
        let mut rope = document.current.rope.clone();
        for change in changes {
            match change.range {
                None => {
                    rope = Rope::from_str(&change.text);
                    document.is_in_step = true;
                }
                Some(range) if document.is_in_step => position::replace(&mut rope, range, &change.text),
                Some(_) => {}
            }
        }
        if !document.is_in_step {
            return Changed::StillOutOfStep;
        }
        let Snapshot { dialect, policy, .. } = *document.current;
        document.current = document.current.with(identifier.version, rope, dialect, policy);
        Changed::To(Arc::clone(&document.current))
    }

    /// Forgets a document; `false` if it was not open.
    pub fn close(&mut self, uri: &lsp::Url) -> bool {
        self.open.remove(uri).is_some()
    }

    /// The current snapshot of an open document, if it is the client's text.
    pub fn get(&self, uri: &lsp::Url) -> Option<Arc<Snapshot>> {
        let document = self.open.get(uri).filter(|document| document.is_in_step)?;
        Some(Arc::clone(&document.current))
    }

    /// The URIs of all open documents.
    pub fn uris(&self) -> Vec<lsp::Url> {
        self.open.keys().cloned().collect()
    }

    /// Whether `snapshot` is still what its document is at.
    pub fn is_current(&self, snapshot: &Arc<Snapshot>) -> bool {
        self.get(&snapshot.uri).is_some_and(|current| Arc::ptr_eq(&current, snapshot))
    }

    /// A change of this document was lost. `false` if that is no news.
    pub fn lose_step(&mut self, uri: &lsp::Url) -> bool {
        self.open.get_mut(uri).is_some_and(|document| std::mem::replace(&mut document.is_in_step, false))
    }

    /// Judges every document anew after the settings changed, and returns all
    /// that are in step.
    pub fn reconsider(&mut self, settings: &Settings) -> Vec<Arc<Snapshot>> {
        for document in self.open.values_mut() {
            let current = &document.current;
            let dialect = dialect_of(&current.uri, &document.language_id, settings);
            let policy = dialect.policy(settings.rules);
            if (dialect, policy) != (current.dialect, current.policy) {
                document.current = current.with(current.version, current.rope.clone(), dialect, policy);
            }
        }
        let in_step = self.open.values().filter(|document| document.is_in_step);
        in_step.map(|document| Arc::clone(&document.current)).collect()
    }
}

fn dialect_of(uri: &lsp::Url, language_id: &str, settings: &Settings) -> Dialect {
    let path = percent_encoding::percent_decode_str(uri.path()).decode_utf8_lossy();
    Dialect::of_document(Some(language_id), &path, &settings.jsonc_files)
}
