//! How a connection is made: everything about it that is not where the server is.

use std::sync::Arc;
use std::time::Duration;

use crate::credentials::Credentials;

/// How a connection is made.
#[derive(Clone)]
#[non_exhaustive]
pub struct ConnectSpec {
    /// The deadline for start, connection and handshake together.
    pub deadline: Duration,
    /// Who we say that we are.
    pub identity: Identity,
    /// Whether HTTP connections are kept for requests that may be sent twice. One that a server closed in the meantime makes it unknown
    /// whether a call ran, so actions never take one.
    pub pool: bool,
    /// Whether the server's notices are listened for: over HTTP that is a stream of its own.
    pub notices: bool,
    /// Where the credentials for each HTTP request come from, on top of the endpoint's headers.
    pub credentials: Option<Arc<dyn Credentials>>,
}

impl ConnectSpec {
    /// A connection for a listing and no more: nothing is kept open, and nobody listens.
    #[must_use]
    pub fn within(deadline: Duration) -> Self {
        Self { deadline, identity: Identity::default(), pool: false, notices: false, credentials: None }
    }
}

/// The name and the version that servers are told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the protocol's `clientInfo`, to build freely")]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
}

impl Default for Identity {
    fn default() -> Self {
        Self { name: "mcp-codegen".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}
