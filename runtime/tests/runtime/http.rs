//! Streamable HTTP: sessions, credentials, kept connections, and answers that are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::testing::{Fault, HttpServer, Planned, TestServer};
use mcp_runtime::{
    Approval, Asked, Builder, CallError, CallOptions, CredentialHeader, Credentials, Event, Importer, Outcome, Peer,
};
use serde_json::json;

use crate::contract::{contract, tool};

fn over(http: &HttpServer, lines: &str) -> Builder {
    let servers = format!("[[server]]\nname = \"s\"\nurl = \"{}\"\nrequest_timeout = \"2s\"\n{lines}\n", http.url());
    Importer::builder(contract(&servers, &[("s", vec![tool("t")])])).approver(|_| async { Approval::Granted })
}

async fn ground(lines: &str) -> (TestServer, HttpServer, Importer) {
    let server = TestServer::new([tool("t")]);
    let http = server.http().await.unwrap();
    let importer = over(&http, lines).start().await.unwrap();
    (server, http, importer)
}

fn status(status: u16, body: &str) -> Fault {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Fault::Status { status, headers, body: body.to_owned() }
}

#[tokio::test]
async fn every_failure_has_its_outcome_and_an_action_is_issued_once() {
    let (server, _http, importer) = ground("").await;
    let null_id = |code: i64| {
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": "bad request"}}).to_string()
    };
    let cases = [
        ("dropped connection", Fault::Death, Outcome::Unknown),
        ("silence", Fault::Silence, Outcome::Unknown),
        ("half a body", Fault::Half, Outcome::Unknown),
        ("wrong id", Fault::WrongId, Outcome::Unknown),
        ("no JSON", Fault::NotJson, Outcome::Unknown),
        ("an event stream that ends", Fault::EndOfStream, Outcome::Unknown),
        ("202", Fault::status(202), Outcome::Unknown),
        ("200 with HTML", Fault::status(200), Outcome::Unknown),
        ("200 with {}", status(200, "{}"), Outcome::Unknown),
        ("400 with a null id", status(400, &null_id(-32600)), Outcome::Unknown),
        ("400 with a null id, invalid params", status(400, &null_id(-32602)), Outcome::Rejected),
        ("401", Fault::status(401), Outcome::Rejected),
        ("403", status(403, "{\"error\": \"insufficient_scope\"}"), Outcome::Rejected),
        ("404", Fault::status(404), Outcome::Rejected),
        ("408", Fault::status(408), Outcome::Rejected),
        ("429", Fault::status(429), Outcome::Rejected),
        ("500", Fault::status(500), Outcome::Unknown),
        ("502", Fault::status(502), Outcome::Unknown),
        ("503", Fault::status(503), Outcome::Rejected),
        ("a redirect", Fault::redirect("http://127.0.0.1:9/"), Outcome::Unknown),
        ("-32601", Fault::Error { code: -32601, message: "no".to_owned() }, Outcome::Rejected),
        ("-32602", Fault::Error { code: -32602, message: "no".to_owned() }, Outcome::Rejected),
        ("-32603", Fault::Error { code: -32603, message: "no".to_owned() }, Outcome::Unknown),
    ];
    for (name, fault, outcome) in cases {
        for runs in [true, false] {
            let planned: Planned = if runs { fault.clone().after_running() } else { fault.clone().without_running() };
            let (called, ran) = (server.requested("tools/call"), server.executions().len());
            server.plan("t", planned);
            let options = CallOptions::default().timeout(Duration::from_millis(300));
            let error = importer.call("s_t", json!({}), options).await.unwrap_err();
            assert_eq!(error.outcome(), outcome, "{name}: {error:?}");
            assert_eq!(server.requested("tools/call"), called + 1, "{name}");
            assert_eq!(server.executions().len(), ran + usize::from(runs), "{name}");
        }
    }
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
}

#[tokio::test]
async fn errors_say_what_the_server_said() {
    let (server, _http, importer) = ground("").await;
    server.plan("t", status(403, "{\"error\": \"insufficient_scope\"}"));
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("403") && error.contains("insufficient_scope"), "{error}");
}

