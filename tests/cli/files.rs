//! `repair` and `check`: which text comes out of which file, with which status.

use std::fs;

use crate::command::{Workspace, finish};

/// A file's name, what it holds, what comes out and with which status.
const REPAIRS: &[(&str, &str, &str, i32)] = &[
    ("a.json", "{\"a\": 1}\n", "{\"a\": 1}\n", 0),
    ("a.json", "{\"a\": [1, 2,], // note\n \"b\": tru", "{\"a\": [1, 2], \n \"b\": tru}", 1),
    ("a.json", "[{\"id\": 1}, {\"id\": 2", "[{\"id\": 1}, {\"id\": 2}]", 0),
    // The candidate ends before the final line endings.
    ("a.json", "{\"t\":\"half\n", "{\"t\":\"half\"}\n", 0),
    ("a.json", "[1,\r\n2,\r\n\r\n", "[1,\r\n2]\r\n\r\n", 0),
    ("a.json", "", "", 1),
    ("a.json", "\n\n", "\n\n", 1),
    ("a.json", "[1 2]\n", "[1 2]\n", 1),
    ("a.json", "[1,,]", "[1,]", 1),
    ("a.json", "{\"a\": 'x',}", "{\"a\": 'x'}", 1),
    // A doubtful edit is made all the same: it can be seen.
    ("a.json", "[1/**/2]", "[12]", 0),
    ("A.JSON", "[1,]", "[1]", 0),
    // A byte order mark is an error, and stays.
    ("a.json", "\u{feff}{}", "\u{feff}{}", 1),
    ("a.json", "\u{feff}[1,]", "\u{feff}[1]", 1),
    // Who names a file says that it is JSON.
    ("answer.txt", "[1,] // two\n", "[1] \n", 0),
    ("noextension", "[1,]", "[1]", 0),
    // In these, comments and trailing commas are part of the language.
    ("tsconfig.json", "{\"a\": [1,], } // c\n", "{\"a\": [1,], } // c\n", 0),
    ("x.jsonc", "/* c */ [1,\n", "/* c */ [1,]\n", 0),
    ("x.jsonc", "[1 // c\n", "[1 // c\n]\n", 0),
    (".vscode/settings.json", "{} // c", "{} // c", 0),
    ("vscode/settings.json", "{} // c", "{} ", 0),
];

#[test]
fn a_file_is_repaired_as_a_document() {
    for (name, contents, expected, code) in REPAIRS {
        let workspace = Workspace::with(name, contents);
        let run = workspace.run(&["repair", name]);
        assert_eq!((&*run.stdout, run.code), (*expected, Some(*code)), "{name} {contents:?} {}", run.stderr);
        assert_eq!(workspace.read(name), *contents, "{name} {contents:?}");
        assert_eq!(run.stderr.is_empty(), expected == contents && *code == 0, "{name} {}", run.stderr);
    }
}

#[test]
fn where_a_file_is_tells_as_much_as_its_name() {
    let workspace = Workspace::with(".vscode/settings.json", "[1,] // c");
    let mut command = workspace.command(&["repair", "settings.json"]);
    let run = finish(command.current_dir(workspace.path(".vscode")), b"");
    assert_eq!(run.stdout, "[1,] // c");
}

#[test]
fn standard_input_is_json_unless_it_is_named() {
    let workspace = Workspace::new();
    for (arguments, expected) in [
        (&["repair"][..], "[1] \n"),
        (&["repair", "-"], "[1] \n"),
        (&["repair", "--stdin-filename", "tsconfig.json"], "[1,] // c\n"),
        (&["repair", "--stdin-filename", "src/a.jsonc", "-"], "[1,] // c\n"),
        (&["repair", "--stdin-filename", "a.json"], "[1] \n"),
        (&["repair", "--rules", "", "-"], "[1,] // c\n"),
        (&["repair", "--rules", "remove_comments"], "[1,] \n"),
        (&["repair", "--rules", " remove_comments , remove_trailing_commas "], "[1] \n"),
        // Rules that a person asks for do not ask for the name.
        (&["repair", "--stdin-filename", "a.jsonc", "--rules", "remove_trailing_commas"], "[1] // c\n"),
    ] {
        let run = workspace.run_with_input(arguments, "[1,] // c\n");
        assert_eq!(run.stdout, expected, "{arguments:?}");
        let is_valid =
            matches!(expected, "[1] \n") || !arguments.contains(&"--rules") && expected.contains("//");
        assert_eq!(run.code, Some(i32::from(!is_valid)), "{arguments:?} {}", run.stderr);
    }
    let named = workspace.run_with_input(&["check", "--stdin-filename", "x/a.json", "-"], "[1,]");
    assert!(named.stderr.contains("--> x/a.json:1:3\n"), "{}", named.stderr);
    let unnamed = workspace.run_with_input(&["check", "-"], "[1,]");
    assert!(unnamed.stderr.contains("--> <stdin>:1:3\n"), "{}", unnamed.stderr);
}

