//! Objects that one member tells apart.
//!
//! Where every alternative is an object and one member has a single value in each, another one each time, that member is a tag, and
//! which alternative a value is can be read off it. Other objects cannot be told apart without trying, and what is tried first would
//! win and lose members; they become one struct instead.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::lower::{Walk, with};
use super::parts::Place;
use super::{Field, FieldDoc, ObjectDef, Shape, TaggedDef, TypeDef, TypeKey, Variant, part};
use crate::shape::values;

impl Walk<'_> {
    /// The tagged type of some objects, where a tag can be found.
    pub(super) fn tagged(&mut self, shapes: &[Shape], schema: &Map<String, Value>, place: &Place) -> Option<Shape> {
        if !self.step() {
            return None;
        }
        let objects: Vec<(TypeKey, ObjectDef)> = shapes
            .iter()
            .map(|shape| match shape {
                Shape::Named(key) => match self.def(key)? {
                    TypeDef::Object(object) => Some((key.clone(), object.clone())),
                    _ => None,
                },
                _ => None,
            })
            .collect::<Option<_>>()?;
        let (_, first) = objects.first().filter(|_| objects.len() > 1)?;
        let named = schema.get("discriminator").and_then(|word| word.get("propertyName")).and_then(Value::as_str);
        let mut candidates = named.into_iter().chain(first.fields.keys().map(String::as_str));
        let (tag, values) = candidates.find_map(|tag| Some((tag.to_owned(), self.tag_values(tag, &objects)?)))?;
        let variants = objects.into_iter().zip(values).map(|((key, mut object), value)| {
            object.fields.remove(&tag);
            let empty = object.fields.is_empty() && object.rest.is_none();
            let description = self.described(&key);
            let content = if empty { None } else { Some(self.variant(&key, object, place, &value)?) };
            Some(Variant { value, content, description })
        });
        let variants = variants.collect::<Option<_>>()?;
        Some(self.define(place, TypeDef::Tagged(TaggedDef { tag, variants })))
    }

    /// The value of a member in each object; `None` where it is missing, has several, or where two objects have the same.
    fn tag_values(&self, tag: &str, objects: &[(TypeKey, ObjectDef)]) -> Option<Vec<String>> {
        let mut seen = BTreeSet::new();
        objects
            .iter()
            .map(|(_, object)| self.tag_value(object.fields.get(tag)?).filter(|v| seen.insert(v.clone())))
            .collect()
    }

    fn tag_value(&self, field: &Field) -> Option<String> {
        let Shape::Named(key) = &field.shape else { return None };
        match self.def(key)? {
            // A caller always writes the tag; a server may leave out what it need not send.
            TypeDef::Enum(def) if (field.required || self.arguments) && !def.open => match def.values.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of an object without its tag; `None` where there is no room for it.
    fn variant(&mut self, key: &TypeKey, object: ObjectDef, place: &Place, value: &str) -> Option<TypeKey> {
        let at = self.types.get(key).map_or_else(|| place.at.clone(), |named| named.at.clone());
        let variant = part(&place.key, &format!("={}", key.as_str()));
        let place = Place { key: variant, path: with(&place.path, value), at };
        match self.define(&place, TypeDef::Object(object)) {
            Shape::Named(key) => Some(key),
            _ => None,
        }
    }

    fn described(&self, key: &TypeKey) -> Option<String> {
        let schema = self.document.at(&self.types.get(key)?.at)?;
        schema.get("description").and_then(Value::as_str).map(str::to_owned)
    }

    /// A tagged type as one struct, for where it has to share its members with others.
    pub(super) fn untagged(&mut self, tagged: &TaggedDef, key: &TypeKey) -> ObjectDef {
        let named = self.types.get(key).cloned();
        let (path, at) = named.map_or_else(Default::default, |named| (named.path, named.at));
        let place = Place { key: part(key, "untagged"), path, at };
        let mut whole: Option<ObjectDef> = None;
        for variant in &tagged.variants {
            let object = variant.content.as_ref().and_then(|key| self.object_of(&Shape::Named(key.clone())));
            let object = object.unwrap_or_default();
            whole = Some(match whole {
                Some(whole) => self.join_objects(whole, object, &place),
                None => object,
            });
        }
        let mut whole = whole.unwrap_or_default();
        let values = tagged.variants.iter().map(|variant| variant.value.clone()).collect();
        let shape = values::strings_of(self, values, false, &place.member(&tagged.tag));
        let tag = Field {
            shape,
            required: true,
            conditional: false,
            at: place.at.key("properties").key(&tagged.tag),
            doc: FieldDoc::default(),
        };
        whole.fields.insert(tagged.tag.clone(), tag);
        whole
    }
}
