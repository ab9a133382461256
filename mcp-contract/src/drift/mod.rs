//! What a change of a server means: graded, proved, and the same for a pull request and for a refresh at run time.
//!
//! Each tool is compared with the tool of its name, or with the one it is paired with as a rename. A schema is judged by what it means for
//! values (`compat`), words by what the text screen makes of them, hints by which way they moved. Whatever is left is metadata or prose. The
//! trade-off: a change for which neither a proof nor a witness is found is called breaking and says that it is undecided.

mod change;
mod decision;
mod difference;
mod grade;
mod hints;
mod listing;
mod rename;
mod schema;
mod server;
mod tool;
mod words;

pub use change::{Change, ChangeKind, Drift, ToolDrift, grades, gravest};
pub use decision::{Decision, Policy, decide};
pub use grade::Grade;
pub use listing::{compare, compare_tool, is_unchanged};
