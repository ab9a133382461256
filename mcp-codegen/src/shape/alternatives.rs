//! `anyOf` and `oneOf`: the shape that holds every alternative.

use mcp_contract::json::Pointer;
use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::lower::Walk;
use super::parts::{Part, Parts, Place};
use super::{AnyReason, Shape};

/// The shape of some alternatives: objects by their tag where they have one, everything else joined type by type.
pub(super) fn lower(
    walk: &mut Walk<'_>,
    schema: &Map<String, Value>,
    branches: &[Pointer],
    place: &Place,
    kinds: Kinds,
) -> Shape {
    let mut shapes: Vec<Shape> = branches.iter().map(|branch| walk.shape(branch, &place.path, kinds)).collect();
    shapes.retain(|shape| *shape != Shape::Any(AnyReason::Unsatisfiable));
    if let Some(any) = shapes.iter().find(|shape| matches!(shape, Shape::Any(_))) {
        return any.clone();
    }
    let objects: Vec<Shape> = shapes.iter().filter_map(|shape| walk.object_part(shape)).collect();
    let several =
        shapes.iter().any(|shape| walk.parts(shape).is_none_or(|parts| parts.of.keys().any(|p| *p != Part::Object)));
    if let Some(tagged) = walk.tagged(&objects, schema, &place.of_part(Part::Object, several)) {
        // The objects are one shape now; what else the alternatives allow stands beside it.
        let others = std::mem::replace(&mut shapes, vec![tagged]);
        for shape in others {
            let Some(Parts { null, of }) = walk.parts(&shape) else {
                shapes.push(shape);
                continue;
            };
            shapes.extend(null.then_some(Shape::Null));
            shapes.extend(of.into_iter().filter(|(part, _)| *part != Part::Object).map(|(_, shape)| shape));
        }
    }
    walk.join_all(shapes, place)
}
