//! The tool contract `json-candidate-repair` 1.0.0 as it is spoken: request JSON in, response JSON
//! or an error out.
#![allow(clippy::expect_used, reason = "the panic of a test is its answer, in its helpers too")]

mod vectors;

use json_repair_lsp::contract::{ContractError, Request, execute};
use serde_json::json;
use vectors::Ordered;

/// One request, as its JSON text, to the response, as its JSON text.
fn respond(request: &str) -> Result<String, ContractError> {
    let response = execute(&Request::from_json(request)?)?;
    Ok(serde_json::to_string(&response).expect("a response is JSON"))
}

/// The request is answered with exactly this response, its fields in exactly this order.
fn check(name: &str, request: &str, expected_response: &Ordered) {
    let response = respond(request).unwrap_or_else(|error| panic!("{name}: {request} is refused: {error:?}"));
    let response =
        Ordered::parse(&response).unwrap_or_else(|error| panic!("{name}: {response} is not JSON: {error}"));
    assert_eq!(&response, expected_response, "{name}: {request}");
}

/// The request is refused with this code and a message that names `culprit`.
fn check_refused(request: &str, code: &str, culprit: &str) {
    let beginning: String = request.chars().take(100).collect();
    match respond(request) {
        Ok(_) => panic!("{beginning:?} is answered"),
        Err(error) => {
            assert_eq!(error.code.as_str(), code, "{beginning:?}: {error:?}");
            assert!(
                error.message.contains(culprit),
                "{beginning:?}: the message does not name {culprit:?}: {:?}",
                error.message
            );
            assert!(
                error.message.chars().count() < 400 && !error.message.contains('\n'),
                "{beginning:?}: the message is not one readable line: {:?}",
                error.message
            );
        }
    }
}

#[test]
fn every_vector() {
    let vectors = vectors::all();
    assert!(vectors.len() > 3000, "only {} vectors", vectors.len());
    for vector in vectors {
        let request = vector.request.to_value().to_string();
        check(&vector.name, &request, &vector.response);
    }
}

/// As the contract has them, to the letter.
#[test]
fn the_contracts_own_examples() {
    let examples = [
        (
            r#"{"text":"{\"a\": [1, 2,], // note\n \"b\": tru"}"#,
            concat!(
                r#"{"text":"{\"a\": [1, 2], \n \"b\": tru}","changed":true,"valid_json":false,"#,
                r#""json_error":{"code":"invalid_literal","offset":24},"edits":["#,
                r#"{"rule":"remove_trailing_commas","offset":11,"removed":",","inserted":""},"#,
                r#"{"rule":"remove_comments","offset":15,"removed":"// note","inserted":""},"#,
                r#"{"rule":"close_truncated","offset":32,"removed":"","inserted":"}"}]}"#,
            ),
        ),
        (
            r#"{"text":"[{\"id\": 1}, {\"id\": 2"}"#,
            concat!(
                r#"{"text":"[{\"id\": 1}, {\"id\": 2}]","changed":true,"valid_json":true,"#,
                r#""json_error":null,"edits":["#,
                r#"{"rule":"close_truncated","offset":20,"removed":"","inserted":"}]"}]}"#,
            ),
        ),
    ];
    for (request, response) in examples {
        assert_eq!(respond(request).as_deref(), Ok(response), "{request}");
    }
}

