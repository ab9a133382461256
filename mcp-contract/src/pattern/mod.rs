//! Regular expressions of a schema, read as ECMA-262 means them and run in linear time.
//!
//! JSON Schema's `pattern` is ECMA-262 in Unicode mode, unanchored. No Rust engine reads that language, so it is parsed
//! here into its own tree and printed again in the small common language of explicit ranges, groups and counts, which
//! has one meaning everywhere. What cannot be expressed there (look-around, back-references) is refused: the engines
//! that could run it backtrack, and then a server's pattern decides how long a validation takes.

mod ast;
mod class;
mod escape;
mod flags;
mod parse;
mod print;
mod risk;
mod split;

pub use ast::{Node, Repeat};
pub use flags::Flags;
pub use parse::PatternError;
pub(crate) use risk::{Contained, contained, is_cheap};
pub use risk::{Judgement, Undecided, Verdict, Witness, judge};

use regex::{Regex, RegexBuilder};

/// The longest pattern that is read, in bytes.
pub const MAX_LENGTH: usize = 4096;

/// The memory that one compiled pattern may take, in bytes: bounded counts are attacks on automata too.
const SIZE_LIMIT: usize = 4 << 20;

/// By which grammar a pattern was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// ECMA-262 with the `u` flag, as JSON Schema asks.
    Unicode,
    /// The looser grammar of Annex B, because the strict one refuses it.
    AnnexB,
}

/// A pattern that runs in linear time.
#[derive(Clone, Debug)]
pub struct Pattern {
    reading: Reading,
    portable: Option<String>,
    conditions: Vec<Condition>,
}

/// A plain pattern that must match, or must not.
#[derive(Clone, Debug)]
struct Condition {
    negated: bool,
    regex: Regex,
}

impl Pattern {
    /// Reads a pattern, strictly where possible, by Annex B where not, and compiles it.
    ///
    /// ```
    /// use mcp_contract::pattern::Pattern;
    /// let digits = Pattern::compile(r"^\d+$").unwrap();
    /// assert!(digits.is_match("42") && !digits.is_match("٤٢"));
    /// assert!(Pattern::compile(r"a(?=b)").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// The pattern is no ECMA-262 pattern, or cannot be run in linear time and bounded memory.
    pub fn compile(source: &str) -> Result<Self, PatternError> {
        Self::compile_within(source, SIZE_LIMIT)
    }

    /// The same, within a bound on memory: a schema with many patterns shares one.
    pub(crate) fn compile_within(source: &str, memory: usize) -> Result<Self, PatternError> {
        let memory = memory.min(SIZE_LIMIT);
        let (reading, node) = read(source, Flags::SCHEMA)?;
        let portable = print::is_portable(&node).then(|| print::print(&node));
        let conditions = split::split(node)?
            .into_iter()
            .map(|(negated, node)| {
                let regex = RegexBuilder::new(&print::print(&node)).size_limit(memory).dfa_size_limit(memory).build();
                Ok(Condition { negated, regex: regex.map_err(|_| PatternError::TooLarge)? })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { reading, portable, conditions })
    }

    /// Whether the pattern matches somewhere in the text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.conditions.iter().all(|condition| condition.regex.is_match(text) != condition.negated)
    }

    /// By which grammar the pattern was read.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The pattern in the common language, which ECMA-262 and the `regex` crate read alike; `None` where it holds a
    /// word boundary, which the two spell differently, or looks ahead.
    #[must_use]
    pub fn portable(&self) -> Option<&str> {
        self.portable.as_deref()
    }
}

pub(crate) fn read(source: &str, flags: Flags) -> Result<(Reading, Node), PatternError> {
    if source.len() > MAX_LENGTH {
        return Err(PatternError::TooLong { bytes: source.len() });
    }
    if let Some(reading) = flags.reading {
        return parse::parse(source, reading, flags).map(|node| (reading, node));
    }
    match parse::parse(source, Reading::Unicode, flags) {
        Ok(node) => Ok((Reading::Unicode, node)),
        // Without the `u` flag these escapes are letters, which nobody means.
        Err(strict) if [r"\p{", r"\P{", r"\u{"].iter().any(|escape| source.contains(escape)) => Err(strict),
        Err(strict @ PatternError::Syntax { .. }) => match parse::parse(source, Reading::AnnexB, flags) {
            Ok(node) => Ok((Reading::AnnexB, node)),
            // The loose grammar got further and found what cannot be run at all: that is the better answer.
            Err(loose @ PatternError::BackReference) => Err(loose),
            Err(_) => Err(strict),
        },
        Err(error) => Err(error),
    }
}
