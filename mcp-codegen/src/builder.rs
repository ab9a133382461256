//! The door for `build.rs`: generates into `OUT_DIR`, tells cargo what to watch, and compares with the live servers when asked.
//!
//! A build is made of what was committed. Listing live servers is a comparison, done only where `MCP_CODEGEN_PULL=1` asks for it, never on a
//! documentation build and never when cargo is offline; nothing is ever written outside `OUT_DIR`.

use std::env;
use std::path::{Path, PathBuf};

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

    /// Says what a difference means for the build, where one is looked for.
    #[cfg(feature = "pull")]
    pub fn on_drift(mut self, on_drift: OnDrift) -> Self {
        self.on_drift = on_drift;
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
        let expansion = expand(&package, &self.options)?;
        instruct(&package, &expansion);
        let fatal: Vec<Problem> = expansion.problems.iter().filter(|problem| problem.is_fatal()).cloned().collect();
        if !fatal.is_empty() {
            return Err(Error::Disagreement { problems: fatal });
        }
        let file = out.join("mcp.rs");
        crate::write::replace_if_changed(&file, &expansion.text)?;
        if env::var(PULL).is_ok_and(|value| value == "1") {
            self.compare(&package)?;
        }
        Ok(file)
    }

    #[cfg(feature = "pull")]
    fn compare(&self, package: &Path) -> Result<(), Error> {
        let offline = env::var("CARGO_NET_OFFLINE").is_ok_and(|value| value == "true");
        if offline || env::var_os("DOCS_RS").is_some() {
            println!("cargo::warning={PULL} is ignored: this build is offline or for documentation");
            return Ok(());
        }
        for finding in crate::pull::compare(package, &self.options)? {
            println!("cargo::warning={}", one_line(&finding.to_string()));
            if finding.is_drift() && self.on_drift == OnDrift::Fail {
                return Err(Error::Drift { finding: finding.to_string() });
            }
        }
        Ok(())
    }

    #[cfg(not(feature = "pull"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the other half has a use for them")]
    fn compare(&self, _package: &Path) -> Result<(), Error> {
        println!("cargo::warning={PULL} is ignored: mcp-codegen is built without its feature `pull`");
        Ok(())
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
        for refused in &server.refused {
            let tool = mcp_contract::text::excerpt(&refused.remote_name, 80);
            let text = format!("server {}: tool \"{tool}\" is refused: {}", server.server, refused.reason);
            println!("cargo::warning={}", one_line(&text));
        }
    }
    for problem in expansion.problems.iter().filter(|problem| !problem.is_fatal()) {
        println!("cargo::warning={}", one_line(&problem.to_string()));
    }
}

/// Cargo reads instructions line by line; nothing of a server's may start one.
fn one_line(text: &str) -> String {
    mcp_contract::text::Shown(text).to_string()
}
