//! Changes that somebody looked at and does not want.
//!
//! A rejected change waits on in `mcp/.pending`, its tool stays as it was accepted and is withdrawn at run time while the server offers the
//! other one; but nobody is asked again until the server offers yet another. The list lies beside the folder of the pending listing:
//! `mcp/.pending/SERVER.rejected.json`, the digest of each rejected definition by remote name, `null` for a tool that is gone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcp_contract::config::ServerName;
use mcp_contract::drift::ToolDrift;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::folder;
use serde_json::{Value, json};

use crate::error::CliError;

/// The version of the file.
const FORMAT: u64 = 1;

/// The rejected changes of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rejected {
    tools: BTreeMap<String, Option<String>>,
}

impl Rejected {
    pub(crate) fn load(base: &Path, server: &ServerName) -> Result<Self, CliError> {
        let file = path(base, server);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(CliError::Unreadable { file, source }),
        };
        let broken = |reason: String| CliError::NotJson { file: file.clone(), reason };
        let value: Value = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        let tools = value["tools"].as_object().ok_or_else(|| broken("no member \"tools\"".to_owned()))?;
        let digest = |digest: &Value| digest.as_str().map(str::to_owned);
        Ok(Self { tools: tools.iter().map(|(name, value)| (name.clone(), digest(value))).collect() })
    }

    /// Writes the list; an empty one is no file.
    pub(crate) fn save(&self, base: &Path, server: &ServerName) -> Result<(), CliError> {
        let file = path(base, server);
        if self.tools.is_empty() {
            return match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(CliError::Generate(mcp_codegen::Error::Io { action: "remove", path: file, source: error }))
                }
                _ => Ok(()),
            };
        }
        let text = format!("{:#}\n", json!({"format": FORMAT, "tools": self.tools}));
        mcp_codegen::replace(&file, &text)?;
        Ok(())
    }

    /// Whether this very change was rejected.
    pub(crate) fn has(&self, drift: &ToolDrift, new: &Listing) -> bool {
        self.tools.get(key(drift)).is_some_and(|rejected| *rejected == digest(drift, new))
    }

    pub(crate) fn add(&mut self, drift: &ToolDrift, new: &Listing) {
        self.tools.insert(key(drift).to_owned(), digest(drift, new));
    }

    pub(crate) fn forget(&mut self, drift: &ToolDrift) {
        self.tools.remove(key(drift));
    }
}

fn path(base: &Path, server: &ServerName) -> PathBuf {
    let waiting = folder::pending(base, server);
    waiting.with_file_name(format!("{server}.rejected.json"))
}

fn key(drift: &ToolDrift) -> &str {
    &drift.name
}

fn digest(drift: &ToolDrift, new: &Listing) -> Option<String> {
    let tool = new.tools.iter().find(|tool| tool.name() == drift.name)?;
    Some(tool.digest().as_str().to_owned())
}
