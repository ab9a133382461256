//! What is known of one server before its module is written.

use mcp_contract::admission::{Reason, RefusedTool};
use mcp_contract::snapshot::{NewOrders, file_names};

use crate::ServerContract;
use crate::shape::{Lowered, lower};
use crate::summary::{ServerSummary, Untyped};

/// The two schemas of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Input,
    Output,
}

/// A server, ready to be written.
pub(crate) struct ServerCode {
    /// The server's name.
    pub(crate) name: String,
    /// The admitted tools, sorted by remote name.
    pub(crate) tools: Vec<ToolCode>,
    /// The tools without code.
    pub(crate) refused: Vec<RefusedTool>,
    /// The files of the tools that are refused for nothing but their name: at run time it may become free.
    pub(crate) contested: Vec<String>,
    pub(crate) summary: ServerSummary,
}

/// A tool, ready to be written.
pub(crate) struct ToolCode {
    pub(crate) remote_name: String,
    pub(crate) local_name: String,
    /// Its file in the snapshot.
    pub(crate) file: String,
    pub(crate) description: Option<String>,
    /// The pinned orders of the parameters of `new`.
    pub(crate) new: NewOrders,
    pub(crate) input: Lowered,
    pub(crate) output: Option<Lowered>,
}

impl ToolCode {
    pub(super) fn sides(&self) -> Vec<(Side, &Lowered)> {
        let output = self.output.as_ref().map(|output| (Side::Output, output));
        std::iter::once((Side::Input, &self.input)).chain(output).collect()
    }
}

impl ServerCode {
    pub(crate) fn of(server: &ServerContract) -> Self {
        let files = file_names(server.snapshot.tools.iter().map(|tool| tool.definition.name()));
        let tools: Vec<ToolCode> = server
            .admission
            .admitted
            .iter()
            .map(|tool| ToolCode {
                remote_name: tool.remote_name().to_owned(),
                local_name: tool.local_name().to_owned(),
                file: files[tool.remote_name()].clone(),
                description: tool.definition().description().or(tool.definition().title()).map(str::to_owned),
                new: server.snapshot.tool(tool.remote_name()).map(|pinned| pinned.new.clone()).unwrap_or_default(),
                input: lower(tool.input().document(), true),
                output: tool.output().map(|output| lower(output.document(), false)),
            })
            .collect();
        let refused = server.admission.refused.clone();
        let contested = refused.iter().filter(|tool| matches!(tool.reason, Reason::Contested { .. }));
        let contested = contested.filter_map(|tool| files.get(&*tool.remote_name).cloned()).collect();
        let summary = ServerSummary {
            server: server.name.clone(),
            tools: tools.len(),
            refused: refused.clone(),
            report: mcp_contract::screen::report(&server.snapshot.report),
            excluded: server.admission.excluded.len(),
            constrained: tools.iter().flat_map(ToolCode::sides).map(|(_, lowered)| lowered.constrained).sum(),
            untyped: tools.iter().flat_map(untyped).collect(),
        };
        Self { name: server.name.as_str().to_owned(), tools, refused, contested, summary }
    }
}

fn untyped(tool: &ToolCode) -> Vec<Untyped> {
    let prefix = |side| if side == Side::Input { "/inputSchema" } else { "/outputSchema" };
    tool.sides()
        .into_iter()
        .flat_map(|(side, lowered)| lowered.untyped.iter().map(move |untyped| (side, untyped)))
        .map(|(side, (pointer, reason))| Untyped {
            tool: tool.remote_name.clone(),
            pointer: format!("{}{}", prefix(side), pointer.as_str()),
            reason: *reason,
        })
        .collect()
}
