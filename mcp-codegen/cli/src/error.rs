//! What ends a command before it has a result.

use std::path::PathBuf;

use mcp_contract::config::ConfigError;
use mcp_contract::listing::ListingError;
use mcp_contract::snapshot::folder::FolderError;

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// `servers.toml` cannot be used.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// A server is named that the configuration does not have.
    #[error("there is no server \"{}\"; the configuration has: {}", mcp_contract::text::Shown(.name), .known.join(", "))]
    UnknownServer {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A saved listing cannot be read.
    #[error("{}: {source}", file.display())]
    Listing {
        /// The file.
        file: PathBuf,
        /// Why.
        source: ListingError,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A snapshot cannot be read.
    #[error("{0}")]
    Snapshot(#[from] FolderError),
    /// A path holds neither a listing nor a snapshot.
    #[error("{}: no snapshot here: expected a folder with server.json, or one that holds such folders", file.display())]
    NoSnapshot {
        /// The path.
        file: PathBuf,
    },
    /// A file is not JSON.
    #[error("{}: {reason}", file.display())]
    NotJson {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A server has no such tool.
    #[error("server {server} has no tool \"{}\" in its accepted snapshot", mcp_contract::text::Shown(.tool))]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// git does not know a revision.
    #[error("git knows no revision \"{}\" in {}", mcp_contract::text::Shown(.revision), folder.display())]
    Revision {
        /// The revision.
        revision: String,
        /// Where git was asked.
        folder: PathBuf,
    },
    /// git cannot be asked.
    #[error("git: {}", mcp_contract::text::excerpt(.reason, 300))]
    Git {
        /// What went wrong.
        reason: String,
    },
    /// A snapshot of an earlier revision cannot be read.
    #[error("{place}: {source}")]
    AtRevision {
        /// Where.
        place: String,
        /// Why.
        source: mcp_contract::snapshot::SnapshotError,
    },
    /// Of a tool nothing waits.
    #[error("server {server}: nothing waits of \"{tool}\"")]
    NothingWaits {
        /// The server.
        server: String,
        /// The tool, shown safely.
        tool: String,
    },
    /// Words are missing on the command line.
    #[error("{0}")]
    Usage(&'static str),
    /// The generator failed.
    #[error(transparent)]
    Generate(mcp_codegen::Error),
    /// Servers cannot be asked.
    #[error("cannot ask the servers: the system gives no resources for it: {0}")]
    Runtime(std::io::Error),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
    /// Somebody ended the command.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

impl From<mcp_codegen::Error> for CliError {
    fn from(error: mcp_codegen::Error) -> Self {
        match error {
            mcp_codegen::Error::Config(error) => Self::Config(error),
            mcp_codegen::Error::Folder(error) => Self::Snapshot(error),
            other => Self::Generate(other),
        }
    }
}

impl CliError {
    /// The exit code of the process.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Snapshot(_) => 1,
            Self::Interrupted => 130,
            _ => 2,
        }
    }
}
