//! Processes: none is left behind, whatever a server does.

use std::path::Path;
use std::time::{Duration, Instant};

use mcp_runtime::{CallOptions, Importer};
use serde_json::json;

use crate::project::{HOSTILE, Project};

/// A launcher that starts the server as its child, as npx does, and a grandchild that ignores SIGTERM; it writes both ids down.
fn launcher(project: &Project, mode: &str) -> String {
    let ids = project.path().join("ids");
    project.write(
        "launch.sh",
        &format!(
            "trap '' TERM\n(trap '' TERM; sleep 1000) >/dev/null 2>&1 &\necho $! >> {0}\necho $$ >> {0}\n{HOSTILE} {mode}\nsleep 1000\n",
            ids.display()
        ),
    );
    format!(
        "[[server]]\nname = \"s\"\ncommand = \"sh\"\nargs = [\"{}\"]\nconnect_timeout = \"1s\"\nrequest_timeout = \"1s\"\n",
        project.path().join("launch.sh").display()
    )
}

/// The processes of a launcher that still run.
fn running(project: &Project) -> Vec<String> {
    let ids = std::fs::read_to_string(project.path().join("ids")).unwrap_or_default();
    let alive = |id: &&str| {
        let status = std::fs::read_to_string(Path::new("/proc").join(id).join("status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    ids.lines().filter(alive).map(str::to_owned).collect()
}

fn assert_none_left(project: &Project) {
    let ids = std::fs::read_to_string(project.path().join("ids")).unwrap();
    assert!(ids.lines().count() >= 2, "the launcher did not run");
    let start = Instant::now();
    while !running(project).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(3), "left behind: {:?}", running(project));
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn project(mode: &str) -> Project {
    let project = Project::new("");
    project.configure(&launcher(&project, mode));
    project
}

#[test]
#[cfg(target_os = "linux")]
fn a_snapshot_leaves_no_process() {
    for mode in ["ok", "silent", "cursor", "exit"] {
        let project = project(mode);
        project.run(&["snapshot"]);
        assert_none_left(&project);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn closing_and_dropping_an_importer_leave_no_process() {
    let project = project("ok");
    project.run(&["snapshot"]);
    let importer = Importer::builder(project.contract()).start().await.unwrap();
    assert!(!running(&project).is_empty());
    importer.close().await;
    assert_none_left(&project);
    let importer = Importer::builder(project.contract()).start().await.unwrap();
    assert!(!running(&project).is_empty());
    drop(importer);
    assert_none_left(&project);
}

#[test]
#[cfg(target_os = "linux")]
fn the_end_of_a_runtime_leaves_no_process() {
    let project = project("ok");
    project.run(&["snapshot"]);
    let contract = project.contract();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let importer = runtime.block_on(async { Importer::builder(contract).start().await.unwrap() });
    drop(runtime);
    drop(importer);
    assert_none_left(&project);
}

/// Whoever ends the command, a person or a supervisor, ends the servers that it started.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_is_ended_leaves_no_process() {
    for signal in ["INT", "TERM", "HUP"] {
        let project = project("silent");
        let servers = project.read("servers.toml").replace("connect_timeout = \"1s\"", "connect_timeout = \"1m\"");
        project.configure(&servers);
        let mut command = std::process::Command::new(crate::project::program("mcp-codegen"))
            .arg("snapshot")
            .current_dir(project.path())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while running(&project).len() < 2 {
            assert!(start.elapsed() < Duration::from_secs(10), "the launcher did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        let id = command.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        assert_eq!(command.wait().unwrap().code(), Some(130), "{signal}");
        assert_none_left(&project);
    }
}

#[tokio::test]
async fn noise_and_a_full_standard_error_do_not_disturb() {
    for mode in ["banner", "stderr", "unterminated"] {
        let project = Project::hostile(mode);
        assert!(project.run(&["snapshot"]).ends_with("exit code 0"), "{mode}");
        let importer = Importer::builder(project.contract())
            .approver(|_| async { mcp_runtime::Approval::Granted })
            .start()
            .await
            .unwrap();
        let reply = importer.call("server_good", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!(reply.text(), "ok", "{mode}");
        importer.close().await;
    }
}

/// A server sees the variables that it needs to start and those that the configuration names, and no others.
#[test]
#[cfg(unix)]
fn the_environment_is_an_allow_list() {
    let project = Project::new("").with("SECRET_OF_OURS", "s3");
    let seen = project.path().join("seen");
    project.configure(&format!(
        "[[server]]\nname = \"s\"\ncommand = \"sh\"\nargs = [\"-c\", \"env > {}; exec {HOSTILE} ok\"]\nenv = {{ NAMED = \"${{SECRET_OF_OURS}}\" }}\n",
        seen.display()
    ));
    assert!(project.run(&["snapshot"]).ends_with("exit code 0"));
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("NAMED=s3"), "{seen}");
    assert!(!seen.contains("CARGO"), "the environment of the test itself was passed on: {seen}");
    assert!(!project.files("mcp").values().any(|text| text.contains("s3\"") || text.contains("SECRET_OF_OURS")));
}
