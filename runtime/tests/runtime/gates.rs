//! Who sees and calls what.

use std::sync::{Arc, Mutex};

use mcp_runtime::testing::TestServer;
use mcp_runtime::{Actor, Approval, CallError, CallOptions, Importer, Kind, Objection};
use serde_json::json;

use crate::contract::{config, contract, one, tool};

const LINES: &str = "roles = [\"staff\", \"admin\"]\nability = \"refund\"\nkind = \"read\"\n
[[server.tool]]\nmatch = \"wipe\"\nroles = [\"admin\"]\nkind = \"action\"\n";

async fn shown(importer: &Importer, actor: &Actor) -> Vec<String> {
    importer.agent(actor.clone()).tools().await.into_iter().map(|tool| tool.local_name).collect()
}

#[tokio::test]
async fn roles_ability_and_list_hide_and_refuse() {
    let tools = [tool("find"), tool("wipe")];
    let server = TestServer::new(tools.clone());
    let importer = one(LINES, &tools, &server).start().await.unwrap();
    let staff = Actor::new("a").role("staff").ability("refund");
    let admin = Actor::new("b").role("admin").ability("refund");
    for (actor, visible) in [
        (Actor::default(), vec![]),
        (Actor::new("x").role("staff"), vec![]),
        (Actor::new("x").ability("refund"), vec![]),
        (staff.clone(), vec!["s_find"]),
        (admin.clone(), vec!["s_find", "s_wipe"]),
        (admin.clone().allow(["s_wipe"]), vec!["s_wipe"]),
        (admin.clone().allow(Vec::<String>::new()), vec![]),
    ] {
        assert_eq!(shown(&importer, &actor).await, visible, "{actor:?}");
        for name in ["s_find", "s_wipe"] {
            let answer = importer.agent(actor.clone()).call(name, json!({}), CallOptions::default()).await;
            match answer {
                Ok(_) => assert!(visible.contains(&name), "{actor:?} {name}"),
                Err(error) => {
                    assert!(!visible.contains(&name), "{actor:?} {name}: {error}");
                    assert!(matches!(error, CallError::Forbidden { .. }) && error.did_not_run());
                }
            }
        }
    }
    let error = importer.agent(staff).call("s_wipe", json!({}), CallOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the tool s_wipe is not for this caller: it needs the role admin");
}

#[tokio::test]
async fn the_list_is_asked_before_the_host_and_the_host_for_each_step() {
    let tools = [tool("a"), tool("b")];
    let server = TestServer::new(tools.clone());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let importer = one("", &tools, &server)
        .gate(move |actor, tool| {
            seen.lock().unwrap().push(tool.local_name.clone());
            async move {
                match actor.name() {
                    "good" => Ok(()),
                    "rude" => panic!("a gate's own affair"),
                    _ => Err(Objection::from("not today")),
                }
            }
        })
        .start()
        .await
        .unwrap();
    let good = Actor::new("good").allow(["s_a"]);
    assert_eq!(shown(&importer, &good).await, ["s_a"]);
    assert_eq!(*asked.lock().unwrap(), ["s_a"]);
    importer.agent(good.clone()).call("s_a", json!({}), CallOptions::default()).await.unwrap();
    importer.agent(good).call("s_b", json!({}), CallOptions::default()).await.unwrap_err();
    assert_eq!(*asked.lock().unwrap(), ["s_a", "s_a"]);
    for (name, reason) in [("rude", "the gate panicked"), ("other", "not today")] {
        let agent = importer.agent(Actor::new(name));
        assert!(agent.tools().await.is_empty());
        let error = agent.call("s_a", json!({}), CallOptions::default()).await.unwrap_err();
        assert!(matches!(&error, CallError::Forbidden { reason: why, .. } if why == reason), "{error}");
    }
    assert_eq!(server.executions().len(), 1);
}

#[tokio::test]
async fn the_gates_come_before_the_schema_and_the_schema_before_the_approver() {
    let strict = json!({"name": "t", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}});
    let tools = [strict];
    let server = TestServer::new(tools.clone());
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let importer = one("roles = [\"staff\"]", &tools, &server)
        .approver(move |_| {
            *count.lock().unwrap() += 1;
            async { Approval::Granted }
        })
        .start()
        .await
        .unwrap();
    let staff = importer.agent(Actor::new("a").role("staff"));
    for wrong in [json!({}), json!({"n": "1"}), json!({"n": 1, "m": 2}), json!([1]), json!(null)] {
        let stranger = importer.call("s_t", wrong.clone(), CallOptions::default()).await.unwrap_err();
        assert!(matches!(stranger, CallError::Forbidden { .. }), "{stranger:?}");
        let error = staff.call("s_t", wrong, CallOptions::default()).await.unwrap_err();
        assert!(matches!(error, CallError::InvalidArguments { .. }), "{error:?}");
    }
    assert!(matches!(staff.call("s_x", json!({}), CallOptions::default()).await, Err(CallError::UnknownTool { .. })));
    assert_eq!((*asked.lock().unwrap(), server.requested("tools/call")), (0, 0));
    staff.call("s_t", json!({"n": 1}), CallOptions::default()).await.unwrap();
    assert_eq!((*asked.lock().unwrap(), server.executions()[0].arguments.clone()), (1, json!({"n": 1})));
}

#[tokio::test]
async fn the_hosts_function_decides_the_kind_and_sees_the_definition() {
    let hinted = json!({"name": "look", "description": "Looks.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let tools = [hinted, tool("buy"), tool("odd"), tool("left")];
    let server = TestServer::new(tools.clone());
    let importer = one("[[server.tool]]\nmatch = \"left\"\nkind = \"read\"", &tools, &server)
        .kind(|server, tool| {
            assert_eq!(server, "s");
            match tool.remote_name() {
                "odd" => panic!("a function's own affair"),
                "left" => None,
                _ if tool.definition().annotations().read_only == Some(true) => {
                    assert_eq!(tool.definition().description(), Some("Looks."));
                    Some(Kind::Read)
                }
                _ => Some(Kind::Action),
            }
        })
        .start()
        .await
        .unwrap();
    let kinds: Vec<(String, Kind)> =
        importer.imported_tools().into_iter().map(|tool| (tool.remote_name, tool.kind)).collect();
    let expected = [("buy", Kind::Action), ("left", Kind::Read), ("look", Kind::Read), ("odd", Kind::Action)];
    assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
}

#[tokio::test]
async fn hints_count_only_where_the_configuration_believes_them() {
    let hinted = |name: &str, destructive: bool| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "destructiveHint": destructive}});
    let tools = vec![hinted("a", false), hinted("b", true), tool("c")];
    for (kind, reads) in [("", vec![]), ("kind = \"annotations\"", vec!["a"]), ("kind = \"read\"", vec!["a", "b", "c"])]
    {
        let server = TestServer::new(tools.clone());
        let importer = Importer::builder(contract(&config(&[("s", kind)]), &[("s", tools.clone())]))
            .transport("s", move || server.pipe())
            .start()
            .await
            .unwrap();
        let found: Vec<String> = importer
            .imported_tools()
            .into_iter()
            .filter(|tool| tool.kind == Kind::Read)
            .map(|tool| tool.remote_name)
            .collect();
        assert_eq!(found, reads, "{kind}");
    }
}
