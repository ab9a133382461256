//! Generated code from one version of a server to the next: what did not change keeps its names and its text.
//!
//! This is what the rules for versions in `docs/generated-code.md` rest on: a tool whose definition is the same gives the same types, whatever
//! came and went around it, and `new` takes its parameters in the order that was pinned.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcp_codegen::{Contract, Options, ServerContract, generate};
use mcp_contract::config::Config;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, admit};
use quote::ToTokens as _;

use crate::project::Project;
use crate::skip;

/// The listings of each package, in the order of its versions.
pub(crate) fn packages() -> Option<BTreeMap<String, Vec<PathBuf>>> {
    let folder = skip::folder("MCP_CORPUS", "tests over versions of servers")?.join("drift/captures");
    let mut packages: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some((package, _)) = name.strip_suffix(".json").and_then(|name| name.rsplit_once('@')) {
            packages.entry(package.to_owned()).or_default().push(path);
        }
    }
    for versions in packages.values_mut() {
        versions.sort_by_key(|path| version(path));
    }
    Some(packages)
}

/// The numbers of a version, to sort by.
fn version(path: &Path) -> Vec<u64> {
    let name = path.file_stem().unwrap().to_string_lossy();
    let version = name.rsplit_once('@').map_or("", |(_, version)| version);
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// The code of a snapshot: for each tool the text of the type of its arguments, with what is implemented for it.
pub(crate) fn code(project: &Project, config: &Config, snapshot: Snapshot) -> (BTreeMap<String, String>, Snapshot) {
    let server = &config.servers[0];
    let mut snapshot = snapshot;
    let admission = admit(std::iter::once((server, &snapshot))).servers.remove(0);
    snapshot.pin_names(&admission);
    let servers = vec![ServerContract { name: server.name.clone(), snapshot: snapshot.clone(), admission }];
    let contract = Contract {
        base: project.path().to_owned(),
        file: "servers.toml".to_owned(),
        config: config.clone(),
        servers,
        problems: Vec::new(),
    };
    let files = generate(&contract, &Options::default()).unwrap().files;
    let file = syn::parse_file(&files["s.rs"]).unwrap();
    let mut by_type: BTreeMap<String, String> = BTreeMap::new();
    let mut names: Vec<(String, String)> = Vec::new();
    for item in &file.items {
        let text = item.to_token_stream().to_string();
        let name = match item {
            syn::Item::Struct(item) => item.ident.to_string(),
            syn::Item::Enum(item) => item.ident.to_string(),
            syn::Item::Impl(item) => item.self_ty.to_token_stream().to_string(),
            _ => continue,
        };
        if let Some((_, pinned)) = text.split_once("pinned ! (") {
            let remote_name: syn::LitStr = syn::parse_str(pinned.split(" , ").next().unwrap()).unwrap();
            names.push((remote_name.value(), name.clone()));
        }
        by_type.entry(name).or_default().push_str(&text);
    }
    (names.into_iter().map(|(tool, name)| (tool, by_type[&name].clone())).collect(), snapshot)
}

#[test]
fn a_tool_that_did_not_change_keeps_its_code() {
    let Some(packages) = packages() else { return };
    let project = Project::new("");
    let config = Config::parse("[[server]]\nname = \"s\"\ncommand = \"x\"\n", "servers.toml").unwrap();
    let (mut pairs, mut same, mut moved) = (0, 0, Vec::new());
    for (package, versions) in &packages {
        let mut before: Option<(BTreeMap<String, String>, Snapshot)> = None;
        for path in versions {
            let listing = Listing::from_saved(&std::fs::read_to_string(path).unwrap()).unwrap();
            let snapshot = Snapshot::of(&config.servers[0], &listing, before.as_ref().map(|(_, snapshot)| snapshot));
            let (now, snapshot) = code(&project, &config, snapshot);
            if let Some((then, old)) = &before {
                pairs += 1;
                for tool in &snapshot.tools {
                    let name = tool.definition.name();
                    let unchanged =
                        old.tool(name).is_some_and(|old| old.definition.digest() == tool.definition.digest());
                    let (Some(now), Some(then)) = (now.get(name), then.get(name)) else { continue };
                    if unchanged && now == then {
                        same += 1;
                    } else if unchanged {
                        moved.push(format!("{package} {name}"));
                    }
                }
            }
            before = Some((now, snapshot));
        }
    }
    println!("{pairs} pairs of versions, {same} tools that did not change");
    assert!(pairs > 30 && same > 100, "{pairs} {same}");
    assert_eq!(moved, Vec::<String>::new());
}
