//! Which dialect a document is in, hence what each rule means for it.
//!
//! A file's name speaks before its language id where it says more: editors
//! open `tsconfig.json` as `json`, which it is not.

use crate::repair::{Policy, RuleSet};

/// The files that hold JSON with comments under another name; the default of
/// the setting `jsonc.files`.
pub const DEFAULT_JSONC_FILES: [&str; 19] = [
    "tsconfig*.json",
    "jsconfig*.json",
    ".eslintrc",
    ".eslintrc.json",
    ".babelrc",
    ".babelrc.json",
    ".swcrc",
    ".jshintrc",
    "tslint.json",
    "devcontainer.json",
    ".devcontainer.json",
    "api-extractor.json",
    "language-configuration.json",
    "deno.json",
    "deno.jsonc",
    ".vscode/*.json",
    "*.code-workspace",
    "*.code-snippets",
    ".luarc.json",
];

/// Whether a file's name says that it is in another language than JSON's
/// family that looks like it, and is left alone even where it is named.
pub fn is_look_alike(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["json5", "hjson"].iter().any(|other| extension.eq_ignore_ascii_case(other))
}

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// RFC 8259.
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// One JSON text a line.
    JsonLines,
    /// Not ours: no diagnostics, no edits.
    Other,
}

impl Dialect {
    /// The dialect of a document.
    ///
    /// `path` is its path or the path of its URI, with `/` between components;
    /// `language_id` the client's, or `None` where there is only a file.
    /// `jsonc_files` are glob patterns: one without a `/` is matched against
    /// the file's name, one with a `/` against the end of its path.
    pub fn of_document(language_id: Option<&str>, path: &str, jsonc_files: &[String]) -> Dialect {
        let name = path.rsplit('/').next().unwrap_or(path);
        let has_extension = |extension: &str| {
            name.len() > extension.len()
                && name.is_char_boundary(name.len() - extension.len())
                && name[name.len() - extension.len()..].eq_ignore_ascii_case(extension)
        };
        let is_named_jsonc = || jsonc_files.iter().any(|pattern| matches_path(pattern, path, name));
        if has_extension(".jsonc") || is_named_jsonc() {
            return Dialect::JsonWithComments;
        }
        if is_look_alike(name) {
            return Dialect::Other;
        }
        match language_id {
            Some("jsonc") => Dialect::JsonWithComments,
            Some("jsonl" | "ndjson" | "jsonlines") => Dialect::JsonLines,
            Some("json5" | "hjson") => Dialect::Other,
            _ if [".jsonl", ".ndjson", ".jsonlines"].into_iter().any(has_extension) => Dialect::JsonLines,
            Some("json") => Dialect::Json,
            _ if has_extension(".json") => Dialect::Json,
            _ => Dialect::Other,
        }
    }

    /// What each of `rules` means in this dialect. The rules are off in what
    /// is not ours.
    pub fn policy(self, rules: RuleSet) -> Policy {
        match self {
            Dialect::Json | Dialect::JsonLines => Policy::fix(rules),
            Dialect::JsonWithComments => Policy::allow_comments(rules),
            Dialect::Other => Policy::fix(RuleSet::NONE),
        }
    }

    /// Whether a document in this dialect is ours.
    pub fn is_ours(self) -> bool {
        self != Dialect::Other
    }
}

/// Says what is wrong with a glob pattern that is broken, which matches nothing.
pub fn check_glob(pattern: &str) -> Result<(), String> {
    fast_glob::validate(pattern).map_err(|error| error.to_string())
}

fn matches_path(pattern: &str, path: &str, name: &str) -> bool {
    if pattern.contains('/') {
        let anywhere = format!("**/{}", pattern.trim_start_matches('/'));
        fast_glob::glob_match(&anywhere, path.trim_start_matches('/'))
    } else {
        fast_glob::glob_match(pattern, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_more_speaks_before_the_language_id() {
        use Dialect::{Json, JsonLines, JsonWithComments, Other};
        let defaults = DEFAULT_JSONC_FILES.map(str::to_owned);
        for (language_id, path, expected) in [
            (Some("json"), "/p/a.json", Json),
            (Some("json"), "Untitled-1", Json),
            (Some("json"), "/p/tsconfig.base.json", JsonWithComments),
            (Some("json"), "/p/tsconfig.json/a.json", Json),
            (Some("json"), "/p/.vscode/settings.json", JsonWithComments),
            (Some("json"), ".vscode/launch.json", JsonWithComments),
            (Some("json"), "/p/vscode/settings.json", Json),
            (Some("json"), "/p/my.vscode/settings.json", Json),
            (Some("json"), "/p/.eslintrc", JsonWithComments),
            (Some("json"), "/p/a.jsonc", JsonWithComments),
            (Some("jsonc"), "/p/a.json", JsonWithComments),
            (Some("json5"), "/p/a.json", Other),
            (Some("hjson"), "/p/a.json", Other),
            (Some("plaintext"), "/p/a.json", Json),
            (Some("plaintext"), "/p/a.JSON", Json),
            (Some(""), "/p/a.txt", Other),
            (Some("jsonl"), "/p/a", JsonLines),
            (Some("ndjson"), "/p/a.json", JsonLines),
            (Some("json"), "/p/a.jsonl", JsonLines),
            (None, "a.ndjson", JsonLines),
            (None, "a.jsonlines", JsonLines),
            (None, "a.json", Json),
            (None, "tsconfig.json", JsonWithComments),
            (None, "README.md", Other),
            (Some("json"), "a.json5", Other),
            (None, ".json", Other),
            (None, "é.json", Json),
        ] {
            assert_eq!(
                Dialect::of_document(language_id, path, &defaults),
                expected,
                "{language_id:?} {path}"
            );
        }
    }

    #[test]
    fn patterns_of_the_user_are_globs() {
        let files = ["conf/**/*.json".to_owned(), "{a,b}.json".to_owned()];
        for (path, expected) in [
            ("/p/conf/x/y.json", Dialect::JsonWithComments),
            ("/p/conf/y.json", Dialect::JsonWithComments),
            ("/p/b.json", Dialect::JsonWithComments),
            ("/p/tsconfig.json", Dialect::Json),
        ] {
            assert_eq!(Dialect::of_document(Some("json"), path, &files), expected, "{path}");
        }
    }
}
