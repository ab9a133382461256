//! Snapshots on disk: reading them for a command, writing them atomically and only where they changed.

use std::path::Path;

use mcp_contract::config::{Config, ServerName};
use mcp_contract::snapshot::folder::{self, FolderError};
use mcp_contract::snapshot::{Files, Snapshot, SnapshotError};

use crate::error::CliError;

/// Refuses names that the configuration does not have.
pub(crate) fn check_names<'a>(config: &Config, names: impl Iterator<Item = &'a str>) -> Result<(), CliError> {
    for name in names {
        if config.server(name).is_none() {
            let known = config.servers.iter().map(|server| server.name.to_string()).collect();
            return Err(CliError::UnknownServer { name: name.to_owned(), known });
        }
    }
    Ok(())
}

/// The accepted snapshot of a server that is about to get a new one. With `replace`, files that make no snapshot count as none; files
/// that cannot be read, or are of a newer format, never do.
pub(crate) fn accepted(base: &Path, server: &ServerName, replace: bool) -> Result<Option<Snapshot>, FolderError> {
    match folder::load(&folder::accepted(base, server)) {
        Err(FolderError::Snapshot { source, .. }) if replace && !matches!(source, SnapshotError::Format) => Ok(None),
        loaded => loaded,
    }
}

/// Brings a snapshot folder to hold exactly these files; tells whether anything changed.
pub(crate) fn write(folder: &Path, files: &Files) -> Result<bool, CliError> {
    let existing = folder::files(folder)?;
    let mut changed = false;
    for (name, text) in files {
        if existing.get(name) != Some(text) {
            mcp_codegen::replace(&folder.join(name), text)?;
            changed = true;
        }
    }
    for name in existing.keys().filter(|name| !files.contains_key(*name)) {
        let path = folder.join(name);
        remove(&path, std::fs::remove_file(&path))?;
        changed = true;
    }
    Ok(changed)
}

/// Removes a pending listing, and the folder of pending listings with the last one.
pub(crate) fn remove_pending(base: &Path, server: &ServerName) -> Result<(), CliError> {
    let folder = folder::pending(base, server);
    if folder.is_dir() {
        remove(&folder, std::fs::remove_dir_all(&folder))?;
        // Fails as long as another server's listing waits there, which is fine.
        let _ = folder.parent().map(std::fs::remove_dir);
    }
    Ok(())
}

fn remove(path: &Path, result: std::io::Result<()>) -> Result<(), CliError> {
    result.map_err(|source| {
        CliError::Generate(mcp_codegen::Error::Io { action: "remove", path: path.to_owned(), source })
    })
}
