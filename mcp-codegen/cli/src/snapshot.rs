//! `mcp-codegen snapshot`.
//!
//! A first snapshot is accepted: there is nothing to compare it with, and the pull request that adds it is its review. After that a
//! difference waits in `mcp/.pending` until somebody accepts it; nothing is ever generated from there.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use mcp_contract::config::{Config, Server, ServerName};
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, admit, folder};
use mcp_wire::{Listed, Listings};

use crate::args::SnapshotArgs;
use crate::difference;
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::run::Shell;
use crate::store;

pub(crate) fn snapshot(path: &Path, flags: &SnapshotArgs, shell: &mut Shell<'_>) -> Result<Outcome, CliError> {
    let config = Config::load(path)?;
    let base = folder::base(path);
    let named = flags.servers.iter().map(String::as_str);
    store::check_names(&config, named.chain(flags.listing.iter().map(|listing| listing.server.as_str())))?;
    let listings = listings(&config, base, flags, shell.variables)?;
    let mut run = Run { config: &config, base, accept: flags.accept, out: &mut *shell.out };
    run.run(listings)
}

/// The listings of all servers that the flags ask for, in configuration order.
fn listings(
    config: &Config,
    base: &Path,
    flags: &SnapshotArgs,
    variables: &dyn Fn(&str) -> Option<String>,
) -> Result<Listings, CliError> {
    let mut saved = BTreeMap::new();
    for listing in &flags.listing {
        let file = listing.file.clone();
        let text =
            std::fs::read_to_string(&file).map_err(|source| CliError::Unreadable { file: file.clone(), source })?;
        let read = Listing::from_saved(&text).map_err(|source| CliError::Listing { file, source })?;
        saved.insert(listing.server.as_str(), read);
    }
    let only_saved = flags.servers.is_empty() && !saved.is_empty();
    let asked = |server: &&Server| {
        let named = flags.servers.iter().any(|name| name == server.name.as_str());
        named || (flags.servers.is_empty() && !only_saved && server.enabled)
    };
    let to_list: Vec<Listed> = config
        .servers
        .iter()
        .filter(|server| !saved.contains_key(server.name.as_str()))
        .filter(asked)
        .map(|server| Listed::of(server, base, variables))
        .collect();
    let mut results = match mcp_wire::list_all_blocking(to_list) {
        Ok(results) => results.ok_or(CliError::Interrupted)?,
        Err(source) => return Err(CliError::Runtime(source)),
    };
    let from_files =
        config.servers.iter().filter_map(|server| Some((server.name.clone(), Ok(saved.remove(server.name.as_str())?))));
    results.extend(from_files);
    let place = |name: &ServerName| config.servers.iter().position(|server| server.name == *name);
    results.sort_by_key(|(name, _)| place(name));
    Ok(results)
}

/// One run of the command, once the servers have answered.
struct Run<'a> {
    config: &'a Config,
    base: &'a Path,
    accept: bool,
    out: &'a mut dyn Write,
}

/// A new snapshot, and the accepted one before it.
struct Step {
    old: Option<Snapshot>,
    new: Snapshot,
    course: Course,
}

/// What becomes of a new snapshot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Course {
    /// There was none.
    First,
    /// The offer is the accepted one.
    Same,
    /// It differs, and waits.
    Pending,
    /// It differs and is accepted.
    Accepted,
    /// It was to be accepted, but is not what waited.
    Moved,
}

impl Course {
    /// Whether the accepted snapshot stays what it is.
    fn waits(self) -> bool {
        matches!(self, Self::Pending | Self::Moved)
    }
}

