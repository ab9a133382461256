//! Arrays: lists, and tuples where each place has its own schema and the length is fixed.

use mcp_contract::json::Pointer;
use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::lower::{Walk, with};
use super::parts::Place;
use super::{AnyReason, Shape};

/// The longest array that is a tuple.
const MAX_TUPLE: usize = 12;

/// How many places tuples inside tuples may have together.
const MAX_PLACES: usize = 50;

/// The shape of an array schema.
pub(super) fn lower(walk: &mut Walk<'_>, schema: &Map<String, Value>, place: &Place) -> Shape {
    // 2019-09 and before spell a tuple as a list under `items`, and the rest as `additionalItems`.
    let (places, rest) = match (schema.get("prefixItems"), schema.get("items")) {
        (Some(Value::Array(places)), _) => (Some((places.len(), "prefixItems")), "items"),
        (_, Some(Value::Array(places))) => (Some((places.len(), "items")), "additionalItems"),
        _ => (None, "items"),
    };
    let Some((count, keyword)) = places else {
        let element = match schema.get(rest) {
            Some(_) => element(walk, &place.at.key(rest), place, "item"),
            None => Shape::Any(AnyReason::Unconstrained),
        };
        return Shape::List(Box::new(element));
    };
    let at = |index| place.at.key(keyword).index(index);
    let size = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let closed = schema.get(rest) == Some(&Value::Bool(false));
    let wanted = Some(count as u64);
    let fixed = size("minItems") == wanted && (closed || size("maxItems") == wanted);
    if fixed && (1..=MAX_TUPLE).contains(&count) {
        let shapes = (0..count).map(|index| element(walk, &at(index), place, &format!("item{index}")));
        let tuple = Shape::Tuple(shapes.collect());
        // A tuple has no name: where it stands in others it is written out each time.
        return if places_of(&tuple) > MAX_PLACES {
            Shape::List(Box::new(Shape::Any(AnyReason::Large)))
        } else {
            tuple
        };
    }
    let further = match schema.get(rest) {
        _ if size("maxItems").is_some_and(|most| most <= count as u64) => None,
        Some(Value::Bool(false)) => None,
        Some(_) => Some(element(walk, &place.at.key(rest), place, "item")),
        None => Some(Shape::Any(AnyReason::Unconstrained)),
    };
    let mut shapes: Vec<Shape> =
        (0..count).map(|index| element(walk, &at(index), place, &format!("item{index}"))).collect();
    shapes.extend(further);
    Shape::List(Box::new(walk.join_all(shapes, &place.below("item"))))
}

fn places_of(shape: &Shape) -> usize {
    match shape {
        Shape::Tuple(elements) => elements.iter().map(places_of).sum(),
        Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => places_of(inner),
        _ => 1,
    }
}

fn element(walk: &mut Walk<'_>, pointer: &Pointer, place: &Place, step: &str) -> Shape {
    walk.shape(pointer, &with(&place.path, step), Kinds::ALL)
}
