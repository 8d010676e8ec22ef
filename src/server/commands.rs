//! The commands of `workspace/executeCommand`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::{
    jsonrpc::{Error, ErrorCode, Result},
    lsp_types as lsp,
};

use super::documents::Snapshot;
use crate::{
    contract::{
        self, ContractError, ContractErrorCode, Request, Response, ResponseEdit, ResponseError, Rules,
    },
    repair::{Policy, Repair, Report, RuleSet, Text},
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

/// Executes a request of the contract.
pub fn execute(arguments: &[Value]) -> Result<Value> {
    let [request] = arguments else {
        let message = format!("{EXECUTE} takes one argument, the request object");
        return Err(contract_error(ContractError { code: ContractErrorCode::InvalidRequest, message }));
    };
    let response = Request::from_value(request).and_then(|request| contract::execute(&request));
    response.map_err(contract_error).and_then(|response| to_value(&response))
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

    /// What the rules of the argument would repair in `snapshot`; `None` where
    /// it has none, and the document's own report is meant.
    pub fn report(&self, snapshot: &Snapshot) -> Option<Report> {
        self.rules.map(|rules| Report::new(snapshot.rope(), Policy::fix(rules)))
    }
}

/// The answer to [`REPORT`]: the contract's response for an open document, and
/// the version that it is for.
///
/// `text` is the whole document after the edits, with its final line endings.
pub fn report_answer(snapshot: &Snapshot, report: &Report) -> Result<Value> {
    let mut response = response(snapshot, report);
    let final_line_endings = report.candidate_len()..snapshot.rope().len_bytes();
    response.text.push_str(&snapshot.rope().string_of(final_line_endings));
    let mut answer = to_value(&response)?;
    answer["version"] = snapshot.version.into();
    Ok(answer)
}

/// The answer to [`APPLY`]: what [`REPORT`] answers, without the text.
pub fn apply_answer(snapshot: &Snapshot, report: &Report) -> Result<Value> {
    #[derive(Serialize)]
    struct Applied {
        changed: bool,
        valid_json: bool,
        json_error: Option<ResponseError>,
        edits: Vec<ResponseEdit>,
        version: i32,
    }

    let Response { changed, valid_json, json_error, edits, .. } = response(snapshot, report);
    to_value(&Applied { changed, valid_json, json_error, edits, version: snapshot.version })
}

/// The contract's response for the candidate of an open document.
fn response(snapshot: &Snapshot, report: &Report) -> Response {
    let candidate = snapshot.rope().string_of(0..report.candidate_len());
    Response::new(&candidate, &Repair::from(report))
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

fn to_value(answer: &impl Serialize) -> Result<Value> {
    serde_json::to_value(answer)
        .map_err(|error| Error { message: error.to_string().into(), ..Error::internal_error() })
}
