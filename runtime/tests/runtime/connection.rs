//! One connection, made once, made anew when it is lost, closed in bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Approval, CallError, CallOptions, Event, Importer, Outcome, Standing, StartError};
use serde_json::json;

use crate::contract::{config, contract, one, simple, tool};

#[tokio::test]
async fn concurrent_first_calls_share_one_connection() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    server.plan("initialize", Fault::Late(Duration::from_millis(50)).after_running());
    let importer = one("connect = \"lazy\"", &tools, &server).start().await.unwrap();
    assert_eq!(server.requests().len(), 0);
    assert_eq!(importer.imported_tools()[0].standing, Standing::Available);
    let calls = (0..20).map(|n| importer.call("s_t", json!({"n": n}), CallOptions::default()));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    assert_eq!((server.requested("initialize"), server.requested("tools/list")), (1, 1));
    assert_eq!(server.executions().len(), 20);
}

#[tokio::test]
async fn a_lazy_server_is_compared_before_its_first_call() {
    let tools = [tool("t")];
    let server =
        TestServer::new([json!({"name": "t", "description": "Does other things.", "inputSchema": {"type": "object"}})]);
    let importer = one("connect = \"lazy\"", &tools, &server).start().await.unwrap();
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Unavailable { .. }), "{error:?}");
    assert_eq!(server.executions(), []);
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_take_the_connection_from_others() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    server.plan("initialize", Fault::Late(Duration::from_millis(100)).after_running());
    let importer = one("connect = \"lazy\"", &tools, &server).start().await.unwrap();
    let first = importer.call("s_t", json!({"n": 1}), CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(20), first).await.is_err());
    importer.call("s_t", json!({"n": 2}), CallOptions::default()).await.unwrap();
    assert_eq!(server.requested("initialize"), 1);
    // The one that went away was never sent.
    assert_eq!(server.executions().iter().map(|ran| ran.arguments["n"].clone()).collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn a_lost_connection_is_told_and_the_next_call_makes_another() {
    let (server, importer) = simple("").await;
    let mut events = importer.events();
    for round in 1..=3 {
        server.hang_up();
        loop {
            let event = tokio::time::timeout(Duration::from_secs(2), events.next()).await.unwrap().unwrap();
            if let Event::Lost { server, .. } = event {
                break assert_eq!(server, "s");
            }
        }
        // The tool stays registered on a dead connection.
        assert_eq!(importer.imported_tools()[0].standing, Standing::Available);
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!(server.requested("initialize"), round + 1);
    }
}

#[tokio::test]
async fn a_fresh_transport_is_made_for_each_connection() {
    let made = Arc::new(AtomicUsize::new(0));
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let (count, pipes) = (Arc::clone(&made), server.clone());
    let importer = Importer::builder(contract(&config(&[("s", "")]), &[("s", tools.to_vec())]))
        .transport("s", move || {
            count.fetch_add(1, Ordering::SeqCst);
            pipes.pipe()
        })
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    server.plan("t", Fault::Death);
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_makes_connections_may_panic_and_come_to_itself() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let (made, pipes) = (Arc::new(AtomicUsize::new(0)), server.clone());
    let importer = Importer::builder(contract(&config(&[("s", "")]), &[("s", tools.to_vec())]))
        .transport("s", move || {
            assert!(made.fetch_add(1, Ordering::SeqCst) > 0, "not yet");
            pipes.pipe()
        })
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    assert!(matches!(&importer.imported_tools()[0].standing, Standing::OutOfReach(why) if why.contains("panicked")));
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
}

#[tokio::test]
async fn a_server_that_stops_answering_has_to_show_a_sign_of_life() {
    let (server, importer) = simple("").await;
    let options = || CallOptions::default().timeout(Duration::from_millis(100));
    // It answers other requests: the connection stays.
    server.plan("t", Fault::Silence);
    assert_eq!(importer.call("s_t", json!({}), options()).await.unwrap_err().outcome(), Outcome::Unknown);
    importer.call("s_t", json!({}), options()).await.unwrap();
    assert_eq!((server.requested("ping"), server.requested("initialize")), (1, 1));
    // It answers nothing: the connection is given up.
    server.plan("t", Fault::Silence);
    server.plan("ping", Fault::Silence);
    importer.call("s_t", json!({}), options()).await.unwrap_err();
    importer.call("s_t", json!({}), options()).await.unwrap();
    assert_eq!(server.requested("initialize"), 2);
}

#[tokio::test]
async fn a_required_server_that_is_down_ends_the_start_with_its_cause() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    for lines in ["required = true", "required = true\nconnect_timeout = \"100ms\""] {
        server.plan("initialize", if lines.contains("100ms") { Fault::Silence } else { Fault::Death });
        let error = one(lines, &tools, &server).start().await.unwrap_err();
        assert!(matches!(&error, StartError::Required(cause) if cause.server.as_str() == "s"), "{error}");
    }
}

