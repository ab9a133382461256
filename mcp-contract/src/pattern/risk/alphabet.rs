//! The letters that a pattern can tell apart.
//!
//! Characters that are in the same classes of a pattern are alike to it, so they become one letter, and a class becomes a set of letters:
//! all later questions ("can both read the same character?") are a few bit operations, for all of Unicode.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::ClassUnicode;

use crate::pattern::ast::Node;
use crate::pattern::class;

/// A set of letters, as bits.
pub(super) type Letters = Box<[u64]>;

/// The letters of one pattern.
pub(super) struct Alphabet {
    /// Where each run of characters begins; it ends where the next one does.
    starts: Vec<u32>,
    /// The letter of each run.
    letters: Vec<u16>,
    /// A character of each letter, one that can be read where there is such.
    shown: Vec<char>,
    sets: BTreeMap<Vec<(char, char)>, Letters>,
}

impl Alphabet {
    /// The letters that the classes of a pattern tell apart; `also` are classes that it uses without naming them.
    pub(super) fn of(node: &Node, also: &[ClassUnicode]) -> Self {
        let mut classes = BTreeSet::new();
        collect(node, &mut classes);
        classes.extend(also.iter().map(key));
        let mut starts: BTreeSet<u32> = [0].into();
        for (start, end) in classes.iter().flatten() {
            starts.extend([u32::from(*start), u32::from(*end) + 1]);
        }
        let starts: Vec<u32> = starts.into_iter().filter(|start| *start <= u32::from(char::MAX)).collect();
        let mut signatures = vec![vec![0_u64; classes.len().div_ceil(64)]; starts.len()];
        for (index, class) in classes.iter().enumerate() {
            for (start, end) in class {
                let first = starts.partition_point(|at| *at < u32::from(*start));
                for signature in
                    signatures[first..].iter_mut().zip(&starts[first..]).take_while(|(_, at)| **at <= u32::from(*end))
                {
                    signature.0[index / 64] |= 1 << (index % 64);
                }
            }
        }
        let mut numbers: BTreeMap<&[u64], u16> = BTreeMap::new();
        let mut shown: Vec<char> = Vec::new();
        let mut letters = Vec::with_capacity(starts.len());
        for (index, signature) in signatures.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(u32::from(char::MAX) + 1);
            let readable = readable(starts[index], end);
            let next = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
            let letter = *numbers.entry(signature).or_insert(next);
            match (shown.get(usize::from(letter)), readable) {
                (None, _) => {
                    shown
                        .push(readable.or_else(|| (starts[index]..end).find_map(char::from_u32)).unwrap_or('\u{fffd}'));
                }
                (Some(before), Some(better)) if !before.is_ascii_graphic() => shown[usize::from(letter)] = better,
                _ => {}
            }
            letters.push(letter);
        }
        let words = shown.len().div_ceil(64);
        let sets = classes.iter().enumerate().map(|(index, class)| {
            let mut set = vec![0_u64; words].into_boxed_slice();
            for (signature, letter) in &numbers {
                if signature[index / 64] >> (index % 64) & 1 == 1 {
                    set[usize::from(*letter) / 64] |= 1 << (letter % 64);
                }
            }
            (class.clone(), set)
        });
        let sets = sets.collect();
        Self { starts, letters, shown, sets }
    }

    /// How many letters there are.
    pub(super) fn len(&self) -> usize {
        self.shown.len()
    }

    /// The letters of a class of the pattern.
    pub(super) fn set(&self, class: &ClassUnicode) -> &Letters {
        &self.sets[&key(class)]
    }

    /// All letters.
    pub(super) fn all(&self) -> Letters {
        let mut set = vec![0_u64; self.len().div_ceil(64)].into_boxed_slice();
        (0..self.len()).for_each(|letter| set[letter / 64] |= 1 << (letter % 64));
        set
    }

    /// The letter of a character.
    pub(super) fn letter(&self, character: char) -> u16 {
        self.letters[self.starts.partition_point(|start| *start <= u32::from(character)) - 1]
    }

    /// A character of a letter.
    pub(super) fn character(&self, letter: u16) -> char {
        self.shown[usize::from(letter)]
    }
}

/// Whether a letter is in a set.
pub(super) fn holds(set: &Letters, letter: u16) -> bool {
    set[usize::from(letter) / 64] >> (letter % 64) & 1 == 1
}

/// A letter that is in all of the sets.
pub(super) fn common(sets: &[&Letters]) -> Option<u16> {
    let words = sets.first().map_or(0, |set| set.len());
    (0..words).find_map(|word| {
        let bits = sets.iter().fold(u64::MAX, |bits, set| bits & set[word]);
        (bits != 0).then(|| u16::try_from(word * 64 + bits.trailing_zeros() as usize).expect("a letter is a u16"))
    })
}

fn key(class: &ClassUnicode) -> Vec<(char, char)> {
    class.ranges().iter().map(|range| (range.start(), range.end())).collect()
}

fn collect(node: &Node, classes: &mut BTreeSet<Vec<(char, char)>>) {
    match node {
        Node::Class(set) => {
            classes.insert(key(set));
        }
        Node::WordBoundary { .. } => {
            classes.insert(key(&class::word()));
        }
        Node::Empty | Node::Start | Node::End => {}
        Node::Look { node, .. } => collect(node, classes),
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().for_each(|node| collect(node, classes)),
        Node::Repeat(repeat) => collect(&repeat.node, classes),
    }
}

/// A character of a run that a person can read.
fn readable(start: u32, end: u32) -> Option<char> {
    ['a', 'A', '0', 'x', '!']
        .into_iter()
        .find(|character| (start..end).contains(&u32::from(*character)))
        .or_else(|| (start.max(0x21)..end.min(0x7f)).next().and_then(char::from_u32))
}
