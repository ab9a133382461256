//! From the texts of a snapshot's files to a snapshot.
//!
//! Nothing is taken on trust: every digest is computed again, so that a file that was edited by hand, or merged wrongly,
//! is an error and not another contract.

use super::manifest::Manifest;
use super::{FORMAT, Files, MANIFEST, NewOrders, PinnedTool, Snapshot};
use crate::definition::{DefinitionError, ToolDefinition};
use crate::json::{Json, JsonError, parse};

/// Why a snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// There is no `server.json`.
    #[error("there is no {MANIFEST}")]
    NoManifest,
    /// The snapshot is of a format that this version does not read.
    #[error("{MANIFEST}: `format` is not {FORMAT}, the only one that this version reads; update mcp-codegen")]
    Format,
    /// A file is not JSON.
    #[error("{file}: {source}")]
    Json {
        /// The file.
        file: String,
        /// Why.
        source: JsonError,
    },
    /// A file is JSON of another shape.
    #[error("{file}: {message}")]
    Shape {
        /// The file.
        file: String,
        /// What is wrong.
        message: &'static str,
    },
    /// A tool file holds no tool.
    #[error("{file}: {source}")]
    Definition {
        /// The file.
        file: String,
        /// Why.
        source: DefinitionError,
    },
    /// The manifest names a file that is not there.
    #[error("{file} is missing, although {MANIFEST} names it")]
    Missing {
        /// The file.
        file: String,
    },
    /// A file is there that the manifest does not name.
    #[error("{file} is not named in {MANIFEST}")]
    Stray {
        /// The file.
        file: String,
    },
    /// A definition does not have the digest that is written down for it.
    #[error("{file} was changed: its definition does not have the digest that is written down")]
    Digest {
        /// The file.
        file: String,
    },
}

impl Snapshot {
    /// Reads a snapshot from the texts of its files.
    ///
    /// ```
    /// use mcp_contract::{config::Config, listing::Listing, snapshot::Snapshot};
    /// let config = Config::parse("[[server]]\nname = \"s\"\ncommand = \"s\"\n", "servers.toml").unwrap();
    /// let listing = Listing::from_saved(r#"[{"name":"a","inputSchema":{}}]"#).unwrap();
    /// let snapshot = Snapshot::of(&config.servers[0], &listing, None);
    /// assert_eq!(Snapshot::read(&snapshot.render()).unwrap(), snapshot);
    /// ```
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    pub fn read(files: &Files) -> Result<Self, SnapshotError> {
        Self::read_files(files, true)
    }

    /// Reads the part of a snapshot that is embedded in a binary: the tool files that are there, each of which the manifest must
    /// name.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    pub fn read_embedded(files: &Files) -> Result<Self, SnapshotError> {
        Self::read_files(files, false)
    }

    fn read_files(files: &Files, whole: bool) -> Result<Self, SnapshotError> {
        let manifest = files.get(MANIFEST).ok_or(SnapshotError::NoManifest)?;
        let manifest = json(MANIFEST, manifest)?;
        if !Manifest::has_known_format(&manifest) {
            return Err(SnapshotError::Format);
        }
        let manifest = Manifest::from_json(&manifest)
            .map_err(|message| SnapshotError::Shape { file: MANIFEST.to_owned(), message })?;
        let named = |file: &String| file == MANIFEST || manifest.files.iter().any(|(name, _)| name == file);
        if let Some(file) = files.keys().find(|file| !named(file)) {
            return Err(SnapshotError::Stray { file: file.clone() });
        }
        let mut tools = Vec::new();
        for (file, digest) in &manifest.files {
            match files.get(file) {
                Some(text) => tools.push(tool(file, text, digest)?),
                None if whole => return Err(SnapshotError::Missing { file: file.clone() }),
                None => {}
            }
        }
        tools.sort_by(|a, b| a.definition.name().cmp(b.definition.name()));
        Ok(Self { report: manifest.report, launch: manifest.launch, tools, undecodable: manifest.undecodable })
    }
}

fn tool(file: &str, text: &str, digest: &str) -> Result<PinnedTool, SnapshotError> {
    let shape = |message| SnapshotError::Shape { file: file.to_owned(), message };
    let json = json(file, text)?;
    let document = json.get("tool").ok_or_else(|| shape("`tool` is missing"))?.clone();
    let definition = ToolDefinition::from_document(document)
        .map_err(|source| SnapshotError::Definition { file: file.to_owned(), source })?;
    let actual = definition.digest();
    if json.get("digest").and_then(Json::as_str) != Some(actual.as_str()) || digest != actual.as_str() {
        return Err(SnapshotError::Digest { file: file.to_owned() });
    }
    let local_name = match json.get("local_name") {
        Some(Json::String(name)) => Some(name.clone()),
        Some(Json::Null) => None,
        _ => return Err(shape("`local_name` must be a string or null")),
    };
    let new = json.get("rust").and_then(|rust| rust.get("new")).and_then(Json::as_object).and_then(orders);
    let new = new.ok_or_else(|| shape("`rust.new` must hold a list of names for each pointer"))?;
    Ok(PinnedTool { definition, local_name, new })
}

fn orders(members: &[(String, Json)]) -> Option<NewOrders> {
    let order =
        |json: &Json| json.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    members.iter().map(|(pointer, names)| Some((pointer.clone(), order(names)?))).collect()
}

fn json(file: &str, text: &str) -> Result<Json, SnapshotError> {
    parse(text).map_err(|source| SnapshotError::Json { file: file.to_owned(), source })
}
