//! Attacks on what is bounded: many ways through a pattern, though not without end.
//!
//! There is no loop to find, so candidates come from four sides: the text with the most runs, counts read as loops, repetitions of what can be
//! empty, and words that are repeated in many places. The replay of the pattern as it stands decides.

use std::collections::{BTreeMap, BTreeSet};

use super::attack::Attack;
use super::automaton::Automaton;
use super::budget::Budget;
use super::exponential::pumps;
use super::judge::{Court, FEW};
use super::loops::Loops;
use super::richest::richest;
use super::widen::{LARGE, ways};
use crate::pattern::ast::Node;

/// How many attacks on bounded counts are replayed.
const MOST_BOUNDED: usize = 24;

/// How often a pump of several letters is repeated: two ways a copy make a million of twenty.
const MOST_COPIES: usize = 22;

/// From how many repetitions on they are attacked together: `a?a?a?aaa`, with twenty of each, has no loop and costs a million steps.
const MANY: usize = 12;

impl Court<'_> {
    /// An attack on counts that are not endless and large enough.
    pub(super) fn bounded(&mut self, wide: &Node) -> Option<Attack> {
        let mut attacks = self.bounded_attacks(wide);
        let mut texts = BTreeSet::new();
        attacks.retain(|(attack, count)| texts.insert((attack.parts.clone(), *count)));
        self.incomplete |= attacks.len() > MOST_BOUNDED;
        let mut found = attacks.into_iter().take(MOST_BOUNDED).map(|(attack, count)| {
            let mut budget = Budget::new(self.replay.left() / 3 * 2);
            let attack = self.replayer.bounded(&attack, count, &mut budget);
            // The steps of a part were taken from the whole, which it cannot exceed.
            let _ = self.replay.take(budget.used());
            self.incomplete |= attack.is_err();
            attack.ok().flatten()
        });
        found.find_map(|attack| attack)
    }

    /// Texts that may go through very many ways, and how often each is repeated.
    fn bounded_attacks(&mut self, wide: &Node) -> Vec<(Attack, usize)> {
        let many = self.repeats.len() >= MANY;
        if !many && ways(self.node) < FEW && *wide == *self.node {
            return Vec::new();
        }
        let mut attacks: Vec<(Attack, usize)> = Vec::new();
        if ways(self.node) >= FEW
            && let Ok(exact) = Automaton::of(self.node, self.alphabet, self.multiline)
        {
            let text = richest(&exact, self.alphabet.len(), &mut self.search);
            attacks.extend(text.map(|text| (Attack::of(Vec::new(), text), 1)));
        }
        if let Ok(automaton) = Automaton::of(wide, self.alphabet, self.multiline) {
            let loops = Loops::of(&automaton);
            let pumps = pumps(&loops, &mut self.search);
            self.incomplete |= pumps.is_err();
            for pump in pumps.unwrap_or_default() {
                let count = (40 / pump.letters.len().max(1)).max(MOST_COPIES);
                let Ok(prefix) = self.prefix(&loops, pump.state) else { break };
                attacks.push((Attack::of(prefix, pump.letters), count));
            }
        }
        for repeat in self.repeats.iter().filter(|repeat| repeat.nullable && repeat.min >= LARGE) {
            let attack = Attack::of(Vec::new(), self.letters(&repeat.word));
            attacks.extend([repeat.min, repeat.min / 2].map(|count| (attack.clone(), count.min(60) as usize)));
        }
        if many {
            let mut words: BTreeMap<Vec<u16>, usize> = BTreeMap::new();
            for repeat in self.repeats {
                *words.entry(self.letters(&repeat.word)).or_default() += 1;
            }
            // What is repeated most is the likeliest to be dear.
            let mut words: Vec<(Vec<u16>, usize)> = words.into_iter().collect();
            words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let attack = |word: Vec<u16>| {
                let count = self.repeats.len().min(60);
                [count, count / 2].map(|count| (Attack::of(Vec::new(), word.clone()), count / word.len().max(1)))
            };
            attacks.extend(words.into_iter().take(3).map(|(word, _)| word).flat_map(attack));
        }
        attacks
    }
}
