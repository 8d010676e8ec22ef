//! The settings: their names, defaults, and how they are read.
//!
//! They come from two places, `initializationOptions` and then what
//! `workspace/configuration` answers, laid over one another key by key. An
//! absent key leaves what is below it, `null` means the default, and a wrong
//! value means the default and one message that names it.
//!
//! **No setting is ignored without a word.** A name under [`SECTION`] that is no
//! setting's is complained of, unless it is a client's own. Outside of the
//! section there may be the settings of any server: there a name is complained
//! of only where it is nearly that of a setting.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tower_lsp::lsp_types::Url;

use super::capabilities::ClientCapabilities;
use crate::{
    policy::{self, DEFAULT_JSONC_FILES},
    repair::{Rule, RuleSet},
};

/// The section of the client's configuration that is ours.
pub const SECTION: &str = "jsonRepair";
/// The groups in our section that clients have for themselves: the extension
/// for VS Code has `server.path` and `trace.server`.
const CLIENTS_OWN: [&str; 2] = ["server", "trace"];
/// So many unknown settings are named in a message.
const MOST_NAMED: usize = 5;
/// A name that so many mistyped characters make another is nearly that.
const FARTHEST: usize = 2;

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

    /// What is wrong with a value that cannot be read.
    fn refusal(value: &Value) -> String {
        format!("must be {}, not {value}", Self::DEMAND)
    }
}

/// One setting: its name, what is wrong with a value, and what it does.
struct Setting {
    name: &'static str,
    refusal: fn(&Value) -> String,
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
            refusal: <$type>::refusal,
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
    /// The most diagnostics a document has, at least 1.
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
    pub fn from_layers<'value>(layers: impl IntoIterator<Item = &'value Value>) -> (Settings, Complaints) {
        let mut settings = Settings::default();
        let mut complaints = Complaints::default();
        for layer in layers {
            let section = layer.get(SECTION);
            let layer = section.unwrap_or(layer);
            match layer {
                Value::Object(members) => {
                    settings.lay_over(layer, &mut complaints);
                    complaints.unknown.extend(unknown_names(members, section.is_some()));
                }
                Value::Null => {}
                _ => {
                    let complaint = format!("setting `{SECTION}` must be an object, not {layer}");
                    complaints.values.insert(complaint);
                }
            }
        }
        (settings, complaints)
    }

    fn lay_over(&mut self, layer: &Value, complaints: &mut Complaints) {
        for setting in SETTINGS {
            let Some(value) = lookup(layer, setting.name) else { continue };
            if value.is_null() {
                (setting.reset)(self, Settings::default());
            } else if !(setting.set)(self, value) {
                (setting.reset)(self, Settings::default());
                let (name, refusal) = (setting.name, (setting.refusal)(value));
                complaints.values.insert(format!("setting `{SECTION}.{name}` {refusal}"));
            }
        }
    }

    /// The names of all settings, without the section.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SETTINGS.iter().map(|setting| setting.name)
    }
}

/// What is wrong in settings.
#[derive(Debug, Default, PartialEq)]
pub struct Complaints {
    /// What is wrong with a value, a sentence each.
    values: BTreeSet<String>,
    /// The names that are no setting's.
    unknown: BTreeSet<String>,
}

