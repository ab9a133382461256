//! Alternatives and conditions: what of them a type can hold exactly, and how the rest is widened.

use mcp_contract::json::Pointer;
use mcp_contract::schema::{Position, subschemas};
use serde_json::{Map, Value};

use super::lower::{Walk, nullable_if};
use super::scalar;
use super::{AnyReason, Shape};

/// `anyOf` or `oneOf` without a `type` beside it.
pub(super) fn lower(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
    let keyword = if schema.contains_key("anyOf") { "anyOf" } else { "oneOf" };
    let constrains = |name: &&String| *name != keyword && !scalar::is_annotation(name);
    if schema.keys().any(|name| constrains(&name)) {
        return beside_other_words(walk, schema, pointer, path);
    }
    let branches: &[Value] = schema[keyword].as_array().map_or(&[], Vec::as_slice);
    let base = pointer.key(keyword);
    let mut nullable = false;
    let mut shapes = Vec::new();
    for (index, branch) in branches.iter().enumerate() {
        if is_null(branch) {
            nullable = true;
            continue;
        }
        shapes.push(walk.shape(&base.index(index), path));
    }
    if let [Shape::Nullable(_)] = shapes[..] {
        nullable = true;
    }
    match shapes.as_slice() {
        [] => walk.any(pointer, AnyReason::MixedValues),
        [only] => nullable_if(only.clone(), nullable),
        [first, rest @ ..] if rest.iter().all(|shape| shape == first) && !matches!(first, Shape::Any(_)) => {
            nullable_if(first.clone(), nullable)
        }
        several => {
            let values: Option<Vec<Vec<String>>> = several.iter().map(|shape| walk.enum_values(shape)).collect();
            match values {
                Some(values) => {
                    let shape = walk.string_enum(values.concat(), pointer, path);
                    nullable_if(shape, nullable)
                }
                None if pointer.as_str().is_empty() => open_object(walk, schema, pointer, path),
                None => walk.any(pointer, AnyReason::Union),
            }
        }
    }
}

/// `allOf` without a `type` beside it: exact for a single part.
pub(super) fn all_of(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
    let constrains = |name: &&String| *name != "allOf" && !scalar::is_annotation(name);
    let parts = schema["allOf"].as_array().map_or(0, Vec::len);
    if parts == 1 && !schema.keys().any(|name| constrains(&name)) {
        return walk.shape(&pointer.key("allOf").index(0), path);
    }
    beside_other_words(walk, schema, pointer, path)
}

/// A shape whose schema has conditions beside its type: an object keeps its declared members and is opened for those that a condition
/// may declare; anything else is as wide as its type already.
pub(super) fn refine(
    walk: &mut Walk<'_>,
    shape: Shape,
    schema: &Map<String, Value>,
    pointer: &Pointer,
    path: &[String],
) -> Shape {
    if !declares_members(schema) {
        return shape;
    }
    match shape {
        Shape::Map(_) if pointer.as_str().is_empty() => open_object(walk, schema, pointer, path),
        shape
            if walk.object_at(&shape).is_some() && schema.get("additionalProperties") != Some(&Value::Bool(false)) =>
        {
            walk.widen(&shape);
            shape
        }
        shape => shape,
    }
}

fn beside_other_words(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
    if pointer.as_str().is_empty() {
        return open_object(walk, schema, pointer, path);
    }
    walk.any(pointer, AnyReason::Composition)
}

/// The root, where it is more than a plain object: the members it declares itself, and room for every other.
fn open_object(walk: &mut Walk<'_>, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
    let shape = super::object::lower(walk, schema, pointer, path);
    walk.widen(&shape);
    walk.any(pointer, AnyReason::Composition);
    shape
}

/// Whether a condition beside the type may declare members that `properties` does not.
fn declares_members(schema: &Map<String, Value>) -> bool {
    let mut pending: Vec<&Map<String, Value>> = vec![schema];
    let mut is_self = true;
    while let Some(schema) = pending.pop() {
        let declares = ["properties", "patternProperties", "additionalProperties", "$ref"];
        if !is_self && declares.iter().any(|keyword| schema.contains_key(*keyword)) {
            return true;
        }
        is_self = false;
        let inner = subschemas(schema).into_iter().filter(|(_, position, _)| *position == Position::InPlace);
        pending.extend(inner.filter_map(|(_, _, schema)| schema.as_object()));
    }
    false
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
        || schema.get("const") == Some(&Value::Null)
        || schema.get("enum").and_then(Value::as_array).is_some_and(|values| values[..] == [Value::Null])
}
