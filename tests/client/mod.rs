//! The tests' own language client: it drives the real binary over pipes.
//!
//! It keeps its own model of every open document ([`document`]), makes the
//! server's edits with its own applier, and **fails the test on anything that
//! nobody expected**: bytes on standard output that are no frame, requests for
//! which it has not declared the capability, diagnostics of a version that is
//! older than the last or was never sent, anything published for a document
//! that is not open, and, when it is dropped, messages that the test has not
//! read, an exit status other than 0, and a panic on standard error.

pub mod document;
mod wire;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use document::{Change, Position, Range, Text, TextEdit};
use wire::{Incoming, read_all, write_all};
pub use wire::{frame, frame_with_header};

/// How long anything may take. It guards against hanging only: nothing about
/// speed is tested here.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The binary under test.
pub const SERVER: &str = env!("CARGO_BIN_EXE_json-repair-lsp");

/// How a client is to be, before it is started.
pub struct Builder {
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    capabilities: Value,
    initialization_options: Option<Value>,
    process_id: Value,
    settings: Settings,
}

/// What the client answers to `workspace/configuration`.
enum Settings {
    /// What stands under the section that is asked for, `null` where nothing
    /// does.
    Answered(Value),
    /// An error.
    Refused,
    /// Nothing, unless the test answers by hand.
    Withheld,
}

impl Builder {
    /// Takes away a capability, by its JSON pointer.
    #[track_caller]
    pub fn without(mut self, pointer: &str) -> Builder {
        let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
        let parent = self.capabilities.pointer_mut(parent).and_then(Value::as_object_mut);
        let removed = parent.and_then(|parent| parent.remove(key));
        assert!(removed.is_some(), "the client has no capability {pointer}");
        self
    }

    /// Declares a capability, by its JSON pointer; its parent must be there.
    #[track_caller]
    pub fn with(mut self, pointer: &str, value: Value) -> Builder {
        let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
        let parent = self.capabilities.pointer_mut(parent).and_then(Value::as_object_mut);
        parent.expect("the parent of the capability").insert(key.to_owned(), value);
        self
    }

    /// Sends `initializationOptions`.
    pub fn initialization_options(mut self, options: Value) -> Builder {
        self.initialization_options = Some(options);
        self
    }

    /// Answers `workspace/configuration` from these settings, which stand
    /// under their sections.
    pub fn settings(mut self, settings: Value) -> Builder {
        self.settings = Settings::Answered(settings);
        self
    }

    /// Answers `workspace/configuration` with an error.
    pub fn refusing_settings(mut self) -> Builder {
        self.settings = Settings::Refused;
        self
    }

    /// Never answers `workspace/configuration`.
    pub fn withholding_settings(mut self) -> Builder {
        self.settings = Settings::Withheld;
        self
    }

    /// Gives the id of another process as the editor's.
    pub fn process_id(mut self, process_id: Value) -> Builder {
        self.process_id = process_id;
        self
    }

    /// Runs the server with these arguments.
    pub fn arguments(mut self, arguments: &[&str]) -> Builder {
        self.arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self
    }

    /// Runs the server with this variable in its environment.
    pub fn environment(mut self, name: &str, value: &str) -> Builder {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts the server, says nothing to it yet.
    pub fn spawn(self) -> Client {
        Client::spawn(self)
    }

    /// Starts the server and goes through the handshake with it, including its
    /// first question for settings.
    pub fn start(self) -> Client {
        let mut client = self.spawn();
        client.initialize();
        client.initialized();
        client
    }
}

/// One version of a document's diagnostics, as published.
#[derive(Clone, Debug)]
pub struct Published {
    pub version: Option<i64>,
    pub diagnostics: Vec<Value>,
}

/// An error answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorAnswer {
    pub code: i64,
    pub message: String,
    pub data: Value,
}

struct Document {
    text: Text,
    version: i64,
    /// The versions that the server has been told since the document was
    /// opened; it may publish for no other.
    first_version: i64,
    /// Whether nothing may ever be published for it but an empty list.
    is_silent: bool,
    /// Whether an empty list may come without a version.
    may_be_cleared: bool,
    published: Vec<Published>,
}

/// A document that was closed.
struct Closed {
    /// Whether the clearing of its diagnostics has come.
    is_cleared: bool,
    /// Whether empty lists are nothing new for it.
    was_silent: bool,
}

pub struct Client {
    child: Child,
    /// Chunks for the server's input; `None` once it is closed.
    input: Option<Sender<Vec<u8>>>,
    incoming: Receiver<Incoming>,
    standard_error: Arc<Mutex<String>>,
    standard_error_reader: Option<JoinHandle<()>>,
    exit_status: Option<i32>,

    capabilities: Value,
    initialization_options: Option<Value>,
    process_id: Value,
    settings: Settings,
    initialize_result: Value,

    next_id: i64,
    /// Requests of ours that are not answered yet.
    waiting: BTreeMap<i64, String>,
    /// Answers that the test has not read yet.
    answers: BTreeMap<i64, Result<Value, ErrorAnswer>>,
    /// Error answers to what had no id.
    answers_to_nobody: VecDeque<ErrorAnswer>,
    documents: BTreeMap<String, Document>,
    closed: BTreeMap<String, Closed>,
    registrations: BTreeMap<String, Value>,
    configuration_requests: usize,
    /// The id of the last of them, for a test that answers by hand.
    configuration_id: Value,
    shown_messages: VecDeque<String>,
    logged_messages: VecDeque<String>,
    applied_edits: usize,
    /// The requests to ask anew that have come.
    refreshes: Vec<String>,
    /// What was told of each progress, by its token.
    progress: BTreeMap<String, Vec<Value>>,

