//! A generated handler trait, served in process.
//!
//! The handler stands behind a pipe that speaks MCP's stdio framing, so that a test takes every step of a real call (validation,
//! encoding, the wire, decoding) and needs no process. The server half is small and understands what a client of ours sends.

mod call;
mod server;

pub use call::{Answer, Answers, HandlerError, HandlerResult, IncomingCall, Serve, Serving, unimplemented};
pub(crate) use server::pipe;
