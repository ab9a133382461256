//! Snapshots on disk: stable byte for byte, changed only with consent.

use std::collections::BTreeMap;
use std::path::PathBuf;

use expect_test::expect;

use crate::project::{Project, accepted_risks};

const ONE: &str = r#"[
  {"name": "keep", "description": "Kept.", "inputSchema": {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}, "required": ["b", "a"]}},
  {"name": "go", "inputSchema": {"type": "object"}}
]"#;

/// The same offer in another spelling: order of tools and keys, and of numbers.
const ONE_RESPELLED: &str = r#"{"result": {"tools": [
  {"inputSchema": {"type": "object"}, "name": "go"},
  {"inputSchema": {"required": ["b", "a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "type": "object"}, "description": "Kept.", "name": "keep"}
]}, "jsonrpc": "2.0", "id": 1}"#;

const TWO: &str = r#"{"tools": [
  {"name": "keep", "description": "Kept,\u00a0 differently.", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "integer"}, "b": {"type": "string"}}, "required": ["c", "a", "b"]}},
  {"name": "come", "inputSchema": {"type": "object"}}
]}"#;

fn project() -> Project {
    let project = Project::new("[[server]]\nname = \"s\"\ncommand = \"unused\"\n");
    for (file, text) in [("one.json", ONE), ("respelled.json", ONE_RESPELLED), ("two.json", TWO)] {
        project.write(file, text);
    }
    project
}

fn take(project: &Project, file: &str, flags: &[&str]) -> String {
    let listing = format!("s={}", project.path().join(file).display());
    let arguments: Vec<&str> = ["snapshot", "--listing", &listing].into_iter().chain(flags.iter().copied()).collect();
    project.run(&arguments)
}

fn snapshot(project: &Project) -> BTreeMap<PathBuf, String> {
    project.files("mcp")
}

