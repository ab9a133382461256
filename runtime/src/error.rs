//! What can go wrong at start and in a call, told apart by what it means for the caller.

use std::sync::Arc;

use mcp_contract::config::ConfigError;
use mcp_contract::schema::Violation;
use mcp_contract::snapshot::SnapshotError;
use mcp_contract::text::{Shown, excerpt};
use mcp_wire::WireError;
use serde_json::Value;

use crate::reply::Reply;

/// Why an importer does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The embedded configuration has problems.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An embedded snapshot does not fit itself; generated code and snapshot were not committed together.
    #[error("server {server}: the embedded snapshot cannot be used: {source}; run: mcp-codegen check")]
    Snapshot {
        /// The server.
        server: String,
        /// Why.
        source: SnapshotError,
    },
    /// An override names a server that the configuration does not have.
    #[error("there is no server \"{}\" in servers.toml; there are: {}", Shown(.server), .known.join(", "))]
    UnknownServer {
        /// The name.
        server: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// An override is of the other transport: a variable for a server that is reached over HTTP, or a header for a process.
    #[error("server {server}: `{key}` was overridden, and its transport has none; it belongs to {belongs_to}")]
    OtherTransport {
        /// The server.
        server: String,
        /// `env` or `headers`.
        key: &'static str,
        /// What has it.
        belongs_to: &'static str,
    },
    /// A server with `required = true` has no generated code.
    #[error(
        "the required server {server} has no generated code; run: mcp-codegen snapshot {server} && mcp-codegen generate"
    )]
    NotGenerated {
        /// The server.
        server: String,
    },
    /// A server with `required = true` is out of reach.
    #[error("a required server is out of reach: {0}")]
    Required(Arc<WireError>),
    /// Two of the host's own tools have one name, or a name that models cannot use.
    #[error("the host's own tool \"{}\" cannot be registered: {reason}", Shown(.name))]
    OwnTool {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
}

/// Who turned a call away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Peer {
    /// The server, by a JSON-RPC error.
    Server,
    /// Whoever answers HTTP for it: the server or something before it.
    Http,
}

/// A call without a usable result. Each variant says whether the tool can have run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No imported tool has this name. Nothing was sent.
    #[error("there is no tool \"{}\"; `imported_tools` lists those that there are", Shown(.name))]
    UnknownTool {
        /// The name.
        name: String,
    },
    /// The tool is not offered now. Nothing was sent.
    #[error("the tool {tool} is not available: {reason}")]
    Unavailable {
        /// The local name.
        tool: String,
        /// Why, and what mends it.
        reason: String,
    },
    /// Whoever asks may not use the tool. Nothing was sent.
    #[error("the tool {tool} is not for this caller: {reason}")]
    Forbidden {
        /// The local name.
        tool: String,
        /// What is missing.
        reason: String,
    },
    /// The tool is an action, and it was not approved. Nothing was sent.
    #[error("the action {tool} was not approved: {reason}")]
    NotApproved {
        /// The local name.
        tool: String,
        /// Why not.
        reason: String,
    },
    /// The tool is an action, and nobody has decided yet. Nothing was sent; the host issues the call again when somebody has.
    #[error("the action {tool} waits for approval: {reason}")]
    AwaitsApproval {
        /// The local name.
        tool: String,
        /// What is waited for.
        reason: String,
        /// The request's [`fingerprint`](crate::ApprovalRequest::fingerprint).
        fingerprint: String,
    },
    /// The arguments do not fit the accepted schema. Nothing was sent.
    #[error("the arguments of {tool} are not valid: {}", join(.violations))]
    InvalidArguments {
        /// The local name.
        tool: String,
        /// What is wrong, and where.
        violations: Vec<Violation>,
    },
    /// The tool ran and says that it failed.
    #[error("the tool {tool} failed: {}", failure(.reply))]
    Tool {
        /// The local name.
        tool: String,
        /// Its answer: foreign text.
        reply: Box<Reply<Value>>,
    },
    /// The call did not leave; that is proved on our side of the wire.
    #[error("the call of {tool} was not sent: {source}")]
    NotSent {
        /// The local name.
        tool: String,
        /// What happened.
        source: Arc<WireError>,
    },
    /// The other side claims that it did not run the tool. It is a claim, not a proof.
    #[error("the call of {tool} was turned away: {source}")]
    Rejected {
        /// The local name.
        tool: String,
        /// Who says so.
        by: Peer,
        /// What it said.
        source: Arc<WireError>,
    },
    /// The answer was lost: the tool may have run.
    #[error("it is not known whether {tool} ran: {source}")]
    OutcomeUnknown {
        /// The local name.
        tool: String,
        /// What happened.
        source: Arc<WireError>,
    },
    /// The tool answered with something that is no result: it most likely ran.
    #[error("the answer of {tool} cannot be read: {reason}")]
    Unreadable {
        /// The local name.
        tool: String,
        /// Why.
        reason: String,
        /// The text of the answer.
        raw: String,
    },
    /// The server wants more than a call gives (further input, or a task), which is not supported.
    #[error("the server answered {tool} with \"{}\", which is not supported", Shown(.kind))]
    Unsupported {
        /// The local name.
        tool: String,
        /// The kind of result.
        kind: String,
    },
}

/// A result that does not have the declared type.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the result does not have the declared type: {reason}")]
pub struct NotTyped {
    reason: String,
    result: Box<Value>,
}

impl NotTyped {
    pub(crate) fn new(reason: &str, result: Value) -> Self {
        Self { reason: excerpt(reason, 300), result: Box::new(result) }
    }

    /// The result object as it came.
    pub fn result(&self) -> &Value {
        &self.result
    }
}

fn join(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn failure(reply: &Reply<Value>) -> String {
    let text = reply.text();
    if text.trim().is_empty() { "it gives no reason".to_owned() } else { excerpt(text.trim(), 500) }
}
