//! The language server: convert in, ask, convert out.
//!
//! - [`transport`] frames, dispatches and ends;
//! - [`outbox`] is what is on its way to the client;
//! - [`documents`] are the open texts, in step with the client, and [`analysis`]
//!   is what was found in one;
//! - [`position`] alone knows both bytes and UTF-16;
//! - [`diagnostics`], [`actions`], [`hover`], [`hints`], [`formatting`] and
//!   [`commands`] make protocol of reports, and [`structure`] of the text alone;
//! - [`pull`] answers a client that asks for diagnostics, and `progress` shows it
//!   a first pass that takes long;
//! - [`settings`] turn [`features`] on and off.
//!
//! **The state changes before a handler first waits, under one lock that is
//! never held across an `await`.** So it changes in the order in which the
//! messages arrive, and whoever answers holds a snapshot.
//!
//! **Nothing is published but under that lock, for the document's current
//! snapshot.** So no older version follows a newer one, and nothing follows the
//! empty list of a closed document.
//!
//! **No handler waits for the client.** What is asked of the client is asked on
//! a task of its own.

pub mod actions;
pub mod analysis;
pub mod capabilities;
pub mod commands;
pub mod diagnostics;
pub mod documents;
pub mod features;
pub mod formatting;
pub mod hints;
pub mod hover;
pub mod outbox;
pub mod position;
mod progress;
pub mod pull;
pub mod settings;
pub mod structure;
pub mod transport;

