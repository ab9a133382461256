//! Texts that make a pattern blow up, and their proof by replay.
//!
//! Ambiguity costs only where the engine has to go through all of it, which depends on the order of alternatives, on what follows and on
//! assertions. So a text is not taken for an attack before a backtracker was seen to need more and more steps for it.

use std::cell::Cell;

use super::alphabet::Alphabet;
use super::budget::{Budget, Exhausted};
use super::program::{MAX_TEXT, Program};
use super::replay::{Replay, replay};

/// A text that can be grown: parts, each a text once and a text many times, and what follows them.
#[derive(Clone, Debug)]
pub(super) struct Attack {
    pub(super) parts: Vec<(Vec<u16>, Vec<u16>)>,
    pub(super) suffix: Vec<u16>,
    /// Ends that were found to fail.
    pub(super) ends: Vec<Vec<u16>>,
    /// Whether there may be an end that fails.
    pub(super) fails: bool,
}

/// What is tried as the end of any attack: nothing, a letter that the pattern does not name, and each letter.
pub(super) fn suffixes(alphabet: &Alphabet) -> Vec<Vec<u16>> {
    const MOST: usize = 16;
    let mut letters: Vec<u16> = (0..u16::try_from(alphabet.len()).unwrap_or(u16::MAX)).collect();
    let foreign = alphabet.letter(FOREIGN);
    let newline = alphabet.letter('\n');
    letters.sort_by_key(|letter| (*letter != foreign, *letter != newline, *letter));
    let single = letters.into_iter().take(MOST).map(|letter| vec![letter]);
    std::iter::once(Vec::new()).chain(single).collect()
}

/// A character that patterns hardly ever name.
pub(super) const FOREIGN: char = '\u{e000}';

/// A replayer of attacks on one pattern.
pub(super) struct Replayer<'a> {
    pub(super) program: &'a Program,
    pub(super) suffixes: &'a [Vec<u16>],
    /// Whether a text was too long to be tried.
    pub(super) skipped: Cell<bool>,
}

