//! `mcp-codegen diff`: what changed, graded, in the form that the reader needs.

mod against;
mod annotations;
mod command;
mod format;
mod json;
mod junit;
mod markdown;
mod pair;
mod report;
mod sarif;
mod text;
mod words;

pub(crate) use command::diff;
pub use format::Format;
pub(crate) use format::print;
pub(crate) use pair::{Pair, named, pending};
pub(crate) use report::{Report, ServerReport, outcome};
pub(crate) use text::{own as own_text, tool as tool_text};
