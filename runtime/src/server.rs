//! One server at run time: how it is reached, and what was accepted of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_contract::admission::Inspection;
use mcp_contract::config::{Launch, Server};
use mcp_wire::{ConnectSpec, Credentials, Duplex, Endpoint, Identity, WireError};

use crate::link::Link;

/// Makes a connection to a server that is not reached as the configuration says.
pub(crate) type Transport = Arc<dyn Fn() -> Box<dyn Duplex> + Send + Sync>;

/// Looks a variable up.
pub(crate) type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// How a server is reached. It is asked anew for each connection: a transport that was closed is never used again.
#[derive(Clone)]
pub(crate) enum Way {
    /// Through a connection of the host's.
    Custom(Transport),
    /// As the configuration says.
    Configured {
        /// The folder that a relative `cwd` starts from.
        base: PathBuf,
        /// Looks variables up.
        variables: Variables,
    },
}

/// A server of the contract.
pub(crate) struct LiveServer {
    pub(crate) server: Server,
    pub(crate) link: Link,
    /// The tools that were accepted, inspected again.
    pub(crate) accepted: Inspection,
    pub(crate) way: Way,
    pub(crate) identity: Identity,
    pub(crate) credentials: Option<Arc<dyn Credentials>>,
    /// How many listings were asked for.
    listings: AtomicU64,
}

impl LiveServer {
    pub(crate) fn new(
        server: Server,
        accepted: Inspection,
        way: Way,
        identity: Identity,
        credentials: Option<Arc<dyn Credentials>>,
    ) -> Self {
        let (link, listings) = (Link::default(), AtomicU64::new(0));
        Self { server, link, accepted, way, identity, credentials, listings }
    }

    /// The number of a listing that is about to be asked for: whatever has a lower one is older.
    pub(crate) fn ticket(&self) -> u64 {
        self.listings.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Where the server is now, with every variable resolved.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, WireError> {
        match &self.way {
            Way::Custom(transport) => Ok(Endpoint::Custom(transport())),
            Way::Configured { base, variables } => Endpoint::resolve(&self.server, base, &|name| variables(name)),
        }
    }

    pub(crate) fn connect_spec(&self) -> ConnectSpec {
        let mut spec = ConnectSpec::within(self.server.connect_timeout);
        spec.identity = self.identity.clone();
        spec.pool = self.server.policies.pool.unwrap_or(true);
        spec.notices = true;
        spec.credentials.clone_from(&self.credentials);
        spec
    }

    /// Whether each request goes its own way, so that one that is not answered says nothing about the next.
    pub(crate) fn is_http(&self) -> bool {
        matches!(self.way, Way::Configured { .. }) && matches!(self.server.launch, Launch::Http(_))
    }

    pub(crate) fn name(&self) -> &str {
        self.server.name.as_str()
    }
}
