//! The base protocol: headers, frames, and bodies that are no messages.

use std::time::Duration;

use serde_json::json;

use crate::client::{Client, frame, frame_with_header};

const URI: &str = "file:///p/a.json";

/// A request whose answer shows that it was understood, as an id and a body.
fn request(client: &mut Client) -> (i64, String) {
    let params = json!({"command": "jsonRepair.execute", "arguments": [{"text": "[\"é😀\",]"}]});
    let (id, request) = client.prepare_request("workspace/executeCommand", params);
    (id, request.to_string())
}

#[track_caller]
fn check_answer(client: &mut Client, id: i64, about: &str) {
    let result = client.answer(id).unwrap_or_else(|error| panic!("{about}: {error:?}"));
    assert_eq!(result["text"], "[\"é😀\"]", "{about}");
}

#[test]
fn header_names_come_in_any_case_and_order_and_company() {
    let mut client = Client::start();
    for header in [
        "Content-Length: <n>\r\n\r\n",
        "content-length: <n>\r\n\r\n",
        "CONTENT-LENGTH: <n>\r\n\r\n",
        "cOnTeNt-LeNgTh: <n>\r\n\r\n",
        "Content-Length:<n>\r\n\r\n",
        "Content-Length: <n>\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        "Content-Length: <n>\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        "Content-Length: <n>\r\nContent-Type: application/vscode-jsonrpc; charset=UTF-8\r\n\r\n",
        "Content-Type: application/json\r\nContent-Length: <n>\r\n\r\n",
        "X-One: 1\r\nX-Two: 2\r\nContent-Length: <n>\r\nX-Three: a: b\r\nX-Four:\r\n\r\n",
    ] {
        let (id, body) = request(&mut client);
        let header_of_this = header.replace("<n>", &body.len().to_string());
        client.send_bytes(frame_with_header(&header_of_this, &body));
        check_answer(&mut client, id, header);
    }
}

#[test]
fn a_frame_may_be_split_at_every_byte() {
    let mut client = Client::start();
    for at in 1.. {
        let (id, body) = request(&mut client);
        let mut head = frame(&body);
        let tail = head.split_off(at.min(head.len()));
        let is_whole = tail.is_empty();
        client.send_bytes(head);
        // Long enough for the server to be left with the head alone, mostly.
        std::thread::sleep(Duration::from_millis(1));
        client.send_bytes(tail);
        check_answer(&mut client, id, &format!("split at {at}"));
        if is_whole {
            return;
        }
    }
}

#[test]
fn a_frame_may_come_byte_by_byte_and_many_at_once() {
    let mut client = Client::start();
    let (id, body) = request(&mut client);
    for byte in frame(&body) {
        client.send_bytes(vec![byte]);
    }
    check_answer(&mut client, id, "byte by byte");

    let (ids, bodies): (Vec<i64>, Vec<String>) = (0..100).map(|_| request(&mut client)).unzip();
    client.send_bytes(bodies.iter().flat_map(|body| frame(body)).collect());
    for id in ids {
        check_answer(&mut client, id, "many at once");
    }
}

#[test]
fn what_is_no_message_is_answered_and_life_goes_on() {
    let mut client = Client::start();
    client.permit_log_messages();
    for (body, code) in [
        ("{", -32700),
        ("[1,]", -32700),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"shutdown\"", -32700),
        ("5", -32600),
        ("{}", -32600),
        ("\"shutdown\"", -32600),
        ("null", -32600),
        ("[]", -32600),
        ("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"shutdown\"}]", -32600),
    ] {
        client.send_bytes(frame(body));
        assert_eq!(client.answer_to_nobody().code, code, "{body}");
        let (id, body) = request(&mut client);
        client.send_bytes(frame(&body));
        check_answer(&mut client, id, "behind a bad body");
    }
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
}

#[test]
fn unknown_methods_and_answers_to_nothing_hurt_nobody() {
    let mut client = Client::start();
    client.permit_log_messages();
    client.notify("no/such/notification", json!({"a": 1}));
    client.notify("$/setTrace", json!({"value": "verbose"}));
    client.notify("$/cancelRequest", json!({"id": 4711}));
    client.send_json(&json!({"jsonrpc": "2.0", "id": 4711, "result": null}));
    client.send_json(&json!({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}}));
    assert_eq!(client.request_error("no/such/request", json!({})).code, -32601);
    assert_eq!(client.open(URI, "json", "[1,]").len(), 1);
}

/// Notifications whose method begins so may be ignored; requests must be
/// answered like any other.
#[test]
fn a_request_that_depends_on_the_implementation_is_answered() {
    let mut client = Client::start();
    let id = client.send_request("$/no/such/request", json!({}));
    let (next, body) = request(&mut client);
    client.send_bytes(frame(&body));
    check_answer(&mut client, next, "behind it");
    client.barrier();
    assert!(client.has_answer(id), "it is never answered");
    assert_eq!(client.answer(id).expect_err("nobody knows it").code, -32601);
}

#[test]
fn a_lone_surrogate_is_one_unit_of_a_document_and_an_error_in_a_request() {
    let mut client = Client::start();
    client.permit_log_messages();
    // `serde_json` cannot say it: the body is made by hand.
    let open = client.prepare_open(URI, "json", 1, "[\"\u{fffd}\",1,]").to_string();
    client.send_bytes(frame(&open.replace('\u{fffd}', "\\ud83d")));
    assert_eq!(client.diagnostics(URI)[0]["range"]["start"]["character"], 6);
    let change = client.prepare_change(URI, &[crate::client::document::Change::replace("0:4", "\u{fffd}")]);
    client.send_bytes(frame(&change.to_string().replace('\u{fffd}', "\\ude00")));
    client.diagnostics(URI);
    let text = client.text(URI);
    assert_eq!(client.execute_command("jsonRepair.report", json!([{"uri": URI, "rules": []}]))["text"], text);

    let (id, body) = request(&mut client);
    client.send_bytes(frame(&body.replace('é', "\\ud83d")));
    assert!(client.answer(id).is_err());
    let (id, body) = request(&mut client);
    client.send_bytes(frame(&body));
    check_answer(&mut client, id, "behind a lone surrogate");
}
