//! A server as a process: killed, wrapped, and gone when we are gone.

#![cfg(unix)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcp_runtime::{Approval, CallError, CallOptions, Importer, Outcome};
use serde_json::{Value, json};

use crate::contract::{contract, tool};

/// A script for the test server, and the file that it writes executions to.
pub(crate) struct Script {
    folder: PathBuf,
}

impl Script {
    pub(crate) fn new(name: &str, plans: &Value) -> Self {
        let folder = std::env::temp_dir().join(format!("mcp-runtime-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = Self { folder };
        let text = json!({"tools": [tool("t")], "executions": script.executions_file(), "plans": plans}).to_string();
        std::fs::write(script.folder.join("script.json"), text).unwrap();
        script
    }

    pub(crate) fn executions_file(&self) -> PathBuf {
        self.folder.join("executions")
    }

    pub(crate) fn executions(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.executions_file()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A builder over this server; the process writes its number to the file `pid` before it is the server.
    pub(crate) fn builder(&self, lines: &str) -> mcp_runtime::Builder {
        let shell = format!(
            "echo $$ > {pid}; exec {server} {script}",
            pid = self.folder.join("pid").display(),
            server = env!("CARGO_BIN_EXE_mcp-test-server"),
            script = self.folder.join("script.json").display(),
        );
        let servers = format!("[[server]]\nname = \"s\"\ncommand = \"sh\"\nargs = [\"-c\", \"{shell}\"]\n{lines}\n");
        Importer::builder(contract(&servers, &[("s", vec![tool("t")])])).approver(|_| async { Approval::Granted })
    }

    pub(crate) fn pid(&self) -> i32 {
        // The file may be half written: the shell does that while it starts.
        loop {
            let text = std::fs::read_to_string(self.folder.join("pid")).unwrap_or_default();
            if let Some(pid) = text.strip_suffix('\n').and_then(|pid| pid.parse().ok()) {
                return pid;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn kill(pid: i32) {
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
}

/// Whether a process is there and is no zombie.
fn runs(pid: i32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}

/// Whether a process ends and is reaped, which our runtime does.
async fn gone(pid: i32) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        if !Path::new("/proc").join(pid.to_string()).exists() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

/// Whether a process has ended by now: its runtime is gone, so nobody of us reaps it.
fn ended(pid: i32) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        if !runs(pid) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[tokio::test]
async fn a_server_that_is_killed_in_a_call_is_started_again_by_the_next() {
    let script = Script::new("killed", &json!([{"for": "t", "fault": "silence", "runs": true}]));
    let importer = script.builder("request_timeout = \"10s\"").start().await.unwrap();
    let first = script.pid();
    let caller = importer.clone();
    let call = tokio::spawn(async move { caller.call("s_t", json!({"n": 1}), CallOptions::default()).await });
    while script.executions().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    kill(first);
    let begun = Instant::now();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(2), "the end of the process is noticed, not waited for");
    // The new process has the same plan for its first call.
    let options = CallOptions::default().timeout(Duration::from_millis(300));
    assert_eq!(importer.call("s_t", json!({"n": 2}), options).await.unwrap_err().outcome(), Outcome::Unknown);
    importer.call("s_t", json!({"n": 3}), CallOptions::default()).await.unwrap();
    let second = script.pid();
    assert_ne!(first, second);
    assert_eq!(script.executions().len(), 3);
    importer.close().await;
    assert!(gone(first).await && gone(second).await, "no process is left, and no zombie");
}

#[tokio::test]
async fn no_process_outlives_a_dropped_importer_a_panic_or_a_runtime() {
    let script = Script::new("dropped", &json!([]));
    let importer = script.builder("").start().await.unwrap();
    let pid = script.pid();
    assert!(runs(pid));
    drop(importer);
    // It is killed at once, and not when the runtime comes to it.
    assert!(ended(pid));
    assert!(gone(pid).await);

    let script = Script::new("panicked", &json!([]));
    let builder = script.builder("");
    let panicked = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let _importer = builder.start().await.unwrap();
            panic!("the host's own affair");
        });
    });
    assert!(panicked.join().is_err());
    assert!(ended(script.pid()));

    let script = Script::new("shut-down", &json!([{"for": "t", "fault": "silence", "runs": true}]));
    let builder = script.builder("");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let importer = runtime.block_on(builder.start()).unwrap();
        // An action is under way, and holds the connection.
        let call = runtime.spawn(async move { importer.call("s_t", json!({}), CallOptions::default()).await });
        std::thread::sleep(Duration::from_millis(200));
        call.abort();
        runtime.shutdown_timeout(Duration::from_secs(1));
    })
    .join()
    .unwrap();
    assert!(ended(script.pid()));
}

#[tokio::test]
async fn several_servers_are_closed_in_parallel_whatever_they_do() {
    // A launcher that heeds neither the end of its input nor SIGTERM, around a server.
    let script = Script::new("stubborn", &json!([]));
    let mut servers = String::new();
    let names = ["a", "b", "c"];
    for name in names {
        let shell = format!(
            "trap '' TERM; echo $$ > {folder}/{name}; {server} {folder}/script.json; while true; do sleep 1; done",
            folder = script.folder.display(),
            server = env!("CARGO_BIN_EXE_mcp-test-server"),
        );
        writeln!(servers, "[[server]]\nname = \"{name}\"\ncommand = \"sh\"\nargs = [\"-c\", \"{shell}\"]").unwrap();
    }
    let importer =
        Importer::builder(contract(&servers, &names.map(|name| (name, vec![tool("t")])))).start().await.unwrap();
    let pids =
        names.map(|name| -> i32 { std::fs::read_to_string(script.folder.join(name)).unwrap().trim().parse().unwrap() });
    assert!(pids.iter().all(|pid| runs(*pid)));
    let begun = Instant::now();
    importer.close().await;
    assert!(begun.elapsed() < Duration::from_secs(9), "one after the other they take more than 12 s");
    for pid in pids {
        assert!(gone(pid).await);
    }
}

#[tokio::test]
async fn the_last_words_of_a_process_are_in_the_error() {
    let servers = "[[server]]\nname = \"s\"\ncommand = \"sh\"\nargs = [\"-c\", \"echo missing API key >&2; exit 3\"]\n";
    let importer = Importer::builder(contract(servers, &[("s", vec![tool("t")])]))
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::NotSent { .. }), "{error:?}");
    let told = error.to_string();
    assert!(told.contains("exit status: 3") && told.contains("missing API key"), "{told}");
}
