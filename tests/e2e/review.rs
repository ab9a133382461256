//! What waits is looked at: in scripts, at a terminal, against a server that changes, and in the workflows of the docs.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::project::{Project, hostile, program};

/// Three tools, of which the second version changes one, renames one, adds one and removes one.
const OLD: &str = r#"[
    {"name": "find", "description": "Finds notes.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}},
    {"name": "burn", "description": "Burns notes.", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    {"name": "keep", "description": "Keeps notes.", "inputSchema": {"type": "object"}}
]"#;
const NEW: &str = r#"[
    {"name": "find", "description": "Finds all notes.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "maxLength": 9}}}},
    {"name": "copy", "description": "Duplicates one.", "inputSchema": {"type": "object", "properties": {"from": {"type": "string"}}}},
    {"name": "keep", "description": "Keeps notes.", "inputSchema": {"type": "object"}}
]"#;

/// A project whose server lists what a file holds, with the first version accepted and the second one waiting.
fn waiting() -> Project {
    let project = Project::new("");
    let file = project.path().join("tools.json");
    project.configure(&hostile("notes", &format!("file={}", file.display())));
    project.write("tools.json", OLD);
    assert!(project.run(&["snapshot"]).ends_with("exit code 0"));
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    project.write("tools.json", NEW);
    assert!(project.run(&["snapshot"]).ends_with("exit code 1"));
    project
}

/// The descriptions of the accepted tools.
fn accepted(project: &Project) -> Vec<String> {
    let files = project
        .snapshots()
        .into_iter()
        .filter(|(path, _)| path.starts_with("mcp/notes") && !path.ends_with("server.json"));
    files
        .map(|(_, text)| {
            let tool: Value = serde_json::from_str(&text).unwrap();
            tool["tool"]["description"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn single_tools_are_accepted_and_rejected_by_name() {
    let project = waiting();
    let said = project.run(&["diff", "notes/find"]);
    assert!(said.contains("breaking    \"find\"") && !said.contains("copy"), "{said}");
    assert!(project.run(&["diff", "notes/none"]).contains("has no tool \"none\""));
    let said = project.run(&["accept", "notes/keep"]);
    assert!(said.contains("nothing waits of \"keep\""), "{said}");

    let said = project.run(&["accept", "notes/copy"]);
    assert!(said.contains("notes: 4 tools, accepted"), "{said}");
    assert_eq!(accepted(&project), ["Burns notes.", "Duplicates one.", "Finds notes.", "Keeps notes."]);
    // The rest waits on, and is graded without what was accepted.
    let said = project.run(&["diff"]);
    assert!(said.contains("2 changed of 3 tools: breaking, removed, text"), "{said}");

    assert!(project.run(&["reject", "notes/find"]).contains("rejected 1 change"));
    let said = project.run(&["diff"]);
    assert!(said.contains("1 changed of 3 tools: removed"), "{said}");
    // A snapshot of the same offer asks no more about it, another one does.
    let said = project.run(&["snapshot"]);
    assert!(!said.contains("\"find\"") && said.ends_with("exit code 1"), "{said}");
    assert!(project.run(&["reject", "notes"]).contains("rejected 2 changes"));
    let said = project.run(&["snapshot"]);
    assert!(said.contains("all of it was rejected before") && said.ends_with("exit code 0"), "{said}");
    project.write("tools.json", &NEW.replace("Finds all notes.", "Finds every note."));
    let said = project.run(&["snapshot"]);
    assert!(said.contains("\"find\"") && said.ends_with("exit code 1"), "{said}");
    assert_eq!(accepted(&project)[2], "Finds notes.");

    let said = project.run(&["accept", "notes"]);
    assert!(said.contains("3 tools, accepted"), "{said}");
    assert_eq!(accepted(&project), ["Duplicates one.", "Finds every note.", "Keeps notes."]);
    assert!(!project.path().join("mcp/.pending").exists());
    assert!(project.run(&["generate"]).ends_with("exit code 0") && project.run(&["check"]).ends_with("exit code 0"));
    assert!(project.run(&["accept", "notes"]).contains("nothing waits"));
}

/// Runs the program at a terminal of its own, and types lines.
#[cfg(target_os = "linux")]
fn at_a_terminal(project: &Project, arguments: &str, typed: &str) -> String {
    let line = format!("{} {arguments}", program("mcp-codegen").display());
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(project.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}

#[test]
#[cfg(target_os = "linux")]
fn a_review_at_a_terminal() {
    let project = waiting();
    // What is no answer is explained; one is accepted, one rejected, the last skipped.
    let said = at_a_terminal(&project, "review", "what\na\nr\ns\n");
    assert!(said.contains("a accept   r reject"), "{said}");
    assert!(said.contains("{+Finds all notes.+}") || said.contains("Finds {+all +}notes."), "{said}");
    for told in [
        "shown by { \"q\":",
        "rust: major: Burn is gone",
        "accept \"find\"? [a,r,s,A,R,S,q,?]",
        "notes: accepted 1 tool",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert_eq!(accepted(&project), ["Burns notes.", "Finds all notes.", "Keeps notes."]);
    let said = at_a_terminal(&project, "review notes", "A\n");
    assert!(!said.contains("\"burn\"") && said.contains("\"copy\""), "{said}");
    assert_eq!(accepted(&project), ["Burns notes.", "Duplicates one.", "Finds all notes.", "Keeps notes."]);
    assert!(at_a_terminal(&project, "review nothing", "").contains("there is no server \"nothing\""));
    // The rejected one waits on and is not asked about.
    assert!(project.run(&["diff"]).contains("unchanged"));
}

#[test]
fn a_review_needs_a_terminal() {
    let project = waiting();
    let output = Command::new(program("mcp-codegen"))
        .arg("review")
        .current_dir(project.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("use diff, accept and reject"));
}

#[test]
fn servers_are_asked_without_anything_being_written() {
    let project = waiting();
    project.run(&["accept", "notes"]);
    project.run(&["generate"]);
    let before = project.files("");
    let said = project.run(&["check", "--live"]);
    assert!(said.contains("notes: unchanged, 3 tools") && said.ends_with("exit code 0"), "{said}");
    project.write("tools.json", &NEW.replace('9', "8"));
    let said = project.run(&["check", "--live", "--once", "notes"]);
    assert!(said.contains("shown by") && said.ends_with("exit code 1"), "{said}");
    let said = project.run(&["check", "--live", "--fail-on", "removed"]);
    assert!(said.ends_with("exit code 0"), "{said}");
    project.write("tools.json", NEW);
    assert_eq!(project.files(""), before);
    project.configure(&project.read("servers.toml").replace("file=", "gone="));
    project.write("tools.json", "nothing");
    project.configure(&hostile("notes", "exit"));
    let said = project.run(&["check", "--live"]);
    assert!(said.ends_with("exit code 3"), "{said}");
}

#[test]
fn what_a_server_does_beside_listing_is_no_drift() {
    for mode in ["pages", "pings", "banner", "stderr"] {
        let project = Project::hostile(mode);
        assert!(project.run(&["snapshot"]).ends_with("exit code 0"), "{mode}");
        project.run(&["generate"]);
        let said = project.run(&["check", "--live"]);
        assert!(said.contains("server: unchanged, ") && said.ends_with("exit code 0"), "{mode}: {said}");
    }
}

#[test]
fn git_sees_a_rename_as_one() {
    let project = repository();
    let tools = OLD.replace("burn", "burn_all");
    let run = |arguments: &[&str]| project.run_in("repo/servers.toml", arguments);
    project.write("tools.json", OLD);
    run(&["snapshot", "--accept"]);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(project.path().join("repo")).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["add", "-A"]);
    let before = git(&["write-tree"]);
    project.write("tools.json", &tools);
    let said = run(&["snapshot", "--accept"]);
    assert!(said.contains("renamed     \"burn_all\", was \"burn\""), "{said}");
    git(&["add", "-A"]);
    let told = git(&["diff-index", "--cached", "-M", "--name-status", before.trim(), "--", "mcp/notes"]);
    assert!(
        told.lines().any(|line| line.starts_with('R') && line.ends_with("burn.json\tmcp/notes/burn_all.json")),
        "{told}"
    );
}

#[test]
fn what_differs_from_listing_to_listing_is_told_and_can_be_ignored() {
    let project = Project::hostile("unstable");
    project.run(&["snapshot"]);
    let said = project.run(&["snapshot", "--twice"]);
    let hint =
        "ignore = [{ tool = \"shuffled\", pointer = \"/inputSchema/properties/fields/default\", reason = \"…\" }]";
    assert!(said.contains(hint) && said.ends_with("exit code 1"), "{said}");
    project.configure(&(hostile("server", "unstable") + &hint.replace('…', "it is a joined set")));
    let before = project.read("mcp/server/shuffled.json");
    let said = project.run(&["snapshot", "--twice"]);
    assert!(said.contains("server: 2 tools, unchanged") && !said.contains("differ"), "{said}");
    assert_eq!(project.read("mcp/server/shuffled.json"), before);
    project.run(&["generate"]);
    let said = project.run(&["check", "--live"]);
    assert!(said.contains("unchanged, 2 tools") && said.ends_with("exit code 0"), "{said}");
    for (pointer, message) in [("/inputSchema", "cannot be ignored"), ("x", "cannot be ignored"), ("", "is empty")] {
        project.configure(
            &(hostile("server", "unstable") + &hint.replace("/inputSchema/properties/fields/default", pointer)),
        );
        let said = project.run(&["check"]);
        assert!(said.contains(message) && said.ends_with("exit code 2"), "{said}");
    }
}

#[test]
fn a_listing_that_depends_on_the_machine_is_told() {
    // The server sees the home folder that this process has, which is passed on.
    if std::env::var_os("HOME").is_none() {
        eprintln!("skipped: there is no home folder");
        return;
    }
    let said = Project::hostile("hosted").run(&["snapshot"]);
    let home = std::env::var("HOME").unwrap();
    let told = said.contains("tool \"read\" names the home folder of this machine");
    assert!(told || home.len() <= 3 || ["/root", "/home"].contains(&&*home), "{said}");
}

#[test]
fn the_order_of_sets_and_spellings_is_no_news() {
    let project = Project::new("");
    let file = project.path().join("tools.json");
    project.configure(&hostile("notes", &format!("file={}", file.display())));
    let tool = |schema: Value| json!([{"name": "t", "inputSchema": schema}]).to_string();
    project.write("tools.json", &tool(json!({"type": "object", "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "integer", "exclusiveMinimum": 0}}, "required": ["a", "b"]})));
    project.run(&["snapshot"]);
    let before = project.snapshots();
    project.write("tools.json", &tool(json!({"required": ["b", "a"], "properties": {"b": {"type": "integer", "minimum": 1}, "a": {"enum": ["y", "x"]}}, "type": "object"})));
    let said = project.run(&["snapshot"]);
    assert!(said.ends_with("notes: 1 tool, unchanged\nexit code 0"), "{said}");
    assert_eq!(project.snapshots(), before);
}

#[tokio::test]
async fn a_refresh_withdraws_what_changed_and_brings_back_what_was_accepted() {
    use mcp_runtime::{CallOptions, Importer, Standing};
    let project = Project::new("");
    let file = project.path().join("tools.json");
    project.configure(&hostile("notes", &format!("file={}", file.display())));
    project.write("tools.json", OLD);
    project.run(&["snapshot"]);
    let importer = Importer::builder(project.contract()).base(project.path()).start().await.unwrap();
    let standing = |name: &str| {
        let tools = importer.imported_tools();
        tools.into_iter().find(|tool| tool.remote_name == name).unwrap().standing
    };
    let moved = |moved: mcp_runtime::Refreshed| (moved.registered, moved.withdrawn, moved.unreachable);
    assert_eq!(moved(importer.refresh(None).await), (0, 0, 0));
    // One changed, one is gone, one is new, one stays.
    project.write("tools.json", NEW);
    assert_eq!(moved(importer.refresh(Some("notes")).await), (0, 2, 0));
    assert!(
        matches!(standing("find"), Standing::Withdrawn(why) if why.contains("breaking: /inputSchema/properties/q/maxLength"))
    );
    assert!(matches!(standing("burn"), Standing::Withdrawn(_)));
    assert_eq!(standing("keep"), Standing::Available);
    assert_eq!(importer.imported_tools().len(), 3);
    let error = importer.call("notes_find", json!({"q": "x"}), CallOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("changed since it was accepted"), "{error}");
    // A listing that cannot be read changes nothing, an unknown name neither, and an empty one withdraws all.
    project.write("tools.json", "{}");
    assert_eq!(moved(importer.refresh(None).await), (0, 0, 1));
    assert_eq!(moved(importer.refresh(Some("nobody")).await), (0, 0, 0));
    assert_eq!(standing("keep"), Standing::Available);
    project.write("tools.json", "[]");
    assert_eq!(moved(importer.refresh(None).await), (0, 1, 0));
    project.write("tools.json", OLD);
    assert_eq!(moved(importer.refresh(None).await), (3, 0, 0));
    assert_eq!(standing("find"), Standing::Available);
    importer.close().await;
}

/// The shell commands of a workflow's steps, with their names. The file is ours, and as plain as it looks.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let (mut steps, mut name) = (Vec::new(), String::new());
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start().trim_start_matches("- ");
        if let Some(found) = trimmed.strip_prefix("name: ") {
            found.clone_into(&mut name);
        } else if trimmed == "run: |" {
            let indent = line.len() - line.trim_start().len();
            let mut script = String::new();
            while let Some(next) = lines.next_if(|next| next.len() - next.trim_start().len() > indent) {
                script += next.trim_start();
                script.push('\n');
            }
            steps.push((name.clone(), script));
        } else if let Some(script) = trimmed.strip_prefix("run: ") {
            steps.push((name.clone(), script.to_owned()));
        }
    }
    steps
}

struct Runner<'a> {
    project: &'a Project,
    path: String,
}

impl Runner<'_> {
    /// Runs a script as the runner of the forge does, with what earlier steps exported; its exit code and what it printed.
    fn run(&self, script: &str) -> (Option<i32>, String) {
        let mut command = Command::new("bash");
        command.args(["-e", "-c", script]).current_dir(self.project.path().join("repo")).env("PATH", &self.path);
        command
            .env("GITHUB_BASE_REF", "main")
            .env("GITHUB_REF_NAME", "7/merge")
            .env("RUNNER_TEMP", self.project.path());
        command.env("GITHUB_ENV", self.project.path().join("exported"));
        let exported = std::fs::read_to_string(self.project.path().join("exported")).unwrap_or_default();
        command.envs(exported.lines().filter_map(|line| line.split_once('=')));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), said)
    }
}

/// A repository whose server changed between two commits, the first of which is `origin/main`.
fn repository() -> Project {
    let project = Project::new("");
    let file = project.path().join("tools.json");
    project.write("repo/Cargo.toml", "[package]\nname = \"agent\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    project.write("repo/servers.toml", &hostile("notes", &format!("file={}", file.display())));
    let run = |arguments: &[&str]| project.run_in("repo/servers.toml", arguments);
    project.write("tools.json", OLD);
    run(&["snapshot"]);
    run(&["generate"]);
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
        let output = Command::new("git")
            .arg("-C")
            .arg(project.path().join("repo"))
            .args(identity)
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    git(&["checkout", "-q", "-b", "change"]);
    project.write("tools.json", NEW);
    run(&["snapshot"]);
    run(&["accept", "notes"]);
    run(&["generate"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "two"]);
    project
}

#[test]
#[cfg(unix)]
fn the_workflow_of_the_docs_step_by_step() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = repository();
    // The forge's program writes down what it is told.
    let stub = "#!/bin/sh\necho \"$@\" > \"$RUNNER_TEMP/told\"\nwhile [ $# -gt 1 ]; do shift; done\ncp \"$1\" \"$RUNNER_TEMP/comment.md\"\n";
    project.write("bin/gh", stub);
    let gh = project.path().join("bin/gh");
    std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let programs = program("mcp-codegen").parent().unwrap().to_owned();
    let path =
        format!("{}:{}:{}", project.path().join("bin").display(), programs.display(), std::env::var("PATH").unwrap());
    let runner = Runner { project: &project, path };
    let workflow = include_str!("../../docs/workflows/pull-request.yml");
    let steps = steps(workflow);
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Install the command",
            "Check that everything agrees",
            "Grade what changed",
            "Comment on the pull request",
            "Fail where a grade does"
        ]
    );
    for (name, script) in &steps[1..] {
        let (code, said) = runner.run(script);
        let expected = i32::from(name == "Fail where a grade does");
        assert_eq!(code, Some(expected), "{name}: {said}");
        if name == "Grade what changed" {
            assert!(said.contains("::error file=mcp/notes/find.json,title=breaking%3A notes \"find\"::"), "{said}");
        }
    }
    assert_eq!(
        project.read("told").trim(),
        format!("pr comment 7 --edit-last --create-if-none --body-file {}", project.path().join("drift.md").display())
    );
    let comment = project.read("comment.md");
    for told in [
        "### MCP server ` notes `: **1 breaking**, **1 removed**, 1 added",
        "shown by { \"q\":",
        "**removed** ` burn `",
    ] {
        assert!(comment.contains(told), "{told}: {comment}");
    }
    // The nightly one asks the server, which offers what was accepted.
    let (code, said) = runner.run(&self::steps(include_str!("../../docs/workflows/nightly.yml"))[1].1);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn revisions_of_git_are_compared_and_wrong_ones_are_told() {
    let project = repository();
    let run = |arguments: &[&str]| project.run_in("repo/servers.toml", arguments);
    let said = run(&["diff", "--against", "origin/main", "notes/find"]);
    assert!(said.contains("breaking    \"find\"") && !said.contains("burn"), "{said}");
    assert!(run(&["diff", "--against", "HEAD"]).contains("notes: unchanged"));
    let said = run(&["diff", "--against", "nowhere"]);
    assert!(said.contains("git knows no revision \"nowhere\"") && said.ends_with("exit code 2"), "{said}");
    let said = run(&["diff", "--against=--output=x"]);
    assert!(said.contains("--against takes a revision") && said.ends_with("exit code 2"), "{said}");
}
