//! Tools that go by another name: by body first, then by likeness.
//!
//! A pair is only made where it is plain: the same definition but for its name, or the same arguments and words that are alike, and no other
//! candidate that is as good. A wrong pair would hide that a tool is gone, so in doubt there is none.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::compat::{Aside, proof};
use crate::definition::ToolDefinition;
use crate::json::{Digest, Json};
use crate::schema::{CompiledSchema, Document};

/// How alike a pair must be, out of 1, where it takes the same arguments.
const ALIKE: f64 = 0.6;

/// How alike it must be where it does not.
const VERY_ALIKE: f64 = 0.8;

/// How many pairs are compared; where there are more, only equal bodies are paired.
const MOST_COMPARED: usize = 40_000;

/// Two pairs that are nearer than this are as good as each other.
const NEAR: f64 = 0.02;

/// A tool that is gone, and the new one that it seems to have become.
pub(super) type Pair<'a> = (&'a ToolDefinition, &'a ToolDefinition);

/// The pairs of a tool that is gone and one that is new.
pub(super) fn pairs<'a>(gone: &[&'a ToolDefinition], new: &[&'a ToolDefinition]) -> Vec<Pair<'a>> {
    let bodies = |tools: &[&'a ToolDefinition]| tools.iter().map(|tool| Body::of(tool)).collect::<Vec<_>>();
    let (gone, new) = (bodies(gone), bodies(new));
    let mut candidates: Vec<(f64, Pair<'a>)> = Vec::new();
    if gone.len().saturating_mul(new.len()) <= MOST_COMPARED {
        for old in &gone {
            for new in &new {
                candidates.extend(old.likeness(new).map(|likeness| (likeness, (old.tool, new.tool))));
            }
        }
    } else {
        let mut by_body: BTreeMap<&Digest, Vec<&Body<'a>>> = BTreeMap::new();
        for body in &new {
            by_body.entry(&body.digest).or_default().push(body);
        }
        for old in &gone {
            let alike = by_body.get_mut(&old.digest).and_then(Vec::pop);
            candidates.extend(alike.map(|new| (1.0, (old.tool, new.tool))));
        }
    }
    let names = |(old, new): &Pair<'a>| (old.name(), new.name());
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| names(&a.1).cmp(&names(&b.1))));
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for (likeness, pair) in &candidates {
        let (old, new) = names(pair);
        let taken = pairs.iter().map(&names).any(|(one, other)| one == old || other == new);
        let rival = |(other, rival): &(f64, Pair<'a>)| {
            let (one, other_new) = names(rival);
            (other - likeness).abs() < NEAR && (one == old) != (other_new == new)
        };
        // Of equal bodies any is right; otherwise a pair that is as good makes neither plain.
        if !taken && (*likeness >= 1.0 || !candidates.iter().any(rival)) {
            pairs.push(*pair);
        }
    }
    pairs
}

/// A tool, and what it is compared by.
struct Body<'a> {
    tool: &'a ToolDefinition,
    /// The definition without the name.
    digest: Digest,
    name: BTreeSet<String>,
    description: BTreeSet<String>,
    members: BTreeSet<String>,
    arguments: OnceCell<Option<Document>>,
}

impl<'a> Body<'a> {
    fn of(tool: &'a ToolDefinition) -> Self {
        let members = tool.document().as_object().unwrap_or_default();
        let body = Json::Object(members.iter().filter(|(key, _)| key != "name").cloned().collect());
        let properties = tool.input_schema().and_then(|schema| schema.get("properties"));
        let properties = properties.and_then(Json::as_object).unwrap_or_default();
        Self {
            tool,
            digest: Digest::of(&body),
            name: name_words(tool.name()),
            description: words(tool.description()),
            members: properties.iter().map(|(name, _)| name.clone()).collect(),
            arguments: OnceCell::new(),
        }
    }

    /// How alike two tools are, if they are alike enough: 1 for the same body under another name.
    fn likeness(&self, new: &Self) -> Option<f64> {
        if self.digest == new.digest {
            return Some(1.0);
        }
        let words = 0.35 * overlap(&self.description, &new.description) + 0.3 * shared(&self.name, &new.name);
        // The same arguments are the best sign; that there are none says little.
        let arguments = if self.members.is_empty() { 0.25 } else { 0.5 };
        if self.members == new.members && arguments + words >= ALIKE && self.takes_the_same(new) {
            return Some((arguments + words).min(0.99));
        }
        let likeness = 0.35 * overlap(&self.members, &new.members) + words;
        (likeness >= VERY_ALIKE).then_some(likeness.min(0.99))
    }

    /// Whether both take the same arguments; whether undeclared ones are refused does not matter here.
    fn takes_the_same(&self, new: &Self) -> bool {
        let (Some(old), Some(new)) = (self.arguments(), new.arguments()) else { return false };
        let one_way = |one, other| {
            let proof = proof(one, other);
            let closes = |aside: &Aside| matches!(aside, Aside::Closed { .. });
            proof.gaps.is_empty() && proof.asides.iter().all(closes)
        };
        one_way(old, new) && one_way(new, old)
    }

    fn arguments(&self) -> Option<&Document> {
        let compile =
            || CompiledSchema::compile(self.tool.input_schema()?).ok().map(|schema| schema.document().clone());
        self.arguments.get_or_init(compile).as_ref()
    }
}

fn words(text: Option<&str>) -> BTreeSet<String> {
    let text = text.unwrap_or_default().to_lowercase();
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .map(str::to_owned)
        .collect()
}

/// The words of a name: `printEnv` and `print-env` have the same.
fn name_words(name: &str) -> BTreeSet<String> {
    let mut spaced = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            spaced.push(' ');
        }
        if character.is_alphanumeric() { spaced.extend(character.to_lowercase()) } else { spaced.push(' ') }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// The share that two sets have in common (Jaccard's index).
#[allow(clippy::cast_precision_loss, reason = "counts of words")]
fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 0.0 } else { one.intersection(other).count() as f64 / all as f64 }
}

/// The share of the smaller set that the other has too.
#[allow(clippy::cast_precision_loss, reason = "counts of words")]
fn shared(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let least = one.len().min(other.len());
    if least == 0 { 0.0 } else { one.intersection(other).count() as f64 / least as f64 }
}
