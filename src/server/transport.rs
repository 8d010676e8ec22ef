//! Framing, dispatch, and the life of the process.
//!
//! tower-lsp's own loop is not used: any message that it cannot decode ends it,
//! `exit` does not, four waiting handlers stall it for good, and it outlives
//! its editor. Here
//!
//! - **a message that cannot be decoded is answered, and life goes on**; only a
//!   stream whose frames cannot be told apart any more ends the process;
//! - **every message is taken up in the order of its arrival**: what a handler
//!   does before it first waits is done before the next message is looked at;
//! - **after a pause, what is quickly done is done at once**: the diagnostics of
//!   a change are published before the next message is looked at, because to
//!   wake another thread takes longer than they do; in a burst of changes they
//!   wait for its end on a thread of the runtime's;
//! - a panic in a handler is the answer -32603, and life goes on;
//! - **a change of a text that does not reach its handler is a lost one**,
//!   whatever kept it: nothing is answered from a text that is not the client's;
//! - **memory is bounded whatever the client sends and does not read**: frames
//!   are read ahead up to [`BYTES_AHEAD`], requests wait up to
//!   [`REQUESTS_AT_ONCE`], and while the outbox is full nothing more is read;
//! - `exit`, the end of the input, the end of the client's process and an
//!   output that cannot be written end the process.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    panic::AssertUnwindSafe,
    pin::Pin,
    process::ExitCode,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use futures_util::{
    FutureExt, Sink, SinkExt, StreamExt,
    future::{self, AbortHandle, Aborted, BoxFuture},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tower_lsp::{
    ExitedError, LanguageServer, LspService,
    jsonrpc::{self, Error, ErrorCode, Id, Request, Response},
    lsp_types as lsp,
};
use tower_service::Service;
use waitpid_any::WaitHandle;

use super::{Server, outbox::Outbox};
use crate::surrogate;

/// The longest body that a header is believed, in bytes, unless the one who
/// starts the server says otherwise.
pub const MAX_CONTENT_LENGTH: u64 = 1 << 30;
/// The longest header, in bytes.
const MAX_HEADER: u64 = 16 * 1024;
/// How many frames are read ahead of the one that is being taken up.
const FRAMES_AHEAD: usize = 64;
/// How many bytes of them, the one that is being taken up among them. A longer
/// body is read all the same, but nothing beside it.
pub const BYTES_AHEAD: u64 = 64 << 20;
/// How many requests may wait for something, such as a long analysis. The
/// next one is taken up when one of them is answered.
pub const REQUESTS_AT_ONCE: usize = 4096;
/// How long the last answers may take to leave. Only a client that does not
/// read makes the process wait so long, or a machine that is very busy.
const PATIENCE_AT_EXIT: Duration = Duration::from_secs(2);
/// Behind a shorter pause, a message is one of a burst, and more are to come.
const PAUSE: Duration = Duration::from_millis(1);
/// LSP's ServerNotInitialized.
const NOT_INITIALIZED: ErrorCode = ErrorCode::ServerError(-32002);

/// What comes from the client's stream.
#[derive(Debug)]
enum Incoming {
    /// The body of a frame, and the room that it takes.
    Body(Vec<u8>, OwnedSemaphorePermit),
    /// The frames cannot be told apart any more, for this reason.
    Broken(String),
}

/// Serves the client at the other end of `input` and `output` to the end.
///
/// Returns success after `shutdown`, failure without. A frame of over
/// `max_content_length` bytes is none.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    max_content_length: u64,
) -> io::Result<ExitCode> {
    let outbox = Arc::new(Outbox::default());
    let writer = Arc::clone(&outbox);
    thread::Builder::new().name("writer".to_owned()).spawn(move || {
        if let Err(error) = writer.write_to(BufWriter::with_capacity(64 * 1024, output)) {
            // Nobody reads any more, so nobody is there.
            tracing::error!(%error, "the output cannot be written");
            std::process::exit(1);
        }
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let (frames, incoming) = mpsc::channel(FRAMES_AHEAD);
    let room = Arc::new(Semaphore::new(permits(BYTES_AHEAD) as usize));
    let reader = Reader { frames, room: Arc::clone(&room), runtime: runtime.handle().clone() };
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || reader.read(BufReader::with_capacity(64 * 1024, input), max_content_length))?;
    let code = runtime.block_on(async { Dispatcher::new(Arc::clone(&outbox)).run(incoming).await });
    room.close();
    outbox.drain(PATIENCE_AT_EXIT);
    outbox.close();
    // An analysis that is still running keeps nobody waiting.
    runtime.shutdown_background();
    Ok(code)
}

/// Takes messages up in the order of their arrival.
struct Dispatcher {
    service: LspService<Server>,
    replies: Pin<Box<dyn Sink<Response, Error = ExitedError> + Send>>,
    outbox: Arc<Outbox>,
    /// Room for requests that wait.
    waiting: Arc<Semaphore>,
    /// Those of them that [`Dispatcher::cancel`] stops.
    running: Arc<Mutex<HashMap<Id, AbortHandle>>>,
}

/// Whether the process goes on.
enum Flow {
    GoOn,
    Exit(ExitCode),
}

impl Dispatcher {
    fn new(outbox: Arc<Outbox>) -> Dispatcher {
        let (service, socket) = LspService::build(|client| Server::new(client, Arc::clone(&outbox)))
            .custom_method("window/workDoneProgress/cancel", Server::cancel_progress)
            .finish();
        let (mut requests, replies) = socket.split();
        let forward = Arc::clone(&outbox);
        tokio::spawn(async move {
            while let Some(request) = requests.next().await {
                forward.send(&request);
            }
        });
        let waiting = Arc::new(Semaphore::new(REQUESTS_AT_ONCE));
        Dispatcher { service, replies: Box::pin(replies), outbox, waiting, running: Arc::default() }
    }

    async fn run(mut self, mut incoming: mpsc::Receiver<Incoming>) -> ExitCode {
        let mut last = Instant::now();
        while let Some(message) = incoming.recv().await {
            let pause = last.elapsed();
            match message {
                Incoming::Body(body, _room) => {
                    if let Flow::Exit(code) = self.dispatch(body).await {
                        return code;
                    }
                }
                Incoming::Broken(reason) => {
                    tracing::error!(reason, "the input is no stream of frames any more");
                    self.refuse(None, ErrorCode::ParseError, reason);
                    return ExitCode::FAILURE;
                }
            }
            self.service.inner().publish_due(pause >= PAUSE && incoming.is_empty());
            last = Instant::now();
        }
        self.exit_code()
    }

    fn exit_code(&self) -> ExitCode {
        if self.service.inner().is_shut_down() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    async fn dispatch(&mut self, body: Vec<u8>) -> Flow {
        let decoded = match decode(body) {
            Ok(decoded) => decoded,
            Err(undecodable) => {
                if undecodable.may_be_a_change {
                    self.service.inner().lose_step_of_all();
                }
                self.outbox.room_for_messages().await;
                self.refuse(None, undecodable.code, undecodable.reason);
                return Flow::GoOn;
            }
        };
        let Decoded { message, lone_surrogate } = decoded;
        let id = message.get("id").cloned();
        match message.get("method") {
            Some(Value::String(method)) if method == "exit" => return Flow::Exit(self.exit_code()),
            Some(Value::String(method)) => {
                if is_synchronization(method)
                    // Before that, none is taken up.
                    && self.service.inner().is_initialized()
                    && let Err(reason) = check_synchronization(method, &message)
                {
                    self.lose_step(&message);
                    tracing::error!(method, reason, "a change of a text cannot be taken up");
                }
                // A client that does not read has to stop writing, too.
                self.outbox.room_for_messages().await;
                if let Some(reason) = lone_surrogate.filter(|_| id.is_some()) {
                    self.refuse(id, ErrorCode::InvalidParams, reason);
                    return Flow::GoOn;
                }
                // tower-lsp says so only of the requests that it knows.
                if id.is_some() && self.service.inner().is_shut_down() {
                    self.refuse(id, ErrorCode::InvalidRequest, "the server is shut down".to_owned());
                    return Flow::GoOn;
                }
                if id.is_some() && method != "initialize" && !self.service.inner().is_initialized() {
                    self.refuse(id, NOT_INITIALIZED, "the server is not initialized".to_owned());
                    return Flow::GoOn;
                }
                self.call(message, id).await;
            }
            None if id.is_some() && (message.get("result").is_some() || message.get("error").is_some()) => {
                self.reply(message).await;
            }
            _ => {
                let reason = "neither a request, a notification nor a response".to_owned();
                self.refuse(None, ErrorCode::InvalidRequest, reason);
            }
        }
        Flow::GoOn
    }

    /// A change of some text does not reach its handler, and every later answer
    /// would be from a wrong text.
    fn lose_step(&self, message: &Value) {
        let uri = message.pointer("/params/textDocument/uri").and_then(Value::as_str);
        match uri.map(lsp::Url::parse) {
            Some(Ok(uri)) => self.service.inner().lose_step(&uri),
            // None that is open has it for its own.
            Some(Err(_)) => {}
            None => self.service.inner().lose_step_of_all(),
        }
    }

    /// Hands a request or notification to its handler, as far as it gets
    /// without waiting; the rest of it goes on beside the next messages.
    async fn call(&mut self, mut message: Value, id: Option<Value>) {
        // Some clients send `params: null` where there are none.
        if let Some(fields) = message.as_object_mut()
            && fields.get("params").is_some_and(Value::is_null)
        {
            fields.remove("params");
        }
        // The protocol's name of this capability is not that of `lsp_types`.
        if let Some(Value::Object(workspace)) = message.pointer_mut("/params/capabilities/workspace")
            && let Some(diagnostics) = workspace.remove("diagnostics")
        {
            workspace.insert("diagnostic".to_owned(), diagnostics);
        }
        let request = match serde_json::from_value::<Request>(message) {
            Ok(request) if !matches!(request.id(), Some(Id::Null)) => request,
            Ok(_) => return self.refuse(None, ErrorCode::InvalidRequest, "`id` is null".to_owned()),
            Err(error) => return self.refuse(id, ErrorCode::InvalidRequest, error.to_string()),
        };
        let mut client = None;
        match request.method() {
            // Only the first one counts.
            "initialize" if !self.service.inner().is_initialized() => client = process_id(request.params()),
            "textDocument/didOpen" => self.note_spelling(request.params()),
            "$/cancelRequest" => self.cancel(request.params()),
            _ => {}
        }
        let id = request.id().cloned();
        let method = request.method().to_owned();
        let (handler, abort) = match edits_handler(self.service.inner(), request) {
            Ok((id, handler)) => {
                let (handler, abort) = future::abortable(handler);
                let or_cancelled = |answer: Result<_, Aborted>| {
                    answer.unwrap_or_else(|_| refusal(id, Error::request_cancelled()))
                };
                (handler.map(or_cancelled).map(Some).boxed(), Some(abort))
            }
            // tower-lsp knows by itself what is cancelled.
            Err(request) => (routed(self.service.call(request)), None),
        };
        let mut handler = AssertUnwindSafe(handler).catch_unwind();
        let answer = Answer { id, method, outbox: Arc::clone(&self.outbox) };
        match (&mut handler).now_or_never() {
            Some(outcome) => answer.send(outcome),
            None => {
                let waits = Arc::clone(&self.waiting).acquire_owned().await;
                let running = Arc::clone(&self.running);
                let cancellable = answer.id.clone().zip(abort);
                if let Some((id, abort)) = cancellable.clone() {
                    lock(&running).insert(id, abort);
                }
                tokio::spawn(async move {
                    answer.send(handler.await);
                    if let Some((id, _)) = cancellable {
                        lock(&running).remove(&id);
                    }
                    drop(waits);
                });
            }
        }
        if self.service.inner().is_initialized()
            && let Some(client) = client
        {
            watch_client(client);
        }
    }

    /// Stops a handler that waits, if it is one of [`edits_handler`].
    fn cancel(&self, params: Option<&Value>) {
        let id = params.and_then(|params| Id::deserialize(params.get("id")?).ok());
        if let Some(handler) = id.and_then(|id| lock(&self.running).remove(&id)) {
            handler.abort();
        }
    }

    /// Notes how the client writes the URI of a document that it opens.
    fn note_spelling(&self, params: Option<&Value>) {
        let uri = params.and_then(|params| params.pointer("/textDocument/uri")).and_then(Value::as_str);
        if let Some(uri) = uri
            && let Ok(normal) = lsp::Url::parse(uri)
        {
            self.outbox.spell(&normal, uri);
        }
    }

    /// Hands a reply of the client to whoever asked.
    async fn reply(&mut self, message: Value) {
        match serde_json::from_value::<Response>(message) {
            Ok(response) => {
                // tower-lsp panics when the asker is gone.
                let sent = AssertUnwindSafe(self.replies.send(response)).catch_unwind().await;
                if !matches!(sent, Ok(Ok(()))) {
                    tracing::warn!("a reply of the client finds nobody who asked");
                }
            }
            Err(error) => self.refuse(None, ErrorCode::InvalidRequest, error.to_string()),
        }
    }

    /// Answers what is no message, or none that can be taken up.
    fn refuse(&self, id: Option<Value>, code: ErrorCode, message: String) {
        tracing::warn!(%code, message, "a message is refused");
        let id = id.and_then(|id| serde_json::from_value(id).ok()).unwrap_or(Id::Null);
        self.outbox.send(&Response::from_error(id, Error { code, message: message.into(), data: None }));
    }
}

/// Sends an answer that has been made.
type Delivery = Box<dyn FnOnce(&Outbox) + Send>;

/// The handler of a request whose answer may hold an edit for every line of a
/// document, with the request's id; the request itself if it is another one.
///
/// tower-lsp makes a tree of values of every answer, which takes 2.5 kB for an
/// edit, and longer than to find it. Here the answer is written as it is.
fn edits_handler(server: &Server, request: Request) -> Result<(Id, BoxFuture<'static, Delivery>), Request> {
    fn written<P: DeserializeOwned + Send + 'static, R: Serialize + Send + 'static>(
        server: &Server,
        id: Id,
        request: Request,
        handler: for<'server> fn(&'server Server, P) -> BoxFuture<'server, jsonrpc::Result<R>>,
    ) -> BoxFuture<'static, Delivery> {
        #[derive(Serialize)]
        struct Success<R> {
            jsonrpc: &'static str,
            id: Id,
            result: R,
        }

        let server = server.clone();
        let (_, _, params) = request.into_parts();
        let handle = async move {
            let result = match P::deserialize(params.unwrap_or_default()) {
                Ok(params) => handler(&server, params).await,
                Err(error) => Err(Error::invalid_params(error.to_string())),
            };
            match result {
                Ok(result) => {
                    let success = Success { jsonrpc: "2.0", id, result };
                    Box::new(move |outbox: &Outbox| outbox.send(&success)) as Delivery
                }
                Err(error) => refusal(id, error),
            }
        };
        handle.boxed()
    }

    let Some(id) = request.id().cloned() else { return Err(request) };
    let own = id.clone();
    let handler = match request.method() {
        "codeAction/resolve" => {
            written(server, own, request, |server, params| server.code_action_resolve(params))
        }
        "textDocument/codeAction" => {
            written(server, own, request, |server, params| server.code_action(params))
        }
        "textDocument/formatting" => {
            written(server, own, request, |server, params| server.formatting(params))
        }
        "textDocument/rangeFormatting" => {
            written(server, own, request, |server, params| server.range_formatting(params))
        }
        "textDocument/willSaveWaitUntil" => {
            written(server, own, request, |server, params| server.will_save_wait_until(params))
        }
        "workspace/executeCommand" => {
            written(server, own, request, |server, params| server.execute(params).boxed())
        }
        _ => return Err(request),
    };
    Ok((id, handler))
}

