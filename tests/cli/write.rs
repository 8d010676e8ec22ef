//! `repair --write`: which files it changes, and that it does it all at once.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

#[cfg(unix)]
use crate::command::{Finished, finish};
use crate::command::{Workspace, wait};

#[test]
fn a_file_changes_if_the_result_is_valid_and_nothing_is_doubtful() {
    for (contents, written, forced) in [
        // What `--write` leaves, then what `--write --force` leaves, each with
        // the exit status.
        ("[1,]\n", ("[1]\n", 0), ("[1]\n", 0)),
        ("{\"t\":\"half\r\n", ("{\"t\":\"half\"}\r\n", 0), ("{\"t\":\"half\"}\r\n", 0)),
        ("[1] // c", ("[1] ", 0), ("[1] ", 0)),
        ("{}", ("{}", 0), ("{}", 0)),
        // Doubtful.
        ("[1/**/2]", ("[1/**/2]", 1), ("[12]", 0)),
        ("[,]", ("[,]", 1), ("[]", 0)),
        ("/* c\n[1]", ("/* c\n[1]", 1), ("", 1)),
        ("[\"a]", ("[\"a]", 1), ("[\"a]\"]", 0)),
        // Invalid.
        ("[1 2,]", ("[1 2,]", 1), ("[1 2]", 1)),
        ("[1 2]", ("[1 2]", 1), ("[1 2]", 1)),
        ("", ("", 1), ("", 1)),
        ("\u{feff}[1,]", ("\u{feff}[1,]", 1), ("\u{feff}[1]", 1)),
    ] {
        for (arguments, (expected, code)) in [
            (&["repair", "--write", "a.json"][..], written),
            (&["repair", "-w", "--force", "a.json"], forced),
        ] {
            let workspace = Workspace::with("a.json", contents);
            let run = workspace.run(arguments);
            assert_eq!(
                (&*workspace.read("a.json"), run.code),
                (expected, Some(code)),
                "{arguments:?} {run:?}"
            );
            assert_eq!(run.stdout, "", "{arguments:?} {contents:?}");
            assert_eq!(workspace.names(), ["a.json"], "{arguments:?} {contents:?}");
        }
    }
}

#[test]
fn a_file_that_is_left_alone_says_why() {
    for (contents, reason) in [
        ("[1/**/2]", "a.json was left as it is: its one edit is doubtful (`--force` makes it)"),
        ("[1/**/2,]", "a.json was left as it is: 1 of its 2 edits is doubtful (`--force` makes them)"),
        ("[1/**/2,[,]]", "a.json was left as it is: 2 of its 2 edits are doubtful (`--force` makes them)"),
        (
            "[1 2,]",
            "a.json was left as it is: it would still not be valid JSON (`--force` writes it all the same)",
        ),
    ] {
        let run = Workspace::with("a.json", contents).run(&["repair", "--write", "a.json"]);
        assert!(run.stderr.ends_with(&format!("error: {reason}\n")), "{}", run.stderr);
        // Its edits are shown as what they are: needed, and not made.
        assert!(run.stderr.starts_with("error["), "{}", run.stderr);
    }
}

#[test]
fn a_file_that_needs_no_repair_is_not_touched() {
    for contents in ["{\"a\": 1}\n", "[1 2]", "[1/**/2]", ""] {
        let workspace = Workspace::with("a.json", contents);
        let old = fs::File::options().write(true).open(workspace.path("a.json")).expect("a file");
        let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        old.set_modified(long_ago).expect("a time");
        drop(old);
        workspace.run(&["repair", "--write", "a.json"]);
        let metadata = fs::metadata(workspace.path("a.json")).expect("a file");
        assert_eq!(metadata.modified().expect("a time"), long_ago, "{contents:?}");
    }
}

