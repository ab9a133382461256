//! From a schema to shapes.
//!
//! The walk goes over a schema that admission has bounded (64 levels, 50,000 values), follows references at most as deep again, and
//! remembers what it has named, so it ends on every schema. Members are visited in the order of their names: the same schema gives
//! the same types, however its keys were shuffled.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::json::Pointer;
use mcp_contract::schema::Document;
use serde_json::{Map, Value};

use super::{AnyReason, EnumDef, Lowered, NamedType, ObjectDef, Shape, TypeDef, TypeKey};
use super::{object, scalar, union};

/// How deep the walk goes through references and nesting together.
const MAX_DEPTH: usize = 48;

/// The most values for which an enumeration is a type.
const MAX_VALUES: usize = 200;

/// Lowers a schema. The root becomes an object type wherever it allows objects at all.
pub(crate) fn lower(document: &Document) -> Lowered {
    let mut walk =
        Walk { document, types: BTreeMap::new(), done: BTreeMap::new(), open: Vec::new(), untyped: BTreeSet::new() };
    let root = walk.shape(&Pointer::root(), &[]);
    let Walk { types, untyped, .. } = walk;
    Lowered { types: reachable(&root, types), untyped: outermost(&untyped), root }
}

/// The types that the root leads to: branches of an alternative that became any JSON have left theirs behind.
fn reachable(root: &Shape, mut types: BTreeMap<TypeKey, Option<NamedType>>) -> BTreeMap<TypeKey, NamedType> {
    let mut kept = BTreeMap::new();
    let mut pending = vec![root.clone()];
    while let Some(shape) = pending.pop() {
        match shape {
            Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => pending.push(*inner),
            Shape::Named(key) | Shape::Boxed(key) => {
                let Some(named) = types.remove(&key).flatten() else { continue };
                if let TypeDef::Object(object) = &named.def {
                    pending.extend(object.fields.values().map(|field| field.shape.clone()));
                    pending.extend(object.rest.clone());
                }
                kept.insert(key, named);
            }
            Shape::Any(_) | Shape::Bool | Shape::I64 | Shape::U64 | Shape::F64 | Shape::String => {}
        }
    }
    kept
}

/// Without the parts that lie inside another one.
fn outermost(untyped: &BTreeSet<(Pointer, AnyReason)>) -> Vec<(Pointer, AnyReason)> {
    let pointers: Vec<String> = untyped.iter().map(|(pointer, _)| format!("{}/", pointer.as_str())).collect();
    let inside =
        |pointer: &Pointer| pointers.iter().any(|outer| outer.len() > 1 && pointer.as_str().starts_with(outer));
    untyped.iter().filter(|(pointer, _)| !inside(pointer)).cloned().collect()
}

pub(super) struct Walk<'a> {
    pub(super) document: &'a Document,
    /// `None` while a type is being made: what refers to it then stands inside itself.
    types: BTreeMap<TypeKey, Option<NamedType>>,
    /// The shapes of the schemas that were walked: each is walked once, however many references lead to it.
    done: BTreeMap<Pointer, Shape>,
    /// The schemas on the way down, to notice a reference that leads back.
    open: Vec<Pointer>,
    untyped: BTreeSet<(Pointer, AnyReason)>,
}

