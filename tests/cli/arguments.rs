//! Arguments, help, and what a language client passes.

use crate::command::Workspace;

#[test]
fn help_mentions_every_command_and_what_the_exit_status_means() {
    let workspace = Workspace::new();
    let help = workspace.run(&["--help"]);
    assert_eq!(help.code, Some(0), "{help:?}");
    for word in ["repair", "check", "execute", "--stdio", "--version", "Examples:", "Exit status:"] {
        assert!(help.stdout.contains(word), "{word}: {}", help.stdout);
    }
    for (command, words) in [
        (
            "repair",
            &["--write", "--force", "--diff", "--json", "--rules", "--lines", "--color", "--quiet"][..],
        ),
        ("check", &["--rules", "--lines", "--color", "--max-problems", "--stdin-filename"]),
        ("execute", &["one response"]),
    ] {
        let help = workspace.run(&[command, "--help"]);
        assert_eq!(help.code, Some(0), "{help:?}");
        for word in words.iter().chain(&["Exit status:", "json-repair-lsp"]) {
            assert!(help.stdout.contains(word), "{command} {word}: {}", help.stdout);
        }
    }
}

#[test]
fn version_is_the_crates() {
    let version = Workspace::new().run(&["--version"]);
    assert_eq!(version.stdout, format!("json-repair-lsp {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(version.code, Some(0));
}

#[test]
fn wrong_arguments_are_status_2_and_do_nothing() {
    let workspace = Workspace::with("a.json", "[1,]");
    for (arguments, message) in [
        (&["frob"][..], "frob"),
        (&["check"], "<FILE>"),
        (&["repair", "--frob", "a.json"], "--frob"),
        (&["repair", "--write", "--diff", "a.json"], "cannot be used with"),
        (&["repair", "--write", "--json", "a.json"], "cannot be used with"),
        (&["repair", "--json", "--diff", "a.json"], "cannot be used with"),
        (&["repair", "--force", "a.json"], "--write"),
        (&["repair", "--force", "a.json"], "--lines"),
        (&["repair", "--lines", "--write", "-"], "standard input"),
        (&["execute", "--lines"], "--lines"),
        (&["repair", "--rules", "remove_commas", "a.json"], "unknown rule `remove_commas`"),
        (&["repair", "--rules", "close_truncated,close_truncated", "a.json"], "is repeated"),
        (&["repair", "--rules", "close_truncated,", "a.json"], "unknown rule ``"),
        (&["repair", "--write"], "standard input"),
        (&["repair", "--write", "a.json", "-"], "standard input"),
        (&["--stdio", "check", "a.json"], "--stdio"),
        (&["execute", "a.json"], "a.json"),
        (&["check", "--color", "blue", "a.json"], "blue"),
    ] {
        let run = workspace.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?} {run:?}");
        assert!(run.stderr.contains(message), "{arguments:?} {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert_eq!(workspace.read("a.json"), "[1,]", "{arguments:?}");
    }
}

#[test]
fn a_language_client_may_pass_what_clients_pass() {
    let workspace = Workspace::new();
    for arguments in [&[][..], &["--stdio"], &["--stdio", "--clientProcessId=4711"]] {
        let run = workspace.run(arguments);
        // Input ends at once, without a goodbye: what the server makes of that
        // is its own tests' concern.
        assert_ne!(run.code, Some(2), "{arguments:?} {run:?}");
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(!run.stderr.contains("Usage"), "{arguments:?} {run:?}");
    }
}
