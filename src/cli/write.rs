//! Replaces a file by a new one, all at once.
//!
//! The new text is written to a temporary file beside the old one, which then
//! takes its name. Whoever opens the name finds the old text or the new one,
//! whole, whatever happens in between. Who kills the process may find the
//! temporary file beside it.

use std::{
    fmt, fs,
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

/// Replaces what the file at `path` holds, which must be `old` still: a change
/// that somebody else has made meanwhile is not undone. Its permissions stay, and its owner
/// where that is possible. A link is followed: the file at its end is replaced.
pub(super) fn replace(path: &Path, old: &str, contents: &str) -> io::Result<()> {
    let target = fs::canonicalize(path)?;
    let metadata = fs::metadata(&target)?;
    let directory = target.parent().filter(|_| metadata.is_file());
    let directory = directory.ok_or_else(|| io::Error::other("it is not a regular file"))?;
    // To take its name needs the directory's permission only. Who has made the
    // file itself read-only does not expect it to change.
    fs::OpenOptions::new().write(true).open(&target)?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".json-repair-lsp-")
        .suffix(".tmp")
        .tempfile_in(directory)
        .map_err(|error| in_context(&error, format_args!("no file can be made in its directory")))?;
    temporary.write_all(contents.as_bytes())?;
    keep_owner(temporary.as_file(), &metadata);
    temporary.as_file().set_permissions(metadata.permissions())?;
    // The name must not change before the text is on the disk: after a crash
    // it could be that of an empty file.
    temporary.as_file().sync_all()?;
    // Between this and the next line nobody can be kept out, but writing takes
    // longer than that.
    if !holds(&target, old.as_bytes())? {
        return Err(io::Error::other("it has changed since it was read"));
    }
    temporary.persist(&target).map_err(|error| error.error)?;
    sync_directory(directory);
    Ok(())
}

/// Whether the file at `path` holds just this.
fn holds(path: &Path, mut expected: &[u8]) -> io::Result<bool> {
    let mut file = BufReader::with_capacity(64 * 1024, fs::File::open(path)?);
    loop {
        let found = match file.fill_buf() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if found.is_empty() {
            return Ok(expected.is_empty());
        }
        let Some(rest) = expected.strip_prefix(found) else { return Ok(false) };
        expected = rest;
        let length = found.len();
        file.consume(length);
    }
}

fn in_context(error: &io::Error, context: fmt::Arguments<'_>) -> io::Error {
    io::Error::new(error.kind(), format!("{context}: {error}"))
}

/// Hands `file` to the owner and group of the old one.
///
/// Only root may give a file away; for everybody else the new file is theirs,
/// as it is with every program that replaces files.
#[cfg(unix)]
fn keep_owner(file: &fs::File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &fs::File, _old: &fs::Metadata) {}

/// Makes the new name last. The text is safe either way, so that a file system
/// which cannot do this does no harm.
#[cfg(unix)]
fn sync_directory(directory: &Path) {
    let _ = fs::File::open(directory).and_then(|directory| directory.sync_all());
}

#[cfg(not(unix))]
fn sync_directory(_directory: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_changed_meanwhile_is_left_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.json");
        for found in ["[1,]\n", "[1", "[1,]x", "", "[2,]"] {
            fs::write(&path, found).expect("a file");
            let error = replace(&path, "[1,]", "[1]").expect_err("it has changed");
            assert_eq!(error.to_string(), "it has changed since it was read");
            assert_eq!(fs::read_to_string(&path).expect("a file"), found);
        }
        fs::write(&path, "[1,]").expect("a file");
        replace(&path, "[1,]", "[1]").expect("it has not changed");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "[1]");
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1);
    }
}