/// What tower-lsp's router makes of a message.
fn routed(
    answer: impl Future<Output = Result<Option<Response>, ExitedError>> + Send + 'static,
) -> BoxFuture<'static, Option<Delivery>> {
    let deliver = |response| Box::new(move |outbox: &Outbox| outbox.send(&response)) as Delivery;
    answer.map(move |answer| answer.ok().flatten().map(deliver)).boxed()
}

fn refusal(id: Id, error: Error) -> Delivery {
    let response = Response::from_error(id, error);
    Box::new(move |outbox| outbox.send(&response))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the answer of a handler goes.
struct Answer {
    id: Option<Id>,
    method: String,
    outbox: Arc<Outbox>,
}

impl Answer {
    fn send<P>(self, outcome: Result<Option<Delivery>, P>) {
        match outcome {
            Ok(Some(deliver)) => deliver(&self.outbox),
            Ok(None) => {
                // tower-lsp has no answer to a `$/` request that it does not
                // know. A notification needs none.
                if let Some(id) = self.id {
                    self.outbox.send(&Response::from_error(id, Error::method_not_found()));
                }
            }
            Err(_panic) => {
                tracing::error!(method = self.method, "a handler panicked");
                if let Some(id) = self.id {
                    let message = format!("the handler of {} panicked; this is a defect", self.method);
                    let error = Error { message: message.into(), ..Error::internal_error() };
                    self.outbox.send(&Response::from_error(id, error));
                }
            }
        }
    }
}

struct Decoded {
    /// An object.
    message: Value,
    /// What to say if a lone surrogate in it cannot be borne.
    lone_surrogate: Option<String>,
}

struct Undecodable {
    code: ErrorCode,
    reason: String,
    /// Whether it may have been a change of some document.
    may_be_a_change: bool,
}

/// Decodes the body of a frame. Lone surrogates, which no `String` can hold,
/// become U+FFFD, one code unit for one.
fn decode(mut body: Vec<u8>) -> Result<Decoded, Undecodable> {
    let mut lone_surrogate = None;
    let parsed = serde_json::from_slice::<Value>(&body).or_else(|error| {
        if surrogate::replace_lone_escapes(&mut body) == 0 {
            return Err(error);
        }
        lone_surrogate = Some(error.to_string());
        serde_json::from_slice(&body)
    });
    match parsed {
        Ok(message @ Value::Object(_)) => Ok(Decoded { message, lone_surrogate }),
        // A batch, or no message at all.
        Ok(_) => Err(Undecodable {
            code: ErrorCode::InvalidRequest,
            reason: "neither a request, a notification nor a response".to_owned(),
            may_be_a_change: may_be_a_change(body),
        }),
        Err(error) => Err(Undecodable {
            code: ErrorCode::ParseError,
            reason: error.to_string(),
            may_be_a_change: may_be_a_change(body),
        }),
    }
}

/// The notifications that keep a document's text.
const SYNCHRONIZATION: [&str; 3] =
    ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"];

fn is_synchronization(method: &str) -> bool {
    SYNCHRONIZATION.contains(&method)
}

/// Whether `body`, which is no message, may have been meant as one of them: it
/// names one, or it begins as a message and its method is lost. Linear.
fn may_be_a_change(mut body: Vec<u8>) -> bool {
    resolve_escapes_in_names(&mut body);
    let body = body.trim_ascii_start();
    let mut words = body.split(|byte| !byte.is_ascii_alphabetic());
    let names = SYNCHRONIZATION.map(|method| &method.as_bytes()["textDocument/".len()..]);
    // What cannot be read may have left something before the name.
    let is_named = words.any(|word| names.iter().any(|name| word.ends_with(name)));
    is_named || (body.starts_with(b"{") && !names_a_method(body))
}

/// Writes letters and slashes in place of their escapes, in strings and
/// anywhere else. Other escapes stay: a quote in a string does not become one
/// that ends it.
fn resolve_escapes_in_names(json: &mut Vec<u8>) {
    let (mut from, mut to) = (0, 0);
    while let Some(first) = json.get(from) {
        let (byte, length) = match json.get(from + 1) {
            Some(second @ (b'/' | b'\\')) if *first == b'\\' => (*second, 2),
            _ => match surrogate::code_unit(json, from).and_then(|unit| u8::try_from(unit).ok()) {
                Some(byte) if byte == b'/' || byte.is_ascii_alphabetic() => (byte, 6),
                _ => (*first, 1),
            },
        };
        json[to] = byte;
        (from, to) = (from + length, to + 1);
    }
    json.truncate(to);
}

/// Whether a member `method` with the whole of a string stands somewhere in
/// `body`.
fn names_a_method(body: &[u8]) -> bool {
    const KEY: &[u8] = br#""method""#;
    let ends = body.windows(KEY.len()).enumerate().filter(|(_, window)| *window == KEY);
    ends.map(|(at, _)| body[at + KEY.len()..].trim_ascii_start()).any(|rest| {
        let value = rest.strip_prefix(b":").and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\""));
        value.is_some_and(|value| value.contains(&b'"'))
    })
}

