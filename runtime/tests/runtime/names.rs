//! Whose a name is: the host's first, then those in use, then the order of the configuration.

use std::time::Duration;

use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Actor, Approval, Builder, CallOptions, HostTool, Importer, StartError};
use serde_json::{Value, json};

use crate::contract::{config, contract, tool};

/// Two servers without namespaces, the second of which answers first.
fn two(first: &TestServer, second: &TestServer, listings: [Vec<Value>; 2]) -> Builder {
    let bare = "namespace = false\nconnect_timeout = \"500ms\"";
    let servers = config(&[("first", bare), ("second", bare)]);
    let [a, b] = listings;
    let (one, other) = (first.clone(), second.clone());
    Importer::builder(contract(&servers, &[("first", a), ("second", b)]))
        .transport("first", move || one.pipe())
        .transport("second", move || other.pipe())
        .approver(|_| async { Approval::Granted })
}

fn owners(importer: &Importer) -> Vec<(String, String)> {
    importer.imported_tools().into_iter().map(|tool| (tool.local_name, tool.server)).collect()
}

fn pair(name: &str, server: &str) -> (String, String) {
    (name.to_owned(), server.to_owned())
}

async fn ran(importer: &Importer, servers: [&TestServer; 2]) -> [usize; 2] {
    importer.call("search", json!({}), CallOptions::default()).await.unwrap();
    servers.map(|server| server.executions().len())
}

#[tokio::test]
async fn the_first_in_the_configuration_wins_whoever_answers_first() {
    let (first, second) = (TestServer::new([tool("search")]), TestServer::new([tool("search"), tool("other")]));
    first.plan("tools/list", Fault::Late(Duration::from_millis(100)).after_running());
    let listings = [vec![tool("search")], vec![tool("search"), tool("other")]];
    let importer = two(&first, &second, listings).start().await.unwrap();
    let expected = [pair("other", "second"), pair("search", "first")];
    for _ in 0..3 {
        assert_eq!(owners(&importer), expected);
        importer.refresh(None).await;
    }
    assert_eq!(ran(&importer, [&first, &second]).await, [1, 0]);
}

#[tokio::test]
async fn a_freed_name_goes_to_the_next_within_the_same_refresh_and_stays_there() {
    let (first, second) = (TestServer::new([tool("search")]), TestServer::new([tool("search")]));
    let importer = two(&first, &second, [vec![tool("search")], vec![tool("search")]]).start().await.unwrap();
    let mut events = importer.events();
    first.offer([]);
    importer.refresh(None).await;
    assert_eq!(owners(&importer), [pair("search", "second")]);
    let told: Vec<String> = std::iter::from_fn(|| events.try_next()).map(|event| format!("{event:?}")).collect();
    assert!(told.iter().any(|event| event.starts_with("Retired") && event.contains("first")), "{told:?}");
    assert!(told.iter().any(|event| event.starts_with("Registered") && event.contains("second")), "{told:?}");
    assert_eq!(ran(&importer, [&first, &second]).await, [0, 1]);
    // A live handler is never replaced: the first finds its name taken when it comes back.
    first.offer([tool("search")]);
    importer.refresh(None).await;
    assert_eq!(owners(&importer), [pair("search", "second")]);
    let told: Vec<String> = std::iter::from_fn(|| events.try_next()).map(|event| format!("{event:?}")).collect();
    let refusal = told.iter().find(|event| event.starts_with("Refused")).expect("the refusal is told");
    assert!(
        refusal.contains("first") && refusal.contains("belongs to server second") && refusal.contains("namespace"),
        "{refusal}"
    );
    second.offer([]);
    importer.refresh(None).await;
    assert_eq!(owners(&importer), [pair("search", "first")]);
}

#[tokio::test]
async fn a_tool_that_gets_a_freed_name_is_screened_first() {
    let (first, second) = (TestServer::new([tool("search")]), TestServer::new([tool("search")]));
    let importer = two(&first, &second, [vec![tool("search")], vec![tool("search")]])
        .screen(|server: &str, _: &mcp_runtime::AdmittedTool| -> Result<(), mcp_runtime::Objection> {
            if server == "second" { Err("nobody knows it".into()) } else { Ok(()) }
        })
        .start()
        .await
        .unwrap();
    first.offer([]);
    importer.refresh(None).await;
    assert!(importer.agent(Actor::default()).tools().await.is_empty());
    let error = importer.call("search", json!({}), CallOptions::default()).await.unwrap_err();
    assert!(error.did_not_run(), "{error:?}");
    assert_eq!(second.executions(), []);
}

