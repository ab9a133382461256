//! A tool of the registry, as hosts and gates see it.

use mcp_contract::admission::AdmittedTool;
use mcp_contract::config::Kind;
use mcp_contract::definition::Annotations;
use serde_json::Value;

use crate::host_tool::HostTool;

/// A tool, imported or the host's own, as [`Importer::imported_tools`](crate::Importer::imported_tools) lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedTool {
    /// The name that a model sees.
    pub local_name: String,
    /// The server; empty for a tool of the host's own.
    pub server: String,
    /// The name that goes over the wire: foreign text.
    pub remote_name: String,
    /// The accepted title: foreign text.
    pub title: Option<String>,
    /// The accepted description: foreign text.
    pub description: Option<String>,
    /// The accepted schema of its arguments.
    pub input_schema: Value,
    /// The accepted schema of its structured results.
    pub output_schema: Option<Value>,
    /// Whether it waits for approval.
    pub kind: Kind,
    /// The hints that its server gives: its word, and no more.
    pub annotations: Annotations,
    /// Whether it can be called now.
    pub standing: Standing,
}

/// Whether a tool can be called now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It can. The first call of a server that is connected lazily compares it with what was accepted.
    Available,
    /// Its server changed it or lists it no longer; the text says which.
    Withdrawn(String),
    /// Its server is out of reach; the text says why.
    OutOfReach(String),
}

impl ImportedTool {
    pub(crate) fn imported(server: &str, tool: &AdmittedTool, kind: Kind, standing: Standing) -> Self {
        let definition = tool.definition();
        Self {
            local_name: tool.local_name().to_owned(),
            server: server.to_owned(),
            remote_name: tool.remote_name().to_owned(),
            title: definition.title().map(str::to_owned),
            // A model must know whose tool it is, also where the server does not say what it does.
            description: Some(definition.description().map_or_else(
                || {
                    format!(
                        "The \"{}\" tool on MCP server {server}.",
                        mcp_contract::text::excerpt(tool.remote_name(), 80)
                    )
                },
                str::to_owned,
            )),
            input_schema: tool.input().document().root().clone(),
            output_schema: tool.output().map(|output| output.document().root().clone()),
            kind,
            annotations: definition.annotations(),
            standing,
        }
    }

    pub(crate) fn own(tool: &HostTool) -> Self {
        Self {
            local_name: tool.name.clone(),
            server: String::new(),
            remote_name: tool.name.clone(),
            title: None,
            description: Some(tool.description.clone()),
            input_schema: tool.schema.clone(),
            output_schema: None,
            kind: tool.kind,
            annotations: Annotations::default(),
            standing: Standing::Available,
        }
    }
}
