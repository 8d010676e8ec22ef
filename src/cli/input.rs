//! Files and standard input, read as documents.

use std::{
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    cli::{InputArguments, is_standard_input},
    policy::{DEFAULT_JSONC_FILES, Dialect},
    repair::{Policy, RuleSet},
};

/// A document: what a file or standard input holds.
#[derive(Debug)]
pub(super) struct Document {
    /// What it is called in reports.
    pub(super) name: String,
    /// Where it is; `None` for standard input.
    pub(super) path: Option<PathBuf>,
    /// The name to put into a diff.
    pub(super) file_name: String,
    pub(super) text: String,
    pub(super) policy: Policy,
}

impl Document {
    /// Reads a file, or standard input if it is called `-`.
    ///
    /// A file that `is_to_be_written` must be a regular one: no other can be
    /// replaced, and to open a FIFO is to wait for its writer.
    pub(super) fn read(
        file: &Path,
        arguments: &InputArguments,
        is_to_be_written: bool,
    ) -> Result<Document, FileError> {
        let path = Some(file).filter(|file| !is_standard_input(file));
        let known_as = path.or(arguments.stdin_filename.as_deref());
        let name = known_as.map_or_else(|| "<stdin>".to_owned(), display_name);
        let file_name = known_as.unwrap_or(Path::new("stdin")).to_string_lossy().into_owned();
        let dialect = known_as.map_or(Dialect::Other, dialect);
        if dialect == Dialect::JsonLines {
            return Err(FileError::new("read", &name, "JSON Lines files are not supported yet"));
        }
        let policy = match (arguments.rules, dialect) {
            (Some(rules), _) => Policy::fix(rules),
            // A person who names a file says that it is for us.
            (None, Dialect::Other) => Dialect::Json.policy(RuleSet::ALL),
            (None, dialect) => dialect.policy(RuleSet::ALL),
        };
        let bytes = match path {
            Some(path) => read_file(path, is_to_be_written),
            None => read_standard_input(),
        };
        let bytes = bytes.map_err(|error| FileError::new("read", &name, error))?;
        let text = String::from_utf8(bytes).map_err(|error| FileError::invalid_utf8(&name, &error))?;
        Ok(Document { name, path: path.map(Path::to_owned), file_name, text, policy })
    }
}

fn read_file(path: &Path, is_to_be_written: bool) -> io::Result<Vec<u8>> {
    if is_to_be_written && !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    fs::read(path)
}

fn read_standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn dialect(path: &Path) -> Dialect {
    // `settings.json` is another file in `.vscode/` than elsewhere.
    let absolute = std::path::absolute(path);
    let path = absolute.as_deref().unwrap_or(path).to_string_lossy();
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() };
    Dialect::of_document(None, &path, &DEFAULT_JSONC_FILES.map(str::to_owned))
}

/// A file's name, on one line and without anything that a terminal obeys.
fn display_name(path: &Path) -> String {
    let mut name = String::new();
    for character in path.to_string_lossy().chars() {
        if character.is_control() {
            name.extend(character.escape_default());
        } else {
            name.push(character);
        }
    }
    name
}

/// What kept a file from being read or written, in a sentence that names it.
#[derive(Debug)]
pub(super) struct FileError(String);

impl FileError {
    fn new(verb: &str, name: &str, reason: impl fmt::Display) -> FileError {
        FileError(format!("cannot {verb} {name}: {reason}"))
    }

    /// `error` kept the file from being written.
    pub(super) fn write(name: &str, error: impl fmt::Display) -> FileError {
        FileError::new("write", name, error)
    }

    fn invalid_utf8(name: &str, error: &std::string::FromUtf8Error) -> FileError {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[offset];
        let hint = match error.as_bytes() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "; it looks like UTF-16",
            _ => "",
        };
        FileError::new(
            "read",
            name,
            format_args!("invalid UTF-8 at byte offset {offset} (0x{byte:02X}){hint}"),
        )
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
