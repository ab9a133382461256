//! From what a server lists now to the claims that it has.
//!
//! Each accepted tool is held to the listing by the comparison that a pull request is (`mcp_contract::drift`), under the policy that the
//! configuration has for it. Only tools whose policy is to follow are taken from the listing itself, after the same inspection as at build
//! time.

use std::collections::BTreeMap;

use mcp_contract::admission::{Inspection, inspect};
use mcp_contract::config::Server;
use mcp_contract::definition::ToolDefinition;
use mcp_contract::drift::{Decision, Policy, compare_tool, decide};
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::steadied;

use super::catalogue::Withdrawn;

/// What a listing leaves of a server.
pub(crate) struct Imported {
    /// The tools with a claim to a name.
    pub(crate) claims: Inspection,
    /// Why accepted tools cannot be called, by remote name.
    pub(crate) withdrawn: BTreeMap<String, Withdrawn>,
}

/// Holds the accepted tools of a server to what it lists, and takes what it may follow.
pub(crate) fn import(server: &Server, accepted: &Inspection, listing: &Listing) -> Imported {
    let mut withdrawn = BTreeMap::new();
    for candidate in accepted.candidates() {
        let definition = candidate.definition();
        if let Some(reason) = withdrawal(server, definition, listing) {
            withdrawn.insert(definition.name().to_owned(), reason);
        }
    }
    let mut claims = accepted.clone();
    claims.retain(|name| !matches!(withdrawn.get(name), Some(Withdrawn::Gone(_))));
    if server.follows() {
        let mut live = listing.clone();
        live.tools.retain(|tool| server.policies.drift_of(tool.name()) == Policy::Follow);
        let mut live = inspect(server, &live);
        // What was accepted and is the same keeps the spelling that was accepted.
        live.retain(|name| !unchanged(accepted, listing, name));
        for refused in live.refused() {
            claims.retain(|name| name != refused.remote_name);
        }
        claims.merge(live);
    }
    Imported { claims, withdrawn }
}

fn unchanged(accepted: &Inspection, listing: &Listing, name: &str) -> bool {
    let before = accepted.candidates().iter().find(|candidate| candidate.definition().name() == name);
    let mut now = listing.tools.iter().filter(|tool| tool.name() == name);
    before.is_some_and(|before| now.all(|now| before.definition().digest() == now.digest()))
}

/// Why a tool is not offered as it was accepted.
fn withdrawal(server: &Server, accepted: &ToolDefinition, listing: &Listing) -> Option<Withdrawn> {
    let mut listed = listing.tools.iter().filter(|listed| listed.name() == accepted.name()).peekable();
    if listed.peek().is_none() {
        let review = format!("look at the change with: mcp-codegen snapshot {}", server.name);
        return Some(Withdrawn::Gone(format!("the server no longer lists it; {review}")));
    }
    // Of a name that is listed twice, each definition counts.
    listed.find_map(|listed| {
        let now = steadied(server, listed, accepted);
        let policy = server.policies.drift_of(accepted.name());
        match decide(policy, server.name.as_str(), &compare_tool(accepted, &now)) {
            Decision::Withdraw(withdrawal) => Some(Withdrawn::Changed(withdrawal.to_string())),
            _ => None,
        }
    })
}
