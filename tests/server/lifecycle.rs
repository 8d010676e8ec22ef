//! From the first message to the exit status.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Client, SERVER};

const URI: &str = "file:///p/a.json";

#[test]
fn initialize_says_who_serves_and_what() {
    let mut client = Client::start();
    let result = client.initialize_result();
    assert_eq!(
        result["serverInfo"],
        json!({"name": "json-repair-lsp", "version": env!("CARGO_PKG_VERSION")})
    );
    let capabilities = &result["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["openClose"], true);
    assert_eq!(capabilities["textDocumentSync"]["change"], 2, "incremental");
    // Registered when the setting turns it on, never declared beside that.
    assert_ne!(capabilities["textDocumentSync"]["willSaveWaitUntil"], true);
    assert_eq!(capabilities["codeActionProvider"]["resolveProvider"], true);
    let kinds = capabilities["codeActionProvider"]["codeActionKinds"].as_array().expect("kinds");
    for kind in ["quickfix", "refactor.rewrite", "source.fixAll.jsonRepair"] {
        assert!(kinds.contains(&json!(kind)), "{kind} of {kinds:?}");
    }
    let commands = capabilities["executeCommandProvider"]["commands"].as_array().expect("commands");
    let mut commands: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
    commands.sort_unstable();
    assert_eq!(commands, ["jsonRepair.apply", "jsonRepair.execute", "jsonRepair.report"]);
    client.barrier();
}

#[test]
fn formatting_is_declared_or_registered_but_not_both() {
    let mut declaring = Client::builder().without("/textDocument/formatting/dynamicRegistration").start();
    assert_eq!(declaring.initialize_result()["capabilities"]["documentFormattingProvider"], true);
    declaring.barrier();
    assert_eq!(declaring.registrations("textDocument/formatting"), [json!(null); 0]);

    let mut registering = Client::start();
    let provider = &registering.initialize_result()["capabilities"]["documentFormattingProvider"];
    if provider.is_null() || *provider == false {
        registering.wait_for("the registration of formatting", |client| {
            client.registrations("textDocument/formatting").len() == 1
        });
    } else {
        registering.barrier();
        assert_eq!(registering.registrations("textDocument/formatting"), [json!(null); 0]);
    }
}

#[test]
fn positions_are_utf_16_whatever_else_the_client_offers() {
    for encodings in [json!(["utf-8", "utf-32", "utf-16"]), json!(["utf-8"]), json!([])] {
        let mut client = Client::builder().with("/general/positionEncodings", encodings).start();
        assert_eq!(client.initialize_result()["capabilities"]["positionEncoding"], "utf-16");
        let diagnostics = client.open(URI, "json", "[\"😀\",]");
        assert_eq!(diagnostics[0]["range"]["start"]["character"], 5);
    }
}

#[test]
fn it_serves_with_and_without_the_flag() {
    for arguments in [&["--stdio"][..], &[]] {
        let mut client = Client::builder().arguments(arguments).start();
        assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
    }
}

#[test]
fn a_client_that_can_nothing_is_served() {
    let mut client = Client::builder().process_id(Value::Null).spawn();
    let result =
        client.request("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    // It asks and registers nothing: the answer to the request would come
    // behind it.
    client.notify("initialized", json!({}));
    client.barrier();
    client.shutdown();
    assert_eq!(client.configuration_requests(), 0);
    for method in ["textDocument/formatting", "textDocument/willSaveWaitUntil"] {
        assert_eq!(client.registrations(method), [json!(null); 0]);
    }
    assert_eq!(client.exit(), 0);
}

#[test]
fn exit_ends_with_0_after_shutdown_and_1_without() {
    // Standard input stays open: nobody closes it before the client is dropped.
    let mut client = Client::start();
    client.shutdown();
    assert_eq!(client.exit(), 0);

    let mut client = Client::start();
    assert_eq!(client.exit(), 1);

    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    assert_eq!(client.exit(), 1);
}

#[test]
fn exit_before_initialize_ends_with_1() {
    let mut client = Client::builder().spawn();
    assert_eq!(client.exit(), 1);
}

#[test]
fn the_end_of_input_ends_it_at_any_time() {
    let mut client = Client::builder().spawn();
    client.close_input();
    assert_eq!(client.exit_status(), 1);

    // In the middle of a frame.
    let mut client = Client::start();
    client.send_bytes(b"Content-Length: 100\r\n\r\n{\"jsonrpc\"".to_vec());
    client.close_input();
    assert_eq!(client.exit_status(), 1);

    // Behind what it must still do.
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    client.notify("exit", json!(null));
    client.close_input();
    assert_eq!(client.exit_status(), 1);
}

#[test]
fn nothing_is_answered_before_initialize() {
    let mut client = Client::builder().spawn();
    client.permit_log_messages();
    for method in ["textDocument/codeAction", "workspace/executeCommand", "shutdown", "no/such/request"] {
        assert_eq!(client.request_error(method, json!({})).code, -32002, "{method}");
    }
    // Notifications are dropped, this document with them.
    let item = json!({"uri": URI, "languageId": "json", "version": 1, "text": "[1,]"});
    client.notify("textDocument/didOpen", json!({"textDocument": item}));
    client.initialize();
    client.initialized();
    let error = client.execute_command_error("jsonRepair.report", json!([{"uri": URI}]));
    assert_eq!(error.code, -32803);
    assert_eq!(client.open(URI, "json", "[1,] // c").len(), 2);
}

#[test]
fn nothing_is_answered_after_shutdown() {
    let mut client = Client::start();
    client.open(URI, "json", "[1,]");
    client.shutdown();
    for method in ["textDocument/codeAction", "jsonRepair/none", "shutdown", "initialize"] {
        assert_eq!(client.request_error(method, json!({})).code, -32600, "{method}");
    }
    assert_eq!(client.exit(), 0);
}

#[test]
fn shutdown_takes_null_and_no_params() {
    for params in [Some(json!(null)), None] {
        let mut client = Client::start();
        let id = match params {
            Some(params) => client.send_request("shutdown", params),
            None => client.send_request_without_params("shutdown"),
        };
        assert_eq!(client.answer(id), Ok(Value::Null));
        assert_eq!(client.exit(), 0);
    }
}

#[test]
fn a_second_initialize_is_refused() {
    let mut client = Client::start();
    let params = client.initialize_params();
    assert_eq!(client.request_error("initialize", params).code, -32600);
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
}

#[test]
fn the_death_of_the_editor_ends_it() {
    // Another instance plays the editor: it lives as long as its input.
    let mut editor = Command::new(SERVER)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary can be run");
    let mut client = Client::builder().process_id(json!(editor.id())).start();
    client.open(URI, "json", "[1,]");
    assert!(client.is_running());
    editor.kill().expect("it can be killed");
    editor.wait().expect("it can be waited for");
    // The client's own end of the pipe stays open.
    assert_eq!(client.exit_status(), 1);
}
