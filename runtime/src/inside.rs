//! What the clones of an importer share: servers, catalogue, hooks, events.
//!
//! The catalogue is replaced as a whole. Listings are applied one at a time, each with the number that it had when it was asked for, so that
//! a listing that was slow never takes the place of a newer one.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use mcp_contract::admission::Pins;
use mcp_contract::listing::Listing;
use mcp_contract::text::excerpt;

use crate::event::{Event, Teller};
use crate::hooks::Hooks;
use crate::host_tool::HostTools;
use crate::registry::{Catalogue, Claims, Imported, import};
use crate::server::LiveServer;
use crate::shelving::{Shelving, differences};

/// What the clones of an importer share.
pub(crate) struct Inside {
    pub(crate) servers: Vec<LiveServer>,
    pub(crate) own: HostTools,
    pub(crate) hooks: Hooks,
    pub(crate) events: Teller,
    pub(crate) pinned: Pins,
    pub(crate) reserved: BTreeSet<String>,
    pub(crate) catalogue: RwLock<Arc<Catalogue>>,
    /// Held by the listing that is being applied.
    pub(crate) applying: tokio::sync::Mutex<()>,
}

/// How many tools a listing brought and took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refreshed {
    /// Tools that can be called now and could not before.
    pub registered: usize,
    /// Tools that could be called before and cannot now.
    pub withdrawn: usize,
    /// Servers that did not answer; their tools stay as they were.
    pub unreachable: usize,
}

impl Inside {
    /// What is offered now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, catalogue: Catalogue) {
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalogue);
    }

    pub(crate) fn index(&self, server: &str) -> Option<usize> {
        self.servers.iter().position(|live| live.name() == server)
    }

    /// Applies what a server lists, unless a newer listing was applied before.
    pub(crate) async fn apply(&self, index: usize, ticket: u64, listing: &Listing) -> Refreshed {
        let _one_at_a_time = self.applying.lock().await;
        let now = self.catalogue();
        if now.shelves[index].ticket >= ticket {
            return Refreshed::default();
        }
        let live = &self.servers[index];
        let imported = import(&live.server, &live.accepted, listing);
        let mut next = self.settled(&now, Some((index, imported))).await;
        let shelf = &mut next.shelves[index];
        shelf.ticket = ticket;
        shelf.out_of_reach = None;
        self.publish(&now, next)
    }

    /// Gives names anew, with the claims of one server replaced.
    pub(crate) async fn settled(&self, now: &Catalogue, imported: Option<(usize, Imported)>) -> Catalogue {
        let claims = Claims {
            servers: self.servers.iter().map(|live| &live.server.name).collect(),
            pinned: &self.pinned,
            reserved: &self.reserved,
        };
        let mut all: Vec<_> = now.shelves.iter().map(|shelf| shelf.claims.clone()).collect();
        let (changed, withdrawn) = match imported {
            Some((index, imported)) => {
                all[index] = imported.claims;
                (Some(index), imported.withdrawn)
            }
            None => (None, std::collections::BTreeMap::new()),
        };
        let admission = claims.settle(now, all.clone());
        let mut shelving = Shelving::new(now, &self.servers, &self.hooks);
        for (index, (server, claims)) in admission.servers.into_iter().zip(all).enumerate() {
            // A screen may ask somebody, so it is asked about the server that was listed, about all of them at the start, and about one
            // that gets a name which became free.
            let tools = &now.shelves[index].tools;
            let gains = server.admitted.iter().any(|tool| !tools.contains_key(tool.remote_name()));
            let asked = gains || changed.is_none_or(|changed| changed == index);
            let server = if asked { self.hooks.screen(server).await } else { shelving.as_screened(index, server) };
            let withdrawn = (changed == Some(index)).then_some(&withdrawn);
            shelving.shelve(index, server, claims, withdrawn);
        }
        shelving.finish()
    }

    /// Makes a catalogue the one that counts, and tells what is different.
    pub(crate) fn publish(&self, now: &Catalogue, next: Catalogue) -> Refreshed {
        let names = self.servers.iter().map(LiveServer::name).collect::<Vec<_>>();
        let differences = differences(now, &next, &names);
        self.replace(next);
        for event in differences.events {
            self.events.tell(event);
        }
        differences.refreshed
    }

    /// Takes note that a server could not be reached, if it never was.
    pub(crate) async fn out_of_reach(&self, index: usize, reason: &str) {
        let _one_at_a_time = self.applying.lock().await;
        let now = self.catalogue();
        let server = self.servers[index].name().to_owned();
        self.events.tell(Event::OutOfReach { server, reason: excerpt(reason, 300) });
        if now.shelves[index].ticket == 0 {
            let mut next = (*now).clone();
            next.shelves[index].out_of_reach = Some(reason.to_owned());
            self.replace(next);
        }
    }
}
