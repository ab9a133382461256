//! Asking the live servers, for a comparison in a build script.
//!
//! This is the one module of the library that reaches the network. Nothing that the macro calls names it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use mcp_contract::config::ServerName;
use mcp_contract::snapshot::{Changes, FOLDER, Snapshot, admit, folder};
use mcp_wire::{Listed, Listings, WireError};

use crate::builder::Pull;
use crate::emit::Place;
use crate::generate::Code;
use crate::offline::{self, Expansion};
use crate::{Contract, Error, Options, write};

/// What a comparison found on one server.
#[derive(Debug)]
pub(crate) enum Finding {
    /// It offers something else than was accepted.
    Drift { server: ServerName, changed: Vec<String> },
    /// It could not be asked.
    OutOfReach(WireError),
}

impl Finding {
    pub(crate) fn is_drift(&self) -> bool {
        matches!(self, Self::Drift { .. })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drift { server, changed } => write!(
                out,
                "server {server} no longer offers what was accepted ({}); look at it with: mcp-codegen snapshot {server}",
                changed.join(", ")
            ),
            Self::OutOfReach(error) => error.fmt(out),
        }
    }
}

/// What pulling gave.
pub(crate) struct Pulled {
    pub(crate) expansion: Expansion,
    pub(crate) findings: Vec<Finding>,
}

/// Lists the servers, each within its deadlines, and makes of it what `mode` says.
pub(crate) fn pull(package: &Path, out: &Path, options: &Options, mode: Pull) -> Result<Pulled, Error> {
    let committed = Contract::load(&package.join(&options.config))?.screened(&options.screens);
    let listings = list(package, &committed)?;
    let mut findings = Vec::new();
    let mut live = BTreeMap::new();
    for (name, listing) in listings {
        let accepted = committed.servers.iter().find(|server| server.name == name).map(|server| &server.snapshot);
        let server = committed.config.server(name.as_str()).expect("the listing is of a configured server");
        match (listing.map(|listing| Snapshot::of(server, &listing, accepted)), accepted) {
            (Err(error), _) => findings.push(Finding::OutOfReach(error)),
            (Ok(now), Some(accepted)) => {
                let changes = accepted.changes(&now);
                if !changes.is_empty() {
                    findings.push(Finding::Drift { changed: named(&changes), server: name.clone() });
                }
                if mode == Pull::Live {
                    live.insert(name, now);
                }
            }
            (Ok(now), None) if mode != Pull::Compare => drop(live.insert(name, now)),
            (Ok(_), None) => {}
        }
    }
    let expansion = if live.is_empty() {
        offline::expansion(&committed, &Code::of(package, &committed, options)?)?
    } else {
        from_live(&committed, out, options, live)?
    };
    Ok(Pulled { expansion, findings })
}

fn list(package: &Path, committed: &Contract) -> Result<Listings, Error> {
    let lookup = |name: &str| std::env::var(name).ok();
    let servers = committed.config.enabled().map(|server| Listed::of(server, &committed.base, &lookup));
    mcp_wire::list_all_blocking(servers.collect())
        .map_err(|source| Error::Io { action: "start a runtime for", path: package.to_owned(), source })?
        .ok_or(Error::Interrupted)
}

/// Lays configuration and snapshots out in `OUT_DIR`, as they lie in a package, and generates from there.
fn from_live(
    committed: &Contract,
    out: &Path,
    options: &Options,
    mut live: BTreeMap<ServerName, Snapshot>,
) -> Result<Expansion, Error> {
    let unpinned: BTreeSet<ServerName> = live.keys().cloned().collect();
    for server in &committed.servers {
        live.entry(server.name.clone()).or_insert_with(|| server.snapshot.clone());
    }
    let present = committed.config.enabled().filter_map(|server| Some((server, live.get(&server.name)?)));
    let admission = admit(present);
    let base = out.join("pulled");
    let config = committed.base.join(&committed.file);
    let text = std::fs::read_to_string(&config);
    let text = text.map_err(|source| Error::Io { action: "read", path: config, source })?;
    write::replace_if_changed(&base.join(&committed.file), &text)?;
    // What an earlier build took must not be taken for what was accepted.
    let earlier = base.join(FOLDER);
    match std::fs::remove_dir_all(&earlier) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::Io { action: "remove", path: earlier, source });
        }
        _ => {}
    }
    for admission in &admission.servers {
        let Some(snapshot) = live.get_mut(&admission.server) else { continue };
        snapshot.pin_names(admission);
        let folder = folder::accepted(&base, &admission.server);
        for (file, text) in snapshot.render() {
            write::replace(&folder.join(file), &text)?;
        }
    }
    let contract = Contract::load(&base.join(&committed.file))?.screened(&options.screens);
    let place = Place { variable: "OUT_DIR", below: "/pulled".to_owned() };
    let code = Code::at(place, unpinned, &contract, options)?;
    let mut expansion = offline::expansion(&contract, &code)?;
    // What is generated is watched where it is committed, or will be: its first snapshot has to build it anew.
    expansion.watched = offline::watched(committed);
    expansion.missing = offline::missing(committed);
    Ok(expansion)
}

/// What is not as it was accepted, for a message.
fn named(changes: &Changes<'_>) -> Vec<String> {
    let tools = changes.tools.keys().map(|name| mcp_contract::text::excerpt(name, 60));
    let report = changes.report.then(|| "what it says of itself".to_owned());
    let undecodable = changes.undecodable.then(|| "entries that are no tools".to_owned());
    tools.chain(report).chain(undecodable).collect()
}
