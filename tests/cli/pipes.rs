//! Readers that go away, and outputs that are full.

use std::process::Stdio;

use crate::command::{Workspace, finish, wait};

#[test]
fn a_reader_that_goes_away_ends_a_run_quietly() {
    let workspace = Workspace::with("a.json", &format!("[{}1,]", "\"some text\",\n".repeat(500_000)));
    let modes = [&["repair", "-q"][..], &["repair", "-q", "--json"], &["repair", "-q", "--diff"]];
    for mode in modes {
        let mut child =
            workspace.command(&[mode, &["a.json", "a.json"]].concat()).spawn().expect("it starts");
        drop(child.stdout.take());
        assert_eq!(wait(&mut child), Some(0), "{mode:?}");
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("a pipe"), &mut stderr).expect("UTF-8");
        assert_eq!(stderr, "", "{mode:?}");
    }
    let request = "{\"text\":\"[1,]\"}\n".repeat(100_000);
    let mut command = workspace.command(&["execute"]);
    command.stdout(closed_pipe());
    let run = finish(&mut command, request.as_bytes());
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
}

/// A pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn a_report_that_nobody_reads_changes_nothing() {
    let workspace = Workspace::with("a.json", "[1,]");
    for (arguments, code, stdout) in [
        (&["check", "a.json"][..], 1, ""),
        (&["repair", "a.json"], 0, "[1]"),
        (&["repair", "a.json", "missing.json"], 2, "[1]"),
    ] {
        let mut command = workspace.command(arguments);
        command.stderr(closed_pipe());
        let run = finish(&mut command, b"");
        assert_eq!((run.code, &*run.stdout), (Some(code), stdout), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let workspace = Workspace::with("a.json", "[1,]");
    let runs = [
        &["repair", "a.json"][..],
        &["repair", "--diff", "a.json"],
        &["repair", "--json", "a.json"],
        &["execute"],
    ];
    for arguments in runs {
        let mut command = workspace.command(arguments);
        command.stdout(std::fs::File::create("/dev/full").expect("a device"));
        let run = finish(&mut command, b"{\"text\":\"1\"}");
        assert_eq!(run.code, Some(2), "{arguments:?} {run:?}");
        assert!(run.stderr.contains("error: cannot write to standard output: "), "{arguments:?} {run:?}");
    }
}
