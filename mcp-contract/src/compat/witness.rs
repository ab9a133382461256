//! The search for instances that one schema takes and another does not.

use std::cell::Cell;

use serde_json::Value;

use super::facts::Node;
use super::prove::{self, Kind, Obstacle, Prover, Step};
use super::sample::Sampler;
use super::side::Side;
use crate::json::Pointer;
use crate::schema::{CompiledSchema, Document, Violation};

/// What stands between a producer's values and an acceptor.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Inclusion {
    /// Where the acceptor does not take what the producer promises, or is not seen to.
    pub gaps: Vec<Gap>,
    /// What is worth knowing although no instance shows it.
    pub asides: Vec<Aside>,
}

/// A place where the acceptor takes less.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gap {
    /// What stands in the way.
    pub kind: Kind,
    /// Where the producer's schema says it.
    pub producer: Pointer,
    /// Where the acceptor's schema says it.
    pub acceptor: Pointer,
    /// An instance that the producer's validator takes and the acceptor's refuses; without one the gap is not proved.
    pub witness: Option<Value>,
}

/// A difference that no instance shows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aside {
    /// The producer declares a member that the acceptor takes only because it takes any.
    Undeclared {
        /// The member.
        producer: Pointer,
        /// The acceptor's object.
        acceptor: Pointer,
    },
    /// The producer's object is open only because nobody closed it, and the acceptor's is closed.
    Closed {
        /// The members of the producer's object.
        producer: Pointer,
        /// What closes the acceptor's.
        acceptor: Pointer,
    },
}

/// Compares what `producer` promises with what `acceptor` takes.
///
/// ```
/// use mcp_contract::{compat::inclusion, json::parse, schema::CompiledSchema};
/// let schema = |text| CompiledSchema::compile(&parse(text).unwrap()).unwrap();
/// let old = schema(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#);
/// let new = schema(r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}"#);
/// let found = inclusion(&old, &new);
/// assert_eq!(found.gaps[0].acceptor.as_str(), "/properties/n/minimum");
/// assert_eq!(found.gaps[0].witness, Some(serde_json::json!({"n": 0})));
/// assert!(inclusion(&new, &old).gaps.is_empty());
/// ```
#[must_use]
pub fn inclusion(producer: &CompiledSchema, acceptor: &CompiledSchema) -> Inclusion {
    let sides = (Side::new(producer.document()), Side::new(acceptor.document()));
    let (obstacles, asides) = proved(&sides.0, &sides.1);
    let search = Search {
        producer,
        acceptor,
        sampler: Sampler { producer: &sides.0, acceptor: &sides.1 },
        left: Cell::new(MOST_BYTES),
    };
    Inclusion { gaps: search.gaps(&obstacles), asides }
}

/// The same without a search for witnesses.
#[must_use]
pub fn proof(producer: &Document, acceptor: &Document) -> Inclusion {
    let (obstacles, asides) = proved(&Side::new(producer), &Side::new(acceptor));
    let gap = |Obstacle { kind, producer, acceptor, .. }| Gap { kind, producer, acceptor, witness: None };
    Inclusion { gaps: obstacles.into_iter().map(gap).collect(), asides }
}

fn proved(producer: &Side<'_>, acceptor: &Side<'_>) -> (Vec<Obstacle>, Vec<Aside>) {
    let mut prover = Prover::new(producer, acceptor);
    let obstacles = prover.whole();
    (obstacles, std::mem::take(&mut prover.asides).into_iter().map(Aside::from).collect())
}

impl From<prove::Aside> for Aside {
    fn from(aside: prove::Aside) -> Self {
        match aside {
            prove::Aside::Undeclared { producer, acceptor } => Self::Undeclared { producer, acceptor },
            prove::Aside::Closed { producer, acceptor } => Self::Closed { producer, acceptor },
        }
    }
}

/// How many instances that show something are looked at for one that shows it closely.
const MOST_SHOWN: usize = 40;

struct Search<'s, 'a> {
    producer: &'a CompiledSchema,
    acceptor: &'a CompiledSchema,
    sampler: Sampler<'s, 'a>,
    /// The bytes of instances that may still be judged.
    left: Cell<usize>,
}

/// The bytes of instances that are judged for one comparison.
const MOST_BYTES: usize = 2 << 20;

