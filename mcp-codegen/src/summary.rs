//! What a run of the generator has to tell: how many tools, which are refused, what types could not say.

use std::collections::BTreeMap;
use std::fmt;

use mcp_contract::admission::RefusedTool;
use mcp_contract::config::ServerName;
use mcp_contract::screen::Finding;
use mcp_contract::text::{counted, excerpt};

use crate::shape::AnyReason;

/// The summary of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// One entry a server, in configuration order.
    pub servers: Vec<ServerSummary>,
}

/// The summary of one server.
#[derive(Clone, Debug)]
pub struct ServerSummary {
    /// The server.
    pub server: ServerName,
    /// How many tools have code.
    pub tools: usize,
    /// The tools that have none, with the reason.
    pub refused: Vec<RefusedTool>,
    /// What the screens find in what the server says of itself. It refuses no tool; whoever shows it to a model should know.
    pub report: Vec<Finding>,
    /// How many tools the configuration leaves out.
    pub excluded: usize,
    /// How many members of arguments and results are declared with a schema that constrains them.
    pub constrained: usize,
    /// The parts of schemas that became `serde_json::Value`.
    pub untyped: Vec<Untyped>,
}

/// A part of a schema that constrains its values and became `serde_json::Value` all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untyped {
    /// The tool's remote name.
    pub tool: String,
    /// Where in the definition, such as `/inputSchema/properties/filter`.
    pub pointer: String,
    pub(crate) reason: AnyReason,
}

impl Untyped {
    /// Why, in a few words.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason.text()
    }
}

impl Summary {
    /// How many parts of schemas became `serde_json::Value`.
    #[must_use]
    pub fn untyped(&self) -> usize {
        self.servers.iter().map(|server| server.untyped.len()).sum()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for server in &self.servers {
            write!(out, "{}: {}", server.server, counted(server.tools, "tool"))?;
            if server.excluded > 0 {
                write!(out, ", {} left out", server.excluded)?;
            }
            writeln!(out, ", {} refused", server.refused.len())?;
            for finding in &server.report {
                writeln!(out, "  says of itself: {finding}")?;
            }
            for refused in &server.refused {
                writeln!(out, "  refused \"{}\": {}", excerpt(&refused.remote_name, 80), refused.reason)?;
            }
            let mut by_reason: BTreeMap<AnyReason, usize> = BTreeMap::new();
            for untyped in &server.untyped {
                *by_reason.entry(untyped.reason).or_default() += 1;
            }
            for (reason, count) in by_reason {
                writeln!(out, "  {} stayed serde_json::Value: {}", counted(count, "part"), reason.text())?;
            }
        }
        Ok(())
    }
}
