//! One of two schemas that are compared, read alternative by alternative.
//!
//! `anyOf`, `oneOf` and references are multiplied out, up to a bound, so that what follows deals with plain conjunctions. A keyword that
//! does not fit into one is kept by its place and compared by its spelling: that loses proofs, never truth.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::amount::Amount;
use super::disjoint;
use super::facts::{Additional, Bound, Facts, Layer, Node, Opaque, Row, Types};
use crate::json::Pointer;
use crate::pattern::Pattern;
use crate::schema::{Dialect, Document};

/// How many alternatives a schema may have.
const MOST_BRANCHES: usize = 400;

/// How many schemas are read one inside the other, to tell alternatives apart.
const MOST_PENDING: usize = 4;

/// How deep references and compositions are followed at one place.
const DEEPEST: usize = 40;

/// A schema has too many alternatives to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The alternatives of a schema.
pub(super) type Branches = Rc<Vec<Facts>>;

/// One of the two schemas.
pub(super) struct Side<'a> {
    pub(super) document: &'a Document,
    dialect: Dialect,
    known: RefCell<BTreeMap<Node, Result<Branches, TooLarge>>>,
    /// What is being read right now, one inside the other.
    pending: RefCell<BTreeSet<Node>>,
    /// The compiled keys of `patternProperties`.
    patterns: RefCell<BTreeMap<String, Option<Pattern>>>,
}

