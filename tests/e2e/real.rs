//! Real servers, started from their registries: listing, generated code, typed calls over both transports.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use mcp_runtime::{Builder, CallError, Content, Importer};

use crate::generated::everything::{
    Echo, Everything, GetStructuredContent, GetStructuredContentLocation, GetSum, GetTinyImage,
    TriggerLongRunningOperation,
};
use crate::generated::everything_http::{self, EverythingHttp};
use crate::generated::filesystem::{Filesystem, ListDirectory, ReadTextFile, WriteFile};
use crate::generated::memory::{CreateEntities, CreateEntitiesEntitiesItem, Memory, ReadGraph, SearchNodes};
use crate::generated::time::{ConvertTime, GetCurrentTime, Time};
use crate::project::Project;
use crate::skip;

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/real");

/// What the servers of the fixture need to run.
struct Ground {
    servers: PathBuf,
    folder: tempfile::TempDir,
    http: Child,
    port: u16,
}

impl Ground {
    fn prepare() -> Option<Self> {
        let servers = skip::folder("MCP_TEST_SERVERS", "tests against real servers")?;
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut http = Command::new("node")
            .arg("node_modules/@modelcontextprotocol/server-everything/dist/index.js")
            .arg("streamableHttp")
            .env("PORT", port.to_string())
            .current_dir(&servers)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(http.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("listening")), "the server over HTTP did not start");
        // A full pipe would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { servers, folder: tempfile::tempdir().unwrap(), http, port })
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let folder = self.folder.path().canonicalize().unwrap();
        vec![
            ("MCP_TEST_SERVERS", self.servers.display().to_string()),
            ("MCP_TEST_FOLDER", folder.display().to_string()),
            ("MCP_TEST_PORT", self.port.to_string()),
            ("PATH", std::env::var("PATH").unwrap()),
        ]
    }

    fn builder(&self) -> Builder {
        let variables = self.variables();
        Importer::builder(crate::generated::CONTRACT)
            .variables(move |name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone()))
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(name).display().to_string()
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = self.http.kill();
        let _ = self.http.wait();
    }
}

/// A copy of the fixture that commands may write to.
fn copy() -> Project {
    let project = Project::new(&std::fs::read_to_string(Path::new(FIXTURE).join("servers.toml")).unwrap());
    for (file, text) in fixture_files() {
        project.write(&file, &text);
    }
    project
}

fn fixture_files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut pending = vec![PathBuf::from(FIXTURE)];
    while let Some(folder) = pending.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(FIXTURE).unwrap().display().to_string();
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files
}

#[test]
fn the_committed_fixture_agrees_with_itself() {
    let contract = mcp_codegen::Contract::load(&Path::new(FIXTURE).join("servers.toml")).unwrap();
    assert_eq!(contract.problems, []);
    let generated = mcp_codegen::generate(&contract, &mcp_codegen::Options::default()).unwrap();
    let stale = mcp_codegen::differences(&contract.out(), &generated.files).unwrap();
    assert!(stale.is_empty(), "{stale:?}");
}

#[test]
fn a_listing_that_differs_from_the_fixture_waits() {
    for server in ["everything", "everything-http", "filesystem", "memory", "time"] {
        let project = copy();
        let accepted = project.files(&format!("mcp/{server}"));
        let tools: Vec<serde_json::Value> = accepted
            .iter()
            .filter(|(file, _)| !file.ends_with("server.json"))
            .map(|(_, text)| serde_json::from_str::<serde_json::Value>(text).unwrap()["tool"].take())
            .map(|mut tool| {
                tool["description"] = "Changed.".into();
                tool
            })
            .collect();
        project.write("changed.json", &serde_json::Value::from(tools).to_string());
        let listing = format!("{server}={}", project.path().join("changed.json").display());
        let said = project.run(&["snapshot", "--listing", &listing]);
        assert!(said.contains("waits in mcp/.pending") && said.ends_with("exit code 1"), "{said}");
        assert_eq!(project.files(&format!("mcp/{server}")), accepted);
    }
}

