//! One thing that a screen found.

use std::fmt;
use std::ops::Range;

use super::Signal;
use crate::json::Pointer;
use crate::pattern::Witness;

/// What a finding does to its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The tool is refused, unless the configuration accepts the risk with a reason.
    Refuse,
    /// The tool is taken; a reader should know.
    Note,
}

impl Severity {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Note => "note",
        }
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What was found.
    pub signal: Signal,
    /// What it does.
    pub severity: Severity,
    /// Where in the definition.
    pub pointer: Pointer,
    /// Where in that string, in bytes.
    pub span: Range<usize>,
    /// The words around it, shown safely.
    pub excerpt: String,
    /// For a pattern, a text that blows it up.
    pub witness: Option<PatternWitness>,
}

/// A text that blows a pattern up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternWitness {
    /// The text.
    pub text: Witness,
    /// The power with which the steps grow; nothing where they grow exponentially.
    pub degree: Option<u32>,
}

impl Finding {
    /// What was found, with the words that show it.
    #[must_use]
    pub fn message(&self) -> String {
        format!("{}: {}", self.signal.message(), self.excerpt)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} ({})", self.pointer, self.message(), self.signal)
    }
}
