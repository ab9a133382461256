//! Which tools are there at all, and under which names.

use mcp_runtime::testing::TestServer;
use mcp_runtime::{CallOptions, Importer};
use serde_json::json;

use crate::contract::{one, tool};

fn names(importer: &Importer) -> Vec<(String, String)> {
    importer.imported_tools().into_iter().map(|tool| (tool.local_name, tool.remote_name)).collect()
}

#[tokio::test]
async fn remote_names_are_selected_and_a_new_tool_outside_never_appears() {
    let tools = [tool("create.issue"), tool("search_code"), tool("search_issues"), tool("wipe")];
    let server = TestServer::new(tools.clone());
    let lines = "include = [\"create.issue\", \"search_*\", \"wipe\"]\nexclude = [\"search_code\"]\ndrift = \"follow\"\n[[server.tool]]\nmatch = \"wipe\"\nenabled = false\n";
    let importer = one(lines, &tools, &server).start().await.unwrap();
    let expected = [("s_create_issue", "create.issue"), ("s_search_issues", "search_issues")];
    let expected = expected.map(|(local, remote)| (local.to_owned(), remote.to_owned()));
    assert_eq!(names(&importer), expected);
    server.offer([
        tool("create.issue"),
        tool("search_issues"),
        tool("search_code"),
        tool("delete_all"),
        tool("s_create_issue"),
    ]);
    importer.refresh(None).await;
    assert_eq!(names(&importer), expected);
    importer.call("s_create_issue", json!({}), CallOptions::default()).await.unwrap();
    assert_eq!(server.executions()[0].tool, "create.issue");
}

#[tokio::test]
async fn the_namespace_makes_the_name() {
    for (lines, expected) in [
        ("", "s_create_issue"),
        ("namespace = true", "s_create_issue"),
        ("namespace = false", "create_issue"),
        ("namespace = \"gh\"", "gh_create_issue"),
    ] {
        let tools = [tool("create.issue")];
        let server = TestServer::new(tools.clone());
        let importer = one(lines, &tools, &server).start().await.unwrap();
        assert_eq!(names(&importer)[0].0, expected);
    }
}

#[tokio::test]
async fn two_names_that_are_reshaped_alike_stay_two_tools() {
    let tools = [tool("get.user"), tool("get user")];
    let server = TestServer::new(tools.clone());
    let importer = one("", &tools, &server).start().await.unwrap();
    let names = names(&importer);
    assert_eq!(names.len(), 2);
    for (local, remote) in names {
        importer.call(&local, json!({}), CallOptions::default()).await.unwrap();
        assert_eq!(server.executions().last().unwrap().tool, remote);
    }
}

#[tokio::test]
async fn a_tool_without_a_description_says_whose_it_is_and_one_with_keeps_its_words() {
    let tools = [
        json!({"name": "bare", "inputSchema": {"type": "object"}}),
        json!({"name": "said", "description": "Does it. <b>", "inputSchema": {"type": "object"}}),
    ];
    let server = TestServer::new(tools.clone());
    let importer = one("", &tools, &server).start().await.unwrap();
    let described: Vec<String> = importer.imported_tools().into_iter().filter_map(|tool| tool.description).collect();
    assert_eq!(described, ["The \"bare\" tool on MCP server s.", "Does it. <b>"]);
    assert_eq!(importer.imported_tools()[0].input_schema, json!({"type": "object"}));
}

#[tokio::test]
async fn a_server_that_is_switched_off_is_not_asked() {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let importer = one("enabled = false", &tools, &server).start().await.unwrap();
    assert!(names(&importer).is_empty());
    let importer = one("", &tools, &server).enabled("s", false).start().await.unwrap();
    assert!(names(&importer).is_empty());
    assert_eq!(server.requests().len(), 0);
}
