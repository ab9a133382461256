//! Tools in rmcp's own type, for a program that serves a catalogue onward with rmcp.
//!
//! The only place where a type of rmcp leaves this crate, and only with the feature that is for it: whoever takes it takes rmcp's version with
//! it.

pub use rmcp::model::Tool;

/// Reads a definition as rmcp's type.
///
/// # Errors
///
/// The definition has no shape that rmcp knows.
pub fn tool(definition: serde_json::Value) -> Result<Tool, serde_json::Error> {
    serde_json::from_value(definition)
}
