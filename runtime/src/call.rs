//! The way of one call: validate, issue once, decode, and say what a failure means.

use mcp_contract::admission::AdmittedTool;
use mcp_wire::{CallFailure, CallSpec, Connection, Sent, WireErrorKind};
use serde_json::Value;
use tracing::Instrument as _;

use crate::client::CallOptions;
use crate::error::{CallError, Peer};
use crate::live::LiveServer;
use crate::reply::Reply;

/// Issues a call once and gives its result object.
pub(crate) async fn issue(
    live: &LiveServer,
    connection: &Connection,
    tool: &AdmittedTool,
    arguments: Value,
    options: &CallOptions,
) -> Result<Value, CallError> {
    let name = tool.local_name();
    let arguments = validated(tool, arguments)?;
    let spec = CallSpec {
        timeout: options.timeout.unwrap_or(live.server.request_timeout),
        progress: options.progress.clone(),
    };
    let span = tracing::info_span!(
        "tools/call",
        "mcp.method.name" = "tools/call",
        "gen_ai.tool.name" = name,
        "mcp.server" = %live.server.name,
        key = options.key.as_deref(),
    );
    let answer = async {
        let answer = connection.call(tool.remote_name(), arguments, &spec).await;
        if let Err(failure) = &answer {
            tracing::warn!(error = %failure.error.kind, key = options.key.as_deref(), "a call failed");
        }
        answer
    };
    let text = answer.instrument(span).await.map_err(|failure| classify(name, failure))?;
    decode(name, text)
}

/// Holds the arguments to the accepted schema. No arguments at all is the same as none of them.
fn validated(tool: &AdmittedTool, arguments: Value) -> Result<serde_json::Map<String, Value>, CallError> {
    let arguments = if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
    let violations = tool.input().violations(&arguments);
    match arguments {
        Value::Object(arguments) if violations.is_empty() => Ok(arguments),
        _ => Err(CallError::InvalidArguments {
            tool: tool.local_name().to_owned(),
            violations: if violations.is_empty() { not_an_object() } else { violations },
        }),
    }
}

fn not_an_object() -> Vec<mcp_contract::schema::Violation> {
    vec![mcp_contract::schema::Violation::whole("arguments must be an object".to_owned())]
}

/// What a failure means: proof, claim, or neither.
fn classify(name: &str, failure: CallFailure) -> CallError {
    let tool = name.to_owned();
    let claim = match &*failure.error.kind {
        WireErrorKind::Peer { code: -32601 | -32602, .. } => Some(Peer::Server),
        WireErrorKind::Http { status: 401 | 403 | 404 | 429, .. } | WireErrorKind::SessionExpired => Some(Peer::Http),
        _ => None,
    };
    let source = Box::new(failure.error);
    match (failure.sent, claim) {
        (Sent::No, _) => CallError::NotSent { tool, source },
        (Sent::Perhaps, Some(by)) => CallError::Rejected { tool, by, source },
        (Sent::Perhaps, None) => CallError::OutcomeUnknown { tool, source },
    }
}

/// Reads a result object as far as it must be understood to know whether the tool succeeded.
fn decode(name: &str, text: String) -> Result<Value, CallError> {
    let tool = name.to_owned();
    let result: Value = match serde_json::from_str(&text) {
        Ok(result @ Value::Object(_)) => result,
        Ok(_) => {
            return Err(CallError::Unreadable { tool, reason: "a result must be an object".to_owned(), raw: text });
        }
        Err(error) => return Err(CallError::Unreadable { tool, reason: error.to_string(), raw: text }),
    };
    match result.get("resultType").and_then(Value::as_str) {
        None | Some("complete") => {}
        Some(kind) => return Err(CallError::Unsupported { tool, kind: kind.to_owned() }),
    }
    if result.get("task").is_some() && result.get("content").is_none() {
        return Err(CallError::Unsupported { tool, kind: "task".to_owned() });
    }
    if result.get("isError") == Some(&Value::Bool(true)) {
        return Err(CallError::Tool { tool, reply: Box::new(Reply::untyped_from(result)) });
    }
    Ok(result)
}
