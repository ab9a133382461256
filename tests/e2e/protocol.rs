//! Revisions of the protocol: every one from 2024-11-05 on, and 2026-07-28, which has no `initialize`.

use std::borrow::Cow;
use std::time::Duration;

use mcp_contract::config::ServerName;
use mcp_wire::{Connection, Endpoint, HttpEndpoint, StdioEndpoint};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::StreamableHttpService;
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::json;

use crate::project::HOSTILE;

const DEADLINE: Duration = Duration::from_secs(10);

fn name() -> ServerName {
    ServerName::new("s").unwrap()
}

async fn list_and_call(connection: &Connection, tool: &str, arguments: serde_json::Value) -> String {
    let listing = connection.list(DEADLINE).await.unwrap();
    assert!(listing.tools.iter().any(|listed| listed.name() == tool));
    let serde_json::Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let spec = mcp_wire::CallSpec::within(DEADLINE);
    connection.call(tool, arguments, &spec).await.unwrap()
}

#[tokio::test]
async fn stdio_speaks_every_revision_with_a_handshake() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let endpoint = StdioEndpoint {
            command: HOSTILE.to_owned(),
            args: vec![format!("version={version}")],
            env: std::collections::BTreeMap::new(),
            cwd: None,
        };
        let connection =
            mcp_wire::connect(&name(), Endpoint::Stdio(endpoint), &mcp_wire::ConnectSpec::within(DEADLINE))
                .await
                .unwrap();
        assert_eq!(connection.report().protocol.as_deref(), Some(version));
        let result = list_and_call(&connection, "good", json!({})).await;
        assert!(result.contains("\"ok\""));
        connection.close().await;
    }
}

/// A server built with rmcp that speaks the chosen revisions.
#[derive(Clone)]
struct Chosen(Cow<'static, [ProtocolVersion]>);

impl ServerHandler for Chosen {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.clone()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let region = json!({"type": "string", "x-mcp-header": "Region"});
        let schema = json!({"type": "object", "properties": {"region": region}});
        let tool: Tool = serde_json::from_value(json!({"name": "where", "inputSchema": schema})).unwrap();
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let region = request.arguments.unwrap_or_default()["region"].to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(region)]).into())
    }
}

fn revisions() -> Vec<(&'static str, Chosen)> {
    let chosen = |version: ProtocolVersion| Chosen(Cow::Owned(vec![version]));
    vec![
        ("2025-03-26", chosen(ProtocolVersion::V_2025_03_26)),
        ("2025-06-18", chosen(ProtocolVersion::V_2025_06_18)),
        ("2025-11-25", chosen(ProtocolVersion::V_2025_11_25)),
        ("2026-07-28", chosen(ProtocolVersion::V_2026_07_28)),
    ]
}

#[tokio::test]
async fn http_speaks_every_revision_up_to_the_newest() {
    for (version, handler) in revisions() {
        let service = StreamableHttpService::new(
            move || Ok(handler.clone()),
            std::sync::Arc::new(rmcp::transport::streamable_http_server::session::local::LocalSessionManager::default()),
            rmcp::transport::StreamableHttpServerConfig::default(),
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.unwrap();
        });
        let endpoint = HttpEndpoint { url, headers: std::collections::BTreeMap::new() };
        let connection = mcp_wire::connect(&name(), Endpoint::Http(endpoint), &mcp_wire::ConnectSpec::within(DEADLINE))
            .await
            .unwrap();
        assert_eq!(connection.report().protocol.as_deref(), Some(version));
        let result = list_and_call(&connection, "where", json!({"region": "eu"})).await;
        assert!(result.contains("eu"), "{result}");
        connection.close().await;
        server.abort();
    }
}

/// The stdio half of the newest revision: this test binary starts itself as the server.
#[tokio::test]
async fn stdio_speaks_the_newest_revision() {
    if std::env::var_os("MCP_TESTS_SERVE").is_some() {
        let newest = Chosen(Cow::Owned(vec![ProtocolVersion::V_2026_07_28]));
        newest.serve(rmcp::transport::stdio()).await.unwrap().waiting().await.unwrap();
        return;
    }
    let endpoint = StdioEndpoint {
        command: std::env::current_exe().unwrap().to_str().unwrap().to_owned(),
        args: ["--exact", "protocol::stdio_speaks_the_newest_revision", "--nocapture"].map(str::to_owned).into(),
        env: [("MCP_TESTS_SERVE".to_owned(), "1".to_owned())].into(),
        cwd: None,
    };
    let connection =
        mcp_wire::connect(&name(), Endpoint::Stdio(endpoint), &mcp_wire::ConnectSpec::within(DEADLINE)).await.unwrap();
    assert_eq!(connection.report().protocol.as_deref(), Some("2026-07-28"));
    let result = list_and_call(&connection, "where", json!({"region": "eu"})).await;
    assert!(result.contains("eu"), "{result}");
    // The test runner's own lines are the noise of this server.
    assert!(!connection.noise().is_empty());
    connection.close().await;
}

#[tokio::test]
async fn pages_are_followed_and_an_empty_cursor_is_a_cursor() {
    let endpoint = StdioEndpoint {
        command: HOSTILE.to_owned(),
        args: vec!["pages".to_owned()],
        env: std::collections::BTreeMap::new(),
        cwd: None,
    };
    let connection =
        mcp_wire::connect(&name(), Endpoint::Stdio(endpoint), &mcp_wire::ConnectSpec::within(DEADLINE)).await.unwrap();
    let listing = connection.list(DEADLINE).await.unwrap();
    let names: Vec<&str> = listing.tools.iter().map(mcp_contract::definition::ToolDefinition::name).collect();
    assert_eq!(names, ["first", "second", "third"]);
    connection.close().await;
}

#[tokio::test]
async fn an_id_that_comes_back_as_a_string_is_understood() {
    let endpoint = StdioEndpoint {
        command: HOSTILE.to_owned(),
        args: vec!["string-id".to_owned()],
        env: std::collections::BTreeMap::new(),
        cwd: None,
    };
    let connection =
        mcp_wire::connect(&name(), Endpoint::Stdio(endpoint), &mcp_wire::ConnectSpec::within(DEADLINE)).await.unwrap();
    assert_eq!(connection.list(DEADLINE).await.unwrap().tools.len(), 1);
    connection.close().await;
}
