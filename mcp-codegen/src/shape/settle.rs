//! What is left when the walk is over: the types that are used, references to themselves resolved, and an account of what is any JSON.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::json::Pointer;

use super::lower::Walk;
use super::{AnyReason, Lowered, NamedType, Shape, TypeDef, TypeKey};

/// The result of a walk.
pub(super) fn settle(walk: Walk<'_>, root: &Shape) -> Lowered {
    // What a schema became that was referred to while it was being made.
    let Walk { mut types, finals, .. } = walk;
    let settled = |shape: &Shape| unfold(shape, &finals, &mut Vec::new());
    let root = settled(root);
    let mut kept: BTreeMap<TypeKey, NamedType> = BTreeMap::new();
    let mut pending = vec![root.clone()];
    while let Some(shape) = pending.pop() {
        for key in keys(&shape) {
            let Some(mut named) = types.remove(&key) else { continue };
            for shape in shapes(&mut named.def) {
                *shape = settled(shape);
                pending.push(shape.clone());
            }
            if let TypeDef::Tagged(tagged) = &named.def {
                pending.extend(tagged.variants.iter().filter_map(|variant| variant.content.clone().map(Shape::Named)));
            }
            kept.insert(key, named);
        }
    }
    let (untyped, constrained) = account(&root, &kept);
    Lowered { root, types: kept, untyped, constrained }
}

/// The shapes that stand in a type.
fn shapes(def: &mut TypeDef) -> Vec<&mut Shape> {
    match def {
        TypeDef::Object(object) => {
            object.fields.values_mut().map(|field| &mut field.shape).chain(object.rest.as_mut()).collect()
        }
        TypeDef::Union(union) => union.variants.values_mut().collect(),
        TypeDef::Enum(_) | TypeDef::Tagged(_) => Vec::new(),
    }
}

/// The named types that a shape mentions.
fn keys(shape: &Shape) -> Vec<TypeKey> {
    match shape {
        Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => keys(inner),
        Shape::Tuple(elements) => elements.iter().flat_map(keys).collect(),
        Shape::Named(key) | Shape::Boxed(key) => vec![key.clone()],
        Shape::Any(_) | Shape::Null | Shape::Bool | Shape::I64 | Shape::U64 | Shape::F64 | Shape::String => Vec::new(),
    }
}

/// The shape with each reference to an unfinished schema replaced by what that schema became.
fn unfold(shape: &Shape, finals: &BTreeMap<Pointer, Shape>, open: &mut Vec<Pointer>) -> Shape {
    let inner = |shape: &Shape, open: &mut Vec<Pointer>| Box::new(unfold(shape, finals, open));
    match shape {
        Shape::List(element) => Shape::List(inner(element, open)),
        Shape::Map(value) => Shape::Map(inner(value, open)),
        Shape::Nullable(value) => match *inner(value, open) {
            already @ (Shape::Nullable(_) | Shape::Any(_) | Shape::Null) => already,
            other => Shape::Nullable(Box::new(other)),
        },
        Shape::Tuple(elements) => Shape::Tuple(elements.iter().map(|element| unfold(element, finals, open)).collect()),
        Shape::Boxed(at) => {
            let Some(target) = finals.get(at) else { return Shape::Any(AnyReason::Large) };
            // A list of nothing but itself has no type; a tuple that holds itself has no size, and no name to stop at.
            if open.contains(at) || matches!(target, Shape::Tuple(_)) {
                return Shape::Any(AnyReason::Itself);
            }
            open.push(at.clone());
            let shape = boxed(unfold(target, finals, open));
            open.pop();
            shape
        }
        other => other.clone(),
    }
}

fn boxed(shape: Shape) -> Shape {
    match shape {
        Shape::Named(key) => Shape::Boxed(key),
        Shape::Nullable(inner) => Shape::Nullable(Box::new(boxed(*inner))),
        Shape::Tuple(_) => Shape::Any(AnyReason::Itself),
        // A list or a map is an indirection already.
        other => other,
    }
}

/// What is any JSON although the schema says more, and how many members are declared with a schema that says something.
fn account(root: &Shape, types: &BTreeMap<TypeKey, NamedType>) -> (Vec<(Pointer, AnyReason)>, usize) {
    let mut untyped = BTreeSet::new();
    let mut constrained = 0;
    let mut note = |at: Pointer, shape: &Shape| untyped.extend(shape.untyped().map(|reason| (at, reason)));
    note(Pointer::root(), root);
    for named in types.values() {
        match &named.def {
            TypeDef::Object(object) => {
                for field in object.fields.values() {
                    constrained += usize::from(field.shape != Shape::Any(AnyReason::Unconstrained));
                    note(field.at.clone(), &field.shape);
                }
                object.rest.iter().for_each(|rest| note(named.at.key("additionalProperties"), rest));
            }
            TypeDef::Union(union) => union.variants.values().for_each(|shape| note(named.at.clone(), shape)),
            TypeDef::Enum(_) | TypeDef::Tagged(_) => {}
        }
    }
    (untyped.into_iter().collect(), constrained)
}
