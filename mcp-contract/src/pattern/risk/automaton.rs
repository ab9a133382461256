//! The position automaton of a pattern, with the number of ways along each edge (Glushkov, counted).
//!
//! It is built from the tree as written, because simplifying `a|a` or `ab|ac` removes exactly the ambiguity that is looked for. A state is a
//! position of the pattern together with the letters that it reads, so an edge reads the letters of its end. Dead branches stay: a
//! backtracking engine walks them too. Look-ahead is a branch that ends nowhere, which is what it costs.

use std::collections::BTreeMap;

use super::alphabet::{Alphabet, Letters, common, holds};
use super::fragment::{Entry, Fragment, Guard};
use crate::pattern::ast::{Node, Repeat};
use crate::pattern::class;

/// The most positions.
const MAX_POSITIONS: usize = 3_000;

/// The most edges that are put in while building.
const MAX_EDGES: usize = 400_000;

/// The state before the first character.
pub(super) const INIT: u32 = 0;

/// What a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Init,
    Reads,
    Start,
    End,
}

/// The automaton of an unanchored search.
#[derive(Clone)]
pub(super) struct Automaton {
    /// The letters that each state reads; none where it stands for `^` or `$`.
    letters: Vec<Option<Letters>>,
    /// The states behind each, with the number of ways, at most two.
    next: Vec<Vec<(u32, u8)>>,
    /// Whether the pattern has matched in each state, and whether it has where the text ends there.
    accepts: Vec<(bool, bool)>,
    /// The states of the search for a beginning.
    search: Vec<u32>,
    /// Which of several letters is picked.
    preference: Preference,
}

/// Which letter is picked where several will do: what one letter does not show another may, because an earlier alternative takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preference {
    First,
    Last,
    Middle,
}

/// The pattern asks for more states or edges than are built.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

impl Automaton {
    /// Builds the automaton. `multiline` says whether `^` and `$` hold at every line; there they are taken to hold everywhere.
    pub(super) fn of(node: &Node, alphabet: &Alphabet, multiline: bool) -> Result<Self, TooLarge> {
        if size(node) > MAX_POSITIONS as u64 {
            return Err(TooLarge);
        }
        let words = has_boundary(node).then(|| alphabet.set(&class::word()).clone());
        let mut builder = Builder {
            alphabet,
            words,
            multiline,
            kinds: vec![Kind::Init],
            letters: vec![None],
            is_word: vec![false],
            edges: vec![Vec::new()],
            inserted: 0,
        };
        let anything = builder.reads(&alphabet.all());
        let whole = builder.fragment(node)?;
        // The search goes on to the next character, or begins.
        let init = Fragment::position(INIT);
        builder.connect(&init.last, &anything.first)?;
        builder.connect(&anything.last, &anything.first)?;
        builder.connect(&init.last, &whole.first)?;
        builder.connect(&anything.last, &whole.first)?;
        let search = anything.last.iter().map(|(state, ..)| *state).collect();
        Ok(builder.finish(&whole, search))
    }

    /// The same automaton, with another letter picked where several will do.
    pub(super) fn preferring(mut self, preference: Preference) -> Self {
        self.preference = preference;
        self
    }

    /// How many edges there are.
    pub(super) fn edges(&self) -> usize {
        self.next.iter().map(Vec::len).sum()
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.next.len()
    }

    /// The states behind one, with the number of ways.
    pub(super) fn next(&self, state: u32) -> &[(u32, u8)] {
        &self.next[state as usize]
    }

    /// The letters that a state reads.
    pub(super) fn reads(&self, state: u32) -> Option<&Letters> {
        self.letters[state as usize].as_ref()
    }

    /// Whether a state reads a letter.
    pub(super) fn can_read(&self, state: u32, letter: u16) -> bool {
        self.reads(state).is_some_and(|letters| holds(letters, letter))
    }

    /// Whether a state belongs to the search for a beginning.
    pub(super) fn is_search(&self, state: u32) -> bool {
        self.search.contains(&state)
    }

    /// Whether the pattern has matched in a state.
    pub(super) fn accepts(&self, state: u32) -> bool {
        self.accepts[state as usize].0
    }

