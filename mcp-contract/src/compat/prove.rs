//! The proof that what one schema promises, another takes.
//!
//! The *producer's* values must all be values of the *acceptor*: for arguments the old schema produces and the new one accepts, for results
//! the other way round. A producer's object that is open only because nobody closed it promises the members it declares and no others;
//! an acceptor is read to the letter. What cannot be proved is an obstacle with its place, for which a witness is then looked for. The proof
//! is structural and sound; it is not complete, which is why an obstacle alone proves nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use super::disjoint::disjoint;
use super::facts::{Facts, Node, Opaque, Types};
use super::same::Same;
use super::side::Side;
use crate::json::Pointer;

/// How many pairs of places and of alternatives are compared before the proof is given up.
const MOST_STEPS: u32 = 100_000;

/// How deep a proof goes.
const DEEPEST: usize = 48;

/// What stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A type that is not taken.
    Type,
    /// A value that is not among those listed.
    Values,
    /// A number out of range, or not a multiple.
    Range,
    /// A string that is too short or too long.
    Length,
    /// A string that need not match a pattern.
    Pattern,
    /// A string that need not be of a format.
    Format,
    /// A member that must be there.
    Required,
    /// A member that is not taken any more.
    Member,
    /// Members that nobody named and that are not taken.
    Closed,
    /// Too few or too many members.
    Members,
    /// Too few, too many or repeated elements.
    Items,
    /// No alternative takes it.
    Alternatives,
    /// A condition that is only compared by its spelling.
    Condition,
    /// More than is looked at.
    Extent,
}

/// A step from a value into it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Member(String),
    Further,
    Element(usize),
}

/// Where a proof fails.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    pub(super) kind: Kind,
    pub(super) producer: Pointer,
    pub(super) acceptor: Pointer,
    pub(super) at: Site,
    /// The innermost place around it where the acceptor has several alternatives: the instance may need more than one part.
    pub(super) around: Option<Site>,
}

/// A place in the instance, and the schemas of both sides for it.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) path: Vec<Step>,
    pub(super) producer: Node,
    pub(super) acceptor: Node,
}

/// What no instance shows, and yet is a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Aside {
    /// The producer declares a member that the acceptor takes without declaring it.
    Undeclared { producer: Pointer, acceptor: Pointer },
    /// The producer's object is open only by default, the acceptor's is closed, and every declared member is taken.
    Closed { producer: Pointer, acceptor: Pointer },
}

/// A proof in the making.
pub(super) struct Prover<'s, 'a> {
    pub(super) producer: &'s Side<'a>,
    pub(super) acceptor: &'s Side<'a>,
    same: Same<'a>,
    /// What is taken for proved: by an earlier step, or because it is being proved right now.
    assumed: BTreeSet<(Node, Node)>,
    trail: Vec<(Node, Node)>,
    pub(super) asides: Vec<Aside>,
    steps: u32,
}

impl<'s, 'a> Prover<'s, 'a> {
    pub(super) fn new(producer: &'s Side<'a>, acceptor: &'s Side<'a>) -> Self {
        Self {
            producer,
            acceptor,
            same: Same::new(producer.document, acceptor.document),
            assumed: BTreeSet::new(),
            trail: Vec::new(),
            asides: Vec::new(),
            steps: 0,
        }
    }

    /// What stands in the way of the whole proof.
    pub(super) fn whole(&mut self) -> Vec<Obstacle> {
        let root = vec![Pointer::root()];
        let mut obstacles: Vec<Obstacle> = Vec::new();
        for obstacle in self.node(&root, &root, &[]) {
            let known = |other: &Obstacle| {
                (other.kind, &other.producer, &other.acceptor)
                    == (obstacle.kind, &obstacle.producer, &obstacle.acceptor)
            };
            if !obstacles.iter().any(known) {
                obstacles.push(obstacle);
            }
        }
        self.asides.sort();
        self.asides.dedup();
        obstacles
    }

    /// What stands in the way of values of `producer` at `acceptor`.
    pub(super) fn node(&mut self, producer: &Node, acceptor: &Node, path: &[Step]) -> Vec<Obstacle> {
        self.steps += 1;
        if acceptor.is_empty() || self.steps <= MOST_STEPS && self.is_same(producer, acceptor) {
            return Vec::new();
        }
        let pair = (producer.clone(), acceptor.clone());
        if !self.assumed.insert(pair.clone()) {
            return Vec::new();
        }
        let mark = self.trail.len();
        self.trail.push(pair);
        let obstacles = self.branches(producer, acceptor, path);
        if !obstacles.is_empty() {
            self.forget(mark);
        }
        obstacles
    }

