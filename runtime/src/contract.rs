//! What generated code hands to the runtime: configuration and snapshots, embedded.

use mcp_contract::snapshot::{Files, MANIFEST, Snapshot, SnapshotError};

/// A package's servers, embedded by the generated `CONTRACT`.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code makes it in a constant")]
pub struct Contract {
    /// The text of `servers.toml`.
    pub config: &'static str,
    /// The servers that have generated code.
    pub servers: &'static [ServerContract],
}

/// One server's accepted snapshot, embedded by the generated `SERVER`.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code makes it in a constant")]
pub struct ServerContract {
    /// The server's name.
    pub name: &'static str,
    /// The text of `server.json`.
    pub manifest: &'static str,
    /// File name and text of each tool that was admitted, or would have been under another name.
    pub tools: &'static [(&'static str, &'static str)],
}

impl ServerContract {
    /// The snapshot of the embedded tools. The manifest lists all of them; excluded and most refused ones are not embedded.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let mut files: Files = self.tools.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
        files.insert(MANIFEST.to_owned(), self.manifest.to_owned());
        Snapshot::read_embedded(&files)
    }
}
