//! JSON Lines: each line by itself, streamed.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, Stdio},
    thread,
};

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::command::Finished;
use crate::command::{PATIENCE, Workspace, lines, wait};

/// What a file holds, what `repair` prints of it, and with which statuses
/// `repair` and `check` end.
const REPAIRS: &[(&str, &str, [i32; 2])] = &[
    ("", "", [0, 0]),
    ("{}\n[]\n", "{}\n[]\n", [0, 0]),
    // With and without a last line ending.
    ("{}\n1", "{}\n1", [0, 0]),
    ("{}\n{\"a\": [1,]}", "{}\n{\"a\": [1]}", [0, 1]),
    // Blank lines hold no text.
    ("\n\n{}\n \t\r\n\n1\n  ", "\n\n{}\n \t\r\n\n1\n  ", [0, 0]),
    ("\n", "\n", [0, 0]),
    ("\n[1,]\n\n", "\n[1]\n\n", [0, 1]),
    // A line ending stays behind what is closed, whatever it is.
    ("[1,]\r\n[2\r\n{}\r\n", "[1]\r\n[2]\r\n{}\r\n", [0, 1]),
    ("[1\n[2\r\n[3", "[1]\n[2]\r\n[3]", [0, 1]),
    ("[1\r\r\n", "[1]\r\r\n", [0, 1]),
    // The last line of a log, cut where its writer was.
    ("{\"a\":1}\n{\"a\":\"ha", "{\"a\":1}\n{\"a\":\"ha\"}", [0, 1]),
    ("{\"a\":1}\n{\"a\":\"ha\n", "{\"a\":1}\n{\"a\":\"ha\"}\n", [0, 1]),
    // Any line is closed on its own line, and no comment reaches the next.
    ("{\"a\":[1\n{\"b\":2}\n", "{\"a\":[1]}\n{\"b\":2}\n", [0, 1]),
    ("1 // c\n[2 // d\n3 /* e */\n", "1 \n[2 ]\n3 \n", [0, 1]),
    // Only LF ends a line.
    ("[1,\r2,\r]\n", "[1,\r2\r]\n", [0, 1]),
    ("1\u{2028}\n", "1\u{2028}\n", [1, 1]),
    // What cannot be repaired passes through, its edits and all.
    ("[1 2,]\n[1,]\n", "[1 2,]\n[1]\n", [1, 1]),
    ("[1,]\n{\"a\": tru", "[1]\n{\"a\": tru", [1, 1]),
    ("{\"a\":\n[1,]\n", "{\"a\":\n[1]\n", [1, 1]),
    ("{} {}\nNaN\n'a'\n\u{feff}{}\n", "{} {}\nNaN\n'a'\n\u{feff}{}\n", [1, 1]),
    // So does what is doubtful.
    ("[1/**/2]\n[1,]\n", "[1/**/2]\n[1]\n", [1, 1]),
    ("/* c\n1\n", "/* c\n1\n", [1, 1]),
    ("[\"a]\n[1,,]\r\n", "[\"a]\n[1,,]\r\n", [1, 1]),
];

#[test]
fn each_line_is_repaired_by_itself() {
    for (contents, expected, [repair, check]) in REPAIRS {
        let workspace = Workspace::new();
        // By its name, by that of standard input, and by the flag.
        for name in ["a.jsonl", "a.ndjson", "A.JSONL", "a.log", "tsconfig.json", "a.jsonc", "a.json5"] {
            workspace.write(name, contents);
            let flag =
                if name.to_lowercase().ends_with('l') || name.ends_with("ndjson") { "-q" } else { "--lines" };
            let run = workspace.run(&["repair", flag, name]);
            assert_eq!((&*run.stdout, run.code), (*expected, Some(*repair)), "{name} {contents:?} {run:?}");
            let run = workspace.run(&["check", flag, name]);
            assert_eq!((&*run.stdout, run.code), ("", Some(*check)), "{name} {contents:?} {run:?}");
            assert_eq!(workspace.read(name), *contents);
        }
        for arguments in [
            &["repair", "--lines"][..],
            &["repair", "--lines", "-"],
            &["repair", "--stdin-filename", "a.jsonl"],
        ] {
            let run = workspace.run_with_input(arguments, contents);
            assert_eq!((&*run.stdout, run.code), (*expected, Some(*repair)), "{arguments:?} {contents:?}");
        }
        let run = workspace.run_with_input(&["check", "--lines", "-"], contents);
        assert_eq!(run.code, Some(*check), "{contents:?}");
        // What was printed needs no repair.
        let again = workspace.run_with_input(&["repair", "--lines"], expected);
        assert_eq!((&*again.stdout, again.code), (*expected, Some(*repair)), "{contents:?}");
    }
}

