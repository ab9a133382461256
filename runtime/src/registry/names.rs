//! Who gets which name, when the claims changed.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::admission::{Admission, Inspection, Pins, assign};
use mcp_contract::config::ServerName;

use super::catalogue::{Catalogue, Withdrawn};

/// What names are given by.
pub(crate) struct Claims<'a> {
    /// The servers' names, in configuration order.
    pub(crate) servers: Vec<&'a ServerName>,
    /// The names that the snapshots pin.
    pub(crate) pinned: &'a Pins,
    /// The host's own names.
    pub(crate) reserved: &'a BTreeSet<String>,
}

impl Claims<'_> {
    /// Gives names to what each server claims. A name in use stays with its owner; then the snapshots' pins count, then the order of the
    /// configuration.
    pub(crate) fn settle(&self, now: &Catalogue, claims: Vec<Inspection>) -> Admission {
        assign(claims, &self.pins(now), self.reserved)
    }

    fn pins(&self, now: &Catalogue) -> Pins {
        let mut pins = Pins::new();
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        for (local_name, (index, remote_name)) in &now.names {
            let gone = matches!(now.shelves[*index].tools[remote_name].withdrawn, Some(Withdrawn::Gone(_)));
            if !gone {
                taken.insert(local_name);
                let own: &mut BTreeMap<String, String> = pins.entry(self.servers[*index].clone()).or_default();
                own.insert(remote_name.clone(), local_name.clone());
            }
        }
        for (server, names) in self.pinned {
            let own = pins.entry(server.clone()).or_default();
            for (remote_name, local_name) in names.iter().filter(|(_, local_name)| !taken.contains(local_name.as_str()))
            {
                own.entry(remote_name.clone()).or_insert_with(|| local_name.clone());
            }
        }
        pins
    }
}
