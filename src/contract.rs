//! The contract's request and response: `json-candidate-repair` 1.0.0.
//!
//! Everything here is counted in **UTF-16 code units**, as the contract's JSON
//! is; the conversion from the engine's bytes happens in this file, and no
//! byte offset leaves it.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, SeqAccess, Visitor},
};

use crate::repair::{Repair, Rule, RuleSet, repair, utf16_len};

/// The longest text that a request may hold, in bytes of UTF-8.
pub const MAX_TEXT_BYTES: usize = 131_072;
/// The most edits that a response may hold.
pub const MAX_EDITS: usize = 512;

/// A request: a text, and the rules to repair it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The text to repair.
    pub text: String,
    /// The rules to apply; all three where the request names none.
    pub rules: RuleSet,
}

impl Request {
    /// Reads a request from JSON text.
    ///
    /// # Errors
    ///
    /// `invalid_request` when it is not JSON or not the contract's request,
    /// `text_too_large` when its text is over [`MAX_TEXT_BYTES`].
    pub fn from_json(json: &str) -> Result<Request, ContractError> {
        let request = serde_json::from_str(json).map_err(|error| {
            // serde_json cannot say it better than this: it reads strings into
            // `String`, which a lone surrogate does not fit.
            let escape = crate::surrogate::first_lone_escape(json.as_bytes()).map(|at| &json[at..at + 6]);
            match escape {
                Some(escape) => invalid_request(format!("lone surrogate `{escape}` in a string: {error}")),
                None => invalid_request(error.to_string()),
            }
        })?;
        Request::check(request)
    }

    /// Reads a request from a JSON value.
    ///
    /// # Errors
    ///
    /// As [`Request::from_json`].
    pub fn from_value(value: &serde_json::Value) -> Result<Request, ContractError> {
        let request = Request::deserialize(value).map_err(|error| invalid_request(error.to_string()))?;
        Request::check(request)
    }

    fn check(request: Request) -> Result<Request, ContractError> {
        // A text has at least as many bytes as code points, so that this one
        // limit is both of the contract's.
        let bytes = request.text.len();
        if bytes > MAX_TEXT_BYTES {
            return Err(ContractError {
                code: ContractErrorCode::TextTooLarge,
                message: format!("`text` is {bytes} bytes of UTF-8; the limit is {MAX_TEXT_BYTES}"),
            });
        }
        Ok(request)
    }
}

fn invalid_request(message: String) -> ContractError {
    ContractError { code: ContractErrorCode::InvalidRequest, message }
}

/// The response: the text after the edits, whether it is valid, every edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Response {
    /// The text after the edits.
    pub text: String,
    /// Whether there are any edits.
    pub changed: bool,
    /// Whether `text` is JSON, strictly by RFC 8259.
    pub valid_json: bool,
    /// Where `text` stops being JSON.
    pub json_error: Option<ResponseError>,
    /// Every edit, sorted by offset.
    pub edits: Vec<ResponseEdit>,
}

/// Where a text stops being JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResponseError {
    /// One of the contract's seven codes.
    pub code: &'static str,
    /// UTF-16 code units into the response's text.
    pub offset: usize,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResponseEdit {
    /// The rule's name.
    pub rule: &'static str,
    /// UTF-16 code units into the request's text.
    pub offset: usize,
    /// What is removed there.
    pub removed: String,
    /// What is inserted there.
    pub inserted: String,
}

impl Response {
    /// The report of `repair` on `source`, without the contract's limits.
    ///
    /// Linear in the text.
    pub fn new(source: &str, repair: &Repair) -> Response {
        let mut counter = Utf16Counter::new(source);
        let edits: Vec<ResponseEdit> = repair
            .edits
            .iter()
            .map(|edit| ResponseEdit {
                rule: edit.rule.as_str(),
                offset: counter.units_before(edit.range.start),
                removed: edit.removed(source).to_owned(),
                inserted: edit.inserted.clone(),
            })
            .collect();
        Response {
            changed: !edits.is_empty(),
            valid_json: repair.is_valid(),
            json_error: ResponseError::new(source, repair),
            text: repair.edits.apply(source),
            edits,
        }
    }
}

impl ResponseError {
    /// The error that `repair` leaves in `source`, counted in the result.
    ///
    /// Linear in what stands before the error.
    pub fn new(source: &str, repair: &Repair) -> Option<ResponseError> {
        let error = repair.json_error?;
        let mut bytes_before = error.offset;
        let mut offset = 0;
        for piece in repair.edits.pieces(source) {
            let counted = bytes_before.min(piece.len());
            offset += utf16_len(&piece.as_bytes()[..counted]);
            bytes_before -= counted;
            if bytes_before == 0 {
                break;
            }
        }
        Some(ResponseError { code: error.code.as_str(), offset })
    }
}

