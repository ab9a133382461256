//! Calls over HTTP that are given up, and what a host changes of a server that is reached over HTTP.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use mcp_runtime::{CallOptions, Importer, StartError};
use mcp_wire::{Sent, WireErrorKind};
use serde_json::{Value, json};

use crate::http::{Answer, connect, json_reply, otherwise_fine, serve};
use crate::project::{Project, hostile};

/// A server that does not answer a call before somebody takes it back. Gives what was taken back.
async fn waiting_for_a_cancellation() -> (u16, mpsc::Receiver<(Value, Value)>) {
    let (called, calls) = mpsc::channel();
    let (cancelled, cancellations) = mpsc::channel();
    let (released, release) = mpsc::channel::<()>();
    let (calls, release) = (Mutex::new(calls), Mutex::new(release));
    let fine = otherwise_fine(move |id| {
        called.send(id.clone()).unwrap();
        let _ = release.lock().unwrap().recv_timeout(Duration::from_secs(10));
        Vec::new()
    });
    let answer: Answer = Arc::new(move |head, message| {
        if message["method"] == "notifications/cancelled" {
            let called = calls.lock().unwrap().recv_timeout(Duration::from_secs(5)).unwrap();
            cancelled.send((called, message["params"]["requestId"].clone())).unwrap();
            let _ = released.send(());
        }
        fine(head, message)
    });
    (serve(answer).await, cancellations)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deadline_cancels_over_http() {
    let (port, cancellations) = waiting_for_a_cancellation().await;
    let connection = connect(port).await;
    let spec = mcp_wire::CallSpec::within(Duration::from_millis(300));
    let failure = connection.call("good", serde_json::Map::new(), &spec).await.unwrap_err();
    assert!(matches!(*failure.error.kind, WireErrorKind::RequestTimeout { .. }), "{failure}");
    assert_eq!(failure.sent, Sent::Perhaps);
    let (called, taken_back) = cancellations.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(called, taken_back);
    connection.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dropped_call_cancels_over_http() {
    let (port, cancellations) = waiting_for_a_cancellation().await;
    let connection = connect(port).await;
    let spec = mcp_wire::CallSpec::within(Duration::from_secs(30));
    let call = connection.call("good", serde_json::Map::new(), &spec);
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    let (called, taken_back) = cancellations.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(called, taken_back);
    connection.close().await;
}

#[tokio::test]
async fn a_header_of_the_host_replaces_the_configured_one() {
    let keys = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&keys);
    let fine = otherwise_fine(|id| json_reply(&json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}})));
    let port = serve(Arc::new(move |head, message| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let of_key = lines.filter(|(name, _)| name.eq_ignore_ascii_case("x-key"));
        seen.lock().unwrap().push(of_key.map(|(_, value)| value.to_owned()).collect::<Vec<_>>());
        fine(head, message)
    }))
    .await;
    let project = Project::new(&format!(
        "[[server]]\nname = \"a\"\nurl = \"http://127.0.0.1:{port}/mcp\"\nheaders = {{ X-Key = \"configured\" }}\n"
    ));
    project.write("listing.json", r#"[{"name": "good", "inputSchema": {"type": "object"}}]"#);
    let listing = format!("a={}", project.path().join("listing.json").display());
    assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
    let importer = Importer::builder(project.contract())
        .header("a", "x-key", "of the host")
        .approver(|_| async { mcp_runtime::Approval::Granted })
        .start()
        .await
        .unwrap();
    importer.call("a_good", json!({}), CallOptions::default()).await.unwrap();
    importer.close().await;
    let keys = std::mem::take(&mut *keys.lock().unwrap());
    assert!(keys.len() >= 3 && keys.iter().all(|keys| *keys == ["of the host"]), "{keys:?}");

    let stray = Importer::builder(project.contract()).env("a", "NAME", "value").start().await.unwrap_err();
    assert_eq!(
        stray.to_string(),
        "server a: `env` was overridden, and its transport has none; it belongs to a server with a `command`"
    );
    let process = Project::new(&hostile("p", "ok"));
    let stray = Importer::builder(process.contract()).header("p", "x-key", "value").start().await.unwrap_err();
    assert!(matches!(stray, StartError::OtherTransport { key: "headers", .. }), "{stray}");
}