    /// Whether the pattern has matched in a state where the text ends there.
    pub(super) fn accepts_at_end(&self, state: u32) -> bool {
        self.accepts[state as usize].1
    }

    /// A letter that all of the states read.
    pub(super) fn common(&self, states: &[u32]) -> Option<u16> {
        let pick = |sets: &[&Letters]| match self.preference {
            Preference::First => common(sets),
            preference => all_common(sets, preference),
        };
        match states {
            [one] => pick(&[self.reads(*one)?]),
            [one, two] => pick(&[self.reads(*one)?, self.reads(*two)?]),
            [one, two, three] => pick(&[self.reads(*one)?, self.reads(*two)?, self.reads(*three)?]),
            _ => None,
        }
    }
}

/// The last or the middle one of the letters that are in all of the sets.
fn all_common(sets: &[&Letters], preference: Preference) -> Option<u16> {
    let words = sets.first().map_or(0, |set| set.len());
    let letters = u16::try_from(words * 64).unwrap_or(u16::MAX);
    let shared: Vec<u16> = (0..letters).filter(|letter| sets.iter().all(|set| holds(set, *letter))).collect();
    match preference {
        Preference::Middle => shared.get(shared.len() / 2).copied(),
        _ => shared.last().copied(),
    }
}

struct Builder<'a> {
    alphabet: &'a Alphabet,
    /// The word characters, where a boundary tells them apart: each position is then split in two.
    words: Option<Letters>,
    multiline: bool,
    kinds: Vec<Kind>,
    letters: Vec<Option<Letters>>,
    is_word: Vec<bool>,
    edges: Vec<Vec<(u32, u8)>>,
    inserted: usize,
}

