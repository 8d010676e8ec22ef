//! What the server does not do: no network, no files, no other program.

use std::path::Path;

use serde_json::json;

use crate::client::{Client, document::Change};

const URI: &str = "file:///p/a.json";

/// The server has no words for any of it. Its output is standard output, its
/// log standard error, and it knows no more of the client's process than
/// whether it is there.
#[test]
fn the_server_has_no_words_for_networks_files_and_programs() {
    const NEVER: [&str; 9] = [
        "std::net",
        "tokio::net",
        "tokio::fs",
        "tokio::process",
        "process::Command",
        "fs::",
        "File::",
        "OpenOptions",
        "TcpStream",
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let server = std::fs::read_dir(source.join("server")).expect("a directory");
    let modules = server.map(|entry| entry.expect("an entry").path());
    for path in modules.chain([source.join("server.rs")]) {
        let text = std::fs::read_to_string(&path).expect("a file");
        for word in NEVER {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
    // Nor has its runtime: it is built without them.
    let manifest = include_str!("../../Cargo.toml");
    let tokio = manifest.lines().find(|line| line.starts_with("tokio = ")).expect("the dependency");
    assert!(
        tokio.contains(r#"default-features = false, features = ["rt-multi-thread", "sync", "time"]"#),
        "{tokio}"
    );
}

/// After some of everything, it has nothing open but its pipes, and no child.
#[cfg(target_os = "linux")]
#[test]
fn at_work_it_has_nothing_open_but_its_pipes() {
    let mut client = Client::builder().settings(json!({"jsonRepair": {"onSave": true}})).start();
    client.open(URI, "json", "[1,]");
    let large = client.open("file:///p/large.json", "json", &"[1,],".repeat(20_000));
    assert!(!large.is_empty());
    client.change(URI, &[Change::replace("0:0", "// c\n")]);
    client.code_actions(URI, "0:0");
    client.formatting(URI);
    client.will_save_wait_until(URI, 1);
    client.report(URI);
    // What whoever runs the tests has left open is handed on.
    let inherited = targets("/proc/self/fd");
    let process = format!("/proc/{}", client.process_id_of_server());
    for target in targets(&format!("{process}/fd")) {
        // What threads wake one another with is no file, nor is what tells of
        // the end of the client's process.
        let is_harmless = ["pipe:", "anon_inode:", "pidfd:"].iter().any(|kind| target.starts_with(kind));
        assert!(is_harmless || inherited.contains(&target), "{target} is open");
    }
    for thread in std::fs::read_dir(format!("{process}/task")).expect("Linux tells") {
        let children = thread.expect("an entry").path().join("children");
        assert_eq!(std::fs::read_to_string(children).unwrap_or_default(), "");
    }
    client.diagnostics(URI);
}

/// What the descriptors in a directory of Linux's stand for.
#[cfg(target_os = "linux")]
fn targets(directory: &str) -> Vec<String> {
    let descriptors = std::fs::read_dir(directory).expect("Linux tells");
    // One may have been closed meanwhile.
    let links = descriptors.filter_map(|descriptor| std::fs::read_link(descriptor.ok()?.path()).ok());
    links.map(|target| target.to_string_lossy().into_owned()).collect()
}
