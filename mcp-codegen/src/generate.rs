//! From a contract to the texts of source files.

use mcp_contract::config::ServerName;

use crate::emit::{ServerCode, module_file, root_file};
use crate::ident::{Case, lone};
use crate::write::SourceFiles;
use crate::{Contract, Error, Summary};

/// What the generator made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// File names inside the output folder, and their texts.
    pub files: SourceFiles,
    /// What there is to tell about it.
    pub summary: Summary,
}

/// Generates the modules of a contract: `mod.rs` and one file a server. The same contract gives the same bytes.
///
/// # Errors
///
/// There is no package around `servers.toml`, or the generator has a defect.
pub fn generate(contract: &Contract) -> Result<Generated, Error> {
    let base = contract.base_in_package()?;
    let servers: Vec<ServerCode> = contract.servers.iter().map(ServerCode::of).collect();
    let mut files = SourceFiles::new();
    files.insert("mod.rs".to_owned(), root_file(&servers, &base, &contract.file)?);
    for server in &servers {
        files.insert(file_name(&server.summary.server), module_file(server, &base)?);
    }
    let summary = Summary { servers: servers.into_iter().map(|server| server.summary).collect() };
    Ok(Generated { files, summary })
}

fn file_name(server: &ServerName) -> String {
    format!("{}.rs", lone(server.as_str(), Case::Snake).trim_start_matches("r#"))
}
