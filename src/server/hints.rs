//! What is shown in a text without being asked for: the inlay hint with what
//! would close it, and the code lens that offers its repair.

use serde_json::json;
use tower_lsp::lsp_types as lsp;

use super::{
    actions,
    analysis::Candidate,
    commands,
    diagnostics::{self, SHOWN_CLOSERS},
    documents::Snapshot,
    position,
};
use crate::problem;

/// The most characters of an inlay hint.
const LONGEST_LABEL: usize = 16;
/// No more candidates than this are looked at for one request.
const MOST_CANDIDATES: usize = 1000;

/// The inlay hints in `range`: at the end of each candidate that is cut, what
/// would close it.
pub fn inlay_hints(snapshot: &Snapshot, range: lsp::Range) -> Vec<lsp::InlayHint> {
    if !diagnostics::is_reported(snapshot) {
        return Vec::new();
    }
    let range = position::bytes_of(snapshot.rope(), range);
    let candidates = snapshot.candidates_touching(range.clone()).take(MOST_CANDIDATES);
    let hints = candidates.filter_map(|candidate| {
        let end = candidate.start + candidate.report.candidate_len();
        if (range.start..=range.end).contains(&end) { inlay_hint(snapshot, &candidate) } else { None }
    });
    hints.collect()
}

/// The inlay hint at the end of a candidate that is cut.
///
/// Accepting it makes the quick fix that closes, unless that is doubtful or
/// longer than anybody sees.
fn inlay_hint(snapshot: &Snapshot, candidate: &Candidate<'_>) -> Option<lsp::InlayHint> {
    let closing = candidate.report.closing_edit_for(SHOWN_CLOSERS)?;
    let end = candidate.start + closing.range.start;
    let closers = closing.inserted.trim_start();
    let label = match closers.char_indices().nth(LONGEST_LABEL) {
        Some((longest, _)) => format!("{}…", &closers[..longest]),
        None => closers.to_owned(),
    };
    let mut tooltip = problem::of_edit(&candidate.text, &candidate.report, &closing).message;
    let is_seen = candidate.report.open_brackets().nth(SHOWN_CLOSERS).is_none();
    let edits = actions::closing_with_company(candidate, closing);
    let doubt = edits.iter().find_map(|edit| edit.doubt);
    if let Some(doubt) = doubt {
        tooltip = format!("{tooltip} (doubtful: {doubt})");
    }
    let text_edits = (is_seen && doubt.is_none()).then(|| {
        actions::text_edits(snapshot, edits.into_iter().map(|edit| candidate.edit_in_document(edit)))
    });
    Some(lsp::InlayHint {
        position: position::position_of(snapshot.rope(), end),
        label: lsp::InlayHintLabel::String(label),
        kind: None,
        text_edits,
        tooltip: Some(lsp::InlayHintTooltip::String(tooltip)),
        padding_left: None,
        padding_right: None,
        data: None,
    })
}

/// The code lens on the first line: the repair, if there is anything to repair.
pub fn code_lens(snapshot: &Snapshot) -> Option<lsp::CodeLens> {
    if !diagnostics::is_reported(snapshot) {
        return None;
    }
    let title = actions::repair_title(snapshot.analysis())?;
    let arguments = vec![json!({ "uri": snapshot.uri })];
    let command = lsp::Command::new(title, commands::APPLY.to_owned(), Some(arguments));
    Some(lsp::CodeLens { range: lsp::Range::default(), command: Some(command), data: None })
}
