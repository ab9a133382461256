//! The snapshot: what a server offered when somebody looked and agreed.
//!
//! One folder a server, one file a tool, so that a pull request shows one tool's change as one small diff and git itself
//! sees a rename. The model here knows nothing of folders: a snapshot is read from and rendered to a map of file names
//! to texts, and [`folder`] carries such maps to and from disk.

pub mod folder;

mod admit;
mod change;
mod file_name;
mod launch;
mod manifest;
mod pinned;
mod read;
mod render;

pub use admit::admit;
pub use change::{Change, Changes};
pub use file_name::file_names;
pub use launch::launch_hash;
pub use pinned::{NewOrders, PinnedTool, Snapshot, steadied};
pub use read::SnapshotError;

/// The name of the file that describes the server itself.
pub const MANIFEST: &str = "server.json";

/// The version of the snapshot's format.
pub const FORMAT: u64 = 1;

/// The folder, beside `servers.toml`, that holds the snapshots.
pub const FOLDER: &str = "mcp";

/// The folder, inside [`FOLDER`], that holds listings which nobody has accepted yet.
pub const PENDING: &str = ".pending";

/// A snapshot's files: name and text.
pub type Files = std::collections::BTreeMap<String, String>;