    refuses_edits: bool,
    permits_log_messages: bool,
    permits_panics: bool,
    has_ended: bool,
    was_shut_down: bool,
    is_initialized: bool,
    /// The last messages in both directions, for a failing test to show.
    transcript: VecDeque<String>,
}

impl Client {
    /// A client that can do all that VS Code can; its user has set nothing.
    pub fn builder() -> Builder {
        Builder {
            arguments: vec!["--stdio".to_owned()],
            environment: Vec::new(),
            capabilities: json!({
                "general": {"positionEncodings": ["utf-16"]},
                "workspace": {
                    "applyEdit": true,
                    "configuration": true,
                    "didChangeConfiguration": {"dynamicRegistration": true},
                    "workspaceEdit": {"documentChanges": true},
                    "codeLens": {"refreshSupport": true},
                    "diagnostics": {"refreshSupport": true},
                    "inlayHint": {"refreshSupport": true},
                },
                "textDocument": {
                    "synchronization": {"dynamicRegistration": true, "willSaveWaitUntil": true, "didSave": true},
                    "publishDiagnostics": {
                        "relatedInformation": true,
                        "versionSupport": true,
                        "tagSupport": {"valueSet": [1, 2]},
                        "dataSupport": true,
                        "codeDescriptionSupport": true,
                    },
                    "codeAction": {
                        "dynamicRegistration": true,
                        "isPreferredSupport": true,
                        "disabledSupport": true,
                        "dataSupport": true,
                        "resolveSupport": {"properties": ["edit"]},
                        "codeActionLiteralSupport": {
                            "codeActionKind": {
                                "valueSet": ["", "quickfix", "refactor", "refactor.rewrite", "source", "source.fixAll"],
                            },
                        },
                    },
                    "codeLens": {"dynamicRegistration": true},
                    "diagnostic": {"dynamicRegistration": true, "relatedDocumentSupport": true},
                    "documentSymbol": {"dynamicRegistration": true},
                    "foldingRange": {"dynamicRegistration": true},
                    "formatting": {"dynamicRegistration": true},
                    "hover": {"dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"]},
                    "inlayHint": {"dynamicRegistration": true},
                    "selectionRange": {"dynamicRegistration": true},
                },
                "window": {"workDoneProgress": true},
            }),
            initialization_options: None,
            process_id: json!(std::process::id()),
            settings: Settings::Answered(Value::Null),
        }
    }

    /// The client of [`Client::builder`], started.
    pub fn start() -> Client {
        Client::builder().start()
    }

    fn spawn(builder: Builder) -> Client {
        let mut child = Command::new(SERVER)
            .args(&builder.arguments)
            .env_remove("JSON_REPAIR_LSP_LOG")
            .envs(builder.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{SERVER}: {error}"));
        let (input, chunks) = channel();
        let stdin = child.stdin.take().expect("it is piped");
        std::thread::spawn(move || write_all(stdin, &chunks));
        let (sender, incoming) = channel();
        let stdout = child.stdout.take().expect("it is piped");
        std::thread::spawn(move || read_all(stdout, &sender));
        let standard_error = Arc::new(Mutex::new(String::new()));
        let mut stderr = child.stderr.take().expect("it is piped");
        let sink = Arc::clone(&standard_error);
        let standard_error_reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..length]);
                sink.lock().expect("nobody panics while holding it").push_str(&text);
            }
        });
        Client {
            child,
            input: Some(input),
            incoming,
            standard_error,
            standard_error_reader: Some(standard_error_reader),
            exit_status: None,
            capabilities: builder.capabilities,
            initialization_options: builder.initialization_options,
            process_id: builder.process_id,
            settings: builder.settings,
            initialize_result: Value::Null,
            next_id: 1,
            waiting: BTreeMap::new(),
            answers: BTreeMap::new(),
            answers_to_nobody: VecDeque::new(),
            documents: BTreeMap::new(),
            closed: BTreeMap::new(),
            registrations: BTreeMap::new(),
            configuration_requests: 0,
            configuration_id: Value::Null,
            shown_messages: VecDeque::new(),
            logged_messages: VecDeque::new(),
            applied_edits: 0,
            refreshes: Vec::new(),
            progress: BTreeMap::new(),
            refuses_edits: false,
            permits_log_messages: false,
            permits_panics: false,
            has_ended: false,
            was_shut_down: false,
            is_initialized: false,
            transcript: VecDeque::new(),
        }
    }

    // ---- What a test permits. ----

    /// `window/logMessage` is no failure from here on, read or not.
    pub fn permit_log_messages(&mut self) {
        self.permits_log_messages = true;
    }

    /// A panic's message on standard error is no failure.
    pub fn permit_panics(&mut self) {
        self.permits_panics = true;
    }

    /// `workspace/applyEdit` is answered with `applied: false` from here on.
    pub fn refuse_edits(&mut self) {
        self.refuses_edits = true;
    }

    // ---- Lifecycle. ----

    /// The parameters of `initialize`.
    pub fn initialize_params(&self) -> Value {
        let mut params = json!({
            "processId": self.process_id,
            "clientInfo": {"name": "the tests' own client"},
            "rootUri": null,
            "capabilities": self.capabilities,
        });
        if let Some(options) = &self.initialization_options {
            params["initializationOptions"] = options.clone();
        }
        params
    }

    /// Sends `initialize` and returns its result.
    #[track_caller]
    pub fn initialize(&mut self) -> Value {
        let params = self.initialize_params();
        self.initialize_result = self.request("initialize", params);
        self.is_initialized = true;
        self.initialize_result.clone()
    }

    /// What `initialize` was answered.
    pub fn initialize_result(&self) -> &Value {
        &self.initialize_result
    }

    /// Sends `initialized`, and answers the question for settings that follows
    /// it where the client can answer it.
    #[track_caller]
    pub fn initialized(&mut self) {
        self.notify("initialized", json!({}));
        if self.has_capability("/workspace/configuration") {
            self.wait_for("the server's question for settings", |client| client.configuration_requests > 0);
        }
    }

    /// Sends `shutdown` and reads its answer, which must be `null`.
    #[track_caller]
    pub fn shutdown(&mut self) {
        let id = self.send_request_without_params("shutdown");
        let answer = self.answer(id);
        assert_eq!(answer, Ok(Value::Null), "shutdown");
        self.was_shut_down = true;
    }

    /// Sends `exit`, leaves the server's input open, and returns the exit
    /// status.
    #[track_caller]
    pub fn exit(&mut self) -> i32 {
        self.send_json(&json!({"jsonrpc": "2.0", "method": "exit"}));
        self.exit_status()
    }

    /// Closes the server's input behind all that has been sent.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the server to end, and returns its exit status.
    #[track_caller]
    pub fn exit_status(&mut self) -> i32 {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().expect("the child can be waited for") {
                Some(status) => break status.code().expect("it ended by itself"),
                None if Instant::now() > deadline => self.fail("the server does not end"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        self.exit_status = Some(status);
        status
    }

    /// Whether the server still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the child can be waited for").is_none()
    }

    /// The id of the server's process.
    pub fn process_id_of_server(&self) -> u32 {
        self.child.id()
    }

    /// What the server has written to its standard error so far.
    pub fn standard_error(&self) -> String {
        self.standard_error.lock().expect("nobody panics while holding it").clone()
    }

    // ---- Messages. ----

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: Vec<u8>) {
        let input = self.input.as_ref().expect("the input is open");
        self.transcript.push_back(format!("--> (raw) {}", shortened(&String::from_utf8_lossy(&bytes))));
        // The server may have ended; whoever waits for an answer will say so.
        let _ = input.send(bytes);
    }

    /// Sends a message in a well-formed frame.
    pub fn send_json(&mut self, message: &Value) {
        self.send_all(std::slice::from_ref(message));
    }

    /// Sends messages in well-formed frames and one write.
    pub fn send_all(&mut self, messages: &[Value]) {
        let mut bytes = Vec::new();
        for message in messages {
            let body = message.to_string();
            self.record(format!("--> {}", shortened(&body)));
            bytes.extend(frame(&body));
        }
        let input = self.input.as_ref().expect("the input is open");
        let _ = input.send(bytes);
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send_json(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// A request to be sent by hand; its answer is expected from here on.
    pub fn prepare_request(&mut self, method: &str, params: Value) -> (i64, Value) {
        let id = self.expect_answer(method);
        (id, json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Sends a request without waiting for its answer.
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        let (id, request) = self.prepare_request(method, params);
        self.send_json(&request);
        id
    }

    pub fn send_request_without_params(&mut self, method: &str) -> i64 {
        let id = self.expect_answer(method);
        self.send_json(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
        id
    }

    fn expect_answer(&mut self, method: &str) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.waiting.insert(id, method.to_owned());
        id
    }

    /// The answer to the request with this id.
    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Result<Value, ErrorAnswer> {
        self.wait_for("an answer", |client| client.answers.contains_key(&id));
        self.answers.remove(&id).expect("it has just been waited for")
    }

    /// Whether the request with this id has been answered already.
    pub fn has_answer(&self, id: i64) -> bool {
        self.answers.contains_key(&id)
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.answer(id).unwrap_or_else(|error| panic!("{method} is answered with an error: {error:?}"))
    }

    /// Sends a request that must be answered with an error.
    #[track_caller]
    pub fn request_error(&mut self, method: &str, params: Value) -> ErrorAnswer {
        let id = self.send_request(method, params);
        match self.answer(id) {
            Ok(result) => panic!("{method} must be answered with an error, not {result}"),
            Err(error) => error,
        }
    }

    /// The next error answer to what had no id.
    #[track_caller]
    pub fn answer_to_nobody(&mut self) -> ErrorAnswer {
        self.wait_for("an error with id null", |client| !client.answers_to_nobody.is_empty());
        self.answers_to_nobody.pop_front().expect("it has just been waited for")
    }

    /// The next `window/showMessage`.
    #[track_caller]
    pub fn shown_message(&mut self) -> String {
        self.wait_for("a message for the user", |client| !client.shown_messages.is_empty());
        self.shown_messages.pop_front().expect("it has just been waited for")
    }

    /// Returns when the server has handled all that was sent before: it
    /// answers in arrival order what it can answer at once.
    #[track_caller]
    pub fn barrier(&mut self) {
        let params = json!({"command": "jsonRepair.execute", "arguments": [{"text": ""}]});
        self.request("workspace/executeCommand", params);
    }

    // ---- Settings. ----

    /// How often the server has asked for settings.
    pub fn configuration_requests(&self) -> usize {
        self.configuration_requests
    }

    /// Answers the last question for settings by hand.
    pub fn answer_configuration(&mut self, result: Value) {
        let id = self.configuration_id.clone();
        self.send_json(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Changes what the client answers, without telling the server.
    pub fn set_settings(&mut self, settings: Value) {
        self.settings = Settings::Answered(settings);
    }

    /// Changes the settings and tells the server that they have changed, but
    /// not what they are; waits until it has asked.
    #[track_caller]
    pub fn change_settings(&mut self, settings: Value) {
        self.set_settings(settings);
        let asked = self.configuration_requests;
        self.notify("workspace/didChangeConfiguration", json!({"settings": null}));
        self.wait_for("the server's question for settings", |client| client.configuration_requests > asked);
    }

    /// The methods that the server has registered, each with its id.
    pub fn registrations(&self, method: &str) -> Vec<Value> {
        self.registrations.values().filter(|registration| registration["method"] == method).cloned().collect()
    }

    // ---- Documents. ----

    /// Opens a document, waits for its diagnostics and returns them.
    #[track_caller]
    pub fn open(&mut self, uri: &str, language_id: &str, text: &str) -> Vec<Value> {
        self.open_version(uri, language_id, 1, text);
        self.diagnostics(uri)
    }

    /// Opens a document for which nothing may be published but an empty list.
    pub fn open_silent(&mut self, uri: &str, language_id: &str, text: &str) {
        self.open_version(uri, language_id, 1, text);
        self.documents.get_mut(uri).expect("it has just been opened").is_silent = true;
    }

    /// Opens a document at a version, without waiting for anything.
    #[track_caller]
    pub fn open_version(&mut self, uri: &str, language_id: &str, version: i64, text: &str) {
        let message = self.prepare_open(uri, language_id, version, text);
        self.send_json(&message);
    }

    /// A `didOpen` to be sent by hand; the document is open in the model.
    #[track_caller]
    pub fn prepare_open(&mut self, uri: &str, language_id: &str, version: i64, text: &str) -> Value {
        let document = Document {
            text: Text::new(text),
            version,
            first_version: version,
            is_silent: false,
            may_be_cleared: false,
            published: Vec::new(),
        };
        self.closed.remove(uri);
        let before = self.documents.insert(uri.to_owned(), document);
        assert!(before.is_none(), "{uri} is open already");
        let item = json!({"uri": uri, "languageId": language_id, "version": version, "text": text});
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}})
    }

    /// Changes a document, without waiting for anything.
    #[track_caller]
    pub fn change(&mut self, uri: &str, changes: &[Change]) {
        let message = self.prepare_change(uri, changes);
        self.send_json(&message);
    }

    /// A `didChange` to be sent by hand; the model has changed already.
    #[track_caller]
    pub fn prepare_change(&mut self, uri: &str, changes: &[Change]) -> Value {
        let document = self.document_mut(uri);
        document.version += 1;
        for change in changes {
            document.text.change(change);
        }
        let version = document.version;
        let changes: Vec<Value> = changes.iter().map(Change::to_json).collect();
        json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes},
        })
    }

    /// Closes a document. Unless it is silent, its diagnostics are awaited
    /// before, and their clearing after.
    #[track_caller]
    pub fn close(&mut self, uri: &str) {
        self.wait_for("what is still to be published", |client| {
            let document = client.document(uri);
            let last = document.published.last().map(|published| published.version);
            document.is_silent || last == Some(Some(document.version)) || last == Some(None)
        });
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        let document = self.documents.remove(uri).expect("it is open");
        let was_silent = document.is_silent;
        self.closed.insert(uri.to_owned(), Closed { is_cleared: was_silent, was_silent });
        self.wait_for("the clearing of the diagnostics", |client| client.closed[uri].is_cleared);
    }

    /// Takes a version and a text for the document's that a message made by
    /// hand has given it.
    #[track_caller]
    pub fn adopt(&mut self, uri: &str, version: i64, text: &str) {
        let document = self.document_mut(uri);
        document.version = version;
        document.text = Text::new(text);
    }

    /// An empty list without a version may be published for an open document.
    #[track_caller]
    pub fn permit_clearing(&mut self, uri: &str) {
        self.document_mut(uri).may_be_cleared = true;
    }

    /// The client's own text of a document.
    #[track_caller]
    pub fn text(&self, uri: &str) -> String {
        self.document(uri).text.to_text()
    }

    #[track_caller]
    pub fn version(&self, uri: &str) -> i64 {
        self.document(uri).version
    }

    /// The range of the whole document.
    #[track_caller]
    pub fn whole(&self, uri: &str) -> Range {
        self.document(uri).text.whole()
    }

    /// The diagnostics of the document's current version.
    #[track_caller]
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        self.diagnostics_that(uri, |_| true)
    }

    /// The first diagnostics of the document's current version that are as the
    /// test wants them: they may be published anew when settings change.
    #[track_caller]
    pub fn diagnostics_that(&mut self, uri: &str, is_wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        self.wait_for("diagnostics of the current version", |client| {
            let document = client.document(uri);
            document.published.last().is_some_and(|published| {
                published.version == Some(document.version) && is_wanted(&published.diagnostics)
            })
        });
        let published = self.document(uri).published.last().expect("it has just been waited for");
        published.diagnostics.clone()
    }

    /// Everything published for a document since it was opened.
    #[track_caller]
    pub fn published(&self, uri: &str) -> &[Published] {
        &self.document(uri).published
    }

    #[track_caller]
    fn document(&self, uri: &str) -> &Document {
        self.documents.get(uri).unwrap_or_else(|| panic!("{uri} is not open"))
    }

    #[track_caller]
    fn document_mut(&mut self, uri: &str) -> &mut Document {
        self.documents.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"))
    }

    // ---- Requests about documents. ----

    /// The code actions at a range, written as in [`Range::parse`]. The client
    /// sends along the diagnostics that it shows there, as editors do.
    #[track_caller]
    pub fn code_actions(&mut self, uri: &str, range: &str) -> Vec<Value> {
        self.code_actions_in(uri, Range::parse(range), &json!({"triggerKind": 1}))
    }

    /// The code actions of the whole document under the kinds of `only`, asked
    /// for by the user.
    #[track_caller]
    pub fn code_actions_only(&mut self, uri: &str, only: &[&str]) -> Vec<Value> {
        let whole = self.whole(uri);
        self.code_actions_in(uri, whole, &json!({"only": only, "triggerKind": 1}))
    }

    /// The code actions of a range in a context of the test's own.
    #[track_caller]
    pub fn code_actions_in(&mut self, uri: &str, range: Range, context: &Value) -> Vec<Value> {
        let mut context = context.clone();
        if context.get("diagnostics").is_none() {
            let shown = self.document(uri).published.last().map(|published| published.diagnostics.clone());
            let is_touched = |diagnostic: &Value| {
                let shown = Range::from_json(&diagnostic["range"]);
                shown.start <= range.end && range.start <= shown.end
            };
            context["diagnostics"] = shown.unwrap_or_default().into_iter().filter(is_touched).collect();
        }
        let params = json!({"textDocument": {"uri": uri}, "range": range.to_json(), "context": context});
        let actions = match self.request("textDocument/codeAction", params) {
            Value::Null => Vec::new(),
            Value::Array(actions) => actions,
            other => panic!("the code actions are {other}"),
        };
        for action in &actions {
            self.check_action(uri, action, context.get("only"));
        }
        actions
    }

    /// Fails the test unless an action is one: with a kind that was asked for,
    /// an edit or something to resolve it by, and linked only to diagnostics
    /// that were published.
    #[track_caller]
    fn check_action(&self, uri: &str, action: &Value, only: Option<&Value>) {
        assert!(action["title"].is_string(), "{action} has no title");
        let kind = action["kind"].as_str().unwrap_or_else(|| panic!("{action} has no kind"));
        assert!(action.get("command").is_none(), "{action} runs a command");
        if let Some(only) = only.and_then(Value::as_array) {
            let is_wanted = |wanted: &Value| {
                let rest = wanted.as_str().and_then(|wanted| kind.strip_prefix(wanted));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            assert!(only.iter().any(is_wanted), "{action} was not asked for: {only:?}");
        }
        if action.get("edit").is_none() {
            assert!(action.get("data").is_some(), "{action} has neither an edit nor data");
            assert!(
                self.has_capability("/textDocument/codeAction/resolveSupport"),
                "nobody resolves {action}"
            );
        }
        let document = self.document(uri);
        let current = document.published.last().filter(|last| last.version == Some(document.version));
        let Some(Published { diagnostics, .. }) = current else { return };
        // Where not all are shown, one without a code says so.
        let are_all_shown = diagnostics.iter().all(|diagnostic| diagnostic["code"].is_string());
        for diagnostic in action["diagnostics"].as_array().into_iter().flatten() {
            let is_shown = diagnostics.contains(diagnostic);
            assert!(is_shown || !are_all_shown, "{action} fixes a diagnostic that is not published");
        }
    }

    /// The one action of fix-all on request, if there is one.
    #[track_caller]
    pub fn fix_all(&mut self, uri: &str) -> Option<Value> {
        let mut actions = self.code_actions_only(uri, &["source.fixAll.jsonRepair"]);
        assert!(actions.len() <= 1, "more than one fix-all: {actions:?}");
        let action = actions.pop()?;
        assert_eq!(action["kind"], "source.fixAll.jsonRepair");
        Some(action)
    }

    /// The edits of an action, resolved where they must be, checked against
    /// the client's capabilities and the document's version.
    #[track_caller]
    pub fn edits_of(&mut self, uri: &str, action: &Value) -> Vec<TextEdit> {
        match action.get("edit") {
            Some(edit) => self.edits_of_workspace_edit(uri, edit),
            None => {
                let resolved = self.request("codeAction/resolve", action.clone());
                for key in ["title", "kind", "isPreferred", "diagnostics"] {
                    assert_eq!(resolved.get(key), action.get(key), "`{key}` of a resolved action");
                }
                self.edits_of_workspace_edit(uri, &resolved["edit"])
            }
        }
    }

    #[track_caller]
    fn edits_of_workspace_edit(&self, uri: &str, edit: &Value) -> Vec<TextEdit> {
        let edits = if self.has_capability("/workspace/workspaceEdit/documentChanges") {
            assert!(
                edit.get("changes").is_none_or(Value::is_null),
                "`changes` beside `documentChanges`: {edit}"
            );
            let changes =
                edit["documentChanges"].as_array().unwrap_or_else(|| panic!("no `documentChanges`: {edit}"));
            assert_eq!(changes.len(), 1, "one document, one entry: {edit}");
            assert_eq!(changes[0]["textDocument"]["uri"], uri);
            assert_eq!(changes[0]["textDocument"]["version"], self.version(uri), "{edit}");
            &changes[0]["edits"]
        } else {
            assert!(edit.get("documentChanges").is_none_or(Value::is_null), "not asked for: {edit}");
            let changes = edit["changes"].as_object().unwrap_or_else(|| panic!("no `changes`: {edit}"));
            assert_eq!(changes.keys().collect::<Vec<_>>(), [uri]);
            &changes[uri]
        };
        let edits = text_edits(edits);
        assert!(!edits.is_empty(), "an edit that changes nothing: {edit}");
        edits
    }

    /// What the document would be after an action.
    #[track_caller]
    pub fn result_of(&mut self, uri: &str, action: &Value) -> String {
        let edits = self.edits_of(uri, action);
        self.document(uri).text.apply(&edits).to_text()
    }

    /// Makes an action's edits: applies them, tells the server, and returns
    /// the new text.
    #[track_caller]
    pub fn apply(&mut self, uri: &str, action: &Value) -> String {
        let edits = self.edits_of(uri, action);
        self.apply_edits(uri, &edits)
    }

    /// Applies edits and tells the server, as an editor does: from the last to
    /// the first, so that their ranges hold.
    #[track_caller]
    pub fn apply_edits(&mut self, uri: &str, edits: &[TextEdit]) -> String {
        let expected = self.document(uri).text.apply(edits);
        let changes: Vec<Change> = edits
            .iter()
            .rev()
            .map(|edit| Change { range: Some(edit.range), text: edit.new_text.clone() })
            .collect();
        let document = self.document_mut(uri);
        document.version += 1;
        document.text = expected;
        let version = document.version;
        let text = document.text.to_text();
        let changes: Vec<Value> = changes.iter().map(Change::to_json).collect();
        let params = json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes});
        self.notify("textDocument/didChange", params);
        text
    }

    /// The edits of `textDocument/formatting`, which must be a list.
    #[track_caller]
    pub fn formatting(&mut self, uri: &str) -> Vec<TextEdit> {
        let options = json!({"tabSize": 4, "insertSpaces": true});
        let params = json!({"textDocument": {"uri": uri}, "options": options});
        let answer = self.request("textDocument/formatting", params);
        assert!(answer.is_array(), "formatting must be answered with a list, not {answer}");
        text_edits(&answer)
    }

    /// The edits of `textDocument/willSaveWaitUntil`; `null` is none.
    #[track_caller]
    pub fn will_save_wait_until(&mut self, uri: &str, reason: u32) -> Vec<TextEdit> {
        let params = json!({"textDocument": {"uri": uri}, "reason": reason});
        match self.request("textDocument/willSaveWaitUntil", params) {
            Value::Null => Vec::new(),
            answer => text_edits(&answer),
        }
    }

    /// What the document would be after edits.
    #[track_caller]
    pub fn result_of_edits(&self, uri: &str, edits: &[TextEdit]) -> String {
        self.document(uri).text.apply(edits).to_text()
    }

    #[track_caller]
    pub fn execute_command(&mut self, command: &str, arguments: Value) -> Value {
        self.request("workspace/executeCommand", json!({"command": command, "arguments": arguments}))
    }

    #[track_caller]
    pub fn execute_command_error(&mut self, command: &str, arguments: Value) -> ErrorAnswer {
        self.request_error("workspace/executeCommand", json!({"command": command, "arguments": arguments}))
    }

    /// `jsonRepair.report` of a document by its policy.
    #[track_caller]
    pub fn report(&mut self, uri: &str) -> Value {
        self.execute_command("jsonRepair.report", json!([{"uri": uri}]))
    }

    /// What was told of each progress so far, by its token.
    pub fn progress(&self) -> &BTreeMap<String, Vec<Value>> {
        &self.progress
    }

    /// How often the server has asked for an edit to be applied.
    pub fn applied_edits(&self) -> usize {
        self.applied_edits
    }

    /// The requests to ask anew that the server has sent, in order.
    pub fn refreshes(&self) -> &[String] {
        &self.refreshes
    }

    // ---- Reading. ----

    fn has_capability(&self, pointer: &str) -> bool {
        self.capabilities.pointer(pointer).is_some_and(|value| *value != Value::Bool(false))
    }

    /// Handles what the server sends until something is true.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, is_done: impl Fn(&Client) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_done(self) {
            if self.has_ended {
                self.fail(&format!("the server ended before {what}"));
            }
            match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(incoming) => self.handle(incoming),
                Err(RecvTimeoutError::Timeout) => self.fail(&format!("no {what} in {PATIENCE:?}")),
                Err(RecvTimeoutError::Disconnected) => self.has_ended = true,
            }
        }
    }

    #[track_caller]
    fn handle(&mut self, incoming: Incoming) {
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Garbage(garbage) => self.fail(&format!("no frame on standard output: {garbage}")),
            Incoming::End => {
                self.has_ended = true;
                return;
            }
        };
        self.record(format!("<-- {}", shortened(&message.to_string())));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        match (message["method"].as_str().map(str::to_owned), message.get("id")) {
            (Some(method), Some(id)) => self.handle_request(&method, id.clone(), &message["params"]),
            (Some(method), None) => self.handle_notification(&method, &message["params"]),
            (None, Some(_)) => self.handle_answer(&message),
            (None, None) => self.fail(&format!("no message of JSON-RPC: {message}")),
        }
    }

    #[track_caller]
    fn handle_answer(&mut self, message: &Value) {
        let answer = match (message.get("result"), message.get("error")) {
            (Some(result), None) => Ok(result.clone()),
            (None, Some(error)) => Err(ErrorAnswer {
                code: error["code"].as_i64().unwrap_or_else(|| panic!("no code in {message}")),
                message: error["message"]
                    .as_str()
                    .unwrap_or_else(|| panic!("no message in {message}"))
                    .to_owned(),
                data: error["data"].clone(),
            }),
            _ => self.fail(&format!("an answer has either a result or an error: {message}")),
        };
        match (message["id"].as_i64(), answer) {
            (Some(id), answer) if self.waiting.remove(&id).is_some() => {
                self.answers.insert(id, answer);
            }
            (None, Err(error)) if message["id"].is_null() => self.answers_to_nobody.push_back(error),
            _ => self.fail(&format!("an answer to nothing: {message}")),
        }
    }

    #[track_caller]
    fn handle_notification(&mut self, method: &str, params: &Value) {
        let text =
            || params["message"].as_str().unwrap_or_else(|| panic!("no message in {params}")).to_owned();
        match method {
            "textDocument/publishDiagnostics" => self.handle_diagnostics(params),
            "window/showMessage" => self.shown_messages.push_back(text()),
            "window/logMessage" => self.logged_messages.push_back(text()),
            "$/progress" => {
                let token = params["token"].as_str().unwrap_or_default();
                let told = self.progress.get_mut(token).unwrap_or_else(|| panic!("no such token: {params}"));
                let kind = |value: &Value| value["kind"].as_str().unwrap_or_default().to_owned();
                let last = told.last().map(kind);
                let is_in_order = match &*kind(&params["value"]) {
                    "begin" => last.is_none(),
                    "report" | "end" => last.is_some_and(|last| last != "end"),
                    _ => false,
                };
                assert!(is_in_order, "{params} after {told:?}");
                told.push(params["value"].clone());
            }
            _ => self.fail(&format!("a notification that nobody expected: {method} {params}")),
        }
    }

    #[track_caller]
    fn handle_diagnostics(&mut self, params: &Value) {
        let uri = params["uri"].as_str().unwrap_or_else(|| panic!("no uri in {params}"));
        let version = params.get("version").and_then(Value::as_i64);
        let diagnostics =
            params["diagnostics"].as_array().unwrap_or_else(|| panic!("no diagnostics in {params}"));
        let published = Published { version, diagnostics: diagnostics.clone() };
        if let Some(closed) = self.closed.get_mut(uri) {
            let is_clearing = !closed.is_cleared || closed.was_silent;
            assert!(
                is_clearing && published.diagnostics.is_empty(),
                "published for a closed document: {params}"
            );
            closed.is_cleared = true;
            return;
        }
        let Some(document) = self.documents.get_mut(uri) else {
            self.fail(&format!("published for a document that was never opened: {params}"));
        };
        let Some(version) = version else {
            let is_clearing = document.may_be_cleared && published.diagnostics.is_empty();
            assert!(is_clearing, "published without a version: {params}");
            document.published.push(published);
            return;
        };
        let known = document.first_version..=document.version;
        assert!(known.contains(&version), "published for a version that was never sent: {params}");
        let last = document.published.iter().rev().find_map(|published| published.version);
        assert!(last.is_none_or(|last| last <= version), "an older version after {last:?}: {params}");
        assert!(!document.is_silent || published.diagnostics.is_empty(), "not silent: {params}");
        let is_current = version == document.version;
        let lines = document.text.lines();
        for diagnostic in &published.diagnostics {
            check_diagnostic(diagnostic, uri, |position| !is_current || document.text.has(&lines, position));
        }
        document.published.push(published);
    }

    #[track_caller]
    fn handle_request(&mut self, method: &str, id: Value, params: &Value) {
        let result = match method {
            "workspace/configuration" if self.has_capability("/workspace/configuration") => {
                self.configuration_requests += 1;
                self.configuration_id = id.clone();
                let settings = match &self.settings {
                    Settings::Answered(settings) => settings,
                    Settings::Withheld => return,
                    Settings::Refused => {
                        let error = json!({"code": -32603, "message": "the test refuses to answer"});
                        self.send_json(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
                        return;
                    }
                };
                let items = params["items"].as_array().unwrap_or_else(|| panic!("no items in {params}"));
                items.iter().map(|item| section(settings, item["section"].as_str())).collect()
            }
            "client/registerCapability" => {
                for registration in params["registrations"].as_array().expect("registrations") {
                    self.check_registration(registration);
                    let id = registration["id"].as_str().expect("an id").to_owned();
                    let before = self.registrations.insert(id, registration.clone());
                    assert!(before.is_none(), "registered under an id that is in use: {params}");
                }
                Value::Null
            }
            "client/unregisterCapability" => {
                // The protocol's own misspelling.
                for unregistration in params["unregisterations"].as_array().expect("unregisterations") {
                    let id = unregistration["id"].as_str().expect("an id");
                    let registration = self.registrations.remove(id);
                    let registration = registration.unwrap_or_else(|| panic!("never registered: {params}"));
                    assert_eq!(registration["method"], unregistration["method"]);
                }
                Value::Null
            }
            "workspace/applyEdit" if self.has_capability("/workspace/applyEdit") => {
                self.applied_edits += 1;
                if self.refuses_edits {
                    json!({"applied": false, "failureReason": "the test refuses it"})
                } else {
                    let uri = edited_document(&params["edit"]);
                    let edits = self.edits_of_workspace_edit(&uri, &params["edit"]);
                    self.apply_edits(&uri, &edits);
                    json!({"applied": true})
                }
            }
            "window/workDoneProgress/create" if self.has_capability("/window/workDoneProgress") => {
                let token = params["token"].as_str().expect("a token").to_owned();
                let before = self.progress.insert(token, Vec::new());
                assert!(before.is_none(), "a token that is in use: {params}");
                Value::Null
            }
            "workspace/codeLens/refresh" | "workspace/diagnostic/refresh" | "workspace/inlayHint/refresh"
                if self.takes_refresh(method) =>
            {
                self.refreshes.push(method.to_owned());
                Value::Null
            }
            _ => self.fail(&format!("a request that nobody expected: {method} {params}")),
        };
        // A server that is on its way out may still ask; nobody needs to answer.
        if self.input.is_some() {
            self.send_json(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        }
    }

    /// Whether the client takes this request to ask anew.
    fn takes_refresh(&self, method: &str) -> bool {
        // The protocol's own plural.
        let feature = method.trim_end_matches("/refresh").replace("diagnostic", "diagnostics");
        self.has_capability(&format!("/{feature}/refreshSupport"))
    }

    #[track_caller]
    fn check_registration(&self, registration: &Value) {
        let capability = match registration["method"].as_str() {
            Some("textDocument/willSaveWaitUntil") => "textDocument/synchronization",
            Some(method) => method,
            None => self.fail(&format!("a registration of nothing: {registration}")),
        };
        let capability = format!("/{capability}/dynamicRegistration");
        assert!(self.has_capability(&capability), "the client cannot register {registration}");
    }

    fn record(&mut self, line: String) {
        const LONGEST: usize = 60;
        if self.transcript.len() == LONGEST {
            self.transcript.pop_front();
        }
        self.transcript.push_back(line);
    }

    #[track_caller]
    fn fail(&self, what: &str) -> ! {
        panic!("{what}");
    }

    /// Ends the server and fails the test on everything that nobody expected.
    fn finish(&mut self) {
        if self.exit_status.is_none() {
            if self.is_initialized && self.input.is_some() {
                if !self.was_shut_down {
                    self.shutdown();
                }
                let status = self.exit();
                assert_eq!(status, 0, "the exit status after shutdown and exit");
            } else {
                self.close_input();
                self.exit_status();
            }
        }
        self.wait_for("the end of standard output", |client| client.has_ended);
        if let Some(reader) = self.standard_error_reader.take() {
            reader.join().expect("the reader does not panic");
        }
        if self.permits_log_messages {
            self.logged_messages.clear();
        }
        assert!(self.answers.is_empty(), "answers that the test has not read: {:?}", self.answers);
        assert!(self.answers_to_nobody.is_empty(), "errors with id null: {:?}", self.answers_to_nobody);
        assert!(self.shown_messages.is_empty(), "messages for the user: {:?}", self.shown_messages);
        assert!(self.logged_messages.is_empty(), "log messages: {:?}", self.logged_messages);
        let standard_error = self.standard_error();
        assert!(self.permits_panics || !standard_error.contains("panicked"), "{standard_error}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // The transcript belongs to a failure in here as well.
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.finish()));
            if let Err(panic) = outcome {
                self.show();
                let _ = self.child.kill();
                std::panic::resume_unwind(panic);
            }
            return;
        }
        self.show();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    fn show(&self) {
        let mut text = String::from("the last messages:\n");
        for line in &self.transcript {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "standard error:\n{}", self.standard_error());
        // Captured with the test's output, unlike a direct write.
        eprint!("{text}");
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 600;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

/// What stands in `settings` under a section, which may be written with dots.
fn section(settings: &Value, section: Option<&str>) -> Value {
    let path = section.unwrap_or_default().split('.').filter(|key| !key.is_empty());
    path.fold(settings.clone(), |settings, key| settings.get(key).cloned().unwrap_or_default())
}

/// The one document that a workspace edit is about.
#[track_caller]
fn edited_document(edit: &Value) -> String {
    let uri = match edit["documentChanges"].get(0) {
        Some(change) => change["textDocument"]["uri"].as_str().map(str::to_owned),
        None => edit["changes"].as_object().and_then(|changes| changes.keys().next().cloned()),
    };
    uri.unwrap_or_else(|| panic!("no document in {edit}"))
}

#[track_caller]
fn text_edits(edits: &Value) -> Vec<TextEdit> {
    let edits = edits.as_array().unwrap_or_else(|| panic!("no list of edits: {edits}"));
    let edits: Vec<TextEdit> = edits.iter().map(TextEdit::from_json).collect();
    // It may stand in the server's text for what the client has there.
    assert!(edits.iter().all(|edit| !edit.new_text.contains('\u{fffd}')), "U+FFFD is written: {edits:?}");
    edits
}

/// Fails the test unless a diagnostic is what every diagnostic of the server
/// must be; `exists` says which places its document has.
#[track_caller]
fn check_diagnostic(diagnostic: &Value, uri: &str, exists: impl Fn(Position) -> bool) {
    assert_eq!(diagnostic["source"], "json-repair", "{diagnostic}");
    assert!(diagnostic["message"].as_str().is_some_and(|message| !message.is_empty()), "{diagnostic}");
    assert!(diagnostic["severity"].is_u64(), "{diagnostic}");
    let mut ranges = vec![&diagnostic["range"]];
    for related in diagnostic["relatedInformation"].as_array().into_iter().flatten() {
        assert_eq!(related["location"]["uri"], uri, "{diagnostic}");
        assert!(related["message"].as_str().is_some_and(|message| !message.is_empty()), "{diagnostic}");
        ranges.push(&related["location"]["range"]);
    }
    for range in ranges {
        let Range { start, end } = Range::from_json(range);
        assert!(start <= end, "{diagnostic}");
        assert!(exists(start) && exists(end), "{diagnostic} is at a place that does not exist");
    }
}

/// A diagnostic on one line: `0:2-0:3 error remove_trailing_commas`, then
/// `unnecessary` if it is tagged so.
#[track_caller]
pub fn summary(diagnostic: &Value) -> String {
    let range = Range::from_json(&diagnostic["range"]);
    let severity = match diagnostic["severity"].as_u64() {
        Some(1) => "error",
        Some(2) => "warning",
        Some(3) => "information",
        Some(4) => "hint",
        _ => panic!("no severity in {diagnostic}"),
    };
    let code = diagnostic["code"].as_str().unwrap_or("(no code)");
    let tags = match diagnostic.get("tags").and_then(Value::as_array).map(Vec::as_slice) {
        None | Some([]) => "",
        Some([tag]) if *tag == 1 => " unnecessary",
        Some(tags) => panic!("unknown tags {tags:?}"),
    };
    format!("{range} {severity} {code}{tags}")
}

/// The summaries of diagnostics, in their order.
#[track_caller]
pub fn summaries(diagnostics: &[Value]) -> Vec<String> {
    diagnostics.iter().map(summary).collect()
}

/// The titles of actions, in their order.
pub fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|action| action["title"].as_str().unwrap_or_default()).collect()
}

/// The one action whose title begins like this.
#[track_caller]
pub fn titled<'actions>(actions: &'actions [Value], beginning: &str) -> &'actions Value {
    let is_meant =
        |action: &&Value| action["title"].as_str().is_some_and(|title| title.starts_with(beginning));
    let mut meant = actions.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(action), None) => action,
        (None, _) => panic!("no {beginning:?} among {:?}", titles(actions)),
        (Some(_), Some(_)) => panic!("several {beginning:?} among {:?}", titles(actions)),
    }
}
