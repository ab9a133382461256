//! The door for `build.rs`: generates into `OUT_DIR`, tells cargo what to watch, and compares with the live servers when asked.
//!
//! A build is made of what was committed. Listing live servers is a comparison, done only where `MCP_CODEGEN_PULL=1` asks for it, never on a
//! documentation build and never where the environment says that cargo is offline; nothing is ever written outside `OUT_DIR`.

use std::env;
use std::path::{Path, PathBuf};

use mcp_contract::admission::Screen;

use crate::offline::{Expansion, expand};
use crate::{Error, Options, Problem};

/// The variable that asks for a comparison with the live servers.
const PULL: &str = "MCP_CODEGEN_PULL";

/// Generates code in a build script.
///
/// ```no_run
/// // build.rs
/// mcp_codegen::Builder::new().generate().unwrap_or_else(|error| panic!("{error}"));
/// // src/lib.rs: include!(concat!(env!("OUT_DIR"), "/mcp.rs"));
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Builder {
    options: Options,
    #[cfg(feature = "pull")]
    on_drift: OnDrift,
    #[cfg(feature = "pull")]
    pull: Pull,
}

/// What a build does with the live servers, where `MCP_CODEGEN_PULL=1` asks for it.
#[cfg(feature = "pull")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pull {
    /// Compares them with the committed snapshots.
    #[default]
    Compare,
    /// Takes a first snapshot, into `OUT_DIR`, of each server that has none committed; compares the others.
    IfMissing,
    /// Generates from what they offer now; a server that is out of reach falls back to its committed snapshot. The docs of such a
    /// module say that it is unpinned.
    Live,
}

/// What a difference between a live server and its snapshot means for the build.
#[cfg(feature = "pull")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDrift {
    /// A warning.
    #[default]
    Warn,
    /// The end of the build.
    Fail,
}

impl Builder {
    /// A builder for the `servers.toml` beside `Cargo.toml`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads another configuration; the path is relative to the folder of the package.
    pub fn config(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.config = path.into();
        self
    }

    /// Names the crate of the runtime, for a package that knows it under another name than `mcp_runtime`.
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.options.runtime = Some(path.into());
        self
    }

    /// Screens the tools of every server that has no screen of its own: what it refuses gets no code, with a warning.
    ///
    /// ```no_run
    /// # use mcp_contract::admission::{AdmittedTool, Objection};
    /// mcp_codegen::Builder::new().screen(|_: &str, tool: &AdmittedTool| -> Result<(), Objection> {
    ///     if tool.remote_name().starts_with("delete_") { Err("nothing is deleted from here".into()) } else { Ok(()) }
    /// });
    /// ```
    pub fn screen(mut self, screen: impl Screen + 'static) -> Self {
        self.options.screens = self.options.screens.all(screen);
        self
    }

    /// Screens the tools of one server, in place of the screen for all.
    pub fn screen_server(mut self, server: &str, screen: impl Screen + 'static) -> Self {
        self.options.screens = self.options.screens.server(server, screen);
        self
    }

    /// Says what a difference means for the build, where one is looked for.
    #[cfg(feature = "pull")]
    pub fn on_drift(mut self, on_drift: OnDrift) -> Self {
        self.on_drift = on_drift;
        self
    }

    /// Says what is done with the live servers, where it is asked for.
    #[cfg(feature = "pull")]
    pub fn pull(mut self, pull: Pull) -> Self {
        self.pull = pull;
        self
    }

    /// Writes `mcp.rs` into `OUT_DIR` and tells cargo what it depends on. Gives the path of the file.
    ///
    /// # Errors
    ///
    /// The configuration has problems, a snapshot is missing or stale, or a file cannot be written. With a comparison that fails
    /// the build, the differences.
    ///
    /// # Panics
    ///
    /// Outside a build script, where cargo's variables are not set.
    pub fn generate(&self) -> Result<PathBuf, Error> {
        let folder =
            |name: &str| PathBuf::from(env::var_os(name).unwrap_or_else(|| panic!("{name} is set in build scripts")));
        let (package, out) = (folder("CARGO_MANIFEST_DIR"), folder("OUT_DIR"));
        let expansion = self.expansion(&package, &out)?;
        instruct(&package, &expansion);
        let fatal: Vec<Problem> = expansion.problems.iter().filter(|problem| problem.is_fatal()).cloned().collect();
        if !fatal.is_empty() {
            return Err(Error::Disagreement { problems: fatal });
        }
        for manifest in &expansion.missing {
            // The code stands for a snapshot that does not exist yet: it is out of date until there is one.
            println!("cargo::rerun-if-changed={}", manifest.strip_prefix(&package).unwrap_or(manifest).display());
        }
        let file = out.join("mcp.rs");
        crate::write::replace_if_changed(&file, &expansion.text)?;
        Ok(file)
    }

    #[cfg(feature = "pull")]
    fn expansion(&self, package: &Path, out: &Path) -> Result<Expansion, Error> {
        if !env::var(PULL).is_ok_and(|value| value == "1") {
            return expand(package, &self.options);
        }
        // Cargo does not tell a build script of its flag --offline.
        let offline = env::var("CARGO_NET_OFFLINE").is_ok_and(|value| value == "true" || value == "1");
        if offline || env::var_os("DOCS_RS").is_some() {
            println!("cargo::warning={PULL} is ignored: this build is offline or for documentation");
            return expand(package, &self.options);
        }
        let pulled = crate::pull::pull(package, out, &self.options, self.pull)?;
        for finding in pulled.findings {
            println!("cargo::warning={}", one_line(&finding.to_string()));
            if finding.is_drift() && self.on_drift == OnDrift::Fail {
                return Err(Error::Drift { finding: finding.to_string() });
            }
        }
        Ok(pulled.expansion)
    }

    #[cfg(not(feature = "pull"))]
    fn expansion(&self, package: &Path, _out: &Path) -> Result<Expansion, Error> {
        if env::var(PULL).is_ok_and(|value| value == "1") {
            println!("cargo::warning={PULL} is ignored: mcp-codegen is built without its feature `pull`");
        }
        expand(package, &self.options)
    }
}

/// Tells cargo what to watch, and everybody what is refused.
fn instruct(package: &Path, expansion: &Expansion) {
    for variable in [PULL, "CARGO_NET_OFFLINE", "DOCS_RS"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    for file in &expansion.watched {
        println!("cargo::rerun-if-changed={}", file.strip_prefix(package).unwrap_or(file).display());
    }
    for server in &expansion.summary.servers {
        for finding in &server.report {
            println!("cargo::warning={}", one_line(&format!("server {} says of itself: {finding}", server.server)));
        }
        for refused in &server.refused {
            let tool = mcp_contract::text::excerpt(&refused.remote_name, 80);
            let text = format!("server {}: tool \"{tool}\" is refused: {}", server.server, refused.reason);
            println!("cargo::warning={}", one_line(&text));
        }
    }
}

/// Cargo reads instructions line by line; nothing of a server's may start one.
fn one_line(text: &str) -> String {
    mcp_contract::text::Shown(text).to_string()
}
