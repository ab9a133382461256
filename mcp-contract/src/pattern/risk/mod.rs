//! Whether a pattern can blow up in an engine that backtracks, decided and shown.
//!
//! Our own validator runs in linear time whatever the pattern; the verdict protects those who get the schema passed on, such as a model's
//! provider or another client. A pattern is ambiguous where one text can be read in several ways; how many ways there are is decided on its
//! position automaton, and that they have to be gone through is shown by replaying a text (`attack`).

mod alphabet;
mod attack;
mod automaton;
mod bounded;
mod budget;
mod components;
mod contained;
mod exponential;
mod failing;
mod fragment;
mod judge;
mod loops;
mod polynomial;
mod program;
mod replay;
mod richest;
mod verdict;
mod widen;

pub(crate) use contained::{Contained, contained};
pub(crate) use judge::is_cheap;
pub use judge::judge;
pub use verdict::{Judgement, Undecided, Verdict, Witness};
