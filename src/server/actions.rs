//! A report as LSP code actions and text edits.
//!
//! **Everything here is computed from the server's own report of the current
//! text**, never from the diagnostics that a client echoes.

use std::{collections::HashMap, ops::Range};

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types as lsp;

use super::{
    analysis::{Analysis, Candidate},
    capabilities::ClientCapabilities,
    diagnostics,
    documents::Snapshot,
    position::{self, Positions},
    settings::Settings,
};
use crate::{
    problem,
    repair::{Doubt, Edit, Report, Rule, Text},
    wording::quoted,
};

/// Our own kind of `source.fixAll`.
pub const FIX_ALL_KIND: &str = "source.fixAll.jsonRepair";
/// The kind of "Convert to strict JSON".
const CONVERT_KIND: &str = "refactor.rewrite";

/// An action of more text edits than this is sent without them to a client
/// that can ask for them when it is chosen.
const MOST_EDITS_UNASKED: usize = 200;

/// A document of more bytes than this is not converted to strict JSON only to
/// see whether that would change anything, if the client can ask for the edits.
const LONGEST_CONVERTED_UNASKED: usize = 32 * 1024;

/// At most this many edits under a selection get a quick fix of their own;
/// "Repair JSON" takes them all.
const MOST_SINGLE_FIXES: usize = 100;

/// The kinds of code actions that the server offers.
pub fn kinds() -> Vec<lsp::CodeActionKind> {
    vec![
        lsp::CodeActionKind::QUICKFIX,
        lsp::CodeActionKind::new(FIX_ALL_KIND),
        lsp::CodeActionKind::new(CONVERT_KIND),
    ]
}

/// An action on the whole document, whose edits can be made when it is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Whole {
    RemoveAllComments,
    RemoveAllTrailingCommas,
    Repair,
    FixAll,
    ConvertToStrict,
}

/// What a client sends back to have an action's edits made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionData {
    /// The document.
    pub uri: lsp::Url,
    /// The version that the action was offered for, and the opening of the
    /// document that it counts from.
    pub version: i32,
    /// See [`Snapshot::opening`].
    pub opening: u64,
    action: Whole,
}

/// The kinds of actions that a client asks for.
pub struct Wanted<'params> {
    only: Option<&'params [lsp::CodeActionKind]>,
    is_automatic: bool,
}

impl<'params> Wanted<'params> {
    /// What the context of a request asks for.
    pub fn new(context: &'params lsp::CodeActionContext) -> Wanted<'params> {
        Wanted {
            only: context.only.as_deref(),
            is_automatic: context.trigger_kind == Some(lsp::CodeActionTriggerKind::AUTOMATIC),
        }
    }

    /// Whether nothing that we have is asked for, which needs no report.
    pub fn is_nothing(&self) -> bool {
        !self.includes("quickfix") && !self.includes(CONVERT_KIND) && !self.asks_for(FIX_ALL_KIND)
    }

    /// Whether `kind` is not left out.
    fn includes(&self, kind: &str) -> bool {
        self.only.is_none() || self.asks_for(kind)
    }

    /// Whether `kind` is asked for, by its name or a prefix of it.
    fn asks_for(&self, kind: &str) -> bool {
        self.only.is_some_and(|only| {
            only.iter().any(|wanted| {
                let rest = kind.strip_prefix(wanted.as_str());
                rest.is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with('.') || wanted.as_str().is_empty()
                })
            })
        })
    }

    /// Whether the client asks by itself, for every fixer's fix-all: people
    /// set that up for other tools, and a comment is not ours to delete then.
    fn is_generic_and_automatic(&self) -> bool {
        let names_ours =
            self.only.is_some_and(|only| only.iter().any(|wanted| wanted.as_str() == FIX_ALL_KIND));
        self.is_automatic && !names_ours
    }
}

