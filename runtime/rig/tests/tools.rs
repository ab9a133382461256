//! rig's tools over a test server.

use mcp_contract::config::Config;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, admit};
use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Actor, Contract, Importer, ServerContract};
use serde_json::{Value, json};

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn contract(config: &'static str, tools: &Value) -> Contract {
    let parsed = Config::parse(config, "servers.toml").unwrap();
    let listing = Listing::from_saved(&tools.to_string()).unwrap();
    let mut snapshot = Snapshot::of(&parsed.servers[0], &listing, None);
    let admission = admit(std::iter::once((&parsed.servers[0], &snapshot)));
    snapshot.pin_names(&admission.servers[0]);
    let mut files = snapshot.render();
    let manifest = leak(files.remove("server.json").unwrap());
    let tools: Vec<_> = files.into_iter().map(|(file, text)| (leak(file), leak(text))).collect();
    let server = ServerContract { name: "s", manifest, tools: Vec::leak(tools) };
    Contract { config, servers: Vec::leak(vec![server]) }
}

#[tokio::test]
async fn a_tool_of_rigs_passes_the_gates_and_says_what_went_wrong() {
    let config = "[[server]]\nname = \"s\"\ncommand = \"unused\"\n[[server.tool]]\nmatch = \"look\"\nkind = \"read\"\n";
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let definitions = json!([
        {"name": "look", "description": "Looks.", "inputSchema": schema},
        {"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}
    ]);
    let server = TestServer::new(definitions.as_array().unwrap().clone());
    let pipes = server.clone();
    let importer =
        Importer::builder(contract(config, &definitions)).transport("s", move || pipes.pipe()).start().await.unwrap();
    let tools = mcp_runtime_rig::tools(&importer.agent(Actor::new("rig"))).await;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name().as_str()).collect();
    assert_eq!(names, ["s_buy", "s_look"]);
    let (buy, look) = (&tools[0], &tools[1]);
    assert_eq!((look.definition().description.as_str(), look.definition().parameters), ("Looks.", schema));
    assert_eq!(look.execute(json!({"n": 1})).await.unwrap().as_text(), Some("{\"n\":1}"));
    let invalid = look.execute(json!({"n": "x"})).await.unwrap_err();
    assert!(invalid.message().contains("not valid"), "{}", invalid.message());
    let denied = buy.execute(json!({})).await.unwrap_err();
    assert!(denied.message().contains("not approved"), "{}", denied.message());
    server.plan("look", Fault::Says(json!({"isError": true, "content": [{"type": "text", "text": "out of stock"}]})));
    let failed = look.execute(json!({"n": 1})).await.unwrap_err();
    assert!(failed.model_feedback().is_some_and(|text| text.contains("out of stock")), "{failed:?}");
    assert_eq!(server.executions().len(), 1);
}