impl<'a> Side<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self {
            document,
            dialect: document.dialect(),
            known: RefCell::default(),
            pending: RefCell::default(),
            patterns: RefCell::default(),
        }
    }

    /// The alternatives of schemas that hold together.
    pub(super) fn branches(&self, node: &Node) -> Result<Branches, TooLarge> {
        if let Some(known) = self.known.borrow().get(node) {
            return known.clone();
        }
        // To read `oneOf` its alternatives are told apart by their members, which may refer back to it.
        if self.pending.borrow().len() >= MOST_PENDING || !self.pending.borrow_mut().insert(node.clone()) {
            return Err(TooLarge);
        }
        let found = self.together(node, 0).map(Rc::new);
        self.pending.borrow_mut().remove(node);
        self.known.borrow_mut().insert(node.clone(), found.clone());
        found
    }

    /// Whether no value satisfies the schemas, as far as can be seen at once.
    pub(super) fn is_never(&self, node: &Node) -> bool {
        self.branches(node).is_ok_and(|branches| branches.is_empty())
    }

    /// The schemas of an object's member.
    pub(super) fn member(&self, facts: &Facts, name: &str) -> Node {
        let mut node = Node::new();
        for layer in &facts.objects.layers {
            let declared = layer.properties.get(name);
            let matching = layer.patterns.iter().filter(|(pattern, _)| self.matches(pattern, name)).map(|(_, at)| at);
            let found: Vec<&Pointer> = declared.into_iter().chain(matching).collect();
            match &layer.additional {
                Some(additional) if found.is_empty() => node.push(additional.at.clone()),
                _ => node.extend(found.into_iter().cloned()),
            }
        }
        sorted(node)
    }

    /// Whether a key of `patternProperties` takes a name.
    pub(super) fn matches(&self, pattern: &str, name: &str) -> bool {
        let mut patterns = self.patterns.borrow_mut();
        let compiled = patterns.entry(pattern.to_owned()).or_insert_with(|| Pattern::compile(pattern).ok());
        compiled.as_ref().is_some_and(|pattern| pattern.is_match(name))
    }

    /// The schemas of a member that nobody named.
    pub(super) fn further(facts: &Facts) -> Node {
        let further = facts.objects.layers.iter().filter_map(|layer| layer.additional.as_ref());
        sorted(further.map(|additional| additional.at.clone()).collect())
    }

    /// The schemas of an element.
    pub(super) fn element(facts: &Facts, index: usize) -> Node {
        let at = |row: &Row| row.places.get(index).or(row.rest.as_ref()).cloned();
        sorted(facts.arrays.rows.iter().filter_map(at).collect())
    }

    fn together(&self, node: &Node, depth: usize) -> Result<Vec<Facts>, TooLarge> {
        let mut all = vec![Facts::any()];
        for pointer in node {
            all = both(&all, &self.schema(pointer, depth)?)?;
        }
        Ok(all)
    }

    /// The alternatives of one schema.
    fn schema(&self, at: &Pointer, depth: usize) -> Result<Vec<Facts>, TooLarge> {
        if depth > DEEPEST {
            return Err(TooLarge);
        }
        let members = match self.document.at(at) {
            Some(Value::Bool(false)) => return Ok(Vec::new()),
            Some(Value::Object(members)) => members,
            _ => return Ok(vec![Facts::any()]),
        };
        let mut all = vec![Facts::any()];
        if let Some(target) = self.document.target(at) {
            all = self.schema(target, depth + 1)?;
            if self.dialect < Dialect::Draft201909 {
                return Ok(all);
            }
        }
        let Some(own) = self.own(at, members).settled() else { return Ok(Vec::new()) };
        all = both(&all, &[own])?;
        for (keyword, exclusive) in [("anyOf", false), ("oneOf", true)] {
            let Some(Value::Array(alternatives)) = members.get(keyword) else { continue };
            let mut union = Vec::new();
            let mut starts = Vec::new();
            for index in 0..alternatives.len() {
                starts.push(union.len());
                union.extend(self.schema(&at.key(keyword).index(index), depth + 1)?);
                if union.len() > MOST_BRANCHES {
                    return Err(TooLarge);
                }
            }
            if exclusive && !disjoint::pairwise(self, &union, &starts) {
                let opaque = Opaque { at: at.clone(), keywords: &["oneOf"] };
                for facts in &mut union {
                    facts.opaque.push(opaque.clone());
                }
            }
            all = both(&all, &union)?;
        }
        if let Some(Value::Array(parts)) = members.get("allOf") {
            for index in 0..parts.len() {
                all = both(&all, &self.schema(&at.key("allOf").index(index), depth + 1)?)?;
            }
        }
        Ok(all)
    }

    /// What a schema says itself, compositions aside.
    fn own(&self, at: &Pointer, members: &Map<String, Value>) -> Facts {
        let mut facts = Facts::any();
        facts.at = vec![at.clone()];
        if let Some(types) = members.get("type") {
            let names: Vec<&str> = match types {
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                name => name.as_str().into_iter().collect(),
            };
            facts.types = names.iter().fold(Types::NONE, |types, name| types.or(Types::named(name)));
            facts.numbers.whole = names.contains(&"integer") && !names.contains(&"number");
        }
        let listed = members.get("enum").and_then(Value::as_array).cloned();
        let constant =
            members.get("const").filter(|_| self.dialect >= Dialect::Draft6).map(|value| vec![value.clone()]);
        facts.values = match (listed, constant) {
            (Some(listed), Some(constant)) => {
                Some(listed.into_iter().filter(|value| super::amount::equal(value, &constant[0])).collect())
            }
            (listed, constant) => listed.or(constant),
        };
        self.numbers(members, &mut facts);
        self.texts(members, &mut facts);
        self.objects(at, members, &mut facts);
        self.arrays(at, members, &mut facts);
        Self::opaque(at, members, &mut facts);
        facts
    }

    fn numbers(&self, members: &Map<String, Value>, facts: &mut Facts) {
        let amount = |keyword: &str| members.get(keyword).and_then(Amount::of);
        let bound = |limit: &str, exclusive: &str| {
            // In draft 4 the word is a flag beside the bound.
            let flag = members.get(exclusive) == Some(&Value::Bool(true));
            let closed = amount(limit).map(|at| Bound { at, open: self.dialect == Dialect::Draft4 && flag });
            let open = amount(exclusive).map(|at| Bound { at, open: true });
            (closed, open)
        };
        for (limit, exclusive, high) in [("minimum", "exclusiveMinimum", false), ("maximum", "exclusiveMaximum", true)]
        {
            let (closed, open) = bound(limit, exclusive);
            for bound in closed.into_iter().chain(open) {
                let mut one = super::facts::Numbers::default();
                if high {
                    one.high = Some(bound);
                } else {
                    one.low = Some(bound);
                }
                facts.numbers.and(&one);
            }
        }
        facts.numbers.multiples.extend(amount("multipleOf"));
    }

    fn texts(&self, members: &Map<String, Value>, facts: &mut Facts) {
        facts.texts.length = count(members, "minLength", "maxLength");
        let text = |keyword: &str| members.get(keyword).and_then(Value::as_str);
        facts.texts.patterns.extend(text("pattern").map(str::to_owned));
        let asserted = self.dialect < Dialect::Draft201909;
        facts.texts.formats.extend(text("format").map(|format| (format.to_owned(), asserted)));
    }

    fn objects(&self, at: &Pointer, members: &Map<String, Value>, facts: &mut Facts) {
        let inside = |keyword: &str| {
            let named = members.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys);
            named.map(|name| (name.clone(), at.key(keyword).key(name))).collect::<BTreeMap<String, Pointer>>()
        };
        if ["properties", "patternProperties", "additionalProperties"].iter().any(|word| members.contains_key(*word)) {
            let closed = |value: &Value| *value == Value::Bool(false);
            let additional = members.get("additionalProperties");
            facts.objects.layers.push(Layer {
                properties: inside("properties"),
                patterns: inside("patternProperties"),
                additional: additional
                    .map(|value| Additional { at: at.key("additionalProperties"), closed: closed(value) }),
            });
        }
        let names = members.get("required").and_then(Value::as_array).into_iter().flatten();
        facts.objects.required = names.filter_map(Value::as_str).map(str::to_owned).collect();
        facts.objects.count = count(members, "minProperties", "maxProperties");
        if members.contains_key("propertyNames") && self.dialect >= Dialect::Draft6 {
            facts.objects.names = vec![at.key("propertyNames")];
        }
    }

    fn arrays(&self, at: &Pointer, members: &Map<String, Value>, facts: &mut Facts) {
        let (places, rest) = match (members.get("prefixItems"), members.get("items")) {
            (Some(Value::Array(places)), rest) if self.dialect == Dialect::Draft202012 => {
                (("prefixItems", places.len()), rest.map(|_| at.key("items")))
            }
            (_, Some(Value::Array(places))) => {
                (("items", places.len()), members.get("additionalItems").map(|_| at.key("additionalItems")))
            }
            (_, rest) => (("", 0), rest.map(|_| at.key("items"))),
        };
        if places.1 > 0 || rest.is_some() {
            let places = (0..places.1).map(|index| at.key(places.0).index(index)).collect();
            facts.arrays.rows.push(Row { places, rest });
        }
        facts.arrays.count = count(members, "minItems", "maxItems");
        facts.arrays.unique = members.get("uniqueItems") == Some(&Value::Bool(true));
    }

    fn opaque(at: &Pointer, members: &Map<String, Value>, facts: &mut Facts) {
        const GROUPS: &[&[&str]] = &[
            &["not"],
            &["if", "then", "else"],
            &["contains", "minContains", "maxContains"],
            &["dependencies"],
            &["dependentRequired"],
            &["dependentSchemas"],
            &["unevaluatedProperties"],
            &["unevaluatedItems"],
        ];
        for group in GROUPS {
            if members.contains_key(group[0]) {
                facts.opaque.push(Opaque { at: at.clone(), keywords: group });
            }
        }
    }
}

/// Every pair that can hold together.
fn both(one: &[Facts], other: &[Facts]) -> Result<Vec<Facts>, TooLarge> {
    if one.len().saturating_mul(other.len()) > MOST_BRANCHES {
        return Err(TooLarge);
    }
    Ok(one.iter().flat_map(|one| other.iter().filter_map(|other| one.and(other))).collect())
}

pub(super) fn sorted(node: Node) -> Node {
    node.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

fn count(members: &Map<String, Value>, least: &str, most: &str) -> super::facts::Count {
    let size = |keyword: &str| members.get(keyword).and_then(Amount::of);
    let size = |keyword: &str| match size(keyword) {
        Some(Amount::Whole(whole)) => u64::try_from(whole).ok(),
        _ => None,
    };
    super::facts::Count { least: size(least).unwrap_or(0), most: size(most) }
}