/// Whether `message` will reach the handler of `method`, and if not, why.
///
/// tower-lsp drops without a word what it cannot decode.
fn check_synchronization(method: &str, message: &Value) -> Result<(), String> {
    /// A `TextDocumentItem` whose text is left where it is.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "it is decoded to see whether it can be")]
    struct Opened<'message> {
        uri: lsp::Url,
        language_id: &'message str,
        version: i32,
        text: &'message str,
    }

    if message.get("id").is_some() {
        return Err("it is a notification, and has an `id`".to_owned());
    }
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("`jsonrpc` is not \"2.0\"".to_owned());
    }
    let params = message.get("params").unwrap_or(&Value::Null);
    let decoded = match method {
        "textDocument/didOpen" => {
            let document = params.get("textDocument").unwrap_or(&Value::Null);
            Opened::deserialize(document).map(drop)
        }
        "textDocument/didClose" => lsp::DidCloseTextDocumentParams::deserialize(params).map(drop),
        _ => lsp::DidChangeTextDocumentParams::deserialize(params).map(drop),
    };
    decoded.map_err(|error| error.to_string())
}

/// The id of the client's process, if it says it.
fn process_id(initialize_params: Option<&Value>) -> Option<i32> {
    let process_id = initialize_params?.get("processId")?.as_i64()?;
    i32::try_from(process_id).ok()
}

