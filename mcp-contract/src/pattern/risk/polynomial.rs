//! Polynomial ambiguity: two loops, one behind the other, that read the same text.
//!
//! For loops through `p` and `q`, a text that leads from `p` to `p`, from `p` to `q` and from `q` to `q` can be cut between them anywhere: a
//! chain of `k` such steps costs `n^(k+1)` (Weber and Seidl 1991). The text is found in the product of three copies with an edge back from
//! `(p, q, q)` to `(p, p, q)` (Allauzen, Mohri and Rastogi 2008). The loop of the unanchored search takes part: that is how `a+$` costs the
//! square.

use super::alphabet::Letters;
use super::automaton::INIT;
use super::budget::{Budget, Exhausted};
use super::components::{NONE, components};
use super::loops::Loops;

/// The largest product of three copies that is searched.
const MAX_PRODUCT: usize = 1 << 20;

/// The longest chain that is told apart from longer ones.
const LONGEST: usize = 8;

/// A text that can be cut between two loops anywhere.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) letters: Vec<u16>,
}

/// The steps between loops, found as they are asked for.
pub(super) struct Steps<'a> {
    loops: &'a Loops<'a>,
    loop_components: Vec<u32>,
    /// All letters of each loop.
    letters: Vec<Letters>,
}

impl<'a> Steps<'a> {
    pub(super) fn of(loops: &'a Loops<'a>) -> Self {
        let count = u32::try_from(loops.states.len()).expect("at most as many as states");
        let loop_components: Vec<u32> = (0..count).filter(|component| loops.is_loop(*component)).collect();
        let letters = loop_components.iter().map(|component| {
            let sets = loops.states[*component as usize].iter().filter_map(|state| loops.automaton.reads(*state));
            sets.cloned().reduce(|all, set| all.iter().zip(&*set).map(|(one, other)| one | other).collect())
        });
        let letters = letters.map(|letters| letters.expect("a loop reads")).collect();
        Self { loops, loop_components, letters }
    }

    /// The longest chain of steps, and every step that was found on the way.
    pub(super) fn chain(&self, budget: &mut Budget) -> Result<(Vec<Step>, Vec<Step>), Exhausted> {
        let loops = self.loop_components.len();
        let mut best: Vec<Vec<Step>> = vec![Vec::new(); loops];
        let mut all = Vec::new();
        // Components are numbered from the end: what lies behind a loop is judged before it.
        for (index, component) in self.loop_components.iter().enumerate() {
            let reachable = self.loops.reachable(*component);
            budget.take(self.loops.edges / 4)?;
            let mut behind: Vec<usize> =
                (0..index).filter(|other| reachable[self.loop_components[*other] as usize]).collect();
            behind.sort_by_key(|other| std::cmp::Reverse(best[*other].len()));
            for other in behind {
                if best[index].len() >= LONGEST {
                    break;
                }
                if best[other].len() < best[index].len() {
                    continue;
                }
                if let Some(step) = self.step(index, other, &reachable, budget)? {
                    all.push(step.clone());
                    let rest = best[other].iter().take(LONGEST - 1).cloned();
                    best[index] = std::iter::once(step).chain(rest).collect();
                } else if best[other].len() > best[index].len() {
                    let longest = best[other].clone();
                    best[index] = longest;
                }
            }
        }
        let longest = best.into_iter().max_by_key(Vec::len).unwrap_or_default();
        Ok((longest, all))
    }

    /// Every step between two loops.
    pub(super) fn all(&self, budget: &mut Budget) -> Result<Vec<Step>, Exhausted> {
        let mut steps = Vec::new();
        for (index, component) in self.loop_components.iter().enumerate() {
            budget.take(self.loops.edges / 4)?;
            let reachable = self.loops.reachable(*component);
            for other in (0..index).filter(|other| reachable[self.loop_components[*other] as usize]) {
                steps.extend(self.step(index, other, &reachable, budget)?);
            }
        }
        Ok(steps)
    }

    fn step(
        &self,
        one: usize,
        other: usize,
        reachable: &[bool],
        budget: &mut Budget,
    ) -> Result<Option<Step>, Exhausted> {
        if self.letters[one].iter().zip(&*self.letters[other]).all(|(one, other)| one & other == 0) {
            return Ok(None);
        }
        let (first, last) = (self.loop_components[one], self.loop_components[other]);
        budget.take(self.loops.automaton.len() as u64 / 4)?;
        let middle: Vec<u32> = (0..u32::try_from(self.loops.automaton.len()).expect("few"))
            .filter(|state| {
                let component = self.loops.of[*state as usize];
                // The middle lies between the two, and so is numbered between them.
                *state != INIT
                    && component != NONE
                    && (last..=first).contains(&component)
                    && reachable[component as usize]
            })
            .collect();
        let product =
            Product::new(self.loops, &self.loops.states[first as usize], middle, &self.loops.states[last as usize]);
        product.ok_or(Exhausted)?.search(budget)
    }
}

