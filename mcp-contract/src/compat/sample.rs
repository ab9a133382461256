//! Values that a schema should take: small ones, and those at its borders.
//!
//! Whatever is made here is judged by the validator before anybody is told of it, so a value that misses costs a look and proves nothing.

use serde_json::{Map, Value, json};

use super::amount::Amount;
use super::facts::{Facts, Node, Types};
use super::parts::{declared, promises_only_declared};
use super::prove::Step;
use super::side::{Side, sorted};
use super::words;

/// How deep a value goes.
const DEEPEST: usize = 12;

/// How many values are made for one place.
const MOST: usize = 60;

/// Makes values for one side, with an eye on the borders of the other.
pub(super) struct Sampler<'s, 'a> {
    pub(super) producer: &'s Side<'a>,
    pub(super) acceptor: &'s Side<'a>,
}

impl Sampler<'_, '_> {
    /// Values of the whole document that hold one of `leaves` at the end of a path.
    pub(super) fn embedded(&self, node: &Node, path: &[Step], leaves: &[Value], depth: usize) -> Vec<Value> {
        let Some((step, rest)) = path.split_first() else { return leaves.to_vec() };
        let Ok(branches) = self.producer.branches(node) else { return Vec::new() };
        let mut found = Vec::new();
        for facts in branches.iter() {
            let (mut around, inner, name) = match step {
                Step::Member(name) if facts.types.has(Types::OBJECT) => {
                    (self.object(facts, depth, &[]), self.producer.member(facts, name), name.clone())
                }
                Step::Further if facts.types.has(Types::OBJECT) => {
                    let name = self.free_name(facts);
                    (self.object(facts, depth, &[]), self.producer.member(facts, &name), name)
                }
                Step::Element(index) if facts.types.has(Types::ARRAY) => {
                    let around = self.array(facts, depth, index + 1);
                    (around, Side::element(facts, *index), index.to_string())
                }
                _ => continue,
            };
            if self.producer.is_never(&inner) {
                continue;
            }
            for value in self.embedded(&inner, rest, leaves, depth + 1) {
                match &mut around {
                    Value::Object(members) => drop(members.insert(name.clone(), value)),
                    Value::Array(elements) => {
                        let Some(place) = name.parse().ok().and_then(|index: usize| elements.get_mut(index)) else {
                            continue;
                        };
                        *place = value;
                    }
                    _ => continue,
                }
                found.push(around.clone());
                if found.len() >= 4 * MOST {
                    return found;
                }
            }
        }
        found
    }

    /// Values for one place: of each alternative of the producer, and at the borders of the acceptor.
    pub(super) fn values(&self, ours: &Node, theirs: &Node) -> Vec<Value> {
        let Ok(branches) = self.producer.branches(ours) else { return Vec::new() };
        let borders = self.acceptor.branches(theirs).unwrap_or_default();
        let mut found = Vec::new();
        for facts in branches.iter() {
            let mut of_branch = self.of(facts, 0);
            for single in facts.types.each() {
                let only = facts.only(single);
                for border in borders.iter() {
                    of_branch.extend(self.at_border(&only, border));
                }
            }
            of_branch.dedup();
            of_branch.truncate(MOST);
            found.extend(of_branch);
        }
        found.truncate(MOST * 8);
        found
    }

    /// One small value; `None` where none is found.
    fn one(&self, node: &Node, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let branches = self.producer.branches(node).ok()?;
        // A value that ends is tried before one that goes deeper.
        let simple = |facts: &&Facts| !facts.types.has(Types::OBJECT) && !facts.types.has(Types::ARRAY);
        let first = branches.iter().find(simple).or(branches.first())?;
        self.of(first, depth).into_iter().next()
    }

    /// Values of one alternative, the smallest first.
    fn of(&self, facts: &Facts, depth: usize) -> Vec<Value> {
        if let Some(values) = &facts.values {
            return values.clone();
        }
        let mut found = Vec::new();
        // What most schemas mean comes first; a schema without a type takes any.
        for single in [Types::STRING, Types::NUMBER, Types::BOOLEAN, Types::OBJECT, Types::ARRAY, Types::NULL] {
            if !facts.types.has(single) {
                continue;
            }
            match single {
                Types::STRING => found.extend(words::words(&facts.texts).into_iter().map(Value::from)),
                Types::NUMBER => found.extend(numbers(facts)),
                Types::BOOLEAN => found.extend([json!(true), json!(false)]),
                Types::NULL => found.push(Value::Null),
                Types::OBJECT => found.push(self.object(facts, depth, &[])),
                _ => found.push(self.array(facts, depth, 0)),
            }
        }
        found
    }

    /// Values of an alternative where another ends.
    fn at_border(&self, ours: &Facts, theirs: &Facts) -> Vec<Value> {
        if ours.values.is_some() {
            return Vec::new();
        }
        match ours.types {
            Types::NUMBER => {
                let bounds = [theirs.numbers.low, theirs.numbers.high];
                let around = |bound: super::facts::Bound| {
                    [true, false]
                        .into_iter()
                        .flat_map(move |whole| [bound.at.beside(whole, true), bound.at.beside(whole, false), bound.at])
                };
                bounds.into_iter().flatten().flat_map(around).filter_map(Amount::value).collect()
            }
            Types::STRING => words::at_border(&ours.texts, &theirs.texts),
            Types::ARRAY => self.arrays(ours, theirs),
            Types::OBJECT => self.objects(ours, theirs),
            _ => Vec::new(),
        }
    }

