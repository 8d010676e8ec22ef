//! The open documents: their text, version and analysis, in step with the
//! client.
//!
//! Each version of a document is a [`Snapshot`] that never changes. Whoever
//! wants to answer from it holds on to it, without a lock. It is analysed once,
//! by the first who asks, from the analysis of the version before: so a change
//! costs what it touches, and a burst of changes is one analysis.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use ropey::Rope;
use tower_lsp::lsp_types as lsp;

use super::{
    analysis::{Analysis, Candidate},
    position::{self, Change},
    settings::Settings,
};
use crate::{
    policy::Dialect,
    repair::{Policy, Text},
};

/// A text this long is analysed where it is asked for; a longer one on a
/// thread that may take its time. Bytes.
const ANALYSED_IN_PLACE: usize = 32 * 1024;

/// So many versions in a row may wait for one another's analysis; beyond that a
/// version is analysed by itself.
const MOST_WAITING: usize = 16;

/// One version of a document.
#[derive(Debug)]
pub struct Snapshot {
    /// Its URI.
    pub uri: lsp::Url,
    /// Its version, as the client counts.
    pub version: i32,
    /// Which opening of a document it belongs to: a reopened one is another
    /// document, though its versions may be the same.
    pub opening: u64,
    text: Opened,
    /// What it is written in.
    pub dialect: Dialect,
    /// What each rule means for it.
    pub policy: Policy,
    analysis: OnceLock<Analysis>,
    /// Whose turn it is to make the analysis.
    analysing: Mutex<()>,
    /// What the analysis is made from; taken when it is. `None`: from the text.
    origin: Mutex<Option<Origin>>,
    pass: Pass,
}

/// A pass over all of a document, seen from outside.
#[derive(Debug, Default)]
struct Pass {
    /// How many bytes it has read.
    read: AtomicUsize,
    is_cancelled: AtomicBool,
}

/// The text of a version. That of a document that was just opened becomes a
/// rope when somebody needs one, which is after the next message was taken up.
#[derive(Debug)]
struct Opened {
    rope: OnceLock<Rope>,
    /// Taken when it becomes the rope.
    text: Mutex<Option<Arc<String>>>,
}

impl From<Rope> for Opened {
    fn from(rope: Rope) -> Opened {
        Opened { rope: OnceLock::from(rope), text: Mutex::new(None) }
    }
}

impl From<String> for Opened {
    fn from(text: String) -> Opened {
        Opened { rope: OnceLock::new(), text: Mutex::new(Some(Arc::new(text))) }
    }
}

impl Opened {
    fn rope(&self) -> &Rope {
        self.rope.get_or_init(|| {
            let text = self.text().take();
            text.map_or_else(Rope::new, |text| Rope::from_str(&text))
        })
    }

    fn text(&self) -> MutexGuard<'_, Option<Arc<String>>> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An earlier analysis, and what has changed since.
#[derive(Debug)]
struct Origin {
    base: Base,
    changes: Vec<Change>,
}

#[derive(Debug)]
enum Base {
    Analysis(Analysis),
    /// Somebody else still uses this version, or is analysing it.
    Snapshot(Arc<Snapshot>, usize),
}

impl Snapshot {
    /// The same document at another version, with an analysis of its own.
    fn at(&self, version: i32, rope: Rope, dialect: Dialect, policy: Policy) -> Snapshot {
        let (uri, opening) = (self.uri.clone(), self.opening);
        let (analysis, origin) = (OnceLock::new(), Mutex::new(None));
        Snapshot {
            uri,
            version,
            opening,
            text: Opened::from(rope),
            dialect,
            policy,
            analysis,
            analysing: Mutex::default(),
            origin,
            pass: Pass::default(),
        }
    }

    /// The text. Linear in it when asked for first after opening.
    pub fn rope(&self) -> &Rope {
        self.text.rope()
    }

