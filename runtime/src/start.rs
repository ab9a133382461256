//! From a builder to an importer: configuration, snapshots, names, and a first connection to each server that is not lazy.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

use mcp_contract::admission::{Inspection, Pins, inspect};
use mcp_contract::config::{Config, Connect, Server};
use mcp_contract::name::is_local_name;

use crate::builder::Builder;
use crate::error::StartError;
use crate::event::Teller;
use crate::host_tool::{HostTool, HostTools};
use crate::importer::Importer;
use crate::inside::Inside;
use crate::registry::{Catalogue, Shelf};
use crate::server::{LiveServer, Way};

impl Builder {
    /// Connects to all servers in parallel, except those that are lazy, and holds what they offer to the snapshots.
    ///
    /// A server that is out of reach costs its own tools, with a warning, unless it is `required`. Dropping the future ends the
    /// processes that were started.
    ///
    /// # Errors
    ///
    /// See [`StartError`].
    pub async fn start(mut self) -> Result<Importer, StartError> {
        let own = own_tools(std::mem::take(&mut self.own))?;
        let (servers, pinned) = self.servers()?;
        let reserved: BTreeSet<String> = own.keys().cloned().collect();
        let shelves = servers.iter().map(|live| shelf(live.accepted.clone())).collect();
        let inside = Inside {
            servers,
            own,
            hooks: self.hooks,
            events: Teller::default(),
            pinned,
            reserved,
            catalogue: RwLock::new(Arc::new(Catalogue { shelves, names: BTreeMap::new() })),
            applying: tokio::sync::Mutex::default(),
        };
        let now = inside.catalogue();
        let first = inside.settled(&now, None).await;
        inside.publish(&now, first);
        let inside = Arc::new(inside);
        let importer = Importer::of(Arc::clone(&inside));
        let eager = |index: &usize| inside.servers[*index].server.policies.connect == Connect::Eager;
        let eager: Vec<usize> = (0..inside.servers.len()).filter(eager).collect();
        let connected = futures::future::join_all(eager.iter().map(|index| inside.connection(*index))).await;
        for (index, connected) in eager.into_iter().zip(connected) {
            if let (Err(error), true) = (connected, inside.servers[index].server.required) {
                importer.close().await;
                return Err(StartError::Required(error));
            }
        }
        Ok(importer)
    }

    /// The servers that take part, with what was accepted of each, and the names that their snapshots pin.
    fn servers(&mut self) -> Result<(Vec<LiveServer>, Pins), StartError> {
        let config = Config::parse(self.contract.config, "servers.toml (embedded)")?;
        let known = || config.servers.iter().map(|server| server.name.to_string()).collect();
        if let Some(unknown) = self.overrides.keys().find(|name| config.server(name).is_none()) {
            return Err(StartError::UnknownServer { server: unknown.clone(), known: known() });
        }
        let mut servers = Vec::new();
        let mut pins = Pins::new();
        for mut server in config.servers {
            let mut overrides = self.overrides.remove(server.name.as_str()).unwrap_or_default();
            let (transport, credentials) = (overrides.transport.take(), overrides.credentials.clone());
            overrides.apply(&mut server)?;
            if !server.enabled {
                continue;
            }
            let Some(snapshot) = self.snapshot(&server)? else { continue };
            pins.insert(server.name.clone(), snapshot.pins());
            let accepted = inspect(&server, &snapshot.listing());
            let way = match transport {
                Some(transport) => Way::Custom(transport),
                None => Way::Configured { base: self.base.clone(), variables: Arc::clone(&self.variables) },
            };
            servers.push(LiveServer::new(server, accepted, way, self.identity.clone(), credentials));
        }
        Ok((servers, pins))
    }

    /// The embedded snapshot of a server, if it has one.
    fn snapshot(&self, server: &Server) -> Result<Option<mcp_contract::snapshot::Snapshot>, StartError> {
        let embedded = self.contract.servers.iter().find(|embedded| embedded.name == server.name.as_str());
        let Some(embedded) = embedded else {
            if server.required {
                return Err(StartError::NotGenerated { server: server.name.to_string() });
            }
            tracing::warn!(server = %server.name, "a server has no generated code; run: mcp-codegen generate");
            return Ok(None);
        };
        let unusable = |source| StartError::Snapshot { server: server.name.to_string(), source };
        embedded.snapshot().map(Some).map_err(unusable)
    }
}

/// The shelf of a server that was not asked yet: what was accepted stands.
fn shelf(accepted: Inspection) -> Shelf {
    Shelf { ticket: 0, out_of_reach: None, claims: accepted, tools: BTreeMap::new(), refused: BTreeMap::new() }
}

fn own_tools(tools: Vec<HostTool>) -> Result<HostTools, StartError> {
    let mut own = HostTools::new();
    for tool in tools {
        let refuse = |reason| StartError::OwnTool { name: tool.name.clone(), reason };
        if !is_local_name(&tool.name) {
            return Err(refuse("a name is a letter or `_`, then letters, digits, `_` and `-`, at most 64 characters"));
        }
        if own.contains_key(&tool.name) {
            return Err(refuse("there are two tools of this name"));
        }
        own.insert(tool.name.clone(), tool);
    }
    Ok(own)
}
