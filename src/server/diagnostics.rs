//! A report as LSP diagnostics.

use std::ops::Range;

use serde_json::json;
use tower_lsp::lsp_types as lsp;

use super::{
    documents::{Report, Snapshot},
    position,
    settings::{Settings, Severity},
};
use crate::{
    contract::ResponseError,
    problem::{self, Problem, RelatedPlace},
    repair::{Rule, is_blank_text},
};

/// The `source` of every diagnostic of ours.
pub const SOURCE: &str = "json-repair";

/// The diagnostics of a document: `json_error` and closing first, then the
/// edits in order; at most `diagnostics.max`, of which the last says how many
/// are not shown.
pub fn diagnostics(snapshot: &Snapshot, settings: &Settings) -> Vec<lsp::Diagnostic> {
    if !settings.diagnostics_enable || !is_reported(snapshot) {
        return Vec::new();
    }
    let report = snapshot.report();
    let edits = &report.repair.edits;
    let closing = closing_index(report);
    let others = closing.unwrap_or(edits.len());
    let total = usize::from(report.repair.json_error.is_some()) + edits.len();
    let shown = if total > settings.diagnostics_max { settings.diagnostics_max - 1 } else { total };

    let mut diagnostics: Vec<lsp::Diagnostic> = of_json_error(snapshot)
        .into_iter()
        .chain(closing.into_iter().chain(0..others).map(|index| of_edit(snapshot, index, settings)))
        .take(shown)
        .collect();
    if total > shown {
        let first_hidden = others - (total - shown).min(others);
        let place = edits.get(first_hidden).map_or(0..0, |edit| edit.range.clone());
        diagnostics.push(lsp::Diagnostic {
            range: position::range_of(&snapshot.rope, place),
            severity: Some(lsp::DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.to_owned()),
            message: format!("{} more problems are not shown (jsonRepair.diagnostics.max)", total - shown),
            ..lsp::Diagnostic::default()
        });
    }
    diagnostics
}

/// Whether the document is one that we report on, and there is anything in it.
pub fn is_reported(snapshot: &Snapshot) -> bool {
    snapshot.dialect.is_one_text() && !snapshot.rope.chunks().all(is_blank_text)
}

/// The edit that closes the text, which is the last if there is one.
pub fn closing_index(report: &Report) -> Option<usize> {
    let last = report.repair.edits.len().checked_sub(1)?;
    (report.repair.edits[last].rule == Rule::CloseTruncated).then_some(last)
}

/// The diagnostic of the edit at `index`.
pub fn of_edit(snapshot: &Snapshot, index: usize, settings: &Settings) -> lsp::Diagnostic {
    let Report { candidate, repair } = snapshot.report();
    let problem = problem::of_edit(candidate, repair, index);
    let is_unnecessary = repair.edits[index].rule != Rule::CloseTruncated;
    lsp::Diagnostic {
        severity: Some(severity(settings.diagnostics_severity)),
        tags: is_unnecessary.then(|| vec![lsp::DiagnosticTag::UNNECESSARY]),
        ..diagnostic(snapshot, problem)
    }
}

/// The diagnostic of the error that the edits leave.
pub fn of_json_error(snapshot: &Snapshot) -> Option<lsp::Diagnostic> {
    let Report { candidate, repair } = snapshot.report();
    let problem = problem::of_json_error(candidate, repair)?;
    let error = ResponseError::new(candidate, repair)?;
    Some(lsp::Diagnostic {
        severity: Some(lsp::DiagnosticSeverity::ERROR),
        data: Some(json!({ "code": error.code, "offset": error.offset })),
        ..diagnostic(snapshot, problem)
    })
}

/// The bytes at which the diagnostics of this snapshot's error are seen.
pub fn json_error_range(report: &Report) -> Option<Range<usize>> {
    problem::of_json_error(&report.candidate, &report.repair).map(|problem| problem.range)
}

fn diagnostic(snapshot: &Snapshot, problem: Problem) -> lsp::Diagnostic {
    let related = problem.related.into_iter().map(|place| related_information(snapshot, place));
    let related: Vec<_> = related.collect();
    lsp::Diagnostic {
        range: position::range_of(&snapshot.rope, problem.range),
        code: Some(lsp::NumberOrString::String(problem.code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: problem.message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp::Diagnostic::default()
    }
}

fn related_information(snapshot: &Snapshot, place: RelatedPlace) -> lsp::DiagnosticRelatedInformation {
    lsp::DiagnosticRelatedInformation {
        location: lsp::Location {
            uri: snapshot.uri.clone(),
            range: position::range_of(&snapshot.rope, place.range),
        },
        message: place.message,
    }
}

fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
        Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}
