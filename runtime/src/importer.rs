//! The importer: all servers of a contract, and the calls to their tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::builder::Builder;
use crate::call;
use crate::client::{CallOptions, Client};
use crate::contract::Contract;
use crate::error::{CallError, StartError};
use crate::live::LiveServer;
use crate::reply::Reply;
use crate::tool::ToolId;

/// The servers of a contract, connected. Clones share the connections.
#[derive(Clone)]
pub struct Importer {
    inside: Arc<Inside>,
}

struct Inside {
    servers: Vec<LiveServer>,
    /// Local name to server and remote name.
    names: BTreeMap<String, (usize, String)>,
    /// Held by the refresh that is under way: an older list must not come in after a newer one.
    refreshing: tokio::sync::Mutex<()>,
}

/// An imported tool, as [`Importer::imported_tools`] lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedTool {
    /// The name that a model sees.
    pub local_name: String,
    /// The server.
    pub server: String,
    /// The name that goes over the wire: foreign text.
    pub remote_name: String,
    /// The accepted description: foreign text.
    pub description: Option<String>,
    /// The accepted schema of its arguments.
    pub input_schema: Value,
    /// Whether it can be called now.
    pub standing: Standing,
}

/// Whether a tool can be called now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It can.
    Available,
    /// Its server changed it or lists it no longer; the text says which.
    Withdrawn(String),
    /// Its server is out of reach; the text says why.
    OutOfReach(String),
}

impl std::fmt::Debug for Importer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let servers: Vec<_> = self.inside.servers.iter().map(|live| live.server.name.as_str()).collect();
        out.debug_struct("Importer").field("servers", &servers).finish()
    }
}

impl Importer {
    /// An importer for a generated contract.
    #[must_use]
    pub fn builder(contract: Contract) -> Builder {
        Builder::new(contract)
    }

    pub(crate) async fn of(mut servers: Vec<LiveServer>) -> Result<Self, StartError> {
        let missing = servers.iter().position(|live| live.server.required && live.connection.is_err());
        if let Some(Err(error)) = missing.map(|missing| servers.remove(missing).connection) {
            close_all(&servers).await;
            return Err(StartError::Required(error));
        }
        let mut names = BTreeMap::new();
        for (index, live) in servers.iter().enumerate() {
            for (remote_name, live_tool) in &live.tools {
                names.insert(live_tool.tool.local_name().to_owned(), (index, remote_name.clone()));
            }
        }
        Ok(Self { inside: Arc::new(Inside { servers, names, refreshing: tokio::sync::Mutex::new(()) }) })
    }

    /// The imported tools, sorted by local name.
    #[must_use]
    pub fn imported_tools(&self) -> Vec<ImportedTool> {
        let tool = |(local_name, (index, remote_name)): (&String, &(usize, String))| {
            let live = &self.inside.servers[*index];
            let tool = &live.tools[remote_name].tool;
            ImportedTool {
                local_name: local_name.clone(),
                server: live.server.name.to_string(),
                remote_name: remote_name.clone(),
                description: tool.definition().description().map(str::to_owned),
                input_schema: tool.input().document().root().clone(),
                standing: self.standing(*index, remote_name),
            }
        };
        self.inside.names.iter().map(tool).collect()
    }

    fn standing(&self, server: usize, remote_name: &str) -> Standing {
        let live = &self.inside.servers[server];
        match (&live.connection, live.tools[remote_name].withdrawn()) {
            (Err(error), _) => Standing::OutOfReach(error.kind.to_string()),
            (Ok(_), Some(reason)) => Standing::Withdrawn(reason),
            (Ok(_), None) => Standing::Available,
        }
    }

