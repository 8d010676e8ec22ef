//! Replaces a file by a new one, all at once.
//!
//! The new text is written to a temporary file beside the old one, which then
//! takes its name. Whoever opens the name finds the old text or the new one,
//! whole, whatever happens in between. Who kills the process may find the
//! temporary file beside it.

use std::{
    fmt, fs,
    hash::{DefaultHasher, Hasher},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// How much is read and written at a time, in bytes.
const CHUNK: usize = 64 * 1024;

/// Replaces what the file at `path` holds, which must be `old` still: a change
/// that somebody else has made meanwhile is not undone. Its permissions stay, and its owner
/// where that is possible. A link is followed: the file at its end is replaced.
pub(super) fn replace(path: &Path, old: &str, contents: &str) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.temporary.write_all(contents.as_bytes())?;
    replacement.commit(|target| holds(target, old.as_bytes()))
}

/// A new file that is to take an old one's name.
#[derive(Debug)]
struct Replacement {
    target: PathBuf,
    metadata: fs::Metadata,
    temporary: NamedTempFile,
}

impl Replacement {
    /// An empty one for the file at `path`.
    fn new(path: &Path) -> io::Result<Replacement> {
        let target = fs::canonicalize(path)?;
        let metadata = fs::metadata(&target)?;
        let directory = target.parent().filter(|_| metadata.is_file());
        let directory = directory.ok_or_else(|| io::Error::other("it is not a regular file"))?;
        // To take its name needs the directory's permission only. Who has made the
        // file itself read-only does not expect it to change.
        fs::OpenOptions::new().write(true).open(&target)?;
        let temporary = tempfile::Builder::new()
            .prefix(".json-repair-lsp-")
            .suffix(".tmp")
            .tempfile_in(directory)
            .map_err(|error| in_context(&error, format_args!("no file can be made in its directory")))?;
        Ok(Replacement { target, metadata, temporary })
    }

    /// Takes the old file's name, if it is unchanged.
    fn commit(self, is_unchanged: impl FnOnce(&Path) -> io::Result<bool>) -> io::Result<()> {
        let Replacement { target, metadata, temporary } = self;
        keep_owner(temporary.as_file(), &metadata);
        temporary.as_file().set_permissions(metadata.permissions())?;
        // The name must not change before the text is on the disk: after a crash
        // it could be that of an empty file.
        temporary.as_file().sync_all()?;
        // Between this and the next line nobody can be kept out, but writing takes
        // longer than that.
        if !is_unchanged(&target)? {
            return Err(changed_meanwhile());
        }
        temporary.persist(&target).map_err(|error| error.error)?;
        if let Some(directory) = target.parent() {
            sync_directory(directory);
        }
        Ok(())
    }
}

/// Replaces a file while it is being read, in constant memory.
///
/// It is told of every piece of the old file, in order. Nothing is written
/// before there is something to change, so that a file that stays as it is
/// needs no place to write to.
#[derive(Debug)]
pub(super) struct Rewrite<'path> {
    path: &'path Path,
    /// Of what was read.
    old: Digest,
    new: Option<BufWriter<Replacement>>,
}

impl<'path> Rewrite<'path> {
    /// Of the file at `path`, of which nothing was read yet.
    pub(super) fn new(path: &'path Path) -> Rewrite<'path> {
        Rewrite { path, old: Digest::default(), new: None }
    }

    /// The next piece stays as it is.
    pub(super) fn keep(&mut self, piece: &[u8]) -> io::Result<()> {
        self.old.add(piece);
        self.new.as_mut().map_or(Ok(()), |new| new.write_all(piece))
    }

    /// The next piece, `old`, becomes `new`.
    pub(super) fn change<'text>(
        &mut self,
        old: &[u8],
        new: impl Iterator<Item = &'text str>,
    ) -> io::Result<()> {
        let before = self.old.clone();
        self.old.add(old);
        let out = match &mut self.new {
            Some(out) => out,
            none => none.insert(Rewrite::begin(self.path, &before)?),
        };
        for piece in new {
            out.write_all(piece.as_bytes())?;
        }
        Ok(())
    }

