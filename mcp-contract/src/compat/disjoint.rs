//! Alternatives that no value satisfies together.
//!
//! `oneOf` says "exactly one". Where its alternatives exclude each other that is the same as `anyOf`, and only then it is read so. What is not
//! seen to be disjoint counts as overlapping.

use std::cmp::Ordering;

use super::amount::equal;
use super::facts::{Facts, Types};
use super::side::Side;

/// How deep members are compared.
const DEEPEST: usize = 3;

/// Whether the alternatives of `oneOf` exclude each other; each begins at one of `starts` and may have become several.
pub(super) fn pairwise(side: &Side<'_>, union: &[Facts], starts: &[usize]) -> bool {
    let group = |index: usize| starts.iter().filter(|start| **start <= index).count();
    (0..union.len()).all(|one| {
        (one + 1..union.len())
            .filter(|other| group(*other) != group(one))
            .all(|other| disjoint(side, &union[one], side, &union[other]))
    })
}

/// Whether no value satisfies both.
pub(super) fn disjoint(one_side: &Side<'_>, one: &Facts, other_side: &Side<'_>, other: &Facts) -> bool {
    within(one_side, one, other_side, other, 0)
}

fn within(one_side: &Side<'_>, one: &Facts, other_side: &Side<'_>, other: &Facts, depth: usize) -> bool {
    let types = one.types.and(other.types);
    types.each().all(|single| match (&one.values, &other.values) {
        (Some(one), Some(other)) => {
            let shared = |value: &&serde_json::Value| other.iter().any(|other| equal(value, other));
            !one.iter().filter(shared).any(|value| Types::of(value) == single)
        }
        _ if single == Types::NUMBER => numbers(one, other),
        _ if single == Types::OBJECT => objects(one_side, one, other_side, other, depth),
        _ => false,
    })
}

fn numbers(one: &Facts, other: &Facts) -> bool {
    let (one, other) = (&one.numbers, &other.numbers);
    let apart = |low: Option<super::facts::Bound>, high: Option<super::facts::Bound>| {
        low.zip(high).is_some_and(|(low, high)| match low.at.compare(high.at) {
            Ordering::Greater => true,
            Ordering::Equal => low.open || high.open,
            Ordering::Less => false,
        })
    };
    apart(one.low, other.high) || apart(other.low, one.high)
}

fn objects(one_side: &Side<'_>, one: &Facts, other_side: &Side<'_>, other: &Facts, depth: usize) -> bool {
    if depth >= DEEPEST {
        return false;
    }
    // A member that must be there and that both cannot have alike.
    one.objects.required.iter().chain(&other.objects.required).any(|name| {
        let (mine, theirs) = (one_side.member(one, name), other_side.member(other, name));
        match (one_side.branches(&mine), other_side.branches(&theirs)) {
            (Ok(mine), Ok(theirs)) => mine
                .iter()
                .all(|mine| theirs.iter().all(|theirs| within(one_side, mine, other_side, theirs, depth + 1))),
            _ => false,
        }
    })
}