impl Complaints {
    /// What to tell the user who has been told of `before`: a message for each
    /// wrong value, and one for all unknown names.
    pub fn messages(&self, before: &Complaints) -> Vec<String> {
        let values = self.values.difference(&before.values).cloned();
        let mut unknown = self.unknown.difference(&before.unknown).map(|name| match nearest(name) {
            Some(known) => format!("`{SECTION}.{name}` (did you mean `{SECTION}.{known}`?)"),
            None => format!("`{SECTION}.{name}`"),
        });
        let named: Vec<String> = unknown.by_ref().take(MOST_NAMED).collect();
        let more = match unknown.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let plural = if named.len() == 1 { "" } else { "s" };
        let unknown =
            (!named.is_empty()).then(|| format!("unknown setting{plural} {}{more}", named.join(", ")));
        values.chain(unknown).collect()
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

/// A layer of what a client answers when it is asked for [`SECTION`].
pub fn answered(answer: Value) -> Value {
    if answer.get(SECTION).is_some() { answer } else { json!({ SECTION: answer }) }
}

/// The names in a layer that are no setting's, and are complained of.
fn unknown_names(layer: &Map<String, Value>, is_section: bool) -> impl Iterator<Item = String> {
    let names = layer.iter().flat_map(move |(key, value)| {
        let in_section = key.strip_prefix(SECTION).and_then(|name| name.strip_prefix('.'));
        let name = in_section.unwrap_or(key);
        let names = match value {
            Value::Object(members) if !is_known(name) => {
                members.keys().map(|key| format!("{name}.{key}")).collect()
            }
            // It sets nothing.
            Value::Null => Vec::new(),
            _ => vec![name.to_owned()],
        };
        let is_ours = is_section || in_section.is_some();
        names.into_iter().filter(move |name| is_ours || nearest(name).is_some())
    });
    names.filter(|name| {
        let group = name.split('.').next().unwrap_or_default();
        !is_known(name) && !CLIENTS_OWN.contains(&group)
    })
}

fn is_known(name: &str) -> bool {
    Settings::names().any(|known| known == name)
}

/// The setting that may have been meant by a name that is none: the first of
/// its group, or the one that is written nearly so.
fn nearest(name: &str) -> Option<&'static str> {
    let is_its_group = |known: &&str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    Settings::names().find(is_its_group).or_else(|| {
        let with_distance = Settings::names()
            .filter(|known| known.len().abs_diff(name.len()) <= FARTHEST)
            .map(|known| (strsim::osa_distance(known, name), known));
        let (distance, known) = with_distance.min_by_key(|(distance, _)| *distance)?;
        (distance <= FARTHEST).then_some(known)
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
        let is_glob = |string: &&str| policy::check_glob(string).is_ok();
        value.as_array()?.iter().map(|string| string.as_str().filter(is_glob).map(str::to_owned)).collect()
    }

    fn refusal(value: &Value) -> String {
        let strings = value.as_array().into_iter().flatten().map(Value::as_str);
        // What is no array of strings is worse than a broken pattern in it.
        let strings: Vec<&str> = strings.collect::<Option<_>>().unwrap_or_default();
        let broken = strings.into_iter().find_map(|glob| Some((glob, policy::check_glob(glob).err()?)));
        match broken {
            Some((glob, error)) => format!("has a broken glob pattern, `{glob}`: {error}"),
            None => format!("must be {}, not {value}", Self::DEMAND),
        }
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

    /// The settings, and what is said to be wrong in them.
    fn read<'value>(layers: impl IntoIterator<Item = &'value Value>) -> (Settings, Vec<String>) {
        let (settings, complaints) = Settings::from_layers(layers);
        (settings, complaints.messages(&Complaints::default()))
    }

    fn complaints(layer: &Value) -> Vec<String> {
        read([layer]).1
    }

    #[test]
    fn layers_lie_over_one_another_key_by_key() {
        let options = json!({"onSave": true, "diagnostics": {"max": 5, "severity": "hint"}});
        let configuration = json!({"diagnostics": {"max": null, "severity": "loud"}, "format.enable": false});
        let (settings, complaints) = read([&options, &configuration]);
        let expected = Settings { on_save: true, format_enable: false, ..Settings::default() };
        assert_eq!(settings, expected);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("jsonRepair.diagnostics.severity"), "{complaints:?}");
    }

    #[test]
    fn a_layer_may_stand_under_the_section() {
        let layer = json!({"jsonRepair": {"rules": ["close_truncated"]}});
        let (settings, complaints) = read([&layer, &Value::Null]);
        assert_eq!(settings.rules, RuleSet::from_iter([Rule::CloseTruncated]));
        assert!(complaints.is_empty());
    }

    #[test]
    fn layout_is_kept_unless_it_is_asked_for() {
        assert_eq!(Settings::default().format_layout, Layout::Keep);
        let layer = json!({"format": {"layout": "indent", "lineWidth": 100}});
        let (settings, complaints) = read([&layer]);
        assert_eq!((settings.format_layout, settings.format_line_width), (Layout::Indent, 100));
        assert!(complaints.is_empty());
        let wrong = json!({"format": {"layout": "Indent", "lineWidth": 0}});
        let (settings, complaints) = read([&layer, &wrong]);
        assert_eq!(settings, Settings::default());
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn every_setting_refuses_what_it_cannot_be() {
        for name in Settings::names() {
            let layer = json!({name: -1});
            let (settings, complaints) = read([&layer]);
            assert_eq!(settings, Settings::default(), "{name}");
            assert_eq!(complaints.len(), 1, "{name}: {complaints:?}");
        }
    }

    #[test]
    fn an_unknown_name_is_said_with_the_one_that_is_nearly_it() {
        for (layer, expected) in [
            (
                json!({"formatt": {"layout": "indent"}}),
                "`jsonRepair.formatt.layout` (did you mean `jsonRepair.format.layout`?)",
            ),
            (
                json!({"diagnostics.maxx": 5}),
                "`jsonRepair.diagnostics.maxx` (did you mean `jsonRepair.diagnostics.max`?)",
            ),
            (json!({"onSvae": true}), "`jsonRepair.onSvae` (did you mean `jsonRepair.onSave`?)"),
            // A group is no setting.
            (
                json!({"diagnostics": false}),
                "`jsonRepair.diagnostics` (did you mean `jsonRepair.diagnostics.enable`?)",
            ),
            (json!({"format": {"width": {"max": 3}}}), "`jsonRepair.format.width`"),
            (json!({"jsonRepair.schema": 1}), "`jsonRepair.schema`"),
            (json!({"": 1}), "`jsonRepair.`"),
        ] {
            assert_eq!(complaints(&json!({ SECTION: layer })), [format!("unknown setting {expected}")]);
        }
    }

    #[test]
    fn all_unknown_names_are_one_message_that_can_be_read() {
        let layer =
            json!({"jsonRepair": {"f": 1, "a": 1, "b": 1, "c": {"d": 1, "e": 1}, "onsave": 1, "g": 1}});
        let expected = "unknown settings `jsonRepair.a`, `jsonRepair.b`, `jsonRepair.c.d`, `jsonRepair.c.e`, \
                        `jsonRepair.f`, and 2 more";
        assert_eq!(complaints(&layer), [expected]);
        let layer = json!({"jsonRepair": {"a": 1, "onsave": 1, "onSave": 1, "rules": 1}});
        let complaints = complaints(&layer);
        assert_eq!(complaints.len(), 3, "{complaints:?}");
        let expected =
            "unknown settings `jsonRepair.a`, `jsonRepair.onsave` (did you mean `jsonRepair.onSave`?)";
        assert_eq!(complaints[2], expected);
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let said = |layer: Value| Settings::from_layers([&json!({ SECTION: layer })]).1;
        let before = said(json!({"onSave": 1, "a": 1, "b": 1}));
        let now = said(json!({"onSave": 1, "rules": 1, "a": 1, "c": 1}));
        let messages = now.messages(&before);
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].starts_with("setting `jsonRepair.rules` must be "), "{messages:?}");
        assert_eq!(messages[1], "unknown setting `jsonRepair.c`");
        assert_eq!(now.messages(&now), [""; 0]);
    }

