//! The loops of an automaton: its components that can be run through again and again, and ways through them.

use std::collections::VecDeque;

use super::automaton::{Automaton, INIT};
use super::components::{NONE, components};

/// The automaton by components.
pub(super) struct Loops<'a> {
    pub(super) automaton: &'a Automaton,
    /// The component of each state.
    pub(super) of: Vec<u32>,
    /// The states of each component, those behind others first.
    pub(super) states: Vec<Vec<u32>>,
    /// How many edges there are: what a walk over all of it costs.
    pub(super) edges: u64,
}

impl<'a> Loops<'a> {
    pub(super) fn of(automaton: &'a Automaton) -> Self {
        let edges = |state: u32| Ok::<_, ()>(automaton.next(state).iter().map(|(to, _)| *to).collect());
        let found = components(automaton.len(), [INIT].into_iter(), edges).expect("nothing ends it");
        let mut states = vec![Vec::new(); found.count as usize];
        for (state, component) in (0_u32..).zip(&found.of) {
            if *component != NONE {
                states[*component as usize].push(state);
            }
        }
        Self { automaton, of: found.of, states, edges: automaton.edges() as u64 }
    }

    /// Whether a component can be run through again.
    pub(super) fn is_loop(&self, component: u32) -> bool {
        // `$*` goes round without reading anything.
        let reads = |state: &u32| self.automaton.reads(*state).is_some();
        self.states[component as usize].iter().any(reads) && self.goes_round(component)
    }

    fn goes_round(&self, component: u32) -> bool {
        match self.states[component as usize][..] {
            [state] => self.automaton.next(state).iter().any(|(to, _)| *to == state),
            _ => true,
        }
    }

    /// The edges of a state that stay in its component.
    pub(super) fn within(&self, state: u32) -> impl Iterator<Item = (u32, u8)> + '_ {
        let component = self.of[state as usize];
        self.automaton.next(state).iter().copied().filter(move |(to, _)| self.of[*to as usize] == component)
    }

    /// The letters of a shortest way, within a component where `inside` says so. Empty where it is there already.
    pub(super) fn way(&self, from: u32, to: u32, inside: bool) -> Option<Vec<u16>> {
        if from == to {
            return Some(Vec::new());
        }
        let mut before = vec![NONE; self.automaton.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for (next, _) in self.automaton.next(state) {
                let leaves = inside && self.of[*next as usize] != self.of[from as usize];
                if before[*next as usize] != NONE || leaves {
                    continue;
                }
                before[*next as usize] = state;
                if *next == to {
                    let mut letters = Vec::new();
                    let mut at = to;
                    while at != from {
                        letters.extend(self.automaton.common(&[at]));
                        at = before[at as usize];
                    }
                    letters.reverse();
                    return Some(letters);
                }
                queue.push_back(*next);
            }
        }
        None
    }

    /// Which components each can come to, itself included.
    pub(super) fn reachable(&self, component: u32) -> Vec<bool> {
        let mut seen = vec![false; self.states.len()];
        let mut stack = vec![component];
        seen[component as usize] = true;
        while let Some(at) = stack.pop() {
            for state in &self.states[at as usize] {
                for (to, _) in self.automaton.next(*state) {
                    let next = self.of[*to as usize];
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        stack.push(next);
                    }
                }
            }
        }
        seen
    }
}
