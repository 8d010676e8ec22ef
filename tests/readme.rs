//! What README.md claims, where a program can tell.

#![allow(clippy::expect_used, reason = "a test says `expect`: its panic is its answer")]

use std::process::Command;

use json_repair_lsp::{
    repair::{RuleSet, repair_document},
    server::settings::{Complaints, Settings},
};
use serde_json::{Value, json};

const README: &str = include_str!("../README.md");

/// The lines of the first block that begins with "```" and `kind`, behind the heading `section`.
fn block<'readme>(section: &str, kind: &str) -> Vec<&'readme str> {
    let section = &README[README.find(section).expect("the section")..];
    let mut lines = section.lines().skip_while(|line| *line != format!("```{kind}"));
    lines.next();
    lines.take_while(|line| *line != "```").collect()
}

/// The cells of the table rows behind the heading `section` whose first cell is code.
fn rows<'readme>(section: &str) -> Vec<Vec<&'readme str>> {
    let section = &README[README.find(section).expect("the section")..];
    let table =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells[0].starts_with('`'))
        .collect()
}

#[test]
fn the_picture_is_what_the_engine_does() {
    // Two columns, side by side.
    const RIGHT: usize = 49;
    let columns: Vec<(String, String)> = block("# json-repair-lsp", "text")
        .iter()
        .map(|line| {
            let line = format!("{line:RIGHT$}");
            let (left, right) = line.split_at(RIGHT);
            (left.replace("=>", "").trim_end().to_owned(), right.trim_end().to_owned())
        })
        .collect();
    let before = columns.iter().map(|column| column.0.as_str()).collect::<Vec<_>>().join("\n");
    let after: Vec<&str> = columns.iter().map(|column| column.1.as_str()).collect();
    let repair = repair_document(&before, RuleSet::ALL);
    let result = repair.edits.apply(&before);
    assert_eq!(result.lines().map(str::trim_end).collect::<Vec<_>>(), after);
    assert!(repair.is_valid());
    assert!(README.contains("Three edits: ") && repair.edits.len() == 3);
}

#[test]
fn the_settings_are_those_of_the_server() {
    let rows = rows("\n## Settings");
    let names: Vec<&str> = rows.iter().map(|cells| cells[0].trim_matches('`')).collect();
    assert_eq!(names, Settings::names().collect::<Vec<_>>());
    let mut defaults = 0;
    for cells in &rows {
        let (name, default) = (cells[0].trim_matches('`'), cells[1].trim_matches('`'));
        let Ok(default) = serde_json::from_str::<Value>(default) else { continue };
        let (settings, complaints) = Settings::from_layers([&json!({name: default})]);
        assert_eq!((settings, complaints), (Settings::default(), Complaints::default()), "{name}");
        defaults += 1;
    }
    assert_eq!(defaults, rows.len() - 2, "all but `rules` and `jsonc.files` are written out");
}

#[test]
fn the_commands_are_those_of_the_binary() {
    let help = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_json-repair-lsp")).args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).expect("help is UTF-8")
    };
    for line in block("\n## Command line", "sh") {
        let mut words = line.split_whitespace().skip(1);
        let command = words.next().expect("a command");
        assert!(help(&["--help"]).contains(&format!("\n  {command} ")), "{line}");
        let command_help = help(&[command, "--help"]);
        for flag in words.filter(|word| word.starts_with("--")) {
            assert!(command_help.contains(flag), "{line}");
        }
    }
}

#[test]
fn the_files_that_it_names_are_there() {
    let root = env!("CARGO_MANIFEST_DIR");
    for path in
        ["editors/try", "editors/test", "editors/neovim", ".ci/run", "tests/fixtures/model-answer.json"]
    {
        assert!(README.contains(path), "{path}");
        assert!(std::path::Path::new(root).join(path).exists(), "{path}");
    }
}
