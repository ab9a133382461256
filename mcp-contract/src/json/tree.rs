//! The tree itself, and its way into `serde_json::Value`.
//!
//! Objects are vectors: the server's order is kept and a definition has few members, so a linear look-up is cheaper
//! than a map. Depth is bounded by the parser, which makes the recursive functions here safe.

use serde_json::Value;

use super::Pointer;

/// A JSON value that keeps key order and number spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Number),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, in the order of the text; keys are unique.
    Object(Vec<(String, Json)>),
}

/// A JSON number as it was written, such as `1.0` or `1e400`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    pub(super) fn from_spelling(spelling: &str) -> Self {
        Self(spelling.to_owned())
    }

    /// The number as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A number that no 64-bit integer or float can hold, such as `1e400`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the number {number} at {pointer} is out of range")]
pub struct NumberOutOfRange {
    /// Where the number stands.
    pub pointer: Pointer,
    /// The number as it was written.
    pub number: String,
}

impl Json {
    /// The member `key` of an object; `None` where there is none or this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// What stands at a pointer.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<&Json> {
        let mut value = self;
        for step in pointer.as_str().split('/').skip(1) {
            let key = step.replace("~1", "/").replace("~0", "~");
            value = match value {
                Json::Object(_) => value.get(&key)?,
                Json::Array(elements) => elements.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// The value with what stands at a pointer replaced; unchanged where nothing stands there.
    #[must_use]
    pub fn with(mut self, pointer: &Pointer, value: Json) -> Self {
        let mut place = Some(&mut self);
        for step in pointer.as_str().split('/').skip(1) {
            let key = step.replace("~1", "/").replace("~0", "~");
            place = match place {
                Some(Json::Object(members)) => {
                    members.iter_mut().find(|(name, _)| *name == key).map(|(_, member)| member)
                }
                Some(Json::Array(elements)) => key.parse::<usize>().ok().and_then(|index| elements.get_mut(index)),
                _ => None,
            };
        }
        if let Some(place) = place {
            *place = value;
        }
        self
    }

    /// The string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members in the order of the text, if this is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// What kind of value this is, in JSON Schema's words.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    /// The value for a validator: keys sorted, numbers as `i64`, `u64` or `f64`.
    ///
    /// # Errors
    ///
    /// A number that fits none of the three is refused with its place.
    pub fn to_value(&self) -> Result<Value, NumberOutOfRange> {
        Ok(match self {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Number(number) => number.to_value().ok_or_else(|| NumberOutOfRange {
                pointer: Pointer::root(),
                number: crate::text::excerpt(&number.0, 40),
            })?,
            Json::String(text) => Value::String(text.clone()),
            Json::Array(elements) => {
                let inner = elements.iter().enumerate();
                let inner = inner.map(|(index, element)| {
                    element.to_value().map_err(|error| error.inside(&Pointer::root().index(index)))
                });
                Value::Array(inner.collect::<Result<_, _>>()?)
            }
            Json::Object(members) => {
                let inner = members.iter().map(|(key, member)| match member.to_value() {
                    Ok(value) => Ok((key.clone(), value)),
                    Err(error) => Err(error.inside(&Pointer::root().key(key))),
                });
                Value::Object(inner.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::Number(Number(number.to_string())),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(key, member)| (key.clone(), Self::from(member))).collect())
            }
        }
    }
}

impl NumberOutOfRange {
    /// The same, seen from further out.
    fn inside(self, outer: &Pointer) -> Self {
        Self { pointer: outer.join(&self.pointer), ..self }
    }
}

impl Number {
    fn to_value(&self) -> Option<Value> {
        serde_json::from_str(&self.0).ok()
    }
}
