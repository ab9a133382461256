//! Whether everything that one schema promises another takes, and an instance where not.
//!
//! A change of a schema is judged by what it means for values, never by which keys differ. Two procedures meet: a structural proof
//! (`prove`), sound and incomplete, and a search for a witness (`witness`), whose instances the validators of both sides judge. Where
//! neither answers, the answer is "unknown", and the caller decides what that is worth. The price is bounded: a proof has a number of steps,
//! a search a number of instances.

mod amount;
mod disjoint;
mod facts;
mod parts;
mod prove;
mod same;
mod sample;
mod scalar;
mod side;
mod witness;
mod words;

pub use prove::Kind;
pub(crate) use same::is_constraint;
pub use witness::{Aside, Gap, Inclusion, inclusion, proof};
