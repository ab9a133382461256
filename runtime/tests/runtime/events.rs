//! What a host can watch, and that no secret is in it.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Approval, CallOptions, Event, Importer, Outcome};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};

use crate::contract::{contract, simple, tool};

#[tokio::test]
async fn a_call_ends_with_an_event_that_says_how() {
    let (server, importer) = simple("request_timeout = \"1s\"").await;
    let mut events = importer.events();
    let options = || CallOptions::default().timeout(Duration::from_millis(100));
    importer.call("s_t", json!({}), options()).await.unwrap();
    server.plan("t", Fault::Says(json!({"isError": true})));
    importer.call("s_t", json!({}), options()).await.unwrap_err();
    server.plan("t", Fault::Error { code: -32601, message: "no".to_owned() });
    importer.call("s_t", json!({}), options()).await.unwrap_err();
    server.plan("t", Fault::Silence);
    importer.call("s_t", json!({}), options()).await.unwrap_err();
    let outcomes: Vec<Outcome> = std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event {
            Event::Finished { outcome, attempts: 1, .. } => Some(outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::Done, Outcome::Rejected, Outcome::Unknown]);
}

#[tokio::test]
async fn a_slow_listener_is_told_that_it_missed_something() {
    let (_server, importer) = simple("kind = \"read\"").await;
    let mut events = importer.events();
    for _ in 0..1100 {
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    }
    assert!(matches!(events.next().await, Some(Event::Missed(missed)) if missed >= 76));
    drop(importer);
    while events.next().await.is_some() {}
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
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("mcp") || metadata.target().starts_with("rmcp")
    }
    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        self.0.lock().unwrap().push(format!("target {}", attributes.metadata().target()));
        attributes.record(&mut self.clone());
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        self.0.lock().unwrap().push(format!("target {}", event.metadata().target()));
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn spans_have_the_conventional_names_and_nothing_holds_a_secret() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let http = server.http().await.unwrap();
    let servers = format!(
        "[[server]]\nname = \"s\"\nurl = \"{}?key=${{KEY}}\"\nheaders = {{ Authorization = \"Bearer ${{TOKEN}}\" }}\nrequest_timeout = \"300ms\"\n",
        http.url()
    );
    let importer = Importer::builder(contract(&servers, &[("s", tools.to_vec())]))
        .variables(|name| Some(format!("sesame-{}", name.to_lowercase())))
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    let mut events = importer.events();
    let arguments = json!({"password": "sesame-argument"});
    importer.call("s_t", arguments.clone(), CallOptions::default().key("order-1")).await.unwrap();
    for fault in [
        Fault::Silence,
        Fault::Death,
        Fault::Half,
        Fault::status(503),
        Fault::status(401),
        Fault::redirect("http://127.0.0.1:1/?key=sesame-key"),
    ] {
        server.plan("t", fault);
        importer.call("s_t", arguments.clone(), CallOptions::default()).await.unwrap_err();
    }
    drop(http);
    importer.refresh(None).await;
    importer.call("s_t", arguments, CallOptions::default()).await.unwrap_err();
    importer.close().await;
    let mut said = recorder.0.lock().unwrap().clone();
    for expected in [
        "mcp.method.name=\"tools/call\"",
        "gen_ai.operation.name=\"execute_tool\"",
        "gen_ai.tool.name=\"s_t\"",
        "mcp.server=\"s\"",
        "mcp.outcome=\"done\"",
        "mcp.attempts=1",
        "key=\"order-1\"",
        "error.type=\"rejected\"",
    ] {
        assert!(said.iter().any(|field| field == expected), "{expected}: {said:#?}");
    }
    assert!(said.iter().any(|field| field.starts_with("mcp.reply.bytes=")));
    said.push("target mcp_runtime".to_owned());
    said.extend(std::iter::from_fn(|| events.try_next()).map(|event| format!("{event:?}")));
    let mut ours = true;
    for line in said {
        if let Some(target) = line.strip_prefix("target ") {
            ours = target.starts_with("mcp_");
        }
        // rmcp tells arguments at the level of traces; a credential it must not tell either.
        let secret =
            if ours { line.contains("sesame") } else { line.contains("sesame-token") || line.contains("sesame-key") };
        assert!(!secret, "{line}");
    }
}
