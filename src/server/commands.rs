//! The commands of `workspace/executeCommand`.

use std::{borrow::Cow, ops::Range};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::{
    jsonrpc::{Error, ErrorCode, Result},
    lsp_types as lsp,
};

use super::{
    analysis::{Analysis, Candidate},
    documents::Snapshot,
    position,
};
use crate::{
    contract::{
        self, ContractError, ContractErrorCode, Request, Response, ResponseEdit, ResponseError, Rules,
    },
    repair::{Policy, Repair, RuleSet, Text, utf16_len},
};

/// The contract: a request object in, a response object out.
pub const EXECUTE: &str = "jsonRepair.execute";
/// What would be repaired in an open document.
pub const REPORT: &str = "jsonRepair.report";
/// Repairs an open document.
pub const APPLY: &str = "jsonRepair.apply";
/// Panics, so that a test can see what becomes of a panic.
#[cfg(debug_assertions)]
pub const PANIC: &str = "jsonRepair.debug.panic";

/// LSP's RequestFailed: the request was right, but there is no answer to it.
pub const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);

/// What a command answers.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The contract's response to a request of it.
    Response(Response),
    /// What would be repaired in an open document, or is being.
    OfDocument(DocumentAnswer),
}

/// Executes a request of the contract.
pub fn execute(arguments: &[Value]) -> Result<Response> {
    let [request] = arguments else {
        let message = format!("{EXECUTE} takes one argument, the request object");
        return Err(contract_error(ContractError { code: ContractErrorCode::InvalidRequest, message }));
    };
    let response = Request::from_value(request).and_then(|request| contract::execute(&request));
    response.map_err(contract_error)
}

/// The argument of [`REPORT`] and [`APPLY`].
pub struct OnDocument {
    /// The document.
    pub uri: lsp::Url,
    /// The rules to go by instead of the document's policy.
    pub rules: Option<RuleSet>,
}

impl OnDocument {
    /// Reads the argument of `command`.
    pub fn new(command: &str, arguments: &[Value]) -> Result<OnDocument> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Argument {
            uri: lsp::Url,
            #[serde(default)]
            rules: Option<Rules>,
        }

        let [argument] = arguments else {
            return Err(invalid_params(format!("{command} takes one argument, {{uri, rules?}}")));
        };
        let Argument { uri, rules } = Argument::deserialize(argument)
            .map_err(|error| invalid_params(format!("the argument of {command}: {error}")))?;
        Ok(OnDocument { uri, rules: rules.map(|rules| rules.0) })
    }

    /// What is found in `snapshot` by the rules of the argument or, where it has
    /// none, by the document's own policy.
    pub fn analysis<'snapshot>(&self, snapshot: &'snapshot Snapshot) -> Result<Cow<'snapshot, Analysis>> {
        match (self.rules, snapshot.analysis()) {
            (Some(rules), _) => {
                let policy = Policy::fix(rules);
                Ok(Cow::Owned(Analysis::new(snapshot.rope(), snapshot.dialect, policy)))
            }
            (None, Analysis::Cancelled) => Err(request_failed(format!(
                "reading {} was cancelled; its next change is read",
                snapshot.uri
            ))),
            (None, analysis) => Ok(Cow::Borrowed(analysis)),
        }
    }
}

/// The contract's response for an open document, and the version that it is for.
///
/// `text` is the whole document after the edits, with its final line endings.
/// In JSON Lines every line is repaired by itself: `valid_json` says whether all
/// of them are valid, `json_error` is the first line's that is not, and `lines`
/// says of each line in which there is anything how many of the edits are its
/// own. All offsets are in UTF-16 code units of the document and of `text`.
#[derive(Serialize)]
pub struct DocumentAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    changed: bool,
    valid_json: bool,
    json_error: Option<ResponseError>,
    edits: Vec<ResponseEdit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<LineAnswer>>,
    version: i32,
}

/// A line of JSON Lines in which there is anything.
#[derive(Serialize)]
struct LineAnswer {
    /// Counted from 0, as LSP does.
    line: usize,
    /// How many of the edits are this line's.
    edits: usize,
    valid_json: bool,
    json_error: Option<ResponseError>,
}

impl DocumentAnswer {
    /// The answer to [`REPORT`].
    pub fn new(snapshot: &Snapshot, analysis: &Analysis) -> DocumentAnswer {
        let rope = snapshot.rope();
        let (mut text, mut edits, mut lines) = (String::new(), Vec::new(), Vec::new());
        // Up to here everything is in `text`, which has so many code units.
        let (mut end, mut text_utf16) = (0, 0);
        let copy = |text: &mut String, range: Range<usize>| {
            text.push_str(&rope.string_of(range.clone()));
            position::utf16_len(rope, range)
        };
        for Candidate { start, text: source, report } in analysis.candidates(rope) {
            let source = source.string_of(0..report.candidate_len());
            text_utf16 += copy(&mut text, end..start);
            end = start + source.len();
            let response = Response::new(&source, &Repair::from(&*report));
            let start_utf16 = position::utf16_len(rope, 0..start);
            let json_error =
                response.json_error.map(|error| ResponseError { offset: text_utf16 + error.offset, ..error });
            lines.push(LineAnswer {
                line: rope.byte_to_line(start),
                edits: response.edits.len(),
                valid_json: response.valid_json,
                json_error,
            });
            let in_document = |edit: ResponseEdit| ResponseEdit { offset: start_utf16 + edit.offset, ..edit };
            edits.extend(response.edits.into_iter().map(in_document));
            text_utf16 += utf16_len(response.text.as_bytes());
            text.push_str(&response.text);
        }
        copy(&mut text, end..rope.len_bytes());
        DocumentAnswer {
            text: Some(text),
            changed: !edits.is_empty(),
            valid_json: analysis.invalid_count() == 0,
            json_error: lines.iter().find_map(|line| line.json_error.clone()),
            edits,
            lines: matches!(analysis, Analysis::Lines(_)).then_some(lines),
            version: snapshot.version,
        }
    }

    /// The same without the text: the answer to [`APPLY`].
    pub fn without_text(self) -> DocumentAnswer {
        DocumentAnswer { text: None, ..self }
    }
}

/// An error that names what is wrong with the parameters.
pub fn invalid_params(message: String) -> Error {
    Error { code: ErrorCode::InvalidParams, message: message.into(), data: None }
}

/// An error for a request that is right, but has no answer.
pub fn request_failed(message: String) -> Error {
    Error { code: REQUEST_FAILED, message: message.into(), data: None }
}

fn contract_error(error: ContractError) -> Error {
    Error { data: Some(json!({ "code": error.code.as_str() })), ..invalid_params(error.message) }
}
