//! What is offered at one moment.

use std::collections::BTreeMap;

use mcp_contract::admission::{AdmittedTool, Inspection, Reason};
use mcp_contract::config::Kind;

use crate::tool_info::Standing;

/// All servers' tools, and whose each name is.
#[derive(Clone, Default)]
pub(crate) struct Catalogue {
    /// One a server, in configuration order.
    pub(crate) shelves: Vec<Shelf>,
    /// Local name to server and remote name.
    pub(crate) names: BTreeMap<String, (usize, String)>,
}

/// What one server offers.
#[derive(Clone)]
pub(crate) struct Shelf {
    /// The number of the listing that this was made of; a listing that was asked for earlier comes too late. 0 before the first.
    pub(crate) ticket: u64,
    /// Why the server cannot be asked, if it never could.
    pub(crate) out_of_reach: Option<String>,
    /// The tools that have a claim to a name: those that the server lists, or, before it was asked, those that were accepted.
    pub(crate) claims: Inspection,
    /// The tools with a name.
    pub(crate) tools: BTreeMap<String, Entry>,
    /// Why tools are refused, by remote name.
    pub(crate) refused: BTreeMap<String, Reason>,
}

/// A tool with a name.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) tool: AdmittedTool,
    pub(crate) kind: Kind,
    /// Why it cannot be called, if it cannot.
    pub(crate) withdrawn: Option<Withdrawn>,
}

/// Why a tool cannot be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Withdrawn {
    /// It changed.
    Changed(String),
    /// It is no longer listed; its name is free.
    Gone(String),
}

impl Withdrawn {
    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Changed(reason) | Self::Gone(reason) => reason,
        }
    }
}

impl Catalogue {
    /// The tool of a local name.
    pub(crate) fn tool(&self, local_name: &str) -> Option<(usize, &Entry)> {
        let (index, remote_name) = self.names.get(local_name)?;
        Some((*index, &self.shelves[*index].tools[remote_name]))
    }
}

impl Shelf {
    /// Whether a tool of this server can be called now.
    pub(crate) fn standing(&self, entry: &Entry) -> Standing {
        match (&self.out_of_reach, &entry.withdrawn) {
            (_, Some(withdrawn)) => Standing::Withdrawn(withdrawn.reason().to_owned()),
            (Some(reason), None) => Standing::OutOfReach(reason.clone()),
            (None, None) => Standing::Available,
        }
    }
}