    /// Calls a tool by its local name with JSON arguments: what a model asks for.
    ///
    /// The reply's output is what the model should see; see [`Reply::for_model`]. Dropping the future cancels the call on the wire;
    /// whether the tool runs on is the server's affair.
    ///
    /// # Errors
    ///
    /// See [`CallError`]: each variant says whether the tool can have run.
    pub async fn call(
        &self,
        local_name: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<Reply<Value>, CallError> {
        let unknown = || CallError::UnknownTool { name: local_name.to_owned() };
        let (index, remote_name) = self.inside.names.get(local_name).ok_or_else(unknown)?;
        let result = self.issue(*index, remote_name, arguments, &options).await?;
        Ok(Reply::untyped_from(result))
    }

    /// Calls the tool of a generated type.
    pub(crate) async fn call_tool(
        &self,
        tool: ToolId,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<Value, CallError> {
        let unavailable = |reason: String| CallError::Unavailable { tool: tool.local_name.to_owned(), reason };
        let index = self.inside.servers.iter().position(|live| live.server.name.as_str() == tool.server);
        let index = index.ok_or_else(|| {
            unavailable(format!(
                "server {} is not enabled, or not in the contract that the importer was made of",
                tool.server
            ))
        })?;
        let live = &self.inside.servers[index];
        if let Some(reason) = live.refused.get(tool.remote_name) {
            return Err(unavailable(reason.clone()));
        }
        if !live.tools.contains_key(tool.remote_name) {
            return Err(unavailable("it is not in the embedded contract; run: mcp-codegen generate".to_owned()));
        }
        self.issue(index, tool.remote_name, arguments, options).await
    }

    async fn issue(
        &self,
        index: usize,
        remote_name: &str,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<Value, CallError> {
        let live = &self.inside.servers[index];
        let live_tool = &live.tools[remote_name];
        let tool = &live_tool.tool;
        let unavailable = |reason: String| CallError::Unavailable { tool: tool.local_name().to_owned(), reason };
        let connection = live.connection.as_ref().map_err(|error| unavailable(error.to_string()))?;
        match live_tool.withdrawn() {
            Some(reason) => Err(unavailable(reason)),
            None => call::issue(live, connection, tool, arguments, options).await,
        }
    }

    /// Lists one server again, or all of them, and holds each tool to what its server says now: one that changed in any way that means
    /// something is withdrawn, one that is what was accepted again comes back. Gives the number of tools whose standing is another one.
    ///
    /// The comparison is the one that is made at the start (`mcp_contract::drift`), so that no definition that nobody accepted, and no
    /// screen has seen, reaches a model. A server that cannot be listed changes nothing, one that lists nothing has all its tools
    /// withdrawn. Refreshes wait for each other. A server that was out of reach at the start stays so. An unknown name changes nothing and is
    /// a warning. Dropping the future leaves servers that have answered held to their answer.
    pub async fn refresh(&self, server: Option<&str>) -> usize {
        let _order = self.inside.refreshing.lock().await;
        let servers = &self.inside.servers;
        let named: Vec<&LiveServer> =
            servers.iter().filter(|live| server.is_none_or(|name| live.server.name.as_str() == name)).collect();
        if let (Some(name), true) = (server, named.is_empty()) {
            let known: Vec<&str> = servers.iter().map(|live| live.server.name.as_str()).collect();
            tracing::warn!(server = name, known = known.join(", "), "there is no such server to refresh");
        }
        futures::future::join_all(named.into_iter().map(LiveServer::refresh)).await.into_iter().sum()
    }

    /// The calls of one server, for a generated client.
    #[must_use]
    pub fn client(&self, server: &'static str) -> Client {
        Client::new(self.clone(), server)
    }

    /// Closes all connections in parallel and ends the processes, within a few seconds whatever they do. Calls that are under way
    /// fail. Dropping every clone of the importer instead ends the processes at once.
    pub async fn close(&self) {
        close_all(&self.inside.servers).await;
    }
}

async fn close_all(servers: &[LiveServer]) {
    let connections = servers.iter().filter_map(|live| live.connection.as_ref().ok());
    futures::future::join_all(connections.map(mcp_wire::Connection::close)).await;
}
