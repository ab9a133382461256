//! `^(?=X)(?!Y)Z` as a conjunction of plain patterns.
//!
//! A look-ahead directly after a leading `^` asks about the whole text, so the pattern is the conjunction of `^(?:X)`, not
//! `^(?:Y)`, and `^(?:Z)`, each of which runs in linear time. This one shape covers nearly every look-around that schemas
//! hold; every other is refused.

use super::ast::Node;
use super::parse::PatternError;

/// The plain patterns whose conjunction the pattern is; the flag says which of them must not match.
pub(super) fn split(node: Node) -> Result<Vec<(bool, Node)>, PatternError> {
    let terms = match node {
        Node::Concat(terms) => terms,
        other => vec![other],
    };
    let mut conditions = Vec::new();
    let mut rest = Vec::new();
    let anchored = terms.first() == Some(&Node::Start);
    for term in terms {
        match term {
            Node::Look { behind: false, negated, node } if anchored && only_start(&rest) => {
                conditions.push((negated, Node::Concat(vec![Node::Start, *node])));
            }
            other => rest.push(other),
        }
    }
    conditions.push((false, Node::Concat(rest)));
    if conditions.iter().any(|(_, node)| looks(node)) {
        return Err(PatternError::LookAround);
    }
    Ok(conditions)
}

fn only_start(terms: &[Node]) -> bool {
    terms.iter().all(|term| *term == Node::Start)
}

fn looks(node: &Node) -> bool {
    match node {
        Node::Look { .. } => true,
        Node::Empty | Node::Class(_) | Node::Start | Node::End | Node::WordBoundary { .. } => false,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(looks),
        Node::Repeat(repeat) => looks(&repeat.node),
    }
}
