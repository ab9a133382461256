//! From a schema to shapes.
//!
//! The walk goes over a schema that admission has bounded (64 levels, 50,000 values), follows references at most as deep again,
//! remembers what it has seen, and joins and meets with a budget, so it ends on every schema. Members are visited in the order of their
//! names: the same schema gives the same types, however its keys were shuffled.

use std::collections::BTreeMap;

use mcp_contract::json::Pointer;
use mcp_contract::schema::Document;
use serde_json::{Map, Value};

use super::kinds::{Kinds, allowed, beside_reference_counts, branches, conjuncts};
use super::parts::{Part, Parts, Place};
use super::{AnyReason, Lowered, NamedType, ObjectDef, Shape, TypeDef, TypeKey, part};
use super::{alternatives, array, object, scalar, settle, values};

/// How deep the walk goes through references and compositions.
const MAX_DEPTH: usize = 64;

/// How deep types nest. A compiler asks of each type whether it can be sent by asking its parts, six or so a level, and stops at 128.
const MAX_NESTING: usize = 16;

/// The most members that a struct has. A compiler follows a derived comparison down its members, and overflows its stack at some thousands.
const MAX_MEMBERS: usize = 500;

/// How many types, members and values one schema may have when all is made; of 4,121 real ones the largest has 3,071.
const MAX_ROOM: usize = 20_000;

/// How many shapes are compared, joined and met for one schema, and members made on the way; the most that a real one takes is 44,966 (147
/// alternatives, joined one by one).
const MAX_STEPS: usize = 1_000_000;

/// Lowers a schema of which only the values of some kinds matter: arguments are always an object.
pub(crate) fn lower(document: &Document, arguments: bool) -> Lowered {
    let mut walk = Walk {
        document,
        arguments,
        types: BTreeMap::new(),
        allowed: BTreeMap::new(),
        started: BTreeMap::new(),
        finals: BTreeMap::new(),
        open: Vec::new(),
        same: BTreeMap::new(),
        steps: MAX_STEPS,
        room: MAX_ROOM,
    };
    let kinds = if arguments { Kinds::OBJECT } else { Kinds::ALL };
    let root = walk.shape(&Pointer::root(), &[], kinds);
    let root = if arguments { object::as_struct(&mut walk, root) } else { root };
    settle::settle(walk, &root)
}

pub(super) struct Walk<'a> {
    pub(super) document: &'a Document,
    /// Whether the values are written by a caller and not read from a server.
    pub(super) arguments: bool,
    pub(super) types: BTreeMap<TypeKey, NamedType>,
    allowed: BTreeMap<Pointer, Kinds>,
    /// What the walk was in or has done: a schema with some kinds has a key of its own.
    pub(super) started: BTreeMap<TypeKey, Kinds>,
    /// What each of them became: each is walked once, however many references lead to it.
    pub(super) finals: BTreeMap<TypeKey, Shape>,
    /// The schemas on the way down, to notice a reference that leads back.
    open: Vec<TypeKey>,
    /// The pairs of types that were compared: each is worked out once, however many ways lead to it.
    pub(super) same: BTreeMap<(TypeKey, TypeKey), bool>,
    /// How many more steps may be taken.
    steps: usize,
    /// How many more types, members and values may be made.
    room: usize,
}

