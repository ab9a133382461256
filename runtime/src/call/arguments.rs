//! Holding arguments to the accepted schema before anything leaves.

use mcp_contract::admission::AdmittedTool;
use mcp_contract::schema::Violation;
use serde_json::{Map, Value};

use crate::error::CallError;

/// The arguments as an object that the schema takes. No arguments at all is the same as none of them.
pub(super) fn valid(tool: &AdmittedTool, arguments: Value) -> Result<Map<String, Value>, CallError> {
    let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    let mut violations = tool.input().violations(&arguments);
    match arguments {
        Value::Object(arguments) if violations.is_empty() => return Ok(arguments),
        Value::Object(_) => {}
        _ if violations.is_empty() => violations.push(Violation::whole("arguments must be an object".to_owned())),
        _ => {}
    }
    Err(CallError::InvalidArguments { tool: tool.local_name().to_owned(), violations })
}
