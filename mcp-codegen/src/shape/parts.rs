//! A shape taken apart by JSON's types, and put together again.
//!
//! Alternatives and conditions are worked out type by type: what a schema says of strings has nothing to do with what it says of
//! arrays. Values of different JSON types can always be told apart, so a union over these parts is exact.

use std::collections::BTreeMap;

use mcp_contract::json::Pointer;

use super::kinds::Kinds;
use super::lower::{Walk, with};
use super::{AnyReason, NamedType, Shape, TypeDef, TypeKey, UnionDef, part};

/// One of JSON's types, as far as a variant is made for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Bool,
    Number,
    List,
    Object,
    Text,
    /// Every type that has no variant of its own.
    Other,
}

impl Part {
    /// The name of the variant.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "Bool",
            Self::Number => "Number",
            Self::Text => "Text",
            Self::List => "List",
            Self::Object => "Object",
            Self::Other => "Other",
        }
    }

    fn step(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::List => "list",
            Self::Object => "object",
            Self::Other => "other",
        }
    }
}

/// Where a type that is about to be made will stand.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) key: TypeKey,
    pub(super) path: Vec<String>,
    /// The schema it is made from.
    pub(super) at: Pointer,
}

impl Place {
    /// The place of what the name says, inside this one.
    pub(super) fn below(&self, name: &str) -> Self {
        Self { key: part(&self.key, name), path: with(&self.path, name), at: self.at.clone() }
    }

    /// The place of a member: its name is foreign and must not be taken for one of ours.
    pub(super) fn member(&self, name: &str) -> Self {
        Self { key: part(&self.key, ".").key(name), ..self.below(name) }
    }

    /// The place of one of several parts.
    pub(super) fn of_part(&self, part: Part, several: bool) -> Self {
        if several { self.below(part.step()) } else { self.clone() }
    }
}

/// The parts of a shape.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) null: bool,
    pub(super) of: BTreeMap<Part, Shape>,
}

impl Parts {
    pub(super) fn one(part: Part, shape: Shape) -> Self {
        Self { null: false, of: [(part, shape)].into() }
    }
}

impl Walk<'_> {
    /// The parts of a shape; `None` for one that is not known by its type.
    pub(super) fn parts(&self, shape: &Shape) -> Option<Parts> {
        Some(match shape {
            Shape::Any(_) => return None,
            Shape::Boxed(at) => self.unfinished(at)?,
            Shape::Null => Parts { null: true, of: BTreeMap::new() },
            Shape::Bool => Parts::one(Part::Bool, shape.clone()),
            Shape::I64 | Shape::U64 | Shape::F64 => Parts::one(Part::Number, shape.clone()),
            Shape::String => Parts::one(Part::Text, shape.clone()),
            Shape::List(_) | Shape::Tuple(_) => Parts::one(Part::List, shape.clone()),
            Shape::Map(_) => Parts::one(Part::Object, shape.clone()),
            Shape::Nullable(inner) => Parts { null: true, ..self.parts(inner)? },
            Shape::Named(key) => match self.def(key)? {
                TypeDef::Union(union) => Parts { null: false, of: union.variants.clone() },
                TypeDef::Enum(_) => Parts::one(Part::Text, shape.clone()),
                TypeDef::Object(_) | TypeDef::Tagged(_) => Parts::one(Part::Object, shape.clone()),
            },
        })
    }

    /// A schema that is still being made, where it is known to be of one type.
    fn unfinished(&self, at: &TypeKey) -> Option<Parts> {
        let allowed = *self.started.get(at)?;
        let kinds = [
            (Kinds::BOOL, Part::Bool),
            (Kinds::INTEGER | Kinds::FRACTION, Part::Number),
            (Kinds::STRING, Part::Text),
            (Kinds::ARRAY, Part::List),
            (Kinds::OBJECT, Part::Object),
        ];
        let mut parts = kinds.into_iter().filter(|(kind, _)| allowed.has(*kind)).map(|(_, part)| part);
        let part = parts.next().filter(|_| parts.next().is_none())?;
        Some(Parts { null: allowed.has(Kinds::NULL), ..Parts::one(part, Shape::Boxed(at.clone())) })
    }

    /// The shape that has these parts; a union stands at `place`.
    pub(super) fn assemble(&mut self, parts: Parts, place: &Place) -> Shape {
        let Parts { null, mut of } = parts;
        of.retain(|_, shape| *shape != Shape::Any(AnyReason::Unsatisfiable));
        let shape = match of.len() {
            0 if null => return Shape::Null,
            0 => return Shape::Any(AnyReason::Unsatisfiable),
            1 => of.into_values().next().expect("there is one"),
            _ => {
                for (part, shape) in &mut of {
                    self.make_room(shape, place, *part);
                    self.tell_apart(shape, place, *part);
                }
                self.define(place, TypeDef::Union(UnionDef { variants: of }))
            }
        };
        if null { nullable(shape) } else { shape }
    }

    /// A part that stands where the union will stand moves below it.
    fn make_room(&mut self, shape: &mut Shape, place: &Place, part: Part) {
        if *shape != Shape::Named(place.key.clone()) {
            return;
        }
        if let Some(NamedType { def, .. }) = self.types.get(&place.key).cloned() {
            *shape = self.define(&place.below(part.step()), def);
        }
    }

    /// A type that was made inside a union would have the union's own name.
    fn tell_apart(&mut self, shape: &Shape, place: &Place, part: Part) {
        let Shape::Named(key) = shape else { return };
        if let Some(named) = self.types.get_mut(key).filter(|named| *key != place.key && named.path == place.path) {
            named.path.push(part.step().to_owned());
        }
    }
}

/// The shape, or `null`.
pub(super) fn nullable(shape: Shape) -> Shape {
    match shape {
        Shape::Any(_) | Shape::Null | Shape::Nullable(_) => shape,
        other => Shape::Nullable(Box::new(other)),
    }
}
