//! The keys of `servers.toml`, and which of them anything enforces yet.

/// Whether a key may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    /// Read and enforced.
    Enforced,
    /// Planned: refused, so that nobody relies on a policy that is not applied.
    NotYet,
}

/// The keys of one table.
pub(super) struct Keys {
    /// What messages call the table.
    pub(super) table: &'static str,
    pub(super) keys: &'static [(&'static str, Support)],
}

use Support::{Enforced, NotYet};

pub(super) const FILE: Keys = Keys { table: "the file", keys: &[("server", Enforced), ("generate", Enforced)] };

pub(super) const GENERATE: Keys = Keys { table: "[generate]", keys: &[("out", Enforced), ("mode", NotYet)] };

pub(super) const SERVER: Keys = Keys {
    table: "[[server]]",
    keys: &[
        ("name", Enforced),
        ("enabled", Enforced),
        ("command", Enforced),
        ("args", Enforced),
        ("expand_args", Enforced),
        ("env", Enforced),
        ("cwd", Enforced),
        ("url", Enforced),
        ("headers", Enforced),
        ("include", Enforced),
        ("exclude", Enforced),
        ("namespace", Enforced),
        ("required", Enforced),
        ("connect_timeout", Enforced),
        ("request_timeout", Enforced),
        ("pool", Enforced),
        ("kind", Enforced),
        ("roles", Enforced),
        ("ability", Enforced),
        ("connect", Enforced),
        ("drift", Enforced),
        ("trust_rejections", Enforced),
        ("retry", Enforced),
        ("capabilities", NotYet),
        ("strict", Enforced),
        ("accept_risk", Enforced),
        ("ignore", Enforced),
        ("tool", Enforced),
    ],
};

pub(super) const TOOL: Keys = Keys {
    table: "[[server.tool]]",
    keys: &[("match", Enforced), ("kind", Enforced), ("roles", Enforced), ("drift", Enforced), ("enabled", Enforced)],
};

pub(super) const RETRY: Keys = Keys { table: "retry", keys: &[("attempts", Enforced), ("backoff", Enforced)] };

pub(super) const ACCEPT_RISK: Keys =
    Keys { table: "accept_risk", keys: &[("tool", Enforced), ("signal", Enforced), ("reason", Enforced)] };

pub(super) const IGNORE: Keys =
    Keys { table: "ignore", keys: &[("tool", Enforced), ("pointer", Enforced), ("reason", Enforced)] };

impl Keys {
    pub(super) fn support(&self, key: &str) -> Option<Support> {
        self.keys.iter().find(|(name, _)| *name == key).map(|(_, support)| *support)
    }

    /// The known key that `key` most likely meant.
    pub(super) fn nearest(&self, key: &str) -> Option<&'static str> {
        self.keys
            .iter()
            .map(|(name, _)| (*name, strsim::jaro_winkler(name, key)))
            .filter(|(_, similarity)| *similarity > 0.75)
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(name, _)| name)
    }
}