/// Three copies of the automaton, reading one text.
struct Product<'a> {
    loops: &'a Loops<'a>,
    first: &'a [u32],
    middle: Vec<u32>,
    last: &'a [u32],
    place_first: Vec<u32>,
    place_middle: Vec<u32>,
    place_last: Vec<u32>,
}

impl<'a> Product<'a> {
    fn new(loops: &'a Loops<'a>, first: &'a [u32], middle: Vec<u32>, last: &'a [u32]) -> Option<Self> {
        let size = first.len().checked_mul(middle.len())?.checked_mul(last.len())?;
        let place = |states: &[u32]| {
            let mut place = vec![NONE; loops.automaton.len()];
            (0..).zip(states).for_each(|(index, state)| place[*state as usize] = index);
            place
        };
        let (place_first, place_middle, place_last) = (place(first), place(&middle), place(last));
        (size <= MAX_PRODUCT).then_some(Self { loops, first, middle, last, place_first, place_middle, place_last })
    }

    fn key(&self, [first, middle, last]: [u32; 3]) -> u32 {
        let (first, middle) = (self.place_first[first as usize] as usize, self.place_middle[middle as usize] as usize);
        let last = self.place_last[last as usize] as usize;
        u32::try_from((first * self.middle.len() + middle) * self.last.len() + last).expect("bounded by MAX_PRODUCT")
    }

    fn states(&self, key: u32) -> [u32; 3] {
        let key = key as usize;
        let (rest, last) = (key / self.last.len(), key % self.last.len());
        [self.first[rest / self.middle.len()], self.middle[rest % self.middle.len()], self.last[last]]
    }

    /// The nodes behind one by a letter; the edge back is not among them.
    fn next(&self, [first, middle, last]: [u32; 3], budget: &mut Budget) -> Result<Vec<([u32; 3], u16)>, Exhausted> {
        let mut next = Vec::new();
        for (to_first, _) in self.loops.within(first) {
            for (to_middle, _) in self.loops.automaton.next(middle) {
                if self.place_middle[*to_middle as usize] == NONE {
                    continue;
                }
                budget.take(1)?;
                if self.loops.automaton.common(&[to_first, *to_middle]).is_none() {
                    continue;
                }
                for (to_last, _) in self.loops.within(last) {
                    budget.take(1)?;
                    let to = [to_first, *to_middle, to_last];
                    next.extend(self.loops.automaton.common(&to).map(|letter| (to, letter)));
                }
            }
        }
        Ok(next)
    }

    /// Where `(p, q, q)` leads back to.
    fn back([first, middle, last]: [u32; 3]) -> Option<[u32; 3]> {
        (middle == last).then_some([first, first, last])
    }

    fn search(&self, budget: &mut Budget) -> Result<Option<Step>, Exhausted> {
        let seeds: Vec<u32> = self
            .first
            .iter()
            .flat_map(|first| self.last.iter().map(move |last| [*first, *first, *last]))
            .map(|seed| self.key(seed))
            .collect();
        let size = self.first.len() * self.middle.len() * self.last.len();
        budget.take(size as u64 / 16)?;
        let found = components(size, seeds.iter().copied(), |key| {
            let states = self.states(key);
            let mut next: Vec<u32> = self.next(states, budget)?.into_iter().map(|(to, _)| self.key(to)).collect();
            next.extend(Self::back(states).map(|to| self.key(to)));
            Ok(next)
        })?;
        for seed in seeds {
            let [first, _, last] = self.states(seed);
            let end = self.key([first, last, last]);
            let component = found.of[seed as usize];
            if component != NONE && component == found.of[end as usize] {
                let letters = self.text(seed, end, &found.of, budget)?;
                return Ok(Some(Step { from: first, to: last, letters }));
            }
        }
        Ok(None)
    }

    /// The text of a shortest way between two nodes of a component.
    fn text(&self, from: u32, to: u32, of: &[u32], budget: &mut Budget) -> Result<Vec<u16>, Exhausted> {
        let mut before: std::collections::BTreeMap<u32, (u32, Option<u16>)> = std::collections::BTreeMap::new();
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(key) = queue.pop_front() {
            if key == to {
                break;
            }
            let states = self.states(key);
            let by_letter = self.next(states, budget)?.into_iter().map(|(to, letter)| (to, Some(letter)));
            for (next, letter) in by_letter.chain(Self::back(states).map(|to| (to, None))) {
                let next = self.key(next);
                if of[next as usize] == of[from as usize] && next != from && !before.contains_key(&next) {
                    before.insert(next, (key, letter));
                    queue.push_back(next);
                }
            }
        }
        let mut letters = Vec::new();
        let mut at = to;
        while at != from {
            let (earlier, letter) = before[&at];
            letters.extend(letter);
            at = earlier;
        }
        letters.reverse();
        Ok(letters)
    }
}
