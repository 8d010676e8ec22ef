//! What the client can do, asked once and kept.

use tower_lsp::lsp_types as lsp;

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
    /// Takes a registration of `willSaveWaitUntil`.
    pub registers_will_save_wait_until: bool,
    /// Takes a registration of `formatting`.
    pub registers_formatting: bool,
    /// Takes a registration of `rangeFormatting`.
    pub registers_range_formatting: bool,
    /// Shows related information of diagnostics.
    pub related_information: bool,
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
            registers_will_save_wait_until: text_document
                .and_then(|text_document| text_document.synchronization.as_ref())
                .and_then(|synchronization| synchronization.dynamic_registration)
                .unwrap_or(false),
            registers_formatting: text_document
                .and_then(|text_document| text_document.formatting.as_ref())
                .and_then(|formatting| formatting.dynamic_registration)
                .unwrap_or(false),
            registers_range_formatting: text_document
                .and_then(|text_document| text_document.range_formatting.as_ref())
                .and_then(|formatting| formatting.dynamic_registration)
                .unwrap_or(false),
            related_information: text_document
                .and_then(|text_document| text_document.publish_diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.related_information)
                .unwrap_or(false),
        }
    }
}