#[tokio::test]
async fn a_read_waits_as_long_as_the_server_asks() {
    let (server, _http, importer) = ground("kind = \"read\"\nretry = { attempts = 2, backoff = \"1ms\" }").await;
    let mut events = importer.events();
    let limited = |after: &str| Fault::Status {
        status: 429,
        headers: vec![("retry-after".to_owned(), after.to_owned())],
        body: String::new(),
    };
    server.plan("t", limited("1"));
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    let waited = std::iter::from_fn(|| events.try_next()).find_map(|event| match event {
        Event::Retried { wait, .. } => Some(wait),
        _ => None,
    });
    assert_eq!(waited, Some(Duration::from_secs(1)));
    // A server that asks for an hour is not asked again.
    server.plan("t", limited("3600"));
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Rejected { by: Peer::Http, .. }), "{error:?}");
    for fault in [Fault::status(400), Fault::status(401), Fault::status(403), Fault::status(404)] {
        let called = server.requested("tools/call");
        server.plan("t", fault.clone());
        let error = importer.call("s_t", json!({}), CallOptions::default()).await;
        // A 404 and a 401 without a challenge are a lost session, which is made anew once.
        let issued = if error.is_ok() { 2 } else { 1 };
        assert_eq!(server.requested("tools/call"), called + issued, "{fault:?}");
    }
}

#[tokio::test]
async fn a_lost_session_is_made_anew_once_and_no_action_is_sent_again() {
    for lost in [404, 400, 401] {
        let (server, http, importer) = ground("kind = \"read\"").await;
        http.forget_sessions(lost);
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!((server.requested("initialize"), server.executions().len()), (2, 1), "{lost}");

        let (server, http, importer) = ground("").await;
        http.forget_sessions(lost);
        let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Rejected, "{lost}: {error:?}");
        assert_eq!(server.executions(), []);
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!((server.requested("initialize"), server.executions().len()), (2, 1));

        let (server, http, importer) = ground("trust_rejections = true").await;
        http.forget_sessions(lost);
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!(server.executions().len(), 1);
    }
}

#[tokio::test]
async fn a_session_that_is_lost_again_and_again_ends() {
    let (server, http, importer) = ground("kind = \"read\"\nretry = { attempts = 3, backoff = \"1ms\" }").await;
    server.decide({
        let http = Arc::new(http);
        move |name, _| {
            if name == "tools/list" {
                http.forget_sessions(404);
            }
            Fault::None.into()
        }
    });
    importer.refresh(None).await;
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(!matches!(error, CallError::Tool { .. }), "{error:?}");
    assert!(server.requested("initialize") <= 6, "{}", server.requested("initialize"));
}

/// Gives `old`, then `new`.
struct Tokens(Arc<AtomicUsize>);

impl Credentials for Tokens {
    fn header<'a>(&'a self, server: &'a str, challenge: Option<&'a str>) -> Asked<'a> {
        let asked = self.0.fetch_add(1, Ordering::SeqCst);
        assert_eq!(server, "s");
        assert_eq!(challenge.is_some_and(|challenge| challenge.contains("invalid_token")), asked > 0);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(CredentialHeader::bearer(if asked == 0 { "old" } else { "new" }))
        })
    }
}

fn expired() -> Fault {
    let challenge = "Bearer error=\"invalid_token\"".to_owned();
    Fault::Status { status: 401, headers: vec![("www-authenticate".to_owned(), challenge)], body: String::new() }
}

#[tokio::test]
async fn credentials_are_asked_for_again_once_for_all_who_were_turned_away() {
    let server = TestServer::new([tool("t")]);
    let http = server.http().await.unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let importer = over(&http, "kind = \"read\"").credentials("s", Tokens(Arc::clone(&asked))).start().await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    for _ in 0..8 {
        server.plan("t", expired());
    }
    let calls = (0..8).map(|_| importer.call("s_t", json!({}), CallOptions::default()));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let sent =
        |token: &str| http.headers().iter().filter(|(name, value)| name == "authorization" && value == token).count();
    assert!(sent("Bearer old") >= 9 && sent("Bearer new") == 8, "{:?}", http.headers());
}