    /// Objects with each member that is declared, with all of them, and with those that nobody named.
    fn objects(&self, ours: &Facts, theirs: &Facts) -> Vec<Value> {
        let names: Vec<&String> = declared(ours).collect();
        let mut found: Vec<Value> = names.iter().take(MOST).map(|name| self.object(ours, 0, &[name])).collect();
        found.push(self.object(ours, 0, &names.iter().map(|name| name.as_str()).collect::<Vec<_>>()));
        if !promises_only_declared(ours, &[Step::Further]) {
            let free = self.free_name(ours);
            found.push(self.object(ours, 0, &[&free]));
            found.extend(declared(theirs).take(8).map(|name| self.object(ours, 0, &[name])));
            let most = theirs.objects.count.most.unwrap_or(0).min(100);
            let many: Vec<String> = (0..=most).map(|index| format!("{free}{index}")).collect();
            found.push(self.object(ours, 0, &many.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        found
    }

    fn arrays(&self, ours: &Facts, theirs: &Facts) -> Vec<Value> {
        let lengths =
            [0, 1, 2, theirs.arrays.count.least.saturating_sub(1), theirs.arrays.count.most.map_or(0, |most| most + 1)];
        let lengths = lengths.into_iter().filter(|length| ours.arrays.count.has(*length) && *length <= 300);
        lengths.filter_map(|length| Some(self.array(ours, 0, usize::try_from(length).ok()?))).collect()
    }

    /// A small object that holds some members beside those that it must.
    fn object(&self, facts: &Facts, depth: usize, wanted: &[&str]) -> Value {
        let mut members = Map::new();
        let required = facts.objects.required.iter().map(String::as_str);
        for name in required.chain(wanted.iter().copied()) {
            if members.contains_key(name) {
                continue;
            }
            if let Some(value) = self.one(&self.producer.member(facts, name), depth + 1) {
                members.insert(name.to_owned(), value);
            }
        }
        let mut optional = declared(facts);
        while (members.len() as u64) < facts.objects.count.least.min(50) {
            let Some(name) = optional.next() else { break };
            if let Some(value) = self.one(&self.producer.member(facts, name), depth + 1) {
                members.insert(name.clone(), value);
            }
        }
        Value::Object(members)
    }

    /// A small array of at least so many elements.
    fn array(&self, facts: &Facts, depth: usize, wanted: usize) -> Value {
        let least = usize::try_from(facts.arrays.count.least).unwrap_or(usize::MAX).min(300);
        let mut elements: Vec<Value> = Vec::new();
        for index in 0..wanted.max(least) {
            let node = Side::element(facts, index);
            let next = match self.producer.branches(&node) {
                Ok(branches) if facts.arrays.unique => {
                    let values = branches.iter().flat_map(|facts| self.of(facts, depth + 1));
                    values.into_iter().find(|value| !elements.contains(value))
                }
                _ => self.one(&node, depth + 1),
            };
            elements.extend(next);
        }
        Value::Array(elements)
    }

    /// A name that nobody declared.
    fn free_name(&self, facts: &Facts) -> String {
        let patterns = facts.objects.layers.iter().flat_map(|layer| layer.patterns.keys());
        let mut names: Vec<String> = patterns.flat_map(|pattern| words::matching(pattern)).collect();
        if let Ok(branches) = self.producer.branches(&sorted(facts.objects.names.clone())) {
            names.extend(branches.iter().flat_map(|names| words::words(&names.texts)).filter(|name| !name.is_empty()));
        }
        names.insert(0, "further".to_owned());
        let is_free = |name: &&String| !declared(facts).any(|other| other == *name);
        let takes = |name: &&String| !self.producer.is_never(&self.producer.member(facts, name));
        names.iter().filter(is_free).find(takes).cloned().unwrap_or_else(|| "further".to_owned())
    }
}

fn numbers(facts: &Facts) -> Vec<Value> {
    let (low, high) = facts.numbers.bounds(facts.numbers.whole);
    let mut amounts = vec![Amount::Whole(1), Amount::Whole(0), Amount::Whole(2), Amount::Whole(-1)];
    for bound in low.into_iter().chain(high) {
        amounts.extend([bound.at, bound.at.beside(true, true), bound.at.beside(true, false)]);
    }
    let first = low.or(high).map_or(Amount::Whole(0), |bound| bound.at);
    for multiple in &facts.numbers.multiples {
        amounts.extend([*multiple, nearest(first, *multiple)]);
    }
    amounts.extend([
        Amount::Real(1.5),
        Amount::Real(-0.5),
        Amount::Whole(1 << 53),
        Amount::Whole(-(1 << 53)),
        Amount::Whole(1_000_000),
    ]);
    amounts.into_iter().filter(|amount| facts.numbers.has(*amount)).filter_map(Amount::value).collect()
}

/// A multiple that is not less.
fn nearest(at: Amount, multiple: Amount) -> Amount {
    match (at, multiple) {
        (Amount::Whole(at), Amount::Whole(multiple)) if multiple > 0 => {
            Amount::Whole((at + multiple - 1).div_euclid(multiple) * multiple)
        }
        (_, multiple) => multiple,
    }
}
