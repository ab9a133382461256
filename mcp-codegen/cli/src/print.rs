//! JSON on a terminal: what hides in a string is spelled out, which no parser minds.

use std::io::Write;

use mcp_contract::json::Json;
use serde_json::Value;

/// Prints a value over several lines.
pub(crate) fn json(value: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}", Json::from(value).to_pretty())
}