impl Walk<'_> {
    /// The shape of the schema at `pointer`, as far as values of some kinds go; `path` are the property names that lead there.
    pub(super) fn shape(&mut self, pointer: &Pointer, path: &[String], kinds: Kinds) -> Shape {
        let natural = self.allowed(pointer);
        let kinds = kinds & natural;
        let key = if kinds == natural { pointer.clone() } else { part(pointer, &kinds.bits().to_string()) };
        if let Some(shape) = self.finals.get(&key) {
            return shape.clone();
        }
        if self.open.contains(&key) {
            return Shape::Boxed(key);
        }
        if self.open.len() >= MAX_DEPTH || path.len() > MAX_NESTING {
            return Shape::Any(AnyReason::Large);
        }
        self.open.push(key.clone());
        self.started.insert(key.clone(), kinds);
        let place = Place { key: key.clone(), path: path.to_vec(), at: pointer.clone() };
        let shape = match self.document.at(pointer) {
            _ if kinds == Kinds::NONE => Shape::Any(AnyReason::Unsatisfiable),
            Some(Value::Object(schema)) => self.schema(schema, &place, kinds),
            _ => self.of_kinds(&Map::new(), &place, kinds),
        };
        self.open.pop();
        self.finals.insert(key, shape.clone());
        shape
    }

    fn allowed(&mut self, pointer: &Pointer) -> Kinds {
        if let Some(kinds) = self.allowed.get(pointer) {
            return *kinds;
        }
        let kinds = allowed(self.document, pointer, &self.allowed);
        self.allowed.insert(pointer.clone(), kinds);
        kinds
    }

    /// All that a schema says, keyword by keyword; what it says holds together.
    fn schema(&mut self, schema: &Map<String, Value>, place: &Place, kinds: Kinds) -> Shape {
        let counts = beside_reference_counts(self.document, &place.at);
        let mut shape = match scalar::listed_values(schema).filter(|_| counts) {
            Some(listed) => values::lower(self, &listed, place, kinds),
            // What only refers says nothing itself.
            None if !counts || refers_only(schema) => Shape::Any(AnyReason::Unconstrained),
            None => self.of_kinds(schema, place, kinds),
        };
        for conjunct in conjuncts(self.document, schema, &place.at) {
            let other = self.shape(&conjunct, &place.path, kinds);
            shape = self.meet(&shape, &other, place);
        }
        if !counts {
            return shape;
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = branches(schema, &place.at, keyword);
            if !branches.is_empty() {
                let inside = Place { key: place.key.key(keyword), ..place.clone() };
                let other = alternatives::lower(self, schema, &branches, &inside, kinds);
                shape = self.meet(&shape, &other, place);
            }
        }
        object::with_conditions(self, shape, schema, place)
    }

    /// What the keywords of single types say, for each type that is allowed.
    fn of_kinds(&mut self, schema: &Map<String, Value>, place: &Place, kinds: Kinds) -> Shape {
        let declares = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
        let objects = declares(&["properties", "additionalProperties", "patternProperties"]);
        let lists = declares(&["items", "prefixItems"]);
        // Nothing but perhaps `null` is ruled out: no type is named.
        let free = kinds | Kinds::NULL == Kinds::ALL;
        if free && !objects && !lists {
            let constrains = schema.keys().any(|keyword| scalar::is_assertion(keyword));
            return Shape::Any(if constrains { AnyReason::Untyped } else { AnyReason::Unconstrained });
        }
        let count = [Kinds::BOOL, Kinds::INTEGER | Kinds::FRACTION, Kinds::STRING, Kinds::ARRAY, Kinds::OBJECT];
        let several = free || count.into_iter().filter(|kind| kinds.has(*kind)).count() > 1;
        let mut parts = Parts { null: kinds.has(Kinds::NULL), of: BTreeMap::new() };
        let mut add = |part, shape| parts.of.insert(part, shape);
        if kinds.has(Kinds::OBJECT) && (!free || objects) {
            let shape = object::lower(self, schema, &place.of_part(Part::Object, several));
            add(Part::Object, shape);
        }
        if kinds.has(Kinds::ARRAY) && (!free || lists) {
            let shape = array::lower(self, schema, &place.of_part(Part::List, several));
            add(Part::List, shape);
        }
        if free {
            add(Part::Other, Shape::Any(AnyReason::Untyped));
        } else {
            let number = if kinds.has(Kinds::FRACTION) { Shape::F64 } else { scalar::integer(schema) };
            let scalars = [
                (Kinds::BOOL, Part::Bool, Shape::Bool),
                (Kinds::STRING, Part::Text, Shape::String),
                (Kinds::INTEGER | Kinds::FRACTION, Part::Number, number),
            ];
            scalars.into_iter().filter(|(kind, _, _)| kinds.has(*kind)).for_each(|(_, part, shape)| {
                add(part, shape);
            });
        }
        self.assemble(parts, place)
    }

    pub(super) fn define(&mut self, place: &Place, def: TypeDef) -> Shape {
        let def = match def {
            TypeDef::Object(object) if object.fields.len() > MAX_MEMBERS => {
                TypeDef::Object(ObjectDef { fields: BTreeMap::new(), rest: Some(Shape::Any(AnyReason::Large)) })
            }
            other => other,
        };
        let size = size(&def);
        // What stood here gives its room back; the work was done all the same.
        self.room += self.def(&place.key).map_or(0, self::size);
        self.room = self.room.saturating_sub(size);
        self.steps = self.steps.saturating_sub(size);
        if self.room == 0 {
            return Shape::Any(AnyReason::Large);
        }
        self.insert(place, def)
    }

    /// Puts a type at its place, whatever it costs.
    pub(super) fn insert(&mut self, place: &Place, def: TypeDef) -> Shape {
        let named = NamedType { path: place.path.clone(), at: place.at.clone(), def };
        if self.types.insert(place.key.clone(), named).is_some() {
            // What was known of another type at this place holds no more.
            self.same.clear();
        }
        Shape::Named(place.key.clone())
    }

    pub(super) fn def(&self, key: &TypeKey) -> Option<&TypeDef> {
        self.types.get(key).map(|named| &named.def)
    }

    /// Takes one step of the budget; false when it is used up, or when there is no room for what the step would make.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0 && self.room > 0
    }
}

/// What a type takes of the room there is: its members or values, and the text of them.
fn size(def: &TypeDef) -> usize {
    let texts = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| 1 + text.len() / 100).sum::<usize>();
    1 + match def {
        TypeDef::Object(object) => texts(&mut object.fields.keys()),
        TypeDef::Enum(def) => texts(&mut def.values.iter()),
        TypeDef::Union(union) => union.variants.len(),
        TypeDef::Tagged(tagged) => texts(&mut tagged.variants.iter().map(|variant| &variant.value)),
    }
}

/// Whether a schema says what it says by other schemas alone.
fn refers_only(schema: &Map<String, Value>) -> bool {
    let refers = ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf"];
    let speaks = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "items",
        "prefixItems",
    ];
    refers.iter().any(|word| schema.contains_key(*word)) && !speaks.iter().any(|word| schema.contains_key(*word))
}

/// A path with one more step.
pub(super) fn with(path: &[String], step: &str) -> Vec<String> {
    let mut longer = path.to_vec();
    longer.push(step.to_owned());
    longer
}
