//! The judgement of a pattern: from its tree to a verdict with its witness.

use std::cell::Cell;
use std::collections::BTreeSet;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::alphabet::Alphabet;
use super::attack::{Attack, FOREIGN, Replayer, suffixes};
use super::automaton::{Automaton, INIT, Preference};
use super::budget::{Budget, Exhausted};
use super::exponential::pumps;
use super::failing::ends;
use super::loops::Loops;
use super::polynomial::{Step, Steps};
use super::program::Program;
use super::replay::{Replay, replay};
use super::verdict::{Judgement, Undecided, Verdict, Witness};
use super::widen::{Repeated, is_endless, repeated, ways, widened};
use crate::pattern::ast::Node;
use crate::pattern::{Flags, class, read};

/// The steps for looking at the automaton.
const SEARCH_STEPS: u64 = 2_000_000;

/// The steps for replaying texts.
const REPLAY_STEPS: u64 = 3_000_000;

/// A pattern without loops that can be gone through in fewer ways than two to this power is linear, whatever the text.
pub(super) const FEW: f64 = 16.0;

/// What it counts for to find out that a pattern is too large.
const TOO_LARGE_STEPS: u64 = 200_000;

/// The letters that are tried where several will do.
const PREFERENCES: [Preference; 3] = [Preference::First, Preference::Last, Preference::Middle];

/// How many steps between loops are replayed one by one.
const MOST_TRIED: usize = 80;

/// Judges a pattern.
///
/// ```
/// use mcp_contract::pattern::{Flags, Verdict, judge};
/// let judgement = judge("^(a+)+$", Flags::SCHEMA);
/// assert_eq!(judgement.verdict, Verdict::Exponential);
/// let witness = judgement.witness.unwrap();
/// assert!(witness.confirmed && witness.pump.chars().all(|c| c == 'a'));
/// assert_eq!(judge("^a+$", Flags::SCHEMA).verdict, Verdict::Linear);
/// assert_eq!(judge("a+$", Flags::SCHEMA).verdict, Verdict::Polynomial { degree: 2 });
/// ```
#[must_use]
pub fn judge(source: &str, flags: Flags) -> Judgement {
    let node = match read(source, flags) {
        Ok((_, node)) => node,
        Err(error) => return Judgement { verdict: Verdict::Outside(error), witness: None, steps: 0 },
    };
    let repeats = repeated(&node);
    if !is_endless(&node) && ways(&node) < FEW {
        return Judgement { verdict: Verdict::Linear, witness: None, steps: 0 };
    }
    let alphabet = Alphabet::of(&node, &[class::line_end(), class::word()]);
    let Ok(program) = Program::of(&node, &alphabet, flags.multiline) else {
        return Judgement { verdict: Verdict::Undecided(Undecided::TooLarge), witness: None, steps: TOO_LARGE_STEPS };
    };
    let suffixes = suffixes(&alphabet);
    let mut court = Court {
        node: &node,
        repeats: &repeats,
        alphabet: &alphabet,
        multiline: flags.multiline,
        is_plain: !flags.multiline && node.is_plain(),
        replayer: Replayer { program: &program, suffixes: &suffixes, skipped: Cell::new(false) },
        search: Budget::new(SEARCH_STEPS),
        replay: Budget::new(REPLAY_STEPS),
        incomplete: false,
    };
    let (verdict, shown) = court.judge();
    // What was not looked at to the end may be there all the same.
    let verdict = match verdict {
        Verdict::Linear if court.incomplete || court.replayer.skipped.get() => Verdict::Undecided(Undecided::Steps),
        verdict => verdict,
    };
    let witness = shown.map(|(attack, confirmed)| witness(&attack, &alphabet, confirmed));
    Judgement { verdict, witness, steps: court.search.used() + court.replay.used() }
}

