//! From the verdict on names to a new catalogue, and what is different about it.

use std::collections::BTreeMap;

use mcp_contract::admission::{Inspection, Reason, ServerAdmission};
use mcp_contract::text::{Shown, excerpt};

use crate::event::Event;
use crate::hooks::Hooks;
use crate::inside::Refreshed;
use crate::registry::{Catalogue, Entry, Shelf, Withdrawn};
use crate::server::LiveServer;
use crate::tool_info::Standing;

/// A catalogue in the making.
pub(crate) struct Shelving<'a> {
    now: &'a Catalogue,
    servers: &'a [LiveServer],
    hooks: &'a Hooks,
    next: Catalogue,
}

impl<'a> Shelving<'a> {
    pub(crate) fn new(now: &'a Catalogue, servers: &'a [LiveServer], hooks: &'a Hooks) -> Self {
        Self { now, servers, hooks, next: Catalogue::default() }
    }

    /// The verdict on a server whose tools the screens have seen before: what they refused stays refused.
    pub(crate) fn as_screened(&self, index: usize, mut server: ServerAdmission) -> ServerAdmission {
        let refused = &self.now.shelves[index].refused;
        server.admitted.retain(|tool| !matches!(refused.get(tool.remote_name()), Some(Reason::Host { .. })));
        server
    }

    /// Puts the tools of a server on its shelf. `withdrawn` is what a new listing says of the accepted ones; without a new listing they stay
    /// as they are.
    pub(crate) fn shelve(
        &mut self,
        index: usize,
        server: ServerAdmission,
        claims: Inspection,
        withdrawn: Option<&BTreeMap<String, Withdrawn>>,
    ) {
        let before = &self.now.shelves[index];
        let live = &self.servers[index];
        let was = |name: &str| before.tools.get(name).and_then(|entry| entry.withdrawn.clone());
        let mut tools = BTreeMap::new();
        for tool in server.admitted {
            let remote_name = tool.remote_name().to_owned();
            let withdrawn = match withdrawn {
                Some(withdrawn) => withdrawn.get(&remote_name).cloned(),
                None => was(&remote_name),
            };
            let kind = self.hooks.kind(&live.server, &tool);
            self.next.names.insert(tool.local_name().to_owned(), (index, remote_name.clone()));
            tools.insert(remote_name, Entry { tool, kind, withdrawn });
        }
        let mut refused = before.refused.clone();
        refused.retain(|name, _| !tools.contains_key(name));
        for tool in server.refused {
            refused.insert(tool.remote_name, tool.reason);
        }
        let (ticket, out_of_reach) = (before.ticket, before.out_of_reach.clone());
        self.next.shelves.push(Shelf { ticket, out_of_reach, claims, tools, refused });
        self.remember_the_gone(index, withdrawn);
    }

    /// A tool that is gone keeps its entry, so that a call of it says why, for as long as nobody else has its name.
    fn remember_the_gone(&mut self, index: usize, withdrawn: Option<&BTreeMap<String, Withdrawn>>) {
        let shelf = &mut self.next.shelves[index];
        for (remote_name, entry) in &self.now.shelves[index].tools {
            if shelf.tools.contains_key(remote_name) || shelf.refused.contains_key(remote_name) {
                continue;
            }
            let gone = match withdrawn {
                Some(withdrawn) => withdrawn.get(remote_name).cloned(),
                None => entry.withdrawn.clone(),
            };
            // What was followed was never accepted, so nothing is said of it.
            let gone = gone.unwrap_or_else(|| Withdrawn::Gone("the server no longer lists it".to_owned()));
            shelf.tools.insert(remote_name.clone(), Entry { withdrawn: Some(gone), ..entry.clone() });
        }
    }

    /// The catalogue. Names of tools that are gone are theirs where nobody else took them.
    pub(crate) fn finish(mut self) -> Catalogue {
        for (index, shelf) in self.next.shelves.iter_mut().enumerate() {
            shelf.tools.retain(|remote_name, entry| {
                let name = self.next.names.entry(entry.tool.local_name().to_owned());
                *name.or_insert_with(|| (index, remote_name.clone())) == (index, remote_name.clone())
            });
        }
        self.next
    }
}

/// What is different about a catalogue.
pub(crate) struct Differences {
    pub(crate) events: Vec<Event>,
    pub(crate) refreshed: Refreshed,
}

/// Compares two catalogues, tool by tool. What was never reached before counts as not callable.
pub(crate) fn differences(now: &Catalogue, next: &Catalogue, servers: &[&str]) -> Differences {
    let mut events = Vec::new();
    let mut refreshed = Refreshed::default();
    for (index, (before, after)) in now.shelves.iter().zip(&next.shelves).enumerate() {
        let server = || servers[index].to_owned();
        let callable = |shelf: &Shelf, name: &str| {
            let entry = shelf.tools.get(name)?;
            (shelf.ticket > 0 && shelf.standing(entry) == Standing::Available)
                .then(|| entry.tool.local_name().to_owned())
        };
        let names = before.tools.keys().chain(after.tools.keys()).collect::<std::collections::BTreeSet<_>>();
        for name in names {
            match (callable(before, name), callable(after, name)) {
                (None, Some(tool)) => {
                    refreshed.registered += 1;
                    events.push(Event::Registered { server: server(), tool });
                }
                (Some(tool), None) => {
                    refreshed.withdrawn += 1;
                    events.push(withdrawn(server(), tool, after, name));
                }
                (None, None) => {
                    let reason = |shelf: &Shelf| shelf.tools.get(name).and_then(|entry| entry.withdrawn.clone());
                    if let Some(entry) = after.tools.get(name).filter(|_| reason(before) != reason(after)) {
                        events.push(withdrawn(server(), entry.tool.local_name().to_owned(), after, name));
                    }
                }
                (Some(_), Some(_)) => {}
            }
        }
        for (name, reason) in after.refused.iter().filter(|(name, reason)| before.refused.get(*name) != Some(reason)) {
            tracing::warn!(server = servers[index], tool = %Shown(name), %reason, "a tool is refused");
            events.push(Event::Refused { server: server(), tool: excerpt(name, 80), reason: reason.to_string() });
        }
    }
    Differences { events, refreshed }
}

fn withdrawn(server: String, tool: String, shelf: &Shelf, remote_name: &str) -> Event {
    let entry = shelf.tools.get(remote_name);
    match entry.and_then(|entry| entry.withdrawn.as_ref()) {
        Some(Withdrawn::Changed(reason)) => {
            tracing::warn!(server, tool, reason, "a tool is withdrawn");
            Event::Quarantined { server, tool, reason: reason.clone() }
        }
        gone => {
            let refused = shelf.refused.get(remote_name).map(ToString::to_string);
            let reason = gone.map(|gone| gone.reason().to_owned()).or(refused);
            let reason = reason.unwrap_or_else(|| "its name went to another tool".to_owned());
            tracing::warn!(server, tool, reason, "a tool is retired");
            Event::Retired { server, tool, reason }
        }
    }
}
