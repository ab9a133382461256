//! The verdict on snapshots: inspection of each, and names across all of them.
//!
//! Code generation and the runtime must come to the same verdict on the same snapshots, so both ask here.

use std::collections::BTreeSet;

use super::Snapshot;
use crate::admission::{Admission, Pins, assign, inspect};
use crate::config::Server;

/// Inspects and names the tools of some snapshots, in configuration order, with the names that the snapshots pin.
#[must_use]
pub fn admit<'a>(snapshots: impl Iterator<Item = (&'a Server, &'a Snapshot)>) -> Admission {
    let mut pins = Pins::new();
    let mut inspections = Vec::new();
    for (server, snapshot) in snapshots {
        pins.insert(server.name.clone(), snapshot.pins());
        inspections.push(inspect(server, &snapshot.listing()));
    }
    assign(inspections, &pins, &BTreeSet::new())
}
