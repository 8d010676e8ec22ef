//! What is shown in a text without being asked for: the inlay hint with what
//! would close it, and the code lens that offers its repair.

use ropey::Rope;
use serde_json::json;
use tower_lsp::lsp_types as lsp;

use super::{actions, commands, diagnostics, documents::Snapshot, position};
use crate::{
    problem,
    repair::{Doubt, Edit, Report, Rule, Text},
};

/// So many closers are enough to show what closing inserts.
pub const SHOWN_CLOSERS: usize = 64;
/// The most characters of an inlay hint.
const LONGEST_LABEL: usize = 16;

/// The inlay hint at the end of a cut text, if that is in `range`: what would
/// close it.
///
/// Accepting it makes the quick fix that closes, unless that is doubtful or
/// longer than anybody sees.
pub fn inlay_hint(snapshot: &Snapshot, range: lsp::Range) -> Option<lsp::InlayHint> {
    if !diagnostics::is_reported(snapshot) {
        return None;
    }
    let (text, report) = (snapshot.rope(), snapshot.report());
    let closing = report.closing_edit_for(SHOWN_CLOSERS)?;
    let range = position::bytes_of(text, range);
    let end = closing.range.start;
    if !(range.start..=range.end).contains(&end) {
        return None;
    }
    let closers = closing.inserted.trim_start();
    let label = match closers.char_indices().nth(LONGEST_LABEL) {
        Some((longest, _)) => format!("{}…", &closers[..longest]),
        None => closers.to_owned(),
    };
    let mut tooltip = problem::of_edit(text, report, &closing).message;
    let is_whole = report.open_brackets().nth(SHOWN_CLOSERS).is_none();
    let fix = closing_fix(text, report, closing);
    let doubt = fix.iter().find_map(|edit| edit.doubt);
    if let Some(doubt) = doubt {
        tooltip = format!("{tooltip} (doubtful: {doubt})");
    }
    let text_edits = (is_whole && doubt.is_none()).then(|| actions::text_edits(snapshot, fix));
    Some(lsp::InlayHint {
        position: position::position_of(text, end),
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
    let title = actions::repair_title(snapshot.report())?;
    let arguments = vec![json!({ "uri": snapshot.uri })];
    let command = lsp::Command::new(title, commands::APPLY.to_owned(), Some(arguments));
    Some(lsp::CodeLens { range: lsp::Range::default(), command: Some(command), data: None })
}

/// Whether the byte `at` touches closing: at its diagnostic, and from the end
/// of the text on, be it behind the final line endings.
pub fn is_closing_touched(text: &Rope, report: &Report, at: usize) -> bool {
    if at >= report.candidate_len() {
        return true;
    }
    // What is behind that is blanks and comments.
    let end = report.significant_end();
    at <= end && {
        let last = problem::last_token(text, report);
        (last.start..=last.end).contains(&at)
    }
}

/// The edit that closes, as far as it is shown.
pub fn shown_closing(report: &Report) -> Option<Edit> {
    let mut closing = report.closing_edit_for(SHOWN_CLOSERS)?;
    if report.open_brackets().nth(SHOWN_CLOSERS).is_some() {
        closing.inserted.push('…');
    }
    Some(closing)
}

/// `closing` and what goes with it, in order: the dangling comma, which would
/// come before the closers, and the comment that would swallow them.
pub fn closing_fix(text: &Rope, report: &Report, closing: Edit) -> Vec<Edit> {
    let end = report.significant_end();
    let comma = report
        .deletions_touching(end..end)
        .find(|edit| edit.rule == Rule::RemoveTrailingCommas && edit.range.end == end);
    let swallows = |edit: &Edit| {
        edit.rule == Rule::RemoveComments
            && edit.range.end == report.candidate_len()
            && (edit.doubt == Some(Doubt::UnterminatedComment)
                || text.string_of(edit.range.start..edit.range.start + 2) == "//")
    };
    let comment = report.deletions_from_end().next().filter(swallows);
    comma.into_iter().chain(comment).chain([closing]).collect()
}