#[test]
fn write_prints_into_the_file() {
    for (contents, expected, [repair, _]) in REPAIRS {
        let workspace = Workspace::with("a.jsonl", contents);
        let run = workspace.run(&["repair", "--write", "a.jsonl"]);
        assert_eq!((&*run.stdout, run.code), ("", Some(*repair)), "{contents:?} {run:?}");
        assert_eq!(workspace.read("a.jsonl"), *expected, "{contents:?}");
        assert_eq!(workspace.names(), ["a.jsonl"]);
    }
}

#[test]
fn json_lines_are_one_text_for_who_takes_them_from_an_unnamed_pipe() {
    let run = Workspace::new().run_with_input(&["repair", "-q"], "{}\n[1,]\n");
    assert_eq!((&*run.stdout, run.code), ("{}\n[1]\n", Some(1)));
}

#[cfg(unix)]
#[test]
fn a_link_to_json_lines_leads_to_lines() {
    let workspace = Workspace::with("2026-11-30.jsonl", "[1\n[2,]\n");
    std::os::unix::fs::symlink("2026-11-30.jsonl", workspace.path("latest")).expect("a link");
    assert_eq!(workspace.run(&["repair", "-q", "latest"]).stdout, "[1]\n[2]\n");
    assert_eq!(workspace.run(&["repair", "-q", "--write", "latest"]).code, Some(0));
    assert_eq!(workspace.read("2026-11-30.jsonl"), "[1]\n[2]\n");
    assert!(workspace.path("latest").is_symlink());
}

#[test]
fn force_makes_every_edit() {
    let contents = "[1/**/2]\n[1 2,]\r\n{\"a\":\n{}\n[1,";
    let forced = "[12]\n[1 2]\r\n{\"a\":}\n{}\n[1]";
    let workspace = Workspace::with("a.log", contents);
    let run = workspace.run(&["repair", "--lines", "--force", "a.log"]);
    assert_eq!((&*run.stdout, run.code), (forced, Some(1)), "{run:?}");
    let run = workspace.run(&["repair", "--lines", "--write", "--force", "a.log"]);
    assert_eq!((&*workspace.read("a.log"), run.code), (forced, Some(1)), "{run:?}");
    assert!(run.stderr.contains("warning[remove_comments]: removed a comment\n --> a.log:1:3\n"), "{run:?}");
    assert!(
        run.stderr.ends_with("wrote 1 file (5 edits)\n5 lines: 1 valid, 2 repaired, 2 not repairable\n"),
        "{run:?}"
    );
    let run = workspace.run_with_input(&["repair", "-q", "--lines", "--force"], "[1/**/2]\n");
    assert_eq!((&*run.stdout, run.code), ("[12]\n", Some(0)));
}

#[test]
fn rules_are_those_asked_for() {
    let contents = "[1,] // c\n[2\n{}\n";
    for (rules, expected, code) in [
        ("", contents, 1),
        ("close_truncated", "[1,] // c\n[2]\n{}\n", 1),
        ("remove_comments,remove_trailing_commas", "[1] \n[2\n{}\n", 1),
        ("remove_comments,remove_trailing_commas,close_truncated", "[1] \n[2]\n{}\n", 0),
    ] {
        let workspace = Workspace::with("a.jsonl", contents);
        let run = workspace.run(&["repair", "--rules", rules, "a.jsonl"]);
        assert_eq!((&*run.stdout, run.code), (expected, Some(code)), "{rules} {run:?}");
        let run = workspace.run(&["check", "--rules", rules, "a.jsonl"]);
        assert_eq!(run.code, Some(1), "{rules}");
    }
    // The comment takes what would close the line, where comments are off.
    let run = Workspace::new().run_with_input(
        &["repair", "-q", "--lines", "--force", "--rules", "close_truncated"],
        "[1 // c\n2\n",
    );
    assert_eq!((&*run.stdout, run.code), ("[1 // c]\n2\n", Some(1)));
}

