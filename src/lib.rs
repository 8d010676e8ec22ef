//! json-repair-lsp
pub mod contract;
pub mod policy;
pub mod problem;
pub mod repair;
pub(crate) mod surrogate;
pub mod server;
