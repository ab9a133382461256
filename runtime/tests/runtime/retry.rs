//! What is issued again: reads where it may help, actions where it is proved that nothing ran.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Approval, CallError, CallOptions, Event, Importer, Kind, Outcome, is_not_sent, is_transient};
use serde_json::json;

use crate::contract::{config, contract, simple, tool};

const READ: &str = "kind = \"read\"\nretry = { attempts = 3, backoff = \"20ms\" }\nrequest_timeout = \"5s\"";

#[tokio::test]
async fn a_read_is_issued_again_with_a_growing_wait_and_each_time_is_told() {
    let (server, importer) = simple(READ).await;
    let mut events = importer.events();
    server.plan("t", Fault::Death);
    server.plan("t", Fault::Death);
    let begun = Instant::now();
    importer.call("s_t", json!({"n": 1}), CallOptions::default().key("k")).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(60), "20 ms, then 40");
    assert_eq!(server.requested("tools/call"), 3);
    let mut retried = Vec::new();
    while let Some(event) = events.try_next() {
        if let Event::Retried { attempt, wait, tool, key, .. } = event {
            retried.push((attempt, wait.as_millis(), tool, key));
        }
    }
    let k = Some("k".to_owned());
    assert_eq!(retried, [(2, 20, "s_t".to_owned(), k.clone()), (3, 40, "s_t".to_owned(), k)]);
}

#[tokio::test]
async fn a_timed_out_read_is_issued_twice_by_default_and_an_action_once() {
    for (kind, issued) in [("read", 2), ("action", 1)] {
        let (server, importer) = simple(&format!("kind = \"{kind}\"")).await;
        server.plan("t", Fault::Silence);
        server.plan("t", Fault::Silence);
        let options = CallOptions::default().timeout(Duration::from_millis(100));
        let error = importer.call("s_t", json!({}), options).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        assert_eq!(server.requested("tools/call"), issued, "{kind}");
        // A call that was given up is cancelled on the wire.
        assert!(server.requested("notifications/cancelled") >= issued - 1);
    }
}

#[tokio::test]
async fn retry_false_and_a_call_made_once_are_issued_once() {
    let (server, importer) = simple("kind = \"read\"\nretry = false").await;
    server.plan("t", Fault::Death);
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert_eq!(server.requested("tools/call"), 1);
    let (server, importer) = simple(READ).await;
    server.plan("t", Fault::Death);
    importer.call("s_t", json!({}), CallOptions::default().once()).await.unwrap_err();
    assert_eq!(server.requested("tools/call"), 1);
}

#[tokio::test]
async fn what_the_tool_and_the_protocol_say_is_not_asked_again() {
    let (server, importer) = simple(READ).await;
    let failed = json!({"isError": true, "content": [{"type": "text", "text": "connection closed: ECONNRESET, 503, try again"}]});
    let mut events = importer.events();
    server.plan("t", Fault::Says(failed));
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Tool { .. }));
    // -32000 is "connection closed" in some clients; from a peer it is its own error.
    for code in [-32602, -32601, -32603, -32000, -32001] {
        server.plan("t", Fault::Error { code, message: "not connected".to_owned() });
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    }
    assert_eq!(server.requested("tools/call"), 6);
    // None of it costs the connection either.
    assert_eq!(server.requested("initialize"), 1);
    while let Some(event) = events.try_next() {
        assert!(!matches!(event, Event::Retried { .. } | Event::Lost { .. }), "{event:?}");
    }
}

