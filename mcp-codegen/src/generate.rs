//! From a contract to the texts of source files, or to one text for `include!` and macros.

use std::collections::BTreeSet;
use std::path::Path;

use mcp_contract::config::ServerName;
use proc_macro2::TokenStream;

use crate::emit::{Place, ServerCode, Surroundings, inline_file, inline_tokens, module_file, root_file};
use crate::ident::{Case, lone};
use crate::write::SourceFiles;
use crate::{Contract, Error, Options, Summary};

/// What the generator made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// File names inside the output folder, and their texts.
    pub files: SourceFiles,
    /// What there is to tell about it.
    pub summary: Summary,
}

/// The code of a contract, before it takes a form.
pub(crate) struct Code<'a> {
    servers: Vec<ServerCode>,
    place: Place,
    unpinned: BTreeSet<ServerName>,
    config: &'a str,
    runtime: Option<syn::Path>,
}

impl<'a> Code<'a> {
    /// The code of committed snapshots.
    pub(crate) fn of(package: &Path, contract: &'a Contract, options: &Options) -> Result<Self, Error> {
        let place = Place { variable: "CARGO_MANIFEST_DIR", below: contract.base_in(package)? };
        Self::at(place, BTreeSet::new(), contract, options)
    }

    /// The code of snapshots that lie elsewhere, some of which nobody has committed.
    pub(crate) fn at(
        place: Place,
        unpinned: BTreeSet<ServerName>,
        contract: &'a Contract,
        options: &Options,
    ) -> Result<Self, Error> {
        Ok(Self {
            servers: contract.servers.iter().map(ServerCode::of).collect(),
            place,
            unpinned,
            config: &contract.file,
            runtime: options.runtime.as_deref().map(runtime).transpose()?,
        })
    }

    fn around(&self) -> Surroundings<'_> {
        Surroundings {
            place: &self.place,
            config: self.config,
            unpinned: &self.unpinned,
            runtime: self.runtime.as_ref(),
        }
    }

    /// The modules as tokens.
    pub(crate) fn tokens(&self) -> TokenStream {
        inline_tokens(&self.servers, &self.around())
    }

    /// The modules as the text of one file.
    pub(crate) fn text(&self) -> Result<String, Error> {
        inline_file(&self.servers, &self.around())
    }

    pub(crate) fn summary(&self) -> Summary {
        Summary { servers: self.servers.iter().map(|server| server.summary.clone()).collect() }
    }
}

/// Generates the modules of a contract: `mod.rs` and one file a server. The same contract gives the same bytes.
///
/// # Errors
///
/// There is no package around `servers.toml`, or the generator has a defect.
pub fn generate(contract: &Contract, options: &Options) -> Result<Generated, Error> {
    let code = Code::of(&contract.package()?, contract, options)?;
    let mut files = SourceFiles::new();
    files.insert("mod.rs".to_owned(), root_file(&code.servers, &code.around())?);
    for server in &code.servers {
        files.insert(file_name(&server.summary.server), module_file(server, &code.around())?);
    }
    Ok(Generated { files, summary: code.summary() })
}

fn runtime(path: &str) -> Result<syn::Path, Error> {
    let bad = || Error::BadRuntimePath { path: path.to_owned() };
    let parsed: syn::Path = syn::parse_str(path).map_err(|_| bad())?;
    // The same path stands in modules of different depth.
    let relative = parsed.segments.first().is_some_and(|first| first.ident == "self" || first.ident == "super");
    if relative { Err(bad()) } else { Ok(parsed) }
}

fn file_name(server: &ServerName) -> String {
    format!("{}.rs", lone(server.as_str(), Case::Snake).trim_start_matches("r#"))
}