/// How closely what the acceptor's validator says must fit the gap that an instance is to show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    /// The very keyword, at the place.
    Keyword,
    /// Something at the place.
    Place,
    /// Something in the same argument or member of the result.
    Argument,
    /// Anything.
    Any,
}

impl Search<'_, '_> {
    fn gaps(&self, obstacles: &[Obstacle]) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = obstacles
            .iter()
            .map(|obstacle| {
                let Obstacle { kind, producer, acceptor, .. } = obstacle.clone();
                Gap { kind, producer, acceptor, witness: self.witness(obstacle, Closeness::Argument) }
            })
            .collect();
        if gaps.iter().all(|gap| gap.witness.is_none()) {
            for (gap, obstacle) in gaps.iter_mut().zip(obstacles) {
                gap.witness = self.witness(obstacle, Closeness::Any);
            }
        }
        let found = gaps.iter().any(|gap| gap.witness.is_some());
        if let Some(first) = gaps.first_mut().filter(|_| !found) {
            let root: Node = vec![Pointer::root()];
            first.witness = self.parting(self.sampler.values(&root, &root)).next().map(|(value, _)| value);
        }
        gaps
    }

    /// An instance that shows a gap as closely as can be, and among those a small one.
    fn witness(&self, obstacle: &Obstacle, wanted: Closeness) -> Option<Value> {
        // Where very much changed, the first changes are shown and the others only told.
        if self.left.get() == 0 {
            return None;
        }
        let root: Node = vec![Pointer::root()];
        let mut best: Option<(Closeness, Value)> = None;
        let mut tried = 0;
        for site in std::iter::once(&obstacle.at).chain(&obstacle.around) {
            let leaves = self.sampler.values(&site.producer, &site.acceptor);
            for (value, violations) in self.parting(self.sampler.embedded(&root, &site.path, &leaves, 0)) {
                let closeness = violations.iter().map(|violation| closeness(obstacle, violation)).min();
                let closeness = closeness.unwrap_or(Closeness::Any);
                if closeness == Closeness::Keyword {
                    return Some(value);
                }
                if closeness <= wanted && best.as_ref().is_none_or(|(best, _)| closeness < *best) {
                    best = Some((closeness, value));
                }
                tried += 1;
                if tried == MOST_SHOWN {
                    return best.map(|(_, value)| value);
                }
            }
        }
        best.map(|(_, value)| value)
    }

    /// The instances that the producer takes and the acceptor refuses, and why: the smallest first.
    fn parting(&self, mut instances: Vec<Value>) -> impl Iterator<Item = (Value, Vec<Violation>)> {
        instances.sort_by_cached_key(|value| value.to_string().len());
        instances.dedup();
        instances.into_iter().filter_map(|value| {
            let size = value.to_string().len();
            if self.left.replace(self.left.get().saturating_sub(size)) == 0 {
                return None;
            }
            let parts = self.producer.is_valid(&value) && !self.acceptor.is_valid(&value);
            parts.then(|| (self.acceptor.violations(&value), value)).map(|(violations, value)| (value, violations))
        })
    }
}

/// How closely what the acceptor's validator says fits a gap.
fn closeness(obstacle: &Obstacle, violation: &Violation) -> Closeness {
    let keyword = obstacle.acceptor.as_str().rsplit('/').next().unwrap_or_default();
    // That a member is not taken is said of the object.
    let path = match obstacle.kind {
        Kind::Member | Kind::Closed => &obstacle.at.path[..obstacle.at.path.len().saturating_sub(1)],
        _ => &obstacle.at.path[..],
    };
    let pointer = violation.pointer.as_str();
    if within(pointer, path) {
        return if violation.keyword == keyword { Closeness::Keyword } else { Closeness::Place };
    }
    if path.len() > 1 && within(pointer, &path[..1]) { Closeness::Argument } else { Closeness::Any }
}

/// Whether a place in an instance lies at a path or deeper.
fn within(pointer: &str, path: &[Step]) -> bool {
    let mut steps = pointer.split('/').skip(1);
    path.iter().all(|step| match (step, steps.next()) {
        (_, None) => false,
        (Step::Further, Some(_)) => true,
        (Step::Element(_), Some(step)) => step.bytes().all(|byte| byte.is_ascii_digit()),
        (Step::Member(name), Some(_)) if name.contains(['/', '~']) => true,
        (Step::Member(name), Some(step)) => name == step,
    })
}
