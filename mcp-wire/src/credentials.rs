//! Credentials that are asked for, shared by all requests of a connection, and asked for again when a server no longer takes them.
//!
//! Many calls can be turned away at once when a token ends. The first one asks for another; those that were sent with the same credential
//! wait for that answer and do not ask themselves.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use mcp_contract::config::ServerName;
use tokio::sync::Mutex;

use crate::error::WireErrorKind;

/// Gives the credentials of servers that are reached over HTTP.
pub trait Credentials: Send + Sync {
    /// The header for a server's requests, or none. It is asked once a connection, and again when the server answers 401: `challenge` is
    /// what its `WWW-Authenticate` said then, foreign text. Its error is shown to whoever called, so it must not hold a secret.
    fn header<'a>(&'a self, server: &'a str, challenge: Option<&'a str>) -> Asked<'a>;
}

/// An answer of [`Credentials`] under way.
pub type Asked<'a> = Pin<Box<dyn Future<Output = Result<Option<CredentialHeader>, CredentialError>> + Send + 'a>>;

/// Why there is no credential.
pub type CredentialError = Box<dyn std::error::Error + Send + Sync>;

/// A header that holds a credential. It is never shown.
#[derive(Clone)]
pub struct CredentialHeader {
    name: HeaderName,
    value: HeaderValue,
}

impl CredentialHeader {
    /// A bearer token in `Authorization`; `None` where it holds a character that a header cannot.
    #[must_use]
    pub fn bearer(token: &str) -> Option<Self> {
        Self::new("authorization", &format!("Bearer {token}"))
    }

    /// A header; `None` where name or value cannot be sent.
    #[must_use]
    pub fn new(name: &str, value: &str) -> Option<Self> {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        Some(Self { name, value })
    }
}

impl fmt::Debug for CredentialHeader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CredentialHeader").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The credential of one connection.
#[derive(Clone)]
pub(crate) struct Wallet {
    server: ServerName,
    source: Arc<dyn Credentials>,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    /// How often the source was asked.
    generation: u64,
    header: Option<CredentialHeader>,
}

/// A credential as it was when a request was sent.
#[derive(Clone, Default)]
pub(crate) struct Lent {
    generation: u64,
    header: Option<CredentialHeader>,
}

impl Lent {
    pub(crate) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        self.header.as_ref().map(|header| (header.name.clone(), header.value.clone()))
    }
}

impl Wallet {
    pub(crate) fn new(server: ServerName, source: Arc<dyn Credentials>) -> Self {
        Self { server, source, held: Arc::default() }
    }

    /// The credential for a request.
    pub(crate) async fn lend(&self) -> Result<Lent, WireErrorKind> {
        self.newer_than(0, None).await
    }

    /// Another one than `refused`, which the server did not take.
    pub(crate) async fn renew(&self, refused: &Lent, challenge: Option<&str>) -> Result<Lent, WireErrorKind> {
        self.newer_than(refused.generation, challenge).await
    }

    async fn newer_than(&self, generation: u64, challenge: Option<&str>) -> Result<Lent, WireErrorKind> {
        let mut held = self.held.lock().await;
        if held.generation <= generation {
            let asked = self.source.header(self.server.as_str(), challenge).await;
            held.header = asked.map_err(|error| WireErrorKind::NoCredential { reason: error.to_string() })?;
            held.generation += 1;
        }
        Ok(Lent { generation: held.generation, header: held.header.clone() })
    }
}
