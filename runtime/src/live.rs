//! One server at run time: its connection, and which of its accepted tools it still offers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use mcp_contract::admission::{AdmittedTool, ServerAdmission};
use mcp_contract::config::Server;
use mcp_contract::drift::{Decision, Policy, compare_tool, decide};
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::steadied;
use mcp_wire::{Connection, Endpoint, WireError};

use crate::builder::Transport;

/// How a server is reached.
pub(crate) enum Way<'a> {
    /// Through a connection of the host's.
    Custom(Transport),
    /// As the configuration says.
    Configured {
        /// The folder that a relative `cwd` starts from.
        base: &'a Path,
        /// Looks variables up.
        variables: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    },
}

/// A server that was started, or could not be.
pub(crate) struct LiveServer {
    pub(crate) server: Server,
    pub(crate) tools: BTreeMap<String, LiveTool>,
    /// Why tools of the contract are refused here, by remote name.
    pub(crate) refused: BTreeMap<String, String>,
    pub(crate) connection: Result<Connection, WireError>,
}

/// An accepted tool, and what its server says of it now.
pub(crate) struct LiveTool {
    pub(crate) tool: AdmittedTool,
    /// Why it is withdrawn, if it is.
    withdrawn: RwLock<Option<String>>,
}

impl LiveTool {
    /// Why it is withdrawn, if it is.
    pub(crate) fn withdrawn(&self) -> Option<String> {
        self.withdrawn.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Holds the tool to a listing; whether its standing is another one.
    fn hold_to(&self, server: &Server, listing: &Listing) -> bool {
        let now = withdrawal(server, &self.tool, listing);
        let mut withdrawn = self.withdrawn.write().unwrap_or_else(PoisonError::into_inner);
        let moved = withdrawn.is_some() != now.is_some();
        match (&now, moved) {
            (Some(reason), true) => {
                tracing::warn!(server = %server.name, tool = self.tool.local_name(), reason, "a tool is withdrawn");
            }
            (None, true) => {
                tracing::info!(server = %server.name, tool = self.tool.local_name(), "a tool is what was accepted again");
            }
            _ => {}
        }
        *withdrawn = now;
        moved
    }
}

impl LiveServer {
    /// Connects, lists, and compares the listing with what was accepted.
    pub(crate) async fn start(server: Server, admission: ServerAdmission, way: Way<'_>) -> Self {
        let connected = connect(&server, way).await;
        let (connection, listing) = match connected {
            Ok((connection, listing)) => (Ok(connection), Some(listing)),
            Err(error) => {
                tracing::warn!(server = %server.name, error = %error, "a server is out of reach; its tools are not available");
                (Err(error), None)
            }
        };
        let tools = admission
            .admitted
            .into_iter()
            .map(|tool| {
                let live = LiveTool { tool, withdrawn: RwLock::new(None) };
                if let Some(listing) = &listing {
                    live.hold_to(&server, listing);
                }
                (live.tool.remote_name().to_owned(), live)
            })
            .collect();
        let refused = admission.refused.into_iter();
        let refused = refused.map(|refused| (refused.remote_name, refused.reason.to_string())).collect();
        Self { server, tools, refused, connection }
    }
}

impl LiveServer {
    /// Lists again, and holds each tool to what is listed now; how many of them have another standing. Where the server does not answer,
    /// everything stays as it is.
    pub(crate) async fn refresh(&self) -> usize {
        let Ok(connection) = &self.connection else { return 0 };
        match connection.list(self.server.request_timeout).await {
            Ok(listing) => self.tools.values().filter(|tool| tool.hold_to(&self.server, &listing)).count(),
            Err(error) => {
                tracing::warn!(server = %self.server.name, error = %error, "a server cannot be listed; its tools stay as they were");
                0
            }
        }
    }
}

async fn connect(server: &Server, way: Way<'_>) -> Result<(Connection, Listing), WireError> {
    let endpoint = match way {
        Way::Custom(transport) => Endpoint::Custom(transport()),
        Way::Configured { base, variables } => Endpoint::resolve(server, base, &|name| variables(name))?,
    };
    let connection = mcp_wire::connect(&server.name, endpoint, server.connect_timeout).await?;
    match connection.list(server.request_timeout).await {
        Ok(listing) => Ok((connection, listing)),
        Err(error) => {
            connection.close().await;
            Err(error)
        }
    }
}

/// Why a tool is not offered as it was accepted.
fn withdrawal(server: &Server, tool: &AdmittedTool, listing: &Listing) -> Option<String> {
    let mut listed = listing.tools.iter().filter(|listed| listed.name() == tool.remote_name()).peekable();
    if listed.peek().is_none() {
        let review = format!("look at the change with: mcp-codegen snapshot {}", server.name);
        return Some(format!("the server no longer lists it; {review}"));
    }
    // Of a name that is listed twice, each definition counts.
    listed.find_map(|listed| {
        let now = steadied(server, listed, tool.definition());
        match decide(Policy::Quarantine, server.name.as_str(), &compare_tool(tool.definition(), &now)) {
            Decision::Withdraw(withdrawal) => Some(withdrawal.to_string()),
            _ => None,
        }
    })
}
