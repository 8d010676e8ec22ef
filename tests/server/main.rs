//! The real binary, driven over pipes by a client of the tests' own.
//!
//! One test binary, so that it is linked once; one module a matter. Each test
//! reads like a transcript: what the client sends, and what must come back.
//! Positions are written `line:character`, ranges `0:2-0:3`.

#![expect(unreachable_pub, reason = "the client is laid out as a library of its own")]
#![expect(clippy::expect_used, reason = "a test's panic is its answer")]

#[path = "../client/mod.rs"]
mod client;
#[path = "../naive/mod.rs"]
mod naive;

mod actions;
mod behaviours;
mod candidate;
mod commands;
mod contract;
mod diagnostics;
mod fix_all;
mod formatting;
mod framing;
mod hints;
mod hostile;
mod lifecycle;
mod lines;
mod long_updates;
mod order;
mod policies;
#[cfg(debug_assertions)]
mod progress;
mod random_edits;
mod save;
mod settings;
mod structure;
mod synchronization;
mod trust;