#[test]
fn every_file_of_several_is_written() {
    let workspace = Workspace::new();
    workspace.write("a.json", "[1,]");
    workspace.write("b.json", "[1,,]");
    workspace.write("sub/c.json", "[3");
    let run = workspace.run(&["repair", "--write", "a.json", "b.json", "missing.json", "sub/c.json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        workspace.read("a.json") + &workspace.read("b.json") + &workspace.read("sub/c.json"),
        "[1][1,,][3]"
    );
}

#[test]
fn nobody_ever_finds_half_a_file() {
    // One of the two texts is there at any time, and can be told by its ends.
    let broken = format!("[{}1,]\n", "\"some text\",\n".repeat(200_000));
    let repaired = broken.replace("1,]", "1]");
    let workspace = Workspace::with("a.json", &broken);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut seen = 0;
            while !is_over.load(Ordering::Relaxed) || seen == 0 {
                let text = workspace.read("a.json");
                assert!(text == broken || text == repaired, "{} bytes", text.len());
                seen += 1;
            }
        });
        for _ in 0..10 {
            // Written as an editor writes that does it right: all at once.
            workspace.write("new", &broken);
            fs::rename(workspace.path("new"), workspace.path("a.json")).expect("a new name");
            let mut child =
                workspace.command(&["repair", "-q", "--write", "a.json"]).spawn().expect("it starts");
            assert_eq!(wait(&mut child), Some(0));
            assert_eq!(workspace.read("a.json"), repaired);
        }
        is_over.store(true, Ordering::Relaxed);
        watcher.join().expect("never half a file");
    });
    assert_eq!(workspace.names(), ["a.json"]);
}

#[test]
fn who_is_killed_leaves_the_old_file_or_the_new_one() {
    let broken = format!("[{}1,]\n", "\"some text\",\n".repeat(20_000));
    let repaired = broken.replace("1,]", "1]");
    let workspace = Workspace::new();
    let run = || workspace.command(&["repair", "-q", "--write", "a.json"]).spawn().expect("it starts");
    workspace.write("a.json", &broken);
    let started = std::time::Instant::now();
    assert_eq!(wait(&mut run()), Some(0));
    let whole = started.elapsed();
    const KILLS: u32 = 40;
    for kill in 0..KILLS {
        workspace.write("a.json", &broken);
        let mut child = run();
        // All over a run, and somewhat behind it.
        thread::sleep(whole * kill / (KILLS - 5));
        // It may be too late for that.
        let _ = child.kill();
        wait(&mut child);
        let found = workspace.read("a.json");
        assert!(found == broken || found == repaired, "{} bytes", found.len());
        for name in workspace.names().iter().filter(|name| *name != "a.json") {
            assert!(name.starts_with(".json-repair-lsp-") && name.ends_with(".tmp"), "{name}");
            fs::remove_file(workspace.path(name)).expect("a file");
        }
    }
}

/// A limit on the size of files stands for a full disk: writing fails in the
/// middle.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_file_as_it_is_and_the_others_done() {
    let large = format!("[{}1,]\n", "\"some text\",\n".repeat(20_000));
    let workspace = Workspace::with("large.json", &large);
    workspace.write("small.json", "[1,]");
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" repair --write -q large.json small.json";
    let binary = env!("CARGO_BIN_EXE_json-repair-lsp");
    let run = finish(&mut workspace.command_of("sh".as_ref(), &["-c", script, binary]), b"");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with("error: cannot write large.json: File too large"), "{run:?}");
    assert_eq!((workspace.read("large.json") == large, &*workspace.read("small.json")), (true, "[1]"));
    assert_eq!(workspace.names(), ["large.json", "small.json"]);
}

