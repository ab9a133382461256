//! What providers are known to refuse, from their documentation and from the errors that they answer.

use std::fmt;

use mcp_contract::json::Pointer;
use serde_json::Value;

use super::provider::Provider;
use crate::tool_info::ImportedTool;

/// The most functions that `OpenAI` takes in a request.
const MOST_FUNCTIONS: usize = 128;

/// The longest description of a function that `OpenAI` takes, in characters.
const LONGEST_DESCRIPTION: usize = 1024;

/// The keywords of JSON Schema that Gemini's `parametersJsonSchema` knows.
const GEMINI: &[&str] = &[
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "$schema",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "default",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];

/// Something that a provider would refuse or not look at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecFinding {
    /// The tool's local name; empty where it is about all of them.
    pub tool: String,
    /// Where in the tool's schema.
    pub pointer: Pointer,
    /// What the provider makes of it.
    pub message: String,
}

impl fmt::Display for SpecFinding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tool.as_str() {
            "" => out.write_str(&self.message),
            tool => write!(out, "{tool}: inputSchema{}: {}", self.pointer.as_str(), self.message),
        }
    }
}

pub(super) fn check(provider: Provider, tools: &[ImportedTool]) -> Vec<SpecFinding> {
    let mut findings = Vec::new();
    let openai = matches!(provider, Provider::OpenAiResponses | Provider::OpenAiChat);
    if openai && tools.len() > MOST_FUNCTIONS {
        findings.push(SpecFinding {
            tool: String::new(),
            pointer: Pointer::root(),
            message: format!("{} tools, and a request takes {MOST_FUNCTIONS}: narrow the actor's list", tools.len()),
        });
    }
    for tool in tools {
        let mut tell = |pointer: &Pointer, message: String| {
            findings.push(SpecFinding { tool: tool.local_name.clone(), pointer: pointer.clone(), message });
        };
        if openai && tool.description.as_ref().is_some_and(|text| text.chars().count() > LONGEST_DESCRIPTION) {
            tell(&Pointer::root(), format!("the description is longer than {LONGEST_DESCRIPTION} characters"));
        }
        root(provider, &tool.input_schema, &mut tell);
        walk(&Pointer::root(), &tool.input_schema, &mut |pointer, schema| sub(provider, pointer, schema, &mut tell));
    }
    findings
}

/// What the outermost schema must be.
fn root(provider: Provider, schema: &Value, tell: &mut impl FnMut(&Pointer, String)) {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        tell(&Pointer::root().key("type"), "the outermost type must be \"object\"".to_owned());
    }
    let refused: &[&str] = match provider {
        Provider::OpenAiResponses | Provider::OpenAiChat => &["oneOf", "anyOf", "allOf", "enum", "not"],
        Provider::Anthropic => &["oneOf", "anyOf", "allOf"],
        Provider::Gemini => &[],
    };
    for word in refused.iter().filter(|word| schema.get(**word).is_some()) {
        tell(&Pointer::root().key(word), format!("`{word}` is refused at the top level"));
    }
}

/// What any schema may hold.
fn sub(provider: Provider, pointer: &Pointer, schema: &Value, tell: &mut impl FnMut(&Pointer, String)) {
    let Some(members) = schema.as_object() else { return };
    match provider {
        Provider::OpenAiResponses | Provider::OpenAiChat => {
            let is_array = members.get("type").and_then(Value::as_str) == Some("array");
            if is_array && !members.contains_key("items") && !members.contains_key("prefixItems") {
                tell(pointer, "an array without `items` is refused".to_owned());
            }
        }
        Provider::Anthropic => {
            for name in members.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys()) {
                let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
                if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
                    let at = pointer.key("properties").key(name);
                    tell(&at, "a property's name must be 1 to 64 letters, digits, `_`, `.` and `-`".to_owned());
                }
            }
        }
        Provider::Gemini => {
            for word in members.keys().filter(|word| !GEMINI.contains(&word.as_str()) && !word.starts_with("x-")) {
                tell(&pointer.key(word), "a keyword that the provider does not know".to_owned());
            }
            let beside = members.contains_key("$ref") && members.keys().any(|word| !word.starts_with('$'));
            if beside {
                tell(&pointer.key("$ref"), "nothing may stand beside `$ref`".to_owned());
            }
        }
    }
}

/// Goes to every schema in a schema. The document was bounded when the tool was admitted.
fn walk(pointer: &Pointer, schema: &Value, visit: &mut impl FnMut(&Pointer, &Value)) {
    let mut pending = vec![(pointer.clone(), schema)];
    while let Some((pointer, schema)) = pending.pop() {
        visit(&pointer, schema);
        let Some(members) = schema.as_object() else { continue };
        for (word, value) in members {
            let at = pointer.key(word);
            match (word.as_str(), value) {
                (
                    "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                    Value::Object(all),
                ) => {
                    pending.extend(all.iter().map(|(name, schema)| (at.key(name), schema)));
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(all)) => {
                    pending.extend(all.iter().enumerate().map(|(index, schema)| (at.index(index), schema)));
                }
                ("items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains", Value::Object(_)) => {
                    pending.push((at, value));
                }
                _ => {}
            }
        }
    }
}
