//! Two listings of one server.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, ChangeKind, Drift, ToolDrift};
use super::grade::Grade;
use super::{rename, server, tool};
use crate::definition::ToolDefinition;
use crate::json::Pointer;
use crate::listing::Listing;

/// What changed from one listing of a server to another.
///
/// ```
/// use mcp_contract::{drift::{Grade, compare}, listing::Listing};
/// let listing = |text| Listing::from_saved(text).unwrap();
/// let old = listing(r#"[{"name":"a","description":"A","inputSchema":{"type":"object"}}]"#);
/// let new = listing(r#"[{"name":"a","description":"B","inputSchema":{"type":"object"}}]"#);
/// let drift = compare(&old, &new);
/// assert_eq!(drift.tools[0].grade(), Grade::Text);
/// assert!(compare(&old, &old).is_empty());
/// ```
#[must_use]
pub fn compare(old: &Listing, new: &Listing) -> Drift {
    let (before, after) = (by_name(old), by_name(new));
    let gone: Vec<&ToolDefinition> =
        before.iter().filter(|(name, _)| !after.contains_key(*name)).map(|(_, tool)| *tool).collect();
    let fresh: Vec<&ToolDefinition> =
        after.iter().filter(|(name, _)| !before.contains_key(*name)).map(|(_, tool)| *tool).collect();
    let pairs = rename::pairs(&gone, &fresh);
    let mut tools = Vec::new();
    for (name, old) in &before {
        let Some(new) = after.get(name).filter(|new| new.digest() != old.digest()) else { continue };
        tools.push(ToolDrift { name: (*name).to_owned(), renamed_from: None, changes: tool::changes(old, new) });
    }
    for (old, new) in &pairs {
        let mut changes = vec![whole(Grade::Renamed, Some(old), Some(new))];
        changes.extend(tool::changes(old, new));
        // The old name is gone whatever else changed, so that it leads over what the new body breaks.
        tools.push(ToolDrift { name: new.name().to_owned(), renamed_from: Some(old.name().to_owned()), changes });
    }
    let paired =
        |tool: &&&ToolDefinition| pairs.iter().any(|(old, new)| old.name() == tool.name() || new.name() == tool.name());
    for tool in gone.iter().filter(|tool| !paired(tool)) {
        let changes = vec![whole(Grade::Removed, Some(tool), None)];
        tools.push(ToolDrift { name: tool.name().to_owned(), renamed_from: None, changes });
    }
    for tool in fresh.iter().filter(|tool| !paired(tool)) {
        let changes = vec![whole(Grade::Added, None, Some(tool))];
        tools.push(ToolDrift { name: tool.name().to_owned(), renamed_from: None, changes });
    }
    tools.retain(|tool| !tool.changes.is_empty());
    tools.sort_by(|a, b| (a.grade(), &a.name).cmp(&(b.grade(), &b.name)));
    Drift { server: server::changes(old, new), tools }
}

/// Whether two definitions of a tool mean the same, whatever their spelling.
#[must_use]
pub fn is_unchanged(old: &ToolDefinition, new: &ToolDefinition) -> bool {
    old.digest() == new.digest() || tool::changes(old, new).is_empty()
}

/// What became of one tool that both listings have.
#[must_use]
pub fn compare_tool(old: &ToolDefinition, new: &ToolDefinition) -> ToolDrift {
    let changes = if old.digest() == new.digest() { Vec::new() } else { tool::changes(old, new) };
    ToolDrift { name: new.name().to_owned(), renamed_from: None, changes }
}

/// The tools by name. A name with two different definitions names none, as in admission.
fn by_name(listing: &Listing) -> BTreeMap<&str, &ToolDefinition> {
    let mut tools: BTreeMap<&str, &ToolDefinition> = BTreeMap::new();
    let mut twofold: BTreeSet<&str> = BTreeSet::new();
    for tool in &listing.tools {
        if tools.insert(tool.name(), tool).is_some_and(|other| other.digest() != tool.digest()) {
            twofold.insert(tool.name());
        }
    }
    tools.retain(|name, _| !twofold.contains(name));
    tools
}

fn whole(grade: Grade, before: Option<&ToolDefinition>, after: Option<&ToolDefinition>) -> Change {
    let document = |tool: Option<&ToolDefinition>| tool.map(|tool| tool.document().clone());
    let name = |tool: Option<&ToolDefinition>| tool.and_then(|tool| tool.document().get("name").cloned());
    let is_rename = grade == Grade::Renamed;
    let (pointer, before, after) = if is_rename {
        (Pointer::root().key("name"), name(before), name(after))
    } else {
        (Pointer::root(), document(before), document(after))
    };
    Change { grade, kind: ChangeKind::Tool, pointer, before, after, meaning: String::new(), witness: None }
}