/// The code actions for a range of a document.
pub fn code_actions(
    snapshot: &Snapshot,
    range: lsp::Range,
    wanted: &Wanted<'_>,
    settings: &Settings,
    client: ClientCapabilities,
) -> Vec<lsp::CodeAction> {
    if wanted.is_nothing() || !diagnostics::is_reported(snapshot) {
        return Vec::new();
    }
    let analysis = snapshot.analysis();
    let offer = Offer { snapshot, analysis, settings, client };
    let mut actions = Vec::new();
    if wanted.includes("quickfix") {
        offer.quick_fixes(&position::bytes_of(snapshot.rope(), range), &mut actions);
    }
    if wanted.includes(CONVERT_KIND) && analysis.allowed_count() > 0 {
        actions.extend(offer.whole(offer.conversion_title(), CONVERT_KIND, Whole::ConvertToStrict));
    }
    if wanted.asks_for(FIX_ALL_KIND) && Rule::ALL.iter().any(|rule| analysis.certain_count(*rule) > 0) {
        let deletes_comment = analysis.certain_count(Rule::RemoveComments) > 0;
        if !(wanted.is_generic_and_automatic() && deletes_comment) {
            actions.extend(offer.whole("Repair JSON".to_owned(), FIX_ALL_KIND, Whole::FixAll));
        }
    }
    actions
}

/// The edit of an action that was sent without one; `None` if it would be
/// empty. The caller has seen to it that `snapshot` is at the action's version.
pub fn resolve(
    snapshot: &Snapshot,
    data: &ActionData,
    client: ClientCapabilities,
) -> Option<lsp::WorkspaceEdit> {
    let edits = whole_edits(snapshot, data.action);
    (!edits.is_empty()).then(|| workspace_edit(snapshot, edits, client))
}

/// The repair that is made on save, by formatting and by fix-all: the whole
/// one of each candidate, if it ends valid and nothing in it is doubtful;
/// otherwise nothing.
pub fn unasked_repair(snapshot: &Snapshot) -> Vec<lsp::TextEdit> {
    if !diagnostics::is_reported(snapshot) {
        return Vec::new();
    }
    let is_certain = |candidate: &Candidate<'_>| candidate.report.is_certain();
    text_edits(snapshot, all_edits(snapshot.candidates().filter(is_certain)))
}

/// The edits of candidates, in bytes of the document.
pub fn all_edits<'document>(
    candidates: impl Iterator<Item = Candidate<'document>>,
) -> impl Iterator<Item = Edit> {
    edits_of(candidates, |_| true)
}

/// Those of the edits of candidates that are wanted, in bytes of the document.
fn edits_of<'document>(
    candidates: impl Iterator<Item = Candidate<'document>>,
    is_wanted: impl Fn(&Edit) -> bool,
) -> impl Iterator<Item = Edit> {
    candidates.flat_map(move |candidate| {
        let edits = candidate.report.edits().filter(&is_wanted);
        edits.map(|edit| candidate.edit_in_document(edit)).collect::<Vec<_>>()
    })
}

/// Edits as LSP text edits: sorted, disjoint, and one where two touch.
pub fn text_edits(snapshot: &Snapshot, edits: impl IntoIterator<Item = Edit>) -> Vec<lsp::TextEdit> {
    let mut merged: Vec<(Range<usize>, String)> = Vec::new();
    for edit in edits {
        match merged.last_mut() {
            Some((range, inserted)) if range.end == edit.range.start => {
                range.end = edit.range.end;
                inserted.push_str(&edit.inserted);
            }
            _ => merged.push((edit.range, edit.inserted)),
        }
    }
    let mut positions = Positions::new(snapshot.rope());
    let to_text_edit = |(range, new_text)| lsp::TextEdit { range: positions.range_of(range), new_text };
    merged.into_iter().map(to_text_edit).collect()
}

