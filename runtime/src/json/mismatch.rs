//! A value that does not fit its type: where, what was expected, and what stood there.

use mcp_contract::json::Pointer;
use serde_json::Value;

/// Where a value does not fit its type. Shows no part of the value itself, which is foreign and may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: expected {expected}, found {found}")]
pub struct Mismatch {
    pointer: Pointer,
    expected: &'static str,
    found: &'static str,
}

impl Mismatch {
    /// `expected` was wanted (such as `a string`) and `value` was there.
    #[must_use]
    pub fn new(expected: &'static str, value: &Value) -> Self {
        Self { pointer: Pointer::root(), expected, found: kind(value) }
    }

    /// A required member is not there.
    #[must_use]
    pub fn missing(member: &str) -> Self {
        Self { pointer: Pointer::root().key(member), expected: "a value", found: "nothing" }
    }

    /// The member that tells alternatives apart is not there.
    #[must_use]
    pub fn untagged(tag: &str) -> Self {
        Self { expected: "the tag of an alternative", ..Self::missing(tag) }
    }

    /// The same, seen from the object whose member does not fit.
    #[must_use]
    pub fn in_member(self, member: &str) -> Self {
        Self { pointer: Pointer::root().key(member).join(&self.pointer), ..self }
    }

    /// The same, seen from the list whose element does not fit.
    #[must_use]
    pub fn in_element(self, index: usize) -> Self {
        Self { pointer: Pointer::root().index(index).join(&self.pointer), ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
