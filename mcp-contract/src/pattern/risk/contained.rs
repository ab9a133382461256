//! Whether every text that one pattern matches another matches too.
//!
//! Both automata are followed at once, as sets of states over one alphabet, breadth first: where the first has matched and the second cannot
//! any more, the letters on the way are a text that parts them. Look-around is left out, because the automaton takes it for a mere cost.

use std::collections::{BTreeSet, VecDeque};

use super::alphabet::Alphabet;
use super::automaton::{Automaton, INIT};
use super::budget::{Budget, Exhausted};
use crate::pattern::ast::Node;
use crate::pattern::{Flags, class, read};

/// The steps for one question.
const STEPS: u64 = 400_000;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contained {
    /// Every text.
    Yes,
    /// Not this one.
    No(String),
    /// It is not known.
    Unknown,
}

/// Whether every text that `one` matches `other` matches too. The empty pattern matches every text.
pub(crate) fn contained(one: &str, other: &str) -> Contained {
    let parsed = (read(one, Flags::SCHEMA), read(other, Flags::SCHEMA));
    let (Ok((_, one)), Ok((_, other))) = parsed else { return Contained::Unknown };
    if !one.is_plain() || !other.is_plain() {
        return Contained::Unknown;
    }
    let whole = Node::Concat(vec![one.clone(), other.clone()]);
    let alphabet = Alphabet::of(&whole, &[class::line_end(), class::word()]);
    let automata = (Automaton::of(&one, &alphabet, false), Automaton::of(&other, &alphabet, false));
    let (Ok(one), Ok(other)) = automata else { return Contained::Unknown };
    match search(&one, &other, &alphabet) {
        Ok(None) => Contained::Yes,
        Ok(Some(text)) => Contained::No(text),
        Err(Exhausted) => Contained::Unknown,
    }
}

/// How far a pattern has come in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Run {
    /// It has matched, whatever follows.
    Matched,
    /// It is in one of these states.
    In(BTreeSet<u32>),
}

fn search(one: &Automaton, other: &Automaton, alphabet: &Alphabet) -> Result<Option<String>, Exhausted> {
    let mut budget = Budget::new(STEPS);
    let first = (start(one), start(other));
    let mut seen = BTreeSet::from([first.clone()]);
    let mut queue = VecDeque::from([(first, String::new())]);
    while let Some(((ours, theirs), text)) = queue.pop_front() {
        if theirs == Run::Matched {
            continue;
        }
        if ends(one, &ours) && !ends(other, &theirs) {
            return Ok(Some(text));
        }
        for letter in 0..u16::try_from(alphabet.len()).unwrap_or(u16::MAX) {
            let next = (read_on(one, &ours, letter, &mut budget)?, read_on(other, &theirs, letter, &mut budget)?);
            let hopeless = matches!(&next.0, Run::In(states) if states.is_empty());
            if !hopeless && seen.insert(next.clone()) {
                let mut longer = text.clone();
                longer.push(alphabet.character(letter));
                queue.push_back((next, longer));
            }
        }
    }
    Ok(None)
}

fn start(automaton: &Automaton) -> Run {
    let passed = automaton.next(INIT).iter().filter(|(to, _)| automaton.reads(*to).is_none());
    let mut matched = automaton.accepts(INIT);
    for (to, _) in passed {
        matched |= automaton.accepts(*to);
    }
    if matched { Run::Matched } else { Run::In(BTreeSet::from([INIT])) }
}

/// Whether the pattern matches a text that ends here.
fn ends(automaton: &Automaton, run: &Run) -> bool {
    let Run::In(states) = run else { return true };
    states.iter().any(|state| {
        let behind = automaton.next(*state).iter().map(|(to, _)| *to);
        automaton.accepts_at_end(*state)
            || behind.filter(|to| automaton.reads(*to).is_none()).any(|to| automaton.accepts_at_end(to))
    })
}

fn read_on(automaton: &Automaton, run: &Run, letter: u16, budget: &mut Budget) -> Result<Run, Exhausted> {
    let Run::In(states) = run else { return Ok(Run::Matched) };
    let mut next = BTreeSet::new();
    for state in states {
        for (to, _) in automaton.next(*state) {
            budget.take(1)?;
            if automaton.reads(*to).is_some() {
                next.extend(automaton.can_read(*to, letter).then_some(*to));
            } else {
                // `^` is passed before the first letter; several may stand in a row.
                let behind = automaton.next(*to).iter().map(|(to, _)| *to);
                let further = behind.clone().filter(|to| automaton.reads(*to).is_none());
                let further = further.flat_map(|to| automaton.next(to).iter().map(|(to, _)| *to));
                next.extend(behind.chain(further).filter(|to| automaton.can_read(*to, letter)));
            }
        }
    }
    let matched = next.iter().any(|state| automaton.accepts(*state));
    Ok(if matched { Run::Matched } else { Run::In(next) })
}

#[cfg(test)]
mod tests {
    use super::{Contained, contained};
    use crate::pattern::Pattern;

    const PATTERNS: &[&str] = &[
        "",
        "^",
        "$",
        "^$",
        "a",
        "^a",
        "a$",
        "^a$",
        "^a?$",
        "^a?",
        "a?$",
        "^a*$",
        "^a+$",
        "^(?:ab)*$",
        "^[a-c]$",
        "^[ab]$",
        "^[a-z]{2,3}$",
        "^[a-z]{1,4}$",
        "^[A-Z][A-Z0-9_]+$",
        "^[A-Z][A-Z0-9_]*-\\d+$",
        "^\\d+$",
        "^\\d{1,3}$",
        "^(?:a|b)c$",
        "^ac$|^bc$",
        "^.*$",
        "^[^]*$",
        "b|^a",
        "^^a",
        "a$$",
        "^(?:^a|b)$",
        "(?:a|b)+$",
        "^\\w+$",
        "x{0}",
    ];

    #[test]
    fn answers_hold_for_every_short_text() {
        let letters = ['a', 'b', 'c', 'A', '1', '_', '-', '\n'];
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..4 {
            last = last.iter().flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}"))).collect();
            texts.extend(last.iter().cloned());
        }
        let compiled: Vec<Pattern> = PATTERNS.iter().map(|source| Pattern::compile(source).unwrap()).collect();
        let matches: Vec<Vec<bool>> =
            compiled.iter().map(|pattern| texts.iter().map(|text| pattern.is_match(text)).collect()).collect();
        for (one, source) in PATTERNS.iter().enumerate() {
            for (other, wider) in PATTERNS.iter().enumerate() {
                let apart = matches[one].iter().zip(&matches[other]).any(|(ours, theirs)| *ours && !theirs);
                match contained(source, wider) {
                    Contained::Yes => assert!(!apart, "{source} in {wider}"),
                    Contained::No(text) => {
                        assert!(
                            compiled[one].is_match(&text) && !compiled[other].is_match(&text),
                            "{source} in {wider}: {text:?}"
                        );
                    }
                    Contained::Unknown => panic!("{source} in {wider}"),
                }
            }
        }
    }
}
