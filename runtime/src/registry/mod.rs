//! The registry: which name is whose, and what may be called.
//!
//! A [`Catalogue`] is the whole answer at one moment and never changes; a listing makes the next one, which takes its place at once or not at
//! all. Names are given anew by the rule that the generator uses (`mcp_contract::admission::assign`), with the names that are in use pinned to
//! their owners.

mod catalogue;
mod import;
mod names;

pub(crate) use catalogue::{Catalogue, Entry, Shelf, Withdrawn};
pub(crate) use import::{Imported, import};
pub(crate) use names::Claims;
