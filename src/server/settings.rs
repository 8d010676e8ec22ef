//! The settings: their names, defaults, and how they are read.
//!
//! They come from two places, `initializationOptions` and then what
//! `workspace/configuration` answers, laid over one another key by key. An
//! absent key leaves what is below it, `null` means the default, and a wrong
//! value means the default and one message that names it.

use serde_json::Value;
use tower_lsp::lsp_types::Url;

use super::capabilities::ClientCapabilities;
use crate::{
    policy::DEFAULT_JSONC_FILES,
    repair::{Rule, RuleSet},
};

/// The section of the client's configuration that is ours.
pub const SECTION: &str = "jsonRepair";

/// How a diagnostic's severity is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The text is not JSON: the default.
    Error,
    /// A warning.
    Warning,
    /// An information.
    Information,
    /// A hint.
    Hint,
}

/// How formatting lays a document out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As it is: formatting only repairs.
    Keep,
    /// By indentation, as the client's options say.
    Indent,
}

/// What a setting's value may be.
trait Kind: Sized {
    /// What it must be, in words.
    const DEMAND: &str;

    /// Reads it; `None` if it is something else.
    fn read(value: &Value) -> Option<Self>;
}

/// One setting: its name, what a value must be, and what it does.
struct Setting {
    name: &'static str,
    demand: &'static str,
    /// Takes the value, or leaves everything as it is and says no.
    set: fn(&mut Settings, &Value) -> bool,
    /// Copies the value from the defaults.
    reset: fn(&mut Settings, Settings),
}

/// Declares the settings: for each its name, field, type and default.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:literal => $field:ident: $type:ty = $default:expr;)*) => {
        /// The settings in force.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for Settings {
            fn default() -> Settings {
                Settings { $($field: $default,)* }
            }
        }

        const SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            demand: <$type>::DEMAND,
            set: |settings, value| assign(&mut settings.$field, Kind::read(value)),
            reset: |settings, defaults| settings.$field = defaults.$field,
        },)*];
    };
}

settings! {
    /// The rules that repair.
    "rules" => rules: RuleSet = RuleSet::ALL;
    /// Glob patterns of the files that hold JSON with comments.
    "jsonc.files" => jsonc_files: Vec<String> = DEFAULT_JSONC_FILES.map(str::to_owned).to_vec();
    /// Whether saving makes the unasked repair.
    "onSave" => on_save: bool = false;
    /// Whether the server formats, which makes the unasked repair at least.
    "format.enable" => format_enable: bool = true;
    /// How formatting lays a document out.
    "format.layout" => format_layout: Layout = Layout::Keep;
    /// The characters of the longest line that an array or object may stay on.
    "format.lineWidth" => format_line_width: usize = 80;
    /// Whether there are diagnostics.
    "diagnostics.enable" => diagnostics_enable: bool = true;
    /// The most diagnostics a document has.
    "diagnostics.max" => diagnostics_max: usize = 1000;
    /// The severity of what a rule repairs.
    "diagnostics.severity" => diagnostics_severity: Severity = Severity::Error;
    /// The page that explains the defects, to which their codes link.
    "diagnostics.documentation" => diagnostics_documentation: Option<Url> = None;
    /// Whether a client that can ask for diagnostics has to, instead of having
    /// them published.
    "diagnostics.pull" => diagnostics_pull: bool = false;
    /// Whether hovering over an edit shows it.
    "hover.enable" => hover_enable: bool = true;
    /// Whether the end of a cut text shows what would close it.
    "inlayHint.enable" => inlay_hint_enable: bool = false;
    /// Whether the first line offers the repair.
    "codeLens.enable" => code_lens_enable: bool = false;
    /// Whether there are folding ranges.
    "foldingRange.enable" => folding_range_enable: bool = true;
    /// Whether there are selection ranges.
    "selectionRange.enable" => selection_range_enable: bool = true;
    /// Whether there are document symbols.
    "documentSymbol.enable" => document_symbol_enable: bool = true;
}

impl Settings {
    /// Whether there is anything to do for a part of a document: repairing is
    /// for all of it or for nothing.
    pub fn formats_ranges(&self) -> bool {
        self.format_enable && self.format_layout == Layout::Indent
    }

    /// Whether the client asks for diagnostics, and none are published.
    pub fn pulls_diagnostics(&self, client: ClientCapabilities) -> bool {
        self.diagnostics_pull && client.pulls_diagnostics
    }

