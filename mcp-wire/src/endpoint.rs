//! Where a server is, with every variable resolved: what a connection needs and nothing else.
//!
//! Values in here are secrets. The types do not implement `Debug` by derivation, so that none of them can reach a log.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use mcp_contract::config::{Launch, Server, ServerName, Template};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::{WireError, WireErrorKind};

/// Both directions of a connection that somebody else made, such as an in-process pipe.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Where a server is.
pub enum Endpoint {
    /// A process to start.
    Stdio(StdioEndpoint),
    /// An address to connect to.
    Http(HttpEndpoint),
    /// A connection that exists already; it speaks MCP's stdio framing.
    Custom(Box<dyn Duplex>),
}

/// A process to start.
#[derive(Clone)]
pub struct StdioEndpoint {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables on top of the ones that are always passed on.
    pub env: BTreeMap<String, String>,
    /// The folder to start in.
    pub cwd: Option<PathBuf>,
}

/// An address to connect to.
#[derive(Clone)]
pub struct HttpEndpoint {
    /// The MCP endpoint.
    pub url: String,
    /// Headers for every request.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(endpoint) => endpoint.fmt(out),
            Self::Http(endpoint) => endpoint.fmt(out),
            Self::Custom(_) => out.write_str("Custom(..)"),
        }
    }
}

impl fmt::Debug for StdioEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.keys().collect();
        out.debug_struct("StdioEndpoint").field("command", &self.command).field("env", &names).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().collect();
        out.debug_struct("HttpEndpoint").field("headers", &names).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// The origin of an address, which holds no credential.
    pub(crate) fn origin(&self) -> Option<String> {
        match self {
            Self::Http(endpoint) => Some(reqwest::Url::parse(&endpoint.url).ok()?.origin().ascii_serialization()),
            Self::Stdio(_) | Self::Custom(_) => None,
        }
    }

    /// Resolves the variables of a configured server. `base` is the folder of `servers.toml`: a relative `cwd` starts
    /// there, and so does a process without one.
    ///
    /// # Errors
    ///
    /// [`WireErrorKind::UnsetVariable`], naming the variable and the key.
    pub fn resolve(server: &Server, base: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, WireError> {
        let resolver = Resolver { server: &server.name, lookup };
        match &server.launch {
            Launch::Stdio(launch) => {
                let args = launch.args.iter().map(|arg| resolver.one("args", arg)).collect::<Result<_, _>>()?;
                let cwd = launch.cwd.as_ref().map(|cwd| resolver.one("cwd", cwd)).transpose()?;
                Ok(Self::Stdio(StdioEndpoint {
                    command: launch.command.clone(),
                    args,
                    env: resolver.all("env", &launch.env)?,
                    // Without a folder of its own it starts where the file lies, whoever runs the command from wherever.
                    cwd: Some(cwd.map_or_else(|| base.to_owned(), |cwd| base.join(cwd))),
                }))
            }
            Launch::Http(launch) => Ok(Self::Http(HttpEndpoint {
                url: resolver.one("url", &launch.url)?,
                headers: resolver.all("headers", &launch.headers)?,
            })),
        }
    }
}

struct Resolver<'a> {
    server: &'a ServerName,
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl Resolver<'_> {
    fn one(&self, key: &str, template: &Template) -> Result<String, WireError> {
        template.resolve(self.lookup).map_err(|unset| {
            let kind = WireErrorKind::UnsetVariable { variable: unset.name, key: key.to_owned() };
            WireError::new(self.server.clone(), kind)
        })
    }

    fn all(&self, key: &str, templates: &BTreeMap<String, Template>) -> Result<BTreeMap<String, String>, WireError> {
        let resolve =
            |(name, template): (&String, &Template)| Ok((name.clone(), self.one(&format!("{key}.{name}"), template)?));
        templates.iter().map(resolve).collect()
    }
}
