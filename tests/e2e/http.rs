//! HTTP servers that misbehave, with the message that somebody sees, and what a call learns.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::{Expect, expect};
use mcp_contract::config::ServerName;
use mcp_wire::{CallFailure, Connection, Endpoint, HttpEndpoint, Sent, WireErrorKind};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::project::Project;

/// What a server answers to a request, given its headers and JSON body.
pub(crate) type Answer = Arc<dyn Fn(&str, &Value) -> Vec<u8> + Send + Sync>;

/// Serves raw answers, one request a connection; the address is `http://127.0.0.1:PORT/mcp`.
pub(crate) async fn serve(answer: Answer) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(one_request(stream, Arc::clone(&answer)));
        }
    });
    port
}

async fn one_request(mut stream: TcpStream, answer: Answer) {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        let mut chunk = [0; 4096];
        let Ok(read @ 1..) = stream.read(&mut chunk).await else { return };
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let body = serde_json::from_str(&body).unwrap_or(Value::Null);
    // An answer may wait for something, and must not keep the timers of the test waiting with it.
    let Ok(reply) = tokio::task::spawn_blocking(move || answer(&head, &body)).await else { return };
    let _ = stream.write_all(&reply).await;
    let _ = stream.shutdown().await;
}

fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

pub(crate) fn json_reply(body: &Value) -> Vec<u8> {
    http("200 OK", "content-type: application/json\r\n", &body.to_string())
}

