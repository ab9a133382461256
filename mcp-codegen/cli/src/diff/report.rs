//! The comparison of all pairs, with what only this side of the house knows: the Rust API and the screens.

use std::collections::{BTreeMap, BTreeSet};

use mcp_codegen::{ApiChange, api_changes};
use mcp_contract::drift::{Drift, Grade, ToolDrift, compare, gravest};
use mcp_contract::listing::Listing;

use super::Pair;
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::screened::{self, Line};

/// What changed, of all servers that were compared.
pub(crate) struct Report {
    pub(crate) servers: Vec<ServerReport>,
    /// The grades that fail.
    pub(crate) fail_on: BTreeSet<Grade>,
}

/// What changed of one server.
pub(crate) struct ServerReport {
    pub(crate) name: String,
    pub(crate) drift: Drift,
    /// How many tools the new listing has.
    pub(crate) tools: usize,
    /// By the new remote name: what the change does to Rust callers.
    pub(crate) rust: BTreeMap<String, Vec<ApiChange>>,
    /// By the new remote name: what the screens say of the new definition.
    pub(crate) screens: BTreeMap<String, Vec<Line>>,
    /// The folder of the snapshot files.
    pub(crate) folder: Option<String>,
}

impl Report {
    pub(crate) fn of(pairs: &[Pair], fail_on: &[Grade]) -> Result<Self, CliError> {
        let servers = pairs.iter().map(ServerReport::of).collect::<Result<_, _>>()?;
        let fail_on: BTreeSet<Grade> = if fail_on.is_empty() {
            Grade::FAILING.iter().copied().collect()
        } else {
            fail_on.iter().copied().collect()
        };
        Ok(Self { servers, fail_on })
    }

    /// Whether changes of these grades fail.
    pub(crate) fn fails(&self, changes: &[mcp_contract::drift::Change]) -> bool {
        changes.iter().any(|change| self.fail_on.contains(&change.grade))
    }
}

impl ServerReport {
    pub(crate) fn of(pair: &Pair) -> Result<Self, CliError> {
        let mut drift = compare(&pair.old, &pair.new);
        if let Some(only) = &pair.only {
            let known = pair.old.tools.iter().chain(&pair.new.tools).any(|tool| tool.name() == only);
            if !known {
                return Err(CliError::UnknownTool { server: pair.name.clone(), tool: only.clone() });
            }
            drift.tools.retain(|tool| tool.name == *only || tool.renamed_from.as_ref() == Some(only));
            drift.server.clear();
        }
        drift.tools.retain(|tool| !pair.rejected.has(tool, &pair.new));
        let mut report = Self {
            name: pair.name.clone(),
            tools: pair.new.tools.len(),
            rust: BTreeMap::new(),
            screens: BTreeMap::new(),
            folder: pair.folder.clone(),
            drift,
        };
        report.look(pair)?;
        Ok(report)
    }

    /// Looks the changed tools over.
    fn look(&mut self, pair: &Pair) -> Result<(), CliError> {
        let find = |listing: &Listing, name: &str| listing.tools.iter().find(|tool| tool.name() == name).cloned();
        for tool in &self.drift.tools {
            let old = find(&pair.old, tool.renamed_from.as_ref().unwrap_or(&tool.name));
            let new = find(&pair.new, &tool.name);
            let changes = api_changes(&pair.server, pair.pinned.as_ref(), old.as_ref(), new.as_ref())?;
            self.rust.insert(tool.name.clone(), changes);
            if let Some(new) = new {
                let alone = Listing { tools: vec![new], ..Listing::default() };
                let screened = screened::tools(&pair.name, &pair.server, &alone);
                let lines = screened.into_iter().flat_map(|tool| tool.findings).collect();
                self.screens.insert(tool.name.clone(), lines);
            }
        }
        Ok(())
    }

    /// How grave what the server says of itself is.
    pub(crate) fn own_grade(&self) -> Grade {
        gravest(&self.drift.server)
    }

    /// Whether what the server says of itself is as grave as the gravest change of a tool.
    pub(crate) fn own_leads(&self) -> bool {
        self.drift.tools.first().is_none_or(|tool| self.own_grade() <= tool.grade())
    }

    /// The Rust changes of a tool.
    pub(crate) fn rust(&self, tool: &ToolDrift) -> &[ApiChange] {
        self.rust.get(&tool.name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What a report comes to.
pub(crate) fn outcome(report: &Report) -> Outcome {
    let fails = |server: &ServerReport| {
        report.fails(&server.drift.server) || server.drift.tools.iter().any(|tool| report.fails(&tool.changes))
    };
    if report.servers.iter().any(fails) { Outcome::ToDo } else { Outcome::Fine }
}
