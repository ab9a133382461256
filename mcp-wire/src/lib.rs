//! Talking to one MCP server, over stdio or streamable HTTP, with the raw replies kept.
//!
//! rmcp does the handshake, the lifecycle and the notifications; this crate owns the bytes beneath it. rmcp decodes a
//! listing as a whole and loses what it does not know, so an adapter sits on both transports and keeps the text of each
//! reply to *our* requests, while rmcp is handed a placeholder with the same id. That costs a coupling to rmcp's internals
//! (extensions travel with a request to the transport), which is why its version is pinned and a test fails when the
//! coupling breaks. No other library of this project names rmcp, and no type of
//! rmcp leaves this one, except with the feature `onward`, which is for that.

mod call;
mod connect;
mod connect_spec;
mod connection;
mod credentials;
mod endpoint;
mod error;
mod handler;
mod http;
mod http_failure;
mod interrupt;
mod list;
mod notices;
#[cfg(feature = "onward")]
pub mod onward;
mod pool;
mod post;
mod process;
mod raw;
mod sse;
mod stdio;

pub use call::{CallFailure, CallSpec, Progress, ProgressSink, Sent};
pub use connect::connect;
pub use connect_spec::{ConnectSpec, Identity};
pub use connection::Connection;
pub use credentials::{Asked, CredentialError, CredentialHeader, Credentials};
pub use endpoint::{Duplex, Endpoint, HttpEndpoint, StdioEndpoint};
pub use error::{WireError, WireErrorKind};
pub use list::{Listed, Listings, list_all, list_all_blocking};
pub use notices::Signals;

/// The longest single reply that is read, in bytes.
pub const MAX_REPLY: usize = 16 << 20;
