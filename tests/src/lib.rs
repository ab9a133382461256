//! What the end-to-end tests are built from: generated code, committed and compiled like a user's.
//!
//! `real` is the module that `mcp-codegen generate` wrote for the real servers of `fixtures/real`. It is compiled here as a part of a
//! library and, through the test binary, as a part of a binary, with warnings denied; a test holds it against a fresh generation.

/// The real servers.
#[path = "../fixtures/real/generated/mod.rs"]
pub mod real;
