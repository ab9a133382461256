//! Ends that make an attempt fail: where every way of reading the text so far comes to nothing.
//!
//! The states that an attempt can be in are followed as a set, breadth first over the letters. This takes all alternatives as equal, so it
//! proposes ends and the replay decides. Where no end at all makes the set fail, only the order of alternatives can make a text dear (one that
//! accepts may be tried last), and then it does with any end: two are tried.

use std::collections::{BTreeSet, VecDeque};

use super::automaton::{Automaton, INIT};
use super::budget::Budget;

/// The most ends that are proposed.
const MOST: usize = 6;

/// The longest end.
const LONGEST: usize = 4;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// Ends that fail, the shortest first.
    pub(super) found: Vec<Vec<u16>>,
    /// Whether there is certainly no end that fails.
    pub(super) none: bool,
}

/// Ends for the text `prefix pump pump`. `searching` says whether the search for a beginning takes part in the ambiguity.
pub(super) fn ends(
    automaton: &Automaton,
    letters: usize,
    prefix: &[u16],
    pump: &[u16],
    searching: bool,
    budget: &mut Budget,
) -> Ends {
    let mut follow = Follow { automaton, budget };
    let mut states = follow.over(prefix, searching, BTreeSet::from([INIT]));
    if states.is_empty() {
        states = follow.over(prefix, true, BTreeSet::from([INIT]));
    }
    for _ in 0..2 {
        states = follow.over(pump, searching, states);
    }
    states.retain(|state| !automaton.is_search(*state));
    let mut ends = Ends::default();
    let mut seen = BTreeSet::from([states.clone()]);
    let mut queue = VecDeque::from([(states, Vec::new())]);
    let mut cut = false;
    while let Some((states, end)) = queue.pop_front() {
        if states.iter().any(|state| automaton.accepts(*state)) {
            continue;
        }
        if !states.iter().any(|state| automaton.accepts_at_end(*state)) {
            ends.found.push(end.clone());
            if ends.found.len() == MOST {
                return ends;
            }
            if states.is_empty() {
                continue;
            }
        }
        if end.len() == LONGEST || follow.budget.left() == 0 {
            cut = true;
            continue;
        }
        for letter in 0..u16::try_from(letters).unwrap_or(u16::MAX) {
            let next = follow.over(&[letter], false, states.clone());
            if seen.insert(next.clone()) {
                queue.push_back((next, end.iter().copied().chain([letter]).collect()));
            }
        }
    }
    ends.none = ends.found.is_empty() && !cut && follow.budget.left() > 0;
    ends
}

struct Follow<'a> {
    automaton: &'a Automaton,
    budget: &'a mut Budget,
}

impl Follow<'_> {
    fn over(&mut self, text: &[u16], searching: bool, mut states: BTreeSet<u32>) -> BTreeSet<u32> {
        for letter in text {
            let mut next = BTreeSet::new();
            for state in &states {
                let edges = self.automaton.next(*state);
                if self.budget.take(edges.len() as u64).is_err() {
                    return BTreeSet::new();
                }
                for (to, _) in edges {
                    if self.automaton.can_read(*to, *letter) && (searching || !self.automaton.is_search(*to)) {
                        next.insert(*to);
                    } else if self.automaton.reads(*to).is_none() {
                        // `^` is passed before the first letter.
                        let behind = self.automaton.next(*to).iter().map(|(to, _)| *to);
                        next.extend(behind.filter(|to| self.automaton.can_read(*to, *letter)));
                    }
                }
            }
            states = next;
        }
        states
    }
}