/// A server that shakes hands and lists one tool; `call` answers `tools/call`.
pub(crate) fn otherwise_fine(call: impl Fn(&Value) -> Vec<u8> + Send + Sync + 'static) -> Answer {
    Arc::new(move |_, message| {
        let id = &message["id"];
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                let result = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}});
                json_reply(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
            }
            "tools/list" => {
                let tools = json!([{"name": "good", "inputSchema": {"type": "object"}}]);
                json_reply(&json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}))
            }
            "tools/call" => call(id),
            "" => http("405 Method Not Allowed", "", ""),
            _ => http("202 Accepted", "", ""),
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_no_mcp() {
    let cases: &[(&str, Vec<u8>, Expect)] = &[
        (
            "401",
            http("401 Unauthorized", "www-authenticate: Bearer realm=\"r\"\r\n", ""),
            expect![[r#"
                401: server a at http://127.0.0.1:<port>: HTTP 401 (it wants credentials: set `headers`, for example Authorization = "Bearer ${TOKEN}"); challenge: Bearer realm="r"
                exit code 3"#]],
        ),
        (
            "401 without a challenge",
            http("401 Unauthorized", "", "who are you?"),
            expect![[r#"
                401 without a challenge: server a at http://127.0.0.1:<port>: HTTP 401 (it wants credentials: set `headers`, for example Authorization = "Bearer ${TOKEN}"); it said: who are you?
                exit code 3"#]],
        ),
        (
            "403",
            http("403 Forbidden", "content-type: application/json\r\n", "{\"error\":\"insufficient_scope\"}"),
            expect![[r#"
                403: server a at http://127.0.0.1:<port>: HTTP 403 (it refuses these credentials: do they belong to this server, and may they do this?); it said: {"error":"insufficient_scope"}
                exit code 3"#]],
        ),
        (
            "404",
            http("404 Not Found", "", "nothing here"),
            expect![[r#"
                404: server a at http://127.0.0.1:<port>: HTTP 404 (nothing is served at this address: is `url` the MCP endpoint, often …/mcp?); it said: nothing here
                exit code 3"#]],
        ),
        (
            "500",
            http("500 Internal Server Error", "", "stack trace"),
            expect![[r#"
                500: server a at http://127.0.0.1:<port>: HTTP 500
                exit code 3"#]],
        ),
        (
            "503",
            http("503 Service Unavailable", "retry-after: 7\r\n", ""),
            expect![[r#"
                503: server a at http://127.0.0.1:<port>: HTTP 503; retry after: 7
                exit code 3"#]],
        ),
        (
            "html",
            http("200 OK", "content-type: text/html\r\n", "<h1>\u{1b}[2JWelcome</h1>"),
            expect![[r#"
                html: server a at http://127.0.0.1:<port>: the answer is no MCP (content type text/html); is `url` the MCP endpoint?
                exit code 3"#]],
        ),
        (
            "redirect",
            http("302 Found", "location: http://127.0.0.1:1/\r\n", ""),
            expect![[r#"
                redirect: server a at http://127.0.0.1:<port>: HTTP 302 (it redirects, which is not followed: set `url` to the final address)
                exit code 3"#]],
        ),
        (
            "not json",
            http("200 OK", "content-type: application/json\r\n", "{\"jsonrpc\":"),
            expect![[r#"
                not json: server a at http://127.0.0.1:<port>: the answer is no reply: could not parse JSON response as ServerJsonRpcMessage: EOF while parsing a value at line 1 column 11: {"jsonrpc":
                exit code 3"#]],
        ),
        (
            "nothing",
            Vec::new(),
            expect![[r#"
                nothing: server a at http://127.0.0.1:<port>: the connection ended before the answer: connection closed before message completed
                exit code 3"#]],
        ),
    ];
    for (what, answer, expected) in cases {
        let answer = answer.clone();
        let port = serve(Arc::new(move |_, _| answer.clone())).await;
        let project = Project::new(&format!(
            "[[server]]\nname = \"a\"\nurl = \"http://127.0.0.1:{port}/mcp\"\nconnect_timeout = \"3s\"\n"
        ));
        expected.assert_eq(&format!("{what}: {}", project.run(&["snapshot"]).replace(&port.to_string(), "<port>")));
    }
}

#[tokio::test]
async fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let project = Project::new(&format!("[[server]]\nname = \"a\"\nurl = \"http://127.0.0.1:{port}/mcp\"\n"));
    expect![[r#"
        server a at http://127.0.0.1:<port>: cannot connect: Connection refused (os error 111); does the server run, and is `url` right?
        exit code 3"#]]
    .assert_eq(&project.run(&["snapshot"]).replace(&port.to_string(), "<port>"));
}

pub(crate) async fn connect(port: u16) -> Connection {
    let endpoint = HttpEndpoint {
        url: format!("http://127.0.0.1:{port}/mcp"),
        headers: [("X-Key".to_owned(), "k1".to_owned())].into(),
    };
    mcp_wire::connect(
        &ServerName::new("a").unwrap(),
        Endpoint::Http(endpoint),
        &mcp_wire::ConnectSpec::within(Duration::from_secs(5)),
    )
    .await
    .unwrap()
}

async fn call(port: u16) -> (Result<String, CallFailure>, Duration) {
    let connection = connect(port).await;
    connection.list(Duration::from_secs(5)).await.unwrap();
    let start = std::time::Instant::now();
    let spec = mcp_wire::CallSpec::within(Duration::from_millis(800));
    let result = connection.call("good", serde_json::Map::new(), &spec).await;
    let elapsed = start.elapsed();
    connection.close().await;
    (result, elapsed)
}

/// An answer, and what the failed call must have learnt from it.
type Failing = (&'static str, fn(&Value) -> Vec<u8>, fn(&WireErrorKind) -> bool);

#[tokio::test]
async fn what_a_call_learns_from_each_answer() {
    let ok = json!({"content": [{"type": "text", "text": "ok"}]});
    let reply = move |id: &Value| json_reply(&json!({"jsonrpc": "2.0", "id": id, "result": ok.clone()}));
    let (result, _) = call(serve(otherwise_fine(reply)).await).await;
    assert!(result.unwrap().contains("ok"));

    let event = |id: &Value| {
        let data = json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "hologram"}]}});
        http(
            "200 OK",
            "content-type: text/event-stream\r\n",
            &format!("id: 1\ndata:\n\nevent: message\ndata: {data}\n\n"),
        )
    };
    let (result, _) = call(serve(otherwise_fine(event)).await).await;
    assert!(result.unwrap().contains("hologram"));

    let failing: &[Failing] = &[
        ("401", |_| http("401 Unauthorized", "", ""), |kind| matches!(kind, WireErrorKind::Http { status: 401, .. })),
        (
            "429",
            |_| http("429 Too Many Requests", "retry-after: 7\r\n", ""),
            |kind| matches!(kind, WireErrorKind::Http { status: 429, retry_after: Some(after), .. } if after == "7"),
        ),
        (
            "500",
            |_| http("500 Internal Server Error", "", "oops"),
            |kind| matches!(kind, WireErrorKind::Http { status: 500, body, .. } if body == "oops"),
        ),
        (
            "500 with an error of MCP",
            |id| {
                let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "boom"}});
                http("500 Internal Server Error", "content-type: application/json\r\n", &error.to_string())
            },
            |kind| matches!(kind, WireErrorKind::Peer { code: -32603, .. }),
        ),
        (
            "400 with an error whose id is null",
            |_| {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}});
                http("400 Bad Request", "content-type: application/json\r\n", &error.to_string())
            },
            |kind| matches!(kind, WireErrorKind::Peer { code: -32600, .. }),
        ),
        (
            "401 with the body of a gateway",
            |_| {
                let body = json!({"error": "invalid_token"}).to_string();
                http("401 Unauthorized", "content-type: application/json\r\n", &body)
            },
            |kind| matches!(kind, WireErrorKind::Http { status: 401, body, .. } if body.contains("invalid_token")),
        ),
        (
            "html",
            |_| http("200 OK", "content-type: text/html\r\n", "<p>"),
            |kind| matches!(kind, WireErrorKind::ContentType { .. }),
        ),
        ("an empty object", |_| json_reply(&json!({})), |kind| matches!(kind, WireErrorKind::Malformed { .. })),
        (
            "another id",
            |_| json_reply(&json!({"jsonrpc": "2.0", "id": 77, "result": {}})),
            |kind| matches!(kind, WireErrorKind::Malformed { .. }),
        ),
        ("an array", |_| json_reply(&json!([])), |kind| matches!(kind, WireErrorKind::Malformed { .. })),
        (
            "half a body",
            |_| {
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"jsonrpc\"".to_vec()
            },
            |kind| matches!(kind, WireErrorKind::Lost { .. }),
        ),
        ("no answer at all", |_| Vec::new(), |kind| matches!(kind, WireErrorKind::Lost { .. })),
        (
            "an event stream that ends",
            |_| http("200 OK", "content-type: text/event-stream\r\n", ": hello\n\n"),
            |_| true,
        ),
    ];
    for (what, answer, expected) in failing {
        let (result, elapsed) = call(serve(otherwise_fine(answer)).await).await;
        let failure = result.unwrap_err();
        assert!(expected(&failure.error.kind), "{what}: {:?}", failure.error.kind);
        assert_eq!(failure.sent, Sent::Perhaps, "{what}");
        assert!(elapsed < Duration::from_millis(700), "{what} waited for the deadline");
    }
}

#[tokio::test]
async fn an_id_that_comes_back_as_a_string_is_understood() {
    let reply = |id: &Value| json_reply(&json!({"jsonrpc": "2.0", "id": id.to_string(), "result": {"content": []}}));
    assert!(call(serve(otherwise_fine(reply)).await).await.0.is_ok());
}

#[tokio::test]
async fn an_accepted_request_without_a_reply_ends_with_the_deadline() {
    let (result, _) = call(serve(otherwise_fine(|_| http("202 Accepted", "", ""))).await).await;
    let failure = result.unwrap_err();
    assert!(matches!(*failure.error.kind, WireErrorKind::Malformed { .. }), "{failure}");
    assert_eq!(failure.sent, Sent::Perhaps);
}

#[tokio::test]
async fn a_refused_connection_is_proof_that_nothing_was_sent() {
    let listener = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&listener);
    let fine = otherwise_fine(|_| Vec::new());
    // The server goes away after the listing.
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    *keep.lock().unwrap() = Some(tokio::spawn(async move {
        while let Ok((stream, _)) = server.accept().await {
            tokio::spawn(one_request(stream, Arc::clone(&fine)));
        }
    }));
    let connection = connect(port).await;
    connection.list(Duration::from_secs(5)).await.unwrap();
    let server = listener.lock().unwrap().take().unwrap();
    server.abort();
    let _ = server.await;
    let spec = mcp_wire::CallSpec::within(Duration::from_secs(2));
    let failure = connection.call("good", serde_json::Map::new(), &spec).await.unwrap_err();
    assert_eq!(failure.sent, Sent::No, "{failure}");
    assert!(matches!(*failure.error.kind, WireErrorKind::Unreachable { .. }), "{failure}");
    connection.close().await;
}

#[tokio::test]
async fn a_call_is_posted_once_whatever_becomes_of_it() {
    let answers: [fn(&Value) -> Vec<u8>; 3] =
        [|_| http("404 Not Found", "", ""), |_| Vec::new(), |_| http("503 Service Unavailable", "", "")];
    for answer in answers {
        let posts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&posts);
        let port = serve(otherwise_fine(move |id| {
            counted.fetch_add(1, Ordering::SeqCst);
            answer(id)
        }))
        .await;
        let (result, _) = call(port).await;
        assert!(result.is_err());
        assert_eq!(posts.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn configured_headers_go_with_every_request_and_never_to_another_origin() {
    let other_saw = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&other_saw);
    let other = serve(Arc::new(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        http("200 OK", "", "")
    }))
    .await;
    let without_key = Arc::new(AtomicUsize::new(0));
    let missing = Arc::clone(&without_key);
    let fine = otherwise_fine(move |_| {
        http("307 Temporary Redirect", &format!("location: http://127.0.0.1:{other}/mcp\r\n"), "")
    });
    let port = serve(Arc::new(move |head, message| {
        if !head.to_ascii_lowercase().contains("x-key: k1") {
            missing.fetch_add(1, Ordering::SeqCst);
        }
        fine(head, message)
    }))
    .await;
    let (result, _) = call(port).await;
    assert!(matches!(*result.unwrap_err().error.kind, WireErrorKind::Http { status: 307, .. }));
    assert_eq!((without_key.load(Ordering::SeqCst), other_saw.load(Ordering::SeqCst)), (0, 0));
}
