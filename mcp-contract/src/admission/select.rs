//! `include`, then `exclude`, then the rules for single tools, on remote names.

use crate::config::{Server, ToolGlob};

/// A glob of the configuration that took no tool: most likely a typing error, or a tool that went away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("server {server}: `{glob}` in `{key}` matches no tool that the server lists; correct it, or take it out")]
pub struct UnmatchedGlob {
    /// The server.
    pub server: String,
    /// `include`, `exclude`, or `match` of a `[[server.tool]]`.
    pub key: &'static str,
    /// The glob.
    pub glob: String,
}

/// Whether the configuration wants the tool of this remote name.
pub(super) fn wants(server: &Server, remote_name: &str) -> bool {
    let any = |globs: &[ToolGlob]| globs.iter().any(|glob| glob.matches(remote_name));
    (server.include.is_empty() || any(&server.include)) && !any(&server.exclude) && server.policies.enables(remote_name)
}

/// The globs that match none of the names.
pub(super) fn unmatched(server: &Server, remote_names: &[&str]) -> Vec<UnmatchedGlob> {
    let keys = [("include", &server.include), ("exclude", &server.exclude)];
    let idle = |glob: &&ToolGlob| !remote_names.iter().any(|name| glob.matches(name));
    let rules = server.policies.tools.iter().map(|rule| &rule.matches).filter(idle).map(|glob| ("match", glob));
    keys.into_iter()
        .flat_map(|(key, globs)| globs.iter().filter(idle).map(move |glob| (key, glob)))
        .chain(rules)
        .map(|(key, glob)| UnmatchedGlob { server: server.name.to_string(), key, glob: glob.as_str().to_owned() })
        .collect()
}
