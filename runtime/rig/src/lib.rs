//! The tools of an [`Agent`] as tools of rig.
//!
//! Each call passes the same gates as [`Agent::call`], and what was issued again is issued again by the runtime alone: errors say that they are not to be
//! retried. A package of its own, because rig asks for a newer compiler than the runtime does.
//!
//! ```no_run
//! # async fn run(importer: mcp_runtime::Importer) {
//! let agent = importer.agent(mcp_runtime::Actor::new("assistant"));
//! let tools = mcp_runtime_rig::tools(&agent).await;
//! # let _ = tools;
//! # }
//! ```

use mcp_runtime::{Agent, CallError, CallOptions, Function, ImportedTool, Value};
use rig_core::completion::message::ToolName;
use rig_core::tool::{DynamicTool, ToolExecutionError, ToolOutput};

/// The tools that the actor may use now, in the order of their names. Made anew for each run, they follow what the servers offer.
pub async fn tools(agent: &Agent) -> Vec<DynamicTool> {
    let function = agent.function(CallOptions::default());
    agent.tools().await.into_iter().filter_map(|tool| one(tool, &function)).collect()
}

fn one(tool: ImportedTool, function: &Function) -> Option<DynamicTool> {
    let (name, function) = (tool.local_name, function.clone());
    // Every local name is one that rig takes: it is not empty.
    let known = ToolName::new(name.clone()).ok()?;
    let call = move |arguments: Value| -> rig_core::wasm_compat::WasmBoxedFuture<'static, _> {
        let called = function.call(name.clone(), arguments);
        Box::pin(async move { called.await.map(output).map_err(failure) })
    };
    Some(DynamicTool::new(known, tool.description.unwrap_or_default(), tool.input_schema, call))
}

fn output(value: Value) -> ToolOutput {
    match value {
        Value::String(text) => ToolOutput::text(text),
        other => ToolOutput::json(other),
    }
}

/// What went wrong, in words that a model may read: they are excerpts, and safe to show.
fn failure(error: CallError) -> ToolExecutionError {
    let told = error.to_string();
    match error {
        CallError::Forbidden { .. } | CallError::NotApproved { .. } => ToolExecutionError::refused(told),
        CallError::InvalidArguments { .. } => ToolExecutionError::invalid_args(told).with_retryable(false),
        other => ToolExecutionError::from_error(other).with_model_feedback(told).with_retryable(false),
    }
}
