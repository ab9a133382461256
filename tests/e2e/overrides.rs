//! What a host may change at run time, and what a call leaves in its spans.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::{CallOptions, Importer, Standing, StartError};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::project::{HOSTILE, Project, hostile};

#[tokio::test]
#[cfg(unix)]
async fn environment_deadlines_and_participation() {
    let project = Project::new("");
    let seen = project.path().join("seen");
    let server = format!(
        "[[server]]\nname = \"shell\"\ncommand = \"sh\"\nargs = [\"-c\", \"echo $GREETING $PWD > {}; exec {HOSTILE} ok\"]\nenv = {{ GREETING = \"configured\" }}\n\n",
        seen.display()
    );
    project.configure(&(server + &hostile("slow", "silent") + &hostile("other", "ok")));
    project.write(
        "listing.json",
        r#"[{"name": "good", "description": "A good tool.", "inputSchema": {"type": "object"}},
            {"name": "gone", "inputSchema": {"type": "object"}}]"#,
    );
    for name in ["shell", "slow", "other"] {
        let listing = format!("{name}={}", project.path().join("listing.json").display());
        assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
    }
    let start = std::time::Instant::now();
    let importer = Importer::builder(project.contract())
        .env("shell", "GREETING", "from the host")
        .base(project.path())
        .connect_timeout("slow", Duration::from_millis(200))
        .enabled("other", false)
        .start()
        .await
        .unwrap();
    assert!(start.elapsed() < Duration::from_millis(1900), "the configured deadline of 2 s was waited for");
    let folder = project.path().canonicalize().unwrap();
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), format!("from the host {}\n", folder.display()));
    let standing: BTreeMap<String, Standing> =
        importer.imported_tools().into_iter().map(|tool| (tool.local_name, tool.standing)).collect();
    assert_eq!(standing["shell_good"], Standing::Available);
    assert!(matches!(&standing["shell_gone"], Standing::Withdrawn(reason) if reason.contains("no longer lists it")));
    assert!(matches!(&standing["slow_good"], Standing::OutOfReach(reason) if reason.contains("within 200ms")));
    assert!(!standing.contains_key("other_good"));
    importer.close().await;

    let unknown = Importer::builder(project.contract()).enabled("shall", false).start().await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no server \"shall\" in servers.toml; there are: shell, slow, other");
}

#[tokio::test]
async fn a_required_server_that_is_out_of_reach_ends_the_start() {
    let project = Project::new(&(hostile("fine", "ok") + &hostile("needed", "exit") + "required = true\n"));
    project.write("listing.json", r#"[{"name": "good", "inputSchema": {"type": "object"}}]"#);
    for name in ["fine", "needed"] {
        let listing = format!("{name}={}", project.path().join("listing.json").display());
        project.run(&["snapshot", "--listing", &listing]);
    }
    let error = Importer::builder(project.contract()).start().await.unwrap_err();
    assert!(matches!(&error, StartError::Required(cause) if cause.server.as_str() == "needed"), "{error}");
    let contract = project.contract();
    let without = mcp_runtime::Contract { servers: &contract.servers[..1], ..contract };
    let error = Importer::builder(without).start().await.unwrap_err();
    assert!(matches!(&error, StartError::NotGenerated { server } if server == "needed"), "{error}");
}

/// Keeps the fields of every span and event.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Visit for Recorder {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.lock().unwrap().push(format!("{}={value:?}", field.name()));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        attributes.record(&mut self.clone());
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn the_key_of_a_call_is_in_its_span_and_no_secret_is() {
    let project = Project::new(&hostile("server", "ok").replace("args", "env = { TOKEN = \"${TOKEN}\" }\nargs"));
    let project = project.with("TOKEN", "hush-hush-hush");
    assert!(project.run(&["snapshot"]).ends_with("exit code 0"));
    let recorder = Recorder::default();
    let guard = tracing::subscriber::set_default(recorder.clone());
    let builder =
        Importer::builder(project.contract()).variables(|name| (name == "TOKEN").then(|| "hush-hush-hush".to_owned()));
    let importer = builder.approver(|_| async { mcp_runtime::Approval::Granted }).start().await.unwrap();
    importer.call("server_good", json!({}), CallOptions::default().key("order-66")).await.unwrap();
    importer.close().await;
    drop(guard);
    let seen = recorder.0.lock().unwrap();
    for wanted in ["mcp.method.name=\"tools/call\"", "gen_ai.tool.name=\"server_good\"", "key=\"order-66\""] {
        assert!(seen.iter().any(|field| field == wanted), "{wanted} is not in {seen:?}");
    }
    assert!(!seen.iter().any(|field| field.contains("hush")), "{seen:?}");
}
