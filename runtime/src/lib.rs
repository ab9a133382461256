//! The small runtime beneath generated code: connect, compare, validate, call, decode.
//!
//! A program names its generated contract and starts an [`Importer`]; typed clients and calls by local name go through it. What a server
//! offers is held to the snapshot that was accepted at build time: arguments are validated against the snapshot's schema before
//! anything leaves, and a tool whose live definition differs is withdrawn until somebody has looked.
//!
//! ```no_run
//! # mod mcp { pub const CONTRACT: mcp_runtime::Contract = mcp_runtime::Contract { config: "", servers: &[] }; }
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let importer = mcp_runtime::Importer::builder(mcp::CONTRACT).start().await?;
//! let reply = importer.call("github_create_issue", serde_json::json!({"title": "…"}), Default::default()).await?;
//! println!("{}", reply.text());
//! importer.close().await;
//! # Ok(())
//! # }
//! ```

#![allow(
    clippy::similar_names,
    reason = "what is refreshed, and a shelf beside self, are told apart by those who read"
)]

mod actor;
mod agent;
mod approval;
mod builder;
mod call;
mod client;
mod connecting;
mod contract;
mod error;
mod event;
mod function;
mod hooks;
mod host_tool;
mod importer;
mod in_process;
mod inside;
pub mod json;
mod link;
mod nullable;
mod outcome;
mod overrides;
mod registry;
mod reply;
mod server;
mod shelving;
mod specs;
mod start;
#[cfg(feature = "testing")]
pub mod testing;
mod tool;
mod tool_info;
mod typed;

pub use actor::Actor;
pub use agent::Agent;
pub use approval::{Answering, Approval, ApprovalRequest, Approver};
pub use builder::Builder;
pub use client::{CallOptions, Client};
pub use contract::{Contract, ServerContract};
pub use error::{CallError, NotTyped, Peer, StartError};
pub use event::{Event, Events};
pub use function::{Calling, Function};
pub use host_tool::HostTool;
pub use importer::Importer;
pub use in_process::{Answer, Answers, HandlerError, HandlerResult, IncomingCall, Serve, Serving, unimplemented};
pub use inside::Refreshed;
pub use nullable::Nullable;
pub use outcome::{Outcome, is_not_sent, is_transient};
pub use reply::{Content, Reply};
#[cfg(feature = "rmcp")]
pub use specs::rmcp_tools;
pub use specs::{Provider, SpecFinding, Specifications, specifications};
pub use tool::{CallResult, Text, Tool};
pub use tool_info::{ImportedTool, Standing};
pub use typed::Call;

pub use mcp_contract::admission::{AdmittedTool, Objection, Screen};
pub use mcp_contract::config::Kind;
pub use mcp_contract::definition::Annotations;
pub use mcp_contract::schema::Violation;
pub use mcp_contract::screen::{Fence, clean};
#[cfg(feature = "macros")]
pub use mcp_runtime_macros::mcp_import;
pub use mcp_wire::{
    Asked, CredentialError, CredentialHeader, Credentials, Duplex, Progress, ProgressSink, WireError, WireErrorKind,
};
pub use serde_json::Value;

/// Serde, as generated code names it.
#[doc(hidden)]
pub use serde;
