//! Objects that one member, the tag, tells apart.

use serde_json::Value;

use super::Mismatch;

/// The object of one alternative with its tag.
#[must_use]
pub fn tagged(tag: &str, value: &str, content: Option<Value>) -> Value {
    let mut members = match content {
        Some(Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    members.insert(tag.to_owned(), Value::String(value.to_owned()));
    Value::Object(members)
}

/// The tag of an object, and the object without it.
///
/// # Errors
///
/// The value is no object, or its tag is no string.
pub fn content<'a>(tag: &str, value: &'a Value) -> Result<(&'a str, Value), Mismatch> {
    let members = value.as_object().ok_or_else(|| Mismatch::new("an object", value))?;
    let tag_value = members.get(tag).ok_or_else(|| Mismatch::untagged(tag))?;
    let name = tag_value.as_str().ok_or_else(|| Mismatch::new("a string", tag_value).in_member(tag))?;
    let others = members.iter().filter(|(member, _)| *member != tag);
    Ok((name, Value::Object(others.map(|(member, value)| (member.clone(), value.clone())).collect())))
}
