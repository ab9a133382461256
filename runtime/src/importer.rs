//! The importer: all servers of a contract, and the calls to their tools.

use std::sync::Arc;

use mcp_contract::text::Shown;
use serde_json::Value;

use crate::actor::Actor;
use crate::agent::Agent;
use crate::builder::Builder;
use crate::call::Answer;
use crate::client::{CallOptions, Client};
use crate::contract::Contract;
use crate::error::CallError;
use crate::event::Events;
use crate::inside::{Inside, Refreshed};
use crate::reply::Reply;
use crate::server::LiveServer;
use crate::tool::ToolId;
use crate::tool_info::ImportedTool;

/// The servers of a contract. Clones share connections and registry; when the last one is gone and no action is under way, connections and
/// processes go too.
#[derive(Clone)]
pub struct Importer {
    inside: Arc<Inside>,
}

impl std::fmt::Debug for Importer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let servers: Vec<_> = self.inside.servers.iter().map(LiveServer::name).collect();
        out.debug_struct("Importer").field("servers", &servers).finish()
    }
}

impl Importer {
    /// An importer for a generated contract.
    #[must_use]
    pub fn builder(contract: Contract) -> Builder {
        Builder::new(contract)
    }

    pub(crate) fn of(inside: Arc<Inside>) -> Self {
        Self { inside }
    }

    /// Every imported tool, sorted by local name, whoever may use it and whether or not it can be called now. What a model may be shown is
    /// [`Agent::tools`].
    #[must_use]
    pub fn imported_tools(&self) -> Vec<ImportedTool> {
        let catalogue = self.inside.catalogue();
        let tool = |(_, (index, remote_name)): (&String, &(usize, String))| {
            let (shelf, live) = (&catalogue.shelves[*index], &self.inside.servers[*index]);
            let entry = &shelf.tools[remote_name];
            ImportedTool::imported(live.name(), &entry.tool, entry.kind, shelf.standing(entry))
        };
        catalogue.names.iter().map(tool).collect()
    }

    /// What an actor sees and may call.
    #[must_use]
    pub fn agent(&self, actor: Actor) -> Agent {
        Agent::new(Arc::clone(&self.inside), actor)
    }

    /// Calls a tool by its local name with JSON arguments, for an actor without name, roles and abilities: see [`Agent::call`].
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
        self.agent(Actor::default()).call(local_name, arguments, options).await
    }

    /// Calls the tool of a generated type.
    pub(crate) async fn call_typed(
        &self,
        tool: ToolId,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<Answer, CallError> {
        self.inside.call_typed(tool, arguments, options).await
    }

    /// Asks one server again what it offers, or all of them in parallel, and holds it to what was accepted.
    ///
    /// A tool that changed is withdrawn as far as the server's `drift` says, one that is what was accepted again comes back, one that is no
    /// longer listed is retired and its name goes to the next server that claims it. Tools that nobody accepted come in only where the
    /// configuration says `"follow"`. Each tool passes the same comparison, inspection and screens as at the start.
    ///
    /// A server that was out of reach is connected. One that cannot be asked changes nothing; one that lists nothing has all its tools
    /// withdrawn. Of two refreshes of one server the one that was asked later counts. An unknown name changes nothing and is a warning.
    /// Dropping the future leaves servers that have answered held to their answer.
    pub async fn refresh(&self, server: Option<&str>) -> Refreshed {
        let servers = &self.inside.servers;
        let named: Vec<usize> =
            (0..servers.len()).filter(|index| server.is_none_or(|name| servers[*index].name() == name)).collect();
        if let (Some(name), true) = (server, named.is_empty()) {
            let known: Vec<&str> = servers.iter().map(LiveServer::name).collect();
            tracing::warn!(server = %Shown(name), known = known.join(", "), "there is no such server to refresh");
        }
        let refreshes = named.into_iter().map(|index| self.inside.refresh_one(index));
        let mut sum = Refreshed::default();
        for refreshed in futures::future::join_all(refreshes).await {
            match refreshed {
                Ok(refreshed) => {
                    sum.registered += refreshed.registered;
                    sum.withdrawn += refreshed.withdrawn;
                }
                Err(error) => {
                    tracing::warn!(error = %error, "a server cannot be listed; its tools stay as they were");
                    sum.unreachable += 1;
                }
            }
        }
        sum
    }

    /// Listens to what happens from now on.
    #[must_use]
    pub fn events(&self) -> Events {
        self.inside.events.listen()
    }

    /// The calls of one server, for a generated client.
    #[must_use]
    pub fn client(&self, server: &'static str) -> Client {
        Client::new(self.clone(), server)
    }

    /// Closes all connections in parallel and ends the processes, within a few seconds whatever they do. Calls that are under way
    /// fail, and no connection is made any more. Dropping every clone of the importer instead ends the processes at once.
    pub async fn close(&self) {
        futures::future::join_all(self.inside.servers.iter().map(|live| live.link.close())).await;
    }
}
