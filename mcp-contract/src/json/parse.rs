//! From text to [`Json`], without recursion and within bounds.
//!
//! Strict where leniency would give two readers two meanings: a key that stands twice, a lone surrogate, bytes after
//! the value are errors. Depth is bounded here, before any recursive code can see the value.

use std::collections::HashSet;

use json_event_parser::{JsonEvent, SliceJsonParser};

use super::{Json, Number, Pointer};

/// How deeply arrays and objects may nest in a file of ours. `serde_json` has the same limit.
pub const MAX_DEPTH: usize = 128;

/// How deeply they may nest in what a server sends: it is stored inside a file of ours.
pub const MAX_FOREIGN_DEPTH: usize = 120;

/// Why a text is not taken as JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON.
    #[error("not JSON: {message} (line {line}, column {column})")]
    Syntax {
        /// What the parser expected.
        message: String,
        /// Line, from 1.
        line: u64,
        /// Column in characters, from 1.
        column: u64,
    },
    /// One key stands twice in one object, so that two readers may see two different documents.
    #[error("the key \"{}\" stands twice in {pointer}", crate::text::Shown(key))]
    DuplicateKey {
        /// The object.
        pointer: Pointer,
        /// The key.
        key: String,
    },
    /// Arrays and objects nest too deeply.
    #[error("nested deeper than {limit} levels at {}", crate::text::excerpt(pointer.as_str(), 200))]
    TooDeep {
        /// Where the limit was passed.
        pointer: Pointer,
        /// The limit.
        limit: usize,
    },
}

/// A container that is still open.
enum Open {
    Array(Vec<Json>),
    Object { members: Vec<(String, Json)>, seen: HashSet<String>, key: Option<String> },
}

/// Reads one JSON value.
///
/// ```
/// use mcp_contract::json::{Json, JsonError, parse};
/// assert_eq!(parse("[1.0]").unwrap().as_array().unwrap().len(), 1);
/// assert!(matches!(parse(r#"{"a":1,"a":2}"#), Err(JsonError::DuplicateKey { .. })));
/// ```
///
/// # Errors
///
/// See [`JsonError`].
pub fn parse(text: &str) -> Result<Json, JsonError> {
    parse_within(text, MAX_DEPTH)
}

/// Reads one JSON value that a server sent.
///
/// # Errors
///
/// See [`JsonError`].
pub fn parse_foreign(text: &str) -> Result<Json, JsonError> {
    parse_within(text, MAX_FOREIGN_DEPTH)
}

fn parse_within(text: &str, depth: usize) -> Result<Json, JsonError> {
    let mut parser = SliceJsonParser::new(text.as_bytes());
    let mut stack: Vec<Open> = Vec::new();
    let mut root = None;
    loop {
        let event = parser.parse_next().map_err(|error| syntax(&error))?;
        let complete = match event {
            JsonEvent::Eof => break,
            JsonEvent::StartArray | JsonEvent::StartObject if stack.len() >= depth => {
                return Err(JsonError::TooDeep { pointer: here(&stack), limit: depth });
            }
            JsonEvent::StartArray => {
                stack.push(Open::Array(Vec::new()));
                continue;
            }
            JsonEvent::StartObject => {
                stack.push(Open::Object { members: Vec::new(), seen: HashSet::new(), key: None });
                continue;
            }
            JsonEvent::ObjectKey(name) => {
                open_key(&mut stack, name.into_owned())?;
                continue;
            }
            JsonEvent::EndArray | JsonEvent::EndObject => match stack.pop() {
                Some(Open::Array(elements)) => Json::Array(elements),
                Some(Open::Object { members, .. }) => Json::Object(members),
                None => unreachable!("the parser closes only what it opened"),
            },
            JsonEvent::String(text) => Json::String(text.into_owned()),
            JsonEvent::Number(number) => Json::Number(Number::from_spelling(&number)),
            JsonEvent::Boolean(flag) => Json::Bool(flag),
            JsonEvent::Null => Json::Null,
        };
        match stack.last_mut() {
            None => root = Some(complete),
            Some(Open::Array(elements)) => elements.push(complete),
            Some(Open::Object { members, key, .. }) => {
                let Some(key) = key.take() else { unreachable!("the parser names a member before its value") };
                members.push((key, complete));
            }
        }
    }
    root.ok_or_else(|| JsonError::Syntax { message: "no value".to_owned(), line: 1, column: 1 })
}

fn open_key(stack: &mut [Open], name: String) -> Result<(), JsonError> {
    let duplicate = match stack.last_mut() {
        Some(Open::Object { seen, key, .. }) => {
            let fresh = seen.insert(name.clone());
            *key = Some(name.clone());
            !fresh
        }
        _ => unreachable!("the parser gives keys only inside objects"),
    };
    if duplicate {
        let (_, outer) = stack.split_last().expect("an object is open");
        return Err(JsonError::DuplicateKey { pointer: here(outer), key: name });
    }
    Ok(())
}

/// The pointer to the value that would come next.
fn here(stack: &[Open]) -> Pointer {
    stack.iter().fold(Pointer::root(), |pointer, open| match open {
        Open::Array(elements) => pointer.index(elements.len()),
        Open::Object { key: Some(key), .. } => pointer.key(key),
        Open::Object { key: None, .. } => pointer,
    })
}

fn syntax(error: &json_event_parser::JsonSyntaxError) -> JsonError {
    let start = error.location().start;
    JsonError::Syntax {
        message: crate::text::excerpt(error.message(), 200),
        line: start.line + 1,
        column: start.column + 1,
    }
}