/// Ends the process when the client's process has ended, though somebody else
/// may hold the input open. Until then this takes no time at all.
fn watch_client(process_id: i32) {
    let mut client = match WaitHandle::open(process_id) {
        Ok(client) => client,
        Err(error) => {
            // A client in a container of its own: its number means nothing
            // here. Or a system that cannot tell.
            tracing::warn!(process_id, %error, "the client's process is not watched");
            return;
        }
    };
    let watch = move || {
        while let Err(error) = client.wait() {
            if error.kind() != io::ErrorKind::Interrupted {
                tracing::error!(process_id, %error, "the client's process is watched no longer");
                return;
            }
        }
        tracing::error!("the client's process has ended");
        std::process::exit(1);
    };
    if let Err(error) = thread::Builder::new().name("client watch".to_owned()).spawn(watch) {
        tracing::error!(%error, "the client's process is not watched");
    }
}

/// Reads frames on a thread of its own.
struct Reader {
    frames: mpsc::Sender<Incoming>,
    /// Room for what is read ahead, in [`permits`].
    room: Arc<Semaphore>,
    runtime: tokio::runtime::Handle,
}

impl Reader {
    /// Reads frames until the input ends or breaks, or nobody wants more.
    fn read(self, mut input: impl BufRead, max_content_length: u64) {
        loop {
            let frame = read_frame(&mut input, max_content_length, |length| self.make_room(length));
            let incoming = match frame {
                Ok(Some((body, room))) => Incoming::Body(body, room),
                Ok(None) => return,
                Err(FrameError::Broken(reason)) => Incoming::Broken(reason),
                Err(FrameError::Cut) => {
                    tracing::error!("the input ends inside a frame");
                    return;
                }
                Err(FrameError::Io(error)) => {
                    tracing::error!(%error, "the input cannot be read");
                    return;
                }
            };
            let is_broken = matches!(incoming, Incoming::Broken(_));
            if self.frames.blocking_send(incoming).is_err() || is_broken {
                return;
            }
        }
    }