    fn branches(&mut self, producer: &Node, acceptor: &Node, path: &[Step]) -> Vec<Obstacle> {
        let site = Site { path: path.to_vec(), producer: producer.clone(), acceptor: acceptor.clone() };
        let too_large = |kind| {
            let place = |node: &Node| node.first().cloned().unwrap_or_default();
            vec![Obstacle {
                kind,
                producer: place(producer),
                acceptor: place(acceptor),
                at: site.clone(),
                around: None,
            }]
        };
        if path.len() > DEEPEST {
            return too_large(Kind::Extent);
        }
        let (Ok(ours), Ok(theirs)) = (self.producer.branches(producer), self.acceptor.branches(acceptor)) else {
            return too_large(Kind::Extent);
        };
        let theirs_many = theirs.len() > 1;
        let mut obstacles = Vec::new();
        for facts in ours.iter().flat_map(split) {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return too_large(Kind::Extent);
            }
            let found = self.branch(&facts, &theirs, path);
            obstacles.extend(found.into_iter().map(|(kind, ours, theirs, deeper)| {
                let at = site.clone();
                let mut obstacle =
                    deeper.unwrap_or(Obstacle { kind, producer: ours, acceptor: theirs, at, around: None });
                if theirs_many && obstacle.around.is_none() {
                    obstacle.around = Some(site.clone());
                }
                obstacle
            }));
        }
        obstacles
    }

    /// One alternative of the producer: some alternative of the acceptor must take it.
    fn branch(&mut self, ours: &Facts, theirs: &[Facts], path: &[Step]) -> Vec<Found> {
        let mut open: Vec<&Facts> =
            theirs.iter().filter(|theirs| !disjoint(self.producer, ours, self.acceptor, theirs)).collect();
        if open.is_empty() {
            // Of the one that could have been meant, it is told what it does not take.
            open = theirs.iter().filter(|theirs| theirs.types.has(ours.types)).collect();
            if open.len() != 1 {
                return vec![self.nothing(ours, theirs)];
            }
        }
        let mut best: Option<(Vec<Found>, Vec<Aside>)> = None;
        for theirs in open {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                break;
            }
            let (mark, asides) = (self.trail.len(), self.asides.len());
            let found = self.facts(ours, theirs, path);
            if found.is_empty() {
                return Vec::new();
            }
            self.forget(mark);
            let seen = self.asides.split_off(asides);
            if best.as_ref().is_none_or(|(best, _)| found.len() < best.len()) {
                best = Some((found, seen));
            }
        }
        match best {
            Some((found, asides)) => {
                self.asides.extend(asides);
                found
            }
            None => vec![(Kind::Extent, place(self.producer, ours, ""), Pointer::root(), None)],
        }
    }

    /// Why no alternative of the acceptor has anything in common with one of the producer.
    fn nothing(&self, ours: &Facts, theirs: &[Facts]) -> Found {
        let types = theirs.iter().fold(Types::NONE, |types, facts| types.or(facts.types));
        let first = theirs.first();
        let (kind, word) = match first {
            Some(_) if types.and(ours.types) == Types::NONE => (Kind::Type, "type"),
            Some(_) if theirs.len() > 1 => (Kind::Alternatives, ""),
            Some(facts) if facts.values.is_some() => (Kind::Values, "enum"),
            Some(_) if ours.types == Types::NUMBER => (Kind::Range, "minimum"),
            _ => (Kind::Alternatives, ""),
        };
        let theirs = first.map_or_else(Pointer::root, |facts| {
            let own = place(self.acceptor, facts, word);
            if kind == Kind::Alternatives { place(self.acceptor, facts, "") } else { own }
        });
        (kind, place(self.producer, ours, word), theirs, None)
    }

    /// One alternative against another, both of one type on the producer's side.
    fn facts(&mut self, ours: &Facts, theirs: &Facts, path: &[Step]) -> Vec<Found> {
        let mut found = super::scalar::obstacles(self.producer, ours, self.acceptor, theirs);
        for opaque in &theirs.opaque {
            let same = ours.opaque.iter().any(|other| self.is_same_opaque(other, opaque));
            if !same {
                let word = opaque.keywords[0];
                found.push((Kind::Condition, place(self.producer, ours, word), opaque.at.key(word), None));
            }
        }
        if ours.types == Types::OBJECT && ours.values.is_none() {
            found.extend(self.object(ours, theirs, path));
        }
        if ours.types == Types::ARRAY && ours.values.is_none() {
            found.extend(self.array(ours, theirs, path));
        }
        found
    }

    fn is_same(&mut self, producer: &Node, acceptor: &Node) -> bool {
        producer.len() == acceptor.len()
            && producer.iter().zip(acceptor).all(|(ours, theirs)| self.same.schemas(ours, theirs))
    }

    fn is_same_opaque(&mut self, ours: &Opaque, theirs: &Opaque) -> bool {
        ours.keywords == theirs.keywords && self.same.keywords(&ours.at, &theirs.at, ours.keywords)
    }

    /// What was assumed since then may rest on what did not hold.
    fn forget(&mut self, mark: usize) {
        for pair in self.trail.drain(mark..) {
            self.assumed.remove(&pair);
        }
    }
}

/// What was found: of this alternative, or deeper inside it.
pub(super) type Found = (Kind, Pointer, Pointer, Option<Obstacle>);

/// Something found deeper inside.
pub(super) fn deeper(obstacle: Obstacle) -> Found {
    (obstacle.kind, obstacle.producer.clone(), obstacle.acceptor.clone(), Some(obstacle))
}

/// The place of a keyword, in whichever of the schemas says it; else of the first schema.
pub(super) fn place(side: &Side<'_>, facts: &Facts, keyword: &str) -> Pointer {
    let says = |at: &&Pointer| side.document.at(at).is_some_and(|schema| schema.get(keyword).is_some());
    match facts.at.iter().find(says) {
        Some(at) => at.key(keyword),
        None => facts.at.first().cloned().unwrap_or_default(),
    }
}

/// An alternative, one type and one listed value at a time.
fn split(facts: &Facts) -> Vec<Facts> {
    let booleans = || vec![Value::Bool(false), Value::Bool(true)];
    facts
        .types
        .each()
        .flat_map(|single| {
            let only = facts.only(single);
            match (&only.values, single) {
                (Some(values), _) => values.iter().map(|value| only.exactly(value)).collect(),
                (None, Types::BOOLEAN) => booleans().iter().map(|value| only.exactly(value)).collect(),
                (None, Types::NULL) => vec![only.exactly(&Value::Null)],
                (None, _) => vec![only],
            }
        })
        .collect()
}