use std::{
    collections::{HashMap, HashSet, hash_map::RandomState},
    future::Future,
    hash::BuildHasher,
    io::{self, IsTerminal},
    panic::AssertUnwindSafe,
    process::ExitCode,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use serde_json::Value;
use tokio::sync::watch;
use tower_lsp::{
    Client, LanguageServer,
    jsonrpc::{Error, ErrorCode, Result},
    lsp_types as lsp,
};

use actions::{ActionData, Wanted};
use capabilities::ClientCapabilities;
use commands::{Answer, DocumentAnswer, OnDocument};
use documents::{Changed, Documents, Snapshot};
use features::Features;
use outbox::Outbox;
use settings::{Complaints, Settings};

/// How long the first diagnostics wait for the client's configuration.
const PATIENCE_FOR_CONFIGURATION: Duration = Duration::from_millis(200);
/// How many documents are laid out at once.
const LAYOUTS_AT_ONCE: usize = 4;
/// How many documents that are changed and not open the user is told of.
const MOST_UNKNOWN: usize = 64;
/// How long a reply of the client is waited for.
const PATIENCE_FOR_CLIENT: Duration = Duration::from_secs(10);

/// Serves one client on standard input and output until it says `exit`.
///
/// Standard output carries frames only; logs go to standard error.
pub fn serve() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_env("JSON_REPAIR_LSP_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();
    let served = output().and_then(|output| transport::serve(io::stdin(), output, max_content_length()));
    match served {
        Ok(code) => code,
        Err(error) => {
            tracing::error!(%error, "the server cannot start");
            ExitCode::FAILURE
        }
    }
}

/// The standard output. [`io::Stdout`] would write the header of each frame by
/// itself, because it ends lines, and wake the client twice.
fn output() -> io::Result<io::PipeWriter> {
    #[cfg(unix)]
    let output = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let output = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    output.map(io::PipeWriter::from)
}

/// The longest message that is believed, in bytes.
fn max_content_length() -> u64 {
    let Ok(value) = std::env::var("JSON_REPAIR_LSP_MAX_MESSAGE") else {
        return transport::MAX_CONTENT_LENGTH;
    };
    value.parse().unwrap_or_else(|error| {
        tracing::error!(value, %error, "JSON_REPAIR_LSP_MAX_MESSAGE is no number of bytes");
        transport::MAX_CONTENT_LENGTH
    })
}

/// The server: tower-lsp calls it, everything is in `Shared`.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

/// What handlers and tasks share.
struct Shared {
    client: Client,
    outbox: Arc<Outbox>,
    state: Mutex<State>,
    /// Whether the client's configuration is known, or waited for no longer.
    is_configured: watch::Sender<bool>,
    /// What is registered with the client; held while that changes.
    registered: tokio::sync::Mutex<Features>,
    /// Turns at laying out, which takes several times the document.
    layouts: tokio::sync::Semaphore,
    is_initialized: AtomicBool,
    is_shut_down: AtomicBool,
    /// Whether what is made of a report next is to panic, for a test.
    #[cfg(debug_assertions)]
    panics_next: AtomicBool,
}

#[derive(Default)]
struct State {
    client: ClientCapabilities,
    initialization_options: Value,
    configuration: Value,
    /// How often the configuration was asked for or sent: only the latest
    /// answer counts.
    configuration_round: u64,
    settings: Arc<Settings>,
    /// How often the settings have changed.
    settings_round: u64,
    /// What is wrong in the settings, of which the user was told.
    complaints: Complaints,
    documents: Documents,
    unknown: Unknown,
    /// The documents that a task is about to publish diagnostics for.
    to_be_published: HashSet<lsp::Url>,
    /// Those of them that nobody is about yet.
    due: Vec<lsp::Url>,
    /// The long passes that the client sees.
    passes: HashMap<lsp::ProgressToken, Weak<Snapshot>>,
}

/// Documents that the client changes and has not opened, of which the user was
/// told.
///
/// A client may make up any number of them, with names of any length, so that
/// only hashes are kept, and of the first ones.
#[derive(Default)]
struct Unknown {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Unknown {
    /// `false` if that is no news, or if there are too many already.
    fn insert(&mut self, uri: &lsp::Url) -> bool {
        self.hashes.len() < MOST_UNKNOWN && self.hashes.insert(self.hasher.hash_one(uri))
    }

    fn remove(&mut self, uri: &lsp::Url) {
        self.hashes.remove(&self.hasher.hash_one(uri));
    }
}

impl Server {
    /// A server that sends requests through `client`, and everything through
    /// `outbox`.
    pub fn new(client: Client, outbox: Arc<Outbox>) -> Server {
        let shared = Shared {
            client,
            outbox,
            state: Mutex::default(),
            is_configured: watch::Sender::new(false),
            registered: tokio::sync::Mutex::default(),
            layouts: tokio::sync::Semaphore::new(LAYOUTS_AT_ONCE),
            is_initialized: AtomicBool::new(false),
            is_shut_down: AtomicBool::new(false),
            #[cfg(debug_assertions)]
            panics_next: AtomicBool::new(false),
        };
        Server { shared: Arc::new(shared) }
    }

    /// Has the diagnostics published that the last message made due. Where
    /// nothing else is waiting, what can be had in a moment is published before
    /// this returns: to wake another thread takes longer than that.
    pub fn publish_due(&self, is_calm: bool) {
        let due = std::mem::take(&mut self.shared.state().due);
        for uri in due {
            let mut publication = Box::pin(Arc::clone(&self.shared).publish_or_log(uri));
            if !is_calm || publication.as_mut().now_or_never().is_none() {
                tokio::spawn(publication);
            }
        }
    }

    /// Whether the client has initialized the server.
    pub fn is_initialized(&self) -> bool {
        self.shared.is_initialized.load(Ordering::SeqCst)
    }

    /// Whether the client has asked the server to shut down.
    pub fn is_shut_down(&self) -> bool {
        self.shared.is_shut_down.load(Ordering::SeqCst)
    }

    /// A change of the document was lost: until all of its text comes again
    /// there is nothing to say about it.
    pub fn lose_step(&self, uri: &lsp::Url) {
        self.shared.lose_step(&mut self.shared.state(), uri);
    }

    /// A change was lost, and nobody knows of which document.
    pub fn lose_step_of_all(&self) {
        let mut state = self.shared.state();
        for uri in state.documents.uris() {
            self.shared.lose_step(&mut state, &uri);
        }
    }

    /// `window/workDoneProgress/cancel`: has a long pass stop.
    pub async fn cancel_progress(&self, params: lsp::WorkDoneProgressCancelParams) {
        let pass = self.shared.state().passes.get(&params.token).and_then(Weak::upgrade);
        pass.iter().for_each(|snapshot| snapshot.cancel());
    }

    /// The current snapshot of a document, and what is needed to answer for it.
    fn current(&self, uri: &lsp::Url) -> Option<(Arc<Snapshot>, Arc<Settings>, ClientCapabilities)> {
        let state = self.shared.state();
        Some((state.documents.get(uri)?, Arc::clone(&state.settings), state.client))
    }

    /// The current snapshot of a document, ready to be answered from, if the
    /// feature that is asked for is on.
    async fn ready_if(
        &self,
        uri: &lsp::Url,
        is_on: fn(&Settings) -> bool,
    ) -> Option<(Arc<Snapshot>, ClientCapabilities)> {
        let (snapshot, _, client) = self.current(uri).filter(|(_, settings, _)| is_on(settings))?;
        Some((self.shared.ready(snapshot).await, client))
    }

    /// Makes an answer of what stands in a document, if that is turned on.
    async fn of_structure<T: Send + 'static>(
        &self,
        uri: &lsp::Url,
        is_on: fn(&Settings) -> bool,
        answer: impl FnOnce(&Snapshot, ClientCapabilities) -> T + Send + 'static,
    ) -> Option<T> {
        let (snapshot, client) = self.ready_if(uri, is_on).await?;
        Some(snapshot.work(move |snapshot| answer(snapshot, client)).await)
    }

    fn current_or_failed(&self, uri: &lsp::Url) -> Result<(Arc<Snapshot>, ClientCapabilities)> {
        let (snapshot, _, client) = self.current(uri).ok_or_else(|| {
            commands::request_failed(format!("{uri} is not open, or a change of it was lost"))
        })?;
        Ok((snapshot, client))
    }

    /// `workspace/executeCommand`. The trait's would have to make a tree of values
    /// of an answer that may be as long as the document.
    pub async fn execute(&self, params: lsp::ExecuteCommandParams) -> Result<Option<Answer>> {
        let lsp::ExecuteCommandParams { command, arguments, .. } = params;
        match command.as_str() {
            commands::EXECUTE => commands::execute(&arguments).map(Answer::Response).map(Some),
            commands::REPORT => {
                let on = OnDocument::new(&command, &arguments)?;
                let (snapshot, _) = self.current_or_failed(&on.uri)?;
                let snapshot = self.shared.ready(snapshot).await;
                let analysis = on.analysis(&snapshot)?;
                Ok(Some(Answer::OfDocument(DocumentAnswer::new(&snapshot, &analysis))))
            }
            commands::APPLY => {
                let on = OnDocument::new(&command, &arguments)?;
                let (snapshot, client) = self.current_or_failed(&on.uri)?;
                let snapshot = self.shared.ready(snapshot).await;
                let analysis = on.analysis(&snapshot)?;
                let edits = actions::all_edits(analysis.candidates(snapshot.rope()));
                let edits = actions::text_edits(&snapshot, edits);
                if !edits.is_empty() {
                    let edit = actions::workspace_edit(&snapshot, edits, client);
                    tokio::spawn(ask(self.shared.client.clone(), |client| async move {
                        client.apply_edit(edit).await
                    }));
                }
                let answer = DocumentAnswer::new(&snapshot, &analysis).without_text();
                Ok(Some(Answer::OfDocument(answer)))
            }
            #[cfg(debug_assertions)]
            commands::PANIC if arguments == ["next"] => {
                self.shared.panics_next.store(true, Ordering::SeqCst);
                Ok(None)
            }
            #[cfg(debug_assertions)]
            commands::PANIC => panic!("as asked"),
            _ => Err(commands::invalid_params(format!("unknown command `{command}`"))),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic in a handler does not leave the state half changed in a way
        // that matters more than going on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose_step(&self, state: &mut State, uri: &lsp::Url) {
        if !state.documents.is_open(uri) {
            self.change_of_unknown(state, uri);
        } else if state.documents.lose_step(uri) {
            self.outbox.publish(lsp::PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None));
            let message = format!(
                "json-repair-lsp lost a change of {uri}. Close and reopen it to have it checked again."
            );
            self.show_message(lsp::MessageType::ERROR, message);
        }
    }

    /// A document is changed that is not open: there is nothing to change, and
    /// nothing is answered for it until it is opened.
    fn change_of_unknown(&self, state: &mut State, uri: &lsp::Url) {
        tracing::warn!(%uri, "a change of a document that is not open");
        if state.unknown.insert(uri) {
            let message = format!(
                "json-repair-lsp was sent a change of {uri}, and does not know it to be open. Close and reopen it to have it checked."
            );
            self.show_message(lsp::MessageType::WARNING, message);
        }
    }

    fn show_message(&self, kind: lsp::MessageType, message: String) {
        let client = self.client.clone();
        tokio::spawn(async move { client.show_message(kind, message).await });
    }

    /// Has the diagnostics of a document published, soon and for whatever
    /// version it is at then. A burst of changes is one publication.
    fn publish_soon(self: &Arc<Self>, state: &mut State, uri: &lsp::Url) {
        if state.to_be_published.insert(uri.clone()) {
            tokio::spawn(Arc::clone(self).publish_or_log(uri.clone()));
        }
    }

    /// The same, but [`Server::publish_due`] has to follow.
    fn publish_next(&self, state: &mut State, uri: &lsp::Url) {
        if state.to_be_published.insert(uri.clone()) {
            state.due.push(uri.clone());
        }
    }

    async fn publish_or_log(self: Arc<Self>, uri: lsp::Url) {
        let publication = AssertUnwindSafe(Arc::clone(&self).publish(uri.clone()));
        if publication.catch_unwind().await.is_err() {
            // The next version gets its own try.
            tracing::error!(%uri, "a publication panicked");
            self.state().to_be_published.remove(&uri);
        }
    }

    async fn publish(self: Arc<Self>, uri: lsp::Url) {
        self.configured().await;
        loop {
            let (snapshot, settings, client) = {
                let mut state = self.state();
                match state.documents.get(&uri) {
                    Some(snapshot) => (snapshot, Arc::clone(&state.settings), state.client),
                    None => {
                        state.to_be_published.remove(&uri);
                        return;
                    }
                }
            };
            if let Some(read) = snapshot.long_pass().filter(|_| client.work_done_progress) {
                tokio::spawn(progress::show(Arc::clone(&self), Arc::downgrade(&read)));
            }
            let snapshot = snapshot.analysed().await;
            {
                let mut state = self.state();
                if state.settings.pulls_diagnostics(client) {
                    state.to_be_published.remove(&uri);
                    return;
                }
            }
            self.outbox.room_for_diagnostics().await;
            #[cfg(debug_assertions)]
            self.panic_if_asked();
            let diagnostics = diagnostics::diagnostics(&snapshot, &settings, client);
            let mut state = self.state();
            if state.documents.is_current(&snapshot) && Arc::ptr_eq(&state.settings, &settings) {
                state.to_be_published.remove(&uri);
                let version = Some(snapshot.version);
                self.outbox.publish(lsp::PublishDiagnosticsParams::new(uri, diagnostics, version));
                return;
            }
        }
    }

    /// The snapshot once its report is made and there is room for an answer
    /// from it. An answer may be as long as the document, so that it is not
    /// made for a client that does not read.
    async fn ready(&self, snapshot: Arc<Snapshot>) -> Arc<Snapshot> {
        let snapshot = snapshot.analysed().await;
        self.outbox.room_for_messages().await;
        #[cfg(debug_assertions)]
        self.panic_if_asked();
        snapshot
    }

    #[cfg(debug_assertions)]
    fn panic_if_asked(&self) {
        assert!(!self.panics_next.swap(false, Ordering::SeqCst), "as asked");
    }

    /// Waits until the client's configuration is known, or long enough.
    async fn configured(&self) {
        let mut is_configured = self.is_configured.subscribe();
        let known = is_configured.wait_for(|is_configured| *is_configured);
        if tokio::time::timeout(PATIENCE_FOR_CONFIGURATION, known).await.is_err() {
            self.is_configured.send_replace(true);
        }
    }

    /// Asks for the client's configuration and goes by it.
    fn ask_for_configuration(self: &Arc<Self>) {
        let round = {
            let mut state = self.state();
            state.configuration_round += 1;
            state.configuration_round
        };
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            let item =
                lsp::ConfigurationItem { scope_uri: None, section: Some(settings::SECTION.to_owned()) };
            let answer =
                ask(shared.client.clone(), |client| async move { client.configuration(vec![item]).await });
            let configuration = answer.await.and_then(|values| values.into_iter().next()).unwrap_or_default();
            shared.configure(round, settings::answered(configuration));
            shared.is_configured.send_replace(true);
        });
    }

    /// Goes by a configuration, unless a later one is on its way.
    fn configure(self: &Arc<Self>, round: u64, configuration: Value) {
        let mut state = self.state();
        if state.configuration_round == round {
            state.configuration = configuration;
            self.apply_settings(&mut state);
        }
    }

    /// Reads the settings anew, says what is wrong with them, and judges every
    /// document by them.
    fn apply_settings(self: &Arc<Self>, state: &mut State) {
        let layers = [&state.initialization_options, &state.configuration];
        let (settings, complaints) = Settings::from_layers(layers);
        // Clients send the same settings again and again.
        for message in complaints.messages(&state.complaints) {
            self.show_message(lsp::MessageType::WARNING, format!("json-repair-lsp: {message}"));
        }
        state.complaints = complaints;
        let before = Arc::clone(&state.settings);
        if *before != settings {
            state.settings = Arc::new(settings);
            state.settings_round += 1;
            let settings = Arc::clone(&state.settings);
            state.documents.reconsider(&settings);
            let is_pulled_now =
                settings.pulls_diagnostics(state.client) && !before.pulls_diagnostics(state.client);
            for uri in state.documents.uris() {
                if let Some(snapshot) = state.documents.get(&uri).filter(|_| is_pulled_now) {
                    let version = Some(snapshot.version);
                    self.outbox.publish(lsp::PublishDiagnosticsParams::new(uri, Vec::new(), version));
                } else {
                    self.publish_soon(state, &uri);
                }
            }
        }
        let (shared, now) = (Arc::clone(self), Arc::clone(&state.settings));
        tokio::spawn(async move {
            shared.register().await;
            if !Arc::ptr_eq(&before, &now) {
                shared.refresh(&before, &now).await;
            }
        });
    }

    /// Brings what is registered with the client in line with the settings.
    async fn register(&self) {
        let mut registered = self.registered.lock().await;
        let wanted = {
            let State { client, settings, .. } = &*self.state();
            Features::on(settings, *client).among(client.takes_registrations)
        };
        let before = std::mem::replace(&mut *registered, wanted);
        let unregistrations = before.without(wanted).unregistrations();
        if !unregistrations.is_empty() {
            let unregister =
                |client: Client| async move { client.unregister_capability(unregistrations).await };
            ask(self.client.clone(), unregister).await;
        }
        let registrations = wanted.without(before).registrations();
        if !registrations.is_empty() {
            let register = |client: Client| async move { client.register_capability(registrations).await };
            ask(self.client.clone(), register).await;
        }
    }

    /// Has the client ask anew for what it shows and the settings have changed.
    async fn refresh(&self, before: &Settings, now: &Settings) {
        let client = self.state().client;
        let is_either = |is_on: fn(&Settings) -> bool| is_on(before) || is_on(now);
        if client.refreshes_diagnostics && is_either(|settings| settings.diagnostics_pull) {
            ask(self.client.clone(), |client| async move { client.workspace_diagnostic_refresh().await })
                .await;
        }
        if client.refreshes_inlay_hints && is_either(|settings| settings.inlay_hint_enable) {
            ask(self.client.clone(), |client| async move { client.inlay_hint_refresh().await }).await;
        }
        if client.refreshes_code_lenses && is_either(|settings| settings.code_lens_enable) {
            ask(self.client.clone(), |client| async move { client.code_lens_refresh().await }).await;
        }
    }
}

