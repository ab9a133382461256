//! Generating from committed snapshots, for the doors that run inside a build: what a macro calls, and what a build script starts with.
//!
//! A macro must not open a socket or start a process, whatever features another crate switches on. So it depends on this module, and
//! nothing that this module names leads to the code that lists live servers; a test holds that.

use std::path::{Path, PathBuf};

use mcp_contract::snapshot::{MANIFEST, folder};
use proc_macro2::TokenStream;

use crate::generate::Code;
use crate::{Contract, Error, Options, Problem, Summary};

/// The code of a contract as one text.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The modules as tokens; outer attributes only, so that they can stand anywhere.
    pub tokens: TokenStream,
    /// The same, printed.
    pub text: String,
    /// What there is to tell about it.
    pub summary: Summary,
    /// What keeps configuration and snapshots from agreeing.
    pub problems: Vec<Problem>,
    /// Every file that the code depends on; all of them exist.
    pub watched: Vec<PathBuf>,
    /// The manifests that would be there if every server had a snapshot.
    pub missing: Vec<PathBuf>,
}

/// Generates the code of the contract at `options.config`, relative to the folder of a package.
///
/// # Errors
///
/// The configuration has problems, a snapshot cannot be read, or the generator has a defect.
pub fn expand(package: &Path, options: &Options) -> Result<Expansion, Error> {
    let contract = Contract::load(&package.join(&options.config))?.screened(&options.screens);
    let code = Code::of(package, &contract, options)?;
    expansion(&contract, &code)
}

pub(crate) fn expansion(contract: &Contract, code: &Code<'_>) -> Result<Expansion, Error> {
    Ok(Expansion {
        tokens: code.tokens(),
        text: code.text()?,
        summary: code.summary(),
        watched: watched(contract),
        missing: missing(contract),
        problems: contract.problems.clone(),
    })
}

pub(crate) fn missing(contract: &Contract) -> Vec<PathBuf> {
    let absent = contract.problems.iter().filter_map(|problem| match problem {
        Problem::NoSnapshot { server } => Some(folder::accepted(&contract.base, server).join(MANIFEST)),
        _ => None,
    });
    absent.collect()
}

/// The configuration, and the files of each snapshot. A tool that is added or goes shows in `server.json`.
pub(crate) fn watched(contract: &Contract) -> Vec<PathBuf> {
    let mut files = vec![contract.base.join(&contract.file)];
    for server in &contract.servers {
        let folder = folder::accepted(&contract.base, &server.name);
        files.push(folder.join(MANIFEST));
        let tools = server.snapshot.render();
        files.extend(tools.keys().filter(|name| *name != MANIFEST).map(|name| folder.join(name)));
    }
    files.retain(|file| file.is_file());
    files
}
