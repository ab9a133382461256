//! Real servers that are killed in mid-call, come back on the same port, and change their lists: one of Node over both transports, one of
//! Python, one of Go over both.

#![cfg(unix)]

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_runtime::{Actor, Approval, CallOptions, Event, Importer, Outcome, Value};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::project::Project;
use crate::skip;

const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n\
                          contexts: [{name: c, context: {cluster: c, user: u}}]\ncurrent-context: c\nusers: [{name: u, user: {}}]\n";

const GO: &str = "node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64";
const NODE: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

struct Ground {
    servers: PathBuf,
    project: Project,
}

impl Ground {
    fn prepare() -> Option<Self> {
        let servers = skip::folder("MCP_TEST_SERVERS", "tests against real servers that are killed")?;
        let project = Project::new("");
        project.write("kubeconfig.yaml", KUBECONFIG);
        Some(Self { servers, project })
    }

    /// Accepts what a server offers, and starts an importer over it.
    async fn importer(&self, table: &str) -> Importer {
        self.project.configure(table);
        let said = self.project.run(&["snapshot", "--accept"]);
        assert!(said.ends_with("exit code 0"), "{said}");
        let importer = Importer::builder(self.project.contract()).approver(|_| async { Approval::Granted });
        let importer = importer.start().await.unwrap();
        assert!(!importer.agent(Actor::default()).tools().await.is_empty());
        importer
    }

    /// A table of a server that writes its number to a file before it is the server.
    fn process(&self, command: &str) -> String {
        let (folder, pid) = (self.servers.display(), self.project.path().join("pid"));
        let shell = format!("echo $$ > {}; cd {folder}; exec {command}", pid.display());
        format!("[[server]]\nname = \"s\"\ncommand = \"sh\"\nargs = [\"-c\", {shell:?}]\nconnect_timeout = \"30s\"\n")
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.project.read("pid").trim().parse().unwrap())
    }
}

