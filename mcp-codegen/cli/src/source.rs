//! Listings from where a user points: a saved file, standard input, a snapshot's folder, or a folder of those.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use mcp_contract::listing::Listing;
use mcp_contract::snapshot::folder;
use mcp_contract::text::Shown;

use crate::error::CliError;

/// The listings of a path, each with a name for the server.
pub(crate) fn listings(path: &Path) -> Result<Vec<(String, Listing)>, CliError> {
    if path.is_dir() {
        return folders(path);
    }
    let text = text(path)?;
    let listing = Listing::from_saved(&text).map_err(|source| CliError::Listing { file: path.to_owned(), source })?;
    Ok(vec![(name(path), listing)])
}

/// The text of a file, or of standard input.
pub(crate) fn text(path: &Path) -> Result<String, CliError> {
    let unreadable = |source| CliError::Unreadable { file: path.to_owned(), source };
    if path != Path::new("-") {
        return std::fs::read_to_string(path).map_err(unreadable);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

fn folders(path: &Path) -> Result<Vec<(String, Listing)>, CliError> {
    if let Some(snapshot) = folder::load(path)? {
        return Ok(vec![(name(path), snapshot.listing())]);
    }
    let unreadable = |source| CliError::Unreadable { file: path.to_owned(), source };
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let mut inside: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    inside.sort();
    let mut found = Vec::new();
    for folder in inside.iter().filter(|inside| inside.is_dir()) {
        if let Some(snapshot) = folder::load(folder)? {
            found.push((name(folder), snapshot.listing()));
        }
    }
    if found.is_empty() { Err(CliError::NoSnapshot { file: path.to_owned() }) } else { Ok(found) }
}

/// What a report calls the server: the name of its file or folder.
fn name(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if path != Path::new("-") => Shown(&stem.to_string_lossy()).to_string(),
        _ => "listing".to_owned(),
    }
}