#[test]
fn one_of_a_thousand_that_cannot_be_read_leaves_the_others_done() {
    let workspace = Workspace::new();
    let names: Vec<String> = (0..1000).map(|index| format!("{index:03}.json")).collect();
    for name in &names {
        workspace.write(name, if name == "500.json" { &b"[1,\xFF]"[..] } else { b"[1,]" });
    }
    let arguments: Vec<&str> =
        ["repair", "-q", "--write"].into_iter().chain(names.iter().map(|name| &**name)).collect();
    let run = workspace.run(&arguments);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.stderr, "error: cannot read 500.json: invalid UTF-8 at byte offset 3 (0xFF)\n");
    for name in names.iter().filter(|name| *name != "500.json") {
        assert_eq!(workspace.read(name), "[1]", "{name}");
    }
    assert_eq!(fs::read(workspace.path("500.json")).expect("a file"), b"[1,\xFF]");
    assert_eq!(workspace.names().len(), 1000);
}

#[cfg(unix)]
#[test]
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt;

    for mode in [0o600, 0o644, 0o755, 0o664] {
        let workspace = Workspace::with("a.json", "[1,]");
        let path = workspace.path("a.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        assert_eq!(workspace.run(&["repair", "--write", "a.json"]).code, Some(0));
        assert_eq!(workspace.read("a.json"), "[1]");
        let found = fs::metadata(&path).expect("a file").permissions().mode() & 0o7777;
        assert_eq!(found, mode, "{found:o} {mode:o}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_what_it_points_at_is_changed() {
    use std::os::unix::fs::symlink;

    let workspace = Workspace::with("real/a.json", "[1,]");
    fs::create_dir(workspace.path("links")).expect("a directory");
    symlink("../real/a.json", workspace.path("links/one.json")).expect("a link");
    symlink("one.json", workspace.path("links/two.json")).expect("a link");
    let run = workspace.run(&["repair", "--write", "links/two.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(fs::read_to_string(workspace.path("real/a.json")).expect("a file"), "[1]");
    for (link, target) in [("links/one.json", "../real/a.json"), ("links/two.json", "one.json")] {
        assert_eq!(fs::read_link(workspace.path(link)).expect("a link").to_str(), Some(target));
    }
    for directory in ["real", "links"] {
        let names = fs::read_dir(workspace.path(directory)).expect("a directory").count();
        assert_eq!(names, if directory == "real" { 1 } else { 2 });
    }
    // Either name may say that there may be comments: that of the link, which
    // is what the person has named, and that of the file, which is written.
    symlink("real/a.json", workspace.path("tsconfig.json")).expect("a link");
    workspace.write("real/a.json", "[1,] // c");
    assert_eq!(workspace.run(&["repair", "--write", "tsconfig.json"]).code, Some(0));
    assert_eq!(workspace.read("real/a.json"), "[1,] // c");
    workspace.write("jsconfig.json", "[1,] // c");
    symlink("jsconfig.json", workspace.path("config.json")).expect("a link");
    assert_eq!(workspace.run(&["repair", "--write", "config.json"]).code, Some(0));
    assert_eq!(workspace.read("jsconfig.json"), "[1,] // c");
    // A link to nothing is no file.
    symlink("nothing", workspace.path("dangling.json")).expect("a link");
    assert_eq!(workspace.run(&["repair", "--write", "dangling.json"]).code, Some(2));
    assert!(!workspace.path("nothing").exists());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_replaced_by_one() {
    use std::os::unix::fs::FileTypeExt;

    let workspace = Workspace::with("dir/a.json", "[1,]");
    let has_fifo = std::process::Command::new("mkfifo").arg(workspace.path("fifo.json")).status();
    let mut names = vec!["dir", "/dev/null"];
    if has_fifo.is_ok_and(|status| status.success()) {
        names.push("fifo.json");
    }
    for name in &names {
        let run = workspace.run(&["repair", "--write", "--force", name]);
        assert_eq!(run.code, Some(2), "{name} {run:?}");
        assert_eq!(run.stderr, format!("error: cannot write {name}: it is not a regular file\n"));
    }
    assert!(fs::metadata("/dev/null").expect("a device").file_type().is_char_device());
    if names.len() == 3 {
        let kind = fs::metadata(workspace.path("fifo.json")).expect("a FIFO").file_type();
        assert!(kind.is_fifo());
    }
}

/// Runs as somebody who is not root, for whom permissions mean something.
///
/// `None` where that cannot be.
#[cfg(unix)]
fn run_as_nobody(workspace: &Workspace, arguments: &[&str]) -> Option<Finished> {
    use std::os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    };

    let open = |path: &std::path::Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755));
    open(workspace.root()).expect("a mode");
    let is_root = fs::metadata(workspace.root()).expect("a directory").uid() == 0;
    if !is_root {
        return Some(workspace.run(arguments));
    }
    // The build directory may be out of anybody else's reach.
    let elsewhere = Workspace::new();
    open(elsewhere.root()).expect("a mode");
    let binary = elsewhere.path("json-repair-lsp");
    fs::copy(env!("CARGO_BIN_EXE_json-repair-lsp"), &binary).expect("a copy");
    open(&binary).expect("a mode");
    let mut command = workspace.command_of(&binary, arguments);
    command.uid(65534).gid(65534);
    if command.arg("--version").output().is_err() {
        eprintln!("skipped: root cannot be somebody else here");
        return None;
    }
    let mut command = workspace.command_of(&binary, arguments);
    Some(finish(command.uid(65534).gid(65534), b""))
}

#[cfg(unix)]
fn set_mode(workspace: &Workspace, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(workspace.path(name), fs::Permissions::from_mode(mode)).expect("a mode");
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_or_written_is_an_error_that_says_so() {
    let workspace = Workspace::new();
    // Each in a directory of its own, and all of them open to everybody but
    // for one thing.
    for (directory, directory_mode, file_mode, message) in [
        ("unreadable", 0o777, 0o200, "error: cannot read unreadable/a.json: Permission denied"),
        ("read_only_file", 0o777, 0o444, "error: cannot write read_only_file/a.json: Permission denied"),
        (
            "read_only_directory",
            0o555,
            0o666,
            "error: cannot write read_only_directory/a.json: no file can be made in its directory: Permission denied",
        ),
        ("closed_directory", 0o600, 0o666, "error: cannot read closed_directory/a.json: Permission denied"),
    ] {
        let file = format!("{directory}/a.json");
        workspace.write(&file, "[1,]");
        workspace.write("other.json", "[1,]");
        set_mode(&workspace, "other.json", 0o666);
        set_mode(&workspace, &file, file_mode);
        set_mode(&workspace, directory, directory_mode);
        let run = run_as_nobody(&workspace, &["repair", "--write", &file, "other.json"]);
        set_mode(&workspace, directory, 0o755);
        let Some(run) = run else { return };
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
        set_mode(&workspace, &file, 0o644);
        assert_eq!(workspace.read(&file), "[1,]");
        assert_eq!(fs::read_dir(workspace.path(directory)).expect("a directory").count(), 1);
    }
    // The others are done.
    fs::create_dir(workspace.path("open")).expect("a directory");
    set_mode(&workspace, "open", 0o777);
    workspace.write("open/a.json", "[1,]");
    set_mode(&workspace, "open/a.json", 0o666);
    set_mode(&workspace, "unreadable/a.json", 0o200);
    let arguments = ["repair", "--write", "unreadable/a.json", "open/a.json"];
    if let Some(run) = run_as_nobody(&workspace, &arguments) {
        assert_eq!(run.code, Some(2), "{run:?}");
        assert_eq!(workspace.read("open/a.json"), "[1]");
    }
}

#[cfg(unix)]
#[test]
fn the_owner_stays_where_that_is_possible() {
    use std::os::unix::fs::{MetadataExt, chown};

    let workspace = Workspace::with("a.json", "[1,]");
    if chown(workspace.path("a.json"), Some(65534), Some(65534)).is_err() {
        eprintln!("skipped: only root may give files away");
        return;
    }
    assert_eq!(workspace.run(&["repair", "--write", "a.json"]).code, Some(0));
    let metadata = fs::metadata(workspace.path("a.json")).expect("a file");
    assert_eq!((metadata.uid(), metadata.gid()), (65534, 65534));
}
