//! The answers to `textDocument/diagnostic`: diagnostics for a client that asks
//! for them, instead of having them published.

use tower_lsp::lsp_types as lsp;

use super::documents::Snapshot;

/// What tells the diagnostics of a document from those of its other versions,
/// of its other openings, and by other settings.
pub fn result_id(snapshot: &Snapshot, settings_round: u64) -> String {
    let Snapshot { opening, version, .. } = snapshot;
    format!("{opening}.{version}.{settings_round}")
}

/// The client has them already.
pub fn unchanged(result_id: String) -> lsp::DocumentDiagnosticReportResult {
    let report = lsp::RelatedUnchangedDocumentDiagnosticReport {
        related_documents: None,
        unchanged_document_diagnostic_report: lsp::UnchangedDocumentDiagnosticReport { result_id },
    };
    lsp::DocumentDiagnosticReport::from(report).into()
}

/// All of them.
pub fn full(result_id: Option<String>, items: Vec<lsp::Diagnostic>) -> lsp::DocumentDiagnosticReportResult {
    let report = lsp::RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport { result_id, items },
    };
    lsp::DocumentDiagnosticReport::from(report).into()
}