    #[test]
    fn what_is_not_ours_is_not_complained_of() {
        for layer in [
            // Clients' own, written in every way.
            json!({"jsonRepair": {"server": {"path": ""}, "trace": {"server": "off"}, "trace.server": "off"}}),
            json!({"server": {"path": ""}, "jsonRepair.trace.server": "off"}),
            // Another server's settings, and nobody's.
            json!({"jsonRepair": {}, "onSvae": true}),
            json!({"pylsp": {"plugins": {"rope": {}}}, "provideFormatter": true, "json.format.enable": true}),
            json!({"jsonRepair": {"diagnostics": null, "later": null, "empty": {}}}),
        ] {
            assert_eq!(complaints(&layer), [""; 0], "{layer}");
        }
        // But a name that is nearly one of ours is hardly another's.
        assert_eq!(complaints(&json!({"onSvae": true, "provideFormatter": true})).len(), 1);
    }

    #[test]
    fn an_answer_is_about_our_section_whether_it_says_so_or_not() {
        for (answer, count) in [
            (json!({"schema": 1}), 1),
            (json!({"jsonRepair": {"schema": 1}}), 1),
            (json!({"jsonRepair": {}, "schema": 1}), 0),
            (json!("no"), 1),
            (json!([]), 1),
            (Value::Null, 0),
        ] {
            assert_eq!(complaints(&answered(answer.clone())).len(), count, "{answer}");
        }
    }

    #[test]
    fn a_broken_glob_is_named_with_what_is_wrong_with_it() {
        let layer = json!({"jsonc": {"files": ["*.conf", "src/*.{json,jsn"]}});
        let (settings, complaints) = read([&layer]);
        assert_eq!(settings, Settings::default());
        let [complaint] = &complaints[..] else { panic!("{complaints:?}") };
        let beginning = "setting `jsonRepair.jsonc.files` has a broken glob pattern, `src/*.{json,jsn`: \
                         unclosed brace expansion at byte 6";
        assert!(complaint.starts_with(beginning), "{complaint}");
    }

    #[test]
    fn what_is_wrong_in_two_layers_is_said_once() {
        let layer = json!({"onSave": "yes", "onSvae": true});
        let (_, complaints) = read([&layer, &answered(layer.clone())]);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }
}