#[tokio::test]
async fn an_action_whose_credential_is_refused_is_not_sent_again() {
    for (lines, executions) in [("", 0), ("trust_rejections = true", 1)] {
        let server = TestServer::new([tool("t")]);
        let http = server.http().await.unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let importer = over(&http, lines).credentials("s", Tokens(Arc::clone(&asked))).start().await.unwrap();
        server.plan("t", expired());
        let answer = importer.call("s_t", json!({}), CallOptions::default()).await;
        assert_eq!(server.executions().len(), executions, "{answer:?}");
        if executions == 0 {
            assert!(matches!(answer, Err(CallError::Rejected { .. })), "{answer:?}");
        }
        // The next one goes out with the new credential.
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }
}

struct NoTokens;

impl Credentials for NoTokens {
    fn header<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> Asked<'a> {
        Box::pin(async { Err("please sign in".into()) })
    }
}

#[tokio::test]
async fn without_credentials_nothing_is_sent_and_the_reason_is_told() {
    let server = TestServer::new([tool("t")]);
    let http = server.http().await.unwrap();
    let importer = over(&http, "").credentials("s", NoTokens).start().await.unwrap();
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(error.did_not_run() && error.to_string().contains("please sign in"), "{error}");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_redirect_takes_no_credential_anywhere() {
    let elsewhere = TestServer::new([tool("t")]);
    let other = elsewhere.http().await.unwrap();
    let (server, _http, importer) =
        ground("headers = { Authorization = \"Bearer ${TOKEN:-sesame}\" }\nkind = \"read\"").await;
    server.plan("t", Fault::redirect(&other.url()));
    let error = importer.call("s_t", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("redirect"), "{error}");
    assert_eq!((other.connections(), elsewhere.requests().len()), (0, 0));
}

#[tokio::test]
async fn reads_share_connections_and_actions_do_not() {
    for (lines, kept) in [("kind = \"read\"", true), ("kind = \"read\"\npool = false", false), ("", false)] {
        let (_server, http, importer) = ground(lines).await;
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        let before = http.connections();
        for _ in 0..10 {
            importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
        }
        assert_eq!(http.connections() - before, if kept { 0 } else { 10 }, "{lines}");
    }
}

#[tokio::test]
async fn keeping_stops_where_the_server_makes_it_slow() {
    let server = TestServer::new([tool("t")]);
    let http = server.http().await.unwrap();
    // Before the first connection is accepted: how it writes is a property of each.
    http.write_apart();
    let importer = over(&http, "kind = \"read\"").start().await.unwrap();
    for _ in 0..30 {
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    }
    let before = http.connections();
    for _ in 0..5 {
        importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    }
    let opened = http.connections() - before;
    println!("{opened} of 5 calls took a connection of their own");
    // Where the system acknowledges at once, nothing is slow and connections are kept.
    assert!(opened == 5 || (opened == 0 && !cfg!(target_os = "linux")), "{opened}");
}

/// Changes the list, and waits until that was heard of.
async fn heard(server: &TestServer, importer: &Importer) {
    let mut events = importer.events();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.offer([]);
    server.notify();
    loop {
        match tokio::time::timeout(Duration::from_secs(3), events.next()).await.expect("a notice is heard") {
            Some(Event::Retired { tool, .. }) => break assert_eq!(tool, "s_t"),
            Some(_) => {}
            None => panic!("the events ended"),
        }
    }
}

#[tokio::test]
async fn notices_are_heard_on_a_stream_of_their_own() {
    let (server, _http, importer) = ground("").await;
    heard(&server, &importer).await;
}

#[tokio::test]
async fn the_newest_revision_tells_of_changes_on_a_subscription() {
    let server = TestServer::new([tool("t")]);
    server.speak_newest();
    let http = server.http().await.unwrap();
    let importer = over(&http, "").start().await.unwrap();
    importer.call("s_t", json!({}), CallOptions::default()).await.unwrap();
    assert_eq!((server.requested("server/discover"), server.requested("subscriptions/listen")), (1, 1));
    heard(&server, &importer).await;
    // A server that ends the subscription is asked for another, and what changed meanwhile is not missed.
    server.hang_up();
    server.offer([tool("t")]);
    let begun = std::time::Instant::now();
    while importer.agent(mcp_runtime::Actor::default()).tools().await.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(5), "the change was missed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
