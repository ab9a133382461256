//! What can go wrong between us and one server, told so that somebody can act on it.
//!
//! One error type for the whole crate: every failure names the server, and carries what its process said last, because
//! the reason of a failed start is nearly always on standard error.

use std::fmt;
use std::time::Duration;

use mcp_contract::config::ServerName;
use mcp_contract::text::{Shown, excerpt};

/// A failure of one server.
#[derive(Debug)]
pub struct WireError {
    /// The server.
    pub server: ServerName,
    /// The origin of its address, for a server that is reached by HTTP. Path and query may hold credentials and are left out.
    pub origin: Option<String>,
    /// What failed.
    pub kind: Box<WireErrorKind>,
    /// The last lines that its process wrote to standard error; foreign text.
    pub stderr: Vec<String>,
    /// Lines on standard output that were no messages; foreign text, at most the last few.
    pub noise: Vec<String>,
}

/// The kinds of failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// A variable that the configuration names is not set.
    UnsetVariable {
        /// The variable.
        variable: String,
        /// The key of `servers.toml` that names it.
        key: String,
    },
    /// A header's name or value cannot be sent.
    BadHeader {
        /// The header's name.
        name: String,
    },
    /// The address is not one.
    BadUrl,
    /// Whoever gives the credentials has none.
    NoCredential {
        /// Why.
        reason: String,
    },
    /// There is no such program.
    CommandNotFound {
        /// The program.
        command: String,
    },
    /// The folder that the process should start in does not exist.
    NoFolder {
        /// The folder.
        folder: std::path::PathBuf,
    },
    /// The program cannot be started.
    Spawn {
        /// The program.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// The process ended.
    Exited {
        /// Its exit status, in words.
        status: String,
    },
    /// The connection was not made in time.
    ConnectTimeout {
        /// The deadline.
        after: Duration,
    },
    /// The address cannot be reached.
    Unreachable {
        /// Why, from the innermost cause.
        reason: String,
    },
    /// An answer by HTTP that is no reply.
    Http {
        /// The status.
        status: u16,
        /// The `WWW-Authenticate` challenge, on 401 and 403.
        challenge: Option<String>,
        /// The `Retry-After` header.
        retry_after: Option<String>,
        /// The start of the body.
        body: String,
    },
    /// An answer by HTTP with another content type than MCP's.
    ContentType {
        /// The content type.
        found: Option<String>,
    },
    /// The session is gone.
    SessionExpired {
        /// The HTTP status that says so.
        status: u16,
    },
    /// The peer answered with a JSON-RPC error.
    Peer {
        /// The code.
        code: i64,
        /// The message: foreign text.
        message: String,
    },
    /// A request was not answered in time.
    RequestTimeout {
        /// The deadline.
        after: Duration,
    },
    /// The caller gave the request up.
    Abandoned,
    /// The connection ended before the answer.
    Lost {
        /// What is known of it.
        detail: String,
    },
    /// An answer that is longer than is read.
    ReplyTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// An answer that is no reply.
    Malformed {
        /// What is wrong with it.
        reason: String,
    },
    /// The listing never ends: a cursor came back that was there before.
    CursorRepeats {
        /// How many pages were read.
        pages: usize,
    },
    /// The listing is larger than is read.
    ListingTooLarge {
        /// What is counted.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The handshake failed in another way.
    Handshake {
        /// How.
        reason: String,
    },
}

impl WireError {
    /// A failure of which nothing but its kind is known.
    #[must_use]
    pub fn new(server: ServerName, kind: WireErrorKind) -> Self {
        Self { server, origin: None, kind: Box::new(kind), stderr: Vec::new(), noise: Vec::new() }
    }
}

impl std::error::Error for WireError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            WireErrorKind::Spawn { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "server {}", self.server)?;
        if let Some(origin) = &self.origin {
            write!(out, " at {}", Shown(origin))?;
        }
        write!(out, ": {}", self.kind)?;
        for (what, lines) in [("standard error", &self.stderr), ("standard output, no messages", &self.noise)] {
            if !lines.is_empty() {
                write!(out, "\n  its last words ({what}):")?;
                for line in lines {
                    write!(out, "\n    {}", excerpt(line, 300))?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for WireErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsetVariable { variable, key } => write!(
                out,
                "the environment variable {variable} is not set; `{key}` in servers.toml needs it (set it, or give it a \
                 fallback: ${{{variable}:-…}})"
            ),
            Self::BadHeader { name } => write!(
                out,
                "the header \"{}\" of `headers` cannot be sent: its name or its value holds a character that HTTP does not allow (a line break?)",
                Shown(name)
            ),
            Self::BadUrl => write!(out, "`url` is no HTTP address once its variables are resolved"),
            Self::NoCredential { reason } => write!(out, "there are no credentials for it: {}", excerpt(reason, 200)),
            Self::CommandNotFound { command } => write!(
                out,
                "the command \"{}\" was not found in PATH; install it, or give its path in `command`",
                Shown(command)
            ),
            Self::NoFolder { folder } => {
                write!(out, "the folder \"{}\" does not exist; `cwd` names it", Shown(&folder.display().to_string()))
            }
            Self::Spawn { command, source } => {
                write!(out, "cannot start \"{}\": {source}; is it a program that you may run?", Shown(command))
            }
            Self::Exited { status } => write!(out, "the process ended ({status}) instead of answering"),
            Self::ConnectTimeout { after } => {
                write!(out, "no handshake within {after:?}; a first start can take longer: raise `connect_timeout`")
            }
            Self::Unreachable { reason } => {
                write!(out, "cannot connect: {}; does the server run, and is `url` right?", Shown(reason))
            }
            Self::Http { status, challenge, body, retry_after } => {
                write!(out, "HTTP {status}{}", meaning(*status))?;
                if let Some(challenge) = challenge {
                    write!(out, "; challenge: {}", excerpt(challenge, 200))?;
                }
                if let Some(retry_after) = retry_after {
                    write!(out, "; retry after: {}", excerpt(retry_after, 40))?;
                }
                if body.is_empty() { Ok(()) } else { write!(out, "; it said: {}", excerpt(body, 200)) }
            }
            Self::ContentType { found } => {
                let found = found.as_deref().unwrap_or("none");
                write!(out, "the answer is no MCP (content type {}); is `url` the MCP endpoint?", excerpt(found, 80))
            }
            Self::SessionExpired { status } => {
                write!(out, "the server no longer knows the session (HTTP {status}); connect anew")
            }
            Self::Peer { code, message } => {
                write!(out, "the server answered with error {code}: {}", excerpt(message, 300))
            }
            Self::RequestTimeout { after } => {
                write!(out, "no answer within {after:?}; raise `request_timeout` if it may take longer")
            }
            Self::Abandoned => write!(out, "the caller gave it up"),
            Self::Lost { detail } => write!(out, "the connection ended before the answer: {}", Shown(detail)),
            Self::ReplyTooLarge { limit } => {
                write!(out, "the answer is longer than {} MiB and was not read", limit >> 20)
            }
            Self::Malformed { reason } => write!(out, "the answer is no reply: {}", excerpt(reason, 300)),
            Self::CursorRepeats { pages } => {
                write!(out, "the listing never ends: after {pages} pages a cursor came back that was there before")
            }
            Self::ListingTooLarge { what, limit } => write!(out, "the listing holds more than {limit} {what}"),
            Self::Handshake { reason } => write!(out, "the handshake failed: {}", excerpt(reason, 300)),
        }
    }
}

fn meaning(status: u16) -> &'static str {
    match status {
        300..=399 => " (it redirects, which is not followed: set `url` to the final address)",
        401 => " (it wants credentials: set `headers`, for example Authorization = \"Bearer ${TOKEN}\")",
        403 => " (it refuses these credentials: do they belong to this server, and may they do this?)",
        404 => " (nothing is served at this address: is `url` the MCP endpoint, often …/mcp?)",
        429 => " (too many requests: try again later)",
        _ => "",
    }
}