/// Asks the client for something; `None` if it refuses, or takes too long.
///
/// The asker waits on when nobody else does: tower-lsp panics at a reply whose
/// asker is gone.
async fn ask<T, F>(client: Client, request: impl FnOnce(Client) -> F) -> Option<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let asker = tokio::spawn(request(client));
    match tokio::time::timeout(PATIENCE_FOR_CLIENT, asker).await {
        Ok(Ok(Ok(answer))) => Some(answer),
        Ok(Ok(Err(error))) => {
            tracing::warn!(%error, "the client refuses a request");
            None
        }
        Ok(Err(_)) | Err(_) => {
            tracing::warn!("the client does not reply");
            None
        }
    }
}

#[tower_lsp::async_trait]
impl LanguageServer for Server {
    async fn initialize(&self, params: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        self.shared.is_initialized.store(true, Ordering::SeqCst);
        let mut state = self.shared.state();
        state.client = ClientCapabilities::new(&params.capabilities);
        state.initialization_options = params.initialization_options.unwrap_or_default();
        // What is wrong in them is said once the configuration is laid over.
        let (settings, _) = Settings::from_layers([&state.initialization_options]);
        let capabilities = server_capabilities(state.client, &settings);
        state.settings = Arc::new(settings);
        Ok(lsp::InitializeResult {
            capabilities,
            server_info: Some(lsp::ServerInfo {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }

    async fn initialized(&self, _: lsp::InitializedParams) {
        let asks = self.shared.state().client.configuration;
        if asks {
            self.shared.ask_for_configuration();
        } else {
            self.shared.apply_settings(&mut self.shared.state());
            self.shared.is_configured.send_replace(true);
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.shared.is_shut_down.store(true, Ordering::SeqCst);
        Ok(())
    }

    async fn did_change_configuration(&self, params: lsp::DidChangeConfigurationParams) {
        if params.settings.is_object() {
            let round = {
                let mut state = self.shared.state();
                state.configuration_round += 1;
                state.configuration_round
            };
            self.shared.configure(round, params.settings);
        } else if self.shared.state().client.configuration {
            self.shared.ask_for_configuration();
        }
    }

    async fn did_open(&self, params: lsp::DidOpenTextDocumentParams) {
        let mut state = self.shared.state();
        let settings = Arc::clone(&state.settings);
        let uri = params.text_document.uri.clone();
        state.unknown.remove(&uri);
        state.documents.open(params.text_document, &settings);
        self.shared.publish_next(&mut state, &uri);
    }

    async fn did_change(&self, params: lsp::DidChangeTextDocumentParams) {
        let mut state = self.shared.state();
        match state.documents.change(&params.text_document, params.content_changes) {
            Changed::ToNewVersion => self.shared.publish_next(&mut state, &params.text_document.uri),
            Changed::StillOutOfStep => {}
            Changed::Unknown => self.shared.change_of_unknown(&mut state, &params.text_document.uri),
        }
    }

    async fn did_close(&self, params: lsp::DidCloseTextDocumentParams) {
        let mut state = self.shared.state();
        let uri = params.text_document.uri;
        if state.documents.close(&uri) {
            self.shared.outbox.publish_last(uri);
        }
    }

    async fn code_action(&self, params: lsp::CodeActionParams) -> Result<Option<lsp::CodeActionResponse>> {
        let wanted = Wanted::new(&params.context);
        let current = self.current(&params.text_document.uri).filter(|_| !wanted.is_nothing());
        let Some((snapshot, settings, client)) = current else { return Ok(Some(Vec::new())) };
        let snapshot = self.shared.ready(snapshot).await;
        let actions = actions::code_actions(&snapshot, params.range, &wanted, &settings, client);
        Ok(Some(actions.into_iter().map(lsp::CodeActionOrCommand::CodeAction).collect()))
    }

    async fn code_action_resolve(&self, mut action: lsp::CodeAction) -> Result<lsp::CodeAction> {
        let Some(data) = &action.data else { return Ok(action) };
        let data: ActionData = serde_json::from_value(data.clone())
            .map_err(|error| commands::invalid_params(format!("`data` of the code action: {error}")))?;
        let current = self
            .current(&data.uri)
            .filter(|(snapshot, ..)| (snapshot.opening, snapshot.version) == (data.opening, data.version));
        let Some((snapshot, _, client)) = current else {
            return Err(Error::new(ErrorCode::ContentModified));
        };
        let snapshot = self.shared.ready(snapshot).await;
        action.edit = actions::resolve(&snapshot, &data, client);
        Ok(action)
    }

    async fn hover(&self, params: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        let lsp::TextDocumentPositionParams { text_document, position } =
            params.text_document_position_params;
        let is_on = |settings: &Settings| settings.hover_enable;
        let Some((snapshot, client)) = self.ready_if(&text_document.uri, is_on).await else {
            return Ok(None);
        };
        Ok(hover::hover(&snapshot, position, client))
    }

    async fn inlay_hint(&self, params: lsp::InlayHintParams) -> Result<Option<Vec<lsp::InlayHint>>> {
        let is_on = |settings: &Settings| settings.inlay_hint_enable;
        let ready = self.ready_if(&params.text_document.uri, is_on).await;
        Ok(ready.map(|(snapshot, _)| hints::inlay_hints(&snapshot, params.range)))
    }

    async fn code_lens(&self, params: lsp::CodeLensParams) -> Result<Option<Vec<lsp::CodeLens>>> {
        let is_on = |settings: &Settings| settings.code_lens_enable;
        let ready = self.ready_if(&params.text_document.uri, is_on).await;
        Ok(ready.and_then(|(snapshot, _)| hints::code_lens(&snapshot)).map(|lens| vec![lens]))
    }

    async fn diagnostic(
        &self,
        params: lsp::DocumentDiagnosticParams,
    ) -> Result<lsp::DocumentDiagnosticReportResult> {
        let settings_round = self.shared.state().settings_round;
        let current = self.current(&params.text_document.uri);
        let current = current.filter(|(_, settings, client)| settings.pulls_diagnostics(*client));
        let Some((snapshot, settings, client)) = current else { return Ok(pull::full(None, Vec::new())) };
        let result_id = pull::result_id(&snapshot, settings_round);
        if params.previous_result_id.as_ref() == Some(&result_id) {
            return Ok(pull::unchanged(result_id));
        }
        let snapshot = self.shared.ready(snapshot).await;
        Ok(pull::full(Some(result_id), diagnostics::diagnostics(&snapshot, &settings, client)))
    }

    async fn formatting(&self, params: lsp::DocumentFormattingParams) -> Result<Option<Vec<lsp::TextEdit>>> {
        let current = self.current(&params.text_document.uri);
        let Some((snapshot, settings, _)) = current.filter(|(_, settings, _)| settings.format_enable) else {
            return Ok(Some(Vec::new()));
        };
        let snapshot = self.shared.ready(snapshot).await;
        let _turn = self.shared.layouts.acquire().await;
        let format = move |snapshot: &Snapshot| formatting::format(snapshot, &settings, &params.options);
        Ok(Some(snapshot.work(format).await))
    }

    async fn range_formatting(
        &self,
        params: lsp::DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<lsp::TextEdit>>> {
        let current = self.current(&params.text_document.uri);
        let Some((snapshot, settings, _)) = current.filter(|(_, settings, _)| settings.formats_ranges())
        else {
            return Ok(Some(Vec::new()));
        };
        let snapshot = self.shared.ready(snapshot).await;
        let _turn = self.shared.layouts.acquire().await;
        let format = move |snapshot: &Snapshot| {
            formatting::format_range(snapshot, params.range, &settings, &params.options)
        };
        Ok(Some(snapshot.work(format).await))
    }

    async fn folding_range(&self, params: lsp::FoldingRangeParams) -> Result<Option<Vec<lsp::FoldingRange>>> {
        let uri = &params.text_document.uri;
        Ok(self.of_structure(uri, |on| on.folding_range_enable, structure::folding_ranges).await)
    }

    async fn selection_range(
        &self,
        params: lsp::SelectionRangeParams,
    ) -> Result<Option<Vec<lsp::SelectionRange>>> {
        let lsp::SelectionRangeParams { text_document, positions, .. } = params;
        let answer = move |snapshot: &Snapshot, _| structure::selection_ranges(snapshot, &positions);
        let answer = self.of_structure(&text_document.uri, |on| on.selection_range_enable, answer);
        Ok(answer.await.flatten())
    }

    async fn document_symbol(
        &self,
        params: lsp::DocumentSymbolParams,
    ) -> Result<Option<lsp::DocumentSymbolResponse>> {
        let uri = &params.text_document.uri;
        Ok(self.of_structure(uri, |on| on.document_symbol_enable, structure::document_symbols).await)
    }

    async fn will_save_wait_until(
        &self,
        params: lsp::WillSaveTextDocumentParams,
    ) -> Result<Option<Vec<lsp::TextEdit>>> {
        let is_manual = params.reason == lsp::TextDocumentSaveReason::MANUAL;
        let current = self.current(&params.text_document.uri);
        let Some((snapshot, ..)) = current.filter(|(_, settings, _)| is_manual && settings.on_save) else {
            return Ok(Some(Vec::new()));
        };
        let snapshot = self.shared.ready(snapshot).await;
        Ok(Some(actions::unasked_repair(&snapshot)))
    }
}

fn server_capabilities(client: ClientCapabilities, settings: &Settings) -> lsp::ServerCapabilities {
    let mut capabilities = lsp::ServerCapabilities {
        position_encoding: Some(lsp::PositionEncodingKind::UTF16),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
            ..lsp::TextDocumentSyncOptions::default()
        })),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(lsp::CodeActionOptions {
            code_action_kinds: Some(actions::kinds()),
            resolve_provider: Some(true),
            ..lsp::CodeActionOptions::default()
        })),
        execute_command_provider: Some(lsp::ExecuteCommandOptions {
            commands: [commands::EXECUTE, commands::REPORT, commands::APPLY].map(str::to_owned).to_vec(),
            ..lsp::ExecuteCommandOptions::default()
        }),
        ..lsp::ServerCapabilities::default()
    };
    Features::on(settings, client).without(client.takes_registrations).declare(&mut capabilities);
    capabilities
}