#[test]
fn a_snapshot_of_the_real_servers_changes_no_byte() {
    let Some(ground) = Ground::prepare() else { return };
    let project = ground.variables().into_iter().fold(copy(), |project, (name, value)| project.with(name, &value));
    let before = project.files("mcp");
    let said = project.run(&["snapshot"]);
    assert!(said.ends_with("exit code 0"), "{said}");
    assert_eq!(said.matches("unchanged").count(), 5, "{said}");
    assert_eq!(project.files("mcp"), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_calls_to_the_real_servers() {
    let Some(ground) = Ground::prepare() else { return };
    let importer = ground.builder().start().await.unwrap();
    everything(&importer).await;
    everything_over_http(&importer).await;
    filesystem(&importer, &ground).await;
    memory(&importer).await;
    time(&importer).await;
    importer.close().await;
}

async fn everything(importer: &Importer) {
    let everything = Everything::new(importer);
    let reply = everything.echo(Echo::new("hello")).await.unwrap();
    assert_eq!(reply.into_output().unwrap().0, "Echo: hello");
    let reply = everything.get_sum(GetSum::new(2.5, 4.0)).await.unwrap();
    assert_eq!(reply.text(), "The sum of 2.5 and 4 is 6.5.");
    let location = GetStructuredContentLocation::Chicago;
    let reply = everything.get_structured_content(GetStructuredContent::new(location)).await.unwrap();
    let weather = reply.output().unwrap();
    assert_eq!(reply.structured().unwrap()["temperature"], weather.temperature);
    assert!(!weather.conditions.is_empty());
    let image = everything.get_tiny_image(GetTinyImage::default()).await.unwrap();
    assert!(image.content().iter().any(|block| matches!(block, Content::Other(block) if block["type"] == "image")));
    let short = TriggerLongRunningOperation { duration: Some(0.2), steps: Some(2.0) };
    assert!(everything.trigger_long_running_operation(short).await.unwrap().text().contains("completed"));
}

async fn everything_over_http(importer: &Importer) {
    let everything = EverythingHttp::new(importer);
    let reply = everything.echo(everything_http::Echo::new("over http")).await.unwrap();
    assert_eq!(reply.into_output().unwrap().0, "Echo: over http");
    let reply = everything.get_sum(everything_http::GetSum::new(1.0, 2.0)).await.unwrap();
    assert_eq!(reply.text(), "The sum of 1 and 2 is 3.");
    let location = everything_http::GetStructuredContentLocation::NewYork;
    let reply = everything.get_structured_content(everything_http::GetStructuredContent::new(location)).await.unwrap();
    assert!(!reply.output().unwrap().conditions.is_empty());
}

async fn filesystem(importer: &Importer, ground: &Ground) {
    let filesystem = Filesystem::new(importer);
    let path = ground.file("note.txt");
    filesystem.write_file(WriteFile::new(&path, "two\nlines")).await.unwrap().into_output().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "two\nlines");
    let read = filesystem.read_text_file(ReadTextFile::new(&path)).await.unwrap().into_output().unwrap();
    assert_eq!(read.content, "two\nlines");
    let folder = ground.file("");
    let listed = filesystem.list_directory(ListDirectory::new(folder)).await.unwrap().into_output().unwrap();
    assert!(listed.content.contains("note.txt"));
    match filesystem.read_text_file(ReadTextFile::new("/etc/passwd")).await {
        Err(error @ CallError::Tool { .. }) => assert!(error.to_string().contains("outside"), "{error}"),
        other => panic!("{other:?}"),
    }
}

async fn memory(importer: &Importer) {
    let memory = Memory::new(importer);
    let entity = CreateEntitiesEntitiesItem {
        name: "crab".to_owned(),
        entity_type: "animal".to_owned(),
        observations: vec!["walks sideways".to_owned()],
    };
    memory.create_entities(CreateEntities::new(vec![entity])).await.unwrap().into_output().unwrap();
    let graph = memory.read_graph(ReadGraph::default()).await.unwrap().into_output().unwrap();
    assert_eq!(graph.entities[0].name, "crab");
    let found = memory.search_nodes(SearchNodes::new("sideways")).await.unwrap().into_output().unwrap();
    assert_eq!(found.entities[0].observations, ["walks sideways"]);
}

async fn time(importer: &Importer) {
    let time = Time::new(importer);
    let now = time.get_current_time(GetCurrentTime::new("UTC")).await.unwrap().into_output().unwrap();
    assert_eq!((now.timezone.as_str(), now.is_dst), ("UTC", false));
    let convert = ConvertTime::new("UTC", "12:30", "Asia/Tokyo");
    let converted = time.convert_time(convert).await.unwrap().into_output().unwrap();
    assert!(converted.target.datetime.contains("T21:30"), "{}", converted.target.datetime);
    match time.get_current_time(GetCurrentTime::new("Nowhere/Land")).await {
        Err(CallError::Tool { .. }) => {}
        other => panic!("{other:?}"),
    }
}
