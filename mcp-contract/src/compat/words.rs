//! Strings that a schema should take: of a format, of a pattern, of a length.

use regex_syntax::hir::ClassUnicodeRange;
use serde_json::Value;

use super::facts::{Count, Texts};
use crate::pattern::{Contained, Flags, Node, contained, read};

/// How many strings are made of one pattern.
const MOST: usize = 24;

/// The longest string that is made.
const LONGEST: usize = 10_000;

const FORMATS: &[(&str, &str)] = &[
    ("date", "2026-01-02"),
    ("date-time", "2026-01-02T03:04:05Z"),
    ("duration", "P1D"),
    ("email", "a@example.com"),
    ("hostname", "example.com"),
    ("idn-email", "a@example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "127.0.0.1"),
    ("ipv6", "::1"),
    ("iri", "https://example.com/a"),
    ("json-pointer", "/a"),
    ("regex", "a"),
    ("time", "03:04:05Z"),
    ("uri", "https://example.com/a"),
    ("uri-reference", "/a"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
];

/// Strings of different kinds, the most ordinary first.
pub(super) fn words(texts: &Texts) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in &texts.patterns {
        found.extend(matching(pattern));
    }
    let format = |name: &String| FORMATS.iter().find(|(known, _)| known == name).map(|(_, text)| (*text).to_owned());
    found.extend(texts.formats.keys().filter_map(format));
    let plain = ["x", "", "A", "1", "-", "a b", "proj", "X1", "a.b", "a/b", "\u{e9}", "0x", "a_b", "line\n"];
    found.extend(plain.into_iter().map(str::to_owned));
    found.push("x".repeat(usize::try_from(texts.length.least).unwrap_or(0).min(LONGEST)));
    found.retain(|text| texts.length.has(text.chars().count() as u64));
    found
}

/// Strings at the borders of what another asks: of its lengths, and outside of its patterns.
pub(super) fn at_border(texts: &Texts, theirs: &Texts) -> Vec<Value> {
    let mut found = Vec::new();
    for wanted in &theirs.patterns {
        for own in texts.patterns.iter().map(String::as_str).chain([""]) {
            if let Contained::No(text) = contained(own, wanted) {
                found.push(Value::from(text));
            }
        }
    }
    found.extend(lengths(texts, theirs.length));
    found
}

fn lengths(texts: &Texts, other: Count) -> Vec<Value> {
    let lengths = [other.most.map(|most| most.saturating_add(1)), other.least.checked_sub(1)];
    let lengths = lengths.into_iter().flatten().filter(|length| texts.length.has(*length));
    let lengths: Vec<usize> =
        lengths.filter_map(|length| usize::try_from(length).ok()).filter(|length| *length <= LONGEST).collect();
    let mut found: Vec<Value> = lengths.iter().map(|length| Value::from("x".repeat(*length))).collect();
    for pattern in &texts.patterns {
        let texts = matching(pattern);
        found.extend(texts.into_iter().filter(|text| lengths.contains(&text.chars().count())).map(Value::from));
    }
    found
}

/// Strings that a pattern should match: each of its parts in a few ways.
pub(super) fn matching(pattern: &str) -> Vec<String> {
    match read(pattern, Flags::SCHEMA) {
        Ok((_, node)) => made(&node, 0),
        Err(_) => Vec::new(),
    }
}

fn made(node: &Node, depth: usize) -> Vec<String> {
    if depth > 40 {
        return vec![String::new()];
    }
    match node {
        Node::Empty | Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => vec![String::new()],
        Node::Class(class) => {
            let ends = |range: &ClassUnicodeRange| [range.start(), range.end()];
            let mut letters: Vec<char> = class.ranges().iter().take(6).flat_map(ends).collect();
            // What a person can read comes first.
            letters.sort_by_key(|letter| (!letter.is_ascii_alphanumeric(), !letter.is_ascii_graphic(), *letter));
            letters.dedup();
            letters.into_iter().take(6).map(String::from).collect()
        }
        Node::Alternate(nodes) => {
            let mut found: Vec<String> = nodes.iter().flat_map(|node| made(node, depth + 1)).collect();
            found.truncate(MOST);
            found
        }
        Node::Concat(nodes) => {
            nodes.iter().fold(vec![String::new()], |before, node| joined(&before, &made(node, depth + 1)))
        }
        Node::Repeat(repeat) => {
            let once = made(&repeat.node, depth + 1);
            let most = repeat.max.unwrap_or(repeat.min.saturating_add(2));
            let counts = [repeat.min.max(1).min(most), repeat.min, most];
            let mut found = Vec::new();
            for count in counts {
                for text in &once {
                    let count = usize::try_from(count).unwrap_or(usize::MAX);
                    if text.len().saturating_mul(count) <= LONGEST {
                        found.push(text.repeat(count));
                    }
                }
            }
            found.truncate(MOST);
            found
        }
    }
}

/// Each text before with a text behind: all of them once, rather than every pair.
fn joined(before: &[String], behind: &[String]) -> Vec<String> {
    if before.is_empty() || behind.is_empty() {
        return Vec::new();
    }
    let count = before.len().max(behind.len()).min(MOST);
    let pair = |index: usize| format!("{}{}", before[index % before.len()], behind[index % behind.len()]);
    let mut found: Vec<String> = (0..count).map(pair).filter(|text| text.len() <= LONGEST).collect();
    found.dedup();
    found
}