#[test]
fn the_same_offer_changes_no_byte() {
    let project = project();
    expect![[r#"
        s: 2 tools, first snapshot
        exit code 0"#]]
    .assert_eq(&take(&project, "one.json", &[]));
    let first = snapshot(&project);
    expect![[r#"
        s: 2 tools, unchanged
        exit code 0"#]]
    .assert_eq(&take(&project, "respelled.json", &[]));
    assert_eq!(snapshot(&project), first);
    expect![[r#"
        {
          "digest": "mcp-digest-v1:a353f6fdf1e453a85749ad9eef6e989892b81292088cab6b4616edf465d328dd",
          "local_name": "s_keep",
          "rust": {
            "new": {
              "": [
                "b",
                "a"
              ]
            }
          },
          "tool": {
            "name": "keep",
            "description": "Kept.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "b": {
                  "type": "string"
                },
                "a": {
                  "type": "string"
                }
              },
              "required": [
                "b",
                "a"
              ]
            }
          }
        }
    "#]]
    .assert_eq(&project.read("mcp/s/keep.json"));
}

#[test]
fn a_change_waits_until_it_is_accepted() {
    let project = project();
    take(&project, "one.json", &[]);
    let accepted = snapshot(&project);
    expect![[r#"
        s: changed; the new listing waits in mcp/.pending/s
        s: 2 changed of 2 tools: breaking, renamed, compatible, text
          breaking    "keep"
            breaking    required /inputSchema/required: an argument must be given that need not have been
                - [ "b", "a" ]
                + [ "c", "a", "b" ]
                shown by { "a": "x", "b": "x" }
            compatible  member-added /inputSchema/properties/c
                - (nothing)
                + { "type": "integer" }
            text        text /description
                [-Kept.-]{+Kept,\u{a0} differently.+}
              rust: major: Keep.c is new: i64
              rust: major: Keep::new: (b: impl Into<String>, a: impl Into<String>) -> (b: impl Into<String>, a: impl Into<String>, c: i64)
          renamed     "come", was "go"
              rust: major: Go is gone
              rust: minor: Come is new: struct
        look at it with: mcp-codegen review s
        or accept all of it with: mcp-codegen accept s
        exit code 1"#]]
    .assert_eq(&take(&project, "two.json", &[]));
    // What was accepted is untouched, and the new listing stands beside it, whole.
    let now = snapshot(&project);
    assert!(accepted.iter().all(|(file, text)| now.get(file) == Some(text)));
    assert_eq!(now.keys().filter(|file| file.starts_with("mcp/.pending/s")).count(), 3);
    expect![[r#"
        s: 2 tools, 0 refused
        wrote src/mcp/mod.rs
        wrote src/mcp/s.rs
        exit code 0"#]]
    .assert_eq(&project.run(&["generate"]));
    assert!(!project.read("src/mcp/s.rs").contains("Come"));
    expect![[r#"
        s: 2 tools, 0 refused
        note: server s: a changed listing waits in mcp/.pending/s; look at it with: mcp-codegen review s
        configuration, snapshots and generated code agree
        exit code 0"#]]
    .assert_eq(&project.run(&["check"]));
    let accepted = take(&project, "two.json", &["--accept"]);
    assert!(
        accepted.contains("  breaking    \"keep\"") && accepted.ends_with("s: 2 tools, accepted\nexit code 0"),
        "{accepted}"
    );
    assert!(!project.path().join("mcp/.pending").exists());
    assert!(project.read("mcp/s/keep.json").contains("\\u00a0"));
    // Survivors keep their place among the parameters of `new`; new ones append.
    project.run(&["generate"]);
    let code = project.read("src/mcp/s.rs");
    let new = code.split("pub fn new(").nth(2).unwrap().split(')').next().unwrap();
    let order: Vec<&str> = new.split(',').filter_map(|parameter| parameter.trim().split(':').next()).collect();
    assert_eq!(order, ["b", "a", "c"]);
}

#[test]
fn what_is_accepted_is_what_waited() {
    let project = project();
    take(&project, "one.json", &[]);
    take(&project, "two.json", &[]);
    let waiting = project.files("mcp/.pending");
    project.write("three.json", r#"[{"name": "surprise", "inputSchema": {"type": "object"}}]"#);
    let said = take(&project, "three.json", &["--accept"]);
    assert!(said.contains("changed again since the listing that waited; nothing was accepted"), "{said}");
    assert!(said.ends_with("exit code 1") && project.files("mcp/.pending") != waiting);
    assert!(take(&project, "three.json", &["--accept"]).ends_with("exit code 0"));
}

#[test]
fn a_change_cannot_hide_as_a_digest() {
    let project = project();
    let listing = |text: &str| serde_json::json!([{"name": "t", "description": text, "inputSchema": {}}]).to_string();
    let digest = format!("mcp-digest-v1:{}", "0".repeat(64));
    project.write("before.json", &listing("Harmless."));
    take(&project, "before.json", &[]);
    for text in [digest.clone(), format!("\"digest\": \"{digest}\""), format!("x \"mcp-digest-v1: {digest}")] {
        project.write("after.json", &listing(&text));
        let said = take(&project, "after.json", &[]);
        assert!(said.contains("{+") && said.contains("mcp-digest-v1"), "{said}");
    }
}

#[test]
fn a_broken_snapshot_is_replaced_only_when_its_server_is_named() {
    let project =
        Project::new("[[server]]\nname = \"a\"\ncommand = \"x\"\n[[server]]\nname = \"b\"\ncommand = \"x\"\n");
    project.write("tools.json", ONE);
    let listing = |server: &str| format!("{server}={}", project.path().join("tools.json").display());
    let (a, b) = (listing("a"), listing("b"));
    project.run(&["snapshot", "--listing", &a, "--listing", &b]);
    project.write("mcp/b/keep.json", "<<<<<<< ours\n");
    // The names of `b` are unknown now, and `a` must not take one of them; so nothing is written.
    let both = project.run(&["snapshot", "--listing", &a, "--listing", &b]);
    assert!(both.contains("snapshot b --accept") && both.ends_with("exit code 1"), "{both}");
    // A server that was not asked is not replaced, whatever was accepted elsewhere.
    let accept = project.run(&["snapshot", "--listing", &a, "--accept"]);
    assert!(accept.contains("keep.json") && accept.ends_with("exit code 1"), "{accept}");
    assert_eq!(project.read("mcp/b/keep.json"), "<<<<<<< ours\n");
    assert!(project.run(&["snapshot", "--listing", &b, "--accept"]).contains("b: 2 tools, first snapshot"));
}

#[test]
fn an_offer_that_returns_to_what_was_accepted_leaves_nothing_pending() {
    let project = project();
    take(&project, "one.json", &[]);
    let accepted = snapshot(&project);
    take(&project, "two.json", &[]);
    assert!(take(&project, "one.json", &[]).ends_with("exit code 0"));
    assert_eq!(snapshot(&project), accepted);
}

#[test]
fn a_changed_configuration_is_noticed_and_updated_without_review_of_the_offer() {
    let project = project();
    take(&project, "one.json", &[]);
    project.run(&["generate"]);
    project.configure("[[server]]\nname = \"s\"\ncommand = \"another\"\nnamespace = \"t\"\nexclude = [\"go\"]\n");
    expect![[r#"
        s: 1 tool, 1 left out, 0 refused
        error: server s: the snapshot was taken before its launch definition changed; take a new one with: mcp-codegen snapshot s
        error: server s, tool "go": the snapshot records the local name s_go, the configuration gives none; update it with: mcp-codegen snapshot s
        error: server s, tool "keep": the snapshot records the local name s_keep, the configuration gives t_keep; update it with: mcp-codegen snapshot s
        error: src/mcp/mod.rs is not what the snapshots give; write it anew with: mcp-codegen generate
        error: src/mcp/s.rs is not what the snapshots give; write it anew with: mcp-codegen generate
        exit code 1"#]].assert_eq(&project.run(&["check"]));
    expect![[r#"
        s: 2 tools, names or launch updated
        exit code 0"#]]
    .assert_eq(&take(&project, "one.json", &[]));
    project.run(&["generate"]);
    expect![[r#"
        s: 1 tool, 1 left out, 0 refused
        configuration, snapshots and generated code agree
        exit code 0"#]]
    .assert_eq(&project.run(&["check"]));
}

#[test]
fn generated_files_are_written_once_and_removed_with_their_server() {
    let project = project();
    take(&project, "one.json", &[]);
    project.run(&["generate"]);
    let time = |file: &str| std::fs::metadata(project.path().join(file)).unwrap().modified().unwrap();
    let (module, server) = (time("src/mcp/mod.rs"), time("src/mcp/s.rs"));
    assert!(project.run(&["generate"]).contains("nothing changed"));
    assert_eq!((time("src/mcp/mod.rs"), time("src/mcp/s.rs")), (module, server));
    project.configure("");
    project.run(&["generate"]);
    assert!(!project.path().join("src/mcp/s.rs").exists());
}

#[test]
fn hostile_names_stay_inside_their_folder_and_their_literals() {
    let names = [
        "../../../etc/passwd",
        "a/b",
        "a\\b",
        "CON",
        "server",
        "Get",
        "get",
        ".hidden",
        "quote\"",
        "tick`",
        "line\nbreak",
        "nul\0",
        "r#\"raw\"#",
        "*/ fn main() {}",
        "日本語",
        "\u{202e}txt.exe",
        "self",
        "type",
        "a.b",
        "a_b",
        "",
    ];
    let tools: Vec<_> = names
        .iter()
        .map(|name| serde_json::json!({"name": name, "description": name, "inputSchema": {"type": "object", "properties": {*name: {"type": "string", "description": name, "enum": names}}, "required": [name]}}))
        .collect();
    let project = project();
    project.configure(&("[[server]]\nname = \"s\"\ncommand = \"unused\"\n".to_owned() + &accepted_risks()));
    project.write("hostile.json", &serde_json::Value::from(tools).to_string());
    assert!(take(&project, "hostile.json", &[]).ends_with("exit code 0"));
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    assert!(project.run(&["check"]).ends_with("exit code 0"));
    let files = project.files(".");
    assert!(files.keys().all(|file| {
        let name = file.file_name().unwrap().to_str().unwrap();
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)) && !name.starts_with('.')
    }));
    let code = project.read("src/mcp/s.rs");
    assert!(code.is_ascii() || !code.contains(['\u{202e}', '\0']), "hidden characters reached the source");
}
