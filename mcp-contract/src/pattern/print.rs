//! A pattern in the common language: explicit ranges, groups, counts, `^` and `$`.
//!
//! ECMA-262 in Unicode mode and the `regex` crate read every construct printed here the same way, except the word
//! boundary, which the crate needs as `(?-u:\b)`.

use std::fmt::Write as _;

use regex_syntax::hir::ClassUnicode;

use super::ast::Node;

/// Prints a pattern for the `regex` crate.
pub(super) fn print(node: &Node) -> String {
    let mut out = String::new();
    write_node(&mut out, node);
    out
}

/// Whether the printed pattern is an ECMA-262 pattern of the same meaning too.
pub(super) fn is_portable(node: &Node) -> bool {
    match node {
        Node::WordBoundary { .. } | Node::Look { .. } => false,
        Node::Empty | Node::Class(_) | Node::Start | Node::End => true,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().all(is_portable),
        Node::Repeat(repeat) => is_portable(&repeat.node),
    }
}

fn write_node(out: &mut String, node: &Node) {
    match node {
        Node::Empty => out.push_str("(?:)"),
        Node::Class(class) => write_class(out, class),
        Node::Start => out.push('^'),
        Node::End => out.push('$'),
        Node::WordBoundary { negated: false } => out.push_str(r"(?-u:\b)"),
        Node::WordBoundary { negated: true } => out.push_str(r"(?-u:\B)"),
        Node::Look { .. } => unreachable!("split off or refused before printing"),
        Node::Concat(nodes) => nodes.iter().for_each(|node| write_node(out, node)),
        Node::Alternate(nodes) => {
            out.push_str("(?:");
            for (index, node) in nodes.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write_node(out, node);
            }
            out.push(')');
        }
        Node::Repeat(repeat) => {
            out.push_str("(?:");
            write_node(out, &repeat.node);
            out.push(')');
            match (repeat.min, repeat.max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => write!(out, "{{{min},}}").expect("a String takes everything"),
                (min, Some(max)) if min == max => write!(out, "{{{min}}}").expect("a String takes everything"),
                (min, Some(max)) => write!(out, "{{{min},{max}}}").expect("a String takes everything"),
            }
            if repeat.lazy {
                out.push('?');
            }
        }
    }
}

fn write_class(out: &mut String, class: &ClassUnicode) {
    match class.ranges() {
        [] => out.push_str(r"[^\u{0}-\u{10ffff}]"),
        [only] if only.start() == only.end() => write_character(out, only.start()),
        ranges => {
            out.push('[');
            for range in ranges {
                write_character(out, range.start());
                if range.end() > range.start() {
                    out.push('-');
                    write_character(out, range.end());
                }
            }
            out.push(']');
        }
    }
}

fn write_character(out: &mut String, character: char) {
    if character.is_ascii_alphanumeric() {
        out.push(character);
    } else {
        write!(out, r"\u{{{:x}}}", u32::from(character)).expect("a String takes everything");
    }
}
