//! Objects: declared members, and the rest.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::json::Pointer;
use serde_json::{Map, Value};

use super::lower::{Walk, with};
use super::scalar;
use super::{AnyReason, Field, ObjectDef, Presence, Shape, TypeDef};

/// An object schema: a struct where it declares members, a map where it does not. The root is always a struct.
pub(super) fn lower(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
    walk.begin(pointer);
    let required: BTreeSet<&str> = match schema.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    };
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
    let is_root = pointer.as_str().is_empty();
    if fields.is_empty() && !is_root {
        walk.abandon(pointer);
        return Shape::Map(Box::new(rest.unwrap_or(Shape::Any(AnyReason::Unconstrained))));
    }
    walk.define(pointer, path, TypeDef::Object(ObjectDef { fields, rest }))
}

/// What members beyond the declared ones hold, where the schema asks for such members. An object that is merely open asks for none.
fn rest(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Option<Shape> {
    if schema.get("patternProperties").and_then(Value::as_object).is_some_and(|patterns| !patterns.is_empty()) {
        return Some(walk.any(&pointer.key("patternProperties"), AnyReason::PatternProperties));
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(true)) => Some(Shape::Any(AnyReason::Unconstrained)),
        Some(Value::Object(_)) => Some(walk.shape(&pointer.key("additionalProperties"), &with(path, "value"))),
        _ => None,
    }
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
