//! Runs the real binary, and does not wait for one that hangs.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use tempfile::TempDir;

/// What is longer than any run takes: then something hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A directory of a test's own, and runs in it.
pub(crate) struct Workspace {
    directory: TempDir,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit status; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workspace {
    pub(crate) fn new() -> Workspace {
        Workspace { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    /// A directory that holds one file.
    pub(crate) fn with(name: &str, contents: &str) -> Workspace {
        let workspace = Workspace::new();
        workspace.write(name, contents);
        workspace
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file, and makes the directories that it needs.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, contents).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file of UTF-8")
    }

    /// The names in the directory, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).expect("a directory");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The binary in this directory, with nothing in its environment that asks
    /// for colours or against them.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_json-repair-lsp")), arguments)
    }

    pub(crate) fn command_of(&self, binary: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary);
        command.args(arguments).current_dir(self.root());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Finished {
        finish(&mut self.command(arguments), input.as_ref())
    }
}

/// Runs `command` to its end.
pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Finished {
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A run that needs no more of it may end without reading all of it.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let stdout = child.stdout.take().map(drain);
    let stderr = child.stderr.take().map(drain);
    let code = wait(&mut child);
    writer.join().expect("input is written");
    let text = |pipe: Option<thread::JoinHandle<Vec<u8>>>| {
        let bytes = pipe.map_or_else(Vec::new, |pipe| pipe.join().expect("output is read"));
        String::from_utf8(bytes).expect("output is UTF-8")
    };
    Finished { code, stdout: text(stdout), stderr: text(stderr) }
}

fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// Waits for `child`, but not for ever.
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code();
        }
        if waited > PATIENCE {
            child.kill().expect("a child can be killed");
            panic!("it hangs");
        }
        thread::sleep(step);
        waited += step;
    }
}

/// Hands over the lines of `pipe` as they come.
pub(crate) fn lines(pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    use std::io::BufRead;

    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in std::io::BufReader::new(pipe).lines() {
            if sender.send(line.expect("a line of UTF-8")).is_err() {
                break;
            }
        }
    });
    receiver
}
