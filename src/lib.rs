//! json-repair-lsp
pub mod contract;
pub mod repair;
pub(crate) mod surrogate;
