//! Reports: what a person reads on standard error.

#[cfg(target_os = "linux")]
use std::{path::Path, process::Stdio};

use crate::command::{Workspace, finish};

#[test]
fn reports_look_like_a_compilers() {
    for (contents, expected) in [
        (
            "{\"a\": [1, 2,], // note\n \"b\": tru",
            r#"error[remove_trailing_commas]: JSON has no trailing commas
 --> a.json:1:12
  |
1 | {"a": [1, 2,], // note
  |            ^

error[remove_comments]: JSON has no comments
 --> a.json:1:16
  |
1 | {"a": [1, 2,], // note
  |                ^^^^^^^

error[invalid_literal]: `tru` is cut off: it begins `true` (left alone: what is missing is not invented, however likely it is)
 --> a.json:2:7
  |
2 |  "b": tru
  |       ^^^

error[close_truncated]: the text is cut off: `}` would close it; the object may be incomplete
 --> a.json:2:7
  |
1 | {"a": [1, 2,], // note
  | - `}` would close this bracket
2 |  "b": tru
  |       ^^^

found 4 problems in 1 file
"#,
        ),
        // A doubt is a note; what can be repaired unasked is not, then.
        (
            "[1/**/2]\n",
            r"error[remove_comments]: JSON has no comments
 --> a.json:1:3
  |
1 | [1/**/2]
  |   ^^^^
  |
  = note: this edit is doubtful: it is all that separates two tokens

found 1 problem in 1 file
",
        ),
        // Tabs and wide characters: a column counts characters, a caret is
        // where the eye looks for it.
        (
            "[\n\t\"日本語\", /* é */ 1,\n]",
            "error[remove_comments]: JSON has no comments
 --> a.json:2:9
  |
2 |     \"日本語\", /* é */ 1,
  |               ^^^^^^^

error[remove_trailing_commas]: JSON has no trailing commas
 --> a.json:2:18
  |
2 |     \"日本語\", /* é */ 1,
  |                        ^

found 2 problems in 1 file
`json-repair-lsp repair` would repair it
",
        ),
        // CRLF, and a comment that spans lines.
        (
            "{\r\n  \"p\": \"C:\\dir\"\r\n/* a\r\n b */\r\n}\r\n",
            r#"error[invalid_escape]: `\d` is no escape: in a path, every `\` is written `\\` (left alone: what was meant by it is a guess)
 --> a.json:2:12
  |
2 |   "p": "C:\dir"
  |            ^

error[remove_comments]: JSON has no comments
 --> a.json:3:1
  |
3 | /* a
  | ^^^^ it ends on line 4

found 2 problems in 1 file
"#,
        ),
        // Lines may end with CR alone.
        (
            "[1,\r 2\r 3]",
            "error[unexpected_character]: `,` is missing between `2` and `3` (left alone: more than that may be missing)
 --> a.json:3:2
  |
2 |  2
  |  - `,` is expected behind this
3 |  3]
  |  ^

found 1 problem in 1 file
",
        ),
        // The end of the file, with a final line ending that is not part of it.
        (
            "{\n  \"list\": [\n    {\"t\": \"half a sent\n",
            r#"error[close_truncated]: the text is cut off: `"}]}` would close it; the string may be incomplete
 --> a.json:3:11
  |
1 | {
  | - `}` would close this bracket
2 |   "list": [
  |           - `]` would close this bracket
3 |     {"t": "half a sent
  |     -     ^^^^^^^^^^^^
  |     |
  |     `}` would close this bracket

found 1 problem in 1 file
`json-repair-lsp repair` would repair it
"#,
        ),
        // A single line between two that matter is shown, more are not.
        (
            "[\n[\n1,\n[\n2,\n3,\n4",
            "error[close_truncated]: the text is cut off: `]]]` would close it; the number may be incomplete
 --> a.json:7:1
  |
1 | [
  | - `]` would close this bracket
2 | [
  | - `]` would close this bracket
3 | 1,
4 | [
  | - `]` would close this bracket
...
7 | 4
  | ^

found 1 problem in 1 file
`json-repair-lsp repair` would repair it
",
        ),
        (
            "{\"a\": [1}\n",
            r#"error[unexpected_character]: `}` stands where `[` is open (left alone: which of the two is wrong is a guess)
 --> a.json:1:9
  |
1 | {"a": [1}
  |       - ^
  |       |
  |       the innermost open bracket: `]` would close it

found 1 problem in 1 file
"#,
        ),
        (
            "[\"a\nb\"]",
            "error[control_character_in_string]: the string goes on behind the end of its line: a line break in it is \
             written `\\n` (left alone: whether the next line belongs to it is a guess)
 --> a.json:1:4
  |
1 | [\"a
  |  - ^
  |  |
  |  the string begins here

found 1 problem in 1 file
",
        ),
        // Nothing that a terminal would obey reaches it.
        (
            "[\"\u{1b}[31m\u{9b}1m\"]",
            "error[control_character_in_string]: U+001B is written `\\u001b` in a string (left alone: it may be meant, \
             or be damage)
 --> a.json:1:3
  |
1 | [\"␛[31m\u{fffd}1m\"]
  |  -^
  |  |
  |  the string begins here

found 1 problem in 1 file
",
        ),
        // What is pointed at may span lines, too.
        (
            "Here it is:\n\n{\n  \"a\": 1\n}\n",
            "error[unexpected_character]: text stands before the JSON: `Here it is:` (left alone: what of the text \
             is meant is not ours to choose)
 --> a.json:1:1
  |
1 | Here it is:
  | ^^^^
2 |
3 | {
  | - this alone is valid JSON, and ends on line 5

found 1 problem in 1 file
",
        ),
        (
            "",
            "error[unexpected_end]: expected a value, but the text ends here
 --> a.json:1:1
  |
1 |  \n  | ^

found 1 problem in 1 file
",
        ),
    ] {
        let run = Workspace::with("a.json", contents).run(&["check", "a.json"]);
        assert_eq!(run.stderr, expected, "{contents:?}\n{}", run.stderr);
    }
}

#[test]
fn repair_reports_what_it_has_done() {
    let workspace = Workspace::new();
    let run = workspace.run_with_input(&["repair"], "[1/**/2, // c\n{\"t\": \"cut");
    assert_eq!(
        run.stderr,
        r#"warning[remove_comments]: removed a comment
 --> <stdin>:1:3
  |
1 | [1/**/2, // c
  |   ^^^^
  |
  = note: this edit is doubtful: it is all that separates two tokens

repaired[remove_comments]: removed a comment
 --> <stdin>:1:10
  |
1 | [1/**/2, // c
  |          ^^^^

repaired[close_truncated]: closed the truncated text with `"}]`; the string may be incomplete
 --> <stdin>:2:7
  |
1 | [1/**/2, // c
  | - `]` would close this bracket
2 | {"t": "cut
  | -     ^^^^
  | |
  | `}` would close this bracket

made 3 edits in 1 file
"#
    );
}

#[test]
fn a_summary_counts_files_and_says_what_can_be_done() {
    let workspace = Workspace::new();
    workspace.write("good.json", "{}");
    workspace.write("repairable.json", "[1,]");
    workspace.write("other.json", "[1,2,]//");
    workspace.write("doubtful.json", "[,]");
    workspace.write("bad.json", "[1 2]");
    for (arguments, expected) in [
        (&["check", "good.json"][..], &[][..]),
        (
            &["check", "good.json", "repairable.json"],
            &["found 1 problem in 1 of 2 files", "`json-repair-lsp repair` would repair it"],
        ),
        (
            &["check", "other.json", "repairable.json"],
            &["found 3 problems in 2 files", "`json-repair-lsp repair` would repair them"],
        ),
        (
            &["check", "bad.json", "good.json", "repairable.json", "doubtful.json"],
            &["found 3 problems in 3 of 4 files", "`json-repair-lsp repair` would repair 1 of them"],
        ),
        (&["check", "bad.json"], &["found 1 problem in 1 file"]),
        (&["repair", "good.json"], &[]),
        (&["repair", "good.json", "other.json"], &["made 2 edits in 1 of 2 files"]),
        (
            &["repair", "bad.json", "other.json", "good.json"],
            &["made 2 edits in 1 of 3 files", "1 of 3 files is still not valid JSON"],
        ),
        (&["repair", "--write", "good.json"], &[]),
        (&["repair", "--write", "good.json", "repairable.json"], &["wrote 1 of 2 files (1 edit)"]),
    ] {
        let run = workspace.run(arguments);
        let lines: Vec<&str> = run.stderr.lines().collect();
        assert!(lines.ends_with(expected), "{arguments:?} {}", run.stderr);
        assert_eq!(run.stderr.is_empty(), expected.is_empty(), "{arguments:?} {}", run.stderr);
    }
}

#[test]
fn quiet_leaves_only_what_kept_a_file_from_being_read_or_written() {
    let workspace = Workspace::with("a.json", "[1,,]");
    for (arguments, code, stderr_lines) in [
        (&["check", "-q", "a.json"][..], 1, 0),
        (&["repair", "--quiet", "a.json"], 1, 0),
        (&["repair", "-q", "--diff", "a.json"], 1, 0),
        (&["repair", "-q", "--write", "a.json"], 1, 1),
        (&["check", "-q", "a.json", "missing.json"], 2, 1),
    ] {
        let run = workspace.run(arguments);
        assert_eq!(
            (run.code, run.stderr.lines().count()),
            (Some(code), stderr_lines),
            "{arguments:?} {run:?}"
        );
    }
}

#[test]
fn many_problems_do_not_flood() {
    let workspace = Workspace::with("a.json", &format!("[\n{}1", "  [1,],\n".repeat(100_000)));
    let run = workspace.run(&["check", "a.json"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr.matches("error[").count(), 20, "{}", run.stderr);
    // What is wrong with the whole text is among them.
    assert!(run.stderr.contains("error[close_truncated]"), "{}", run.stderr);
    assert!(run.stderr.contains("note: 99981 more problems in a.json are not shown"), "{}", run.stderr);
    assert!(run.stderr.contains("found 100001 problems in 1 file"), "{}", run.stderr);
    for (limit, shown) in [("0", 0), ("1", 1), ("100", 100)] {
        let run = workspace.run(&["check", "--max-problems", limit, "a.json"]);
        assert_eq!(run.stderr.matches("error[").count(), shown, "{}", run.stderr);
    }
    let workspace = Workspace::with("a.json", &"[1,],\n".repeat(1000));
    let all = workspace.run(&["check", "--max-problems", "1000000", "a.json"]);
    assert_eq!(all.stderr.matches("error[").count(), 1001);
    assert!(!all.stderr.contains("not shown"));
}

#[test]
fn a_long_line_is_cropped_and_its_columns_are_right() {
    // 10 MB of it.
    let record = "{\"id\": 1, \"name\": \"日本語 some name\"}, ";
    let line = format!("[{}{{\"id\": 2,}}, {{\"s\": \"cut", record.repeat(240_000));
    let column_of = |text: &str| {
        let at = line.rfind(text).expect("it is there");
        line[..at].chars().count() + 1
    };
    let workspace = Workspace::with("a.json", &line);
    let run = workspace.run(&["check", "a.json"]);
    assert_eq!(run.code, Some(1));
    let places: Vec<&str> = run.stderr.lines().filter_map(|line| line.strip_prefix(" --> ")).collect();
    let expected = [",}", "\"cut"].map(|text| format!("a.json:1:{}", column_of(text)));
    assert_eq!(places, expected, "{}", run.stderr);
    assert!(run.stderr.lines().all(|line| line.chars().count() < 200), "{}", run.stderr);
    // The first bracket is out of sight, and is named.
    assert!(run.stderr.contains("= note: `]` would close this bracket (a.json:1:1)"), "{}", run.stderr);
    // The carets stand under what they mean.
    let lines: Vec<&str> = run.stderr.lines().collect();
    let carets = lines.iter().position(|line| line.ends_with(" ^^^^")).expect("carets");
    assert!(lines[carets - 1].ends_with(", {\"s\": \"cut"), "{}", run.stderr);
    let run = workspace.run(&["repair", "-q", "a.json"]);
    assert_eq!((run.code, run.stdout.len()), (Some(0), line.len() - ",".len() + "\"}]".len()));
}

#[test]
fn any_number_of_openers_and_lines_makes_a_short_report() {
    for (contents, expected, count) in [
        ("[".repeat(1_000_000), "would close this bracket", 9),
        ("[\n".repeat(1_000_000), "would close this bracket", 9),
        (format!("[{}1", "\n".repeat(1_000_000)), "would close this bracket (a.json:1:1)", 1),
        (format!("[1] /*{}*/", "x\n".repeat(1_000_000)), "it ends on line 1000001", 1),
        ("x".repeat(1_000_000), "a.json:1:1\n", 1),
        ("\n".repeat(1_000_000), "the text ends here", 1),
    ] {
        let run = Workspace::with("a.json", &contents).run(&["check", "a.json"]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert_eq!(run.stderr.matches(expected).count(), count, "{}", run.stderr);
        assert!(run.stderr.len() < 5000, "{} bytes", run.stderr.len());
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let workspace = Workspace::with("a.json", "[1,]");
    for arguments in [&["check", "a.json"][..], &["repair", "a.json"], &["repair", "--diff", "a.json"]] {
        for (when, no_color, expected) in [
            ("auto", false, false),
            ("auto", true, false),
            ("never", false, false),
            ("always", false, true),
            ("always", true, true),
        ] {
            let mut command = workspace.command(&[arguments, &["--color", when]].concat());
            if no_color {
                command.env("NO_COLOR", "1");
            }
            let run = finish(&mut command, b"");
            let output = run.stdout + &run.stderr;
            assert_eq!(output.contains('\u{1b}'), expected, "{arguments:?} {when} {no_color} {output}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_report_has_colours_unless_no_color_is_set() {
    let workspace = Workspace::with("a.json", "[1,]");
    let binary = env!("CARGO_BIN_EXE_json-repair-lsp");
    for (no_color, expected) in [("", true), ("NO_COLOR=1 ", false)] {
        // `script` runs a command on a terminal of its own.
        let line = format!("{no_color}TERM=xterm '{binary}' check a.json");
        let mut command = workspace.command_of(Path::new("script"), &["-qec", &line, "/dev/null"]);
        let has_script =
            command.stdin(Stdio::null()).output().is_ok_and(|output| output.status.code() == Some(1));
        if !has_script {
            eprintln!("skipped: there is no `script` to make a terminal");
            return;
        }
        let output = command.output().expect("it ran before");
        let output = String::from_utf8_lossy(&output.stdout);
        assert!(output.contains("trailing commas"), "{output}");
        assert_eq!(output.contains('\u{1b}'), expected, "{output}");
    }
}
