//! Real servers of every kind: an old SDK, a Go binary, one that wants a certain host name, one derived from `OpenAPI`, one of Python, and
//! one of 1 MB behind a bearer token. For each: the snapshot twice, code, `check`, and a call.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_runtime::{CallError, CallOptions, Importer};
use serde_json::json;

use crate::project::Project;
use crate::skip;

const SERVERS: &str = r#"
[[server]]
name    = "github"
command = "node"
args    = ["node_modules/@modelcontextprotocol/server-github/dist/index.js"]
cwd     = "${MCP_TEST_SERVERS}"

[[server]]
name        = "kubernetes"
command     = "sh"
args        = ["-c", "exec node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64 --kubeconfig ${MCP_TEST_FOLDER}/kubeconfig.yaml"]
expand_args = true
cwd         = "${MCP_TEST_SERVERS}"

[[server]]
name    = "playwright"
url     = "http://localhost:${PLAYWRIGHT_PORT}/mcp"

[[server]]
name    = "notion"
command = "node"
args    = ["node_modules/@notionhq/notion-mcp-server/bin/cli.mjs"]
cwd     = "${MCP_TEST_SERVERS}"
env     = { NOTION_TOKEN = "dummy" }

[[server]]
name    = "git"
command = "mcp-server-git"
env     = { PATH = "${MCP_TEST_SERVERS}/venv/bin:${PATH}" }

[[server]]
name    = "ms365"
url     = "http://127.0.0.1:${MS365_PORT}/mcp"
headers = { Authorization = "Bearer ${MS365_TOKEN}" }
"#;

const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n\
                          contexts: [{name: c, context: {cluster: c, user: u}}]\ncurrent-context: c\nusers: [{name: u, user: {}}]\n";

/// A server over HTTP that is ended with the test.
struct Background(Child);

impl Background {
    fn start(servers: &Path, program: &[&str], variables: &[(&str, &str)], port: u16) -> Self {
        let mut command = Command::new("node");
        command.args(program).envs(variables.iter().copied()).current_dir(servers).stdin(Stdio::null());
        let child = Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() && TcpStream::connect(("::1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "{program:?} does not listen");
            std::thread::sleep(Duration::from_millis(100));
        }
        child
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Ground {
    project: Project,
    variables: Vec<(&'static str, String)>,
    _servers: [Background; 2],
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Ground {
    fn prepare(servers: &Path) -> Self {
        let (playwright, ms365) = (free_port(), free_port());
        let address = format!("127.0.0.1:{ms365}");
        let background = [
            Background::start(
                servers,
                &["node_modules/@playwright/mcp/cli.js", "--headless", "--port", &playwright.to_string()],
                &[],
                playwright,
            ),
            Background::start(
                servers,
                &["node_modules/@softeria/ms-365-mcp-server/dist/index.js", "--http", &address],
                &[("MS365_MCP_OAUTH_TOKEN", "dummy")],
                ms365,
            ),
        ];
        let project = Project::new(SERVERS);
        project.write("kubeconfig.yaml", KUBECONFIG);
        let variables = vec![
            ("MCP_TEST_SERVERS", servers.display().to_string()),
            ("MCP_TEST_FOLDER", project.path().display().to_string()),
            ("PLAYWRIGHT_PORT", playwright.to_string()),
            ("MS365_PORT", ms365.to_string()),
            ("MS365_TOKEN", "dummy-token".to_owned()),
            ("PATH", std::env::var("PATH").unwrap()),
        ];
        let project = variables.iter().fold(project, |project, (name, value)| project.with(name, value));
        Self { project, variables, _servers: background }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_every_kind() {
    let Some(servers) = skip::folder("MCP_TEST_SERVERS", "tests against servers of every kind") else { return };
    let ground = Ground::prepare(&servers);
    let project = &ground.project;
    let first = project.run(&["snapshot"]);
    assert!(first.ends_with("exit code 0"), "{first}");
    let files = project.files("mcp");
    let second = project.run(&["snapshot"]);
    assert!(second.ends_with("exit code 0") && second.matches("unchanged").count() == 6, "{second}");
    assert_eq!(project.files("mcp"), files);
    let generated = project.run(&["generate"]);
    assert!(generated.ends_with("exit code 0"), "{generated}");
    assert!(project.run(&["check"]).ends_with("exit code 0"));
    project.compile();
    calls(&ground).await;
    without_the_token(&ground);
}

/// A call to each: one that succeeds without credentials, or the error that tells of them.
async fn calls(ground: &Ground) {
    let variables = ground.variables.clone();
    let lookup = move |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
    let importer = Importer::builder(ground.project.contract())
        .variables(lookup)
        .approver(|_| async { mcp_runtime::Approval::Granted })
        .start()
        .await
        .unwrap();
    let call = async |tool: &str, arguments| {
        importer.call(tool, arguments, CallOptions::default().timeout(Duration::from_secs(20))).await
    };
    let repository = ground.project.path().join("repository");
    assert!(Command::new("git").args(["init", "--quiet"]).arg(&repository).status().unwrap().success());
    std::fs::write(repository.join("new.txt"), "").unwrap();
    let status = call("git_git_status", json!({"repo_path": repository})).await.unwrap();
    assert!(status.text().contains("new.txt"), "{}", status.text());
    let view = call("kubernetes_configuration_view", json!({})).await.unwrap();
    assert!(view.text().contains("127.0.0.1:1"), "{}", view.text());
    for (tool, arguments) in [
        ("github_search_repositories", json!({"query": "x"})),
        ("notion_API-get-self", json!({})),
        // There is no browser here, and the server says so.
        ("playwright_browser_close", json!({})),
        ("ms365_list-mail-folders", json!({})),
    ] {
        match call(tool, arguments).await {
            Err(CallError::Tool { .. } | CallError::OutcomeUnknown { .. }) => {}
            // Some servers tell of missing credentials in a result of their own.
            Ok(reply) => assert!(reply.text().contains("rror"), "{tool}: {}", reply.text()),
            Err(other) => panic!("{tool}: {other}"),
        }
    }
    importer.close().await;
}

/// 401 without the token, by name.
fn without_the_token(ground: &Ground) {
    let port = &ground.variables.iter().find(|(name, _)| *name == "MS365_PORT").unwrap().1;
    let project = Project::new(&format!("[[server]]\nname = \"ms365\"\nurl = \"http://127.0.0.1:{port}/mcp\"\n"));
    let said = project.run(&["snapshot"]);
    assert!(said.contains("HTTP 401 (it wants credentials") && said.ends_with("exit code 3"), "{said}");
}
