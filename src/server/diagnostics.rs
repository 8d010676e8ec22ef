//! A report as LSP diagnostics.

use serde_json::json;
use tower_lsp::lsp_types as lsp;

use super::{
    capabilities::ClientCapabilities,
    documents::Snapshot,
    position,
    settings::{Settings, Severity},
};
use crate::{
    defect::Defect,
    problem::{self, Problem, RelatedPlace},
    repair::{Edit, Origin, Rule, is_blank_text},
};

/// The `source` of every diagnostic of ours.
pub const SOURCE: &str = "json-repair";

/// Where the repository can be read; empty if nobody has said. The page that
/// explains the defects is linked where there is such a place.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// So many closers are enough to show what closing inserts.
const SHOWN_CLOSERS: usize = 64;

/// The diagnostics of a document: `json_error` and closing first, then the
/// edits in order; at most `diagnostics.max`, of which the last says how many
/// are not shown.
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
    let report = snapshot.report();
    let total = usize::from(!report.is_valid()) + report.edit_count();
    let shown = if total > settings.diagnostics_max { settings.diagnostics_max - 1 } else { total };

    let mut deletions = report.deletions();
    let closing = report.closing_edit_for(SHOWN_CLOSERS);
    let mut diagnostics: Vec<lsp::Diagnostic> = of_json_error(snapshot, client)
        .into_iter()
        .chain(closing.iter().map(|closing| of_edit(snapshot, closing, settings, client)))
        .take(shown)
        .collect();
    let room = shown - diagnostics.len();
    diagnostics.extend(deletions.by_ref().take(room).map(|edit| of_edit(snapshot, &edit, settings, client)));
    if total > shown {
        let first_hidden = deletions.next().map_or(0..0, |edit| edit.range);
        diagnostics.push(lsp::Diagnostic {
            range: position::range_of(snapshot.rope(), first_hidden),
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
    snapshot.dialect.is_one_text() && !snapshot.rope().chunks().all(is_blank_text)
}

/// The diagnostic of `edit`, one of the snapshot's report.
pub fn of_edit(
    snapshot: &Snapshot,
    edit: &Edit,
    settings: &Settings,
    client: ClientCapabilities,
) -> lsp::Diagnostic {
    let mut problem = problem::of_edit(snapshot.rope(), snapshot.report(), edit);
    if let Some(doubt) = edit.doubt {
        problem.message = format!("{} (doubtful: {doubt})", problem.message);
    }
    let is_unnecessary = edit.rule != Rule::CloseTruncated;
    lsp::Diagnostic {
        severity: Some(severity(settings.diagnostics_severity)),
        tags: is_unnecessary.then(|| vec![lsp::DiagnosticTag::UNNECESSARY]),
        ..diagnostic(snapshot, problem, client)
    }
}

/// The diagnostic of the error that the edits leave.
fn of_json_error(snapshot: &Snapshot, client: ClientCapabilities) -> Option<lsp::Diagnostic> {
    let report = snapshot.report();
    let problem = problem::of_json_error(snapshot.rope(), report)?;
    let data = json!({ "code": problem.code, "offset": json_error_offset(snapshot)? });
    Some(lsp::Diagnostic {
        severity: Some(lsp::DiagnosticSeverity::ERROR),
        data: Some(data),
        ..diagnostic(snapshot, problem, client)
    })
}

/// Where the error stands in the result, in UTF-16 code units.
fn json_error_offset(snapshot: &Snapshot) -> Option<usize> {
    let rope = snapshot.rope();
    let report = snapshot.report();
    let bytes = report.json_error()?.offset;
    let (source, is_inserted) = match report.json_error_origin()? {
        Origin::Source(offset) => (offset, false),
        Origin::Inserted(offset) => (offset, true),
    };
    let units = position::utf16_len(rope, 0..source);
    if units == source {
        // All ASCII up to there.
        return Some(bytes);
    }
    let deletions = || report.deletions().take_while(|edit| edit.range.start < source);
    let deleted_units: usize = deletions().map(|edit| position::utf16_len(rope, edit.range)).sum();
    let deleted_bytes: usize = deletions().map(|edit| edit.range.len()).sum();
    // What closing inserts is ASCII.
    let inserted_before = if is_inserted { bytes - (source - deleted_bytes) } else { 0 };
    Some(units - deleted_units + inserted_before)
}

fn diagnostic(snapshot: &Snapshot, problem: Problem, client: ClientCapabilities) -> lsp::Diagnostic {
    let related = problem.related.into_iter().filter(|_| client.related_information);
    let related: Vec<_> = related.map(|place| related_information(snapshot, place)).collect();
    lsp::Diagnostic {
        range: position::range_of(snapshot.rope(), problem.range),
        code: Some(lsp::NumberOrString::String(problem.code.to_owned())),
        code_description: problem.defect.and_then(|defect| code_description(REPOSITORY, defect)),
        source: Some(SOURCE.to_owned()),
        message: problem.message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp::Diagnostic::default()
    }
}

/// The page's section on `defect`, in the repository at a URL.
fn code_description(repository: &str, defect: Defect) -> Option<lsp::CodeDescription> {
    if repository.is_empty() {
        return None;
    }
    let repository = repository.trim_end_matches('/').trim_end_matches(".git");
    let href = format!("{repository}/blob/HEAD/editors/defects.md#{}", defect.name());
    Some(lsp::CodeDescription { href: lsp::Url::parse(&href).ok()? })
}

fn related_information(snapshot: &Snapshot, place: RelatedPlace) -> lsp::DiagnosticRelatedInformation {
    lsp::DiagnosticRelatedInformation {
        location: lsp::Location {
            uri: snapshot.uri.clone(),
            range: position::range_of(snapshot.rope(), place.range),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_links_to_its_section_where_that_can_be_opened() {
        for (repository, expected) in [
            ("", None),
            ("not a url", None),
            ("https://host.test/a/b", Some("https://host.test/a/b/blob/HEAD/editors/defects.md#prose")),
            ("https://host.test/a/b.git", Some("https://host.test/a/b/blob/HEAD/editors/defects.md#prose")),
        ] {
            let found = code_description(repository, Defect::Prose);
            let href = found.as_ref().map(|description| description.href.as_str());
            assert_eq!(href, expected, "{repository}");
        }
    }
}