    /// The defaults with `layers` laid over them, the last on top, and what is
    /// wrong in them.
    ///
    /// A layer is the object that holds the keys, itself or under
    /// [`SECTION`]; `null` is an empty one.
    pub fn from_layers<'value>(layers: impl IntoIterator<Item = &'value Value>) -> (Settings, Vec<String>) {
        let mut settings = Settings::default();
        let mut complaints = Vec::new();
        for layer in layers {
            let layer = layer.get(SECTION).unwrap_or(layer);
            match layer {
                Value::Object(_) => settings.lay_over(layer, &mut complaints),
                Value::Null => {}
                _ => complaints.push(format!("setting `{SECTION}` must be an object, not {layer}")),
            }
        }
        (settings, complaints)
    }

    fn lay_over(&mut self, layer: &Value, complaints: &mut Vec<String>) {
        for setting in SETTINGS {
            let Some(value) = lookup(layer, setting.name) else { continue };
            if value.is_null() {
                (setting.reset)(self, Settings::default());
            } else if !(setting.set)(self, value) {
                (setting.reset)(self, Settings::default());
                let (name, demand) = (setting.name, setting.demand);
                complaints.push(format!("setting `{SECTION}.{name}` must be {demand}, not {value}"));
            }
        }
    }

    /// The names of all settings, without the section.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SETTINGS.iter().map(|setting| setting.name)
    }
}

/// The value under `name`, which may be written `{"a": {"b": …}}`, `{"a.b": …}`
/// or, as in VS Code's settings, `{"jsonRepair.a.b": …}`.
fn lookup<'value>(layer: &'value Value, name: &str) -> Option<&'value Value> {
    let whole_name = || layer.get(format!("{SECTION}.{name}"));
    layer.get(name).or_else(whole_name).or_else(|| {
        let (group, key) = name.split_once('.')?;
        layer.get(group)?.get(key)
    })
}

fn assign<T>(setting: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *setting = value;
            true
        }
        None => false,
    }
}

impl Kind for bool {
    const DEMAND: &str = "true or false";

    fn read(value: &Value) -> Option<bool> {
        value.as_bool()
    }
}

impl Kind for usize {
    const DEMAND: &str = "a whole number from 1";

    fn read(value: &Value) -> Option<usize> {
        value.as_u64().filter(|number| *number > 0).and_then(|number| usize::try_from(number).ok())
    }
}

impl Kind for RuleSet {
    const DEMAND: &str = "an array of `remove_comments`, `close_truncated`, `remove_trailing_commas`";

    fn read(value: &Value) -> Option<RuleSet> {
        let names = value.as_array()?.iter();
        names.map(|name| name.as_str()?.parse::<Rule>().ok()).collect()
    }
}

impl Kind for Option<Url> {
    const DEMAND: &str = "a URL";

    fn read(value: &Value) -> Option<Option<Url>> {
        Url::parse(value.as_str()?).ok().map(Some)
    }
}

impl Kind for Vec<String> {
    const DEMAND: &str = "an array of glob patterns";

    fn read(value: &Value) -> Option<Vec<String>> {
        value.as_array()?.iter().map(|string| string.as_str().map(str::to_owned)).collect()
    }
}

impl Kind for Layout {
    const DEMAND: &str = "`keep` or `indent`";

    fn read(value: &Value) -> Option<Layout> {
        match value.as_str()? {
            "keep" => Some(Layout::Keep),
            "indent" => Some(Layout::Indent),
            _ => None,
        }
    }
}

impl Kind for Severity {
    const DEMAND: &str = "`error`, `warning`, `information` or `hint`";

    fn read(value: &Value) -> Option<Severity> {
        match value.as_str()? {
            "error" => Some(Severity::Error),
            "warning" => Some(Severity::Warning),
            "information" => Some(Severity::Information),
            "hint" => Some(Severity::Hint),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn layers_lie_over_one_another_key_by_key() {
        let options = json!({"onSave": true, "diagnostics": {"max": 5, "severity": "hint"}});
        let configuration = json!({"diagnostics": {"max": null, "severity": "loud"}, "format.enable": false});
        let (settings, complaints) = Settings::from_layers([&options, &configuration]);
        let expected = Settings { on_save: true, format_enable: false, ..Settings::default() };
        assert_eq!(settings, expected);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("jsonRepair.diagnostics.severity"), "{complaints:?}");
    }

    #[test]
    fn a_layer_may_stand_under_the_section() {
        let layer = json!({"jsonRepair": {"rules": ["close_truncated"]}});
        let (settings, complaints) = Settings::from_layers([&layer, &Value::Null]);
        assert_eq!(settings.rules, RuleSet::from_iter([Rule::CloseTruncated]));
        assert!(complaints.is_empty());
    }

    #[test]
    fn layout_is_kept_unless_it_is_asked_for() {
        assert_eq!(Settings::default().format_layout, Layout::Keep);
        let layer = json!({"format": {"layout": "indent", "lineWidth": 100}});
        let (settings, complaints) = Settings::from_layers([&layer]);
        assert_eq!((settings.format_layout, settings.format_line_width), (Layout::Indent, 100));
        assert!(complaints.is_empty());
        let wrong = json!({"format": {"layout": "Indent", "lineWidth": 0}});
        let (settings, complaints) = Settings::from_layers([&layer, &wrong]);
        assert_eq!(settings, Settings::default());
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn every_setting_refuses_what_it_cannot_be() {
        for name in Settings::names() {
            let layer = json!({name: -1});
            let (settings, complaints) = Settings::from_layers([&layer]);
            assert_eq!(settings, Settings::default(), "{name}");
            assert_eq!(complaints.len(), 1, "{name}: {complaints:?}");
        }
    }
}