    /// Waits until a body of this length may be read; `None` when nobody wants
    /// it any more.
    fn make_room(&self, length: u64) -> Option<OwnedSemaphorePermit> {
        let room = Arc::clone(&self.room);
        self.runtime.block_on(room.acquire_many_owned(permits(length.min(BYTES_AHEAD)))).ok()
    }
}

/// The room that so many bytes take.
fn permits(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

#[derive(Debug)]
enum FrameError {
    /// What comes next is no frame.
    Broken(String),
    /// The input ends in the middle of a frame.
    Cut,
    Io(io::Error),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> FrameError {
        FrameError::Io(error)
    }
}

/// Reads one frame: header fields in any case and order, a blank line, the
/// body. `None` at the end of the input, and where `make_room` has none for a
/// body.
///
/// Memory is taken as the bytes arrive, not as the header promises them.
fn read_frame<R>(
    input: &mut impl BufRead,
    max_content_length: u64,
    make_room: impl FnOnce(u64) -> Option<R>,
) -> Result<Option<(Vec<u8>, R)>, FrameError> {
    let Some(length) = read_header(input, max_content_length)? else { return Ok(None) };
    let Some(room) = make_room(length) else { return Ok(None) };
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length { Ok(Some((body, room))) } else { Err(FrameError::Cut) }
}

/// Reads a header and returns its Content-Length.
fn read_header(input: &mut impl BufRead, max_content_length: u64) -> Result<Option<u64>, FrameError> {
    let mut input = input.take(MAX_HEADER);
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        input.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            if input.limit() == 0 {
                return Err(FrameError::Broken(format!("a header of over {MAX_HEADER} bytes")));
            }
            let is_at_its_beginning = line.is_empty() && input.limit() == MAX_HEADER;
            return if is_at_its_beginning { Ok(None) } else { Err(FrameError::Cut) };
        }
        let field = line.trim_ascii();
        if field.is_empty() {
            let Some(length) = length else {
                return Err(FrameError::Broken("a header without Content-Length".to_owned()));
            };
            return Ok(Some(length));
        }
        let shown = || String::from_utf8_lossy(field).chars().take(80).collect::<String>();
        // A line of JSON has a colon, too: whoever sends one a line is told so.
        let is_name = |name: &[u8]| !name.is_empty() && name.iter().all(|byte| is_of_a_name(*byte));
        let colon = field.iter().position(|byte| *byte == b':');
        let colon = colon.filter(|colon| is_name(field[..*colon].trim_ascii_end()));
        let Some(colon) = colon else {
            return Err(FrameError::Broken(format!("no header field: {:?}", shown())));
        };
        let (name, value) = (field[..colon].trim_ascii_end(), field[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"Content-Length") {
            let value = std::str::from_utf8(value).ok().filter(|value| !value.starts_with('+'));
            match value.and_then(|value| value.parse::<u64>().ok()) {
                Some(value) if value > max_content_length => {
                    let reason = format!("{:?}: at most {max_content_length} bytes", shown());
                    return Err(FrameError::Broken(reason));
                }
                Some(value) if length.is_none_or(|length| length == value) => length = Some(value),
                Some(_) => {
                    return Err(FrameError::Broken("a header with two lengths".to_owned()));
                }
                None => return Err(FrameError::Broken(format!("{:?}: no length", shown()))),
            }
        }
    }
}

