//! The contract's vectors, which lie beside this file, and JSON that remembers the order of its
//! fields to compare them by.
//!
//! `contract.jsonl` holds requests and their responses, `reports.jsonl` holds inputs that people
//! reported about other tools with the right response, an id, and mostly a reason.
#![allow(dead_code, reason = "every test binary that includes this module uses a part of it")]

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

const CONTRACT: &str = include_str!("contract.jsonl");
const REPORTS: &str = include_str!("reports.jsonl");

pub(crate) struct Vector {
    /// What to call the vector when it fails.
    pub(crate) name: String,
    pub(crate) request: Ordered,
    pub(crate) response: Ordered,
}

impl Vector {
    pub(crate) fn text(&self) -> &str {
        let text = self.request.field("text").expect("a request has a text");
        text.as_str().expect("a text is a string")
    }

    /// The names of the rules, or `None` where the request leaves them out.
    pub(crate) fn rules(&self) -> Option<Vec<&str>> {
        let rules = self.request.field("rules")?.as_array().expect("an array");
        Some(rules.iter().map(|rule| rule.as_str().expect("a name")).collect())
    }
}

pub(crate) fn contract() -> Vec<Vector> {
    parse("contract.jsonl", CONTRACT)
}

pub(crate) fn reports() -> Vec<Vector> {
    parse("reports.jsonl", REPORTS)
}

pub(crate) fn all() -> Vec<Vector> {
    let mut vectors = contract();
    vectors.extend(reports());
    vectors
}

fn parse(file: &str, lines: &str) -> Vec<Vector> {
    // Only LF ends a line of these files: their strings may hold other line separators.
    lines
        .split_terminator('\n')
        .enumerate()
        .map(|(index, line)| {
            let line_number = index + 1;
            let vector = Ordered::parse(line)
                .unwrap_or_else(|error| panic!("{file}:{line_number} is not JSON: {error}"));
            let id = vector.field("id").and_then(Ordered::as_str);
            let name = match id {
                Some(id) => format!("{file}:{line_number} ({id})"),
                None => format!("{file}:{line_number}"),
            };
            let part = |key| vector.field(key).unwrap_or_else(|| panic!("{name} has no {key}")).clone();
            Vector { request: part("request"), response: part("response"), name }
        })
        .collect()
}

/// JSON whose objects keep the order of their fields (`serde_json::Value` sorts them), so that one
/// comparison is about values and order alike.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ordered {
    Null,
    Bool(bool),
    Number(u64),
    String(String),
    Array(Vec<Ordered>),
    Object(Vec<(String, Ordered)>),
}

impl Ordered {
    pub(crate) fn parse(text: &str) -> serde_json::Result<Ordered> {
        serde_json::from_str(text)
    }

    pub(crate) fn field(&self, key: &str) -> Option<&Ordered> {
        match self {
            Ordered::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Ordered::String(string) => Some(string),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Ordered]> {
        match self {
            Ordered::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The same JSON as the type that knows no order.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        match self {
            Ordered::Null => serde_json::Value::Null,
            Ordered::Bool(value) => (*value).into(),
            Ordered::Number(value) => (*value).into(),
            Ordered::String(value) => value.as_str().into(),
            Ordered::Array(elements) => elements.iter().map(Ordered::to_value).collect(),
            Ordered::Object(fields) => {
                fields.iter().map(|(key, value)| (key.clone(), value.to_value())).collect()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered, D::Error> {
        deserializer.deserialize_any(OrderedVisitor)
    }
}

struct OrderedVisitor;

impl<'de> Visitor<'de> for OrderedVisitor {
    type Value = Ordered;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON whose numbers are offsets")
    }

    fn visit_unit<E: Error>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Number(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Ordered, E> {
        Ok(Ordered::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Ordered, A::Error> {
        let mut collected = Vec::new();
        while let Some(element) = elements.next_element()? {
            collected.push(element);
        }
        Ok(Ordered::Array(collected))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Ordered, A::Error> {
        let mut collected = Vec::new();
        while let Some(field) = fields.next_entry()? {
            collected.push(field);
        }
        Ok(Ordered::Object(collected))
    }
}
