//! Tools as model providers want them.

use mcp_runtime::testing::TestServer;
use mcp_runtime::{Actor, ImportedTool, Provider, specifications};
use serde_json::{Value, json};

use crate::contract::{one, tool};

async fn tools(definitions: Vec<Value>) -> Vec<ImportedTool> {
    let server = TestServer::new(definitions.clone());
    one("", &definitions, &server).start().await.unwrap().agent(Actor::default()).tools().await
}

#[tokio::test]
async fn each_provider_gets_its_shape_with_the_schema_as_it_was_accepted() {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string", "minLength": 1, "default": null}}, "additionalProperties": false});
    let tools = tools(vec![json!({"name": "find", "description": "Finds.", "inputSchema": schema})]).await;
    for (provider, expected) in [
        (
            Provider::OpenAiResponses,
            json!([{"type": "function", "name": "s_find", "description": "Finds.", "parameters": schema, "strict": false}]),
        ),
        (
            Provider::OpenAiChat,
            json!([{"type": "function", "function": {"name": "s_find", "description": "Finds.", "parameters": schema}}]),
        ),
        (Provider::Anthropic, json!([{"name": "s_find", "description": "Finds.", "input_schema": schema}])),
        (
            Provider::Gemini,
            json!([{"functionDeclarations": [{"name": "s_find", "description": "Finds.", "parametersJsonSchema": schema}]}]),
        ),
    ] {
        assert_eq!(specifications(provider, &tools).tools, expected);
        assert_eq!(specifications(provider, &[]).tools, json!([]));
    }
}

#[tokio::test]
async fn the_order_and_the_bytes_do_not_depend_on_the_listing() {
    let names = ["b", "a", "c"];
    let one = tools(names.iter().map(|name| tool(name)).collect()).await;
    let other = tools(names.iter().rev().map(|name| tool(name)).collect()).await;
    let bytes = |tools| specifications(Provider::OpenAiChat, tools).tools.to_string();
    assert_eq!(bytes(&one), bytes(&other));
    assert!(bytes(&one).find("s_a").unwrap() < bytes(&one).find("s_b").unwrap());
}

#[tokio::test]
async fn what_a_provider_would_refuse_is_told_by_place() {
    let odd = json!({"type": "object", "properties": {
        "list": {"type": "array"},
        "a b": {"type": "string"},
        "any": {"$ref": "#/$defs/x", "description": "beside"},
        "no": {"not": {"type": "string"}},
    }, "anyOf": [{"required": ["list"]}], "$defs": {"x": {"type": "string"}}});
    let long = json!({"name": "long", "description": "x".repeat(1025), "inputSchema": {}});
    let tools = tools(vec![json!({"name": "odd", "inputSchema": odd}), long]).await;
    let told = |provider| -> Vec<String> {
        specifications(provider, &tools).findings.iter().map(ToString::to_string).collect()
    };
    let openai = [
        "s_long: inputSchema: the description is longer than 1024 characters",
        "s_long: inputSchema/type: the outermost type must be \"object\"",
        "s_odd: inputSchema/anyOf: `anyOf` is refused at the top level",
        "s_odd: inputSchema/properties/list: an array without `items` is refused",
    ];
    assert_eq!(told(Provider::OpenAiChat), openai);
    assert_eq!(told(Provider::OpenAiResponses), openai);
    assert_eq!(
        told(Provider::Anthropic),
        [
            "s_long: inputSchema/type: the outermost type must be \"object\"",
            "s_odd: inputSchema/anyOf: `anyOf` is refused at the top level",
            "s_odd: inputSchema/properties/a b: a property's name must be 1 to 64 letters, digits, `_`, `.` and `-`",
        ]
    );
    assert_eq!(
        told(Provider::Gemini),
        [
            "s_long: inputSchema/type: the outermost type must be \"object\"",
            "s_odd: inputSchema/properties/no/not: a keyword that the provider does not know",
            "s_odd: inputSchema/properties/any/$ref: nothing may stand beside `$ref`",
        ]
    );
}

#[cfg(feature = "rmcp")]
#[tokio::test]
async fn a_gated_catalogue_can_be_served_onward() {
    let hinted = json!({"name": "a.b", "title": "T", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let tools = mcp_runtime::rmcp_tools(&tools(vec![hinted, tool("c")]).await);
    let expected = json!([
        {"name": "s_a_b", "title": "T", "description": "The \"a.b\" tool on MCP server s.", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "s_c", "description": "Does c.", "inputSchema": {"type": "object"}}
    ]);
    assert_eq!(serde_json::to_value(tools).unwrap(), expected);
}

#[tokio::test]
async fn an_agent_is_a_plain_function() {
    let (server, importer) = crate::contract::simple("kind = \"read\"").await;
    let function = importer.agent(Actor::default()).function(mcp_runtime::CallOptions::default());
    let seen = tokio::spawn(function.call("s_t".to_owned(), json!({"n": 1}))).await.unwrap().unwrap();
    assert_eq!((seen, server.executions().len()), (json!("{\"n\":1}"), 1));
    assert!(function.call("s_x".to_owned(), json!({})).await.is_err());
}

#[tokio::test]
async fn too_many_tools_are_told_once() {
    let tools = tools((0..129).map(|index| tool(&format!("t{index:03}"))).collect()).await;
    let findings = specifications(Provider::OpenAiChat, &tools).findings;
    assert_eq!(findings.len(), 1);
    assert!(findings[0].to_string().contains("129 tools"), "{}", findings[0]);
    assert!(specifications(Provider::Anthropic, &tools).findings.is_empty());
}
