//! The answer to a call, read as far as it must be understood to know whether the tool succeeded.

use mcp_contract::admission::AdmittedTool;
use mcp_contract::schema::Violation;
use serde_json::Value;

use crate::error::CallError;
use crate::reply::Reply;

/// A result object, and what is wrong with it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) result: Value,
    /// Where the structured content is not what the tool declares.
    pub(crate) violations: Vec<Violation>,
}

/// Reads the text of a result.
pub(super) fn read(tool: &AdmittedTool, text: String) -> Result<Answer, CallError> {
    let name = || tool.local_name().to_owned();
    let result: Value = match serde_json::from_str(&text) {
        Ok(result @ Value::Object(_)) => result,
        Ok(_) => {
            let reason = "a result must be an object".to_owned();
            return Err(CallError::Unreadable { tool: name(), reason, raw: text });
        }
        Err(error) => return Err(CallError::Unreadable { tool: name(), reason: error.to_string(), raw: text }),
    };
    match result.get("resultType").and_then(Value::as_str) {
        None | Some("complete") => {}
        Some(kind) => return Err(CallError::Unsupported { tool: name(), kind: kind.to_owned() }),
    }
    if result.get("task").is_some() && result.get("content").is_none() {
        return Err(CallError::Unsupported { tool: name(), kind: "task".to_owned() });
    }
    if result.get("isError") == Some(&Value::Bool(true)) {
        let reply = Reply::untyped_from(Answer { result, violations: Vec::new() });
        return Err(CallError::Tool { tool: name(), reply: Box::new(reply) });
    }
    let violations = violations(tool, &result);
    if let Some(first) = violations.first() {
        tracing::warn!(tool = tool.local_name(), violation = %first, "a result is not what the tool declares");
    }
    Ok(Answer { result, violations })
}

/// Holds structured content to the declared schema. What is wrong is told beside the result: the tool ran.
fn violations(tool: &AdmittedTool, result: &Value) -> Vec<Violation> {
    let Some(output) = tool.output() else { return Vec::new() };
    match result.get("structuredContent") {
        Some(structured) => output.violations(structured),
        None => vec![Violation::whole("it declares an output schema and sent no structured content".to_owned())],
    }
}
