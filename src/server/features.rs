//! The features that settings turn on and off, and how the client learns of
//! that: a feature is registered as long as it is on where the client takes
//! registrations of it, and where not it is declared in `initialize`, by what
//! is known of the settings then.

use serde_json::{Value, json};
use tower_lsp::lsp_types as lsp;

use super::{capabilities::ClientCapabilities, settings::Settings};

/// A feature that settings turn on and off.
struct Feature {
    /// The method that asks for it.
    method: &'static str,
    /// Whether the client takes registrations of it.
    takes_registrations: fn(&lsp::TextDocumentClientCapabilities) -> Option<bool>,
    /// Whether it is on.
    is_on: fn(&Settings, ClientCapabilities) -> bool,
    /// Declares it to a client that takes no registrations of it.
    declare: fn(&mut lsp::ServerCapabilities),
}

const FEATURES: &[Feature] = &[
    Feature {
        method: "textDocument/willSaveWaitUntil",
        takes_registrations: |client| client.synchronization.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.on_save,
        declare: |server| {
            if let Some(lsp::TextDocumentSyncCapability::Options(sync)) = &mut server.text_document_sync {
                sync.will_save_wait_until = Some(true);
            }
        },
    },
    Feature {
        method: "textDocument/formatting",
        takes_registrations: |client| client.formatting.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.format_enable,
        declare: |server| server.document_formatting_provider = Some(lsp::OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/rangeFormatting",
        takes_registrations: |client| client.range_formatting.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.formats_ranges(),
        declare: |server| server.document_range_formatting_provider = Some(lsp::OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/diagnostic",
        takes_registrations: |client| client.diagnostic.as_ref()?.dynamic_registration,
        is_on: |settings, client| settings.pulls_diagnostics(client),
        declare: |server| {
            let options = lsp::DiagnosticOptions::default();
            server.diagnostic_provider = Some(lsp::DiagnosticServerCapabilities::Options(options));
        },
    },
    Feature {
        method: "textDocument/hover",
        takes_registrations: |client| client.hover.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.hover_enable,
        declare: |server| server.hover_provider = Some(true.into()),
    },
    Feature {
        method: "textDocument/inlayHint",
        takes_registrations: |client| client.inlay_hint.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.inlay_hint_enable,
        declare: |server| server.inlay_hint_provider = Some(lsp::OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/codeLens",
        takes_registrations: |client| client.code_lens.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.code_lens_enable,
        declare: |server| {
            server.code_lens_provider = Some(lsp::CodeLensOptions { resolve_provider: Some(false) });
        },
    },
    Feature {
        method: "textDocument/foldingRange",
        takes_registrations: |client| client.folding_range.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.folding_range_enable,
        declare: |server| server.folding_range_provider = Some(true.into()),
    },
    Feature {
        method: "textDocument/selectionRange",
        takes_registrations: |client| client.selection_range.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.selection_range_enable,
        declare: |server| server.selection_range_provider = Some(true.into()),
    },
    Feature {
        method: "textDocument/documentSymbol",
        takes_registrations: |client| client.document_symbol.as_ref()?.dynamic_registration,
        is_on: |settings, _| settings.document_symbol_enable,
        declare: |server| server.document_symbol_provider = Some(lsp::OneOf::Left(true)),
    },
];

/// Some of the features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features([bool; FEATURES.len()]);

impl Features {
    /// Those that the client takes registrations of.
    pub fn taking_registrations(client: Option<&lsp::TextDocumentClientCapabilities>) -> Features {
        Features::that(|feature| client.and_then(feature.takes_registrations).unwrap_or(false))
    }

    /// Those that are on.
    pub fn on(settings: &Settings, client: ClientCapabilities) -> Features {
        Features::that(|feature| (feature.is_on)(settings, client))
    }

    /// Those of these that are among `others`.
    pub fn among(self, others: Features) -> Features {
        Features(std::array::from_fn(|index| self.0[index] && others.0[index]))
    }

    /// Those of these that are not among `others`.
    pub fn without(self, others: Features) -> Features {
        Features(std::array::from_fn(|index| self.0[index] && !others.0[index]))
    }

    /// Declares them.
    pub fn declare(self, server: &mut lsp::ServerCapabilities) {
        self.each().for_each(|feature| (feature.declare)(server));
    }

    /// What registers them, each under an id of its own.
    pub fn registrations(self) -> Vec<lsp::Registration> {
        let registration = |feature: &Feature| lsp::Registration {
            id: feature.id(),
            method: feature.method.to_owned(),
            register_options: Some(feature.options()),
        };
        self.each().map(registration).collect()
    }

    /// What takes back their registrations.
    pub fn unregistrations(self) -> Vec<lsp::Unregistration> {
        let unregistration =
            |feature: &Feature| lsp::Unregistration { id: feature.id(), method: feature.method.to_owned() };
        self.each().map(unregistration).collect()
    }

    fn that(is_meant: impl Fn(&Feature) -> bool) -> Features {
        Features(std::array::from_fn(|index| is_meant(&FEATURES[index])))
    }

    fn each(self) -> impl Iterator<Item = &'static Feature> {
        FEATURES.iter().zip(self.0).filter_map(|(feature, is_in)| is_in.then_some(feature))
    }
}

impl Feature {
    fn id(&self) -> String {
        format!("jsonRepair:{}", self.method)
    }

    /// What it is registered with: the options that it would be declared with,
    /// and no selector of our own, but the client's, as for everything else.
    fn options(&self) -> Value {
        let mut server = lsp::ServerCapabilities::default();
        (self.declare)(&mut server);
        let declared = serde_json::to_value(server).unwrap_or_default();
        let declared = declared.as_object().and_then(|providers| providers.values().next());
        let mut options = json!({ "documentSelector": null });
        for (key, value) in declared.and_then(Value::as_object).into_iter().flatten() {
            options[key] = value.clone();
        }
        options
    }
}
