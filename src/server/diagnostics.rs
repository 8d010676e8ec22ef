//! A report as LSP diagnostics.

use ropey::Rope;
use serde_json::json;
use tower_lsp::lsp_types as lsp;

use super::{
    analysis::{Analysis, Candidate},
    capabilities::ClientCapabilities,
    documents::Snapshot,
    position,
    settings::{Settings, Severity},
};
use crate::{
    defect::{Defect, RelatedPlace},
    problem::{self, Problem},
    repair::{Edit, Origin, Rule, is_blank_text},
};

/// The `source` of every diagnostic of ours.
pub const SOURCE: &str = "json-repair";

/// So many closers are enough to show what closing inserts.
pub const SHOWN_CLOSERS: usize = 64;

/// The diagnostics of a document: for each candidate `json_error` and closing
/// first, then the edits in order; at most `diagnostics.max`, of which the last
/// says how many are not shown. Where that is 1 it is the first problem, which
/// says so itself: a number by itself helps nobody.
///
/// Linear in what is shown, and in the number of the report's segments.
pub fn diagnostics(
    snapshot: &Snapshot,
    settings: &Settings,
    client: ClientCapabilities,
) -> Vec<lsp::Diagnostic> {
    if !settings.diagnostics_enable || !is_reported(snapshot) {
        return Vec::new();
    }
    let analysis = snapshot.analysis();
    if let Analysis::Cancelled = analysis {
        return vec![not_read()];
    }
    let total = analysis.invalid_count() + analysis.edit_count();
    let max = settings.diagnostics_max;
    let shown = if total > max { (max - 1).max(1) } else { total };

    // One more than is shown tells where the first is that is not.
    let mut diagnostics = Vec::new();
    for candidate in snapshot.candidates() {
        let room = shown + usize::from(shown < total) - diagnostics.len();
        let closing = candidate.report.closing_edit_for(SHOWN_CLOSERS);
        let edits = closing.into_iter().chain(candidate.report.deletions());
        let edits = edits.map(|edit| of_edit(snapshot, &candidate, &edit, settings, client));
        diagnostics.extend(
            of_json_error(snapshot, &candidate, settings, client).into_iter().chain(edits).take(room),
        );
        if diagnostics.len() > shown {
            break;
        }
    }
    if let Some(first_hidden) = diagnostics.get(shown) {
        let message = match total - shown {
            1 => "1 more problem is not shown (jsonRepair.diagnostics.max)".to_owned(),
            hidden => format!("{hidden} more problems are not shown (jsonRepair.diagnostics.max)"),
        };
        if shown < max {
            let start = first_hidden.range.start;
            diagnostics[shown] = lsp::Diagnostic {
                range: lsp::Range::new(start, start),
                severity: Some(lsp::DiagnosticSeverity::INFORMATION),
                source: Some(SOURCE.to_owned()),
                message,
                ..lsp::Diagnostic::default()
            };
        } else {
            diagnostics.truncate(shown);
            diagnostics.iter_mut().for_each(|only| only.message = format!("{}; {message}", only.message));
        }
    }
    diagnostics
}

/// What there is to say where nobody knows whether all is well.
fn not_read() -> lsp::Diagnostic {
    lsp::Diagnostic {
        severity: Some(lsp::DiagnosticSeverity::INFORMATION),
        code: Some(lsp::NumberOrString::String("not_read".to_owned())),
        source: Some(SOURCE.to_owned()),
        message: "not checked: reading the document was cancelled (its next change is read)".to_owned(),
        ..lsp::Diagnostic::default()
    }
}

/// Whether the document is one that we report on, and there is anything in it.
pub fn is_reported(snapshot: &Snapshot) -> bool {
    snapshot.dialect.is_ours() && !snapshot.rope().chunks().all(is_blank_text)
}

/// The diagnostic of `edit`, one of the candidate's report.
pub fn of_edit(
    snapshot: &Snapshot,
    candidate: &Candidate<'_>,
    edit: &Edit,
    settings: &Settings,
    client: ClientCapabilities,
) -> lsp::Diagnostic {
    let mut problem = problem::of_edit(&candidate.text, &candidate.report, edit);
    if let Some(doubt) = edit.doubt {
        problem.message = format!("{} (doubtful: {doubt})", problem.message);
    }
    let is_unnecessary = edit.rule != Rule::CloseTruncated;
    lsp::Diagnostic {
        severity: Some(severity(settings.diagnostics_severity)),
        tags: is_unnecessary.then(|| vec![lsp::DiagnosticTag::UNNECESSARY]),
        ..diagnostic(snapshot, candidate, problem, settings, client)
    }
}

/// The diagnostic of the error that the edits of a candidate leave.
fn of_json_error(
    snapshot: &Snapshot,
    candidate: &Candidate<'_>,
    settings: &Settings,
    client: ClientCapabilities,
) -> Option<lsp::Diagnostic> {
    let problem = problem::of_json_error(&candidate.text, &candidate.report)?;
    let data = json!({ "code": problem.code, "offset": json_error_offset(snapshot.rope(), candidate)? });
    Some(lsp::Diagnostic {
        severity: Some(lsp::DiagnosticSeverity::ERROR),
        data: Some(data),
        ..diagnostic(snapshot, candidate, problem, settings, client)
    })
}

/// Where the error stands in the candidate's result, in UTF-16 code units.
fn json_error_offset(rope: &Rope, candidate: &Candidate<'_>) -> Option<usize> {
    let report = &candidate.report;
    let bytes = report.json_error()?.offset;
    let (source, is_inserted) = match report.json_error_origin()? {
        Origin::Source(offset) => (offset, false),
        Origin::Inserted(offset) => (offset, true),
    };
    let units = position::utf16_len(rope, candidate.in_document(0..source));
    let deleted = report.deleted_before(source);
    // What closing inserts is ASCII.
    let inserted_before = if is_inserted { bytes - (source - deleted.bytes) } else { 0 };
    Some(units - deleted.utf16 + inserted_before)
}

fn diagnostic(
    snapshot: &Snapshot,
    candidate: &Candidate<'_>,
    problem: Problem,
    settings: &Settings,
    client: ClientCapabilities,
) -> lsp::Diagnostic {
    let range_of = |range| position::range_of(snapshot.rope(), candidate.in_document(range));
    let related = problem.related.into_iter().filter(|_| client.related_information);
    let related: Vec<_> = related
        .map(|RelatedPlace { range, message }| lsp::DiagnosticRelatedInformation {
            location: lsp::Location { uri: snapshot.uri.clone(), range: range_of(range) },
            message,
        })
        .collect();
    lsp::Diagnostic {
        range: range_of(problem.range),
        code: Some(lsp::NumberOrString::String(problem.code.to_owned())),
        code_description: problem
            .defect
            .filter(|_| client.code_descriptions)
            .and_then(|defect| code_description(settings, defect)),
        source: Some(SOURCE.to_owned()),
        message: problem.message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp::Diagnostic::default()
    }
}

/// The section on `defect` of the page that explains them, where that is known.
fn code_description(settings: &Settings, defect: Defect) -> Option<lsp::CodeDescription> {
    let mut href = settings.diagnostics_documentation.clone()?;
    href.set_fragment(Some(defect.name()));
    Some(lsp::CodeDescription { href })
}

fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
        Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}
