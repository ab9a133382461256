//! Objects and arrays: what one alternative has inside and another does not take.

use std::collections::BTreeSet;

use super::facts::{Facts, Node, Types};
use super::prove::{Aside, Found, Kind, Obstacle, Prover, Site, Step, deeper, place};
use super::side::{Side, sorted};
use crate::json::Pointer;

impl Prover<'_, '_> {
    pub(super) fn object(&mut self, ours: &Facts, theirs: &Facts, path: &[Step]) -> Vec<Found> {
        let mut found = self.required(ours, theirs);
        for layer in &ours.objects.layers {
            for (name, at) in &layer.properties {
                found.extend(self.member(ours, theirs, path, name, at));
            }
        }
        found.extend(self.further(ours, theirs, path));
        found.extend(self.names(ours, theirs, path));
        found
    }

    fn required(&self, ours: &Facts, theirs: &Facts) -> Vec<Found> {
        let mut found = Vec::new();
        let here = |word: &str| (place(self.producer, ours, word), place(self.acceptor, theirs, word));
        if !theirs.objects.required.is_subset(&ours.objects.required) {
            let (ours, theirs) = here("required");
            found.push((Kind::Required, ours, theirs, None));
        }
        let mut count = ours.objects.count;
        count.least = count.least.max(ours.objects.required.len() as u64);
        if promises_only_declared(ours, &[Step::Further]) {
            let declared: BTreeSet<&String> = declared(ours).collect();
            let all = declared.len() as u64;
            count.most = Some(count.most.map_or(all, |most| most.min(all)));
        }
        if !count.within(theirs.objects.count) {
            let word = if count.least < theirs.objects.count.least { "minProperties" } else { "maxProperties" };
            let (ours, theirs) = here(word);
            found.push((Kind::Members, ours, theirs, None));
        }
        found
    }

    fn member(&mut self, ours: &Facts, theirs: &Facts, path: &[Step], name: &str, at: &Pointer) -> Vec<Found> {
        let (mine, other) = (self.producer.member(ours, name), self.acceptor.member(theirs, name));
        if self.producer.is_never(&mine) {
            return Vec::new();
        }
        let is_declared = theirs.objects.layers.iter().any(|layer| layer.properties.contains_key(name));
        let inner = [path, &[Step::Member(name.to_owned())]].concat();
        if !is_declared {
            let acceptor = other.first().cloned().unwrap_or_else(|| place(self.acceptor, theirs, "properties"));
            if self.acceptor.is_never(&other) {
                let gone = Obstacle {
                    kind: Kind::Member,
                    producer: at.clone(),
                    acceptor,
                    at: Site { path: inner, producer: mine, acceptor: other },
                    around: None,
                };
                return vec![deeper(gone)];
            }
            self.asides.push(Aside::Undeclared { producer: at.clone(), acceptor });
        }
        self.node(&mine, &other, &inner).into_iter().map(deeper).collect()
    }

    /// Members that the producer promises without naming them.
    fn further(&mut self, ours: &Facts, theirs: &Facts, path: &[Step]) -> Vec<Found> {
        let mut found = Vec::new();
        let (mine, other) = (Side::further(ours), Side::further(theirs));
        let inner = [path, &[Step::Further]].concat();
        let closed = self.acceptor.is_never(&other);
        if promises_only_declared(ours, path) {
            if closed && !self.producer.is_never(&mine) {
                let (producer, acceptor) = (place(self.producer, ours, "properties"), other[0].clone());
                self.asides.push(Aside::Closed { producer, acceptor });
            }
        } else if !self.producer.is_never(&mine) {
            if closed {
                let producer = mine.first().cloned().unwrap_or_else(|| place(self.producer, ours, "type"));
                let acceptor = other[0].clone();
                let at = Site { path: inner.clone(), producer: mine.clone(), acceptor: other.clone() };
                found.push(deeper(Obstacle { kind: Kind::Closed, producer, acceptor, at, around: None }));
            } else {
                found.extend(self.node(&mine, &other, &inner).into_iter().map(deeper));
            }
            // What the acceptor names and the producer does not.
            let named: BTreeSet<&String> = declared(theirs).collect();
            for name in named.into_iter().filter(|name| !declared(ours).any(|other| other == *name)) {
                let (mine, other) = (self.producer.member(ours, name), self.acceptor.member(theirs, name));
                let inner = [path, &[Step::Member(name.clone())]].concat();
                found.extend(self.node(&mine, &other, &inner).into_iter().map(deeper));
            }
        }
        found.extend(self.patterns(ours, theirs, path));
        found
    }

