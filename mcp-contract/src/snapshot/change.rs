//! What differs between two snapshots: named, not judged.
//!
//! Whether a listing has to wait for a reviewer, what a command prints of it and what a build warns of are one question; it is
//! answered here once.

use std::collections::BTreeMap;

use super::Snapshot;
use crate::definition::{ToolDefinition, Undecodable};

/// The differences between two snapshots; pins and launch are none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes<'a> {
    /// The tools that are not what they were, by remote name: foreign text.
    pub tools: BTreeMap<&'a str, Change>,
    /// Whether the server says something else of itself.
    pub report: bool,
    /// Whether the entries that are no tools, or that share one name, are others.
    pub undecodable: bool,
}

/// What became of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It is new.
    Added,
    /// Its definition is another one.
    Changed,
    /// It is gone.
    Removed,
}

impl Changes<'_> {
    /// Whether both snapshots record the same offer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && !self.report && !self.undecodable
    }
}

impl Snapshot {
    /// What differs in a later snapshot of the same server.
    #[must_use]
    pub fn changes<'a>(&'a self, later: &'a Snapshot) -> Changes<'a> {
        let mut tools = BTreeMap::new();
        for tool in &later.tools {
            let name = tool.definition.name();
            match self.tool(name) {
                None => drop(tools.insert(name, Change::Added)),
                Some(before) if before.definition.digest() != tool.definition.digest() => {
                    tools.insert(name, Change::Changed);
                }
                Some(_) => {}
            }
        }
        let names = self.tools.iter().map(|tool| tool.definition.name());
        tools.extend(names.filter(|name| later.tool(name).is_none()).map(|name| (name, Change::Removed)));
        Changes {
            tools,
            report: !self.report.equivalent(&later.report),
            undecodable: identities(&self.undecodable) != identities(&later.undecodable),
        }
    }

    /// Whether the other snapshot records the same offer; pins and launch may differ.
    #[must_use]
    pub fn same_offer(&self, other: &Snapshot) -> bool {
        self.changes(other).is_empty()
    }
}

/// What entries are compared by: a definition's digest where there is one, else the text. Their order means nothing.
pub(super) fn identities(entries: &[Undecodable]) -> Vec<String> {
    let identity = |entry: &Undecodable| match ToolDefinition::decode(&entry.raw) {
        Ok(tool) => tool.digest().as_str().to_owned(),
        Err(_) => entry.raw.clone(),
    };
    let mut identities: Vec<String> = entries.iter().map(identity).collect();
    identities.sort();
    identities
}
