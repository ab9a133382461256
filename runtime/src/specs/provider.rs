//! The shapes of the providers' requests.

use serde_json::{Value, json};

use super::check::{SpecFinding, check};
use crate::tool_info::ImportedTool;

/// Whose request the tools are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// `OpenAI`'s Responses API.
    OpenAiResponses,
    /// `OpenAI`'s Chat Completions API, and the many that speak it.
    OpenAiChat,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
}

/// Tools for a request, and what its provider would refuse.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Specifications {
    /// The value of the request's `tools`, in the order of the tools.
    pub tools: Value,
    /// What the provider would refuse, in the order of the tools.
    pub findings: Vec<SpecFinding>,
}

/// Makes the `tools` of a request. The order is that of `tools`, which [`Agent::tools`](crate::Agent::tools) sorts by name: equal lists give
/// equal bytes, so that a provider's cache of the prompt holds.
///
/// ```no_run
/// use mcp_runtime::{Actor, Importer, Provider, specifications};
/// # async fn run(importer: Importer) {
/// let tools = importer.agent(Actor::new("assistant")).tools().await;
/// let request = specifications(Provider::Anthropic, &tools);
/// for finding in &request.findings {
///     eprintln!("{finding}");
/// }
/// // serde_json::json!({"model": "…", "messages": […], "tools": request.tools})
/// # }
/// ```
#[must_use]
pub fn specifications(provider: Provider, tools: &[ImportedTool]) -> Specifications {
    let findings = check(provider, tools);
    let each = tools.iter().map(|tool| one(provider, tool));
    let tools = match provider {
        // All functions stand in one tool.
        Provider::Gemini if tools.is_empty() => json!([]),
        Provider::Gemini => json!([{"functionDeclarations": each.collect::<Vec<_>>()}]),
        _ => Value::Array(each.collect()),
    };
    Specifications { tools, findings }
}

fn one(provider: Provider, tool: &ImportedTool) -> Value {
    let name = &tool.local_name;
    let description = tool.description.as_deref().unwrap_or_default();
    let schema = &tool.input_schema;
    match provider {
        // Strict is the default of this API, and would refuse most schemas.
        Provider::OpenAiResponses => {
            json!({"type": "function", "name": name, "description": description, "parameters": schema, "strict": false})
        }
        Provider::OpenAiChat => {
            json!({"type": "function", "function": {"name": name, "description": description, "parameters": schema}})
        }
        Provider::Anthropic => json!({"name": name, "description": description, "input_schema": schema}),
        Provider::Gemini => json!({"name": name, "description": description, "parametersJsonSchema": schema}),
    }
}