    /// Members that the producer names by a pattern. Where the acceptor has other patterns, all that it says must take them.
    fn patterns(&mut self, ours: &Facts, theirs: &Facts, path: &[Step]) -> Vec<Found> {
        let mut found = Vec::new();
        let patterns: Vec<(String, Pointer)> = ours
            .objects
            .layers
            .iter()
            .flat_map(|layer| layer.patterns.iter().map(|(pattern, at)| (pattern.clone(), at.clone())))
            .collect();
        for (pattern, at) in patterns {
            let mut all = Node::new();
            for layer in &theirs.objects.layers {
                if let Some(same) = layer.patterns.get(&pattern) {
                    all.push(same.clone());
                } else {
                    all.extend(layer.patterns.values().cloned());
                    all.extend(layer.additional.iter().map(|additional| additional.at.clone()));
                }
                let named = layer.properties.iter().filter(|(name, _)| self.acceptor.matches(&pattern, name));
                let named = named.filter(|(name, _)| !declared(ours).any(|other| other == *name));
                all.extend(named.map(|(_, at)| at.clone()));
            }
            let inner = [path, &[Step::Further]].concat();
            found.extend(self.node(&vec![at], &sorted(all), &inner).into_iter().map(deeper));
        }
        found
    }

    fn names(&mut self, ours: &Facts, theirs: &Facts, path: &[Step]) -> Vec<Found> {
        if theirs.objects.names.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let accepted = self.acceptor.branches(&sorted(theirs.objects.names.clone()));
        let takes = |name: &str| {
            accepted.as_ref().is_ok_and(|branches| {
                let text = Facts::any().exactly(&serde_json::Value::from(name));
                branches.iter().any(|facts| {
                    facts.opaque.is_empty()
                        && super::scalar::obstacles(self.producer, &text, self.acceptor, facts).is_empty()
                })
            })
        };
        let refused = declared(ours).any(|name| !takes(name));
        let here = (place(self.producer, ours, "propertyNames"), place(self.acceptor, theirs, "propertyNames"));
        if refused {
            found.push((Kind::Member, here.0.clone(), here.1.clone(), None));
        }
        let has_patterns = ours.objects.layers.iter().any(|layer| !layer.patterns.is_empty());
        let promises_more = !promises_only_declared(ours, path) && !self.producer.is_never(&Side::further(ours));
        if promises_more || has_patterns {
            let mine = sorted(ours.objects.names.clone());
            let fits = if mine.is_empty() {
                accepted.as_ref().is_ok_and(|branches| {
                    let text = Facts::any().only(Types::STRING);
                    branches.iter().any(|facts| {
                        facts.opaque.is_empty()
                            && super::scalar::obstacles(self.producer, &text, self.acceptor, facts).is_empty()
                    })
                })
            } else {
                self.node(&mine, &sorted(theirs.objects.names.clone()), path).is_empty()
            };
            if !fits {
                found.push((Kind::Closed, here.0, here.1, None));
            }
        }
        found
    }

    pub(super) fn array(&mut self, ours: &Facts, theirs: &Facts, path: &[Step]) -> Vec<Found> {
        let mut found = Vec::new();
        let (mine, other) = (&ours.arrays, &theirs.arrays);
        let here = |word: &str| (place(self.producer, ours, word), place(self.acceptor, theirs, word));
        let mut add = |word: &str| {
            let (ours, theirs) = here(word);
            found.push((Kind::Items, ours, theirs, None));
        };
        if !mine.count.within(other.count) {
            add(if mine.count.least < other.count.least { "minItems" } else { "maxItems" });
        }
        if other.unique && !mine.unique && mine.count.most.is_none_or(|most| most > 1) {
            add("uniqueItems");
        }
        let places = |facts: &Facts| facts.arrays.rows.iter().map(|row| row.places.len()).max().unwrap_or(0);
        let count = places(ours).max(places(theirs));
        // The last one stands for all that come behind the places.
        for index in 0..=count {
            if mine.count.most.is_some_and(|most| index as u64 >= most) {
                break;
            }
            let (mine, other) = (Side::element(ours, index), Side::element(theirs, index));
            let inner = [path, &[Step::Element(index)]].concat();
            if self.producer.is_never(&mine) {
                break;
            }
            found.extend(self.node(&mine, &other, &inner).into_iter().map(deeper));
        }
        found
    }
}

/// The members that an alternative names.
pub(super) fn declared(facts: &Facts) -> impl Iterator<Item = &String> {
    facts.objects.layers.iter().flat_map(|layer| layer.properties.keys())
}

/// Whether an object promises the members that it names and no others: it is closed, or open only because nobody closed it. An object that
/// names no members at all and is not closed is a free one, except for the arguments as a whole.
pub(super) fn promises_only_declared(facts: &Facts, path: &[Step]) -> bool {
    let layers = &facts.objects.layers;
    if layers.is_empty() {
        return path.is_empty();
    }
    let asks = |layer: &super::facts::Layer| {
        layer.additional.as_ref().is_some_and(|additional| !additional.closed) || !layer.patterns.is_empty()
    };
    !layers.iter().any(asks)
}