    /// What is found in it by its own policy. When asked for first, linear in
    /// what was changed since the last version that was analysed.
    pub fn analysis(&self) -> &Analysis {
        if let Some(analysis) = self.analysis.get() {
            return analysis;
        }
        let _turn = self.analysing.lock().unwrap_or_else(PoisonError::into_inner);
        self.analysis.get_or_init(|| {
            let Some(Origin { base, changes }) = self.origin().take() else { return self.first_analysis() };
            let mut analysis = match base {
                Base::Analysis(analysis) => analysis,
                Base::Snapshot(snapshot, _) => {
                    snapshot.analysis();
                    let known = match Arc::try_unwrap(snapshot) {
                        Ok(unused) => unused.analysis.into_inner().and_then(Analysis::known),
                        Err(used) => used.analysis().clone().known(),
                    };
                    let Some(analysis) = known else { return self.first_analysis() };
                    analysis
                }
            };
            for Change { removed, inserted } in changes {
                analysis.change(removed, inserted);
            }
            analysis.update(self.rope());
            analysis
        })
    }

    /// Analyses it if that takes a moment at most, and nobody else is about it.
    /// Whether it is analysed.
    fn analyse_in_a_moment(&self) -> bool {
        if self.is_analysed() {
            return true;
        }
        if self.len() <= ANALYSED_IN_PLACE {
            self.analysis();
            return true;
        }
        let Ok(_turn) = self.analysing.try_lock() else { return false };
        let mut origin = self.origin();
        match origin.take() {
            Some(Origin { base: Base::Analysis(mut analysis), changes }) => {
                for Change { removed, inserted } in changes {
                    analysis.change(removed, inserted);
                }
                if analysis.update_in_a_moment(self.rope()) {
                    return self.analysis.set(analysis).is_ok();
                }
                *origin = Some(Origin { base: Base::Analysis(analysis), changes: Vec::new() });
            }
            other => *origin = other,
        }
        false
    }

    fn origin(&self) -> MutexGuard<'_, Option<Origin>> {
        self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The analysis by a whole pass. When the document was just opened, its
    /// rope is made meanwhile.
    fn first_analysis(&self) -> Analysis {
        let mut goes_on = |read: usize| {
            #[cfg(debug_assertions)]
            slow_down();
            self.pass.read.store(read, Ordering::Relaxed);
            !self.pass.is_cancelled.load(Ordering::Relaxed)
        };
        let Some(text) = self.text.text().clone() else {
            return Analysis::new_while(self.rope(), self.dialect, self.policy, &mut goes_on);
        };
        thread::scope(|scope| {
            if text.len() > ANALYSED_IN_PLACE {
                let rope = thread::Builder::new().name("rope".to_owned());
                // Where there is no thread to be had, the rope is made later.
                let _ = rope.spawn_scoped(scope, || {
                    self.rope();
                });
            }
            Analysis::new_while(text.as_str(), self.dialect, self.policy, &mut goes_on)
        })
    }

    /// The version of which all has to be read before this one is analysed, if
    /// that may be long: this one, or an earlier one on whose analysis it waits.
    pub fn long_pass(self: &Arc<Self>) -> Option<Arc<Snapshot>> {
        let mut read = Arc::clone(self);
        while !read.is_analysed() {
            let base = match &*read.origin() {
                Some(Origin { base: Base::Snapshot(base, _), .. }) => Some(Arc::clone(base)),
                Some(_) => return None,
                None => None,
            };
            match base {
                Some(base) => read = base,
                None => return (read.len() > ANALYSED_IN_PLACE).then_some(read),
            }
        }
        None
    }

    /// Whether [`Snapshot::analysis`] is made.
    pub fn is_analysed(&self) -> bool {
        self.analysis.get().is_some()
    }

    /// How much of the document the first pass over it has read, in percent.
    pub fn percentage(&self) -> u32 {
        let read = self.pass.read.load(Ordering::Relaxed);
        u32::try_from(100 * read / self.len().max(1)).unwrap_or(100).min(100)
    }

    /// Has the first pass over the document stop. Nothing is known of this
    /// version then; the next one is analysed from nothing.
    pub fn cancel(&self) {
        self.pass.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// The length of the text, in bytes.
    fn len(&self) -> usize {
        let opened_len = self.text.text().as_ref().map(|text| text.len());
        opened_len.unwrap_or_else(|| self.rope().len_bytes())
    }

    /// Its candidates in order, with what is found in each.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate<'_>> {
        self.analysis().candidates(self.rope())
    }

    /// The candidates that touch the bytes `range`, its ends included.
    pub fn candidates_touching(&self, range: Range<usize>) -> impl Iterator<Item = Candidate<'_>> {
        self.analysis().candidates_touching(self.rope(), range)
    }