#[tokio::test]
async fn one_server_that_is_down_costs_its_own_tools() {
    let tools = vec![tool("t")];
    let (up, down) = (TestServer::new(tools.clone()), TestServer::new(tools.clone()));
    down.plan("initialize", Fault::Death);
    let servers = config(&[("down", ""), ("up", "")]);
    let (a, b) = (down.clone(), up.clone());
    let importer = Importer::builder(contract(&servers, &[("down", tools.clone()), ("up", tools)]))
        .transport("down", move || a.pipe())
        .transport("up", move || b.pipe())
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    let shown: Vec<String> =
        importer.agent(mcp_runtime::Actor::default()).tools().await.into_iter().map(|tool| tool.local_name).collect();
    assert_eq!(shown, ["up_t"]);
    importer.call("up_t", json!({}), CallOptions::default()).await.unwrap();
    // It is picked up later, by a refresh or by a call.
    let refreshed = importer.refresh(Some("down")).await;
    assert_eq!((refreshed.registered, refreshed.unreachable), (1, 0));
    importer.call("down_t", json!({}), CallOptions::default()).await.unwrap();
}

#[tokio::test]
async fn closing_is_bounded_and_final() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let importer = one("connect = \"lazy\"", &tools, &server).start().await.unwrap();
    // One that is being made is ended.
    server.plan("initialize", Fault::Silence);
    let (waiting, closing) = (importer.clone(), importer.clone());
    let call = tokio::spawn(async move { waiting.call("s_t", json!({}), CallOptions::default()).await });
    while server.requested("initialize") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let begun = Instant::now();
    closing.close().await;
    importer.close().await;
    assert!(begun.elapsed() < Duration::from_secs(3));
    drop(call);
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(error.did_not_run() && error.to_string().contains("closed"), "{error}");
    assert_eq!(server.requested("initialize"), 1);
}

#[tokio::test]
async fn noise_on_the_wire_costs_nothing() {
    let (server, importer) = simple("").await;
    for lines in [1, 1000] {
        server.plan("t", Fault::Noise(lines));
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    }
    for fault in [Fault::Twice, Fault::Late(Duration::from_millis(20))] {
        server.plan("t", fault);
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    }
    // Answers that overtake each other reach those who asked.
    server.plan("t", Fault::Late(Duration::from_millis(100)).after_running());
    let (slow, fast) = tokio::join!(
        importer.call("s_t", json!({"n": "slow"}), CallOptions::default()),
        importer.call("s_t", json!({"n": "fast"}), CallOptions::default())
    );
    let texts = [slow.unwrap().text(), fast.unwrap().text()];
    let mut sorted = texts.clone();
    sorted.sort();
    assert_eq!(sorted, ["{\"n\":\"fast\"}", "{\"n\":\"slow\"}"]);
    assert_eq!(texts[0], "{\"n\":\"slow\"}");
    assert_eq!(server.requested("initialize"), 1);
}

#[tokio::test]
async fn the_identity_is_the_hosts() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    one("", &tools, &server).identity("till", "7.1").start().await.unwrap();
    let other = TestServer::new(tools.clone());
    one("", &tools, &other).start().await.unwrap();
    let told = |server: &TestServer| server.requests()[0]["params"]["clientInfo"].clone();
    assert_eq!((told(&server)["name"].clone(), told(&server)["version"].clone()), (json!("till"), json!("7.1")));
    assert_eq!(told(&other)["name"], "mcp-codegen");
}

#[tokio::test]
async fn characters_that_come_in_pieces_are_whole() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let pipes = server.clone();
    let importer = Importer::builder(contract(&config(&[("s", "kind = \"read\"")]), &[("s", tools.to_vec())]))
        .transport("s", move || {
            // Whatever the server says arrives byte by byte.
            let (ours, theirs) = tokio::io::duplex(1);
            let (mut from, mut to) = tokio::io::split(pipes.pipe());
            let (mut requests, mut answers) = tokio::io::split(theirs);
            tokio::spawn(async move { tokio::io::copy(&mut requests, &mut to).await });
            tokio::spawn(async move {
                while let Ok(byte) = from.read_u8().await {
                    if answers.write_u8(byte).await.is_err() {
                        return;
                    }
                }
            });
            Box::new(ours)
        })
        .start()
        .await
        .unwrap();
    let reply = importer.call("s_t", json!({"t": "\u{2014}\u{1f600}"}), CallOptions::default()).await.unwrap();
    assert_eq!(reply.text(), "{\"t\":\"\u{2014}\u{1f600}\"}");
}