/// Text edits of a document as a workspace edit, with the document's version
/// where the client takes one.
pub fn workspace_edit(
    snapshot: &Snapshot,
    edits: Vec<lsp::TextEdit>,
    client: ClientCapabilities,
) -> lsp::WorkspaceEdit {
    if client.document_changes {
        let document_edit = lsp::TextDocumentEdit {
            text_document: lsp::OptionalVersionedTextDocumentIdentifier {
                uri: snapshot.uri.clone(),
                version: Some(snapshot.version),
            },
            edits: edits.into_iter().map(lsp::OneOf::Left).collect(),
        };
        lsp::WorkspaceEdit {
            document_changes: Some(lsp::DocumentChanges::Edits(vec![document_edit])),
            ..lsp::WorkspaceEdit::default()
        }
    } else {
        lsp::WorkspaceEdit::new(HashMap::from([(snapshot.uri.clone(), edits)]))
    }
}

/// The edits of an action on the whole document.
fn whole_edits(snapshot: &Snapshot, action: Whole) -> Vec<lsp::TextEdit> {
    let of_rule =
        |rule| text_edits(snapshot, edits_of(snapshot.candidates(), move |edit: &Edit| edit.rule == rule));
    match action {
        Whole::RemoveAllComments => of_rule(Rule::RemoveComments),
        Whole::RemoveAllTrailingCommas => of_rule(Rule::RemoveTrailingCommas),
        Whole::Repair => text_edits(snapshot, all_edits(snapshot.candidates())),
        Whole::FixAll => unasked_repair(snapshot),
        Whole::ConvertToStrict => {
            text_edits(snapshot, Report::new(snapshot.rope(), snapshot.policy.strict()).edits())
        }
    }
}

/// What is needed to put together the actions of one request.
struct Offer<'request> {
    snapshot: &'request Snapshot,
    analysis: &'request Analysis,
    settings: &'request Settings,
    client: ClientCapabilities,
}

