//! Which of JSON's kinds of value a schema allows at most.
//!
//! Keywords speak of one kind each (`properties` of objects, `items` of arrays) and are silent about all others, so what a schema without
//! `type` means depends on where it stands: a branch `{"required": ["id"]}` below `"type": "object"` is about objects. The
//! kinds are worked out before the shapes, through references and compositions.

use std::collections::BTreeMap;
use std::ops::{BitAnd, BitOr};

use mcp_contract::json::Pointer;
use mcp_contract::schema::Document;
use serde_json::{Map, Value};

use super::scalar;

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(2);
    /// Numbers without a fractional part.
    pub(super) const INTEGER: Self = Self(4);
    /// Numbers with one.
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// What a name in `type` stands for.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "integer" => Self::INTEGER,
            "number" => Self::INTEGER | Self::FRACTION,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::NONE,
        }
    }

    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOL,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => Self::FRACTION,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }
}

impl BitAnd for Kinds {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How many schemas are looked at for one answer. Beyond it everything is allowed, which is never wrong.
const MAX_STEPS: usize = 2_000;

/// The kinds that the schema at `pointer` allows at most.
pub(super) fn allowed(document: &Document, pointer: &Pointer, known: &BTreeMap<Pointer, Kinds>) -> Kinds {
    Search { document, known, open: Vec::new(), steps: 0 }.of_schema(pointer)
}

struct Search<'a> {
    document: &'a Document,
    known: &'a BTreeMap<Pointer, Kinds>,
    open: Vec<Pointer>,
    steps: usize,
}

impl Search<'_> {
    fn of_schema(&mut self, pointer: &Pointer) -> Kinds {
        if let Some(kinds) = self.known.get(pointer) {
            return *kinds;
        }
        self.steps += 1;
        if self.steps > MAX_STEPS || self.open.contains(pointer) {
            return Kinds::ALL;
        }
        let document = self.document;
        let schema = match document.at(pointer) {
            Some(Value::Bool(false)) => return Kinds::NONE,
            Some(Value::Object(schema)) => schema,
            _ => return Kinds::ALL,
        };
        self.open.push(pointer.clone());
        let counts = beside_reference_counts(document, pointer);
        let mut kinds = if counts { own(schema) } else { Kinds::ALL };
        for conjunct in conjuncts(document, schema, pointer) {
            kinds = kinds & self.of_schema(&conjunct);
        }
        for keyword in ["anyOf", "oneOf"].into_iter().filter(|_| counts) {
            let branches = branches(schema, pointer, keyword);
            if !branches.is_empty() {
                let any = |kinds, branch: &Pointer| kinds | self.of_schema(branch);
                kinds = kinds & branches.iter().fold(Kinds::NONE, any);
            }
        }
        self.open.pop();
        kinds
    }
}

fn own(schema: &Map<String, Value>) -> Kinds {
    let union = |kinds: Kinds, other: Kinds| kinds | other;
    let types = scalar::types(schema).map(|types| types.into_iter().map(Kinds::named).fold(Kinds::NONE, union));
    let values = scalar::listed_values(schema);
    let values = values.map(|values| values.iter().map(Kinds::of_value).fold(Kinds::NONE, union));
    types.unwrap_or(Kinds::ALL) & values.unwrap_or(Kinds::ALL)
}

/// Whether what stands beside a reference counts: the drafts before 2019-09 ignore it.
pub(super) fn beside_reference_counts(document: &Document, pointer: &Pointer) -> bool {
    document.target(pointer).is_none() || document.reads_beside_references()
}

/// The schemas that must hold as well as the one at `pointer`.
pub(super) fn conjuncts(document: &Document, schema: &Map<String, Value>, pointer: &Pointer) -> Vec<Pointer> {
    let mut found: Vec<Pointer> = document.target(pointer).cloned().into_iter().collect();
    if beside_reference_counts(document, pointer) {
        found.extend(branches(schema, pointer, "allOf"));
    }
    found
}

/// The schemas listed under a keyword.
pub(super) fn branches(schema: &Map<String, Value>, pointer: &Pointer, keyword: &str) -> Vec<Pointer> {
    let count = schema.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
    (0..count).map(|index| pointer.key(keyword).index(index)).collect()
}
