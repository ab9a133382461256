//! Objects: declared members, the rest, and what conditions declare.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::json::Pointer;
use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::lower::{Walk, with};
use super::parts::{Part, Place};
use super::scalar;
use super::{AnyReason, Field, FieldDoc, ObjectDef, Shape, TypeDef};

/// An object schema: a struct where it declares members, a map where it does not.
pub(super) fn lower(walk: &mut Walk<'_>, schema: &Map<String, Value>, place: &Place) -> Shape {
    let required: BTreeSet<&str> = match schema.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    };
    let declared = schema.get("properties").and_then(Value::as_object);
    let rest = rest(walk, schema, place);
    if declared.is_none_or(Map::is_empty) && required.is_empty() {
        return Shape::Map(Box::new(rest.unwrap_or(Shape::Any(AnyReason::Unconstrained))));
    }
    let base = place.at.key("properties");
    let mut fields = BTreeMap::new();
    for (name, property) in declared.into_iter().flatten() {
        if *property == Value::Bool(false) && !required.contains(name.as_str()) {
            continue;
        }
        let at = base.key(name);
        let shape = walk.shape(&at, &with(&place.path, name), Kinds::ALL);
        let mut doc = scalar::field_doc(walk.document, &at);
        // A result that says `null` said something; a caller who means the default leaves the member out.
        doc.null_default &= walk.arguments;
        fields.insert(
            name.clone(),
            Field { shape, required: required.contains(name.as_str()), conditional: false, at, doc },
        );
    }
    for name in required {
        fields.entry(name.to_owned()).or_insert_with(|| Field {
            shape: Shape::Any(AnyReason::Unconstrained),
            required: true,
            conditional: false,
            at: base.key(name),
            doc: FieldDoc::default(),
        });
    }
    walk.define(place, TypeDef::Object(ObjectDef { fields, rest }))
}

/// What members beyond the declared ones hold, where the schema asks for such members. An object that is merely open asks for none.
fn rest(walk: &mut Walk<'_>, schema: &Map<String, Value>, place: &Place) -> Option<Shape> {
    let path = with(&place.path, "value");
    let further = ["additionalProperties", "unevaluatedProperties"].into_iter().find_map(|keyword| {
        let shape = match schema.get(keyword)? {
            Value::Bool(false) => Shape::Any(AnyReason::Unsatisfiable),
            _ => walk.shape(&place.at.key(keyword), &path, Kinds::ALL),
        };
        Some(shape)
    });
    let patterns = schema.get("patternProperties").and_then(Value::as_object).filter(|patterns| !patterns.is_empty());
    let Some(patterns) = patterns else {
        return further.filter(|shape| *shape != Shape::Any(AnyReason::Unsatisfiable));
    };
    let Some(further) = further else { return Some(Shape::Any(AnyReason::PatternProperties)) };
    let at: Vec<Pointer> = patterns.keys().map(|key| place.at.key("patternProperties").key(key)).collect();
    let mut shapes: Vec<Shape> = at.iter().map(|at| walk.shape(at, &path, Kinds::ALL)).collect();
    shapes.push(further);
    Some(walk.join_all(shapes, &place.below("value")))
}

/// The shape with the members that conditions beside the type may declare: `then`, `else` and schemas for members that depend on others.
/// They are optional, whatever the condition says: whether it holds is for the validator.
pub(super) fn with_conditions(walk: &mut Walk<'_>, shape: Shape, schema: &Map<String, Value>, place: &Place) -> Shape {
    let mut conditions: Vec<Pointer> =
        ["then", "else"].into_iter().filter(|word| schema.contains_key(*word)).map(|word| place.at.key(word)).collect();
    for keyword in ["dependentSchemas", "dependencies"] {
        let schemas = schema.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let schemas = schemas.filter(|(_, schema)| schema.is_object());
        conditions.extend(schemas.map(|(name, _)| place.at.key(keyword).key(name)));
    }
    let Some(mut parts) = walk.parts(&shape).filter(|_| !conditions.is_empty()) else { return shape };
    let Some(before) = parts.of.get(&Part::Object).cloned() else { return shape };
    let Some(mut object) = walk.object_of(&before) else { return shape };
    let mut declared: Option<ObjectDef> = None;
    for condition in conditions {
        let shape = walk.shape(&condition, &place.path, Kinds::OBJECT);
        let Some(more) = walk.object_of(&shape) else { continue };
        declared = Some(match declared {
            Some(declared) => walk.join_objects(declared, more, &place.below("condition")),
            None => more,
        });
    }
    // What a condition merely names is nothing new, and neither is what is declared already.
    let mut added: BTreeMap<String, Field> = declared.unwrap_or_default().fields;
    added
        .retain(|name, field| field.shape != Shape::Any(AnyReason::Unconstrained) && !object.fields.contains_key(name));
    if added.is_empty() {
        return shape;
    }
    let conditional = |(name, field)| (name, Field { required: false, conditional: true, ..field });
    object.fields.extend(added.into_iter().map(conditional));
    // What was free to have any members still is.
    if let Shape::Map(rest) = before {
        object.rest.get_or_insert(*rest);
    }
    let several = parts.of.len() > 1;
    let object = walk.define(&place.of_part(Part::Object, several), TypeDef::Object(object));
    parts.of.insert(Part::Object, object);
    walk.assemble(parts, place)
}

/// Arguments as a type of their own: what has no members becomes a struct without any.
pub(super) fn as_struct(walk: &mut Walk<'_>, root: Shape) -> Shape {
    let place = Place { key: Pointer::root(), path: Vec::new(), at: Pointer::root() };
    let def = match root {
        Shape::Named(key) => match walk.def(&key) {
            Some(TypeDef::Object(_) | TypeDef::Tagged(_)) => return Shape::Named(key),
            _ => ObjectDef::default(),
        },
        // `{"type": "object"}` is how servers spell that there are no arguments.
        Shape::Map(rest) => {
            let root = walk.document.root();
            let words = ["anyOf", "oneOf", "allOf", "$ref", "if", "minProperties", "propertyNames"];
            let asked = root.get("additionalProperties").is_some_and(|rest| *rest != Value::Bool(false))
                || words.iter().any(|word| root.get(*word).is_some())
                || *rest != Shape::Any(AnyReason::Unconstrained);
            ObjectDef { fields: BTreeMap::new(), rest: asked.then_some(*rest) }
        }
        Shape::Any(reason) => ObjectDef { fields: BTreeMap::new(), rest: Some(Shape::Any(reason)) },
        _ => ObjectDef::default(),
    };
    walk.insert(&place, TypeDef::Object(def))
}

impl Walk<'_> {
    /// The members of a shape that is a struct, or could be written as one.
    pub(super) fn object_of(&mut self, shape: &Shape) -> Option<ObjectDef> {
        match shape {
            Shape::Map(rest) => {
                let rest = Some((**rest).clone()).filter(|rest| *rest != Shape::Any(AnyReason::Unconstrained));
                Some(ObjectDef { fields: BTreeMap::new(), rest })
            }
            Shape::Named(key) => match self.def(key)?.clone() {
                TypeDef::Object(object) => Some(object),
                TypeDef::Tagged(tagged) => Some(self.untagged(&tagged, key)),
                TypeDef::Enum(_) | TypeDef::Union(_) => None,
            },
            _ => None,
        }
    }

    /// The object part of a shape, where it has one.
    pub(super) fn object_part(&self, shape: &Shape) -> Option<Shape> {
        self.parts(shape)?.of.remove(&Part::Object)
    }
}