#[tokio::test]
async fn a_name_of_a_server_that_is_down_stays_its_own() {
    let (first, second) = (TestServer::new([tool("search")]), TestServer::new([tool("search")]));
    first.plan("initialize", Fault::Death);
    let importer = two(&first, &second, [vec![tool("search")], vec![tool("search")]]).start().await.unwrap();
    assert_eq!(owners(&importer), [pair("search", "first")]);
    importer.refresh(Some("second")).await;
    assert_eq!(owners(&importer), [pair("search", "first")]);
}

#[tokio::test]
async fn a_tool_of_the_host_is_never_shadowed() {
    let server = TestServer::new([tool("search"), tool("note")]);
    let servers = config(&[("s", "namespace = false")]);
    let listing = vec![tool("search"), tool("note")];
    let own = HostTool::new("search", "Searches here.", json!({"type": "object"}), |arguments| async move {
        if arguments["q"].is_null() { Err("what for?".to_owned()) } else { Ok(json!({"found": arguments["q"]})) }
    });
    let pipes = server.clone();
    let importer = Importer::builder(contract(&servers, &[("s", listing)]))
        .transport("s", move || pipes.pipe())
        .own_tool(own)
        .start()
        .await
        .unwrap();
    assert_eq!(owners(&importer), [pair("note", "s")]);
    for _ in 0..2 {
        let shown = importer.agent(Actor::default()).tools().await;
        let shown: Vec<(&str, &str)> = shown.iter().map(|tool| (&*tool.local_name, &*tool.server)).collect();
        assert_eq!(shown, [("note", "s"), ("search", "")]);
        let reply = importer.call("search", json!({"q": 1}), CallOptions::default()).await.unwrap();
        assert_eq!(reply.for_model(), json!({"found": 1}));
        let failed = importer.call("search", json!({}), CallOptions::default()).await.unwrap_err();
        assert_eq!(failed.to_string(), "the tool search failed: what for?");
        importer.refresh(None).await;
    }
    assert_eq!(server.executions(), []);
}

#[tokio::test]
async fn tools_of_the_host_need_names_that_models_can_use_and_that_differ() {
    let own = |name: &str| HostTool::new(name, "", json!({}), |_| async { Ok(Value::Null) });
    for (tools, expected) in [
        (vec![own("a b")], "cannot be registered: a name is a letter"),
        (vec![own("a"), own("a")], "there are two tools of this name"),
    ] {
        let mut builder = Importer::builder(contract("", &[]));
        for tool in tools {
            builder = builder.own_tool(tool);
        }
        let error = builder.start().await.unwrap_err();
        assert!(matches!(error, StartError::OwnTool { .. }) && error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn calls_are_routed_by_owner_and_never_by_a_likely_name() {
    // `git` + `hub_search` and `git_hub` + `search` are one name: the first owns it, and the other is told.
    let (git, hub) = (TestServer::new([tool("hub_search")]), TestServer::new([tool("search"), tool("execute_sql")]));
    let servers = config(&[("git", ""), ("git_hub", "namespace = \"git_hub\"")]);
    let servers = servers.replace("name = \"git_hub\"", "name = \"github\"");
    let contract =
        contract(&servers, &[("git", vec![tool("hub_search")]), ("github", vec![tool("search"), tool("execute_sql")])]);
    let (a, b) = (git.clone(), hub.clone());
    let importer = Importer::builder(contract)
        .transport("git", move || a.pipe())
        .transport("github", move || b.pipe())
        .approver(|_| async { Approval::Granted })
        .start()
        .await
        .unwrap();
    assert_eq!(owners(&importer), [pair("git_hub_execute_sql", "github"), pair("git_hub_search", "git")]);
    importer.call("git_hub_search", json!({}), CallOptions::default()).await.unwrap();
    importer.call("git_hub_execute_sql", json!({}), CallOptions::default()).await.unwrap();
    assert_eq!((git.executions()[0].tool.as_str(), hub.executions()[0].tool.as_str()), ("hub_search", "execute_sql"));
}
