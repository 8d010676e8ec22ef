//! Repairs JSON conservatively, and shows every edit.
//!
//! # Overview
//!
//! People paste a model's cut-off answer, a config with comments or a list with
//! a trailing comma into a `.json` file, and it does not parse. This crate
//! knows three rules for that, those of the tool contract
//! `json-candidate-repair` 1.0.0: it removes comments, closes what the text's
//! end left open, and removes trailing commas. It says what it would change,
//! edit by edit, checks the result strictly by RFC 8259, and **never invents a
//! value**: a text that is still not JSON is left so, with the place where it
//! goes wrong.
//!
//! # Example: repairing a text
//!
//! ```
//! use json_repair_lsp::repair::{Rule, RuleSet, repair};
//!
//! let answer = r#"{"name": "Ada", "tags": ["first",], // cut here
//!   "born": 18"#;
//! let repair = repair(answer, RuleSet::ALL);
//!
//! let rules: Vec<Rule> = repair.edits.iter().map(|edit| edit.rule).collect();
//! assert_eq!(vec![Rule::RemoveTrailingCommas, Rule::RemoveComments, Rule::CloseTruncated], rules);
//! assert_eq!("{\"name\": \"Ada\", \"tags\": [\"first\"], \n  \"born\": 18}", repair.edits.apply(answer));
//! assert!(repair.is_valid());
//! ```
//!
//! # Architecture
//!
//! A text goes through these, from the inside out:
//!
//! - [`repair`] is the engine. Two automata run over the text in one pass: one
//!   knows strings, comments, brackets and commas and finds the edits, the
//!   other reads RFC 8259 in what the edits leave and finds the first error. A
//!   [`repair::Report`] keeps what they found in segments, so that a change
//!   costs what it touches; [`repair::Lines`] do so for JSON Lines.
//! - [`contract`] is the engine as the contract's JSON: request, response,
//!   limits.
//! - [`policy`] says which dialect a document is in, hence what each rule means
//!   for it: *fix*, *allow*, *off*.
//! - [`layout`] says which white space belongs between the tokens of a valid
//!   text.
//! - [`defect`] names what is behind an error: single quotes, a lost comma, a
//!   fence around the JSON.
//! - [`structure`] says what stands in what, on broken text too: what can be
//!   folded, what is around a place, the outline.
//! - [`problem`] says in words what a person is told about an edit or an error.
//! - [`server`] brings all of it to editors, and [`cli`] to the shell.
//!
//! What holds everywhere:
//!
//! - **The engine is pure and total**: no I/O, no LSP, no recursion, no unsafe
//!   code, an answer for every `str`, in linear time.
//! - **The engine speaks bytes.** Offsets in UTF-16 code units are known to
//!   [`contract`] and to [`server::position`], and to nothing else. The engine
//!   counts how many units the text that it deletes has
//!   ([`repair::Extent`]), because it alone has that text at hand, and makes no
//!   use of the number.
//! - **Text is never changed, edits are described.** Whoever holds the text
//!   applies them: an editor, a file's writer. They are minimal: never a whole
//!   document.
//! - **Nothing that runs unasked does half a job** ([`repair::Repair::unasked`]).
//! - **No network, no other process, no file but those named on the command
//!   line** and temporary ones.

pub mod cli;
pub mod contract;
pub mod defect;
pub mod layout;
pub mod policy;
pub mod problem;
pub mod repair;
pub mod server;
pub mod structure;
pub(crate) mod surrogate;
pub(crate) mod wording;
