//! From flags to a command.

use std::io::Write;

use crate::args::{Args, Command};
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::{check, generate, list, snapshot};

/// Runs a command and writes what it has to say to `out`.
///
/// # Errors
///
/// See [`CliError`].
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    match &args.command {
        Command::Snapshot(flags) => snapshot::snapshot(&args.config, flags, out),
        Command::Generate => generate::generate(&args.config, out),
        Command::Check => check::check(&args.config, out),
        Command::List { servers } => list::list(&args.config, servers, out),
    }
}
