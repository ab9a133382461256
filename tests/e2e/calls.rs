//! Calls to a server that misbehaves: what the caller learns, and what went over the wire.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_runtime::{CallError, CallOptions, Content, Importer, Peer, Reply, Value, WireErrorKind};
use serde_json::json;

use crate::project::{HOSTILE, Project};

struct Server {
    project: Project,
    importer: Importer,
}

impl Server {
    async fn start() -> Self {
        let project = Project::new(
            "[[server]]\nname = \"s\"\ncommand = \"placeholder\"\nrequest_timeout = \"2s\"\nnamespace = false\n",
        );
        let log = project.path().join("log");
        let servers = project.read("servers.toml").replace(
            "command = \"placeholder\"",
            &format!("command = \"{HOSTILE}\"\nargs = [\"calls\", \"{}\"]", log.display()),
        );
        project.configure(&servers);
        project.run(&["snapshot"]);
        let importer = Importer::builder(project.contract())
            .approver(|_| async { mcp_runtime::Approval::Granted })
            .start()
            .await
            .unwrap();
        Self { project, importer }
    }

    async fn call(&self, tool: &str) -> Result<Reply<Value>, CallError> {
        self.importer.call(tool, json!({}), CallOptions::default()).await
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.project.path().join("log")).unwrap_or_default()
    }

    /// Waits until the server has written something to its log.
    async fn wait_for(&self, line: &str) {
        let start = Instant::now();
        while !self.log().contains(line) {
            assert!(start.elapsed() < Duration::from_secs(5), "the server's log never said {line:?}: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn results_are_decoded_leniently() {
    let server = Server::start().await;
    let reply = server.call("unknown_block").await.unwrap();
    assert_eq!(reply.text(), "beside it");
    assert!(matches!(&reply.content()[0], Content::Other(block) if block["type"] == "hologram"));
    let structured = server.call("structured").await.unwrap();
    assert_eq!(structured.for_model(), json!({"n": 1.0}));
    let both = server.call("both").await.unwrap();
    assert_eq!(
        both.for_model(),
        json!({"content": [{"type": "text", "text": "the body"}], "structuredContent": {"n": 3}})
    );
    let empty = server.call("empty").await.unwrap();
    assert_eq!((empty.text().as_str(), empty.structured()), ("", None));
    server.importer.close().await;
}

#[tokio::test]
async fn a_log_line_is_no_reply_and_a_reply_needs_no_newline() {
    let server = Server::start().await;
    assert_eq!(server.call("logs_json").await.unwrap().text(), "logged");
    assert_eq!(server.call("last_words").await.unwrap().text(), "last");
    server.importer.close().await;
}

#[tokio::test]
async fn a_sink_that_panics_costs_nobody_the_connection() {
    let server = Server::start().await;
    let options = CallOptions::default().progress(Arc::new(|_| panic!("a sink's own affair")));
    let reply = server.importer.call("progress", json!({}), options).await.unwrap();
    assert_eq!(reply.text(), "done");
    assert_eq!(server.call("empty").await.unwrap().text(), "");
    server.importer.close().await;
}

#[tokio::test]
async fn a_failure_of_the_tool_is_an_error_of_its_own() {
    let server = Server::start().await;
    match server.call("fails").await {
        Err(error @ CallError::Tool { .. }) => assert_eq!(error.to_string(), "the tool fails failed: disk full"),
        other => panic!("{other:?}"),
    }
    let silent = server.call("fails_silently").await.unwrap_err();
    assert_eq!(silent.to_string(), "the tool fails_silently failed: it gives no reason");
    server.importer.close().await;
}

#[tokio::test]
async fn arguments_are_held_to_the_schema_before_anything_leaves() {
    let server = Server::start().await;
    for arguments in [json!({"word": "two words"}), json!({"word": 7}), json!([]), json!("x")] {
        let error = server.importer.call("empty", arguments, CallOptions::default()).await.unwrap_err();
        assert!(matches!(error, CallError::InvalidArguments { .. }) && error.did_not_run(), "{error}");
    }
    assert_eq!(server.log(), "");
    assert!(matches!(server.call("no_such_tool").await, Err(CallError::UnknownTool { .. })));
    server.importer.close().await;
}

#[tokio::test]
async fn what_the_peer_says_is_a_claim_and_silence_is_not() {
    let server = Server::start().await;
    let error = server.call("rejects").await.unwrap_err();
    assert!(matches!(error, CallError::Rejected { by: Peer::Server, .. }), "{error:?}");
    for tool in ["internal", "string_error", "bad_json", "wrong_id"] {
        let error = server.call(tool).await.unwrap_err();
        assert!(matches!(error, CallError::OutcomeUnknown { .. }) && !error.did_not_run(), "{tool}: {error:?}");
    }
    let error = server.call("not_an_object").await.unwrap_err();
    assert!(matches!(error, CallError::Unreadable { .. }), "{error:?}");
    let error = server.call("input_required").await.unwrap_err();
    assert!(matches!(&error, CallError::Unsupported { kind, .. } if kind == "input_required"), "{error:?}");
    server.importer.close().await;
}

#[tokio::test]
async fn a_deadline_ends_a_call_and_tells_the_server() {
    let server = Server::start().await;
    let options = CallOptions::default().timeout(Duration::from_millis(300)).key("order-1");
    let start = Instant::now();
    let error = server.importer.call("never", json!({}), options).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_millis(1500));
    match &error {
        CallError::OutcomeUnknown { source, .. } => {
            assert!(matches!(*source.kind, WireErrorKind::RequestTimeout { .. }), "{error}");
        }
        other => panic!("{other:?}"),
    }
    server.wait_for("cancelled").await;
    assert_eq!(
        server.call("other").await.unwrap_err().to_string(),
        "there is no tool \"other\"; `imported_tools` lists those that there are"
    );
    assert_eq!(server.call("empty").await.unwrap().text(), "");
    server.importer.close().await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_on_the_wire() {
    let server = Server::start().await;
    let importer = server.importer.clone();
    let call = tokio::spawn(async move { importer.call("never", json!({}), CallOptions::default()).await });
    server.wait_for("call never").await;
    call.abort();
    server.wait_for("cancelled").await;
    server.importer.close().await;
}

#[tokio::test]
async fn progress_reaches_its_sink_and_extends_the_deadline() {
    let server = Server::start().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let options = CallOptions::default()
        .timeout(Duration::from_millis(350))
        .progress(Arc::new(move |progress| sink.lock().unwrap().push((progress.done, progress.total))));
    let reply = server.importer.call("progress", json!({}), options).await.unwrap();
    assert_eq!(reply.text(), "done");
    assert_eq!(*seen.lock().unwrap(), [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
    server.importer.close().await;
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_leaves_its_outcome_unknown() {
    let server = Server::start().await;
    let error = server.call("dies").await.unwrap_err();
    assert!(matches!(error, CallError::OutcomeUnknown { .. }), "{error:?}");
    // The next call starts it again.
    assert_eq!(server.call("empty").await.unwrap().text(), "");
    server.importer.close().await;
}

#[tokio::test]
async fn parallel_calls_get_their_own_answers() {
    let server = Server::start().await;
    let names = ["structured", "both", "empty", "unknown_block"];
    let calls = (0..40).map(|index| server.call(names[index % 4]));
    let mut calls = calls.map(Box::pin).collect::<Vec<_>>();
    let mut answers = Vec::new();
    for call in &mut calls {
        answers.push(call.await.unwrap());
    }
    for (index, answer) in answers.iter().enumerate() {
        let expected = [json!({"n": 1.0}), json!({"n": 3}), Value::Null, Value::Null];
        assert_eq!(answer.structured().cloned().unwrap_or_default(), expected[index % 4]);
    }
    server.importer.close().await;
}

#[tokio::test]
async fn a_tool_that_changed_since_it_was_accepted_is_withdrawn() {
    let project = Project::hostile("ok");
    project.run(&["snapshot"]);
    let contract = project.contract();
    let mut server = contract.servers[0];
    let file: &'static str = Box::leak(reworded(server.tools[0].1).into_boxed_str());
    let digest = |text: &str| text.lines().find(|line| line.contains("\"digest\"")).unwrap().trim().to_owned();
    let (old, new) = (digest(server.tools[0].1), digest(file));
    let bare = |line: &str| line.trim_start_matches("\"digest\": ").trim_end_matches(',').to_owned();
    server.manifest = Box::leak(server.manifest.replace(&bare(&old), &bare(&new)).into_boxed_str());
    server.tools = Box::leak(Box::new([(server.tools[0].0, file)]));
    let contract = mcp_runtime::Contract { servers: Box::leak(Box::new([server])), ..contract };
    let importer = Importer::builder(contract).start().await.unwrap();
    let error = importer.call("server_good", json!({}), CallOptions::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool server_good is not available: the tool \"good\" of server server changed since it was accepted (text); take the \
         new listing with: mcp-codegen snapshot server"
    );
    importer.close().await;
}

/// The tool file with another description and the digest that belongs to it.
fn reworded(text: &str) -> String {
    let mut document = mcp_contract::json::parse(text).unwrap();
    let tool = document.get("tool").unwrap().to_pretty().replace("A good tool.", "Another tool.");
    let tool = mcp_contract::json::parse(&tool).unwrap();
    let digest = mcp_contract::json::Digest::of(&tool);
    if let mcp_contract::json::Json::Object(members) = &mut document {
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "tool" => *value = tool.clone(),
                "digest" => *value = mcp_contract::json::Json::String(digest.as_str().to_owned()),
                _ => {}
            }
        }
    }
    document.to_pretty() + "\n"
}
