//! Files and standard input, read as documents or line by line.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    str::Utf8Error,
};

use crate::{
    cli::arguments::InputArguments,
    policy::{DEFAULT_JSONC_FILES, Dialect, is_look_alike},
    repair::{Policy, RuleSet},
};

/// A file or standard input, and what its name tells of it.
#[derive(Debug)]
pub(super) struct Source {
    /// What it is called in reports.
    pub(super) name: String,
    /// Where it is; `None` for standard input.
    pub(super) path: Option<PathBuf>,
    /// The name to put into a diff.
    pub(super) file_name: String,
    /// That of the text, or of each of its lines.
    pub(super) policy: Policy,
    /// Whether it is JSON Lines.
    pub(super) has_lines: bool,
}

impl Source {
    /// The file, or standard input if it is called `-`. Nothing is read yet.
    pub(super) fn of(file: &Path, arguments: &InputArguments) -> Result<Source, FileError> {
        let path = Some(file).filter(|file| !is_standard_input(file));
        let known_as = path.or(arguments.stdin_filename.as_deref());
        let name = known_as.map_or_else(|| "<stdin>".to_owned(), display_name);
        let file_name = known_as.unwrap_or(Path::new("stdin")).to_string_lossy().into_owned();
        let dialect = match known_as {
            _ if arguments.lines => Dialect::JsonLines,
            Some(path) => dialect(path),
            None => Dialect::Other,
        };
        let is_asked_for = arguments.lines || arguments.rules.is_some();
        if !is_asked_for && known_as.is_some_and(|path| is_look_alike(&path.to_string_lossy())) {
            let reason = "it is named as another language, which is left alone (`--rules` takes it for JSON)";
            return Err(FileError::read(&name, reason));
        }
        let policy = match (arguments.rules, dialect) {
            (Some(rules), _) => Policy::fix(rules),
            // A person who names a file says that it is for us.
            (None, Dialect::Other) => Dialect::Json.policy(RuleSet::ALL),
            (None, dialect) => dialect.policy(RuleSet::ALL),
        };
        let has_lines = dialect == Dialect::JsonLines;
        Ok(Source { name, path: path.map(Path::to_owned), file_name, policy, has_lines })
    }

    /// The same for a file that is to be replaced.
    ///
    /// It must be a regular one: no other can be replaced, and to open a FIFO
    /// is to wait for its writer.
    pub(super) fn of_writable(file: &Path, arguments: &InputArguments) -> Result<Source, FileError> {
        match fs::metadata(file) {
            Ok(metadata) if !metadata.is_file() => {
                Err(FileError::write(&display_name(file), "it is not a regular file"))
            }
            // If there is no such file, that is an error of reading it.
            _ => Source::of(file, arguments),
        }
    }

    /// Reads all of it.
    pub(super) fn read(&self) -> Result<String, FileError> {
        let mut bytes = Vec::new();
        match &self.path {
            Some(path) => fs::read(path).map(|read| bytes = read),
            None => io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
        }
        .map_err(|error| self.unreadable(error))?;
        String::from_utf8(bytes).map_err(|error| {
            let (offset, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
            let (byte, hint) = (bytes[offset], encoding_hint(bytes));
            self.unreadable(format_args!("invalid UTF-8 at byte offset {offset} (0x{byte:02X}){hint}"))
        })
    }

    /// Opens it to be read piece by piece.
    pub(super) fn open(&self) -> Result<Box<dyn Read>, FileError> {
        match &self.path {
            Some(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(error)),
            },
            None => Ok(Box::new(io::stdin().lock())),
        }
    }

    /// It could not be read.
    pub(super) fn unreadable(&self, reason: impl fmt::Display) -> FileError {
        FileError::read(&self.name, reason)
    }

    /// Line `number` of it is not UTF-8.
    pub(super) fn line_not_utf8(&self, number: usize, line: &[u8], error: Utf8Error) -> FileError {
        let offset = error.valid_up_to();
        let column = 1 + String::from_utf8_lossy(&line[..offset]).chars().count();
        let (name, byte) = (&self.name, line[offset]);
        let hint = if number == 1 { encoding_hint(line) } else { "" };
        FileError(format!("cannot read {name}:{number}:{column}: invalid UTF-8 (0x{byte:02X}){hint}"))
    }
}

/// What may be behind bytes that are not UTF-8.
fn encoding_hint(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "; it looks like UTF-16",
        _ => "",
    }
}

/// Whether an argument that names a file means standard input.
pub(super) fn is_standard_input(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn dialect(path: &Path) -> Dialect {
    // `settings.json` is another file in `.vscode/` than elsewhere.
    let absolute = std::path::absolute(path);
    let by_name = dialect_by_name(absolute.as_deref().unwrap_or(path));
    // What is written is what a link leads to: its comments stay, too, and its
    // lines are lines.
    match (by_name, path.canonicalize().map(|target| dialect_by_name(&target))) {
        (Dialect::Json, Ok(Dialect::JsonWithComments)) => Dialect::JsonWithComments,
        (Dialect::Json | Dialect::Other, Ok(Dialect::JsonLines)) => Dialect::JsonLines,
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

    /// What its diff is kept in could not be written.
    pub(super) fn diff(name: &str, reason: impl fmt::Display) -> FileError {
        FileError(format!("cannot keep the diff of {name} in a temporary file: {reason}"))
    }

    /// The file could not be written.
    pub(super) fn write(name: &str, reason: impl fmt::Display) -> FileError {
        FileError(format!("cannot write {name}: {reason}"))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
