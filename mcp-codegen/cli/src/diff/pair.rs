//! What is compared with what.

use std::collections::BTreeMap;
use std::path::Path;

use mcp_contract::config::{Config, Server};
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{FOLDER, PENDING, Snapshot, folder};

use crate::args::DiffArgs;
use crate::error::CliError;
use crate::rejected::Rejected;
use crate::screened::unnamed;
use crate::source;
use crate::store;

/// Two listings of a server.
pub(crate) struct Pair {
    /// What reports call the server.
    pub(crate) name: String,
    /// The server, for the screens and the names of the code.
    pub(crate) server: Server,
    pub(crate) old: Listing,
    pub(crate) new: Listing,
    /// The accepted snapshot, where `old` comes from one: its pins go on.
    pub(crate) pinned: Option<Snapshot>,
    /// What somebody looked at and does not want: it is left out.
    pub(crate) rejected: Rejected,
    /// Only this tool, by its remote name.
    pub(crate) only: Option<String>,
    /// The folder of the files that a forge may point to, relative to the folder of `servers.toml`.
    pub(crate) folder: Option<String>,
}

/// The pairs that the flags ask for.
pub(crate) fn pairs(path: &Path, flags: &DiffArgs) -> Result<Vec<Pair>, CliError> {
    match (&flags.words[..], &flags.against) {
        ([old, new], None) => of_paths(Path::new(old), Path::new(new)),
        ([_, _, ..], _) => Err(CliError::Usage("expected SERVER or SERVER/TOOL, or two paths: OLD NEW")),
        (words, against) => {
            let config = Config::load(path)?;
            let base = folder::base(path);
            let word = words.first().map(String::as_str);
            let (servers, only) = named(&config, word)?;
            let mut pairs = Vec::new();
            for server in servers {
                let pair = match against {
                    Some(revision) => super::against::pair(base, server, revision)?,
                    None => pending(base, server)?,
                };
                pairs.extend(pair.map(|pair| Pair { only: only.clone(), ..pair }));
            }
            Ok(pairs)
        }
    }
}

/// The servers that a word names, and the tool. Without a word, all of them.
pub(crate) fn named<'c>(config: &'c Config, word: Option<&str>) -> Result<(Vec<&'c Server>, Option<String>), CliError> {
    let Some(word) = word else { return Ok((config.servers.iter().collect(), None)) };
    let (server, tool) = match word.split_once('/') {
        Some((server, tool)) => (server, Some(tool.to_owned())),
        None => (word, None),
    };
    store::check_names(config, std::iter::once(server))?;
    Ok((config.server(server).into_iter().collect(), tool))
}

/// The accepted listing of a server and the one that waits, where one does.
pub(crate) fn pending(base: &Path, server: &Server) -> Result<Option<Pair>, CliError> {
    let Some(new) = folder::load(&folder::pending(base, &server.name))? else { return Ok(None) };
    let old = folder::load(&folder::accepted(base, &server.name))?;
    let rejected = Rejected::load(base, &server.name)?;
    Ok(Some(Pair { rejected, ..Pair::of(server, old, &new) }))
}

impl Pair {
    /// An accepted snapshot and the one that waits.
    pub(crate) fn of(server: &Server, old: Option<Snapshot>, new: &Snapshot) -> Self {
        let folder = format!("{FOLDER}/{PENDING}/{}", server.name);
        Self {
            name: server.name.to_string(),
            server: server.clone(),
            old: old.as_ref().map(Snapshot::listing).unwrap_or_default(),
            new: new.listing(),
            pinned: old,
            rejected: Rejected::default(),
            only: None,
            folder: Some(folder),
        }
    }
}

/// The listings at two paths. Where they hold several servers, those of one name are compared.
fn of_paths(old: &Path, new: &Path) -> Result<Vec<Pair>, CliError> {
    let (mut before, mut after) = (source::listings(old)?, source::listings(new)?);
    let pair = |name: String, old, new| Pair {
        name,
        server: unnamed(false),
        old,
        new,
        pinned: None,
        rejected: Rejected::default(),
        only: None,
        folder: None,
    };
    if let ([_], [_]) = (&before[..], &after[..]) {
        let ((_, old), (name, new)) = (before.remove(0), after.remove(0));
        return Ok(vec![pair(name, old, new)]);
    }
    let mut all: BTreeMap<String, (Listing, Listing)> = BTreeMap::new();
    for (name, listing) in before {
        all.entry(name).or_default().0 = listing;
    }
    for (name, listing) in after {
        all.entry(name).or_default().1 = listing;
    }
    Ok(all.into_iter().map(|(name, (old, new))| pair(name, old, new)).collect())
}