#[tokio::test]
async fn an_action_is_issued_again_only_on_proof() {
    // Nobody listens at first, then the server is there: refused connections prove that nothing ran.
    let tools = [tool("order")];
    let server = TestServer::new(tools.clone());
    let http = server.http().await.unwrap();
    let port = http.port();
    let servers = format!(
        "[[server]]\nname = \"s\"\nurl = \"{}\"\nconnect = \"lazy\"\nretry = {{ attempts = 3, backoff = \"150ms\" }}\n",
        http.url()
    );
    drop(http);
    let importer = Importer::builder(contract(&servers, &[("s", tools.to_vec())]))
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    let late = server.clone();
    let coming = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(80)).await;
        late.http_on(port).await.unwrap()
    });
    importer.call("s_order", json!({"item": 1}), CallOptions::default()).await.unwrap();
    assert_eq!(server.executions().len(), 1);
    let http = coming.await.unwrap();
    // Once the connection is known, a server that goes away between two calls is found out the same way.
    drop(http);
    let late = server.clone();
    let coming = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(80)).await;
        late.http_on(port).await.unwrap()
    });
    let again = importer.call("s_order", json!({"item": 2}), CallOptions::default()).await;
    let _http = coming.await.unwrap();
    // The new server does not know the session of the old one: that is its word, not proof.
    assert!(matches!(again, Err(CallError::Rejected { .. })), "{again:?}");
    importer.call("s_order", json!({"item": 3}), CallOptions::default()).await.unwrap();
    assert_eq!(server.executions().iter().map(|ran| ran.arguments["item"].clone()).collect::<Vec<_>>(), [1, 3]);
}

#[tokio::test]
async fn a_hosts_classifier_counts_for_both_kinds() {
    for kind in ["read", "action"] {
        let tools = [tool("t")];
        let server = TestServer::new(tools.clone());
        let asked: Arc<Mutex<Vec<Kind>>> = Arc::default();
        let (seen, pipes) = (Arc::clone(&asked), server.clone());
        let lines = format!("kind = \"{kind}\"\nretry = {{ attempts = 3, backoff = \"5ms\" }}");
        let importer = Importer::builder(contract(&config(&[("s", &lines)]), &[("s", tools.to_vec())]))
            .transport("s", move || pipes.pipe())
            .approver(|_| async { Approval::Granted })
            .classifier(move |error, kind| {
                seen.lock().unwrap().push(kind);
                matches!(error, CallError::OutcomeUnknown { .. })
            })
            .start()
            .await
            .unwrap();
        server.plan("t", Fault::Error { code: -32603, message: "again".to_owned() });
        server.plan("t", Fault::Error { code: -32603, message: "again".to_owned() });
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!(server.requested("tools/call"), 3);
        assert_eq!(asked.lock().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_classifier_that_panics_wants_nothing_and_loses_no_outcome() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let importer = crate::contract::one("", &tools, &server)
        .classifier(|_, _| panic!("a classifier's own affair"))
        .start()
        .await
        .unwrap();
    let mut events = importer.events();
    server.plan("t", Fault::Death);
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert_eq!((error.outcome(), server.requested("tools/call")), (Outcome::Unknown, 1));
    assert!(std::iter::from_fn(|| events.try_next()).any(|event| matches!(event, Event::Finished { .. })));
}

#[tokio::test]
async fn the_classifiers_are_public_and_look_at_no_text() {
    let (server, importer) = simple("request_timeout = \"1s\"").await;
    let options = || CallOptions::default().timeout(Duration::from_millis(100));
    server.plan("t", Fault::Death);
    let lost = importer.call("s_t", json!({}), options()).await.unwrap_err();
    server.plan("t", Fault::Error { code: -32000, message: "connection closed".to_owned() });
    let said = importer.call("s_t", json!({}), options()).await.unwrap_err();
    let invalid = importer.call("s_t", json!(7), options()).await.unwrap_err();
    assert!(is_transient(&lost) && !is_not_sent(&lost));
    assert!(!is_transient(&said) && !is_not_sent(&said));
    assert!(!is_transient(&invalid) && !is_not_sent(&invalid) && invalid.did_not_run());
    importer.close().await;
    let closed = importer.call("s_t", json!({}), options()).await.unwrap_err();
    assert!(closed.did_not_run(), "{closed:?}");
}