    /// A new file that begins as the old one did, as far as that was read.
    fn begin(path: &Path, before: &Digest) -> io::Result<BufWriter<Replacement>> {
        let mut new = BufWriter::with_capacity(CHUNK, Replacement::new(path)?);
        let mut copied = Digest::default();
        for_each_chunk(fs::File::open(path)?.take(before.length), |chunk| {
            copied.add(chunk);
            new.write_all(chunk)
        })?;
        if copied == *before { Ok(new) } else { Err(changed_meanwhile()) }
    }

    /// All of the old file was told of: the new one takes its name, if there
    /// was something to change.
    pub(super) fn finish(self) -> io::Result<()> {
        let Some(new) = self.new else { return Ok(()) };
        let replacement = new.into_inner().map_err(io::IntoInnerError::into_error)?;
        replacement.commit(|target| {
            let mut found = Digest::default();
            for_each_chunk(fs::File::open(target)?, |chunk| {
                found.add(chunk);
                Ok(())
            })?;
            Ok(found == self.old)
        })
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

/// What stands for bytes that are not kept: others are told from them, unless
/// somebody is at pains to make them look alike.
#[derive(Clone, Debug, Default)]
struct Digest {
    length: u64,
    hasher: DefaultHasher,
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hasher.write(bytes);
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Digest) -> bool {
        self.length == other.length && self.hasher.finish() == other.hasher.finish()
    }
}

fn changed_meanwhile() -> io::Error {
    io::Error::other("it has changed since it was read")
}

/// Reads all of `input`, piece by piece.
fn for_each_chunk(input: impl Read, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut input = BufReader::with_capacity(CHUNK, input);
    loop {
        let chunk = match input.fill_buf() {
            Ok([]) => return Ok(()),
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        take(chunk)?;
        let length = chunk.len();
        input.consume(length);
    }
}

/// Whether the file at `path` holds just this.
fn holds(path: &Path, expected: &[u8]) -> io::Result<bool> {
    let mut rest = Some(expected);
    for_each_chunk(fs::File::open(path)?, |chunk| {
        rest = rest.and_then(|rest| rest.strip_prefix(chunk));
        Ok(())
    })?;
    Ok(rest == Some(&[]))
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

    #[test]
    fn a_file_is_rewritten_piece_by_piece_unless_it_has_changed_meanwhile() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.jsonl");
        let rewrite = |meanwhile: [Option<&str>; 2], pieces: &[(&str, Option<&str>)]| {
            fs::write(&path, pieces.iter().map(|(old, _)| *old).collect::<String>()).expect("a file");
            let mut rewrite = Rewrite::new(&path);
            for (index, (old, new)) in pieces.iter().enumerate() {
                if let Some(text) = meanwhile[0].filter(|_| index == 1) {
                    fs::write(&path, text).expect("a file");
                }
                match new {
                    None => rewrite.keep(old.as_bytes())?,
                    Some(new) => rewrite.change(old.as_bytes(), new.split_inclusive('1'))?,
                }
            }
            if let Some(text) = meanwhile[1] {
                fs::write(&path, text).expect("a file");
            }
            rewrite.finish()
        };
        let pieces = [("{}\n", None), ("[1,]\n", Some("[1]\n")), ("[]\n", None), ("[1", Some("[1]"))];
        rewrite([None, None], &pieces).expect("it has not changed");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{}\n[1]\n[]\n[1]");
        for meanwhile in [
            // Before something is to be copied, and after all was read.
            [Some("[]\n[1,]\n[]\n[1"), None],
            [Some(""), None],
            [None, Some("{}\n[1,]\n[]\n[1]\n")],
            [None, Some("{}\n[1,]\n[]\n[2")],
            [None, Some("")],
        ] {
            let error = rewrite(meanwhile, &pieces).expect_err("it has changed");
            assert_eq!(error.to_string(), "it has changed since it was read");
            let changed = meanwhile[0].or(meanwhile[1]);
            assert_eq!(Some(&*fs::read_to_string(&path).expect("a file")), changed);
        }
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn a_digest_does_not_depend_on_how_bytes_are_cut() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        let digest = |size: usize| {
            let mut digest = Digest::default();
            bytes.chunks(size).for_each(|chunk| digest.add(chunk));
            digest
        };
        for size in 1..40 {
            assert_eq!(digest(size), digest(1000), "{size}");
        }
        let mut other = Digest::default();
        other.add(&bytes[1..]);
        assert_ne!(other, digest(1000));
    }
}
