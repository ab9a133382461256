//! A tool's result, decoded leniently: what is not understood is kept, never lost.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::NotTyped;

/// The result of a call: typed where that succeeded, and everything the server sent beside it.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    typed: Result<T, NotTyped>,
    result: Value,
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

impl<T: DeserializeOwned> Reply<T> {
    /// Decodes a result whose output is structured.
    pub(crate) fn structured_from(result: Value) -> Self {
        let typed = match structured_value(&result) {
            Some(value) => serde_json::from_value(with_integers(value))
                .map_err(|error| NotTyped::new(&error.to_string(), result.clone())),
            None => Err(NotTyped::new("there is no structured content", result.clone())),
        };
        Self { typed, result }
    }

    /// Decodes a result whose output is its text.
    pub(crate) fn text_from(result: Value) -> Self {
        let text = Value::String(joined_text(&result));
        let typed = serde_json::from_value(text).map_err(|error| NotTyped::new(&error.to_string(), result.clone()));
        Self { typed, result }
    }
}

impl Reply<Value> {
    /// A result without a type.
    pub(crate) fn untyped_from(result: Value) -> Self {
        Self { typed: Ok(for_model(&result)), result }
    }
}

/// `structuredContent`, or a lone text that is the JSON of it: servers of older revisions send only that.
fn structured_value(result: &Value) -> Option<Value> {
    if let Some(structured) = result.get("structuredContent") {
        return Some(structured.clone());
    }
    match blocks(result) {
        [only] => serde_json::from_str(text_of(only)?).ok(),
        _ => None,
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

/// The value with integral floats as integers: JSON knows one kind of number, and servers write `1.0` for 1.
pub(crate) fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(integral(&number).unwrap_or(number)),
        Value::Array(elements) => Value::Array(elements.into_iter().map(with_integers).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, member)| (key, with_integers(member))).collect())
        }
        other => other,
    }
}

/// The integer that a float is, where one of the 64-bit types holds it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
fn integral(number: &serde_json::Number) -> Option<serde_json::Number> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    // 2^63 and 2^64 are exact as floats.
    match float {
        _ if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) => {
            Some((float as i64).into())
        }
        _ if (0.0..18_446_744_073_709_551_616.0).contains(&float) => Some((float as u64).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::with_integers;

    #[test]
    fn integral_floats_are_integers_where_one_of_64_bits_holds_them() {
        let cases = [
            (json!(3.0), json!(3)),
            (json!(-0.0), json!(0)),
            (json!(2.5), json!(2.5)),
            (json!(-9_223_372_036_854_775_808.0), json!(i64::MIN)),
            (json!(9_223_372_036_854_775_808.0), json!(9_223_372_036_854_775_808_u64)),
            (json!(18_446_744_073_709_551_616.0), json!(18_446_744_073_709_551_616.0)),
            (json!({"a": [1.0, "1.0"]}), json!({"a": [1, "1.0"]})),
        ];
        for (value, expected) in cases {
            assert_eq!(with_integers(value.clone()), expected, "{value}");
            let number = |value: &Value| value.as_f64();
            assert_eq!(number(&value), number(&expected));
        }
    }
}