/// Executes a request.
///
/// # Errors
///
/// `too_many_edits` when the repair has more than [`MAX_EDITS`].
///
/// ```
/// use json_repair_lsp::contract::{Request, execute};
///
/// let request = Request::from_json(r#"{"text": "[1, 2,"}"#)?;
/// let response = execute(&request)?;
/// assert_eq!("[1, 2]", response.text);
/// assert!(response.valid_json);
/// # Ok::<(), json_repair_lsp::contract::ContractError>(())
/// ```
pub fn execute(request: &Request) -> Result<Response, ContractError> {
    let repair = repair(&request.text, request.rules);
    if repair.edits.len() > MAX_EDITS {
        return Err(ContractError {
            code: ContractErrorCode::TooManyEdits,
            message: format!("the repair has {} edits; the limit is {MAX_EDITS}", repair.edits.len()),
        });
    }
    Ok(Response::new(&request.text, &repair))
}

/// Which of the contract's demands a request does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractErrorCode {
    /// It is not a request of the contract.
    InvalidRequest,
    /// Its text is over [`MAX_TEXT_BYTES`].
    TextTooLarge,
    /// Its repair has over [`MAX_EDITS`] edits.
    TooManyEdits,
}

impl ContractErrorCode {
    /// The code as it is sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            ContractErrorCode::InvalidRequest => "invalid_request",
            ContractErrorCode::TextTooLarge => "text_too_large",
            ContractErrorCode::TooManyEdits => "too_many_edits",
        }
    }
}

/// Why a request has no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractError {
    /// Which demand it does not meet.
    pub code: ContractErrorCode,
    /// What is wrong, by name.
    pub message: String,
}

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for ContractError {}

/// Counts the UTF-16 code units of a text from left to right.
struct Utf16Counter<'text> {
    text: &'text str,
    bytes: usize,
    units: usize,
}

impl<'text> Utf16Counter<'text> {
    fn new(text: &'text str) -> Utf16Counter<'text> {
        Utf16Counter { text, bytes: 0, units: 0 }
    }

    /// How many code units stand before the byte `offset`, which must not be
    /// before that of the last call.
    fn units_before(&mut self, offset: usize) -> usize {
        self.units += utf16_len(&self.text.as_bytes()[self.bytes..offset]);
        self.bytes = offset;
        self.units
    }
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Request, D::Error> {
        deserializer.deserialize_map(RequestVisitor)
    }
}

struct RequestVisitor;

impl<'de> Visitor<'de> for RequestVisitor {
    type Value = Request;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request object with `text` and optional `rules`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Request, A::Error> {
        let mut text = None;
        let mut rules = None;
        while let Some(key) = map.next_key::<String>()? {
            let is_repeated = match key.as_str() {
                "text" => text.replace(map.next_value::<Text>()?.0).is_some(),
                "rules" => rules.replace(map.next_value::<Rules>()?.0).is_some(),
                _ => return Err(de::Error::unknown_field(&key, &["text", "rules"])),
            };
            if is_repeated {
                return Err(de::Error::custom(format_args!("`{key}` is given twice")));
            }
        }
        let text = text.ok_or_else(|| de::Error::missing_field("text"))?;
        Ok(Request { text, rules: rules.unwrap_or_default() })
    }
}

struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        struct TextVisitor;

        impl Visitor<'_> for TextVisitor {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`text` to be a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Text, E> {
                Ok(Text(text))
            }
        }

        deserializer.deserialize_string(TextVisitor)
    }
}

/// A `rules` array: known names, none of them twice.
pub(crate) struct Rules(pub(crate) RuleSet);

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rules, D::Error> {
        struct RulesVisitor;

        impl<'de> Visitor<'de> for RulesVisitor {
            type Value = Rules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`rules` to be an array of rule names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Rules, A::Error> {
                let mut rules = RuleSet::NONE;
                while let Some(RuleName(rule)) = names.next_element()? {
                    if !rules.insert(rule) {
                        return Err(de::Error::custom(format_args!("rule `{rule}` is repeated in `rules`")));
                    }
                }
                Ok(Rules(rules))
            }
        }

        deserializer.deserialize_seq(RulesVisitor)
    }
}

struct RuleName(Rule);

impl<'de> Deserialize<'de> for RuleName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleName, D::Error> {
        struct RuleNameVisitor;

        impl Visitor<'_> for RuleNameVisitor {
            type Value = RuleName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("each of `rules` to be the name of a rule")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<RuleName, E> {
                name.parse().map(RuleName).map_err(|error| E::custom(format_args!("{error}, in `rules`")))
            }
        }

        deserializer.deserialize_str(RuleNameVisitor)
    }
}
