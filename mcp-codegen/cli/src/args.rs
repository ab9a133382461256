//! The flags, defined once.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use mcp_contract::drift::Grade;

use crate::diff::Format;

/// Typed, screened Rust for the tools of other people's MCP servers.
#[derive(Clone, Debug, Parser)]
#[command(name = "mcp-codegen", version, after_help = EXIT_CODES)]
pub struct Args {
    /// The configuration.
    #[arg(long, global = true, default_value = "servers.toml", value_name = "FILE")]
    pub config: PathBuf,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 fine; 1 a changed listing was found, or one with a grade that fails, or configuration, snapshots and code disagree (`list` only \
                          tells of it), or a tool was refused by `screen`, or an instance by `validate`; 2 usage, a broken configuration, or a file that cannot be read or written; 3 a server is out of \
                          reach; 130 interrupted.";

/// The commands.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Write down what the servers offer; a change waits for acceptance in mcp/.pending.
    Snapshot(SnapshotArgs),
    /// Write the Rust modules for the accepted snapshots.
    Generate,
    /// Tell whether configuration, snapshots and generated code agree. Needs no network, unless `--live` asks the servers.
    Check(CheckArgs),
    /// Tell what hides, instructs or blows up in tools, or whether a pattern can blow up. Needs no configuration and no network.
    Screen(ScreenArgs),
    /// Tell whether instances are valid for a tool's arguments, or for a schema, and where not. Needs no network.
    Validate(ValidateArgs),
    /// Tell what changed, graded: what waits in mcp/.pending, against a revision of git, or between two listings.
    Diff(DiffArgs),
    /// Look at what waits in mcp/.pending, tool by tool: accept, reject, or skip.
    Review {
        /// Only this server, or one of its tools.
        #[arg(value_name = "SERVER[/TOOL]")]
        word: Option<String>,
    },
    /// Accept what waits in mcp/.pending.
    Accept(ChoiceArgs),
    /// Keep what waits in mcp/.pending out: the accepted tool stays, and nobody is asked again about this very change.
    Reject(ChoiceArgs),
    /// Show which tools are admitted, which are refused, and why. Needs no network.
    List {
        /// Only these servers.
        servers: Vec<String>,
    },
}

/// Which grades fail.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct GradeArgs {
    /// The grades that fail, of: breaking, authority, instructing, removed, renamed, added, compatible, metadata, text. By default the
    /// first five.
    #[arg(long, value_name = "GRADE", value_delimiter = ',', value_parser = grade)]
    pub fail_on: Vec<Grade>,
}

fn grade(name: &str) -> Result<Grade, String> {
    let known = || Grade::ALL.iter().map(|grade| grade.name()).collect::<Vec<_>>().join(", ");
    Grade::from_name(name).ok_or_else(|| format!("expected one of: {}", known()))
}

/// The flags of `check`.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct CheckArgs {
    /// Ask the servers too, and grade how what they offer differs from the accepted snapshots. Nothing is written.
    #[arg(long)]
    pub live: bool,
    /// Only these servers are asked.
    #[arg(requires = "live")]
    pub servers: Vec<String>,
    /// Ask each server once. Otherwise it is asked twice, and what differs between the two listings is told.
    #[arg(long, requires = "live")]
    pub once: bool,
    /// Take a server's listing from a file instead of asking it.
    #[arg(long, value_name = "NAME=FILE", requires = "live")]
    pub listing: Vec<ListingFile>,
    /// The form of the report of changes.
    #[arg(long, value_enum, default_value_t, requires = "live")]
    pub format: Format,
    /// Which grades fail.
    #[command(flatten)]
    pub grades: GradeArgs,
}

/// What `accept` and `reject` are about.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct ChoiceArgs {
    /// Servers, or single tools by their remote names.
    #[arg(required = true, value_name = "SERVER[/TOOL]")]
    pub words: Vec<String>,
}

/// The flags of `diff`.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct DiffArgs {
    /// A server, or one of its tools by its remote name: what waits in mcp/.pending. Or two listing files or snapshot folders, old and
    /// new, which need no configuration.
    #[arg(value_name = "SERVER[/TOOL] | OLD NEW", num_args = 0..=2)]
    pub words: Vec<String>,
    /// Compare the accepted snapshots with those of a revision of git.
    #[arg(long, value_name = "REV")]
    pub against: Option<String>,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    pub format: Format,
    /// The same as `--format json`.
    #[arg(long)]
    pub json: bool,
    /// Which grades fail.
    #[command(flatten)]
    pub grades: GradeArgs,
}

/// The flags of `screen`.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct ScreenArgs {
    /// Listing files, snapshot folders, or `-` for a listing on standard input; without any, the accepted snapshots.
    pub files: Vec<PathBuf>,
    /// Refuse what is otherwise a note.
    #[arg(long)]
    pub strict: bool,
    /// Judge one pattern instead.
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["files", "patterns"], allow_hyphen_values = true)]
    pub pattern: Option<String>,
    /// The flags of the pattern; where they are not given it is read as JSON Schema reads it.
    #[arg(long, requires = "pattern")]
    pub flags: Option<String>,
    /// Judge many patterns instead: a line `{"pattern": …, "flags": …}` in, a line out; `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub patterns: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// Print SARIF 2.1.0.
    #[arg(long)]
    pub sarif: bool,
}

/// The flags of `validate`.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct ValidateArgs {
    /// A server and a tool of the configuration, and then files of instances; with `--schema` files alone. `-` is standard input.
    #[arg(required = true, value_name = "SERVER TOOL FILE")]
    pub words: Vec<String>,
    /// The schema in a file, instead of a tool's.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Each file holds an array of instances instead of one.
    #[arg(long)]
    pub many: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The flags of `snapshot`.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct SnapshotArgs {
    /// Only these servers.
    pub servers: Vec<String>,
    /// Accept what differs from the accepted snapshot.
    #[arg(long)]
    pub accept: bool,
    /// List each server twice, and tell which members of its tools differ between two listings in a row.
    #[arg(long)]
    pub twice: bool,
    /// Take a server's listing from a file: a JSON-RPC reply, an object with "tools", or an array.
    #[arg(long, value_name = "NAME=FILE")]
    pub listing: Vec<ListingFile>,
}

/// A saved listing for a server.
#[derive(Clone, Debug)]
pub struct ListingFile {
    /// The server.
    pub server: String,
    /// The file.
    pub file: PathBuf,
}

impl std::str::FromStr for ListingFile {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((server, file)) if !server.is_empty() && !file.is_empty() => {
                Ok(Self { server: server.to_owned(), file: PathBuf::from(file) })
            }
            _ => Err("expected NAME=FILE, where NAME is a server of the configuration"),
        }
    }
}
