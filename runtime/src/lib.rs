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

mod builder;
mod call;
mod client;
mod contract;
mod error;
mod importer;
mod in_process;
pub mod json;
mod live;
mod nullable;
mod reply;
mod tool;
mod typed;

pub use builder::Builder;
pub use client::{CallOptions, Client};
pub use contract::{Contract, ServerContract};
pub use error::{CallError, NotTyped, Peer, StartError};
pub use importer::{ImportedTool, Importer, Standing};
pub use in_process::{Answer, Answers, HandlerError, HandlerResult, IncomingCall, Serve, Serving, unimplemented};
pub use nullable::Nullable;
pub use reply::{Content, Reply};
pub use tool::{CallResult, Text, Tool};
pub use typed::Call;

pub use mcp_contract::admission::{AdmittedTool, Objection, Screen};
pub use mcp_contract::screen::{Fence, clean};
#[cfg(feature = "macros")]
pub use mcp_runtime_macros::mcp_import;
pub use mcp_wire::{Duplex, Progress, ProgressSink, WireError, WireErrorKind};
pub use serde_json::Value;

/// Serde, as generated code names it.
#[doc(hidden)]
pub use serde;
