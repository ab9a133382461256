//! A tool's result, decoded leniently: what is not understood is kept, never lost.

use mcp_contract::schema::Violation;
use serde_json::{Map, Value};

use crate::call::Answer;
use crate::error::NotTyped;
use crate::json::Json;

/// The result of a call: typed where that succeeded, and everything the server sent beside it.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    typed: Result<T, NotTyped>,
    result: Value,
    violations: Vec<Violation>,
}

/// One block of a result's content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text: foreign.
    Text(String),
    /// An image, sound, resource, or a kind that is not known here: the block as it came.
    Other(Value),
}

impl<T> Reply<T> {
    /// The typed output.
    ///
    /// # Errors
    ///
    /// The result does not have the declared type; everything else of the reply is still there.
    pub fn output(&self) -> Result<&T, &NotTyped> {
        self.typed.as_ref()
    }

    /// The typed output, by value.
    ///
    /// # Errors
    ///
    /// The result does not have the declared type; the error holds the whole result.
    pub fn into_output(self) -> Result<T, NotTyped> {
        self.typed
    }

    /// The text blocks, joined by newlines.
    pub fn text(&self) -> String {
        joined_text(&self.result)
    }

    /// The content, block by block.
    pub fn content(&self) -> Vec<Content> {
        blocks(&self.result)
            .iter()
            .map(|block| match text_of(block) {
                Some(text) => Content::Text(text.to_owned()),
                None => Content::Other(block.clone()),
            })
            .collect()
    }

    /// `structuredContent`, where there is one; an explicit `null` is one.
    pub fn structured(&self) -> Option<&Value> {
        self.result.get("structuredContent")
    }

    /// Where the structured content is not what the tool declares. The tool ran all the same, and everything that it sent is here.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The result object as it came.
    pub fn raw(&self) -> &Value {
        &self.result
    }

    /// What a model should see. A lone text is a string; structured content that the text merely repeats stands for both; whenever
    /// content and structured content say different things, both are given.
    pub fn for_model(&self) -> Value {
        for_model(&self.result)
    }
}

impl<T: Json> Reply<T> {
    /// Decodes a result whose output is structured.
    pub(crate) fn structured_from(answer: Answer) -> Self {
        let Answer { result, violations } = answer;
        let typed = if let Some(value) = result.get("structuredContent") {
            T::decode(value).map_err(|mismatch| NotTyped::new(&mismatch.to_string(), result.clone()))
        } else {
            let reason = "the tool declares an output schema and sent no structured content";
            Err(NotTyped::new(reason, result.clone()))
        };
        Self { typed, result, violations }
    }

    /// Decodes a result whose output is its text.
    pub(crate) fn text_from(answer: Answer) -> Self {
        let Answer { result, violations } = answer;
        let text = Value::String(joined_text(&result));
        let typed = T::decode(&text).map_err(|mismatch| NotTyped::new(&mismatch.to_string(), result.clone()));
        Self { typed, result, violations }
    }
}

impl Reply<Value> {
    /// A result without a type.
    pub(crate) fn untyped_from(answer: Answer) -> Self {
        let Answer { result, violations } = answer;
        Self { typed: Ok(for_model(&result)), result, violations }
    }
}

fn for_model(result: &Value) -> Value {
    let blocks = blocks(result);
    let lone_text = match blocks {
        [only] => text_of(only),
        _ => None,
    };
    match (result.get("structuredContent"), blocks, lone_text) {
        (None, _, Some(text)) => Value::String(text.to_owned()),
        (Some(structured), [], _) => structured.clone(),
        (Some(structured), _, Some(text))
            if serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured) =>
        {
            structured.clone()
        }
        (structured, blocks, _) => {
            let mut both = Map::new();
            both.insert("content".to_owned(), Value::Array(blocks.to_vec()));
            both.extend(structured.map(|structured| ("structuredContent".to_owned(), structured.clone())));
            Value::Object(both)
        }
    }
}

fn blocks(result: &Value) -> &[Value] {
    result.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text_of(block: &Value) -> Option<&str> {
    match block {
        // A bare string is no block, but it is clear what it means.
        Value::String(text) => Some(text),
        _ if block.get("type").is_some_and(|kind| kind == "text") => block.get("text").and_then(Value::as_str),
        _ => None,
    }
}

pub(crate) fn joined_text(result: &Value) -> String {
    blocks(result).iter().filter_map(text_of).collect::<Vec<_>>().join("\n")
}
