//! `mcp-codegen accept` and `reject`: the answers of a review, for scripts.

use std::io::Write;
use std::path::Path;

use mcp_contract::config::{Config, Server};
use mcp_contract::drift::{Drift, ToolDrift, compare};
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, folder};
use mcp_contract::text::{Shown, counted};

use crate::args::ChoiceArgs;
use crate::diff::named;
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::rejected::Rejected;
use crate::snapshot;

/// What waits for a server, beside what is accepted.
pub(crate) struct Waiting {
    pub(crate) old: Listing,
    pub(crate) new: Listing,
    pub(crate) drift: Drift,
}

impl Waiting {
    /// What waits; `None` where nothing does.
    pub(crate) fn load(base: &Path, server: &Server) -> Result<Option<Self>, CliError> {
        let Some(new) = folder::load(&folder::pending(base, &server.name))? else { return Ok(None) };
        let old = folder::load(&folder::accepted(base, &server.name))?;
        let (old, new) = (old.as_ref().map(Snapshot::listing).unwrap_or_default(), new.listing());
        Ok(Some(Self { drift: compare(&old, &new), old, new }))
    }

    /// The tools that changed, of which one may be asked for.
    pub(crate) fn tools(&self, only: Option<&str>) -> impl Iterator<Item = &ToolDrift> {
        let wanted = move |tool: &&ToolDrift| {
            only.is_none_or(|only| tool.name == only || tool.renamed_from.as_deref() == Some(only))
        };
        self.drift.tools.iter().filter(wanted)
    }

    /// The accepted listing with some changes in it, and with what the server says of itself now where `report` says so.
    pub(crate) fn with(&self, accepted: &[&ToolDrift], report: bool) -> Listing {
        let mut listing = self.old.clone();
        let touches =
            |name: &str| accepted.iter().any(|drift| drift.name == name || drift.renamed_from.as_deref() == Some(name));
        listing.tools.retain(|tool| !touches(tool.name()));
        let taken = |name: &str| accepted.iter().any(|drift| drift.name == name);
        listing.tools.extend(self.new.tools.iter().filter(|tool| taken(tool.name())).cloned());
        listing.tools.sort_by(|a, b| a.name().cmp(b.name()));
        if report {
            listing.report = self.new.report.clone();
            listing.undecodable.clone_from(&self.new.undecodable);
        }
        listing
    }
}

pub(crate) fn accept(path: &Path, flags: &ChoiceArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let config = Config::load(path)?;
    let base = folder::base(path);
    let mut outcome = Outcome::Fine;
    for word in &flags.words {
        let (server, only, waiting) = find(&config, base, word)?;
        let Some(waiting) = waiting else {
            writeln!(out, "{}: nothing waits", server.name)?;
            continue;
        };
        let listing = match &only {
            // All of it, spellings that mean nothing included.
            None => waiting.new.clone(),
            Some(_) => waiting.with(&waiting.tools(only.as_deref()).collect::<Vec<_>>(), false),
        };
        outcome = outcome.max(snapshot::accept(&config, base, &server.name, listing, out)?);
    }
    writeln!(out, "write the code anew with: mcp-codegen generate")?;
    Ok(outcome)
}

pub(crate) fn reject(path: &Path, flags: &ChoiceArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let config = Config::load(path)?;
    let base = folder::base(path);
    for word in &flags.words {
        let (server, only, waiting) = find(&config, base, word)?;
        let Some(waiting) = waiting else {
            writeln!(out, "{}: nothing waits", server.name)?;
            continue;
        };
        let mut rejected = Rejected::load(base, &server.name)?;
        let tools: Vec<&ToolDrift> = waiting.tools(only.as_deref()).collect();
        for tool in &tools {
            rejected.add(tool, &waiting.new);
        }
        rejected.save(base, &server.name)?;
        writeln!(out, "{}: rejected {}", server.name, counted(tools.len(), "change"))?;
    }
    Ok(Outcome::Fine)
}

type Found<'c> = (&'c Server, Option<String>, Option<Waiting>);

fn find<'c>(config: &'c Config, base: &Path, word: &str) -> Result<Found<'c>, CliError> {
    let (servers, only) = named(config, Some(word))?;
    let server = servers[0];
    let waiting = Waiting::load(base, server)?;
    if let (Some(only), Some(waiting)) = (&only, &waiting)
        && waiting.tools(Some(only)).next().is_none()
    {
        let tool = Shown(only).to_string();
        return Err(CliError::NothingWaits { server: server.name.to_string(), tool });
    }
    Ok((server, only, waiting))
}
