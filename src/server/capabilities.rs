//! What the client can do, asked once and kept.

use tower_lsp::lsp_types as lsp;

use super::features::Features;

/// The client's capabilities that change what this server sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// Answers `workspace/configuration`.
    pub configuration: bool,
    /// Takes `documentChanges`, hence versions, in a workspace edit.
    pub document_changes: bool,
    /// Fetches the edit of a code action when it is chosen, and sends back its
    /// `data` then.
    pub resolves_edits: bool,
    /// The features that it takes registrations of.
    pub takes_registrations: Features,
    /// Asks for diagnostics where the server wants to be asked.
    pub pulls_diagnostics: bool,
    /// Reads Markdown in a hover.
    pub markdown: bool,
    /// Asks anew for the diagnostics that it shows when it is told to.
    pub refreshes_diagnostics: bool,
    /// The same of inlay hints.
    pub refreshes_inlay_hints: bool,
    /// The same of code lenses.
    pub refreshes_code_lenses: bool,
    /// Shows the progress of what the server does by itself.
    pub work_done_progress: bool,
    /// Follows the link of a diagnostic's code.
    pub code_descriptions: bool,
    /// Shows related information of diagnostics.
    pub related_information: bool,
    /// Folds whole lines.
    pub folds_lines: bool,
    /// The most folding ranges of a document that it wants.
    pub folding_range_limit: Option<u32>,
    /// Takes document symbols as a tree.
    pub symbol_trees: bool,
}

impl ClientCapabilities {
    /// Resolves what the client said in `initialize`.
    pub fn new(client: &lsp::ClientCapabilities) -> ClientCapabilities {
        let workspace = client.workspace.as_ref();
        let text_document = client.text_document.as_ref();
        let code_action = text_document.and_then(|text_document| text_document.code_action.as_ref());
        ClientCapabilities {
            configuration: workspace.and_then(|workspace| workspace.configuration).unwrap_or(false),
            document_changes: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .and_then(|edit| edit.document_changes)
                .unwrap_or(false),
            resolves_edits: code_action.is_some_and(|code_action| {
                code_action.data_support == Some(true)
                    && code_action
                        .resolve_support
                        .as_ref()
                        .is_some_and(|resolve| resolve.properties.iter().any(|property| property == "edit"))
            }),
            takes_registrations: Features::taking_registrations(text_document),
            pulls_diagnostics: text_document.is_some_and(|text_document| text_document.diagnostic.is_some()),
            markdown: text_document
                .and_then(|text_document| text_document.hover.as_ref()?.content_format.as_ref())
                .is_some_and(|formats| formats.contains(&lsp::MarkupKind::Markdown)),
            refreshes_diagnostics: workspace
                .and_then(|workspace| workspace.diagnostic.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_inlay_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_code_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
                .unwrap_or(false),
            work_done_progress: client
                .window
                .as_ref()
                .and_then(|window| window.work_done_progress)
                .unwrap_or(false),
            code_descriptions: text_document
                .and_then(|text_document| text_document.publish_diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.code_description_support)
                .unwrap_or(false),
            related_information: text_document
                .and_then(|text_document| text_document.publish_diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.related_information)
                .unwrap_or(false),
            folds_lines: text_document
                .and_then(|text_document| text_document.folding_range.as_ref()?.line_folding_only)
                .unwrap_or(false),
            folding_range_limit: text_document
                .and_then(|text_document| text_document.folding_range.as_ref()?.range_limit),
            symbol_trees: text_document
                .and_then(|text_document| {
                    text_document.document_symbol.as_ref()?.hierarchical_document_symbol_support
                })
                .unwrap_or(false),
        }
    }
}
