//! json-repair-lsp
pub mod contract;
pub mod policy;
pub mod problem;
pub mod repair;
pub mod server;
pub(crate) mod surrogate;
