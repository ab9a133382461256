//! The smallest shape that holds the values of two others.

use std::collections::BTreeMap;

use super::lower::Walk;
use super::parts::{Part, Parts, Place};
use super::values;
use super::{AnyReason, Field, FieldDoc, ObjectDef, Shape, TypeDef};

impl Walk<'_> {
    /// The join of some shapes; types that it needs stand at `place`.
    pub(super) fn join_all(&mut self, shapes: Vec<Shape>, place: &Place) -> Shape {
        let mut different: Vec<Shape> = Vec::new();
        for shape in shapes {
            let known =
                shape == Shape::Any(AnyReason::Unsatisfiable) || different.iter().any(|other| self.same(other, &shape));
            if !known {
                different.push(shape);
            }
        }
        if let Some(any) = different.iter().find(|shape| matches!(shape, Shape::Any(_))) {
            return any.clone();
        }
        match different.as_slice() {
            [] => return Shape::Any(AnyReason::Unsatisfiable),
            [only] => return only.clone(),
            [unfinished @ Shape::Boxed(_), Shape::Null] | [Shape::Null, unfinished @ Shape::Boxed(_)] => {
                return Shape::Nullable(Box::new(unfinished.clone()));
            }
            _ => {}
        }
        // All of them at once: whether there are several types is known before the first one gets its place.
        let Some(parts) = different.iter().map(|shape| self.parts(shape)).collect::<Option<Vec<Parts>>>() else {
            return Shape::Any(AnyReason::Union);
        };
        let null = parts.iter().any(|parts| parts.null);
        let mut by_part: BTreeMap<Part, Vec<Shape>> = BTreeMap::new();
        for (part, shape) in parts.into_iter().flat_map(|parts| parts.of) {
            by_part.entry(part).or_default().push(shape);
        }
        let several = by_part.len() > 1;
        let mut of = BTreeMap::new();
        for (part, shapes) in by_part {
            let inside = place.of_part(part, several);
            let mut shapes = shapes.into_iter();
            let mut joined = shapes.next().expect("a part has a shape");
            for shape in shapes {
                if !self.step() {
                    return Shape::Any(AnyReason::Large);
                }
                joined = self.join_part(part, &joined, &shape, &inside);
            }
            of.insert(part, joined);
        }
        self.assemble(Parts { null, of }, place)
    }

    fn join(&mut self, a: &Shape, b: &Shape, place: &Place) -> Shape {
        self.join_all(vec![a.clone(), b.clone()], place)
    }

    /// Two shapes of one JSON type.
    fn join_part(&mut self, part: Part, a: &Shape, b: &Shape, place: &Place) -> Shape {
        if self.same(a, b) {
            return a.clone();
        }
        match part {
            Part::Bool => Shape::Bool,
            Part::Number => Shape::F64,
            Part::Text => self.join_texts(a, b, place),
            // Of a list that is still being made the elements are not known.
            Part::List if matches!(a, Shape::Boxed(_)) || matches!(b, Shape::Boxed(_)) => {
                Shape::List(Box::new(Shape::Any(AnyReason::Union)))
            }
            Part::List => {
                let elements = elements(a).into_iter().chain(elements(b)).collect();
                Shape::List(Box::new(self.join_all(elements, &place.below("item"))))
            }
            Part::Object => self.join_object_shapes(a, b, place),
            Part::Other => a.clone(),
        }
    }

    fn join_texts(&mut self, a: &Shape, b: &Shape, place: &Place) -> Shape {
        let values = |walk: &Self, shape: &Shape| match shape {
            Shape::Named(key) => match walk.def(key) {
                Some(TypeDef::Enum(def)) => (def.values.clone(), def.open),
                _ => (Vec::new(), true),
            },
            _ => (Vec::new(), true),
        };
        let ((mut all, open), (more, also)) = (values(self, a), values(self, b));
        all.extend(more);
        values::strings_of(self, all, open || also, place)
    }

    fn join_object_shapes(&mut self, a: &Shape, b: &Shape, place: &Place) -> Shape {
        if let (Shape::Map(a), Shape::Map(b)) = (a, b) {
            return Shape::Map(Box::new(self.join(a, b, &place.below("value"))));
        }
        // A map of anything beside declared members: any object is valid, whatever its members hold.
        let free = |shape: &Shape| matches!(shape, Shape::Map(value) if matches!(**value, Shape::Any(_)));
        if let Some(map) = [a, b].into_iter().find(|shape| free(shape)) {
            return map.clone();
        }
        match (self.object_of(a), self.object_of(b)) {
            (Some(a), Some(b)) => {
                let object = self.join_objects(a, b, place);
                self.define(place, TypeDef::Object(object))
            }
            _ => Shape::Any(AnyReason::Union),
        }
    }

    /// One struct for two objects: a member is required where it is in both.
    pub(super) fn join_objects(&mut self, a: ObjectDef, b: ObjectDef, place: &Place) -> ObjectDef {
        let mut fields = a.fields;
        for (name, field) in fields.iter_mut().filter(|(name, _)| !b.fields.contains_key(*name)) {
            self.beside(field, b.rest.as_ref(), &place.member(name));
        }
        for (name, other) in b.fields {
            let joined = if let Some(field) = fields.remove(&name) {
                self.join_fields(field, other, &place.member(&name))
            } else {
                let mut field = other;
                self.beside(&mut field, a.rest.as_ref(), &place.member(&name));
                field
            };
            fields.insert(name, joined);
        }
        let rest = match (a.rest, b.rest) {
            (Some(a), Some(b)) => Some(self.join(&a, &b, &place.below("value"))),
            (one, other) => one.or(other),
        };
        ObjectDef { fields, rest }
    }

    /// A member that only one alternative declares. The other one may say what it holds by what it says of all further members.
    fn beside(&mut self, field: &mut Field, rest: Option<&Shape>, place: &Place) {
        field.required = false;
        match rest {
            Some(rest) if !matches!(rest, Shape::Any(_)) => field.shape = self.join(&field.shape.clone(), rest, place),
            _ => field.conditional = true,
        }
    }

    /// A member that one alternative merely names has the type that another one declares.
    fn join_fields(&mut self, a: Field, b: Field, place: &Place) -> Field {
        let named = |field: &Field| field.shape == Shape::Any(AnyReason::Unconstrained);
        let shape = match (named(&a), named(&b)) {
            (true, _) => b.shape.clone(),
            (_, true) => a.shape.clone(),
            _ => self.join(&a.shape, &b.shape, place),
        };
        Field {
            shape,
            required: a.required && b.required,
            conditional: a.conditional || b.conditional || named(&a) != named(&b),
            at: if named(&a) { b.at } else { a.at },
            doc: a.doc.or(b.doc),
        }
    }

    /// Whether two shapes are the same type, wherever they stand and whatever is said of their members.
    pub(super) fn same(&mut self, a: &Shape, b: &Shape) -> bool {
        if a == b {
            return true;
        }
        match (a, b) {
            (Shape::List(a), Shape::List(b))
            | (Shape::Map(a), Shape::Map(b))
            | (Shape::Nullable(a), Shape::Nullable(b)) => self.same(a, b),
            (Shape::Tuple(a), Shape::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b)),
            (Shape::Named(a), Shape::Named(b)) => {
                let pair = (a.clone(), b.clone());
                if let Some(known) = self.same.get(&pair) {
                    return *known;
                }
                let same = match (self.def(a).cloned(), self.def(b).cloned()) {
                    (Some(a), Some(b)) => self.step() && self.same_definitions(&a, &b),
                    _ => false,
                };
                self.same.insert(pair, same);
                same
            }
            _ => false,
        }
    }

    fn same_definitions(&mut self, a: &TypeDef, b: &TypeDef) -> bool {
        match (a, b) {
            (TypeDef::Enum(a), TypeDef::Enum(b)) => a == b,
            (TypeDef::Object(a), TypeDef::Object(b)) => {
                let rest = match (&a.rest, &b.rest) {
                    (Some(a), Some(b)) => self.same(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                rest && a.fields.len() == b.fields.len()
                    && a.fields.iter().zip(&b.fields).all(|((name, a), (other, b))| {
                        name == other && a.required == b.required && self.same(&a.shape, &b.shape)
                    })
            }
            (TypeDef::Union(a), TypeDef::Union(b)) => {
                a.variants.len() == b.variants.len()
                    && a.variants
                        .iter()
                        .zip(&b.variants)
                        .all(|((part, a), (other, b))| part == other && self.same(a, b))
            }
            _ => false,
        }
    }
}

/// The shapes of the elements of a list or tuple.
fn elements(shape: &Shape) -> Vec<Shape> {
    match shape {
        Shape::List(element) => vec![(**element).clone()],
        Shape::Tuple(elements) => elements.clone(),
        _ => Vec::new(),
    }
}

impl FieldDoc {
    /// What is said of a member in one place or the other.
    pub(super) fn or(self, other: FieldDoc) -> FieldDoc {
        FieldDoc {
            description: self.description.or(other.description),
            constraints: if self.constraints.is_empty() { other.constraints } else { self.constraints },
            null_default: self.null_default || other.null_default,
        }
    }
}
