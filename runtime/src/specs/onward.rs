//! Tools in rmcp's own type, so that a catalogue that was gated here can be served onward with rmcp (feature `rmcp`).

use mcp_wire::onward::Tool;
use serde_json::{Map, Value, json};

use crate::tool_info::ImportedTool;

/// The tools as rmcp has them, under their local names, in the order of `tools`. Hints are passed on: they are still the server's word.
///
/// A tool whose schema rmcp cannot hold is left out, with a warning; what was admitted has an object there.
#[must_use]
pub fn rmcp_tools(tools: &[ImportedTool]) -> Vec<Tool> {
    tools
        .iter()
        .filter_map(|tool| {
            mcp_wire::onward::tool(definition(tool))
                .inspect_err(|error| tracing::warn!(tool = tool.local_name, %error, "a tool cannot be served onward"))
                .ok()
        })
        .collect()
}

fn definition(tool: &ImportedTool) -> Value {
    let mut definition = json!({"name": tool.local_name, "inputSchema": tool.input_schema});
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            definition[name] = value;
        }
    };
    set("title", tool.title.clone().map(Value::from));
    set("description", tool.description.clone().map(Value::from));
    set("outputSchema", tool.output_schema.clone());
    let hints = [
        ("readOnlyHint", tool.annotations.read_only),
        ("destructiveHint", tool.annotations.destructive),
        ("idempotentHint", tool.annotations.idempotent),
        ("openWorldHint", tool.annotations.open_world),
    ];
    let hints: Map<String, Value> =
        hints.into_iter().filter_map(|(name, hint)| Some((name.to_owned(), Value::Bool(hint?)))).collect();
    set("annotations", (!hints.is_empty()).then_some(Value::Object(hints)));
    definition
}