/// Whether a pattern takes at most so many steps for the worst text of a length that a witness shows.
pub(crate) fn is_cheap(source: &str, flags: Flags, witness: &Witness, longest: usize, limit: u64) -> bool {
    let Ok((_, node)) = read(source, flags) else { return false };
    let alphabet = Alphabet::of(&node, &[class::line_end(), class::word()]);
    let Ok(program) = Program::of(&node, &alphabet, flags.multiline) else { return false };
    let letters = |text: &str| text.chars().map(|character| alphabet.letter(character)).collect::<Vec<u16>>();
    let (prefix, pump, suffix) = (letters(&witness.prefix), letters(&witness.pump), letters(&witness.suffix));
    let room = longest.saturating_sub(prefix.len() + suffix.len());
    let pumped = pump.iter().cycle().take(if pump.is_empty() { 0 } else { room });
    let text: Vec<u16> = prefix.iter().chain(pumped).chain(&suffix).copied().collect();
    matches!(replay(&program, &text, limit, &mut Budget::new(limit)), Ok(Replay::Ended(_)))
}

/// An attack, and whether it was seen to work.
type Shown = Option<(Attack, bool)>;

pub(super) struct Court<'a> {
    pub(super) node: &'a Node,
    pub(super) repeats: &'a [Repeated],
    pub(super) alphabet: &'a Alphabet,
    pub(super) multiline: bool,
    /// Whether the automaton says all there is to say: no assertion but `^` and `$`.
    pub(super) is_plain: bool,
    pub(super) replayer: Replayer<'a>,
    pub(super) search: Budget,
    pub(super) replay: Budget,
    /// Whether steps ran out on the way.
    pub(super) incomplete: bool,
}

