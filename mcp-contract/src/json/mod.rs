//! JSON as the server spelled it.
//!
//! `serde_json::Value` forgets what a snapshot must keep: the order of keys, how a number was written, and that a key
//! stood twice. The features that would make it remember (`preserve_order`, `arbitrary_precision`) would be switched
//! on for the user's whole program. So foreign text is read into [`Json`], a small tree that forgets nothing, and
//! turned into a `Value` only where a validator needs one.

mod digest;
mod parse;
mod pointer;
mod print;
mod tree;

pub use digest::Digest;
pub(crate) use digest::hex;
pub use parse::{JsonError, MAX_DEPTH, MAX_FOREIGN_DEPTH, parse, parse_foreign};
pub use pointer::Pointer;
pub use tree::{Json, Number, NumberOutOfRange};
