//! Exponential ambiguity: a loop that reads one text in two ways.
//!
//! A component is exponentially ambiguous exactly if two different ways through it read the same text from a state back to itself
//! (Weber and Seidl 1991). Because the component is connected it is enough that two ways which part at a state meet anywhere.

use std::collections::VecDeque;

use super::budget::{Budget, Exhausted};
use super::components::NONE;
use super::loops::Loops;

/// The most states of one loop whose pairs are looked at; there is a word of memory for each pair.
const MAX_STATES: usize = 2_000;

/// A state, and a text that leads from it back to it in two ways.
#[derive(Clone, Debug)]
pub(super) struct Pump {
    pub(super) state: u32,
    pub(super) letters: Vec<u16>,
}

/// A pump of each component that has one.
pub(super) fn pumps(loops: &Loops<'_>, budget: &mut Budget) -> Result<Vec<Pump>, Exhausted> {
    let mut found = Vec::new();
    for states in &loops.states {
        found.extend(pump(loops, states, budget)?);
    }
    Ok(found)
}

fn pump(loops: &Loops<'_>, states: &[u32], budget: &mut Budget) -> Result<Option<Pump>, Exhausted> {
    for from in states {
        if let Some((to, _)) = loops.within(*from).find(|(_, ways)| *ways > 1) {
            let first = loops.automaton.common(&[to]);
            let back = loops.way(to, *from, true).unwrap_or_default();
            return Ok(Some(Pump { state: *from, letters: first.into_iter().chain(back).collect() }));
        }
    }
    if states.len() < 2 {
        return Ok(None);
    }
    if states.len() > MAX_STATES {
        return Err(Exhausted);
    }
    Pairs::new(loops, states).search(budget)
}

/// Unordered pairs of states of one component, and how each was come to.
struct Pairs<'a> {
    loops: &'a Loops<'a>,
    states: &'a [u32],
    /// The place of each state in the component.
    place: Vec<u32>,
    /// For each pair the pair before it; for a pair that parted from one state, that state's own pair.
    before: Vec<u32>,
    queue: VecDeque<(u32, u32)>,
}

impl<'a> Pairs<'a> {
    fn new(loops: &'a Loops<'a>, states: &'a [u32]) -> Self {
        let mut place = vec![NONE; loops.automaton.len()];
        (0..).zip(states).for_each(|(index, state)| place[*state as usize] = index);
        Self { loops, states, place, before: vec![NONE; states.len() * states.len()], queue: VecDeque::new() }
    }

    fn key(&self, one: u32, other: u32) -> usize {
        let (one, other) = (self.place[one as usize], self.place[other as usize]);
        let (low, high) = (one.min(other) as usize, one.max(other) as usize);
        low * self.states.len() + high
    }

    fn search(mut self, budget: &mut Budget) -> Result<Option<Pump>, Exhausted> {
        for from in self.states {
            let next: Vec<u32> = self.loops.within(*from).map(|(to, _)| to).collect();
            for (index, one) in next.iter().enumerate() {
                for other in &next[index + 1..] {
                    budget.take(1)?;
                    self.visit((*from, *from), (*one, *other));
                }
            }
            while let Some((one, other)) = self.queue.pop_front() {
                for (next_one, _) in self.loops.within(one) {
                    for (next_other, _) in self.loops.within(other) {
                        budget.take(1)?;
                        if next_one != next_other {
                            self.visit((one, other), (next_one, next_other));
                        } else if self.loops.automaton.common(&[next_one]).is_some() {
                            return Ok(Some(self.pump((one, other), next_one)));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn visit(&mut self, before: (u32, u32), pair: (u32, u32)) {
        let key = self.key(pair.0, pair.1);
        if self.before[key] == NONE && self.loops.automaton.common(&[pair.0, pair.1]).is_some() {
            self.before[key] = u32::try_from(self.key(before.0, before.1)).expect("states squared fit");
            self.queue.push_back(pair);
        }
    }

    /// The text from where the ways parted to where they met and on to the start.
    fn pump(&self, last: (u32, u32), met: u32) -> Pump {
        let mut letters: Vec<u16> = self.loops.automaton.common(&[met]).into_iter().collect();
        let mut key = self.key(last.0, last.1);
        let state = loop {
            let (one, other) = (self.states[key / self.states.len()], self.states[key % self.states.len()]);
            if one == other {
                break one;
            }
            letters.extend(self.loops.automaton.common(&[one, other]));
            key = self.before[key] as usize;
        };
        letters.reverse();
        letters.extend(self.loops.way(met, state, true).unwrap_or_default());
        Pump { state, letters }
    }
}