impl Replayer<'_> {
    /// The attack with each end that is worth a try, the likeliest first.
    fn with_ends<'b>(&'b self, attack: &'b Attack) -> impl Iterator<Item = Attack> + 'b {
        // Where every end matches, the order of alternatives alone can make it dear, and then any end does.
        let (likely, others) = self.suffixes.split_at(2.min(self.suffixes.len()));
        let others = if attack.fails { others } else { &[] };
        let ends = likely.iter().chain(&attack.ends).chain(others);
        ends.map(|suffix| Attack { suffix: suffix.clone(), ..attack.clone() })
    }

    /// What an attack costs; nothing where its text is longer than the program was made for.
    fn steps(
        &self,
        attack: &Attack,
        pumps: usize,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<Option<Replay>, Exhausted> {
        if attack.len(pumps) > MAX_TEXT {
            return Ok(None);
        }
        replay(self.program, &attack.text(pumps), limit, budget).map(Some)
    }

    /// The attack with an end that makes its steps grow exponentially.
    pub(super) fn exponential(&self, attack: &Attack, budget: &mut Budget) -> Result<Option<Attack>, Exhausted> {
        // Six more pumps must cost many times as much: a polynomial of the fifth degree would cost sixteen times as much.
        const GROWTH: u64 = 24;
        self.skipped.set(self.skipped.get() || attack.len(1) > MAX_TEXT);
        for attack in self.with_ends(attack) {
            for pumps in [8, 4, 2, 1] {
                let Some(Replay::Ended(few)) = self.steps(&attack, pumps, 10_000, budget)? else { continue };
                if self.steps(&attack, pumps + 6, few * GROWTH, budget)? == Some(Replay::Cut) {
                    return Ok(Some(attack));
                }
                break;
            }
        }
        self.dear(attack, budget)
    }

    /// The attack where a few letters cost so much that growth cannot be seen any more.
    fn dear(&self, attack: &Attack, budget: &mut Budget) -> Result<Option<Attack>, Exhausted> {
        const FEW: usize = 20;
        for attack in self.with_ends(attack).take(3).filter(|attack| attack.len(1) <= FEW) {
            if self.steps(&attack, 1, 200_000, budget)? == Some(Replay::Cut) {
                return Ok(Some(attack));
            }
        }
        Ok(None)
    }

    /// The attack with an end that costs more than a million steps.
    pub(super) fn bounded(
        &self,
        attack: &Attack,
        pumps: usize,
        budget: &mut Budget,
    ) -> Result<Option<Attack>, Exhausted> {
        const DEAR: u64 = 1_000_000;
        let mut most = 0;
        for attack in self.with_ends(attack).take(6) {
            let replay = match self.steps(&attack, pumps, DEAR, budget) {
                // Ends differ in the letter that fails: those that were seen to go through the counts tell what the others cost.
                Err(Exhausted) if most > DEAR / 4 => return Ok(None),
                replay => replay?,
            };
            let Some(replay) = replay else {
                self.skipped.set(true);
                continue;
            };
            if let Replay::Ended(steps) = replay {
                most = most.max(steps);
            } else {
                let parts = attack.parts.into_iter().map(|(once, pump)| {
                    let many = pump.iter().cycle().take(pump.len() * pumps).copied().collect();
                    (once, many)
                });
                return Ok(Some(Attack {
                    parts: parts.collect(),
                    suffix: attack.suffix,
                    ends: Vec::new(),
                    fails: true,
                }));
            }
        }
        Ok(None)
    }

    /// The attack with an end that makes its steps grow as a power of its length, and that power. `wanted` is the power that is hoped for.
    pub(super) fn polynomial(
        &self,
        attack: &Attack,
        wanted: u32,
        budget: &mut Budget,
    ) -> Result<Option<(Attack, u32)>, Exhausted> {
        let mut best: Option<(Attack, u32)> = None;
        for attack in self.with_ends(attack) {
            let degree = match self.degree(&attack, wanted, budget) {
                Ok(degree) => degree,
                Err(Exhausted) if best.is_some() => break,
                Err(Exhausted) => return Err(Exhausted),
            };
            if degree >= 2 && best.as_ref().is_none_or(|(_, before)| degree > *before) {
                let done = degree >= wanted;
                best = Some((attack, degree));
                if done {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The power with which an attack grows, seen from one length to twice as much.
    fn degree(&self, attack: &Attack, wanted: u32, budget: &mut Budget) -> Result<u32, Exhausted> {
        let limit = if wanted > 2 { 250_000 } else { 120_000 };
        let pump: usize = attack.parts.iter().map(|(_, pump)| pump.len()).sum();
        let characters = if wanted > 2 { 8 } else { 24 };
        let mut pumps = (characters / pump.max(1)).max(2);
        let (mut before, mut slope, mut cut_at_once) = (None::<u64>, 0.0_f64, false);
        for round in 0..5 {
            let (steps, cut) = match self.steps(attack, pumps, limit, budget) {
                // Too long: what was seen before stands.
                Ok(None) => {
                    self.skipped.set(self.skipped.get() || before.is_none());
                    break;
                }
                Ok(Some(Replay::Ended(steps))) => (steps, false),
                Ok(Some(Replay::Cut)) => (limit, true),
                // What was seen before the steps ran out stands.
                Err(Exhausted) if slope >= 1.6 => break,
                Err(Exhausted) => return Err(Exhausted),
            };
            if let Some(before) = before {
                let seen = ratio(steps, before).log2();
                slope = if cut { slope.max(seen) } else { seen };
            }
            // Short texts are mostly overhead, so only the third look tells that nothing grows.
            if cut || round == 2 && slope < 1.25 {
                cut_at_once = cut && before.is_none();
                break;
            }
            before = Some(steps);
            pumps *= 2;
        }
        if before.is_none() {
            return Ok(if cut_at_once { wanted } else { 1 });
        }
        // Short texts lag behind the power that they grow towards, and the automaton knows it: what is seen confirms it, or a lower one.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a logarithm of at most 250,000")]
        let seen = (slope + 0.75) as u32;
        Ok(if slope >= 1.6 { seen.clamp(2, wanted.max(2)) } else { 1 })
    }
}

#[allow(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
fn ratio(many: u64, few: u64) -> f64 {
    many as f64 / few as f64
}

impl Attack {
    /// An attack of one part, whose end is still open.
    pub(super) fn of(prefix: Vec<u16>, pump: Vec<u16>) -> Self {
        Self { parts: vec![(prefix, pump)], suffix: Vec::new(), ends: Vec::new(), fails: true }
    }

    fn len(&self, pumps: usize) -> usize {
        let parts: usize = self.parts.iter().map(|(once, pump)| once.len() + pump.len() * pumps).sum();
        parts + self.suffix.len()
    }

    fn text(&self, pumps: usize) -> Vec<u16> {
        let mut text = Vec::with_capacity(self.len(pumps));
        for (once, pump) in &self.parts {
            text.extend(once);
            (0..pumps).for_each(|_| text.extend(pump));
        }
        text.extend(&self.suffix);
        text
    }
}
