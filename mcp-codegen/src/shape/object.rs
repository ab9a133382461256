//! Objects: declared members, and the rest.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::json::Pointer;
use serde_json::{Map, Value};

use super::lower::{Walk, with};
use super::scalar;
use super::{AnyReason, Field, ObjectDef, Presence, Shape, TypeDef};

/// An object schema: a struct where it declares members, a map where it does not. The root is always a struct.
pub(super) fn lower(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
    let required: BTreeSet<&str> = match schema.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    };
    let declares = schema.get("properties").and_then(Value::as_object).is_some_and(|declared| !declared.is_empty());
    if !declares && required.is_empty() && !pointer.as_str().is_empty() {
        let value = rest(walk, schema, pointer, path).unwrap_or(Shape::Any(AnyReason::Unconstrained));
        return Shape::Map(Box::new(value));
    }
    // Only what becomes a type of its own can be referred to from inside itself.
    walk.begin(pointer);
    let mut fields = BTreeMap::new();
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let base = pointer.key("properties");
        for (name, property) in properties {
            let at = base.key(name);
            if *property == Value::Bool(false) {
                continue;
            }
            let shape = walk.shape(&at, &with(path, name));
            fields.insert(name.clone(), field(shape, required.contains(name.as_str()), walk.document.at(&at)));
        }
    }
    let undeclared: Vec<&str> = required.into_iter().filter(|name| !fields.contains_key(*name)).collect();
    for name in undeclared {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        if property.is_none() {
            fields.insert(name.to_owned(), field(Shape::Any(AnyReason::Unconstrained), true, None));
        }
    }
    let rest = rest(walk, schema, pointer, path);
    walk.define(pointer, path, TypeDef::Object(ObjectDef { fields, rest }))
}

/// What members beyond the declared ones hold, where the schema asks for such members. An object that is merely open asks for none.
fn rest(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Option<Shape> {
    if schema.get("patternProperties").and_then(Value::as_object).is_some_and(|patterns| !patterns.is_empty()) {
        return Some(walk.any(&pointer.key("patternProperties"), AnyReason::PatternProperties));
    }
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        match schema.get(keyword) {
            Some(Value::Bool(true)) => return Some(Shape::Any(AnyReason::Unconstrained)),
            Some(Value::Object(_)) => return Some(walk.shape(&pointer.key(keyword), &with(path, "value"))),
            _ => {}
        }
    }
    None
}

fn field(shape: Shape, required: bool, schema: Option<&Value>) -> Field {
    let null_default = schema.and_then(|schema| schema.get("default")).is_some_and(Value::is_null);
    let doc = scalar::field_doc(schema);
    let (shape, presence) = match (required, shape) {
        (true, shape) => (shape, Presence::Required),
        (false, Shape::Nullable(inner)) if null_default => (*inner, Presence::Optional),
        (false, Shape::Nullable(inner)) => (*inner, Presence::OptionalOrNull),
        (false, shape) => (shape, Presence::Optional),
    };
    Field { shape, presence, doc }
}
