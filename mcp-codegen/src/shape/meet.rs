//! The shape of values that two schemas both accept.
//!
//! Every such value has either shape, so where the exact meet would need a type that neither is, one of the two stands for both; only
//! objects are always merged, because each side declares members of its own.

use std::collections::BTreeMap;

use super::lower::Walk;
use super::parts::{Part, Parts, Place};
use super::values;
use super::{AnyReason, Field, ObjectDef, Shape, TypeDef};

impl Walk<'_> {
    /// The meet of two shapes; types that it needs stand at `place`.
    pub(super) fn meet(&mut self, a: &Shape, b: &Shape, place: &Place) -> Shape {
        if a == b {
            return a.clone();
        }
        if !self.step() {
            return Shape::Any(AnyReason::Large);
        }
        match (a, b) {
            (Shape::Any(AnyReason::Unsatisfiable), _) | (_, Shape::Any(AnyReason::Unsatisfiable)) => {
                return Shape::Any(AnyReason::Unsatisfiable);
            }
            // What could not be told says nothing of the members that it has.
            (Shape::Any(AnyReason::Union), _) | (_, Shape::Any(AnyReason::Union)) => {
                return Shape::Any(AnyReason::Union);
            }
            // What is only known not to be a type says less than the other.
            (Shape::Any(_), other) | (other, Shape::Any(_)) => return other.clone(),
            // What is still being made holds every value that it accepts.
            (unfinished @ Shape::Boxed(_), other) | (other, unfinished @ Shape::Boxed(_)) => {
                let declares = self.object_of(other).is_some_and(|object| !object.fields.is_empty());
                return if declares { Shape::Any(AnyReason::Union) } else { unfinished.clone() };
            }
            _ => {}
        }
        let (Some(a), Some(b)) = (self.parts(a), self.parts(b)) else { return a.clone() };
        let pairs: Vec<(Part, Shape, Shape)> = pairs(&a.of, &b.of);
        let several = pairs.len() > 1;
        let mut of = BTreeMap::new();
        for (part, first, second) in pairs {
            let shape = self.meet_part(part, &first, &second, &place.of_part(part, several));
            of.insert(part, shape);
        }
        self.assemble(Parts { null: a.null && b.null, of }, place)
    }

    /// Two shapes of one JSON type.
    fn meet_part(&mut self, part: Part, a: &Shape, b: &Shape, place: &Place) -> Shape {
        if a == b {
            return a.clone();
        }
        match (part, a, b) {
            (Part::Number, Shape::F64, other) | (Part::Number, other, _) => other.clone(),
            (Part::Text, ..) => self.meet_texts(a, b, place),
            (Part::List, Shape::List(a), Shape::List(b)) => {
                Shape::List(Box::new(self.meet(a, b, &place.below("item"))))
            }
            (Part::List, Shape::List(_), tuple) => tuple.clone(),
            (Part::Object, ..) => self.meet_objects(a, b, place),
            (Part::Bool | Part::List | Part::Other, ..) => a.clone(),
        }
    }

    fn meet_texts(&mut self, a: &Shape, b: &Shape, place: &Place) -> Shape {
        let closed = |walk: &Self, shape: &Shape| match shape {
            Shape::Named(key) => match walk.def(key) {
                Some(TypeDef::Enum(def)) if !def.open => Some(def.values.clone()),
                _ => None,
            },
            _ => None,
        };
        match (closed(self, a), closed(self, b)) {
            (Some(first), Some(second)) => {
                let both: Vec<String> = first.into_iter().filter(|value| second.contains(value)).collect();
                if both.is_empty() {
                    Shape::Any(AnyReason::Unsatisfiable)
                } else {
                    values::strings_of(self, both, false, place)
                }
            }
            (None, Some(_)) => b.clone(),
            (None, None) if *a == Shape::String => b.clone(),
            (_, None) => a.clone(),
        }
    }

    fn meet_objects(&mut self, a: &Shape, b: &Shape, place: &Place) -> Shape {
        // What any object fulfils adds nothing.
        let free =
            |shape: &Shape| matches!(shape, Shape::Map(value) if **value == Shape::Any(AnyReason::Unconstrained));
        if free(a) {
            return b.clone();
        }
        if free(b) {
            return a.clone();
        }
        if let (Shape::Map(a), Shape::Map(b)) = (a, b) {
            return Shape::Map(Box::new(self.meet(a, b, &place.below("value"))));
        }
        let (Some(first), Some(second)) = (self.object_of(a), self.object_of(b)) else { return a.clone() };
        let mut fields = first.fields;
        for (name, other) in second.fields {
            let met = match fields.remove(&name) {
                Some(field) => self.meet_fields(field, other, &place.member(&name)),
                None => other,
            };
            fields.insert(name, met);
        }
        let rest = match (first.rest, second.rest) {
            (Some(a), Some(b)) => Some(self.meet(&a, &b, &place.below("value"))),
            (one, other) => one.or(other),
        };
        self.define(place, TypeDef::Object(ObjectDef { fields, rest }))
    }

    /// What holds only under a condition gives way to what always holds.
    fn meet_fields(&mut self, a: Field, b: Field, place: &Place) -> Field {
        let named = |field: &Field| field.shape == Shape::Any(AnyReason::Unconstrained);
        let (first, second) = (a.conditional && !named(&b), b.conditional && !named(&a));
        let shape = match (first, second) {
            (true, true) => self.join_all(vec![a.shape.clone(), b.shape.clone()], place),
            (true, false) => b.shape.clone(),
            (false, true) => a.shape.clone(),
            (false, false) => self.meet(&a.shape, &b.shape, place),
        };
        Field {
            shape,
            required: a.required || b.required,
            conditional: a.conditional && b.conditional,
            doc: a.doc.or(b.doc),
            at: if first { b.at } else { a.at },
        }
    }
}

/// The parts that both have. The part for every other type stands for each type that the other side names.
fn pairs(a: &BTreeMap<Part, Shape>, b: &BTreeMap<Part, Shape>) -> Vec<(Part, Shape, Shape)> {
    let other =
        |parts: &BTreeMap<Part, Shape>, part: &Part| parts.get(part).or_else(|| parts.get(&Part::Other)).cloned();
    let mut names: Vec<Part> = a.keys().chain(b.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let pair = |part: Part| {
        let (first, second) = (other(a, &part)?, other(b, &part)?);
        let known = |one: Shape, instead: &Shape| if matches!(one, Shape::Any(_)) { instead.clone() } else { one };
        let (first, second) = (known(first.clone(), &second), known(second, &first));
        Some((part, first, second))
    };
    names.into_iter().filter_map(pair).collect()
}
