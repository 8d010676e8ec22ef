//! Files and standard input, read as documents.

use std::{
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    cli::arguments::InputArguments,
    policy::{DEFAULT_JSONC_FILES, Dialect, is_look_alike},
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
    pub(super) fn read(file: &Path, arguments: &InputArguments) -> Result<Document, FileError> {
        let path = Some(file).filter(|file| !is_standard_input(file));
        let known_as = path.or(arguments.stdin_filename.as_deref());
        let name = known_as.map_or_else(|| "<stdin>".to_owned(), display_name);
        let file_name = known_as.unwrap_or(Path::new("stdin")).to_string_lossy().into_owned();
        let dialect = known_as.map_or(Dialect::Other, dialect);
        if dialect == Dialect::JsonLines {
            return Err(FileError::read(&name, "JSON Lines files are not supported yet"));
        }
        if arguments.rules.is_none() && known_as.is_some_and(|path| is_look_alike(&path.to_string_lossy())) {
            let reason = "it is named as another language, which is left alone (`--rules` takes it for JSON)";
            return Err(FileError::read(&name, reason));
        }
        let policy = match (arguments.rules, dialect) {
            (Some(rules), _) => Policy::fix(rules),
            // A person who names a file says that it is for us.
            (None, Dialect::Other) => Dialect::Json.policy(RuleSet::ALL),
            (None, dialect) => dialect.policy(RuleSet::ALL),
        };
        let bytes = path.map_or_else(read_standard_input, fs::read);
        let bytes = bytes.map_err(|error| FileError::read(&name, error))?;
        let text = String::from_utf8(bytes).map_err(|error| FileError::invalid_utf8(&name, &error))?;
        Ok(Document { name, path: path.map(Path::to_owned), file_name, text, policy })
    }

    /// Reads a file that is to be replaced.
    ///
    /// It must be a regular one: no other can be replaced, and to open a FIFO
    /// is to wait for its writer.
    pub(super) fn read_to_write(file: &Path, arguments: &InputArguments) -> Result<Document, FileError> {
        match fs::metadata(file) {
            Ok(metadata) if !metadata.is_file() => {
                Err(FileError::write(&display_name(file), "it is not a regular file"))
            }
            // If there is no such file, that is an error of reading it.
            _ => Document::read(file, arguments),
        }
    }
}

/// Whether an argument that names a file means standard input.
pub(super) fn is_standard_input(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn read_standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn dialect(path: &Path) -> Dialect {
    // `settings.json` is another file in `.vscode/` than elsewhere.
    let absolute = std::path::absolute(path);
    let by_name = dialect_by_name(absolute.as_deref().unwrap_or(path));
    // What is written is what a link leads to: its comments stay, too.
    match path.canonicalize().map(|target| dialect_by_name(&target)) {
        Ok(Dialect::JsonWithComments) if by_name == Dialect::Json => Dialect::JsonWithComments,
        _ => by_name,
    }
}

fn dialect_by_name(path: &Path) -> Dialect {
    let path = path.to_string_lossy();
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
    fn read(name: &str, reason: impl fmt::Display) -> FileError {
        FileError(format!("cannot read {name}: {reason}"))
    }

    /// The file could not be written.
    pub(super) fn write(name: &str, reason: impl fmt::Display) -> FileError {
        FileError(format!("cannot write {name}: {reason}"))
    }

    fn invalid_utf8(name: &str, error: &std::string::FromUtf8Error) -> FileError {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[offset];
        let hint = match error.as_bytes() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "; it looks like UTF-16",
            _ => "",
        };
        FileError::read(name, format_args!("invalid UTF-8 at byte offset {offset} (0x{byte:02X}){hint}"))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