#[test]
fn several_files_are_printed_one_after_the_other() {
    let workspace = Workspace::new();
    workspace.write("a.json", "[1,]\n");
    workspace.write("b.json", "[2");
    workspace.write("c.json", "{}\n");
    let run = workspace.run_with_input(&["repair", "a.json", "b.json", "-", "c.json"], "[3,\n");
    assert_eq!(run.stdout, "[1]\n[2][3]\n{}\n");
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_others_to_be_done() {
    let workspace = Workspace::new();
    workspace.write("a.json", "[1,]\n");
    workspace.write("utf8.json", b"{\"a\": \"\xC3\xA9\xFF\"}");
    workspace.write("utf16.json", b"\xFF\xFE{\0}\0");
    workspace.write("cut.json", b"[\"\xF0\x9F\x98");
    workspace.write("other.json5", "{a: 1,} // c\n");
    fs::create_dir(workspace.path("dir.json")).expect("a directory");
    workspace.write("z.json", "[2]\n");
    let bad = [
        ("utf8.json", "cannot read utf8.json: invalid UTF-8 at byte offset 9 (0xFF)\n"),
        (
            "utf16.json",
            "cannot read utf16.json: invalid UTF-8 at byte offset 0 (0xFF); it looks like UTF-16\n",
        ),
        ("cut.json", "cannot read cut.json: invalid UTF-8 at byte offset 2 (0xF0)\n"),
        ("other.json5", "cannot read other.json5: it is named as another language, which is left alone"),
        ("dir.json", "cannot "),
        ("missing.json", "cannot read missing.json: "),
    ];
    for mode in
        [&["repair"][..], &["repair", "--diff"], &["repair", "--json"], &["repair", "--write"], &["check"]]
    {
        workspace.write("a.json", "[1,]\n");
        for (name, message) in bad {
            let before = fs::read(workspace.path(name)).ok();
            let alone = workspace.run(&[mode, &[name]].concat());
            assert_eq!(alone.code, Some(2), "{mode:?} {name}");
            assert!(alone.stderr.starts_with(&format!("error: {message}")), "{mode:?} {}", alone.stderr);
            assert_eq!(alone.stdout, "", "{mode:?} {name}");
            assert_eq!(fs::read(workspace.path(name)).ok(), before, "{mode:?} {name}");
        }
        let names: Vec<&str> = bad.iter().map(|(name, _)| *name).collect();
        let all = workspace.run(&[mode, &["a.json"], &names, &["z.json"]].concat());
        assert_eq!(all.code, Some(2), "{mode:?}");
        for (name, message) in bad {
            assert!(all.stderr.contains(message), "{mode:?} {name} {}", all.stderr);
        }
        match mode {
            ["repair"] => assert_eq!(all.stdout, "[1]\n[2]\n"),
            ["repair", "--diff"] => assert!(all.stdout.contains("+[1]"), "{}", all.stdout),
            ["repair", "--json"] => assert_eq!(all.stdout.lines().count(), 2, "{}", all.stdout),
            ["repair", "--write"] => assert_eq!(workspace.read("a.json"), "[1]\n"),
            _ => assert!(all.stderr.contains("--> a.json:1:3\n"), "{}", all.stderr),
        }
    }
    let bytes = workspace.run_with_input(&["repair"], b"[\"\xFF\"]");
    assert_eq!((bytes.code, &*bytes.stdout), (Some(2), ""));
    assert_eq!(bytes.stderr, "error: cannot read <stdin>: invalid UTF-8 at byte offset 2 (0xFF)\n");
}

#[test]
fn check_tells_by_its_status_whether_a_file_is_valid_as_it_stands() {
    for (name, contents, _, repaired_code) in REPAIRS {
        let workspace = Workspace::with(name, contents);
        let rules = if workspace.run(&["repair", name]).stdout == *contents { *repaired_code } else { 1 };
        let run = workspace.run(&["check", name]);
        assert_eq!(run.code, Some(rules), "{name} {contents:?} {}", run.stderr);
        assert_eq!(run.stdout, "", "{name}");
        assert_eq!(run.stderr.is_empty(), run.code == Some(0), "{name} {}", run.stderr);
        assert_eq!(workspace.read(name), *contents);
    }
}