impl Walk<'_> {
    /// The shape of the schema at `pointer`; `path` are the property names that lead there.
    pub(super) fn shape(&mut self, pointer: &Pointer, path: &[String]) -> Shape {
        if let Some(shape) = self.done.get(pointer) {
            return shape.clone();
        }
        if let Some(None) = self.types.get(pointer) {
            let schema = self.document.at(pointer).and_then(Value::as_object);
            let nullable = schema.and_then(scalar::types).is_some_and(|types| types.contains(&"null"));
            return nullable_if(Shape::Boxed(pointer.clone()), nullable);
        }
        if self.open.contains(pointer) || self.open.len() >= MAX_DEPTH {
            return self.any(pointer, AnyReason::Large);
        }
        self.open.push(pointer.clone());
        let shape = match self.document.at(pointer) {
            Some(Value::Bool(false)) => self.any(pointer, AnyReason::Unsatisfiable),
            Some(Value::Object(schema)) => self.object_schema(schema, pointer, path),
            _ => Shape::Any(AnyReason::Unconstrained),
        };
        self.open.pop();
        self.done.insert(pointer.clone(), shape.clone());
        shape
    }

    fn object_schema(&mut self, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
        if let Some(target) = self.document.target(pointer).cloned() {
            return self.reference(&target, schema, pointer, path);
        }
        if let Some(values) = scalar::listed_values(schema) {
            return self.values(&values, schema, pointer, path);
        }
        let Some(types) = scalar::types(schema) else {
            return self.untyped_schema(schema, pointer, path);
        };
        let nullable = types.contains(&"null");
        let rest: Vec<&str> = types.into_iter().filter(|name| *name != "null").collect();
        let shape = match rest[..] {
            ["object"] => object::lower(self, schema, pointer, path),
            ["array"] => self.array(schema, pointer, path),
            ["string"] => Shape::String,
            ["boolean"] => Shape::Bool,
            ["integer"] => scalar::integer(schema),
            ["number"] | ["integer", "number"] => Shape::F64,
            _ => self.any(pointer, if rest.is_empty() { AnyReason::MixedValues } else { AnyReason::Union }),
        };
        let shape = union::refine(self, shape, schema, pointer, path);
        nullable_if(shape, nullable)
    }

    /// A schema without `type`: what it declares tells its shape.
    fn untyped_schema(&mut self, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
        if schema.contains_key("anyOf") || schema.contains_key("oneOf") {
            return union::lower(self, schema, pointer, path);
        }
        if schema.contains_key("allOf") {
            return union::all_of(self, schema, pointer, path);
        }
        if schema.contains_key("properties") {
            // Without `type` other values than objects are valid as well; a caller has no use for them, but a result may
            // hold them, so only the root, which is always an object, takes the properties at their word.
            if pointer.as_str().is_empty() {
                return object::lower(self, schema, pointer, path);
            }
            return self.any(pointer, AnyReason::Composition);
        }
        let says_nothing = schema.keys().all(|keyword| scalar::is_annotation(keyword));
        if pointer.as_str().is_empty() {
            return object::lower(self, schema, pointer, path);
        }
        if says_nothing { Shape::Any(AnyReason::Unconstrained) } else { self.any(pointer, AnyReason::Composition) }
    }

    fn reference(
        &mut self,
        target: &Pointer,
        schema: &Map<String, Value>,
        pointer: &Pointer,
        path: &[String],
    ) -> Shape {
        let refers = |keyword: &str| matches!(keyword, "$ref" | "$dynamicRef" | "$recursiveRef");
        if schema.keys().any(|keyword| !refers(keyword) && !scalar::is_annotation(keyword)) {
            return self.any(pointer, AnyReason::Composition);
        }
        self.shape(target, path)
    }

    fn values(&mut self, values: &[Value], schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
        let nullable = values.contains(&Value::Null);
        let rest: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        let all = |test: fn(&Value) -> bool| !rest.is_empty() && rest.iter().all(|value| test(value));
        let shape = if all(Value::is_string) {
            let strings = rest.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect();
            self.string_enum(strings, pointer, path)
        } else if all(Value::is_boolean) {
            Shape::Bool
        } else if all(Value::is_i64) {
            Shape::I64
        } else if all(Value::is_number) {
            Shape::F64
        } else {
            return self.any(pointer, AnyReason::MixedValues);
        };
        let allowed = scalar::types(schema).is_none_or(|types| !nullable || types.contains(&"null"));
        nullable_if(shape, nullable && allowed)
    }

    /// An enumeration type for some strings; one string where they are too many for a type.
    pub(super) fn string_enum(&mut self, mut values: Vec<String>, pointer: &Pointer, path: &[String]) -> Shape {
        let mut seen = BTreeSet::new();
        values.retain(|value| seen.insert(value.clone()));
        if values.len() > MAX_VALUES {
            return Shape::String;
        }
        self.define(pointer, path, TypeDef::Enum(EnumDef { values }))
    }

    fn array(&mut self, schema: &Map<String, Value>, pointer: &Pointer, path: &[String]) -> Shape {
        let tuple = schema.contains_key("prefixItems") || schema.get("items").is_some_and(Value::is_array);
        if tuple {
            return Shape::List(Box::new(self.any(pointer, AnyReason::Tuple)));
        }
        let element = match schema.get("items") {
            Some(_) => self.shape(&pointer.key("items"), &with(path, "item")),
            None => Shape::Any(AnyReason::Unconstrained),
        };
        Shape::List(Box::new(element))
    }

    /// Gives up on a part of the schema, and keeps account of it.
    pub(super) fn any(&mut self, pointer: &Pointer, reason: AnyReason) -> Shape {
        self.untyped.insert((pointer.clone(), reason));
        Shape::Any(reason)
    }

    /// Marks a type as being made, so that references inside it lead to it.
    pub(super) fn begin(&mut self, pointer: &Pointer) {
        self.types.insert(pointer.clone(), None);
    }

    pub(super) fn define(&mut self, pointer: &Pointer, path: &[String], def: TypeDef) -> Shape {
        self.types.insert(pointer.clone(), Some(NamedType { path: path.to_vec(), def }));
        Shape::Named(pointer.clone())
    }

    /// The object type at a key, where there is one.
    pub(super) fn object_at(&self, shape: &Shape) -> Option<&ObjectDef> {
        match shape {
            Shape::Named(key) => match self.types.get(key)?.as_ref()?.def {
                TypeDef::Object(ref object) => Some(object),
                TypeDef::Enum(_) => None,
            },
            _ => None,
        }
    }

    /// Opens an object type for members that conditions elsewhere in its schema may declare.
    pub(super) fn widen(&mut self, shape: &Shape) {
        if let Shape::Named(key) = shape
            && let Some(Some(NamedType { def: TypeDef::Object(object), .. })) = self.types.get_mut(key)
        {
            object.rest.get_or_insert(Shape::Any(AnyReason::Unconstrained));
        }
    }

    /// The values of the enumeration at a key, where there is one.
    pub(super) fn enum_values(&self, shape: &Shape) -> Option<Vec<String>> {
        match shape {
            Shape::Named(key) => match &self.types.get(key)?.as_ref()?.def {
                TypeDef::Enum(values) => Some(values.values.clone()),
                TypeDef::Object(_) => None,
            },
            _ => None,
        }
    }
}

pub(super) fn nullable_if(shape: Shape, nullable: bool) -> Shape {
    match shape {
        Shape::Any(_) | Shape::Nullable(_) => shape,
        other if nullable => Shape::Nullable(Box::new(other)),
        other => other,
    }
}

/// A path with one more step.
pub(super) fn with(path: &[String], step: &str) -> Vec<String> {
    let mut longer = path.to_vec();
    longer.push(step.to_owned());
    longer
}
