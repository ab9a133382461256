//! What a change does to a tool that is in use: kept, followed or withdrawn.
//!
//! This is the decision that a refresh makes at run time, without I/O. What passes is still held to the snapshot's argument schema; a tool
//! that follows is the live one, screened by whoever asks.

use super::change::{Change, ToolDrift};
use super::grade::Grade;
use crate::text::excerpt;

/// How far a server's tools may move before somebody has looked (`drift` in `servers.toml`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Any change withdraws a tool.
    #[default]
    Quarantine,
    /// Compatible changes, metadata and words pass.
    Compatible,
    /// The live list is taken.
    Follow,
}

/// What becomes of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// It stays, as the snapshot has it.
    Keep,
    /// It is what the server offers now.
    Follow,
    /// It is withdrawn from what models see, and a call of it fails with this.
    Withdraw(Withdrawal),
    /// It is new and stays out.
    Ignore,
}

/// Why a tool is withdrawn, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tool \"{tool}\" of server {server} changed since it was accepted ({grade}{what}); take the new listing with: mcp-codegen snapshot {server}"
)]
#[non_exhaustive]
pub struct Withdrawal {
    /// The server's name.
    pub server: String,
    /// The remote name, as a safe excerpt.
    pub tool: String,
    /// The gravest grade.
    pub grade: Grade,
    /// What changed, in words that are safe to print; empty, or beginning with a colon.
    pub what: String,
}

/// Decides what becomes of a tool that changed.
///
/// ```
/// use mcp_contract::{drift::{Decision, Policy, compare, decide}, listing::Listing};
/// let listing = |text| Listing::from_saved(text).unwrap();
/// let old = listing(r#"[{"name":"a","description":"A","inputSchema":{"type":"object"}}]"#);
/// let new = listing(r#"[{"name":"a","description":"B","inputSchema":{"type":"object"}}]"#);
/// let drift = compare(&old, &new);
/// assert!(matches!(decide(Policy::Quarantine, "notes", &drift.tools[0]), Decision::Withdraw(_)));
/// assert_eq!(decide(Policy::Compatible, "notes", &drift.tools[0]), Decision::Keep);
/// ```
#[must_use]
pub fn decide(policy: Policy, server: &str, drift: &ToolDrift) -> Decision {
    let grade = drift.grade();
    let passes = match policy {
        Policy::Quarantine => grade == Grade::Unchanged,
        Policy::Compatible => grade >= Grade::Compatible,
        Policy::Follow => true,
    };
    match (policy, grade) {
        (_, Grade::Removed) => Decision::Withdraw(withdrawal(server, drift)),
        (Policy::Follow, _) => Decision::Follow,
        (_, Grade::Added) => Decision::Ignore,
        _ if passes => Decision::Keep,
        _ => Decision::Withdraw(withdrawal(server, drift)),
    }
}

fn withdrawal(server: &str, drift: &ToolDrift) -> Withdrawal {
    let told = |change: &&Change| !change.meaning.is_empty();
    let what = drift.changes.iter().find(told).map(|change| format!(": {}: {}", change.pointer, change.meaning));
    // A model that has the old name asks for that one.
    let name = drift.renamed_from.as_ref().unwrap_or(&drift.name);
    Withdrawal {
        server: server.to_owned(),
        tool: excerpt(name, 80),
        grade: drift.grade(),
        what: what.map(|what| excerpt(&what, 300)).unwrap_or_default(),
    }
}
