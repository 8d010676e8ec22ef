//! The command line, driven as a shell drives it: the real binary, files in a
//! directory of their own, pipes.

#![expect(clippy::expect_used, reason = "a panic of a test is its answer")]

mod arguments;
mod command;
mod diff;
mod execute;
mod files;
mod json;
mod lines;
mod pipes;
mod report;
mod write;
