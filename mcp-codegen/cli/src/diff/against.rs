//! Snapshots as git remembers them.
//!
//! The program `git` is asked, because whoever has a repository has it, and because it knows the configuration of that repository.

use std::path::Path;
use std::process::Command;

use mcp_contract::config::Server;
use mcp_contract::snapshot::{FOLDER, Files, Snapshot, folder};

use super::Pair;
use crate::error::CliError;
use crate::rejected::Rejected;

/// The snapshot of a server at a revision, and the one in the working tree; `None` where neither is there.
pub(super) fn pair(base: &Path, server: &Server, revision: &str) -> Result<Option<Pair>, CliError> {
    let place = format!("{FOLDER}/{}", server.name);
    let old = snapshot(base, &place, revision)?;
    let new = folder::load(&folder::accepted(base, &server.name))?;
    if old.is_none() && new.is_none() {
        return Ok(None);
    }
    let listing = |snapshot: &Option<Snapshot>| snapshot.as_ref().map(Snapshot::listing).unwrap_or_default();
    Ok(Some(Pair {
        name: server.name.to_string(),
        server: server.clone(),
        old: listing(&old),
        new: listing(&new),
        pinned: old,
        rejected: Rejected::default(),
        only: None,
        folder: Some(place),
    }))
}

fn snapshot(base: &Path, place: &str, revision: &str) -> Result<Option<Snapshot>, CliError> {
    // A revision that begins with a dash would be taken for a flag.
    if revision.starts_with('-') || revision.contains(':') {
        return Err(CliError::Usage("--against takes a revision of git, such as main or HEAD~1"));
    }
    git(base, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
        .map_err(|_| CliError::Revision { revision: revision.to_owned(), folder: base.to_owned() })?;
    let names = git(base, &["ls-tree", "-z", "--name-only", revision, "--", &format!("{place}/")])?;
    let mut files = Files::new();
    let is_json = |path: &&str| Path::new(path).extension().is_some_and(|extension| extension == "json");
    for path in names.split('\0').filter(is_json) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = git(base, &["show", &format!("{revision}:./{place}/{name}")])?;
        files.insert(name.to_owned(), text);
    }
    if files.is_empty() {
        return Ok(None);
    }
    let read = Snapshot::read(&files);
    read.map(Some).map_err(|source| CliError::AtRevision { place: format!("{revision}:{place}"), source })
}

/// What git prints.
fn git(base: &Path, arguments: &[&str]) -> Result<String, CliError> {
    let folder = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let run = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let output = run.map_err(|source| CliError::Git { reason: source.to_string() })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(CliError::Git { reason });
    }
    String::from_utf8(output.stdout).map_err(|error| CliError::Git { reason: error.to_string() })
}
