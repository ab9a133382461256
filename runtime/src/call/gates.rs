//! Who may see and call a tool, in the order of what it costs to ask: the list, the configuration, the host.

use std::sync::Arc;

use mcp_contract::text::excerpt;

use crate::actor::Actor;
use crate::inside::Inside;
use crate::registry::Entry;
use crate::tool_info::{ImportedTool, Standing};

/// An imported tool, if an actor may use it. The error says why not, and is safe to show.
pub(super) async fn imported(
    inside: &Inside,
    index: usize,
    entry: &Entry,
    standing: Standing,
    actor: &Actor,
) -> Result<ImportedTool, String> {
    let live = &inside.servers[index];
    actor.allows(entry.tool.local_name())?;
    actor.may_use(&live.server.policies, entry.tool.remote_name())?;
    let tool = ImportedTool::imported(live.name(), &entry.tool, entry.kind, standing);
    inside.hooks.passes(actor, &tool).await.map_err(|reason| excerpt(&reason, 300))?;
    Ok(tool)
}

/// Whether an actor may use a tool of the host's own.
pub(super) async fn own(inside: &Inside, tool: &ImportedTool, actor: &Actor) -> Result<(), String> {
    actor.allows(&tool.local_name)?;
    inside.hooks.passes(actor, tool).await.map_err(|reason| excerpt(&reason, 300))
}

/// The tools that an actor may use now, by name: what a model is shown.
pub(crate) async fn visible(inside: &Arc<Inside>, actor: &Actor) -> Vec<ImportedTool> {
    let catalogue = inside.catalogue();
    let mut tools = Vec::new();
    for (index, remote_name) in catalogue.names.values() {
        let shelf = &catalogue.shelves[*index];
        let entry = &shelf.tools[remote_name];
        let standing = shelf.standing(entry);
        if standing == Standing::Available {
            tools.extend(imported(inside, *index, entry, standing, actor).await);
        }
    }
    for tool in inside.own.values().map(ImportedTool::own) {
        if own(inside, &tool, actor).await.is_ok() {
            tools.push(tool);
        }
    }
    tools.sort_by(|a, b| a.local_name.cmp(&b.local_name));
    tools
}
