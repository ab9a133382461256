//! What is decided of a pattern, and the text that shows it.

use crate::pattern::PatternError;

/// How the steps of a backtracking engine grow with the length of a text, for the worst text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// As the length does.
    Linear,
    /// As a power of the length, 2 or more.
    Polynomial {
        /// The power.
        degree: u32,
    },
    /// Exponentially.
    Exponential,
    /// Exponentially up to a bound that is out of reach: beyond a million steps for a short text.
    BoundedExponential,
    /// It could not be decided within the steps that a judgement takes.
    Undecided(Undecided),
    /// It is no ECMA-262 pattern, or one that goes beyond regular languages.
    Outside(PatternError),
}

/// Why a pattern was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// It has more states than are looked at.
    TooLarge,
    /// The steps ran out.
    Steps,
    /// It repeats something in a look behind, which is only tried and not decided.
    LookBehind,
}

impl Verdict {
    /// The verdict in one word, as the command writes it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Polynomial { .. } => "polynomial",
            Self::Exponential => "exponential",
            Self::BoundedExponential => "bounded-exponential",
            Self::Undecided(_) => "undecided",
            Self::Outside(_) => "outside",
        }
    }
}

/// A text that blows a pattern up: `prefix`, then `pump` many times, then `suffix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// What the text begins with.
    pub prefix: String,
    /// What is repeated.
    pub pump: String,
    /// What it ends with.
    pub suffix: String,
    /// Further parts between the pump and the suffix, each a text and a pump that is repeated as often as the first. Empty but for
    /// polynomials that need different texts for their loops.
    pub further: Vec<(String, String)>,
    /// Whether a backtracker that counts its steps was seen to blow up.
    pub confirmed: bool,
}

impl Judgement {
    /// Of a pattern that nobody looked at, because others had used the steps up.
    pub(crate) fn not_looked_at() -> Self {
        Self { verdict: Verdict::Undecided(Undecided::Steps), witness: None, steps: 0 }
    }
}

/// The judgement of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// What was decided.
    pub verdict: Verdict,
    /// The text that shows it, for what is not linear.
    pub witness: Option<Witness>,
    /// The steps that the judgement took, at most five million.
    pub steps: u64,
}
