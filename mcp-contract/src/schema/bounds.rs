//! Bounds on a schema, checked without recursion before any recursive code sees it.
//!
//! Each limit stands for something that was measured to overflow the stack of a validator, to take seconds, or never to
//! end. Real schemas stay far below all of them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::compile::SchemaError;
use super::reference::Document;
use super::walk::{Position, subschemas};
use crate::json::Pointer;
use crate::{json::Json, pattern};

/// The limits; there is one set, and it is not configurable, so that build time and run time cannot differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a table of constants")]
pub struct Limits;

impl Limits {
    /// How deeply a schema may nest, in JSON levels.
    pub const DEPTH: usize = 64;
    /// How many JSON values a schema may hold.
    pub const NODES: usize = 50_000;
    /// How many elements one array may hold, `enum` foremost.
    pub const ELEMENTS: usize = 10_000;
    /// How many members one object may hold.
    pub const MEMBERS: usize = 10_000;
    /// How many schemas may judge one value, references followed.
    pub const EXPANSION: u64 = 10_000;
}

/// Checks size and depth. It needs no more than the tree, so it runs before the schema becomes a `Value`.
pub(super) fn check_size(schema: &Json) -> Result<(), SchemaError> {
    let mut nodes = 0;
    let mut pending = vec![(Pointer::root(), schema, 0)];
    while let Some((pointer, value, depth)) = pending.pop() {
        nodes += 1;
        let exceeded = match value {
            _ if depth > Limits::DEPTH => Some(("levels of nesting", Limits::DEPTH)),
            _ if nodes > Limits::NODES => Some(("values in one schema", Limits::NODES)),
            Json::Array(elements) if elements.len() > Limits::ELEMENTS => {
                Some(("elements in one array", Limits::ELEMENTS))
            }
            Json::Object(members) if members.len() > Limits::MEMBERS => {
                Some(("members in one object", Limits::MEMBERS))
            }
            _ => None,
        };
        if let Some((what, limit)) = exceeded {
            return Err(SchemaError::TooLarge { pointer, what, limit });
        }
        match value {
            Json::Array(elements) => {
                let inner = elements.iter().enumerate();
                pending.extend(inner.map(|(index, element)| (pointer.index(index), element, depth + 1)));
            }
            Json::Object(members) => {
                pending.extend(members.iter().map(|(key, member)| (pointer.key(key), member, depth + 1)));
            }
            Json::String(text) if pointer.as_str().ends_with("/pattern") && text.len() > pattern::MAX_LENGTH => {
                return Err(SchemaError::TooLarge { pointer, what: "bytes in a pattern", limit: pattern::MAX_LENGTH });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that following references does not multiply the schemas that judge one value, and does not run in a circle
/// that consumes nothing.
pub(super) fn check_expansion(document: &Document) -> Result<(), SchemaError> {
    let mut costs = BTreeMap::new();
    let mut pending = vec![(Pointer::root(), document.root())];
    while let Some((pointer, schema)) = pending.pop() {
        expansion(document, &pointer, &mut costs)?;
        if let Value::Object(members) = schema {
            pending.extend(subschemas(members).into_iter().map(|(inner, _, schema)| (pointer.join(&inner), schema)));
        }
    }
    Ok(())
}

/// A schema on the way down: known once its parts are.
enum Step {
    Enter(Pointer),
    Leave(Pointer, Vec<Pointer>),
}

/// How many schemas judge one value that meets the schema at `start`; memoised, with an explicit stack.
fn expansion(
    document: &Document,
    start: &Pointer,
    costs: &mut BTreeMap<Pointer, Option<u64>>,
) -> Result<(), SchemaError> {
    let mut stack = vec![Step::Enter(start.clone())];
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(pointer) => match costs.get(&pointer) {
                Some(Some(_)) => {}
                Some(None) => return Err(SchemaError::EmptyCycle { pointer }),
                None => {
                    let parts = in_place(document, &pointer)?;
                    costs.insert(pointer.clone(), None);
                    stack.push(Step::Leave(pointer, parts.clone()));
                    stack.extend(parts.into_iter().map(Step::Enter));
                }
            },
            Step::Leave(pointer, parts) => {
                let inner = parts.iter().filter_map(|part| costs.get(part).copied().flatten());
                let total = inner.fold(1_u64, u64::saturating_add);
                if total > Limits::EXPANSION {
                    return Err(SchemaError::Expansion { pointer, limit: Limits::EXPANSION });
                }
                costs.insert(pointer, Some(total));
            }
        }
    }
    Ok(())
}

/// The schemas that judge the same value as the one at `pointer`, directly.
fn in_place(document: &Document, pointer: &Pointer) -> Result<Vec<Pointer>, SchemaError> {
    let Some(Value::Object(members)) = document.at(pointer) else { return Ok(Vec::new()) };
    let mut parts: Vec<Pointer> = subschemas(members)
        .into_iter()
        .filter(|(_, position, _)| *position == Position::InPlace)
        .map(|(inner, _, _)| pointer.join(&inner))
        .collect();
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
            let target = document.resolve(reference).ok_or_else(|| SchemaError::Reference {
                pointer: pointer.key(keyword),
                reference: crate::text::excerpt(reference, 120),
            })?;
            parts.push(target);
        }
    }
    Ok(parts)
}