impl Builder<'_> {
    fn state(&mut self, kind: Kind, letters: Option<Letters>, is_word: bool) -> Fragment {
        let position = u32::try_from(self.kinds.len()).expect("bounded by the size");
        self.kinds.push(kind);
        self.letters.push(letters);
        self.is_word.push(is_word);
        self.edges.push(Vec::new());
        Fragment::position(position)
    }

    /// A position that reads one of some letters.
    fn reads(&mut self, letters: &Letters) -> Fragment {
        let Some(words) = self.words.clone() else { return self.state(Kind::Reads, Some(letters.clone()), false) };
        let half = |wanted: bool| -> Letters {
            letters.iter().zip(&*words).map(|(set, word)| set & if wanted { *word } else { !word }).collect()
        };
        let (word, other) = (half(true), half(false));
        let word = self.state(Kind::Reads, Some(word), true);
        let other = self.state(Kind::Reads, Some(other), false);
        word.or(other)
    }

    fn fragment(&mut self, node: &Node) -> Result<Fragment, TooLarge> {
        Ok(match node {
            Node::Empty | Node::Look { behind: true, .. } => Fragment::empty(Guard::NONE),
            Node::Class(set) => {
                let letters = self.alphabet.set(set).clone();
                self.reads(&letters)
            }
            Node::Start | Node::End if self.multiline => Fragment::empty(Guard::NONE),
            Node::Start => self.state(Kind::Start, None, false),
            Node::End => self.state(Kind::End, None, false),
            Node::WordBoundary { negated } => {
                Fragment::empty(if *negated { Guard::NO_BOUNDARY } else { Guard::BOUNDARY })
            }
            Node::Look { behind: false, node, .. } => {
                let ahead = self.fragment(node)?;
                Fragment { last: Vec::new(), ..ahead.optional() }
            }
            Node::Concat(nodes) => {
                let mut whole = Fragment::empty(Guard::NONE);
                for node in nodes {
                    let next = self.fragment(node)?;
                    whole = self.then(whole, &next)?;
                }
                whole
            }
            Node::Alternate(nodes) => {
                let mut whole = Fragment::default();
                for node in nodes {
                    whole = whole.or(self.fragment(node)?);
                }
                whole
            }
            Node::Repeat(repeat) => self.repeat(repeat)?,
        })
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<Fragment, TooLarge> {
        let mut whole = Fragment::empty(Guard::NONE);
        let once = if repeat.max.is_none() { repeat.min.saturating_sub(1) } else { repeat.min };
        for _ in 0..once {
            let next = self.fragment(&repeat.node)?;
            whole = self.then(whole, &next)?;
        }
        match repeat.max {
            None => {
                let body = self.fragment(&repeat.node)?;
                self.connect(&body.last, &body.first)?;
                let body = if repeat.min == 0 { body.optional() } else { body.repeated() };
                self.then(whole, &body)
            }
            // (A(A(A)?)?)? and never A?A?A?, in which the same text can be read in many ways.
            Some(max) => {
                let mut tail = Fragment::empty(Guard::NONE);
                for _ in repeat.min..max {
                    let body = self.fragment(&repeat.node)?;
                    let body = Fragment { empty: [0; 4], ..body };
                    tail = self.then(body, &tail)?.optional();
                }
                self.then(whole, &tail)
            }
        }
    }

    fn then(&mut self, one: Fragment, next: &Fragment) -> Result<Fragment, TooLarge> {
        self.connect(&one.last, &next.first)?;
        Ok(one.then(next))
    }

    fn connect(&mut self, last: &[Entry], first: &[Entry]) -> Result<(), TooLarge> {
        self.inserted += last.len() * first.len();
        if self.inserted > MAX_EDGES {
            return Err(TooLarge);
        }
        for (from, before, ways) in last {
            for (to, after, more) in first {
                let (from, to) = (*from as usize, *to as usize);
                let follows = match (self.kinds[from], self.kinds[to]) {
                    (Kind::Init | Kind::Start, Kind::Start) | (_, Kind::End) => true,
                    (_, Kind::Start | Kind::Init) | (Kind::End, _) => false,
                    _ => true,
                };
                let (word, next_word) = (self.is_word[from], self.is_word[to]);
                if follows && before.holds(word, next_word) && after.holds(word, next_word) {
                    self.edges[from].push((u32::try_from(to).expect("was one"), (ways * more).min(2)));
                }
            }
        }
        Ok(())
    }

    /// Adds up the ways along each edge, and leaves out what reads nothing.
    fn finish(self, whole: &Fragment, search: Vec<u32>) -> Automaton {
        let none = |state: u32| {
            self.letters[state as usize].as_ref().is_some_and(|letters| letters.iter().all(|word| *word == 0))
        };
        let next = self.edges.iter().map(|edges| {
            let mut ways: BTreeMap<u32, u8> = BTreeMap::new();
            for (to, more) in edges {
                let count = ways.entry(*to).or_default();
                *count = (*count + more).min(2);
            }
            ways.into_iter().filter(|(to, _)| !none(*to)).collect()
        });
        let next: Vec<Vec<(u32, u8)>> = next.collect();
        let mut accepts = vec![(false, false); next.len()];
        for (state, ..) in &whole.last {
            let now = self.kinds[*state as usize] != Kind::End;
            accepts[*state as usize] = (now, true);
        }
        if whole.is_nullable() {
            accepts[INIT as usize] = (true, true);
        }
        // `$` reads nothing, and may stand before another one.
        for _ in 0..2 {
            for state in 0..next.len() {
                let ends = |(to, _): &(u32, u8)| self.kinds[*to as usize] == Kind::End && accepts[*to as usize].1;
                accepts[state].1 |= next[state].iter().any(ends);
            }
        }
        Automaton { letters: self.letters, next, accepts, search, preference: Preference::First }
    }
}

/// How many positions a pattern asks for, counted before any is made.
pub(super) fn size(node: &Node) -> u64 {
    match node {
        Node::Empty | Node::WordBoundary { .. } => 0,
        Node::Class(_) | Node::Start | Node::End => 1,
        Node::Look { node, .. } => size(node),
        Node::Concat(nodes) | Node::Alternate(nodes) => {
            nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(size(node)))
        }
        Node::Repeat(repeat) => {
            let copies = repeat.max.unwrap_or(repeat.min.max(1));
            size(&repeat.node).saturating_add(1).saturating_mul(u64::from(copies))
        }
    }
}

fn has_boundary(node: &Node) -> bool {
    match node {
        Node::WordBoundary { .. } => true,
        Node::Empty | Node::Class(_) | Node::Start | Node::End => false,
        Node::Look { node, .. } => has_boundary(node),
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(has_boundary),
        Node::Repeat(repeat) => has_boundary(&repeat.node),
    }
}
