//! The text that can be read in the most ways.
//!
//! What is bounded is ambiguous in parts: alternatives written out, counts in a row, options. No theorem names the worst text, so it is
//! looked for: letter by letter, keeping the few beginnings that most runs are alive on. What is found is judged by a replay, so that the
//! search can only miss.

use std::collections::BTreeMap;

use super::automaton::{Automaton, INIT};
use super::budget::Budget;

/// How many beginnings are kept.
const KEPT: usize = 6;

/// The longest text.
const LONGEST: usize = 400;

/// How many runs are enough.
const ENOUGH: f64 = 4_000_000.0;

/// The steps that the search may take.
const STEPS: u64 = 250_000;

/// A beginning, and how many runs are in each state after it.
#[derive(Clone)]
struct Beginning {
    letters: Vec<u16>,
    runs: BTreeMap<u32, f64>,
}

/// A text with very many runs, if one is found.
pub(super) fn richest(automaton: &Automaton, letters: usize, budget: &mut Budget) -> Option<Vec<u16>> {
    let mut own = Budget::new(budget.left().min(STEPS));
    let found = search(automaton, letters, &mut own);
    // The steps of a part were taken from the whole, which it cannot exceed.
    let _ = budget.take(own.used());
    found
}

fn search(automaton: &Automaton, letters: usize, budget: &mut Budget) -> Option<Vec<u16>> {
    let mut kept = vec![Beginning { letters: Vec::new(), runs: BTreeMap::from([(INIT, 1.0)]) }];
    let letters = u16::try_from(letters).unwrap_or(u16::MAX);
    for _ in 0..LONGEST {
        let mut next: Vec<(f64, Beginning)> = Vec::new();
        for beginning in &kept {
            for letter in 0..letters {
                let runs = read(automaton, &beginning.runs, letter, budget)?;
                let alive: f64 = own(automaton, &runs).map(|(_, count)| *count).sum();
                if alive > ENOUGH {
                    return Some(beginning.letters.iter().copied().chain([letter]).collect());
                }
                if alive > 0.0 {
                    let letters = beginning.letters.iter().copied().chain([letter]).collect();
                    next.push((alive, Beginning { letters, runs }));
                }
            }
        }
        // Where as many runs are alive, more states are the better promise.
        next.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| other.runs.len().cmp(&one.runs.len())));
        next.dedup_by(|(a, one), (b, other)| a.total_cmp(b).is_eq() && one.runs == other.runs);
        kept = next.into_iter().take(KEPT).map(|(_, beginning)| beginning).collect();
        if kept.is_empty() {
            return None;
        }
    }
    None
}

/// The states that belong to the pattern and not to the search for a beginning.
fn own<'r>(automaton: &'r Automaton, runs: &'r BTreeMap<u32, f64>) -> impl Iterator<Item = (&'r u32, &'r f64)> {
    runs.iter().filter(|(state, _)| !automaton.is_search(**state))
}

fn read(
    automaton: &Automaton,
    runs: &BTreeMap<u32, f64>,
    letter: u16,
    budget: &mut Budget,
) -> Option<BTreeMap<u32, f64>> {
    let mut next: BTreeMap<u32, f64> = BTreeMap::new();
    for (state, count) in runs {
        for (to, ways) in automaton.next(*state) {
            budget.take(1).ok()?;
            if automaton.can_read(*to, letter) {
                *next.entry(*to).or_default() += count * f64::from(*ways);
            } else if automaton.reads(*to).is_none() {
                // `^` is passed before the first letter.
                for (behind, more) in automaton.next(*to) {
                    if automaton.can_read(*behind, letter) {
                        *next.entry(*behind).or_default() += count * f64::from(*ways) * f64::from(*more);
                    }
                }
            }
        }
    }
    Some(next)
}
