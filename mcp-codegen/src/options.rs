//! The options of the generator, defined once for all doors: flags, builder and macro read into this type.

use std::path::PathBuf;

use mcp_contract::admission::Screens;

/// How code is generated, as far as `servers.toml` does not say it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The configuration, relative to the folder of the package (or to the current one, for the command).
    pub config: PathBuf,
    /// The path of the runtime's crate, such as `::other::mcp_runtime`, for a package that knows it under another name than
    /// `mcp_runtime`.
    pub runtime: Option<String>,
    /// The host's own screens.
    pub screens: Screens,
}

impl Default for Options {
    fn default() -> Self {
        Self { config: PathBuf::from("servers.toml"), runtime: None, screens: Screens::default() }
    }
}

impl Options {
    /// The options for a configuration; everything else as by default.
    #[must_use]
    pub fn new(config: impl Into<PathBuf>) -> Self {
        Self { config: config.into(), ..Self::default() }
    }
}
