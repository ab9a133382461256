//! What in a definition hides, instructs or blows up.
//!
//! A definition is read by a model as much as by a program, so every string in it is looked at, known member or not. Signals are few, named
//! and explained (`docs/screening.md`); each finding says where it is and shows an excerpt that is safe to print. Strong signals refuse a
//! tool alone, weak ones only together: an honest description may well prefer its own tool. The price of a fixed list is that other words
//! for the same thing pass; the snapshot's diff shows those to a person.

mod channels;
mod characters;
mod fence;
mod finding;
mod folded;
mod identifiers;
mod look_alike;
mod patterns;
mod phrases;
mod references;
mod said;
mod signal;
mod tool;

pub use fence::{Fence, clean};
pub use finding::{Finding, PatternWitness, Severity};
pub(crate) use patterns::raw_patterns;
pub use said::{Said, said, said_in};
pub use signal::Signal;
pub(crate) use tool::{look_alikes, refuses};
pub use tool::{report, text, tool};
