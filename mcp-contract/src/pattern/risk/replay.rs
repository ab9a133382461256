//! A backtracker that counts its steps: what an engine that backtracks does with a text, measured without a clock.

use super::alphabet::holds;
use super::budget::{Budget, Exhausted};
use super::program::{Instruction, Program};

/// What a replay came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replay {
    /// The search ended, with or without a match, after so many steps.
    Ended(u64),
    /// It took more steps than it was given.
    Cut,
}

/// What is undone when a way fails.
enum Undo {
    /// Go on there instead.
    Choice { at: u32, place: usize },
    /// Where an iteration had begun before.
    Began { slot: u32, place: usize },
}

/// Runs an unanchored search, for at most `limit` steps.
pub(super) fn replay(program: &Program, text: &[u16], limit: u64, budget: &mut Budget) -> Result<Replay, Exhausted> {
    let limit = limit.min(budget.left());
    let mut run = Run { program, text, steps: 0, limit, began: vec![usize::MAX; program.places as usize] };
    let mut ended = false;
    for start in 0..=text.len() {
        match run.attempt(0, start) {
            Some(true) => {
                ended = true;
                break;
            }
            Some(false) => ended = true,
            None => {
                ended = false;
                break;
            }
        }
    }
    let steps = run.steps;
    budget.take(steps)?;
    if !ended && budget.left() == 0 {
        return Err(Exhausted);
    }
    Ok(if ended { Replay::Ended(steps) } else { Replay::Cut })
}

struct Run<'a> {
    program: &'a Program,
    text: &'a [u16],
    steps: u64,
    limit: u64,
    began: Vec<usize>,
}

impl Run<'_> {
    /// Whether the program matches from a place; nothing where the steps ran out. Recursion is as deep as look-around nests.
    fn attempt(&mut self, at: u32, place: usize) -> Option<bool> {
        let (mut at, mut place) = (at, place);
        let mut undo: Vec<Undo> = Vec::new();
        loop {
            self.steps += 1;
            if self.steps > self.limit {
                return None;
            }
            let index = at as usize;
            let goes_on = match self.program.code[index] {
                Instruction::Match => return Some(true),
                Instruction::Read(set) => match self.read(index, set, place) {
                    Some(next) => {
                        place = next;
                        true
                    }
                    None => false,
                },
                Instruction::Split(first, second) => {
                    undo.push(Undo::Choice { at: second, place });
                    at = first;
                    continue;
                }
                Instruction::Jump(to) => {
                    at = to;
                    continue;
                }
                Instruction::Begin(slot) => {
                    undo.push(Undo::Began { slot, place: self.began[slot as usize] });
                    self.began[slot as usize] = place;
                    true
                }
                Instruction::NotEmpty(slot) => self.began[slot as usize] != place,
                Instruction::Start => place == 0 || self.line_end(place.wrapping_sub(1)),
                Instruction::End => place == self.text.len() || self.line_end(place),
                Instruction::Boundary { negated } => {
                    (self.is_word(place.wrapping_sub(1)) != self.is_word(place)) != negated
                }
                Instruction::Look { negated, then } => {
                    if self.attempt(at + 1, place)? == negated {
                        false
                    } else {
                        at = then;
                        continue;
                    }
                }
            };
            if goes_on {
                at += 1;
                continue;
            }
            loop {
                match undo.pop() {
                    None => return Some(false),
                    Some(Undo::Began { slot, place }) => self.began[slot as usize] = place,
                    Some(Undo::Choice { at: other, place: back }) => {
                        (at, place) = (other, back);
                        break;
                    }
                }
            }
        }
    }

    fn read(&self, index: usize, set: u32, place: usize) -> Option<usize> {
        let backwards = self.program.backwards[index];
        let read = if backwards { place.checked_sub(1)? } else { place };
        let letter = *self.text.get(read)?;
        holds(&self.program.sets[set as usize], letter).then_some(if backwards { read } else { place + 1 })
    }

    fn line_end(&self, place: usize) -> bool {
        let letter = self.text.get(place);
        self.program.line_end.as_ref().zip(letter).is_some_and(|(set, letter)| holds(set, *letter))
    }

    fn is_word(&self, place: usize) -> bool {
        let letter = self.text.get(place);
        letter.is_some_and(|letter| holds(&self.program.word, *letter))
    }
}
