//! A pattern as a program for the step-counting backtracker.
//!
//! The instructions are those of the engines that people use: ordered choices, counted copies, a check against empty iterations, and
//! look-around as a program of its own. Copies that no text of a replay can reach are left out.

use super::alphabet::{Alphabet, Letters};
use crate::pattern::ast::{Node, Repeat};
use crate::pattern::class;

/// The most instructions.
const MAX_INSTRUCTIONS: usize = 60_000;

/// The longest text of a replay, in characters: optional copies beyond it are never reached.
pub(super) const MAX_TEXT: usize = 4_000;

/// An instruction. Targets are places in the program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// Reads a letter out of a set.
    Read(u32),
    /// Tries one way, and the other where that fails.
    Split(u32, u32),
    Jump(u32),
    /// Remembers where an iteration began.
    Begin(u32),
    /// Fails where the iteration read nothing.
    NotEmpty(u32),
    /// Whether a line, or the text, begins or ends here.
    Start,
    End,
    Boundary {
        negated: bool,
    },
    /// Runs what follows, up to its `Match`, from here; goes on at `then` as it came.
    Look {
        negated: bool,
        then: u32,
    },
    Match,
}

/// A program, and what it needs to run.
pub(super) struct Program {
    pub(super) code: Vec<Instruction>,
    /// For each `Read`, its letters.
    pub(super) sets: Vec<Letters>,
    /// Whether each instruction reads backwards, inside a look behind.
    pub(super) backwards: Vec<bool>,
    /// How many places of iterations there are.
    pub(super) places: u32,
    /// The letters of words, and of line ends where the pattern looks at them.
    pub(super) word: Letters,
    pub(super) line_end: Option<Letters>,
}

/// The program would be too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

impl Program {
    pub(super) fn of(node: &Node, alphabet: &Alphabet, multiline: bool) -> Result<Self, TooLarge> {
        let mut program = Self {
            code: Vec::new(),
            sets: Vec::new(),
            backwards: Vec::new(),
            places: 0,
            word: alphabet.set(&class::word()).clone(),
            line_end: multiline.then(|| alphabet.set(&class::line_end()).clone()),
        };
        program.node(node, alphabet, false)?;
        program.push(Instruction::Match, false)?;
        Ok(program)
    }

    fn here(&self) -> u32 {
        u32::try_from(self.code.len()).expect("bounded by MAX_INSTRUCTIONS")
    }

    fn push(&mut self, instruction: Instruction, backwards: bool) -> Result<usize, TooLarge> {
        if self.code.len() >= MAX_INSTRUCTIONS {
            return Err(TooLarge);
        }
        self.code.push(instruction);
        self.backwards.push(backwards);
        Ok(self.code.len() - 1)
    }

    fn node(&mut self, node: &Node, alphabet: &Alphabet, backwards: bool) -> Result<(), TooLarge> {
        match node {
            Node::Empty => {}
            Node::Class(set) => {
                let index = u32::try_from(self.sets.len()).expect("bounded by MAX_INSTRUCTIONS");
                self.push(Instruction::Read(index), backwards)?;
                self.sets.push(alphabet.set(set).clone());
            }
            Node::Start => drop(self.push(Instruction::Start, backwards)?),
            Node::End => drop(self.push(Instruction::End, backwards)?),
            Node::WordBoundary { negated } => {
                self.push(Instruction::Boundary { negated: *negated }, backwards)?;
            }
            Node::Look { behind, negated, node } => {
                let look = self.push(Instruction::Look { negated: *negated, then: 0 }, backwards)?;
                self.node(node, alphabet, *behind)?;
                self.push(Instruction::Match, *behind)?;
                self.code[look] = Instruction::Look { negated: *negated, then: self.here() };
            }
            Node::Concat(nodes) if backwards => {
                nodes.iter().rev().try_for_each(|node| self.node(node, alphabet, backwards))?;
            }
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.node(node, alphabet, backwards))?,
            Node::Alternate(nodes) => self.alternate(nodes, alphabet, backwards)?,
            Node::Repeat(repeat) => self.repeat(repeat, alphabet, backwards)?,
        }
        Ok(())
    }

    fn alternate(&mut self, nodes: &[Node], alphabet: &Alphabet, backwards: bool) -> Result<(), TooLarge> {
        let mut jumps = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.node(node, alphabet, backwards)?;
                break;
            }
            let split = self.push(Instruction::Match, backwards)?;
            let first = self.here();
            self.node(node, alphabet, backwards)?;
            jumps.push(self.push(Instruction::Match, backwards)?);
            self.code[split] = Instruction::Split(first, self.here());
        }
        let end = self.here();
        for jump in jumps {
            self.code[jump] = Instruction::Jump(end);
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat, alphabet: &Alphabet, backwards: bool) -> Result<(), TooLarge> {
        // A text of a replay cannot reach more copies than it has characters.
        let copies = usize::try_from(repeat.min).unwrap_or(MAX_TEXT).min(MAX_TEXT + 1);
        for _ in 0..copies {
            let before = self.code.len();
            self.node(&repeat.node, alphabet, backwards)?;
            if before == self.code.len() {
                break;
            }
        }
        let further = repeat.max.map(|max| usize::try_from(max - repeat.min).unwrap_or(MAX_TEXT).min(MAX_TEXT));
        let mut splits = Vec::new();
        for _ in 0..further.unwrap_or(1) {
            let split = self.push(Instruction::Match, backwards)?;
            splits.push(split);
            let place = self.places;
            self.places += 1;
            self.push(Instruction::Begin(place), backwards)?;
            self.node(&repeat.node, alphabet, backwards)?;
            self.push(Instruction::NotEmpty(place), backwards)?;
            if further.is_none() {
                self.push(Instruction::Jump(u32::try_from(split).expect("bounded")), backwards)?;
            }
        }
        let end = self.here();
        for split in splits {
            let body = u32::try_from(split + 1).expect("bounded by MAX_INSTRUCTIONS");
            self.code[split] = if repeat.lazy { Instruction::Split(end, body) } else { Instruction::Split(body, end) };
        }
        Ok(())
    }
}
