//! From flags to a command.

use std::fmt;
use std::io::Write;

use crate::args::{Args, Command};
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::{check, choice, diff, generate, list, patterns, review, screen, snapshot, validate};

/// What a command finds around it: where it writes, and where it looks variables up.
pub struct Shell<'a> {
    /// Where it writes what it has to say.
    pub out: &'a mut dyn Write,
    /// Looks a variable of `servers.toml` up.
    pub variables: &'a dyn Fn(&str) -> Option<String>,
}

impl fmt::Debug for Shell<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Shell { .. }")
    }
}

/// Runs a command.
///
/// # Errors
///
/// See [`CliError`].
pub fn run(args: &Args, shell: &mut Shell<'_>) -> Result<Outcome, CliError> {
    match &args.command {
        Command::Snapshot(flags) => snapshot::snapshot(&args.config, flags, shell),
        Command::Generate => generate::generate(&args.config, shell.out),
        Command::Check(flags) => check::check(&args.config, flags, shell),
        Command::Screen(flags) => match (&flags.pattern, &flags.patterns) {
            (Some(pattern), _) => patterns::one(pattern, flags, shell.out),
            (None, Some(file)) => patterns::many(file, shell.out),
            (None, None) => screen::screen(&args.config, flags, shell.out),
        },
        Command::Validate(flags) => validate::validate(&args.config, flags, shell.out),
        Command::Diff(flags) => diff::diff(&args.config, flags, shell.out),
        Command::Review { word } => review::review(&args.config, word.as_deref(), shell.out),
        Command::Accept(flags) => choice::accept(&args.config, flags, shell.out),
        Command::Reject(flags) => choice::reject(&args.config, flags, shell.out),
        Command::List { servers } => list::list(&args.config, servers, shell.out),
    }
}
