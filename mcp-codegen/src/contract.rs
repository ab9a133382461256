//! The contract of a package: its configuration, the accepted snapshots, and the verdict on them.
//!
//! Loading it is the whole offline half of the pipeline; `generate`, `check` and `list` all start here. A server without a
//! snapshot, or with one that does not belong to its configuration, is a [`Problem`] and not an error, so that a command can
//! tell all of them at once.

use std::fmt;
use std::path::{Path, PathBuf};

use mcp_contract::admission::{Screens, ServerAdmission, UnmatchedGlob};
use mcp_contract::config::{Config, Server, ServerName};
use mcp_contract::snapshot::{Snapshot, admit, folder, launch_hash};

use crate::Error;

/// What a package's servers offer, as far as it was accepted.
#[derive(Debug)]
pub struct Contract {
    /// The folder of `servers.toml`.
    pub base: PathBuf,
    /// The file name of `servers.toml`.
    pub file: String,
    /// The configuration.
    pub config: Config,
    /// The enabled servers that have a snapshot, in configuration order.
    pub servers: Vec<ServerContract>,
    /// What keeps configuration and snapshots from agreeing.
    pub problems: Vec<Problem>,
}

/// One server of a contract.
#[derive(Debug)]
pub struct ServerContract {
    /// The server's name.
    pub name: ServerName,
    /// The accepted snapshot.
    pub snapshot: Snapshot,
    /// The verdict on it.
    pub admission: ServerAdmission,
}

/// A disagreement between configuration and snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A server has no snapshot yet.
    NoSnapshot {
        /// The server.
        server: ServerName,
    },
    /// A snapshot was taken of another launch definition.
    StaleLaunch {
        /// The server.
        server: ServerName,
    },
    /// The local name in a snapshot is not the one that the configuration gives.
    StaleName {
        /// The server.
        server: ServerName,
        /// The remote name.
        tool: String,
        /// The recorded local name.
        recorded: Option<String>,
        /// The local name that the configuration gives.
        given: Option<String>,
    },
    /// A glob of the configuration matches no tool.
    Unmatched(UnmatchedGlob),
    /// A listing waits to be accepted.
    Pending {
        /// The server.
        server: ServerName,
    },
    /// A generated file is missing or differs from what would be generated.
    StaleCode {
        /// The file.
        file: PathBuf,
    },
}

impl Contract {
    /// Loads configuration and snapshots and decides what is admitted.
    ///
    /// # Errors
    ///
    /// The configuration has problems, or a snapshot cannot be read.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let config = Config::load(path)?;
        let base = folder::base(path).to_owned();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut contract = Self { base, file, config, servers: Vec::new(), problems: Vec::new() };
        contract.read_snapshots()?;
        Ok(contract)
    }

    fn read_snapshots(&mut self) -> Result<(), Error> {
        let mut snapshots: Vec<(&Server, Snapshot)> = Vec::new();
        for server in self.config.enabled() {
            match folder::load(&folder::accepted(&self.base, &server.name))? {
                Some(snapshot) => snapshots.push((server, snapshot)),
                None => self.problems.push(Problem::NoSnapshot { server: server.name.clone() }),
            }
            if !folder::files(&folder::pending(&self.base, &server.name))?.is_empty() {
                self.problems.push(Problem::Pending { server: server.name.clone() });
            }
        }
        let admission = admit(snapshots.iter().map(|(server, snapshot)| (*server, snapshot)));
        for ((server, snapshot), admission) in snapshots.into_iter().zip(admission.servers) {
            if snapshot.launch != launch_hash(server) {
                self.problems.push(Problem::StaleLaunch { server: server.name.clone() });
            }
            self.problems.extend(stale_names(&snapshot, &admission));
            self.problems.extend(admission.unmatched.iter().cloned().map(Problem::Unmatched));
            self.servers.push(ServerContract { name: server.name.clone(), snapshot, admission });
        }
        Ok(())
    }

    /// The contract without the tools that a host's own screens refuse.
    #[must_use]
    pub fn screened(mut self, screens: &Screens) -> Self {
        let servers = self.servers.into_iter();
        let screened = servers.map(|server| ServerContract { admission: screens.apply_to(server.admission), ..server });
        self.servers = screened.collect();
        self
    }

    /// The folder for generated files.
    #[must_use]
    pub fn out(&self) -> PathBuf {
        self.base.join(&self.config.generate.out)
    }

    /// The folder of `servers.toml` as code that is generated into a package names it: relative to the package, with `/`, starting with
    /// one and without a final one; empty for the package's own folder.
    ///
    /// # Errors
    ///
    /// `servers.toml` does not lie inside the package: what is embedded could not be packed with it.
    pub fn base_in(&self, package: &Path) -> Result<String, Error> {
        let (base, package) = (canonical(&self.base)?, canonical(package)?);
        let inside = base
            .strip_prefix(&package)
            .map_err(|_| Error::OutsidePackage { path: self.base.join(&self.file), package: package.clone() })?;
        Ok(inside.iter().fold(String::new(), |path, part| format!("{path}/{}", part.to_string_lossy())))
    }

    /// The package that generated files belong to: the nearest one around the folder for them.
    ///
    /// # Errors
    ///
    /// There is no package.
    pub fn package(&self) -> Result<PathBuf, Error> {
        let out = canonical(&self.base)?.join(&self.config.generate.out);
        let package = out.ancestors().find(|folder| folder.join("Cargo.toml").is_file());
        package.map(Path::to_owned).ok_or_else(|| Error::NoPackage { path: self.base.join(&self.file) })
    }
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize().map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })
}

fn stale_names(snapshot: &Snapshot, admission: &ServerAdmission) -> Vec<Problem> {
    let given = |tool: &str| admission.admitted.iter().find(|admitted| admitted.remote_name() == tool);
    snapshot
        .tools
        .iter()
        .map(|tool| (tool, given(tool.definition.name()).map(|admitted| admitted.local_name().to_owned())))
        .filter(|(tool, given)| tool.local_name != *given)
        .map(|(tool, given)| Problem::StaleName {
            server: admission.server.clone(),
            tool: tool.definition.name().to_owned(),
            recorded: tool.local_name.clone(),
            given,
        })
        .collect()
}

impl Problem {
    /// Whether generated code may still be trusted: a pending listing is news, not a disagreement.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Self::Pending { .. })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        use mcp_contract::text::Shown;
        match self {
            Self::NoSnapshot { server } => {
                write!(out, "server {server}: no snapshot yet; take one with: mcp-codegen snapshot {server}")
            }
            Self::StaleLaunch { server } => write!(
                out,
                "server {server}: the snapshot was taken before its launch definition changed; take a new one with: \
                 mcp-codegen snapshot {server}"
            ),
            Self::StaleName { server, tool, recorded, given } => {
                let show =
                    |name: &Option<String>| name.as_deref().map_or_else(|| "none".to_owned(), |n| Shown(n).to_string());
                write!(
                    out,
                    "server {server}, tool \"{}\": the snapshot records the local name {}, the configuration gives {}; \
                     update it with: mcp-codegen snapshot {server}",
                    Shown(tool),
                    show(recorded),
                    show(given)
                )
            }
            Self::Unmatched(glob) => glob.fmt(out),
            Self::Pending { server } => write!(
                out,
                "server {server}: a changed listing waits in mcp/.pending/{server}; look at it with: mcp-codegen review \
                 {server}"
            ),
            Self::StaleCode { file } => write!(
                out,
                "{} is not what the snapshots give; write it anew with: mcp-codegen generate",
                file.display()
            ),
        }
    }
}
