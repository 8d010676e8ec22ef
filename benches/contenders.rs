//! Who reads the documents: our full pass, and what others do that comes nearest to it.
//!
//! None of the others does the same. They say whether a text is JSON, the first error at most, and
//! some are laxer than RFC 8259 (sonic-rs lets a bad `\u` escape pass), some stricter (simd-json
//! refuses 1e400). We find every edit, every open bracket, and the first error of what the edits leave.

use std::hint::black_box;

use documents::Flavour;
use json_repair_lsp::repair::{Policy, Report, RuleSet, repair};
use ropey::Rope;
use serde::de::IgnoredAny;
use simd_json::Buffers;

/// One of them.
pub struct Contender {
    pub name: &'static str,
    pub read: Read,
}

/// How it reads a text. Each says whether it got to the end.
pub enum Read {
    Text(fn(&str) -> bool),
    /// From the text of an open document in the server.
    Rope(fn(&Rope) -> bool),
    /// It changes the text, hence gets a copy, which is not in its time.
    InPlace(fn(&mut [u8]) -> bool),
}

/// What the others are compared with.
pub const BASELINE: &str = "serde_json";

pub const CONTENDERS: [Contender; 8] = [
    Contender { name: BASELINE, read: Read::Text(serde_json) },
    Contender { name: "ours", read: Read::Text(ours) },
    Contender { name: "ours, rope", read: Read::Rope(ours_rope) },
    Contender { name: "ours, every edit", read: Read::Text(ours_every_edit) },
    Contender { name: "sonic-rs", read: Read::Text(sonic_rs) },
    Contender { name: "simd-json", read: Read::InPlace(simd_json) },
    Contender { name: "jiter", read: Read::Text(jiter) },
    Contender { name: "strip + serde_json", read: Read::InPlace(strip_and_serde_json) },
];

/// A text in every form in which somebody reads it.
pub struct Input {
    pub text: String,
    rope: Rope,
    copy: Vec<u8>,
}

impl Input {
    pub fn new(text: String) -> Input {
        Input { rope: Rope::from_str(&text), copy: text.clone().into_bytes(), text }
    }

    /// Makes everything ready for the next reading.
    pub fn reset(&mut self) {
        self.copy.copy_from_slice(self.text.as_bytes());
    }
}

impl Contender {
    /// Whether it may be given a document of this kind: sonic-rs recurses, and overflows the stack.
    pub fn survives(&self, flavour: Flavour) -> bool {
        self.name != "sonic-rs" || flavour != Flavour::Deep
    }

    pub fn run(&self, input: &mut Input) -> bool {
        match self.read {
            Read::Text(read) => read(black_box(&input.text)),
            Read::Rope(read) => read(black_box(&input.rope)),
            Read::InPlace(read) => read(black_box(&mut input.copy)),
        }
    }
}

/// The report, in segments of 32 KiB: what the server makes of a document that is opened.
fn ours(text: &str) -> bool {
    black_box(Report::new(text, Policy::fix(RuleSet::ALL)));
    true
}

fn ours_rope(rope: &Rope) -> bool {
    black_box(Report::new(rope, Policy::fix(RuleSet::ALL)));
    true
}

/// The report, and a list of all edits.
fn ours_every_edit(text: &str) -> bool {
    black_box(repair(text, RuleSet::ALL));
    true
}

fn serde_json(text: &str) -> bool {
    reaches_the_end(serde_json::from_str::<IgnoredAny>(text))
}

/// Whether the text was read to its end, be it one that is cut off.
fn reaches_the_end(result: serde_json::Result<IgnoredAny>) -> bool {
    result.map_or_else(|error| error.is_eof(), |_| true)
}

fn sonic_rs(text: &str) -> bool {
    sonic_rs::from_str::<sonic_rs::LazyValue<'_>>(text).is_ok()
}

fn simd_json(text: &mut [u8]) -> bool {
    simd_json::to_tape_with_buffers(text, &mut Buffers::new(text.len())).is_ok()
}

fn jiter(text: &str) -> bool {
    let mut jiter = jiter::Jiter::new(text.as_bytes());
    jiter.next_skip().is_ok() && jiter.finish().is_ok()
}

/// The usual way to read JSON with comments.
fn strip_and_serde_json(text: &mut [u8]) -> bool {
    json_strip_comments::strip_slice(text).is_ok() && reaches_the_end(serde_json::from_slice(text))
}
