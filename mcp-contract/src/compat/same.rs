//! Schemas that say the same in the same words, prose aside.
//!
//! Most of a changed definition is unchanged; this finds that out quickly, and it is the only comparison for keywords that nothing else
//! here understands. References are followed on both sides, so that a definition that moved is still the same.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::amount::equal;
use crate::json::Pointer;
use crate::schema::{Document, subschemas};

/// What does not bear on which values are taken.
const PROSE: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "id",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords whose elements have no order.
const SETS: &[&str] = &["required", "enum", "type"];

/// Two documents that are compared.
pub(super) struct Same<'a> {
    one: &'a Document,
    other: &'a Document,
    /// Whether both are read by one dialect.
    alike: bool,
    assumed: BTreeSet<(Pointer, Pointer)>,
}

impl<'a> Same<'a> {
    pub(super) fn new(one: &'a Document, other: &'a Document) -> Self {
        Self { one, other, alike: one.dialect() == other.dialect(), assumed: BTreeSet::new() }
    }

    /// Whether two schemas are the same.
    pub(super) fn schemas(&mut self, one: &Pointer, other: &Pointer) -> bool {
        if !self.assumed.insert((one.clone(), other.clone())) {
            // Met again on the way: nothing differs until something does.
            return true;
        }
        let (one, other) = (target(self.one, one), target(self.other, other));
        let same = match (self.one.at(&one), self.other.at(&other)) {
            (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
                let words: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
                self.references(&one, &other)
                    && words.into_iter().all(|word| self.keyword(word, (&one, ours), (&other, theirs)))
            }
            (ours, theirs) => ours == theirs,
        };
        if !same {
            // What was assumed on the way to this may be wrong.
            self.assumed.clear();
        }
        same
    }

    /// Whether some keywords of two schemas are the same.
    pub(super) fn keywords(&mut self, one: &Pointer, other: &Pointer, keywords: &[&str]) -> bool {
        match (self.one.at(one), self.other.at(other)) {
            (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
                keywords.iter().all(|word| self.keyword(word, (one, ours), (other, theirs)))
            }
            _ => false,
        }
    }

    fn references(&mut self, one: &Pointer, other: &Pointer) -> bool {
        match (self.one.target(one).cloned(), self.other.target(other).cloned()) {
            (None, None) => true,
            // What stands beside a reference counts in some dialects only.
            (Some(one), Some(other)) => self.alike && self.schemas(&one, &other),
            _ => false,
        }
    }

    fn keyword(
        &mut self,
        word: &str,
        one: (&Pointer, &Map<String, Value>),
        other: (&Pointer, &Map<String, Value>),
    ) -> bool {
        if PROSE.contains(&word) {
            return true;
        }
        let (ours, theirs) = match (one.1.get(word), other.1.get(word)) {
            (Some(ours), Some(theirs)) => (ours, theirs),
            // A keyword that nobody knows says nothing.
            (ours, theirs) => return ours.or(theirs).is_none() || !is_constraint(word),
        };
        if !self.alike && !means_the_same_everywhere(word, ours) {
            return false;
        }
        let inner = |members: &Map<String, Value>| {
            let one: Map<String, Value> = [(word.to_owned(), members[word].clone())].into_iter().collect();
            subschemas(&one).into_iter().map(|(at, _, _)| at).collect::<Vec<_>>()
        };
        let (our_schemas, their_schemas) = (inner(one.1), inner(other.1));
        if our_schemas.is_empty() && their_schemas.is_empty() {
            return !is_constraint(word) || values(word, ours, theirs);
        }
        // Of `dependencies` some members are schemas and others are not.
        let plain = |value: &Value| {
            let members = value.as_object().map(|members| {
                members.iter().filter(|(_, member)| member.is_array()).map(|(key, list)| (key.clone(), list.clone()))
            });
            members.map(Iterator::collect::<Map<String, Value>>)
        };
        our_schemas == their_schemas
            && (word != "dependencies" || plain(ours) == plain(theirs))
            && our_schemas.iter().all(|at| self.schemas(&one.0.join(at), &other.0.join(at)))
    }
}

/// The schema that a mere reference stands for.
fn target(document: &Document, at: &Pointer) -> Pointer {
    let mut at = at.clone();
    let mut steps = 0;
    while let (Some(target), Some(Value::Object(members))) = (document.target(&at), document.at(&at)) {
        let ignored = !document.reads_beside_references();
        if steps > 64 || !(ignored || members.keys().all(|key| PROSE.contains(&key.as_str()) || !is_constraint(key))) {
            break;
        }
        at = target.clone();
        steps += 1;
    }
    at
}

fn values(word: &str, ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) if SETS.contains(&word) => {
            let all = |some: &[Value], of: &[Value]| some.iter().all(|one| of.iter().any(|other| equal(one, other)));
            all(ours, theirs) && all(theirs, ours)
        }
        _ => equal(ours, theirs),
    }
}

/// Whether a keyword with this value is read alike by all dialects.
fn means_the_same_everywhere(word: &str, value: &Value) -> bool {
    match word {
        "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "minContains"
        | "maxContains"
        | "const"
        | "contains"
        | "propertyNames"
        | "if" => false,
        "items" => !value.is_array(),
        "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        _ => true,
    }
}

/// Whether a keyword bears on which values are taken, in some dialect.
pub(crate) fn is_constraint(word: &str) -> bool {
    const KNOWN: &[&str] = &[
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    ];
    KNOWN.binary_search(&word).is_ok()
}