/// A process that is killed in the middle of a call: it is stopped first, so that it has the call and has not answered.
async fn killed_in_mid_call(ground: &Ground, importer: &Importer, tool: &str, arguments: &Value) {
    importer.call(tool, arguments.clone(), CallOptions::default()).await.unwrap();
    let first = ground.pid();
    kill(first, Signal::SIGSTOP).unwrap();
    let (caller, name, sent) = (importer.clone(), tool.to_owned(), arguments.clone());
    let call = tokio::spawn(async move { caller.call(&name, sent, CallOptions::default()).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    kill(first, Signal::SIGKILL).unwrap();
    let begun = Instant::now();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "the end of the process is noticed");
    importer.call(tool, arguments.clone(), CallOptions::default()).await.unwrap();
    assert_ne!(ground.pid(), first);
    importer.close().await;
    assert!(!Path::new("/proc").join(ground.pid().to_string()).exists(), "no process is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_are_killed_in_mid_call_are_started_again() {
    let Some(ground) = Ground::prepare() else { return };
    let importer = ground.importer(&ground.process(&format!("node {NODE}"))).await;
    killed_in_mid_call(&ground, &importer, "s_echo", &json!({"message": "hello"})).await;
    let python = ground.process("venv/bin/mcp-server-time --local-timezone UTC");
    let importer = ground.importer(&python).await;
    killed_in_mid_call(&ground, &importer, "s_get_current_time", &json!({"timezone": "UTC"})).await;
    let go = format!("{GO} --kubeconfig {}", ground.project.path().join("kubeconfig.yaml").display());
    let importer = ground.importer(&ground.process(&go)).await;
    killed_in_mid_call(&ground, &importer, "s_configuration_view", &json!({})).await;
}

/// A server over HTTP that is killed with the test, and can be started again on its port.
struct Background {
    child: Child,
    port: u16,
}

impl Background {
    fn start(servers: &Path, port: u16, program: &str, arguments: &[&str], variables: &[(&str, String)]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().cloned()).current_dir(servers).stdin(Stdio::null());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{program} does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self { child, port }
    }

    fn node(servers: &Path, port: u16) -> Self {
        Self::start(servers, port, "node", &[NODE, "streamableHttp"], &[("PORT", port.to_string())])
    }

    fn go(ground: &Ground, port: u16, more: &[&str]) -> Self {
        let config = ground.project.path().join("kubeconfig.yaml").display().to_string();
        let port_text = port.to_string();
        let arguments: Vec<&str> =
            ["--kubeconfig", &config, "--port", &port_text].into_iter().chain(more.iter().copied()).collect();
        let program = ground.servers.join(GO).display().to_string();
        Self::start(&ground.servers, port, &program, &arguments, &[])
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn address(port: u16, more: &str) -> String {
    format!("[[server]]\nname = \"s\"\nurl = \"http://127.0.0.1:{port}/mcp\"\n{more}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_is_killed_in_mid_call_and_comes_back_on_its_port() {
    let Some(ground) = Ground::prepare() else { return };
    let port = free_port();
    let server = Background::node(&ground.servers, port);
    let importer = ground.importer(&address(port, "[[server.tool]]\nmatch = \"echo\"\nkind = \"read\"")).await;
    let long = json!({"duration": 20, "steps": 2});
    let caller = importer.clone();
    let call =
        tokio::spawn(
            async move { caller.call("s_trigger-long-running-operation", long, CallOptions::default()).await },
        );
    tokio::time::sleep(Duration::from_millis(500)).await;
    drop(server);
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error:?}");
    // Nobody listens: an action is provably not sent.
    let sum = || importer.call("s_get-sum", json!({"a": 1, "b": 2}), CallOptions::default().once());
    assert_eq!(sum().await.unwrap_err().outcome(), Outcome::NotSent);
    let server = Background::node(&ground.servers, port);
    assert_eq!(server.port, port);
    // The new process does not know the old session. A read is asked again over a new one; an action is turned away once.
    let answer = importer.call("s_echo", json!({"message": "back"}), CallOptions::default()).await.unwrap();
    assert_eq!(answer.text(), "Echo: back");
    drop(server);
    let _server = Background::node(&ground.servers, port);
    assert_eq!(sum().await.unwrap_err().outcome(), Outcome::Rejected);
    assert_eq!(sum().await.unwrap().text(), "The sum of 1 and 2 is 3.");
    importer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_comes_back_with_another_list_loses_and_regains_tools() {
    let Some(ground) = Ground::prepare() else { return };
    let port = free_port();
    let server = Background::go(&ground, port, &[]);
    let importer = ground.importer(&address(port, "kind = \"read\"")).await;
    let mut events = importer.events();
    let all = importer.agent(Actor::default()).tools().await.len();
    drop(server);
    // Unreachable retires nothing.
    let down = importer.refresh(None).await;
    assert_eq!((down.withdrawn, down.unreachable), (0, 1));
    assert_eq!(importer.agent(Actor::default()).tools().await.len(), all);
    let server = Background::go(&ground, port, &["--read-only"]);
    let fewer = importer.refresh(None).await;
    assert!(fewer.withdrawn > 0 && fewer.registered == 0, "{fewer:?}");
    let kept = importer.agent(Actor::default()).tools().await;
    assert_eq!(kept.len() + fewer.withdrawn, all);
    assert!(!kept.iter().any(|tool| tool.remote_name == "pods_delete"));
    let error = importer.call("s_pods_delete", json!({"name": "x"}), CallOptions::default()).await.unwrap_err();
    assert!(error.did_not_run() && error.to_string().contains("no longer lists it"), "{error}");
    drop(server);
    let _server = Background::go(&ground, port, &[]);
    let again = importer.refresh(None).await;
    assert_eq!((again.registered, again.withdrawn), (fewer.withdrawn, 0));
    importer.call("s_configuration_view", json!({}), CallOptions::default()).await.unwrap();
    let told: Vec<Event> = std::iter::from_fn(|| events.try_next()).collect();
    assert!(told.iter().any(|event| matches!(event, Event::Retired { tool, .. } if tool == "s_pods_delete")));
    assert!(told.iter().any(|event| matches!(event, Event::Registered { tool, .. } if tool == "s_pods_delete")));
    importer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_servers_notice_makes_us_list_it_again() {
    let Some(ground) = Ground::prepare() else { return };
    // This server tells of a change right after the handshake. What goes in and out of it is kept in files.
    let (folder, wire) = (ground.servers.display(), ground.project.path().join("wire"));
    let shell = format!("cd {folder}; tee {} | node {NODE}", wire.display());
    let table =
        format!("[[server]]\nname = \"s\"\ncommand = \"sh\"\nargs = [\"-c\", {shell:?}]\nconnect_timeout = \"30s\"\n");
    let importer = ground.importer(&table).await;
    let listed = || std::fs::read_to_string(&wire).unwrap().matches("\"tools/list\"").count();
    let begun = Instant::now();
    while listed() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(10), "the notice was not heard: {}", listed());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    importer.close().await;
}
