//! What an MCP server offers, and whether we take it.
//!
//! This crate holds every decision that must be the same in a build script, in the command line and at run time: how
//! `servers.toml` is read, how a tool definition is decoded, which tools are admitted under which names, and what a
//! snapshot on disk looks like. It is pure on purpose (no async, no sockets, no processes), so that each decision can
//! be tested, fuzzed and benchmarked alone; the price is that callers carry bytes in and out themselves.
//!
//! The way of the data, and the module that owns each step:
//!
//! ```text
//! servers.toml ── config ──┐
//! tools/list ── definition ─┴─ admission ── snapshot ── (generated code, runtime)
//!                               │  schema, pattern, screen, name
//! two listings ── compat ── drift ── a graded change
//! ```

pub mod admission;
pub mod compat;
pub mod config;
pub mod definition;
pub mod drift;
pub mod json;
pub mod listing;
pub mod name;
pub mod pattern;
pub mod schema;
pub mod screen;
pub mod snapshot;
pub mod text;
