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
use mcp_wire::Listings;

use crate::args::SnapshotArgs;
use crate::diff::{Format, Pair, Report};
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::rejected::Rejected;
use crate::run::Shell;
use crate::{host, live, store};

pub(crate) fn snapshot(path: &Path, flags: &SnapshotArgs, shell: &mut Shell<'_>) -> Result<Outcome, CliError> {
    let config = Config::load(path)?;
    let base = folder::base(path);
    let named = flags.servers.iter().map(String::as_str);
    store::check_names(&config, named.chain(flags.listing.iter().map(|listing| listing.server.as_str())))?;
    let listings = live::listings(&config, base, &flags.servers, &flags.listing, shell.variables)?;
    if flags.twice {
        twice(&config, base, flags, &listings, shell)?;
    }
    for (name, listing) in listings.iter().filter(|_| flags.listing.is_empty()) {
        for line in listing.iter().flat_map(|listing| host::told(name.as_str(), listing, base)) {
            writeln!(shell.out, "{line}")?;
        }
    }
    let accept = if flags.accept { Accept::WhatWaits } else { Accept::Nothing };
    Run { config: &config, base, accept, out: &mut *shell.out }.run(listings)
}

/// Lists the servers again, and tells what differs.
fn twice(
    config: &Config,
    base: &Path,
    flags: &SnapshotArgs,
    first: &Listings,
    shell: &mut Shell<'_>,
) -> Result<(), CliError> {
    let again = live::listings(config, base, &flags.servers, &flags.listing, shell.variables)?;
    for ((name, one), (_, other)) in first.iter().zip(&again) {
        let server = config.server(name.as_str()).expect("the listing is of a configured server");
        if let (Ok(one), Ok(other)) = (one, other) {
            for line in live::unstable(server, one, other) {
                writeln!(shell.out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// Accepts a listing that was put together from what waits: nobody is asked.
pub(crate) fn accept(
    config: &Config,
    base: &Path,
    name: &ServerName,
    listing: Listing,
    out: &mut dyn Write,
) -> Result<Outcome, CliError> {
    Run { config, base, accept: Accept::This, out }.run(vec![(name.clone(), Ok(listing))])
}

/// Whether a listing that differs from the accepted one is accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accept {
    /// It waits.
    Nothing,
    /// If it is what waits already, or if nothing does.
    WhatWaits,
    /// Somebody chose it.
    This,
}

/// One run of the command, once the servers have answered.
struct Run<'a> {
    config: &'a Config,
    base: &'a Path,
    accept: Accept,
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
            let old = store::accepted(self.base, &name, self.accept != Accept::Nothing)?;
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
        match self.accept {
            Accept::Nothing => return Course::Pending,
            Accept::This => return Course::Accepted,
            Accept::WhatWaits => {}
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
            return self.waits(server, old, &step.new);
        }
        if let (Some(old), Course::Accepted) = (&step.old, step.course)
            && self.accept != Accept::This
        {
            self.print(server, old, &step.new)?;
        }
        let wrote = store::write(&folder::accepted(self.base, name), &step.new.render())?;
        self.settle_pending(name, &step.new)?;
        let news = match step.course {
            Course::First => "first snapshot",
            Course::Accepted => "accepted",
            _ if wrote => "names or launch updated",
            _ => "unchanged",
        };
        writeln!(self.out, "{name}: {tools}, {news}")?;
        Ok(Outcome::Fine)
    }

    /// Tells what waits, and what to do about it.
    fn waits(&mut self, server: &Server, old: &Snapshot, new: &Snapshot) -> Result<Outcome, CliError> {
        let name = &server.name;
        let left = self.print(server, old, new)?;
        if left == 0 {
            writeln!(self.out, "{name}: all of it was rejected before; the accepted tools stay as they are")?;
            return Ok(Outcome::Fine);
        }
        writeln!(self.out, "look at it with: mcp-codegen review {name}")?;
        writeln!(self.out, "or accept all of it with: mcp-codegen accept {name}")?;
        Ok(Outcome::ToDo)
    }

    /// Prints what changed, graded; how much of it nobody has rejected.
    fn print(&mut self, server: &Server, old: &Snapshot, new: &Snapshot) -> Result<usize, CliError> {
        let pair = Pair::of(server, Some(old.clone()), new);
        let rejected = Rejected::load(self.base, &server.name)?;
        let pair = Pair { rejected, ..pair };
        let report = Report::of(&[pair], &[])?;
        crate::diff::print(&report, Format::Text, self.out)?;
        Ok(report.servers.iter().map(|server| server.drift.tools.len() + server.drift.server.len()).sum())
    }

    /// What waits goes once it is accepted; what differs from the accepted snapshot waits on.
    fn settle_pending(&self, name: &ServerName, accepted: &Snapshot) -> Result<(), CliError> {
        let waiting = if self.accept == Accept::This { folder::load(&folder::pending(self.base, name))? } else { None };
        if waiting.is_none_or(|waiting| accepted.same_offer(&waiting)) {
            Rejected::default().save(self.base, name)?;
            store::remove_pending(self.base, name)?;
        }
        Ok(())
    }
}
