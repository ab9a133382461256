//! Listings of configured servers: asked for now, or taken from saved files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mcp_contract::config::{Config, Server, ServerName};
use mcp_contract::drift::compare;
use mcp_contract::listing::Listing;
use mcp_contract::text::Shown;
use mcp_wire::{Listed, Listings};

use crate::args::ListingFile;
use crate::error::CliError;

/// Looks a variable up.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The listings of the named servers, or of all that are enabled, in configuration order. Where files are given and no server is named,
/// nobody is asked.
pub(crate) fn listings(
    config: &Config,
    base: &Path,
    servers: &[String],
    files: &[ListingFile],
    variables: Variables<'_>,
) -> Result<Listings, CliError> {
    let mut saved = BTreeMap::new();
    for listing in files {
        let file = listing.file.clone();
        let text =
            std::fs::read_to_string(&file).map_err(|source| CliError::Unreadable { file: file.clone(), source })?;
        let read = Listing::from_saved(&text).map_err(|source| CliError::Listing { file, source })?;
        saved.insert(listing.server.as_str(), read);
    }
    let only_saved = servers.is_empty() && !saved.is_empty();
    let asked = |server: &&Server| {
        let named = servers.iter().any(|name| name == server.name.as_str());
        named || (servers.is_empty() && !only_saved && server.enabled)
    };
    let not_saved = config.servers.iter().filter(|server| !saved.contains_key(server.name.as_str()));
    let to_list: Vec<&Server> = not_saved.filter(asked).collect();
    let mut results = ask(&to_list, base, variables)?;
    let from_files =
        config.servers.iter().filter_map(|server| Some((server.name.clone(), Ok(saved.remove(server.name.as_str())?))));
    results.extend(from_files);
    let place = |name: &ServerName| config.servers.iter().position(|server| server.name == *name);
    results.sort_by_key(|(name, _)| place(name));
    Ok(results)
}

/// Asks servers for their listings, all at once.
pub(crate) fn ask(servers: &[&Server], base: &Path, variables: Variables<'_>) -> Result<Listings, CliError> {
    let listed = servers.iter().map(|server| Listed::of(server, base, variables)).collect();
    match mcp_wire::list_all_blocking(listed) {
        Ok(results) => results.ok_or(CliError::Interrupted),
        Err(source) => Err(CliError::Runtime(source)),
    }
}

/// Where two listings of one server differ, taken one after the other: lines that say how to live with it.
pub(crate) fn unstable(server: &Server, one: &Listing, other: &Listing) -> Vec<String> {
    let drift = compare(one, other);
    let mut lines = Vec::new();
    for tool in &drift.tools {
        let ignored = |pointer: &str| {
            server.ignore.iter().any(|ignored| ignored.tool.matches(&tool.name) && ignored.pointer.as_str() == pointer)
        };
        let places: BTreeSet<&str> = tool.changes.iter().map(|change| change.pointer.as_str()).collect();
        for place in places.into_iter().filter(|place| !ignored(place)) {
            let (name, place) = (Shown(&tool.name), Shown(place));
            lines.push(format!(
                "{}: two listings in a row differ in tool \"{name}\" at {place}; if that means nothing, say so: \
                 ignore = [{{ tool = \"{name}\", pointer = \"{place}\", reason = \"…\" }}]",
                server.name
            ));
        }
    }
    lines
}