impl Offer<'_> {
    /// The quick fixes for the bytes `range`: one for each edit that it
    /// touches, and those for many edits if it touches anything of ours.
    fn quick_fixes(&self, range: &Range<usize>, actions: &mut Vec<lsp::CodeAction>) {
        let touched = self.snapshot.candidates_touching(range.clone());
        let touched: Vec<_> = touched.take(MOST_SINGLE_FIXES).collect();
        let mut fixes = Vec::new();
        for candidate in &touched {
            let range = candidate.from_document(range);
            let room = MOST_SINGLE_FIXES.saturating_sub(fixes.len());
            let removed = candidate.report.deletions_touching(range.clone()).take(room);
            fixes.extend(removed.map(|edit| self.removal(candidate, edit)));
            fixes.extend(touched_closing(candidate, &range).map(|edit| self.closing(candidate, edit)));
        }
        let touches_error = |candidate: &Candidate<'_>| {
            let error = problem::of_json_error(&candidate.text, &candidate.report);
            error.is_some_and(|error| touch(&error.range, &candidate.from_document(range)))
        };
        if fixes.is_empty() && !touched.iter().any(touches_error) {
            return;
        }
        actions.append(&mut fixes);
        if let [line] = &touched[..] {
            actions.extend(self.repair_of_line(line));
        }
        self.quick_fixes_for_many(actions);
    }

    /// "Repair this line", if it has several edits, and other lines have some.
    fn repair_of_line(&self, line: &Candidate<'_>) -> Option<lsp::CodeAction> {
        let edits = line.report.edit_count();
        if edits < 2 || edits == self.analysis.edit_count() {
            return None;
        }
        let doubtful = Rule::ALL.into_iter().map(|rule| line.report.doubtful_count(rule)).sum();
        let title = format!("Repair this line: {edits} edits{}", caveats(doubtful, line.report.is_valid()));
        let edits = text_edits(self.snapshot, line.report.edits().map(|edit| line.edit_in_document(edit)));
        Some(lsp::CodeAction {
            title,
            kind: Some(lsp::CodeActionKind::QUICKFIX),
            edit: Some(workspace_edit(self.snapshot, edits, self.client)),
            ..lsp::CodeAction::default()
        })
    }

    fn removal(&self, candidate: &Candidate<'_>, edit: Edit) -> lsp::CodeAction {
        let title = match edit.rule {
            Rule::RemoveComments => "Remove comment",
            Rule::RemoveTrailingCommas | Rule::CloseTruncated => "Remove trailing comma",
        };
        let title = format!("{title}{}", caveats_of_one(edit.doubt, true));
        let diagnostic = diagnostics::of_edit(self.snapshot, candidate, &edit, self.settings, self.client);
        self.single(title, edit.doubt, diagnostic, candidate, vec![edit])
    }

    fn closing(&self, candidate: &Candidate<'_>, closing: Edit) -> lsp::CodeAction {
        let last = problem::last_value(&candidate.text, &candidate.report);
        let closers = quoted(&closing.inserted);
        let diagnostic = diagnostics::of_edit(self.snapshot, candidate, &closing, self.settings, self.client);
        let edits = closing_with_company(candidate, closing);
        let doubt = edits.iter().find_map(|edit| edit.doubt);
        // Each edit that is not made leaves something that is no JSON.
        let is_valid = candidate.report.is_valid() && edits.len() == candidate.report.edit_count();
        let caveats = caveats_of_one(doubt, is_valid);
        let title = format!("Close truncated JSON with {closers}; {last} may be incomplete{caveats}");
        self.single(title, doubt, diagnostic, candidate, edits)
    }

    /// A quick fix for one diagnostic.
    fn single(
        &self,
        title: String,
        doubt: Option<Doubt>,
        diagnostic: lsp::Diagnostic,
        candidate: &Candidate<'_>,
        edits: Vec<Edit>,
    ) -> lsp::CodeAction {
        let edits = edits.into_iter().map(|edit| candidate.edit_in_document(edit));
        let edits = text_edits(self.snapshot, edits);
        lsp::CodeAction {
            title,
            kind: Some(lsp::CodeActionKind::QUICKFIX),
            diagnostics: self.settings.diagnostics_enable.then(|| vec![diagnostic]),
            edit: Some(workspace_edit(self.snapshot, edits, self.client)),
            is_preferred: doubt.is_none().then_some(true),
            ..lsp::CodeAction::default()
        }
    }

    fn quick_fixes_for_many(&self, actions: &mut Vec<lsp::CodeAction>) {
        for (rule, what, action) in [
            (Rule::RemoveComments, "comments", Whole::RemoveAllComments),
            (Rule::RemoveTrailingCommas, "trailing commas", Whole::RemoveAllTrailingCommas),
        ] {
            let edits = self.analysis.count(rule);
            if edits > 1 {
                let caveats = caveats(self.analysis.doubtful_count(rule), true);
                let title = format!("Remove all {edits} {what}{caveats}");
                actions.extend(self.whole(title, "quickfix", action));
            }
        }
        if let Some(title) = repair_title(self.analysis) {
            actions.extend(self.whole(title, "quickfix", Whole::Repair));
        }
    }

    /// A long document is converted only when that is chosen, and its title
    /// cannot say what is doubtful.
    fn conversion_title(&self) -> String {
        let title = "Convert to strict JSON";
        if self.snapshot.rope().len_bytes() > LONGEST_CONVERTED_UNASKED {
            return title.to_owned();
        }
        let strict = Report::new(self.snapshot.rope(), self.snapshot.policy.strict());
        let doubtful = Rule::ALL.into_iter().map(|rule| strict.doubtful_count(rule)).sum();
        format!("{title}{}", caveats(doubtful, strict.is_valid()))
    }

    /// An action on the whole document; `None` if it would change nothing.
    fn whole(&self, title: String, kind: &'static str, action: Whole) -> Option<lsp::CodeAction> {
        let is_long = match action {
            Whole::RemoveAllComments => self.analysis.count(Rule::RemoveComments) > MOST_EDITS_UNASKED,
            Whole::RemoveAllTrailingCommas => {
                self.analysis.count(Rule::RemoveTrailingCommas) > MOST_EDITS_UNASKED
            }
            Whole::Repair | Whole::FixAll => self.analysis.edit_count() > MOST_EDITS_UNASKED,
            Whole::ConvertToStrict => {
                self.analysis.allowed_count() > MOST_EDITS_UNASKED
                    || self.snapshot.rope().len_bytes() > LONGEST_CONVERTED_UNASKED
            }
        };
        let is_deferred = is_long && self.client.resolves_edits;
        let edits = if is_deferred { Vec::new() } else { whole_edits(self.snapshot, action) };
        if edits.is_empty() && !is_deferred {
            return None;
        }
        let Snapshot { uri, version, opening, .. } = self.snapshot;
        let data = ActionData { uri: uri.clone(), version: *version, opening: *opening, action };
        Some(lsp::CodeAction {
            title,
            kind: Some(lsp::CodeActionKind::new(kind)),
            edit: (!is_deferred).then(|| workspace_edit(self.snapshot, edits, self.client)),
            data: is_deferred.then(|| serde_json::to_value(data).unwrap_or_default()),
            ..lsp::CodeAction::default()
        })
    }
}

