//! Source files on disk: written atomically, only where they changed, and never over somebody's own file.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::emit::MARKER;

/// File names inside a folder, and their texts.
pub type SourceFiles = BTreeMap<String, String>;

/// Brings a folder to hold exactly these files: changed ones are replaced, generated ones that are not among them are
/// removed. Gives the files that were touched.
///
/// # Errors
///
/// A file cannot be read or written, or was not generated.
pub fn write(folder: &Path, files: &SourceFiles) -> Result<Vec<PathBuf>, Error> {
    let touched = differences(folder, files)?;
    for path in &touched {
        if let Some(text) = existing(path)?
            && !text.starts_with(MARKER)
        {
            return Err(Error::NotGenerated { path: path.clone() });
        }
    }
    for path in &touched {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match files.get(name.as_ref()) {
            Some(text) => replace(path, text)?,
            None => std::fs::remove_file(path).map_err(|source| Error::Io {
                action: "remove",
                path: path.clone(),
                source,
            })?,
        }
    }
    Ok(touched)
}

/// The files that [`write()`] would touch, sorted. Line endings that a checkout changed are no difference.
///
/// # Errors
///
/// A file cannot be read.
pub fn differences(folder: &Path, files: &SourceFiles) -> Result<Vec<PathBuf>, Error> {
    let mut different = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        if existing(&path)?.is_none_or(|found| found.replace("\r\n", "\n") != *text) {
            different.push(path);
        }
    }
    different.extend(leftovers(folder, files)?);
    different.sort();
    Ok(different)
}

/// Generated files of an earlier run that belong to no server any more.
fn leftovers(folder: &Path, files: &SourceFiles) -> Result<Vec<PathBuf>, Error> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|source| Error::Io { action: "read", path: folder.to_owned(), source })?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if is_source && !files.contains_key(&name) && existing(&path)?.is_some_and(|text| text.starts_with(MARKER)) {
            found.push(path);
        }
    }
    Ok(found)
}

fn existing(path: &Path) -> Result<Option<String>, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { action: "read", path: path.to_owned(), source }),
    }
}

/// Replaces a file in one step, so that a reader sees the old text or the new one.
///
/// # Errors
///
/// The file cannot be written.
pub fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |source| Error::Io { action: "write", path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::Builder::new()
        .prefix(".mcp-codegen-")
        .permissions(permissions())
        .tempfile_in(folder)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Replaces a file whose text is another one.
pub(crate) fn replace_if_changed(path: &Path, text: &str) -> Result<(), Error> {
    if existing(path)?.is_some_and(|found| found == text) { Ok(()) } else { replace(path, text) }
}

/// Temporary files are private by default; a source file is not.
#[cfg(unix)]
fn permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::Permissions::from_mode(0o644)
}

#[cfg(not(unix))]
fn permissions() -> std::fs::Permissions {
    std::fs::metadata(".").map(|metadata| metadata.permissions()).expect("the current folder exists")
}