/// Whether a field's name may hold this byte: a `tchar` of RFC 9110.
fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(input: &[u8]) -> Vec<Result<Vec<u8>, String>> {
        let mut input = input;
        let mut frames = Vec::new();
        loop {
            match read_frame(&mut input, MAX_CONTENT_LENGTH, |_| Some(())) {
                Ok(Some((body, ()))) => frames.push(Ok(body)),
                Ok(None) | Err(FrameError::Cut) => return frames,
                Err(FrameError::Broken(reason)) => {
                    frames.push(Err(reason));
                    return frames;
                }
                Err(FrameError::Io(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn headers_are_read_in_any_case_and_order() {
        for input in [
            "Content-Length: 2\r\n\r\n{}",
            "content-length:2\r\n\r\n{}",
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH : 2\r\n\r\n{}",
            "Content-Length: 2\r\nContent-Type: text/plain; charset=latin1\r\nX-Other: y\r\n\r\n{}",
            "Content-Length: 2\n\n{}",
        ] {
            assert_eq!(frames(input.as_bytes()), [Ok(b"{}".to_vec())], "{input:?}");
        }
    }

    #[test]
    fn what_is_no_header_breaks_the_stream() {
        for input in [
            "\r\n",
            "Content-Type: x\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: +1\r\n\r\n",
            "Content-Length: two\r\n\r\n",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length: 99999999999999999999999\r\n\r\n",
            "{\"jsonrpc\":\"2.0\"}\n",
            ": 2\r\n\r\n{}",
            "Content Length: 2\r\n\r\n{}",
            "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        ] {
            let frames = frames(input.as_bytes());
            assert!(matches!(frames.as_slice(), [Err(_)]), "{input:?}: {frames:?}");
        }
    }

    #[test]
    fn escapes_in_names_are_resolved_and_no_others() {
        for (json, expected) in [
            (r"\u0064id\u004fpen\/\u002F", "didOpen//"),
            (r"\u0022\u005c\u0000\ud83d\\u0064", r"\u0022\u005c\u0000\ud83d\u0064"),
            (r#"\"\n\u006"#, r#"\"\n\u006"#),
            (r"\", r"\"),
            (r"a\u0062", "ab"),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            resolve_escapes_in_names(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "{json}");
        }
    }

    #[test]
    fn what_begins_as_a_message_may_be_a_change_unless_it_says_what_it_is() {
        for (body, expected) in [
            (r#"{"method": "textDocument/codeAction", "params": {"#, false),
            (r#"{"method" : "\u0073hutdown", x"#, false),
            (r#"{"method": "textDocument/didChangeX", "#, false),
            (r#"{"method": "shutdown"#, true),
            (r#"{"method": 5, "#, true),
            (r#"{"jsonrpc": "2.0", "id": 1, "res"#, true),
            (r#"[{"#, false),
            ("", false),
            ("5", false),
            ("\u{feff}{}", false),
            ("textDocument/didClose", true),
            ("\u{feff}{\"method\": \"textDocument/didChange\"", true),
        ] {
            assert_eq!(may_be_a_change(body.into()), expected, "{body}");
        }
    }

    #[test]
    fn a_stream_that_ends_inside_a_frame_has_ended() {
        let whole = b"Content-Length: 2\r\n\r\n{}";
        for end in 0..whole.len() {
            assert_eq!(frames(&whole[..end]), [], "{end}");
        }
    }
}
