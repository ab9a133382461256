//! The command line as a library: everything but the process around it, so that tests and the quickstart run the very commands that
//! users run.
//!
//! Exit codes: 0 fine; 1 something to accept, regenerate or refuse, printed with the command that mends it; 2 usage, a broken
//! configuration, or a file that cannot be read or written; 3 could not tell, because a server is out of reach; 130 interrupted.

mod args;
mod check;
mod choice;
mod diff;
mod error;
mod generate;
mod host;
mod list;
mod live;
mod outcome;
mod patterns;
mod print;
mod rejected;
mod review;
mod run;
mod sarif;
mod screen;
mod screened;
mod snapshot;
mod source;
mod store;
mod validate;

pub use args::{
    Args, CheckArgs, ChoiceArgs, Command, DiffArgs, GradeArgs, ListingFile, ScreenArgs, SnapshotArgs, ValidateArgs,
};
pub use diff::Format;
pub use error::CliError;
pub use outcome::Outcome;
pub use run::{Shell, run};