impl Court<'_> {
    fn judge(&mut self) -> (Verdict, Shown) {
        let exact = Automaton::of(self.node, self.alphabet, self.multiline);
        let wide = widened(self.node);
        let is_exact = exact.is_ok();
        let automaton = exact.or_else(|_| Automaton::of(&wide, self.alphabet, self.multiline));
        let Ok(automaton) = automaton else { return self.by_words(Undecided::TooLarge) };
        let mut unconfirmed = None;
        for preference in PREFERENCES {
            let automaton = automaton.clone().preferring(preference);
            match self.exponential(&Loops::of(&automaton)) {
                Ok((true, Some((attack, true)))) => return (Verdict::Exponential, Some((attack, true))),
                Ok((true, shown)) => unconfirmed = unconfirmed.or(shown),
                // No loop is ambiguous, whatever the letters.
                Ok((false, _)) => break,
                Err(Exhausted) => return self.by_words(Undecided::Steps),
            }
        }
        if let Some(attack) = self.bounded(&wide) {
            return (Verdict::BoundedExponential, Some((attack, true)));
        }
        let mut chained = false;
        for preference in PREFERENCES {
            let automaton = automaton.clone().preferring(preference);
            match self.polynomial(&Loops::of(&automaton), preference == Preference::First) {
                Ok((_, Some((attack, degree)))) => return (Verdict::Polynomial { degree }, Some((attack, true))),
                Ok((true, None)) => chained = true,
                Ok((false, None)) => break,
                Err(Exhausted) => return self.by_words(Undecided::Steps),
            }
        }
        match unconfirmed {
            // Ambiguous without end, and no text was found that makes this engine go through it. Another consumer may have to.
            Some(shown) if is_exact => (Verdict::Exponential, Some(shown)),
            // Of counts that were taken for loops it is not known whether they are.
            Some(_) => (Verdict::Undecided(Undecided::TooLarge), None),
            // Of a look behind there is no automaton: what is not seen there is not known.
            // Counts that were taken for loops are ambiguous one behind the other, and their texts are none of the pattern's.
            None if !is_exact && chained => (Verdict::Undecided(Undecided::TooLarge), None),
            None if self.repeats.iter().any(|repeat| repeat.behind && repeat.large) => {
                self.by_words(Undecided::LookBehind)
            }
            None => (Verdict::Linear, None),
        }
    }

    /// An attack on a loop that is ambiguous in itself: one that was seen to work, or else one that should.
    /// Whether there is such a loop at all is told as well.
    fn exponential(&mut self, loops: &Loops<'_>) -> Result<(bool, Shown), Exhausted> {
        let mut unconfirmed = None;
        let pumps = pumps(loops, &mut self.search)?;
        let any = !pumps.is_empty();
        for pump in pumps {
            let attack = Attack::of(self.prefix(loops, pump.state)?, pump.letters);
            let attack = self.with_ends(loops, attack, false);
            match self.replayer.exponential(&attack, &mut self.replay) {
                Ok(Some(attack)) => return Ok((any, Some((attack, true)))),
                Ok(None) if attack.fails => unconfirmed = unconfirmed.or(Some((attack, false))),
                Ok(None) => {}
                Err(Exhausted) => return Ok((any, Some((attack, false)))),
            }
        }
        Ok((any, unconfirmed))
    }

    /// An attack on loops that read the same text one behind the other, and whether there are such loops at all.
    /// Steps beside the longest chain of them are tried where it is to be `thorough`.
    fn polynomial(&mut self, loops: &Loops<'_>, thorough: bool) -> Result<(bool, Option<(Attack, u32)>), Exhausted> {
        let steps = Steps::of(loops);
        let (chain, others) = steps.chain(&mut self.search)?;
        let degree = u32::try_from(chain.len()).unwrap_or(u32::MAX).saturating_add(1);
        let any = !chain.is_empty();
        let mut best: Option<(Attack, u32)> = None;
        let mut tried = Vec::new();
        if let [first, ..] = &chain[..] {
            let prefix = self.prefix(loops, first.from)?;
            for step in chain.iter().take(3) {
                tried.extend(self.attacks(loops, step, &prefix).into_iter().map(|attack| (attack, degree)));
            }
            if chain.len() > 1 {
                tried.push((Self::whole(loops, &chain, prefix), degree));
            }
        }
        for (attack, degree) in tried {
            best = self.better(best, &attack, degree)?;
            if best.as_ref().is_some_and(|(_, found)| *found >= degree) {
                return Ok((any, best));
            }
        }
        if best.is_some() || chain.is_empty() || !thorough {
            return Ok((any, best));
        }
        let all = steps.all(&mut self.search);
        self.incomplete |= all.is_err();
        let mut tried = BTreeSet::new();
        for step in all.unwrap_or(others) {
            let prefix = self.prefix(loops, step.from)?;
            if !tried.insert((prefix.clone(), step.letters.clone())) {
                continue;
            }
            if tried.len() > MOST_TRIED {
                self.incomplete = true;
                break;
            }
            for attack in self.attacks(loops, &step, &prefix) {
                best = self.better(best, &attack, 2)?;
                if best.is_some() {
                    return Ok((any, best));
                }
            }
        }
        Ok((any, best))
    }

    /// The attack with ends that make it fail, as far as there can be one.
    fn with_ends(&mut self, loops: &Loops<'_>, attack: Attack, searching: bool) -> Attack {
        let (prefix, pump) = &attack.parts[0];
        let mut budget = Budget::new(self.search.left().min(40_000));
        let ends = ends(loops.automaton, self.alphabet.len(), prefix, pump, searching, &mut budget);
        // The steps of a part were taken from the whole, which it cannot exceed.
        let _ = self.search.take(budget.used());
        Attack { ends: ends.found, fails: !(ends.none && self.is_plain), ..attack }
    }

    fn better(
        &mut self,
        best: Option<(Attack, u32)>,
        attack: &Attack,
        wanted: u32,
    ) -> Result<Option<(Attack, u32)>, Exhausted> {
        // What one attack may take leaves enough for others.
        let mut budget = Budget::new(self.replay.left().min(REPLAY_STEPS / 4));
        let found = self.replayer.polynomial(attack, wanted, &mut budget);
        let _ = self.replay.take(budget.used());
        let found = match found {
            Ok(found) => found,
            Err(Exhausted) if self.replay.left() > 0 || best.is_some() => {
                self.incomplete = true;
                return Ok(best);
            }
            Err(Exhausted) => return Err(Exhausted),
        };
        let before = best.as_ref().map_or(0, |(_, degree)| *degree);
        Ok(found.filter(|(_, degree)| *degree > before).or(best))
    }

    /// Attacks that pump one step. Where the search takes part, what stands before all may matter: a `^` that would match otherwise.
    fn attacks(&mut self, loops: &Loops<'_>, step: &Step, prefix: &[u16]) -> Vec<Attack> {
        let searching = loops.automaton.is_search(step.from);
        let foreign = (searching && prefix.is_empty()).then(|| vec![self.alphabet.letter(FOREIGN)]);
        let prefixes = std::iter::once(prefix.to_vec()).chain(foreign);
        let attacks = prefixes.map(|prefix| self.with_ends(loops, Attack::of(prefix, step.letters.clone()), searching));
        attacks.collect()
    }

    /// The attack that pumps every loop of a chain.
    fn whole(loops: &Loops<'_>, chain: &[Step], prefix: Vec<u16>) -> Attack {
        let mut parts = Vec::new();
        let mut once = prefix;
        for (index, step) in chain.iter().enumerate() {
            parts.push((once, step.letters.clone()));
            let next = chain.get(index + 1).map(|next| loops.way(step.to, next.from, true).unwrap_or_default());
            once = next.unwrap_or_default();
        }
        Attack { parts, suffix: Vec::new(), ends: Vec::new(), fails: true }
    }

    /// A text that leads to a state.
    pub(super) fn prefix(&mut self, loops: &Loops<'_>, state: u32) -> Result<Vec<u16>, Exhausted> {
        if loops.automaton.is_search(state) {
            return Ok(Vec::new());
        }
        self.search.take(loops.edges / 16)?;
        Ok(loops.way(INIT, state, false).unwrap_or_default())
    }

    pub(super) fn letters(&self, word: &[ClassUnicode]) -> Vec<u16> {
        let first = |set: &ClassUnicode| set.ranges().first().map(ClassUnicodeRange::start);
        word.iter().filter_map(first).map(|character| self.alphabet.letter(character)).collect()
    }

    /// Attacks by what the pattern repeats, where the automaton says nothing.
    fn by_words(&mut self, why: Undecided) -> (Verdict, Shown) {
        self.by_words_or(Verdict::Undecided(why))
    }

    fn by_words_or(&mut self, otherwise: Verdict) -> (Verdict, Shown) {
        let large = self.repeats.iter().filter(|repeat| repeat.large);
        let words: BTreeSet<Vec<u16>> = large.map(|repeat| self.letters(&repeat.word)).collect();
        for word in words.into_iter().take(16) {
            let attack = Attack::of(Vec::new(), word);
            match self.replayer.exponential(&attack, &mut self.replay) {
                Ok(Some(attack)) => return (Verdict::Exponential, Some((attack, true))),
                Ok(None) => {}
                Err(Exhausted) => return (Verdict::Undecided(Undecided::Steps), None),
            }
            match self.replayer.polynomial(&attack, 2, &mut self.replay) {
                Ok(Some((attack, degree))) => return (Verdict::Polynomial { degree }, Some((attack, true))),
                Ok(None) => {}
                Err(Exhausted) => return (Verdict::Undecided(Undecided::Steps), None),
            }
        }
        (otherwise, None)
    }
}

fn witness(attack: &Attack, alphabet: &Alphabet, confirmed: bool) -> Witness {
    let text = |letters: &[u16]| letters.iter().map(|letter| alphabet.character(*letter)).collect::<String>();
    let mut parts = attack.parts.iter().map(|(once, pump)| (text(once), text(pump)));
    let (prefix, pump) = parts.next().unwrap_or_default();
    Witness { prefix, pump, suffix: text(&attack.suffix), further: parts.collect(), confirmed }
}
