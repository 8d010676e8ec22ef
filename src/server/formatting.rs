//! Formatting: the unasked repair, and the layout of its result.
//!
//! With `format.layout` "keep" formatting is the unasked repair. With "indent"
//! its result is laid out as well, which is one list of edits of the current
//! text. **Only what is valid is laid out**: where the unasked repair would not
//! make a document valid, there are no edits. JSON Lines are never laid out:
//! their layout is a line a text.
//!
//! A range is laid out only where the document is valid as it stands: the
//! unasked repair is for the whole document or for nothing.

use tower_lsp::lsp_types as lsp;

use super::{
    actions,
    analysis::Analysis,
    diagnostics,
    documents::Snapshot,
    position,
    settings::{Layout, Settings},
};
use crate::{
    layout::{self, Options, Replacement},
    repair::{Edits, Text},
};

/// The edits that format a document.
pub fn format(
    snapshot: &Snapshot,
    settings: &Settings,
    options: &lsp::FormattingOptions,
) -> Vec<lsp::TextEdit> {
    match (settings.format_layout, snapshot.analysis()) {
        (Layout::Indent, Analysis::OneText(report)) => {
            if !report.is_certain() || !diagnostics::is_reported(snapshot) {
                return Vec::new();
            }
            let repair = Edits::new(report.edits().collect());
            let options = layout_options(snapshot, settings, options);
            let edits = layout::repair_and_lay_out(&snapshot.rope().to_string(), repair, &options);
            text_edits(snapshot, edits)
        }
        _ => actions::unasked_repair(snapshot),
    }
}

/// The edits that format what touches `range`.
pub fn format_range(
    snapshot: &Snapshot,
    range: lsp::Range,
    settings: &Settings,
    options: &lsp::FormattingOptions,
) -> Vec<lsp::TextEdit> {
    let Analysis::OneText(report) = snapshot.analysis() else { return Vec::new() };
    let is_valid = report.is_valid() && report.edit_count() == 0 && diagnostics::is_reported(snapshot);
    if settings.format_layout == Layout::Keep || !is_valid {
        return Vec::new();
    }
    let range = position::bytes_of(snapshot.rope(), range);
    let options = layout_options(snapshot, settings, options);
    text_edits(snapshot, layout::lay_out_range(&snapshot.rope().to_string(), range, &options))
}

/// What the client leaves open is not asked for.
fn layout_options(snapshot: &Snapshot, settings: &Settings, options: &lsp::FormattingOptions) -> Options {
    Options {
        tab_size: usize::try_from(options.tab_size).unwrap_or(usize::MAX),
        insert_spaces: options.insert_spaces,
        insert_final_newline: options.insert_final_newline.unwrap_or(false),
        trim_final_newlines: options.trim_final_newlines.unwrap_or(false),
        trim_trailing_whitespace: options.trim_trailing_whitespace.unwrap_or(false),
        line_width: settings.format_line_width,
        line_ending: snapshot.rope().line_ending(),
    }
}

fn text_edits(snapshot: &Snapshot, edits: Vec<Replacement>) -> Vec<lsp::TextEdit> {
    let mut positions = position::Positions::new(snapshot.rope());
    let to_text_edit =
        |edit: Replacement| lsp::TextEdit { range: positions.range_of(edit.range), new_text: edit.inserted };
    edits.into_iter().map(to_text_edit).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::server::documents::Documents;

    /// What formatting makes of a document, all of it and its second line, when
    /// the layout is "indent".
    fn formatted(language_id: &str, text: &str) -> (String, String) {
        let settings = Settings { format_layout: Layout::Indent, ..Settings::default() };
        let snapshot = opened(language_id, text, &settings);
        let options = lsp::FormattingOptions { tab_size: 2, insert_spaces: true, ..Default::default() };
        let second_line = lsp::Range::new(lsp::Position::new(1, 0), lsp::Position::new(1, 99));
        let all = applied(&snapshot, format(&snapshot, &settings, &options));
        let line = applied(&snapshot, format_range(&snapshot, second_line, &settings, &options));
        (all, line)
    }

    fn opened(language_id: &str, text: &str, settings: &Settings) -> Arc<Snapshot> {
        let uri = lsp::Url::parse("file:///document").unwrap();
        let mut documents = Documents::default();
        let document = lsp::TextDocumentItem::new(uri.clone(), language_id.to_owned(), 1, text.to_owned());
        documents.open(document, settings);
        documents.get(&uri).unwrap()
    }

    fn applied(snapshot: &Snapshot, edits: Vec<lsp::TextEdit>) -> String {
        let mut rope = snapshot.rope().clone();
        for edit in edits.into_iter().rev() {
            position::replace(&mut rope, edit.range, &edit.new_text);
        }
        rope.to_string()
    }

    fn check(language_id: &str, text: &str, all: &str, second_line: &str) {
        assert_eq!(formatted(language_id, text), (all.to_owned(), second_line.to_owned()), "{text:?}");
    }

    #[test]
    fn what_is_valid_is_laid_out() {
        check("json", "{\n\"a\":1}\n", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1\n}\n");
        check("jsonc", "[\r\n1,// 😀\r\n2]", "[\r\n  1, // 😀\r\n  2\r\n]", "[\r\n  1, // 😀\r\n  2]");
    }

    #[test]
    fn a_certain_repair_is_laid_out_as_a_whole() {
        let text = "[\n\"😀\", // 😀\n[1,],";
        check("json", text, "[\n  \"😀\",\n  [1]\n]", text);
    }

    #[test]
    fn what_is_doubtful_or_wrong_is_left_alone() {
        for text in ["[\n1,,]", "[\n1 2]", "[\n1,/* ", "", " \n"] {
            check("json", text, text, text);
        }
        check("json5", "[\n1]", "[\n1]", "[\n1]");
    }

    #[test]
    fn a_layout_that_is_kept_is_only_repaired() {
        let settings = Settings::default();
        let options = lsp::FormattingOptions { insert_final_newline: Some(true), ..Default::default() };
        let snapshot = opened("json", "[\n1,]", &settings);
        assert_eq!(applied(&snapshot, format(&snapshot, &settings, &options)), "[\n1]");
        let range = lsp::Range::new(lsp::Position::new(0, 0), lsp::Position::new(9, 0));
        assert_eq!(format_range(&snapshot, range, &settings, &options), []);
    }
}
