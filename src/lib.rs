//! json-repair-lsp
