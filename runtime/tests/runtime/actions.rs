//! An action is approved, issued once, and its outcome is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Actor, Approval, ApprovalRequest, CallError, CallOptions, Event, Importer, Kind, Outcome};
use serde_json::json;

use crate::contract::{config, contract, one, simple, tool};

#[tokio::test]
async fn an_action_waits_for_approval_and_a_read_does_not() {
    let (server, importer) = {
        let tools = [tool("buy"), tool("look")];
        let server = TestServer::new(tools.clone());
        let lines = "[[server.tool]]\nmatch = \"look\"\nkind = \"read\"\n";
        let contract = contract(&config(&[("s", lines)]), &[("s", tools.to_vec())]);
        let pipes = server.clone();
        let importer = Importer::builder(contract).transport("s", move || pipes.pipe()).start().await.unwrap();
        (server, importer)
    };
    let error = importer.call("s_buy", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(matches!(&error, CallError::NotApproved { reason, .. } if reason.contains("Builder::approver")), "{error}");
    assert!(error.did_not_run());
    importer.call("s_look", json!({}), CallOptions::default()).await.unwrap();
    assert_eq!(server.executions().len(), 1);
    assert_eq!(importer.imported_tools().iter().map(|tool| tool.kind).collect::<Vec<_>>(), [Kind::Action, Kind::Read]);
}

#[tokio::test]
async fn the_approver_sees_everything_and_its_word_counts() {
    let tools = [tool("buy")];
    let server = TestServer::new(tools.clone());
    let asked: Arc<Mutex<Vec<ApprovalRequest>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let importer = one("", &tools, &server)
        .approver(move |request: ApprovalRequest| {
            seen.lock().unwrap().push(request.clone());
            async move {
                match request.arguments["amount"].as_u64() {
                    Some(0) => panic!("an approver's own affair"),
                    Some(1..10) => Approval::Granted,
                    Some(10..100) => Approval::Denied("too much".to_owned()),
                    _ => Approval::Later("the board meets on Monday".to_owned()),
                }
            }
        })
        .start()
        .await
        .unwrap();
    let agent = importer.agent(Actor::new("buyer"));
    let call = |amount: u32| agent.call("s_buy", json!({"amount": amount}), CallOptions::default().key("order-1"));
    call(5).await.unwrap();
    assert!(matches!(call(50).await, Err(CallError::NotApproved { reason, .. }) if reason == "too much"));
    assert!(matches!(call(0).await, Err(CallError::NotApproved { reason, .. }) if reason.contains("panicked")));
    let later = call(500).await.unwrap_err();
    let CallError::AwaitsApproval { fingerprint, .. } = &later else { panic!("{later:?}") };
    assert!(later.did_not_run());
    assert_eq!(server.executions().len(), 1);
    let asked = asked.lock().unwrap();
    assert_eq!(*fingerprint, asked[3].fingerprint());
    assert_eq!(
        (asked[0].actor.name(), asked[0].server.as_str(), asked[0].key.as_deref()),
        ("buyer", "s", Some("order-1"))
    );
    assert_eq!(asked[0].description.as_deref(), Some("Does buy."));
    // The same request has the same fingerprint; another argument, another key or another definition has not.
    assert_eq!(asked[0].clone().fingerprint(), asked[0].fingerprint());
    for change in [
        |request: &mut ApprovalRequest| request.arguments = json!({"amount": 6}),
        |request: &mut ApprovalRequest| request.key = None,
        |request: &mut ApprovalRequest| request.definition = "sha256:other".to_owned(),
        |request: &mut ApprovalRequest| request.actor = Actor::new("thief"),
    ] {
        let mut other = asked[0].clone();
        change(&mut other);
        assert_ne!(other.fingerprint(), asked[0].fingerprint());
    }
}

#[tokio::test]
async fn a_definition_that_changes_while_somebody_decides_is_not_called() {
    let tools = [tool("buy")];
    let server = TestServer::new(tools.clone());
    let (other, importer_slot) = (server.clone(), Arc::new(Mutex::new(None::<Importer>)));
    let slot = Arc::clone(&importer_slot);
    let importer = one("", &tools, &server)
        .approver(move |_| {
            let (server, importer) = (other.clone(), slot.lock().unwrap().clone().unwrap());
            async move {
                server.offer([json!({"name": "buy", "description": "Sells.", "inputSchema": {"type": "object"}})]);
                importer.refresh(None).await;
                Approval::Granted
            }
        })
        .start()
        .await
        .unwrap();
    *importer_slot.lock().unwrap() = Some(importer.clone());
    let error = importer.call("s_buy", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Unavailable { .. }), "{error:?}");
    assert_eq!(server.executions(), []);
    importer_slot.lock().unwrap().take();
}

#[tokio::test]
async fn a_lost_reply_of_an_action_is_unknown_and_issued_once() {
    let (server, importer) = simple("request_timeout = \"1s\"").await;
    for fault in [Fault::Death, Fault::Silence, Fault::Half, Fault::NotJson, Fault::WrongId] {
        for planned in [fault.clone().after_running(), fault.without_running()] {
            let before = server.requested("tools/call");
            server.plan("t", planned);
            let options = CallOptions::default().timeout(Duration::from_millis(250));
            let error = importer.call("s_t", json!({}), options).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{error:?}");
            assert_eq!(server.requested("tools/call"), before + 1);
        }
    }
    assert_eq!(server.executions().len(), 5);
}

#[tokio::test]
async fn a_claim_is_no_proof_unless_the_configuration_trusts_it() {
    let rejection = || Fault::Error { code: -32602, message: "no".to_owned() };
    let (server, importer) = simple("").await;
    server.plan("t", rejection().after_running());
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Rejected);
    assert_eq!(server.executions().len(), 1);
}

#[tokio::test]
async fn an_action_outlives_its_caller_and_its_outcome_is_told() {
    let (server, importer) = simple("request_timeout = \"5s\"").await;
    let mut events = importer.events();
    server.plan("t", Fault::Silence.after_running());
    let caller = importer.clone();
    let options = CallOptions::default().key("order-7");
    let call = tokio::spawn(async move { caller.call("s_t", json!({}), options).await });
    while server.executions().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    call.abort();
    let finished = loop {
        match tokio::time::timeout(Duration::from_secs(2), events.next()).await.expect("the outcome is told") {
            Some(Event::Finished { outcome, key, kind, attempts, .. }) => break (outcome, key, kind, attempts),
            Some(_) => {}
            None => panic!("the events ended"),
        }
    };
    assert_eq!(finished, (Outcome::Unknown, Some("order-7".to_owned()), Kind::Action, 1));
    // The server was told that nobody waits any more.
    while server.requested("notifications/cancelled") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_while_somebody_decides_asks_for_nothing() {
    let tools = [tool("buy")];
    let server = TestServer::new(tools.clone());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let importer = one("", &tools, &server)
        .approver(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                Approval::Granted
            }
        })
        .start()
        .await
        .unwrap();
    let call = importer.call("s_buy", json!({}), CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!((asked.load(Ordering::SeqCst), server.executions().len()), (1, 0));
}
