//! Snapshots on disk: reading only. Who writes (the command line) decides how.

use std::io;
use std::path::{Path, PathBuf};

use super::{FOLDER, Files, PENDING, Snapshot, SnapshotError};
use crate::config::ServerName;

/// Why a snapshot folder cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The files make no snapshot.
    #[error("{}: {source}{}", path.display(), mend(path, source))]
    Snapshot {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: SnapshotError,
    },
}

/// How a snapshot that cannot be used is mended; a newer format says so itself.
fn mend(folder: &Path, why: &SnapshotError) -> String {
    match (why, folder.file_name()) {
        (SnapshotError::Format, _) | (_, None) => String::new(),
        (_, Some(server)) => format!(
            "; restore the folder from version control, or replace it with: mcp-codegen snapshot {} --accept",
            server.display()
        ),
    }
}

/// The folder of a configuration file.
#[must_use]
pub fn base(config: &Path) -> &Path {
    config.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder of a server's accepted snapshot; `base` is the folder of `servers.toml`.
#[must_use]
pub fn accepted(base: &Path, server: &ServerName) -> PathBuf {
    base.join(FOLDER).join(server.as_str())
}

/// The folder of a server's pending listing; `base` is the folder of `servers.toml`.
#[must_use]
pub fn pending(base: &Path, server: &ServerName) -> PathBuf {
    base.join(FOLDER).join(PENDING).join(server.as_str())
}

/// The `.json` files of a folder; empty where the folder does not exist.
///
/// # Errors
///
/// The folder or a file in it cannot be read.
pub fn files(folder: &Path) -> Result<Files, FolderError> {
    let unreadable = |path: &Path, source| FolderError::Unreadable { path: path.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Files::new()),
        Err(error) => return Err(unreadable(folder, error)),
    };
    let mut files = Files::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.insert(name, std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?);
        }
    }
    Ok(files)
}

/// The snapshot in a folder; `None` where the folder holds no snapshot at all.
///
/// # Errors
///
/// See [`FolderError`].
pub fn load(folder: &Path) -> Result<Option<Snapshot>, FolderError> {
    let files = files(folder)?;
    if files.is_empty() {
        return Ok(None);
    }
    Snapshot::read(&files).map(Some).map_err(|source| FolderError::Snapshot { path: folder.to_owned(), source })
}
