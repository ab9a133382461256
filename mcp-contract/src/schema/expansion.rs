//! Bounds on the work that a schema can ask of a validator, whatever its size.
//!
//! A schema of two kilobytes can judge one value a billion times: through references that double, at one level or from level
//! to level. Counted here are the schemas that judge one value, those that judge the values on one way down an instance, and
//! how long a chain of them gets; each by one pass over the document with memory of what was counted before.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::bounds::Limits;
use super::compile::SchemaError;
use super::reference::Document;
use super::walk::{Position, subschemas};
use crate::json::Pointer;

/// What one schema leads to directly.
#[derive(Clone, Default)]
struct Parts {
    /// Schemas that judge the same value.
    in_place: Vec<Pointer>,
    /// Schemas that judge parts of the value, in groups of which one member meets any given part.
    inner: Vec<Vec<Pointer>>,
}

/// What counting found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Whether a schema leads back to itself in more than one way, so that errors about an instance can multiply with its depth.
    pub(super) recursion_branches: bool,
}

/// Checks all bounds on work.
pub(super) fn check(document: &Document) -> Result<Findings, SchemaError> {
    let parts: BTreeMap<&Pointer, Parts> =
        document.schemas().map(|pointer| (pointer, parts(document, pointer))).collect();
    one_value(&parts)?;
    one_way_down(&parts)?;
    Ok(Findings { recursion_branches: recursion_branches(&parts) })
}

fn parts(document: &Document, pointer: &Pointer) -> Parts {
    let Some(Value::Object(members)) = document.at(pointer) else { return Parts::default() };
    let mut parts = Parts::default();
    parts.in_place.extend(document.target(pointer).cloned());
    let mut groups: BTreeMap<&str, Vec<Pointer>> = BTreeMap::new();
    for (inner, position, _) in subschemas(members) {
        let at = pointer.join(&inner);
        match position {
            Position::InPlace => parts.in_place.push(at),
            Position::Definition => {}
            Position::Inner => {
                let keyword = inner.as_str()[1..].split('/').next().unwrap_or_default();
                match keyword {
                    // A member has one name and an element one place.
                    "properties" => groups.entry("properties").or_default().push(at),
                    "prefixItems" => groups.entry("prefixItems").or_default().push(at),
                    _ => parts.inner.push(vec![at]),
                }
            }
        }
    }
    parts.inner.extend(groups.into_values());
    parts
}

/// A schema on the way down: counted once its parts are.
enum Step<'a> {
    Enter(&'a Pointer),
    Leave(&'a Pointer),
}

/// Bounds the schemas that judge one value, and refuses a circle that consumes nothing.
fn one_value(parts: &BTreeMap<&Pointer, Parts>) -> Result<(), SchemaError> {
    // Count and length of the longest chain; `None` while being counted.
    let mut counts: BTreeMap<&Pointer, Option<(u64, u64)>> = BTreeMap::new();
    for start in parts.keys() {
        let mut stack = vec![Step::Enter(start)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Enter(pointer) => match counts.get(pointer) {
                    Some(Some(_)) => {}
                    Some(None) => return Err(SchemaError::EmptyCycle { pointer: pointer.clone() }),
                    None => {
                        counts.insert(pointer, None);
                        stack.push(Step::Leave(pointer));
                        stack.extend(parts[pointer].in_place.iter().map(Step::Enter));
                    }
                },
                Step::Leave(pointer) => {
                    let inner = parts[pointer].in_place.iter().filter_map(|part| counts.get(part).copied().flatten());
                    let (count, chain) = inner.fold((1_u64, 0), |(count, chain), (more, longer)| {
                        (count.saturating_add(more), chain.max(longer))
                    });
                    for (count, limit) in [(count, Limits::EXPANSION), (chain + 1, Limits::CHAIN)] {
                        if count > limit {
                            return Err(SchemaError::Expansion { pointer: pointer.clone(), limit });
                        }
                    }
                    counts.insert(pointer, Some((count, chain + 1)));
                }
            }
        }
    }
    Ok(())
}

