//! `repair --diff`: what the tools that read diffs make of it.

use std::{path::Path, process::Command};

use crate::command::{Workspace, finish};

/// What is repaired: everything that is special about lines.
const TEXTS: &[&str] = &[
    "[1,]\n",
    "[1,]",
    "[1",
    "[1\n",
    "// c",
    "// c\n",
    "/* a\n b\n c */ {}\n",
    "{\n  // one\n  \"a\": 1,\n}\n",
    "[\r\n1,\r\n// c\r\n]\r\n",
    "[1,\r2,\r]",
    "[\n1,\n2,\n3,\n4,\n5,\n6,\n7,\n8,\n9, // c\n10,\n11,\n12,\n13,\n14,\n15,\n16,\n17,\n18 // d\n]\n",
    "[1,\n2,\n3,\n4,\n// c\n5,\n6,\n7,\n8,\n9,\n// d\n10,\n11",
    "[ /* a */ /* b\n */ // c\n /* d */ 1, /* e\n\n */ ] // f\n",
    "[1]\n/* a\n\n",
    "\n\n[1,]\n\n\n",
];

/// JSON Lines that are repaired: changes at all distances from one another and
/// from both ends.
fn lines() -> Vec<String> {
    let mut texts: Vec<String> = [
        "[1,]\n{}\n[2",
        "{}\r\n[1,]\r\n\r\n[2,]\r\n[1 2]\r\n",
        "{}\n[1,,]\n[1,]\n[1 2]",
        "[1,\r2,]\n\n",
        "{}\n",
    ]
    .map(str::to_owned)
    .to_vec();
    for between in 0..9 {
        texts
            .push(["{}\n".repeat(between), "[1,]\n".to_owned()].concat().repeat(3) + &"{}\n".repeat(between));
    }
    // A hunk that is longer than what is kept in memory.
    texts.push(format!("{}{}", "[1,]\n".repeat(200_000), "{}\n".repeat(5)));
    texts
}

