//! Any two schemas of one tool: they are compared, an instance that is said to show a difference shows it, and a schema differs from
//! itself in nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_contract::definition::ToolDefinition;
use mcp_contract::drift::{Grade, compare_tool};
use mcp_contract::json::parse;
use mcp_contract::schema::CompiledSchema;

fuzz_target!(|text: &str| {
    // The second half edits the first: most of two schemas that are compared is alike.
    let (one, other) = text.split_once('\n').unwrap_or((text, text));
    let tool = |schema: &str| ToolDefinition::decode(&format!("{{\"name\":\"t\",\"inputSchema\":{schema}}}"));
    let (Ok(old), Ok(new)) = (tool(one), tool(other)) else { return };
    assert!(compare_tool(&old, &old).changes.is_empty());
    let drift = compare_tool(&old, &new);
    let compiled = |schema: &str| CompiledSchema::compile(&parse(schema).ok()?).ok();
    if let (Some(old), Some(new)) = (compiled(one), compiled(other)) {
        for change in drift.changes.iter().filter(|change| change.grade == Grade::Breaking) {
            if let Some(witness) = &change.witness {
                assert!(old.is_valid(witness) && !new.is_valid(witness), "{witness}");
            }
        }
    }
});
