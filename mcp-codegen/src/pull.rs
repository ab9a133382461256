//! Asking the live servers, for a comparison in a build script.
//!
//! This is the one module of the library that reaches the network. Nothing that the macro calls names it.

use std::fmt;
use std::path::Path;

use mcp_contract::config::ServerName;
use mcp_contract::snapshot::Snapshot;
use mcp_wire::{Endpoint, Listed, WireError};

use crate::{Contract, Error, Options};

/// What a comparison found on one server.
#[derive(Debug)]
pub(crate) enum Finding {
    /// It offers something else than was accepted.
    Drift { server: ServerName, tools: Vec<String> },
    /// It could not be asked.
    OutOfReach(WireError),
}

impl Finding {
    pub(crate) fn is_drift(&self) -> bool {
        matches!(self, Self::Drift { .. })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drift { server, tools } => {
                let named = if tools.is_empty() { "what it says of itself".to_owned() } else { tools.join(", ") };
                write!(
                    out,
                    "server {server} no longer offers what was accepted ({named}); look at it with: mcp-codegen snapshot {server}"
                )
            }
            Self::OutOfReach(error) => error.fmt(out),
        }
    }
}

/// Lists all servers, each within its deadlines, and compares with the snapshots.
pub(crate) fn compare(package: &Path, options: &Options) -> Result<Vec<Finding>, Error> {
    let contract = Contract::load(&package.join(&options.config))?;
    let servers = contract.config.enabled().map(|server| Listed {
        server: server.name.clone(),
        endpoint: Endpoint::resolve(server, &contract.base, &|name| std::env::var(name).ok()),
        connect_timeout: server.connect_timeout,
        request_timeout: server.request_timeout,
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|source| Error::Io { action: "start a runtime for", path: package.to_owned(), source })?;
    let listings = runtime.block_on(mcp_wire::list_all(servers.collect()));
    runtime.shutdown_background();
    let findings = listings.into_iter().filter_map(|(name, listing)| {
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => return Some(Finding::OutOfReach(error)),
        };
        let server = contract.config.server(name.as_str())?;
        let accepted = &contract.servers.iter().find(|server| server.name == name)?.snapshot;
        let live = Snapshot::of(server, &listing, Some(accepted));
        (!accepted.same_offer(&live)).then(|| Finding::Drift { tools: changed(accepted, &live), server: name })
    });
    Ok(findings.collect())
}

/// The tools that are not what they were, for a message.
fn changed(accepted: &Snapshot, live: &Snapshot) -> Vec<String> {
    let names = accepted.tools.iter().chain(&live.tools).map(|tool| tool.definition.name());
    let names: std::collections::BTreeSet<&str> = names.collect();
    let digest = |snapshot: &Snapshot, name: &str| snapshot.tool(name).map(|tool| tool.definition.digest());
    let differs = |name: &&str| digest(accepted, name) != digest(live, name);
    names.into_iter().filter(differs).map(|name| mcp_contract::text::excerpt(name, 60)).collect()
}
