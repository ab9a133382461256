//! A pattern with its large counts taken for endless ones, and words to repeat.
//!
//! `(a|a){20}` is not ambiguous without end, and yet it costs a million steps. Read as a loop it shows how it is attacked; whether it is
//! worth attacking the replay of the pattern as it stands decides.

use regex_syntax::hir::ClassUnicode;

use crate::pattern::ast::{Node, Repeat};

/// From how many copies on a count is large.
pub(super) const LARGE: u32 = 10;

/// The longest word that is made of a repetition.
const LONGEST: usize = 40;

/// The pattern with each large count as a loop.
pub(super) fn widened(node: &Node) -> Node {
    widen(node, 1)
}

/// `around` is how many copies the repetitions around the node make of it.
fn widen(node: &Node, around: u64) -> Node {
    match node {
        Node::Concat(nodes) => Node::Concat(nodes.iter().map(|node| widen(node, around)).collect()),
        Node::Alternate(nodes) => Node::Alternate(nodes.iter().map(|node| widen(node, around)).collect()),
        Node::Look { behind, negated, node } => {
            Node::Look { behind: *behind, negated: *negated, node: Box::new(widen(node, around)) }
        }
        Node::Repeat(Repeat { max: Some(0), .. }) => Node::Empty,
        Node::Repeat(repeat) => {
            let large = is_large(repeat, around);
            let (min, max) = if large { (repeat.min.min(1), None) } else { (repeat.min, repeat.max) };
            let node = Box::new(widen(&repeat.node, around.saturating_mul(most(repeat))));
            Node::Repeat(Repeat { node, min, max, lazy: repeat.lazy })
        }
        other => other.clone(),
    }
}

/// Whether a repetition, with those around and inside it, makes many copies.
fn is_large(repeat: &Repeat, around: u64) -> bool {
    let most = most(repeat);
    most > 1 && around.saturating_mul(most).saturating_mul(inside(&repeat.node)) >= u64::from(LARGE)
}

/// The most copies; an endless repetition counts as one of many.
fn most(repeat: &Repeat) -> u64 {
    repeat.max.map_or(u64::from(LARGE), |max| u64::from(max.max(1)))
}

/// How many copies the repetitions inside a node make.
fn inside(node: &Node) -> u64 {
    match node {
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().map(inside).max().unwrap_or(1),
        Node::Look { node, .. } => inside(node),
        Node::Repeat(repeat) => most(repeat).saturating_mul(inside(&repeat.node)),
        _ => 1,
    }
}

/// In how many ways a pattern can be gone through at most, as a power of two: alternatives and counts multiplied, an endless repetition
/// taken once. Without loops, where that is small no text can make it dear.
pub(super) fn ways(node: &Node) -> f64 {
    match node {
        Node::Concat(nodes) => nodes.iter().map(ways).sum(),
        Node::Alternate(nodes) => nodes.iter().map(|node| ways(node).exp2()).sum::<f64>().log2(),
        Node::Look { node, .. } => ways(node),
        Node::Repeat(repeat) if repeat.max != Some(0) => {
            let once = ways(&repeat.node);
            let most = repeat.max.unwrap_or(repeat.min.max(1));
            let counts = f64::from(most - repeat.min.min(most)) + 1.0;
            once * f64::from(most) + counts.log2()
        }
        Node::Repeat(_) | Node::Empty | Node::Class(_) | Node::Start | Node::End | Node::WordBoundary { .. } => 0.0,
    }
}

/// Whether a pattern repeats anything without end.
pub(super) fn is_endless(node: &Node) -> bool {
    match node {
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(is_endless),
        Node::Look { node, .. } => is_endless(node),
        Node::Repeat(repeat) => repeat.max.is_none() || repeat.max != Some(0) && is_endless(&repeat.node),
        Node::Empty | Node::Class(_) | Node::Start | Node::End | Node::WordBoundary { .. } => false,
    }
}

/// What a pattern repeats.
#[derive(Clone, Debug)]
pub(super) struct Repeated {
    /// The least number of copies.
    pub(super) min: u32,
    /// Whether the number of copies is large or endless.
    pub(super) large: bool,
    /// Whether a copy can be empty.
    pub(super) nullable: bool,
    /// A short text of one copy that is not empty.
    pub(super) word: Vec<ClassUnicode>,
    /// Whether it stands in a look behind.
    pub(super) behind: bool,
}

/// Everything that a pattern repeats.
pub(super) fn repeated(node: &Node) -> Vec<Repeated> {
    let mut found = Vec::new();
    collect(node, false, 1, &mut found);
    found
}

fn collect(node: &Node, behind: bool, around: u64, found: &mut Vec<Repeated>) {
    match node {
        Node::Concat(nodes) | Node::Alternate(nodes) => {
            for node in nodes {
                collect(node, behind, around, found);
            }
        }
        Node::Look { behind: here, node, .. } => collect(node, behind || *here, around, found),
        Node::Repeat(repeat) if repeat.max != Some(0) => {
            let large = is_large(repeat, around);
            let word = word(&repeat.node);
            if !word.is_empty() {
                found.push(Repeated { min: repeat.min, large, nullable: is_nullable(&repeat.node), word, behind });
            }
            collect(&repeat.node, behind, around.saturating_mul(most(repeat)), found);
        }
        Node::Repeat(_) | Node::Empty | Node::Class(_) | Node::Start | Node::End | Node::WordBoundary { .. } => {}
    }
}

fn is_nullable(node: &Node) -> bool {
    match node {
        Node::Class(_) => false,
        Node::Empty | Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => true,
        Node::Concat(nodes) => nodes.iter().all(is_nullable),
        Node::Alternate(nodes) => nodes.iter().any(is_nullable),
        Node::Repeat(repeat) => repeat.min == 0 || is_nullable(&repeat.node),
    }
}

/// A short text that the node reads, as classes; empty where it reads nothing.
fn word(node: &Node) -> Vec<ClassUnicode> {
    match node {
        Node::Class(set) if set.ranges().is_empty() => Vec::new(),
        Node::Class(set) => vec![set.clone()],
        Node::Concat(nodes) => {
            let must = nodes.iter().filter(|node| !is_nullable(node)).flat_map(word);
            let must: Vec<ClassUnicode> = must.take(LONGEST).collect();
            if must.is_empty() {
                nodes.iter().map(word).find(|word| !word.is_empty()).unwrap_or_default()
            } else {
                must
            }
        }
        Node::Alternate(nodes) => nodes.iter().map(word).find(|word| !word.is_empty()).unwrap_or_default(),
        Node::Repeat(repeat) => {
            let once = word(&repeat.node);
            let copies = repeat.min.clamp(1, 8) as usize;
            once.iter().cycle().take((once.len() * copies).min(LONGEST)).cloned().collect()
        }
        Node::Empty | Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => Vec::new(),
    }
}