/// > "rules (optional, default all three) [...] regardless of array order. An empty array applies no
/// > repair and only validates."
#[test]
fn rules_are_a_set_with_a_default() {
    let text = "[1, /* one */ [2, // two";
    let request = |rules: &str| json!({"text": text}).to_string().replace('}', &format!("{rules}}}"));
    let by_default = respond(&request(""));
    assert!(by_default.as_ref().is_ok_and(|response| response.contains(r#""valid_json":true"#)));
    for rules in [
        r#","rules":["remove_comments","close_truncated","remove_trailing_commas"]"#,
        r#","rules":["remove_comments","remove_trailing_commas","close_truncated"]"#,
        r#","rules":["close_truncated","remove_comments","remove_trailing_commas"]"#,
        r#","rules":["close_truncated","remove_trailing_commas","remove_comments"]"#,
        r#","rules":["remove_trailing_commas","remove_comments","close_truncated"]"#,
        r#","rules":["remove_trailing_commas","close_truncated","remove_comments"]"#,
    ] {
        assert_eq!(respond(&request(rules)), by_default, "{rules}");
    }
    let unrepaired = Ordered::parse(
        &json!({
            "text": text,
            "changed": false,
            "valid_json": false,
            "json_error": {"code": "unexpected_character", "offset": 4},
            "edits": [],
        })
        .to_string(),
    );
    let response = respond(&request(r#","rules":[]"#)).expect("a response");
    let response = Ordered::parse(&response).expect("JSON");
    assert_eq!(response.to_value(), unrepaired.expect("JSON").to_value());
}

/// The request may be written in any way that JSON has.
#[test]
fn requests_are_read_as_json() {
    let response = respond(r#"{"text":"[\"\u00e9\ud83d\ude00\"","rules":["close_truncated"]}"#);
    for request in [
        "\n{ \"rules\" :\t[ \"close_truncated\" ],\r\n\"text\": \"[\\\"\u{e9}\u{1f600}\\\"\" } ",
        r#"{"\u0074ext":"\u005b\u0022\u00e9\uD83D\uDE00\u0022","rules":["close\u005ftruncated"]}"#,
    ] {
        assert_eq!(respond(request), response, "{request}");
    }
}

#[test]
fn wrong_requests_are_refused_by_name() {
    for (request, culprit) in [
        // Not JSON.
        ("", ""),
        ("{", ""),
        (r#"{"text":"""#, ""),
        (r#"{"text":""} {"text":""}"#, ""),
        (r#"{"text":"",}"#, ""),
        (r#"{'text':''}"#, ""),
        ("{\"text\":\"a\nb\"}", ""),
        ("\u{feff}{\"text\":\"\"}", ""),
        // Not an object.
        ("null", "object"),
        ("true", "object"),
        ("1", "object"),
        (r#""[1,]""#, "object"),
        (r#"[]"#, "object"),
        (r#"["[1,]"]"#, "object"),
        (r#"["[1,]",["remove_comments"]]"#, "object"),
        // Not a text.
        ("{}", "text"),
        (r#"{"rules":[]}"#, "text"),
        (r#"{"text":null}"#, "text"),
        (r#"{"text":true}"#, "text"),
        (r#"{"text":1}"#, "text"),
        (r#"{"text":1.5}"#, "text"),
        (r#"{"text":["[1,]"]}"#, "text"),
        (r#"{"text":{}}"#, "text"),
        // Not rules.
        (r#"{"text":"","rules":null}"#, "rules"),
        (r#"{"text":"","rules":false}"#, "rules"),
        (r#"{"text":"","rules":7}"#, "rules"),
        (r#"{"text":"","rules":"remove_comments"}"#, "rules"),
        (r#"{"text":"","rules":{}}"#, "rules"),
        (r#"{"text":"","rules":{"remove_comments":true}}"#, "rules"),
        (r#"{"text":"","rules":[null]}"#, "rules"),
        (r#"{"text":"","rules":[0]}"#, "rules"),
        (r#"{"text":"","rules":[["remove_comments"]]}"#, "rules"),
        (r#"{"text":"","rules":[{"remove_comments":null}]}"#, "rules"),
        // Not a rule's name.
        (r#"{"text":"","rules":["quote_keys"]}"#, "quote_keys"),
        (r#"{"text":"","rules":["remove_comments","Close_Truncated"]}"#, "Close_Truncated"),
        (r#"{"text":"","rules":["remove_comments "]}"#, "remove_comments "),
        (r#"{"text":"","rules":["RemoveComments"]}"#, "RemoveComments"),
        (r#"{"text":"","rules":[""]}"#, "rule"),
        // A rule twice, in every place where the second one can be.
        (r#"{"text":"","rules":["remove_comments","remove_comments"]}"#, "remove_comments"),
        (r#"{"text":"","rules":["close_truncated","remove_comments","close_truncated"]}"#, "close_truncated"),
        (
            r#"{"text":"","rules":["remove_trailing_commas","remove_comments","close_truncated","remove_trailing_commas"]}"#,
            "remove_trailing_commas",
        ),
        (r#"{"text":"","rules":["remove_comments","remove_\u0063omments"]}"#, "remove_comments"),
        // A key that is not the contract's.
        (r#"{"text":"","rule":[]}"#, "rule"),
        (r#"{"text":"","id":1}"#, "id"),
        (r#"{"id":1,"text":""}"#, "id"),
        (r#"{"Text":""}"#, "Text"),
        (r#"{"text":"","":1}"#, ""),
        (r#"{"text":"","unknown_key":null}"#, "unknown_key"),
        // A key twice.
        (r#"{"text":"","text":""}"#, "text"),
        (r#"{"text":"[1,]","text":"[2,]"}"#, "text"),
        (r#"{"text":"","\u0074ext":""}"#, "text"),
        (r#"{"text":"","rules":[],"rules":[]}"#, "rules"),
    ] {
        check_refused(request, "invalid_request", culprit);
    }
}

/// A lone surrogate is a code unit that no Unicode text holds, and no `String` either.
#[test]
fn lone_surrogates_are_refused_by_name() {
    for (text, escape) in [
        (r"\ud800", r"\ud800"),
        (r"\udc00", r"\udc00"),
        (r"a\uDBFFb", r"\uDBFF"),
        (r"\ud83d\ud83d\ude00", r"\ud83d"),
        (r"\ude00\ud83d", r"\ude00"),
        (r"\ud83d\ude00\ud83d", r"\ud83d"),
        (r"\ud83d\n", r"\ud83d"),
        (r"\ud83d \ude00", r"\ud83d"),
        (r"\\\udfff", r"\udfff"),
    ] {
        let request = format!(r#"{{"text":"{text}"}}"#);
        check_refused(&request, "invalid_request", "surrogate");
        check_refused(&request, "invalid_request", escape);
    }
    // In the text itself the escape is six ordinary characters, and RFC 8259 allows it.
    let response = respond(r#"{"text":"[\"\\ud800\",]"}"#).expect("a response");
    assert!(response.contains(r#""valid_json":true"#), "{response}");
}

/// Depth costs no stack: neither in the request, where it is refused, nor in the text, where it is
/// as good as any other.
#[test]
fn deep_nesting_overflows_no_stack() {
    let deep = "[".repeat(100_000);
    for request in [
        deep.clone(),
        format!(r#"{{"text":{deep}"#),
        format!(r#"{{"text":"","rules":{deep}"#),
        format!(r#"{{"text":"","unknown_key":{deep}"#),
        format!(r#"{{"unknown_key":{deep}"#),
    ] {
        check_refused(&request, "invalid_request", "");
    }
    let response = respond(&json!({"text": deep}).to_string()).expect("a response");
    assert!(response.contains(r#""valid_json":true"#));
}

/// > "max_text_bytes":131072
///
/// Bytes of UTF-8, however the request writes the characters.
#[test]
fn texts_up_to_the_limit_are_answered_and_longer_ones_refused() {
    let limit = 131_072;
    for character in ["a", "\u{e9}", "\u{2028}", "\u{1f600}"] {
        let bytes = character.len();
        let longest = format!("{}{}", character.repeat(limit / bytes), "a".repeat(limit % bytes));
        assert_eq!(longest.len(), limit);
        let too_long = [format!("{longest}a"), format!("a{longest}"), character.repeat(limit / bytes + 1)];

        let raw = |text: &str| json!({"text": text}).to_string();
        let escaped = |text: &str| {
            let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            format!(r#"{{"text":"{units}","rules":[]}}"#)
        };
        for request in [raw(&longest), escaped(&longest)] {
            let response = respond(&request).expect("a text within the limit");
            assert!(response.contains(r#""valid_json":false"#));
        }
        for text in &too_long {
            for request in [raw(text), escaped(text)] {
                check_refused(&request, "text_too_large", "131072");
                check_refused(&request, "text_too_large", &text.len().to_string());
                check_refused(&request, "text_too_large", "text");
            }
        }
    }
    // The limit is the text's, not the request's or the response's.
    let text = "[".repeat(limit);
    let response = respond(&json!({"text": text}).to_string()).expect("a text within the limit");
    assert!(response.contains(r#""valid_json":true"#));
}

/// > "max_edits":512
///
/// Counts the edits of all rules together, and of no rule that was not asked for.
#[test]
fn repairs_up_to_the_limit_are_answered_and_larger_ones_refused() {
    let comments = |count: usize| "/**/".repeat(count);
    let trailing_commas = |count: usize| format!("[{}0]", "[1,],".repeat(count));
    for (text, edits) in [
        (format!("{}1", comments(512)), 512),
        (format!("{}1", comments(513)), 513),
        (format!("{}1", comments(5130)), 5130),
        (trailing_commas(512), 512),
        (trailing_commas(513), 513),
        (format!("[{}", comments(511)), 512),
        (format!("[{}", comments(512)), 513),
        (format!("[1,{}", comments(510)), 512),
        (format!("[1,{}", comments(511)), 513),
    ] {
        let beginning: String = text.chars().take(20).collect();
        let request = json!({"text": text}).to_string();
        if edits > 512 {
            check_refused(&request, "too_many_edits", "512");
            check_refused(&request, "too_many_edits", &edits.to_string());
            check_refused(&request, "too_many_edits", "edits");
        } else {
            let response = respond(&request).expect("a repair within the limit");
            let response = Ordered::parse(&response).expect("JSON");
            let listed = response.field("edits").and_then(Ordered::as_array).expect("an array");
            assert_eq!(listed.len(), edits, "{beginning}");
            assert_eq!(response.field("valid_json"), Some(&Ordered::Bool(true)), "{beginning}");
        }
        let request = json!({"text": text, "rules": []}).to_string();
        assert!(respond(&request).is_ok(), "{beginning}");
    }
}

/// A response is either whole or not there: an error has a code and a message, and nothing of a
/// result in it.
#[test]
fn an_error_names_its_code() {
    for (request, code) in [
        (r#"{"text":7}"#.to_owned(), "invalid_request"),
        (json!({"text": "a".repeat(131_073)}).to_string(), "text_too_large"),
        (json!({"text": "/**/".repeat(513)}).to_string(), "too_many_edits"),
    ] {
        let error = respond(&request).expect_err("a refusal");
        assert_eq!(error.to_string(), format!("{code}: {}", error.message));
    }
}

/// A request that comes as a value (through a protocol that has parsed it already) is held to the
/// same contract, except for what a value cannot say: a key twice, a lone surrogate.
#[test]
fn requests_that_are_values_are_read_alike() {
    for vector in vectors::reports() {
        let request = vector.request.to_value();
        let from_value = Request::from_value(&request);
        assert_eq!(from_value, Request::from_json(&request.to_string()), "{}", vector.name);
    }
    for (request, code, culprit) in [
        (json!(null), "invalid_request", "object"),
        (json!(["[1,]"]), "invalid_request", "object"),
        (json!({}), "invalid_request", "text"),
        (json!({"text": 1}), "invalid_request", "text"),
        (json!({"text": null}), "invalid_request", "text"),
        (json!({"text": "", "rules": null}), "invalid_request", "rules"),
        (json!({"text": "", "rules": [1]}), "invalid_request", "rules"),
        (json!({"text": "", "rules": ["quote_keys"]}), "invalid_request", "quote_keys"),
        (
            json!({"text": "", "rules": ["remove_comments", "remove_comments"]}),
            "invalid_request",
            "remove_comments",
        ),
        (json!({"text": "", "unknown_key": 1}), "invalid_request", "unknown_key"),
        (json!({"text": "\u{e9}".repeat(65_537)}), "text_too_large", "131072"),
    ] {
        let error = Request::from_value(&request).expect_err("a refusal");
        assert_eq!(error.code.as_str(), code, "{error:?}");
        assert!(error.message.contains(culprit), "{error:?} does not name {culprit}");
    }
}