    /// The same snapshot once it is analysed, which keeps no other
    /// request waiting.
    pub async fn analysed(self: Arc<Self>) -> Arc<Self> {
        if self.analyse_in_a_moment() {
            return self;
        }
        let snapshot = Arc::clone(&self);
        let analysis = tokio::task::spawn_blocking(move || {
            snapshot.analysis();
        });
        if analysis.await.is_err() {
            tracing::error!(uri = %self.uri, version = self.version, "the analysis panicked");
        }
        self
    }

    /// Does what takes time in proportion to the document, once it is
    /// analysed, and keeps no other request waiting. Panics if `work` does.
    pub async fn work<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> T {
        if self.rope().len_bytes() <= ANALYSED_IN_PLACE {
            return work(&self);
        }
        let snapshot = Arc::clone(&self);
        match tokio::task::spawn_blocking(move || work(&snapshot)).await {
            Ok(answer) => answer,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// The version after this one. `changes` lead from this one's text to
    /// `rope`; `None` if it has nothing to do with it.
    fn succeeded_by(self: Arc<Self>, version: i32, rope: Rope, changes: Option<Vec<Change>>) -> Snapshot {
        let mut next = self.at(version, rope, self.dialect, self.policy);
        let Some(mut changes) = changes else { return next };
        let origin = match Arc::try_unwrap(self) {
            Ok(unused) => {
                let origin = unused.origin.into_inner().unwrap_or_else(PoisonError::into_inner);
                match (unused.analysis.into_inner().and_then(Analysis::known), origin) {
                    (Some(analysis), _) => Some(Origin { base: Base::Analysis(analysis), changes }),
                    (None, Some(mut origin)) => {
                        origin.changes.append(&mut changes);
                        Some(origin)
                    }
                    (None, None) => None,
                }
            }
            Err(used) => {
                let waiting = used.waiting() + 1;
                let base = Base::Snapshot(used, waiting);
                (waiting <= MOST_WAITING).then_some(Origin { base, changes })
            }
        };
        next.origin = Mutex::new(origin);
        next
    }

    /// How many earlier versions have to be analysed before this one.
    fn waiting(&self) -> usize {
        match &*self.origin() {
            Some(Origin { base: Base::Snapshot(_, waiting), .. }) => *waiting,
            _ => 0,
        }
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
    /// How many were opened so far.
    openings: u64,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The document is at a new version now.
    ToNewVersion,
    /// The document is out of step, and the change could not help it.
    StillOutOfStep,
    /// No such document is open.
    Unknown,
}

impl Documents {
    /// Opens a document, or opens it anew.
    pub fn open(&mut self, document: lsp::TextDocumentItem, settings: &Settings) {
        let lsp::TextDocumentItem { uri, language_id, version, text } = document;
        let dialect = dialect_of(&uri, &language_id, settings);
        let policy = dialect.policy(settings.rules);
        self.openings += 1;
        let current = Arc::new(Snapshot {
            uri: uri.clone(),
            version,
            opening: self.openings,
            text: Opened::from(text),
            dialect,
            policy,
            analysis: OnceLock::new(),
            analysing: Mutex::default(),
            origin: Mutex::new(None),
            pass: Pass::default(),
        });
        self.open.insert(uri, Document { current, language_id, is_in_step: true });
    }

    /// Applies changes, each to the result of the one before.
    pub fn change(
        &mut self,
        identifier: &lsp::VersionedTextDocumentIdentifier,
        events: Vec<lsp::TextDocumentContentChangeEvent>,
    ) -> Changed {
        let Some(document) = self.open.remove(&identifier.uri) else { return Changed::Unknown };
        let Document { current, language_id, mut is_in_step } = document;
        let mut rope = current.rope().clone();
        let mut changes = Some(Vec::with_capacity(events.len()));
        for event in events {
            match event.range {
                None => {
                    rope = Rope::from_str(&event.text);
                    changes = None;
                    is_in_step = true;
                }
                Some(range) if is_in_step => {
                    let change = position::replace(&mut rope, range, &event.text);
                    changes.iter_mut().for_each(|changes| changes.push(change.clone()));
                }
                Some(_) => {}
            }
        }
        let (current, changed) = if is_in_step {
            (Arc::new(current.succeeded_by(identifier.version, rope, changes)), Changed::ToNewVersion)
        } else {
            (current, Changed::StillOutOfStep)
        };
        self.open.insert(identifier.uri.clone(), Document { current, language_id, is_in_step });
        changed
    }

    /// Forgets a document; `false` if it was not open.
    pub fn close(&mut self, uri: &lsp::Url) -> bool {
        let closed = self.open.remove(uri);
        closed.iter().for_each(|document| document.current.cancel());
        closed.is_some()
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

    /// Whether this document is open, in step or not.
    pub fn is_open(&self, uri: &lsp::Url) -> bool {
        self.open.contains_key(uri)
    }

    /// Whether `snapshot` is still what its document is at.
    pub fn is_current(&self, snapshot: &Arc<Snapshot>) -> bool {
        self.open
            .get(&snapshot.uri)
            .is_some_and(|document| document.is_in_step && Arc::ptr_eq(&document.current, snapshot))
    }

    /// A change of this document was lost. `false` if that is no news.
    pub fn lose_step(&mut self, uri: &lsp::Url) -> bool {
        self.open.get_mut(uri).is_some_and(|document| std::mem::replace(&mut document.is_in_step, false))
    }

    /// Judges every document anew after the settings changed.
    pub fn reconsider(&mut self, settings: &Settings) {
        for document in self.open.values_mut() {
            let current = &document.current;
            let Snapshot { uri, version, dialect, policy, .. } = &**current;
            let new_dialect = dialect_of(uri, &document.language_id, settings);
            let new_policy = new_dialect.policy(settings.rules);
            if (new_dialect, new_policy) != (*dialect, *policy) {
                let anew = current.at(*version, current.rope().clone(), new_dialect, new_policy);
                document.current = Arc::new(anew);
            }
        }
    }
}

/// Makes passes as slow as a test wants to have them.
#[cfg(debug_assertions)]
fn slow_down() {
    if let Ok(milliseconds) = std::env::var("JSON_REPAIR_LSP_DEBUG_PASS_STEP") {
        thread::sleep(std::time::Duration::from_millis(milliseconds.parse().unwrap_or(0)));
    }
}

fn dialect_of(uri: &lsp::Url, language_id: &str, settings: &Settings) -> Dialect {
    let path = percent_encoding::percent_decode_str(uri.path()).decode_utf8_lossy();
    Dialect::of_document(Some(language_id), &path, &settings.jsonc_files)
}

impl Text for Rope {
    fn len(&self) -> usize {
        self.len_bytes()
    }

    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        let (chunks, mut start, ..) = self.chunks_at_byte(range.start);
        chunks
            .map(move |chunk| {
                let chunk_start = start;
                start += chunk.len();
                let from = range.start.saturating_sub(chunk_start);
                let to = range.end.saturating_sub(chunk_start).min(chunk.len());
                &chunk.as_bytes()[from.min(to)..to]
            })
            .take_while({
                let mut left = range.len();
                move |piece| {
                    let is_wanted = left > 0;
                    left -= piece.len();
                    is_wanted
                }
            })
    }

    fn bytes_before(&self, end: usize) -> impl Iterator<Item = u8> {
        let mut bytes = self.bytes_at(end);
        std::iter::from_fn(move || bytes.prev())
    }

    fn line_ending(&self) -> &'static str {
        let first_line = self.line(0);
        let mut last = first_line.chars_at(first_line.len_chars()).reversed();
        match (last.next(), last.next()) {
            (Some('\n'), Some('\r')) => "\r\n",
            (Some('\r'), _) => "\r",
            _ => "\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_rope_reads_as_its_text_does(
            text in "([ -~]{0,40}|é|😀|\r\n|\r|\n){0,200}",
            range in any::<(proptest::sample::Index, proptest::sample::Index)>(),
        ) {
            let rope = Rope::from_str(&text);
            let (one, other) = (range.0.index(text.len() + 1), range.1.index(text.len() + 1));
            let range = one.min(other)..one.max(other);
            let read: Vec<u8> = rope.pieces(range.clone()).flatten().copied().collect();
            prop_assert_eq!(&read, &text.as_bytes()[range]);
            prop_assert!(rope.bytes_before(one).eq(text.as_str().bytes_before(one)));
            prop_assert_eq!(rope.line_ending(), text.as_str().line_ending());
        }
    }
}
