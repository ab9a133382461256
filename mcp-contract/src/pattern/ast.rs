//! The tree of a pattern, after parsing and before any judgement.
//!
//! It stays close to what was written (no merging of alternatives, no simplification), because the ambiguity of a
//! pattern lies in how it was written. Case folding and flags do not occur: JSON Schema has none.

use regex_syntax::hir::ClassUnicode;

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Matches the empty text.
    Empty,
    /// One character out of a set; a literal is a set of one.
    Class(ClassUnicode),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`, or `\B` where negated; ASCII word characters.
    WordBoundary {
        /// Whether it is `\B`.
        negated: bool,
    },
    /// A look-around assertion: what stands ahead (or behind) must match, or must not where negated.
    Look {
        /// Whether it looks behind.
        behind: bool,
        /// Whether it must not match.
        negated: bool,
        /// What it looks for.
        node: Box<Node>,
    },
    /// One after the other.
    Concat(Vec<Node>),
    /// One of several, in this order.
    Alternate(Vec<Node>),
    /// Several times the same.
    Repeat(Repeat),
}

/// A repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// What is repeated.
    pub node: Box<Node>,
    /// At least so often.
    pub min: u32,
    /// At most so often; `None` means without limit.
    pub max: Option<u32>,
    /// Whether fewer are tried first. It makes no difference to whether a pattern matches.
    pub lazy: bool,
}

impl Node {
    /// Whether there is no assertion but `^` and `$`.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Self::Look { .. } | Self::WordBoundary { .. } => false,
            Self::Empty | Self::Class(_) | Self::Start | Self::End => true,
            Self::Concat(nodes) | Self::Alternate(nodes) => nodes.iter().all(Self::is_plain),
            Self::Repeat(repeat) => repeat.node.is_plain(),
        }
    }
}