/// The title of the whole repair; `None` if there is nothing to repair.
pub fn repair_title(analysis: &Analysis) -> Option<String> {
    let edits = analysis.edit_count();
    let plural = if edits == 1 { "" } else { "s" };
    let doubtful = Rule::ALL.into_iter().map(|rule| analysis.doubtful_count(rule)).sum();
    let caveats = caveats(doubtful, analysis.invalid_count() == 0);
    (edits > 0).then(|| format!("Repair JSON: {edits} edit{plural}{caveats}"))
}

/// What a title has to add: what is doubtful, and that the result is not JSON.
fn caveats(doubtful: usize, is_valid: bool) -> String {
    match (doubtful, is_valid) {
        (0, true) => String::new(),
        (0, false) => " (still not valid)".to_owned(),
        (_, true) => format!(" ({doubtful} doubtful)"),
        (_, false) => format!(" ({doubtful} doubtful, still not valid)"),
    }
}

/// The same for a fix of one diagnostic, which says what is doubtful about it.
fn caveats_of_one(doubt: Option<Doubt>, is_valid: bool) -> String {
    match (doubt, is_valid) {
        (None, true) => String::new(),
        (None, false) => " (still not valid)".to_owned(),
        (Some(doubt), true) => format!(" (doubtful: {doubt})"),
        (Some(doubt), false) => format!(" (doubtful: {doubt}, still not valid)"),
    }
}

/// The edit that closes a candidate, if the bytes `range` touch it.
fn touched_closing(candidate: &Candidate<'_>, range: &Range<usize>) -> Option<Edit> {
    candidate.report.closing_edit_for(0)?;
    if touches_closing(candidate, range) { candidate.report.closing_edit() } else { None }
}

/// Whether the bytes `range` touch the edit that closes a candidate: at its
/// diagnostic, and from the end of the candidate on, be it behind the final line
/// endings.
pub fn touches_closing(candidate: &Candidate<'_>, range: &Range<usize>) -> bool {
    let Candidate { text, report, .. } = candidate;
    // Behind its last token there are but blanks and comments.
    range.end >= report.candidate_len()
        || range.start <= report.significant_end() && touch(&problem::last_token(text, report), range)
}

/// `closing` and what goes with it, in order: the dangling comma, which would
/// come before the closers, and a comment that would swallow them.
pub fn closing_with_company(candidate: &Candidate<'_>, closing: Edit) -> Vec<Edit> {
    let Candidate { text, report, .. } = candidate;
    let end = report.significant_end();
    let is_dangling = |edit: &Edit| edit.rule == Rule::RemoveTrailingCommas && edit.range.end == end;
    let comma = report.deletions_touching(end..end).find(is_dangling);
    let swallows = |edit: &Edit| {
        edit.rule == Rule::RemoveComments
            && edit.range.end == report.candidate_len()
            && (edit.doubt == Some(Doubt::UnterminatedComment)
                || text.string_of(edit.range.start..edit.range.start + 2) == "//")
    };
    let comment = report.deletions_before(report.candidate_len()).next().filter(swallows);
    comma.into_iter().chain(comment).chain([closing]).collect()
}

/// Whether two ranges have a place in common, their ends included.
fn touch(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}