#[test]
fn a_diff_of_json_lines_has_a_change_a_line() {
    let workspace = Workspace::new();
    workspace.write("a.jsonl", format!("{}[4,]\n[5\n[6 7]\n{}[17", "{}\n".repeat(4), "{}\n".repeat(9)));
    workspace.write("b.jsonl", "[1,,]\n[1 2,]\n");
    let run = workspace.run(&["repair", "--diff", "a.jsonl", "b.jsonl"]);
    assert_eq!(
        run.stdout,
        "\
--- a/a.jsonl
+++ b/a.jsonl
@@ -2,8 +2,8 @@
 {}
 {}
 {}
-[4,]
+[4]
-[5
+[5]
 [6 7]
 {}
 {}
@@ -14,4 +14,4 @@
 {}
 {}
 {}
-[17
\\ No newline at end of file
+[17]
\\ No newline at end of file
"
    );
    // What is not in the diff is told.
    assert_eq!(run.code, Some(1));
    let places: Vec<&str> = run.stderr.lines().filter_map(|line| line.strip_prefix(" --> ")).collect();
    assert_eq!(
        places,
        ["a.jsonl:7:4", "b.jsonl:1:4", "b.jsonl:1:5", "b.jsonl:2:4", "b.jsonl:2:5"],
        "{}",
        run.stderr
    );
    let run = workspace.run(&["repair", "--diff", "--lines", "--force", "b.jsonl"]);
    assert_eq!(run.stdout, "--- a/b.jsonl\n+++ b/b.jsonl\n@@ -1,2 +1,2 @@\n-[1,,]\n+[1,]\n-[1 2,]\n+[1 2]\n");
}

#[test]
fn a_diff_is_as_people_know_them() {
    let workspace = Workspace::new();
    workspace.write("a.json", "[\n  1,\n  2,\n  3,\n  4, // four\n  5,\n]\n");
    workspace.write("b.json", "{}\n");
    workspace.write("c.json", "[1,]");
    let run = workspace.run(&["repair", "--diff", "a.json", "b.json", "./c.json"]);
    assert_eq!(
        run.stdout,
        "\
--- a/a.json
+++ b/a.json
@@ -2,6 +2,6 @@
   1,
   2,
   3,
-  4, // four
-  5,
+  4, \n+  5
 ]
--- a/c.json
+++ b/c.json
@@ -1 +1 @@
-[1,]
\\ No newline at end of file
+[1]
\\ No newline at end of file
"
    );
    // The diff shows the edits; there is nothing to add.
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert_eq!(workspace.read("c.json"), "[1,]");
}

#[test]
fn closers_on_a_line_of_their_own_leave_the_line_before_them_alone() {
    let workspace = Workspace::with("a.jsonc", "[\n1 // c\n");
    let run = workspace.run(&["repair", "--diff", "a.jsonc"]);
    assert_eq!(run.stdout, "--- a/a.jsonc\n+++ b/a.jsonc\n@@ -1,2 +1,3 @@\n [\n 1 // c\n+]\n");
}

#[test]
fn doubts_and_errors_are_reported_beside_a_diff() {
    let workspace = Workspace::with("a.json", "[1, // c\n[1/**/2], 3 4]");
    let run = workspace.run(&["repair", "--diff", "a.json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("warning[remove_comments]"), "{}", run.stderr);
    assert!(run.stderr.contains("--> a.json:2:3\n"), "{}", run.stderr);
    assert!(run.stderr.contains("error[unexpected_character]"), "{}", run.stderr);
    assert!(!run.stderr.contains("--> a.json:1:5\n"), "{}", run.stderr);
}

/// Lets a tool apply what `--diff` prints, and compares with what `repair` does.
fn check_applied_by(tool: &str, arguments: &[&str]) {
    let is_there = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: there is no `{tool}`");
        return;
    }
    let workspace = Workspace::new();
    let mut names: Vec<String> = (0..TEXTS.len()).map(|index| format!("dir/{index:02}.json")).collect();
    names.extend(["with blank.json", "日本語.json", "quote\"back\\slash.json"].map(str::to_owned));
    for (index, name) in names.iter().enumerate() {
        workspace.write(name, TEXTS[index % TEXTS.len()]);
    }
    for (index, lines) in lines().into_iter().enumerate() {
        names.push(format!("lines/{index:02}.jsonl"));
        workspace.write(&names[names.len() - 1], lines);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let expected: Vec<String> = names.iter().map(|name| workspace.run(&["repair", name]).stdout).collect();
    let diff = workspace.run(&[&["repair", "--diff"], &names[..]].concat()).stdout;
    // Not under a repository of git's, which would have another root.
    let mut command = workspace.command_of(Path::new(tool), arguments);
    let run = finish(command.env("GIT_CEILING_DIRECTORIES", "/"), diff.as_bytes());
    assert_eq!(run.code, Some(0), "{run:?}\n{diff}");
    for (name, expected) in names.iter().zip(expected) {
        assert_eq!(workspace.read(name), expected, "{name}\n{diff}");
    }
}

#[test]
fn patch_takes_it() {
    check_applied_by("patch", &["-p1", "--silent", "--binary"]);
}

#[test]
fn git_takes_it() {
    check_applied_by("git", &["apply", "--whitespace=nowarn"]);
}

#[test]
fn a_path_from_the_root_loses_its_first_slash() {
    let workspace = Workspace::with("a.json", "[1,]\n");
    let path = workspace.path("a.json");
    let path = path.to_str().expect("UTF-8");
    let run = workspace.run(&["repair", "--diff", path]);
    assert!(
        run.stdout.starts_with(&format!("--- a{path}\n+++ b{path}\n")) || cfg!(windows),
        "{}",
        run.stdout
    );
    let run = workspace.run_with_input(&["repair", "--diff"], "[1,]\n");
    assert!(run.stdout.starts_with("--- a/stdin\n+++ b/stdin\n@@ -1 +1 @@\n-[1,]\n+[1]\n"), "{}", run.stdout);
}

#[test]
fn any_number_of_changes_is_linear() {
    for text in ["[1,],\n".repeat(200_000), "[1,], ".repeat(200_000), "[1,],\n\n\n\n\n\n\n\n".repeat(100_000)]
    {
        let workspace = Workspace::with("a.json", &text);
        let run = workspace.run(&["repair", "--diff", "-q", "a.json"]);
        let removed: usize = run.stdout.lines().filter(|line| line.starts_with("-[")).count();
        assert_eq!(removed, text.lines().filter(|line| !line.is_empty()).count());
    }
}