/// Bounds the schemas that judge the values on one way from the root to a leaf. A schema that contains itself is counted once on each
/// way: the validator remembers what it found for such a schema and a value.
fn one_way_down(parts: &BTreeMap<&Pointer, Parts>) -> Result<(), SchemaError> {
    let mut counts: BTreeMap<&Pointer, Option<u64>> = BTreeMap::new();
    for start in parts.keys() {
        let mut stack = vec![Step::Enter(start)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Enter(pointer) => {
                    if counts.contains_key(pointer) {
                        continue;
                    }
                    counts.insert(pointer, None);
                    stack.push(Step::Leave(pointer));
                    let all = parts[pointer].in_place.iter().chain(parts[pointer].inner.iter().flatten());
                    stack.extend(all.map(Step::Enter));
                }
                Step::Leave(pointer) => {
                    let count = |part: &Pointer| counts.get(part).copied().flatten().unwrap_or(1);
                    let in_place = parts[pointer].in_place.iter().map(count);
                    let groups = parts[pointer].inner.iter().map(|group| group.iter().map(count).max().unwrap_or(0));
                    let total = in_place.chain(groups).fold(1_u64, u64::saturating_add);
                    if total > Limits::EVALUATIONS {
                        return Err(SchemaError::Expansion { pointer: pointer.clone(), limit: Limits::EVALUATIONS });
                    }
                    counts.insert(pointer, Some(total));
                }
            }
        }
    }
    Ok(())
}

/// Whether some schema leads back to itself through two of its parts that can judge the same value.
///
/// Told by peeling: what leads nowhere is taken away until nothing more does, then what nothing leads to. The rest is circles and the
/// ways between them; where nothing in it branches, errors cannot multiply.
fn recursion_branches(parts: &BTreeMap<&Pointer, Parts>) -> bool {
    let mut edges: BTreeSet<(&Pointer, &Pointer)> = BTreeSet::new();
    for (pointer, parts) in parts {
        edges.extend(parts.in_place.iter().chain(parts.inner.iter().flatten()).map(|part| (*pointer, part)));
    }
    let forward = peel(&edges);
    let reversed: BTreeSet<_> = forward.iter().map(|(from, to)| (*to, *from)).collect();
    let rest: BTreeSet<_> = peel(&reversed).into_iter().map(|(from, to)| (to, from)).collect();
    parts.iter().any(|(pointer, parts)| {
        let kept = |part: &Pointer| rest.contains(&(*pointer, part));
        let in_place = parts.in_place.iter().filter(|part| kept(part)).count();
        let groups = parts.inner.iter().filter(|group| group.iter().any(&kept)).count();
        in_place + groups > 1
    })
}

/// The edges that lead to a circle.
fn peel<'a>(edges: &BTreeSet<(&'a Pointer, &'a Pointer)>) -> BTreeSet<(&'a Pointer, &'a Pointer)> {
    let mut out: BTreeMap<&Pointer, usize> = BTreeMap::new();
    let mut into: BTreeMap<&Pointer, Vec<&Pointer>> = BTreeMap::new();
    for (from, to) in edges {
        *out.entry(from).or_default() += 1;
        out.entry(to).or_default();
        into.entry(to).or_default().push(from);
    }
    let mut dead: Vec<&Pointer> = out.iter().filter(|(_, count)| **count == 0).map(|(pointer, _)| *pointer).collect();
    let mut gone: BTreeSet<&Pointer> = dead.iter().copied().collect();
    while let Some(pointer) = dead.pop() {
        for from in into.get(pointer).into_iter().flatten() {
            let count = out.get_mut(from).expect("an edge starts there");
            *count -= 1;
            if *count == 0 && gone.insert(from) {
                dead.push(from);
            }
        }
    }
    edges.iter().filter(|(_, to)| !gone.contains(to)).copied().collect()
}
