//! From committed snapshots of MCP servers to typed, screened Rust.
//!
//! The library has one way through: [`Contract::load`] reads `servers.toml` and the snapshots beside it and decides what is
//! admitted, [`generate`] turns that into the texts of source files, [`write()`] puts them on disk where they changed. It opens no
//! socket and starts no process, but for the comparison that a [`Builder`] makes where its feature `pull` is on and the environment asks
//! for it.
//!
//! ```no_run
//! use std::path::Path;
//! let contract = mcp_codegen::Contract::load(Path::new("servers.toml"))?;
//! let generated = mcp_codegen::generate(&contract, &mcp_codegen::Options::default())?;
//! mcp_codegen::write(&contract.out(), &generated.files)?;
//! println!("{}", generated.summary);
//! # Ok::<(), mcp_codegen::Error>(())
//! ```

mod api;
mod builder;
mod contract;
mod docs;
mod emit;
mod error;
mod generate;
mod ident;
pub mod offline;
mod options;
#[cfg(feature = "pull")]
mod pull;
mod shape;
mod summary;
mod write;

pub use api::{ApiChange, Step, api_changes, step};
pub use builder::Builder;
#[cfg(feature = "pull")]
pub use builder::{OnDrift, Pull};
pub use contract::{Contract, Problem, ServerContract};
pub use error::Error;
pub use generate::{Generated, generate};
pub use options::Options;
pub use summary::{ServerSummary, Summary, Untyped};
pub use write::{SourceFiles, differences, replace, write};