impl Run<'_> {
    fn run(&mut self, listings: Listings) -> Result<Outcome, CliError> {
        let mut outcome = Outcome::Fine;
        let mut steps: BTreeMap<ServerName, Step> = BTreeMap::new();
        for (name, listing) in listings {
            let server = self.config.server(name.as_str()).expect("names were checked");
            let listing = match listing {
                Ok(listing) => listing,
                Err(error) => {
                    writeln!(self.out, "{error}")?;
                    outcome = outcome.max(Outcome::CouldNotTell);
                    continue;
                }
            };
            for entry in &listing.undecodable {
                let reason = mcp_contract::text::Shown(&entry.reason);
                writeln!(self.out, "{name}: entry {} of the listing is no tool: {reason}", entry.index)?;
            }
            let old = store::accepted(self.base, &name, self.accept)?;
            let new = Snapshot::of(server, &listing, old.as_ref());
            let course = self.course(&name, old.as_ref(), &new);
            steps.insert(name, Step { old, new, course });
        }
        self.pin_names(&mut steps)?;
        for server in &self.config.servers {
            if let Some(step) = steps.remove(&server.name) {
                outcome = outcome.max(self.settle(server, &step)?);
            }
        }
        Ok(outcome)
    }

    /// What becomes of a new snapshot.
    fn course(&self, name: &ServerName, old: Option<&Snapshot>, new: &Snapshot) -> Course {
        let Some(old) = old else { return Course::First };
        if old.same_offer(new) {
            return Course::Same;
        }
        if !self.accept {
            return Course::Pending;
        }
        // Where a listing waits, somebody may have looked at that one; what the server says by now is not accepted in its place.
        // Where none waits, the flag was given knowing that the difference is seen only as it is accepted.
        match folder::load(&folder::pending(self.base, name)) {
            Ok(None) => Course::Accepted,
            Ok(Some(pending)) if pending.same_offer(new) => Course::Accepted,
            Ok(Some(_)) | Err(_) => Course::Moved,
        }
    }

    /// Names depend on all servers: those that were not asked take part with their accepted snapshots, and so do those whose new
    /// offer nobody has accepted yet, as far as the names of others are concerned.
    fn pin_names(&mut self, steps: &mut BTreeMap<ServerName, Step>) -> Result<(), CliError> {
        let mut others = BTreeMap::new();
        for server in self.config.enabled().filter(|server| !steps.contains_key(&server.name)) {
            if let Some(snapshot) = store::accepted(self.base, &server.name, false)? {
                others.insert(server.name.clone(), snapshot);
            }
        }
        let verdict = |steps: &BTreeMap<ServerName, Step>, news: bool| {
            let snapshot = |server: &Server| match steps.get(&server.name) {
                Some(Step { old: Some(old), course, .. }) if !news && course.waits() => Some(old.clone()),
                Some(step) => Some(step.new.clone()),
                None => others.get(&server.name).cloned(),
            };
            let present: Vec<(&Server, Snapshot)> =
                self.config.servers.iter().filter_map(|server| Some((server, snapshot(server)?))).collect();
            admit(present.iter().map(|(server, snapshot)| (*server, snapshot)))
        };
        let (settled, news) = (verdict(steps, false), verdict(steps, true));
        for (name, step) in steps {
            let admission = if step.course.waits() { &news } else { &settled };
            if let Some(admission) = admission.server(name.as_str()) {
                step.new.pin_names(admission);
                self.report(admission)?;
            }
        }
        Ok(())
    }

    fn report(&mut self, admission: &mcp_contract::admission::ServerAdmission) -> Result<(), CliError> {
        for refused in &admission.refused {
            let name = mcp_contract::text::excerpt(&refused.remote_name, 80);
            writeln!(self.out, "{}: refused \"{name}\": {}", admission.server, refused.reason)?;
        }
        for glob in &admission.unmatched {
            writeln!(self.out, "{glob}")?;
        }
        Ok(())
    }

    /// Writes one server's snapshot to where it belongs.
    fn settle(&mut self, server: &Server, step: &Step) -> Result<Outcome, CliError> {
        let name = &server.name;
        let tools = mcp_contract::text::counted(step.new.tools.len(), "tool");
        if let (Some(old), Course::Pending | Course::Moved) = (&step.old, step.course) {
            store::write(&folder::pending(self.base, name), &step.new.render())?;
            let what = if step.course == Course::Moved {
                "changed again since the listing that waited; nothing was accepted, and the new one waits"
            } else {
                "changed; the new listing waits"
            };
            writeln!(self.out, "{name}: {what} in mcp/.pending/{name}")?;
            difference::print(old, &step.new, name.as_str(), self.out)?;
            writeln!(self.out, "accept it with: mcp-codegen snapshot {name} --accept")?;
            return Ok(Outcome::ToDo);
        }
        if let (Some(old), Course::Accepted) = (&step.old, step.course) {
            difference::print(old, &step.new, name.as_str(), self.out)?;
        }
        let wrote = store::write(&folder::accepted(self.base, name), &step.new.render())?;
        store::remove_pending(self.base, name)?;
        let news = match step.course {
            Course::First => "first snapshot",
            Course::Accepted => "accepted",
            _ if wrote => "names or launch updated",
            _ => "unchanged",
        };
        writeln!(self.out, "{name}: {tools}, {news}")?;
        Ok(Outcome::Fine)
    }
}
