//! JSON Schemas that a server sends: bounded, compiled offline, and asked about instances.
//!
//! The validator is the `jsonschema` crate; what stands here keeps it safe. Bounds are checked iteratively before any
//! recursive code sees a schema (deep nesting overflows its stack, doubled references make it exponential), references
//! never leave the document, and `pattern` is a keyword of ours.

mod bounds;
mod compile;
mod dialect;
mod expansion;
mod pattern_keyword;
mod reference;
mod walk;

pub use bounds::Limits;
pub use compile::{CompiledSchema, SchemaError, SchemaNote, Violation};
pub(crate) use dialect::Dialect;
pub use reference::Document;
pub(crate) use walk::is_data;
pub use walk::{Position, subschemas};
