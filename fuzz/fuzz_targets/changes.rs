#![no_main]
#![allow(dead_code, unused_imports, clippy::expect_used, reason = "the checks are the tests' own, and a target uses one of them")]

#[path = "../../tests/fuzz/checks.rs"]
mod checks;
#[path = "../../tests/client/document.rs"]
mod document;
#[path = "../../tests/naive/mod.rs"]
mod naive;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check_changes(bytes));