#[test]
fn reports_name_the_line() {
    let workspace = Workspace::with(
        "app.log",
        "{\"a\": 1}\r\n\n{\"é\": [1,\r2,]}\n{\"level\": \"info\", \"text\": \"half\n{\"a\": [1}\n[1/**/2]\n",
    );
    let run = workspace.run(&["check", "--lines", "app.log"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.stderr,
        r#"error[remove_trailing_commas]: JSON has no trailing commas
 --> app.log:3:12
  |
3 | 2,]}
  |  ^

error[close_truncated]: the text is cut off: `"}` would close it; the string may be incomplete
 --> app.log:4:27
  |
4 | {"level": "info", "text": "half
  | -                         ^^^^^
  | |
  | `}` would close this bracket

error[unexpected_character]: `}` stands where `[` is open (left alone: which of the two is wrong is a guess)
 --> app.log:5:9
  |
5 | {"a": [1}
  |       - ^
  |       |
  |       the innermost open bracket: `]` would close it

error[remove_comments]: JSON has no comments
 --> app.log:6:3
  |
6 | [1/**/2]
  |   ^^^^
  |
  = note: this edit is doubtful: it is all that separates two tokens

found 4 problems in 1 file
6 lines: 1 valid, 2 repairable, 1 doubtful, 1 not repairable, 1 blank
"#
    );
    let run = workspace.run(&["repair", "--lines", "app.log"]);
    assert_eq!(
        run.stderr,
        r#"repaired[remove_trailing_commas]: removed a trailing comma
 --> app.log:3:12
  |
3 | 2,]}
  |  ^

repaired[close_truncated]: closed the truncated text with `"}`; the string may be incomplete
 --> app.log:4:27
  |
4 | {"level": "info", "text": "half
  | -                         ^^^^^
  | |
  | `}` would close this bracket

error[unexpected_character]: `}` stands where `[` is open (left alone: which of the two is wrong is a guess)
 --> app.log:5:9
  |
5 | {"a": [1}
  |       - ^
  |       |
  |       the innermost open bracket: `]` would close it

error[remove_comments]: JSON has no comments
 --> app.log:6:3
  |
6 | [1/**/2]
  |   ^^^^
  |
  = note: this edit is doubtful: it is all that separates two tokens

made 2 edits in 1 file
6 lines: 1 valid, 2 repaired, 1 doubtful, 1 not repairable, 1 blank
1 line was left with edits to make (`--force` makes them all the same)
"#
    );
}

#[test]
fn check_counts_all_lines_of_all_files() {
    let workspace = Workspace::new();
    workspace.write("a.jsonl", "{}\n[1,]\n");
    workspace.write("b.jsonl", "{}\n\n1\n");
    workspace.write("c.jsonl", b"[1 2]\n[\"\xFF\"]\n[,]\n");
    workspace.write("d.json", "[1,]");
    for (files, code, expected) in [
        (&["b.jsonl"][..], 0, "3 lines: 2 valid, 1 blank\n"),
        (
            &["a.jsonl", "b.jsonl"],
            1,
            "found 1 problem in 1 of 2 files\n5 lines: 3 valid, 1 repairable, 1 blank\n\
             `json-repair-lsp repair` would repair it\n",
        ),
        (
            &["a.jsonl", "d.json", "c.jsonl"],
            2,
            "found 4 problems in 3 files\n\
             5 lines: 1 valid, 1 repairable, 1 doubtful, 1 not repairable, 1 not UTF-8\n\
             `json-repair-lsp repair` would repair 2 of them\n",
        ),
        (&["d.json"], 1, "found 1 problem in 1 file\n`json-repair-lsp repair` would repair it\n"),
    ] {
        let run = workspace.run(&[&["check"], files].concat());
        assert_eq!(run.code, Some(code), "{files:?} {run:?}");
        assert!(run.stderr.ends_with(expected), "{files:?} {}", run.stderr);
    }
    assert_eq!(workspace.run(&["check", "-q", "a.jsonl"]).stderr, "");
}

#[test]
fn a_line_that_is_not_utf8_is_named_and_leaves_the_others_to_be_done() {
    let contents = b"[1,]\n{\"\xC3\xA9\": \"\xFF\"}\r\n[2\n\n\xC3";
    let workspace = Workspace::new();
    workspace.write("a.jsonl", "[1,]\n");
    workspace.write("bad.jsonl", contents);
    workspace.write("z.jsonl", "[1,]\n");
    let errors = "error: cannot read bad.jsonl:2:8: invalid UTF-8 (0xFF)\n";
    let last_error = "error: cannot read bad.jsonl:5:1: invalid UTF-8 (0xC3)\n";
    let files = ["a.jsonl", "bad.jsonl", "z.jsonl"];

    let mut command = workspace.command(&[&["repair", "-q"], &files[..]].concat());
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"[1]\n[1]\n{\"\xC3\xA9\": \"\xFF\"}\r\n[2]\n\n\xC3[1]\n");
    assert_eq!(String::from_utf8(output.stderr).expect("UTF-8"), format!("{errors}{last_error}"));

    let run = workspace.run(&[&["check", "-q"], &files[..]].concat());
    assert_eq!((run.code, &*run.stderr), (Some(2), &*format!("{errors}{last_error}")));

    let run = workspace.run(&[&["repair", "--json"], &files[..]].concat());
    assert_eq!((run.code, &*run.stderr), (Some(2), &*format!("{errors}{last_error}")));
    assert_eq!(run.stdout.lines().count(), 4, "{run:?}");

    // A file is written as a whole, or not.
    let run = workspace.run(&[&["repair", "--write"], &files[..]].concat());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains(errors), "{run:?}");
    assert!(!run.stderr.contains("--> bad.jsonl"), "nothing was repaired there: {run:?}");
    assert!(run.stderr.ends_with("wrote 2 files (2 edits)\n2 lines: 0 valid, 2 repaired\n"), "{run:?}");
    assert_eq!(fs::read(workspace.path("bad.jsonl")).expect("a file"), contents);
    assert_eq!((&*workspace.read("a.jsonl"), &*workspace.read("z.jsonl")), ("[1]\n", "[1]\n"));
    assert_eq!(workspace.names(), ["a.jsonl", "bad.jsonl", "z.jsonl"]);
    // `--force` makes edits; it does not make bytes a text.
    let run = workspace.run(&["repair", "--write", "--force", "--lines", "bad.jsonl"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(fs::read(workspace.path("bad.jsonl")).expect("a file"), contents);
}

#[test]
fn a_file_of_another_encoding_is_not_a_flood() {
    let utf16: Vec<u8> =
        "\u{feff}{\"a\": 1}\n".repeat(1000).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let workspace = Workspace::new();
    workspace.write("a.jsonl", utf16);
    let run = workspace.run(&["check", "a.jsonl"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .starts_with("error: cannot read a.jsonl:1:1: invalid UTF-8 (0xFF); it looks like UTF-16\n")
    );
    assert!(run.stderr.lines().count() < 200, "{}", run.stderr);
    workspace.write("b.jsonl", b"\xFF\n".repeat(1000));
    for (most, shown) in [("0", 1), ("1", 1), ("7", 7)] {
        let run = workspace.run(&["check", "-q", "--max-problems", most, "b.jsonl"]);
        assert_eq!(run.stderr.matches("error: cannot read b.jsonl:").count(), shown + 1, "{run:?}");
        let rest =
            format!("error: cannot read b.jsonl: {} more lines of it are invalid UTF-8\n", 1000 - shown);
        assert!(run.stderr.ends_with(&rest), "{run:?}");
    }
}

#[test]
fn one_unreadable_file_of_many_leaves_the_others_done() {
    let workspace = Workspace::with("a.jsonl", "[1,]\n");
    workspace.write("z.jsonl", "[2\n");
    fs::create_dir(workspace.path("dir.jsonl")).expect("a directory");
    let files = ["a.jsonl", "missing.jsonl", "dir.jsonl", "z.jsonl"];
    for mode in
        [&["check"][..], &["repair"], &["repair", "--diff"], &["repair", "--json"], &["repair", "--write"]]
    {
        let run = workspace.run(&[mode, &["-q"], &files].concat());
        assert_eq!(run.code, Some(2), "{mode:?}");
        let errors: Vec<&str> = run.stderr.lines().collect();
        assert_eq!(errors.len(), 2, "{mode:?} {run:?}");
        assert!(errors[0].starts_with("error: cannot read missing.jsonl: "), "{run:?}");
        assert!(errors[1].contains(" dir.jsonl: "), "{run:?}");
    }
    assert_eq!((&*workspace.read("a.jsonl"), &*workspace.read("z.jsonl")), ("[1]\n", "[2]\n"));
}

#[test]
fn problems_of_a_file_do_not_flood_and_do_not_hide_what_needs_a_person() {
    let workspace = Workspace::with("a.jsonl", &format!("{}[1 2]\n", "[1,]\n".repeat(10_000)));
    for mode in [&["check"][..], &["repair"], &["repair", "--write"]] {
        let run = workspace.run(&[mode, &["a.jsonl"]].concat());
        assert_eq!(run.code, Some(1), "{mode:?}");
        assert_eq!(run.stderr.matches("--> a.jsonl:").count(), 21, "{mode:?} {}", run.stderr);
        assert!(run.stderr.contains(" --> a.jsonl:10001:4\n"), "{mode:?} {}", run.stderr);
        assert!(
            run.stderr.contains("note: 9980 more problems in a.jsonl are not shown"),
            "{mode:?} {}",
            run.stderr
        );
    }
    let run = workspace.run(&["check", "--max-problems", "0", "a.jsonl"]);
    assert_eq!(run.stderr.matches(" --> ").count(), 0, "{run:?}");
    assert!(run.stderr.starts_with("note: 1 problem in a.jsonl is not shown"), "{run:?}");
}

#[test]
fn json_says_what_is_wrong_a_line_an_object() {
    let workspace = Workspace::with("a.jsonl", "{}\r\n\n{\"😀\": [1,]}\r\n[1 2,]\n[1/**/2]\ntru");
    let run = workspace.run(&["repair", "--json", "a.jsonl"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    let reports: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let comma = |offset: usize| json!({"rule": "remove_trailing_commas", "offset": offset, "removed": ",", "inserted": ""});
    let report = |line: usize, certain: bool, text: &str, error: Value, edits: Value| {
        json!({
            "path": "a.jsonl", "line": line, "certain": certain, "text": text, "changed": edits != json!([]),
            "valid_json": error.is_null(), "json_error": error, "edits": edits,
        })
    };
    let expected = [
        report(3, true, "{\"😀\": [1]}", json!(null), json!([comma(9)])),
        report(4, false, "[1 2]", json!({"code": "unexpected_character", "offset": 3}), json!([comma(4)])),
        report(
            5,
            false,
            "[12]",
            json!(null),
            json!([{"rule": "remove_comments", "offset": 2, "removed": "/**/", "inserted": ""}]),
        ),
        report(6, false, "tru", json!({"code": "unexpected_end", "offset": 3}), json!([])),
    ];
    assert_eq!(reports, expected);
    let run = workspace.run_with_input(&["repair", "--json", "--lines"], "{}\n[1");
    assert!(run.stdout.starts_with("{\"line\":2,\"certain\":true,\"text\":\"[1]\","), "{run:?}");
    assert_eq!(run.code, Some(0));
}

/// A run whose input is written, and whose output is read, line by line.
fn start(workspace: &Workspace, arguments: &[&str]) -> Child {
    workspace.command(arguments).spawn().expect("it starts")
}

#[test]
fn a_line_is_out_before_the_next_is_there() {
    let workspace = Workspace::new();
    for (arguments, expected) in [
        (&["repair", "-q", "--lines"][..], "[1]"),
        (&["repair", "-q", "--lines", "--json", "-"], "{\"line\":1,"),
        (&["repair", "-q", "--lines", "--force", "-"], "[1]"),
    ] {
        let mut child = start(&workspace, arguments);
        let mut stdin = child.stdin.take().expect("a pipe");
        let stdout = lines(child.stdout.take().expect("a pipe"));
        for _ in 0..20 {
            // A line, and the beginning of the next: nobody waits for its end.
            stdin.write_all(b"[1,]\n{\"a\": ").expect("it reads");
            let line = stdout.recv_timeout(PATIENCE).expect("a line is out while the next is not there");
            assert!(line.starts_with(expected) || line.contains("\"line\":"), "{arguments:?} {line}");
            stdin.write_all(b"1}\n").expect("it reads");
            if !arguments.contains(&"--json") {
                assert_eq!(stdout.recv_timeout(PATIENCE).expect("the next line"), "{\"a\": 1}");
            }
        }
        drop(stdin);
        assert_eq!(wait(&mut child), Some(0));
    }
}

#[test]
fn a_problem_is_told_before_the_next_line_is_there() {
    let workspace = Workspace::new();
    let mut child = start(&workspace, &["check", "--lines", "-"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    let stderr = lines(child.stderr.take().expect("a pipe"));
    stdin.write_all(b"{}\n[1,]\n").expect("it reads");
    let told: Vec<String> = (0..2).map(|_| stderr.recv_timeout(PATIENCE).expect("a report")).collect();
    assert_eq!(told[1], " --> <stdin>:2:3");
    drop(stdin);
    assert_eq!(wait(&mut child), Some(1));
}

#[test]
fn a_reader_that_goes_away_ends_a_run_quietly() {
    let workspace = Workspace::with("a.jsonl", &"[\"some text\",]\n".repeat(100_000));
    for mode in [&["repair", "-q"][..], &["repair", "-q", "--json"], &["repair", "-q", "--diff"]] {
        let mut child = start(&workspace, &[mode, &["a.jsonl", "a.jsonl"]].concat());
        drop(child.stdout.take());
        assert_eq!(wait(&mut child), Some(0), "{mode:?}");
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
        assert_eq!(stderr, "", "{mode:?}");
    }
}

/// Runs the binary with so much memory for all that it maps, in KiB.
#[cfg(target_os = "linux")]
fn run_in_memory(workspace: &Workspace, kib: usize, arguments: &[&str], input: &[u8]) -> Finished {
    let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    let binary = env!("CARGO_BIN_EXE_json-repair-lsp");
    let arguments = [&["-c", &script, binary], arguments].concat();
    crate::command::finish(&mut workspace.command_of("sh".as_ref(), &arguments), input)
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_file() {
    const MEMORY_KIB: usize = 24 * 1024;
    // Every line is changed: a diff is one hunk, and every line has a report.
    let line = format!("{{\"text\": \"{}\",}}\n", "lorem ipsum ".repeat(400));
    let text = line.repeat(24 * 1024 * 1024 / line.len());
    let expected = text.replace(",}", "}");
    let workspace = Workspace::with("a.jsonl", &text);
    for mode in [
        &["check", "-q"][..],
        &["repair", "-q"],
        &["repair", "-q", "--json"],
        &["repair", "-q", "--diff"],
        &["repair", "-q", "--write"],
    ] {
        let run = run_in_memory(&workspace, MEMORY_KIB, &[mode, &["a.jsonl"]].concat(), b"");
        let expected_code = i32::from(mode[0] == "check");
        assert_eq!(run.code, Some(expected_code), "{mode:?} {}", run.stderr);
        match mode.last() {
            Some(&"-q") if mode[0] == "repair" => assert!(run.stdout == expected),
            Some(&"--json") => assert_eq!(run.stdout.lines().count(), text.lines().count()),
            Some(&"--diff") => assert_eq!(run.stdout.lines().count(), 3 + 2 * text.lines().count()),
            _ => assert_eq!(run.stdout, ""),
        }
    }
    assert!(workspace.read("a.jsonl") == expected);
    // The limit is one: what is read as a whole does not fit.
    workspace.write("a.json", &text);
    let whole = run_in_memory(&workspace, MEMORY_KIB, &["check", "-q", "a.json"], b"");
    assert_ne!(whole.code, Some(1), "{}", whole.stderr);
}

#[test]
fn a_long_line_is_a_line() {
    let long = format!("[{}1,]", "\"some text\", ".repeat(400_000));
    let text = format!("{{}}\n{long}\r\n[2\n");
    let workspace = Workspace::with("a.jsonl", &text);
    let run = workspace.run(&["repair", "a.jsonl"]);
    assert!(run.stdout == text.replace("1,]", "1]").replace("[2", "[2]"));
    let column = long.len() - 1;
    assert!(run.stderr.contains(&format!(" --> a.jsonl:2:{column}\n")), "{}", run.stderr);
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_file_is_written_all_at_once_or_not_at_all() {
    let broken = "{\"some\": \"text\"}\n".repeat(20_000) + "[1,]\n";
    let repaired = broken.replace("1,]", "1]");
    let workspace = Workspace::with("a.jsonl", &broken);
    thread::scope(|scope| {
        let run = scope.spawn(|| workspace.run(&["repair", "--write", "a.jsonl"]));
        while !run.is_finished() {
            let found = workspace.read("a.jsonl");
            assert!(found == broken || found == repaired, "{} bytes", found.len());
        }
        assert_eq!(run.join().expect("it runs").code, Some(0));
    });
    assert!(workspace.read("a.jsonl") == repaired);
    assert_eq!(workspace.names(), ["a.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_needs_no_repair_needs_no_place_to_write_to() {
    let workspace = Workspace::with("a.jsonl", "{}\n[1 2,]\n[1/**/2]\n");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = fs::File::options().write(true).open(workspace.path("a.jsonl")).expect("a file");
    file.set_modified(long_ago).expect("a time");
    let run = workspace.run(&["repair", "-q", "--write", "a.jsonl"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    let found = fs::metadata(workspace.path("a.jsonl")).expect("a file").modified();
    assert_eq!(found.expect("a time"), long_ago);
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_file_as_it_is_and_the_others_done() {
    let large = format!("[1,]\n{}", "{\"some\": \"text\"}\n".repeat(20_000));
    let workspace = Workspace::with("large.jsonl", &large);
    workspace.write("small.jsonl", "[1,]");
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" repair --write large.jsonl small.jsonl";
    let binary = env!("CARGO_BIN_EXE_json-repair-lsp");
    let run = crate::command::finish(&mut workspace.command_of("sh".as_ref(), &["-c", script, binary]), b"");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with("error: cannot write large.jsonl: File too large"), "{run:?}");
    assert_eq!((workspace.read("large.jsonl") == large, &*workspace.read("small.jsonl")), (true, "[1]"));
    assert_eq!(workspace.names(), ["large.jsonl", "small.jsonl"]);
}

/// A diff is not half a diff either: a hunk that cannot be kept is not printed.
#[cfg(unix)]
#[test]
fn a_hunk_that_does_not_fit_on_the_disk_leaves_the_others_done() {
    let workspace = Workspace::with("large.jsonl", &"[\"some text\",]\n".repeat(200_000));
    workspace.write("small.jsonl", "[1,]\n");
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" repair --diff -q large.jsonl small.jsonl";
    let binary = env!("CARGO_BIN_EXE_json-repair-lsp");
    let run = crate::command::finish(&mut workspace.command_of("sh".as_ref(), &["-c", script, binary]), b"");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.starts_with("error: cannot keep the diff of large.jsonl in a temporary file: "),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "--- a/small.jsonl\n+++ b/small.jsonl\n@@ -1 +1 @@\n-[1,]\n+[1]\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_an_error() {
    let workspace = Workspace::with("a.jsonl", "[1,]\n");
    for mode in [&["repair"][..], &["repair", "--diff"], &["repair", "--json"]] {
        let mut command = workspace.command(&[mode, &["a.jsonl"]].concat());
        command.stdin(Stdio::null()).stdout(fs::File::create("/dev/full").expect("a device"));
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{mode:?}");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(stderr.contains("error: cannot write to standard output: "), "{mode:?} {stderr}");
    }
}

#[test]
fn a_record_on_several_lines_is_not_taken_for_cut_ones() {
    for text in [
        "{\n  \"a\": 1\n}\n",
        "[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n",
        "{\"msg\": \"stack:\n  at foo\"}\n",
        "[1,\n2]\n",
        "[\n1\n]\n",
    ] {
        let run = Workspace::new().run_with_input(&["repair", "--lines"], text.as_bytes());
        assert_eq!((run.code, &*run.stdout), (Some(1), text), "{}", run.stderr);
    }
    // A writer that was stopped, and started again.
    let text = "{\"a\": [1, 2\n{\"a\": []}\n{\"a\": \"hal, \n[3\n\n{\"a\": [3";
    let run = Workspace::new().run_with_input(&["repair", "--lines"], text.as_bytes());
    let repaired = "{\"a\": [1, 2]}\n{\"a\": []}\n{\"a\": \"hal, \"}\n[3]\n\n{\"a\": [3]}";
    assert_eq!((run.code, &*run.stdout), (Some(0), repaired), "{}", run.stderr);
    let workspace = Workspace::with("a.jsonl", "[1,\n2]\n");
    let run = workspace.run(&["check", "a.jsonl"]);
    assert!(run.stderr.contains("the next line may belong to it"), "{}", run.stderr);
}
