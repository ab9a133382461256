//! The snapshot as a value, and how it follows a new listing.
//!
//! What a reader of the code relies on is pinned here and changes only with review: a tool's local name, and the order
//! of the parameters of `new`.

use std::collections::{BTreeMap, BTreeSet};

use super::change::identities;
use super::launch::launch_hash;
use crate::admission::ServerAdmission;
use crate::config::Server;
use crate::definition::{ToolDefinition, Undecodable};
use crate::drift::is_unchanged;
use crate::json::{Digest, Json, Pointer};
use crate::listing::{Listing, ServerReport};

/// The longest parameter list that is pinned; a `new` with more would not be generated.
const MOST_PINNED: usize = 20;

/// What one server offered, and what is pinned of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// What the server said of itself.
    pub report: ServerReport,
    /// The hash of how it is started; see [`launch_hash`](super::launch_hash).
    pub launch: String,
    /// The tools, sorted by remote name; each name stands once.
    pub tools: Vec<PinnedTool>,
    /// Entries that are no tools, or that share one name with another definition.
    pub undecodable: Vec<Undecodable>,
}

/// A tool of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedTool {
    /// The definition.
    pub definition: ToolDefinition,
    /// The local name; `None` for a tool that is excluded or refused.
    pub local_name: Option<String>,
    /// The order of the parameters of each generated `new`: by the pointer of an object schema inside `inputSchema`, the names of its
    /// required members.
    pub new: NewOrders,
}

/// The pinned orders of parameters, by pointer.
pub type NewOrders = BTreeMap<String, Vec<String>>;

impl Snapshot {
    /// The snapshot of a listing that follows `old`, where there is one: unchanged definitions keep their text, pins keep
    /// their order. Local names are set later, by [`Snapshot::pin_names`], because they depend on the other servers.
    #[must_use]
    pub fn of(server: &Server, listing: &Listing, old: Option<&Snapshot>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&ToolDefinition>> = BTreeMap::new();
        for tool in &listing.tools {
            by_name.entry(tool.name()).or_default().push(tool);
        }
        let mut undecodable = listing.undecodable.clone();
        let mut tools = Vec::new();
        for definitions in by_name.into_values() {
            let digests: BTreeSet<Digest> = definitions.iter().map(|definition| definition.digest()).collect();
            if digests.len() > 1 {
                undecodable.extend(ambiguous(&definitions));
                continue;
            }
            let before = old.and_then(|old| old.tool(definitions[0].name()));
            let now = before.map(|before| steadied(server, definitions[0], &before.definition));
            tools.push(PinnedTool::following(now.as_ref().unwrap_or(definitions[0]), before));
        }
        undecodable.sort_by(|a, b| a.raw.cmp(&b.raw));
        if let Some(old) = old.filter(|old| identities(&old.undecodable) == identities(&undecodable)) {
            undecodable = old.undecodable.clone();
        }
        let report = match old {
            Some(old) if old.report.equivalent(&listing.report) => old.report.clone(),
            _ => listing.report.clone(),
        };
        Self { report, launch: launch_hash(server), tools, undecodable }
    }

    /// The tool of this remote name.
    #[must_use]
    pub fn tool(&self, remote_name: &str) -> Option<&PinnedTool> {
        self.tools.iter().find(|tool| tool.definition.name() == remote_name)
    }

    /// The listing that the snapshot recorded.
    #[must_use]
    pub fn listing(&self) -> Listing {
        let mut listing = Listing { report: self.report.clone(), undecodable: Vec::new(), tools: Vec::new() };
        listing.tools.extend(self.tools.iter().map(|tool| tool.definition.clone()));
        for entry in &self.undecodable {
            // Definitions that share a name stand here as text; admission must see them to refuse the name.
            match ToolDefinition::decode(&entry.raw) {
                Ok(tool) => listing.tools.push(tool),
                Err(_) => listing.undecodable.push(entry.clone()),
            }
        }
        listing.tools.sort_by(|a, b| a.name().cmp(b.name()));
        listing
    }

    /// The local names that are pinned, by remote name.
    #[must_use]
    pub fn pins(&self) -> BTreeMap<String, String> {
        let name = |tool: &PinnedTool| Some((tool.definition.name().to_owned(), tool.local_name.clone()?));
        self.tools.iter().filter_map(name).collect()
    }

