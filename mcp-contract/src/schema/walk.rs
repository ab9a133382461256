//! Where a schema holds further schemas.
//!
//! `pattern` inside `default`, `const`, `enum` or `examples` is data, and a property may be called `pattern`; so every
//! walk over a schema asks this one function which members are schemas, and of which kind.

use serde_json::{Map, Value};

use crate::json::Pointer;

/// How a subschema bears on the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// It judges the same value: `allOf`, `if`, `not` and their like.
    InPlace,
    /// It judges a part of the value: a member, an element, a name.
    Inner,
    /// It judges nothing where it stands: `$defs`.
    Definition,
}

use Position::{Definition, InPlace, Inner};

/// Keywords whose value is a schema.
const ONE: &[(&str, Position)] = &[
    ("additionalItems", Inner),
    ("additionalProperties", Inner),
    ("contains", Inner),
    ("contentSchema", Inner),
    ("else", InPlace),
    ("if", InPlace),
    ("items", Inner),
    ("not", InPlace),
    ("propertyNames", Inner),
    ("then", InPlace),
    ("unevaluatedItems", Inner),
    ("unevaluatedProperties", Inner),
];

/// Keywords whose value is an array of schemas.
const LIST: &[(&str, Position)] =
    &[("allOf", InPlace), ("anyOf", InPlace), ("items", Inner), ("oneOf", InPlace), ("prefixItems", Inner)];

/// Keywords whose value is an object of schemas.
const NAMED: &[(&str, Position)] = &[
    ("$defs", Definition),
    ("definitions", Definition),
    ("dependencies", InPlace),
    ("dependentSchemas", InPlace),
    ("patternProperties", Inner),
    ("properties", Inner),
];

/// The schemas directly inside a schema, with the pointer of each relative to it.
///
/// ```
/// use mcp_contract::schema::subschemas;
/// let schema = serde_json::json!({"properties": {"a": {}}, "default": {"items": {}}});
/// let found = subschemas(schema.as_object().unwrap());
/// assert_eq!(found[0].0.as_str(), "/properties/a");
/// assert_eq!(found.len(), 1);
/// ```
#[must_use]
pub fn subschemas(schema: &Map<String, Value>) -> Vec<(Pointer, Position, &Value)> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let base = || Pointer::root().key(keyword);
        match value {
            Value::Object(_) | Value::Bool(_) if position(ONE, keyword).is_some() => {
                found.extend(position(ONE, keyword).map(|position| (base(), position, value)));
            }
            Value::Array(elements) => {
                let Some(position) = position(LIST, keyword) else { continue };
                let base = base();
                found
                    .extend(elements.iter().enumerate().map(|(index, element)| (base.index(index), position, element)));
            }
            Value::Object(members) => {
                let Some(position) = position(NAMED, keyword) else { continue };
                let base = base();
                // In draft-07's `dependencies` an array names required members and is no schema.
                let schemas = members.iter().filter(|(_, member)| !member.is_array());
                found.extend(schemas.map(|(key, member)| (base.key(key), position, member)));
            }
            _ => {}
        }
    }
    found
}

fn position(table: &[(&str, Position)], keyword: &str) -> Option<Position> {
    table.iter().find(|(name, _)| *name == keyword).map(|(_, position)| *position)
}

/// Whether a keyword holds data, whatever it looks like.
pub(crate) fn is_data(keyword: &str) -> bool {
    matches!(keyword, "enum" | "const" | "default" | "examples")
}