    /// Pins the names that admission gave; tools that were not admitted lose theirs.
    pub fn pin_names(&mut self, admission: &ServerAdmission) {
        let names: BTreeMap<&str, &str> =
            admission.admitted.iter().map(|tool| (tool.remote_name(), tool.local_name())).collect();
        for tool in &mut self.tools {
            tool.local_name = names.get(tool.definition.name()).map(|name| (*name).to_owned());
        }
    }
}

/// Different definitions under one name: kept as text, because neither is *the* tool.
fn ambiguous(definitions: &[&ToolDefinition]) -> Vec<Undecodable> {
    let mut entries: Vec<Undecodable> = definitions
        .iter()
        .map(|definition| Undecodable {
            index: 0,
            raw: definition.document().to_pretty(),
            reason: "listed under one name with a different definition".to_owned(),
        })
        .collect();
    entries.sort_by(|a, b| a.raw.cmp(&b.raw));
    entries.dedup();
    entries
}

impl PinnedTool {
    fn following(definition: &ToolDefinition, old: Option<&PinnedTool>) -> Self {
        let mut new = required_members(definition);
        for (pointer, names) in &mut new {
            let pinned = old.and_then(|old| old.new.get(pointer)).cloned().unwrap_or_default();
            let survivors: Vec<String> = pinned.into_iter().filter(|name| names.contains(name)).collect();
            names.retain(|name| !survivors.contains(name));
            names.splice(0..0, survivors);
        }
        let definition = match old {
            Some(old) if is_unchanged(&old.definition, definition) => old.definition.clone(),
            _ => definition.clone(),
        };
        Self { definition, local_name: old.and_then(|old| old.local_name.clone()), new }
    }
}

/// A definition that a server lists now, with what the configuration ignores as it was accepted.
#[must_use]
pub fn steadied(server: &Server, definition: &ToolDefinition, accepted: &ToolDefinition) -> ToolDefinition {
    let ignored = server.ignore.iter().filter(|ignored| ignored.tool.matches(definition.name()));
    let mut document = definition.document().clone();
    for ignored in ignored {
        if let Some(value) = accepted.document().at(&ignored.pointer) {
            document = document.with(&ignored.pointer, value.clone());
        }
    }
    ToolDefinition::from_document(document).unwrap_or_else(|_| definition.clone())
}

impl ServerReport {
    /// Whether two reports say the same; key order does not count.
    pub(super) fn equivalent(&self, other: &Self) -> bool {
        let digest = |report: &Self| report.capabilities.as_ref().map(Digest::of);
        self.name == other.name
            && self.version == other.version
            && self.instructions == other.instructions
            && self.protocol == other.protocol
            && digest(self) == digest(other)
    }
}

/// The required members of each object schema of the arguments: those that are declared in the order of `properties`, then the others.
fn required_members(definition: &ToolDefinition) -> NewOrders {
    let mut orders = NewOrders::new();
    let mut pending: Vec<(Pointer, &Json)> =
        definition.input_schema().map(|s| (Pointer::root(), s)).into_iter().collect();
    while let Some((pointer, value)) = pending.pop() {
        let Some(members) = value.as_object() else {
            let elements = value.as_array().unwrap_or_default().iter().enumerate();
            pending.extend(elements.map(|(index, element)| (pointer.index(index), element)));
            continue;
        };
        let names = value.get("required").and_then(Json::as_array).unwrap_or_default();
        let names: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
        let declared = value.get("properties").and_then(Json::as_object).unwrap_or_default();
        let declared = declared.iter().map(|(key, _)| key.as_str()).filter(|key| names.contains(key));
        let mut seen = BTreeSet::new();
        let order: Vec<String> =
            declared.chain(names.iter().copied()).filter(|name| seen.insert(*name)).map(str::to_owned).collect();
        if !order.is_empty() && order.len() <= MOST_PINNED {
            orders.insert(pointer.as_str().to_owned(), order);
        }
        pending.extend(members.iter().map(|(key, member)| (pointer.key(key), member)));
    }
    orders
}
