//! The dependency rules of the plan (docs/design.md): who may know whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The packages that each of ours reaches without development dependencies, by name.
fn reached(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let name = |id: &str| {
        let packages = metadata["packages"].as_array().unwrap();
        packages.iter().find(|package| package["id"] == id).unwrap()["name"].as_str().unwrap().to_owned()
    };
    let edges: BTreeMap<&str, Vec<&str>> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            let normal = |dep: &&Value| dep["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"] != "dev");
            let deps = node["deps"].as_array().unwrap().iter().filter(normal).map(|dep| dep["pkg"].as_str().unwrap());
            (node["id"].as_str().unwrap(), deps.collect())
        })
        .collect();
    let members = metadata["workspace_members"].as_array().unwrap();
    members
        .iter()
        .map(|member| {
            let mut seen = BTreeSet::new();
            let mut pending = vec![member.as_str().unwrap()];
            while let Some(id) = pending.pop() {
                if seen.insert(id) {
                    pending.extend(&edges[id]);
                }
            }
            (name(member.as_str().unwrap()), seen.into_iter().map(name).collect())
        })
        .collect()
}

#[test]
fn the_contract_is_pure_and_the_generator_needs_no_network() {
    let reached = reached(&metadata());
    for forbidden in ["tokio", "rmcp", "reqwest", "hyper", "rustls", "mcp-wire"] {
        assert!(!reached["mcp-contract"].contains(forbidden), "mcp-contract reaches {forbidden}");
        assert!(!reached["mcp-codegen"].contains(forbidden), "mcp-codegen reaches {forbidden}");
    }
    for forbidden in ["clap", "similar", "indicatif"] {
        assert!(!reached["mcp-codegen"].contains(forbidden), "a build script would build {forbidden}");
    }
    for forbidden in ["clap", "mcp-codegen", "syn", "prettyplease"] {
        let direct = reached["mcp-runtime"].contains(forbidden) && forbidden != "syn";
        assert!(!direct, "mcp-runtime reaches {forbidden}");
    }
}

#[test]
fn only_the_wire_names_rmcp() {
    let metadata = metadata();
    let ours = metadata["packages"].as_array().unwrap().iter().filter(|package| package["source"].is_null());
    for package in ours {
        let name = package["name"].as_str().unwrap();
        let depends = package["dependencies"].as_array().unwrap().iter().any(|dependency| dependency["name"] == "rmcp");
        // The tour and the tests build servers with it.
        assert!(!depends || ["mcp-wire", "mcp-tests", "quickstart"].contains(&name), "{name} depends on rmcp");
    }
    for folder in ["mcp-contract", "mcp-codegen", "runtime"] {
        for (path, text) in sources(&workspace().join(folder)) {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            assert!(!code.into_iter().any(|line| line.contains("rmcp::")), "{} names rmcp", path.display());
        }
    }
}

/// What the macro calls cannot name the code that lists live servers: told from the modules, because features of a dependency unify.
#[test]
fn the_macro_cannot_reach_the_network() {
    let folder = workspace().join("mcp-codegen/src");
    let root = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
    // Which module a re-exported name comes from.
    let home = |name: &str| {
        let line = root.lines().find(|line| {
            let names = line.strip_prefix("pub use ").unwrap_or_default();
            names.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == name)
        });
        line.and_then(|line| line.strip_prefix("pub use ")?.split("::").next().map(str::to_owned))
    };
    let mut seen = BTreeSet::new();
    let mut pending = vec!["offline".to_owned()];
    while let Some(module) = pending.pop() {
        if !seen.insert(module.clone()) {
            continue;
        }
        let file = folder.join(format!("{module}.rs"));
        let texts = if file.is_file() {
            vec![std::fs::read_to_string(file).unwrap()]
        } else {
            sources(&folder.join(&module)).into_iter().map(|(_, text)| text).collect()
        };
        for text in texts {
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for forbidden in ["mcp_wire", "tokio", "std::net", "std::process", "std::thread"] {
                assert!(!text.contains(forbidden), "{module} names {forbidden}");
            }
            for rest in text.split("crate::").skip(1) {
                let names = rest.split(';').next().unwrap_or_default();
                let first = names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
                let several = names.starts_with('{');
                for name in first.take(if several { usize::MAX } else { 1 }) {
                    let upper = name.starts_with(char::is_uppercase);
                    pending.extend(if upper { home(name) } else { Some(name.to_owned()) });
                }
            }
        }
    }
    assert!(seen.contains("emit") && seen.contains("contract"), "{seen:?}");
    assert!(!seen.contains("pull") && !seen.contains("builder"), "{seen:?}");
    for (path, text) in sources(&workspace().join("mcp-macros/src")) {
        let named: Vec<&str> =
            text.split("mcp_codegen::").skip(1).map(|rest| rest.split([';', ':']).next().unwrap()).collect();
        assert!(named.iter().all(|name| ["Options", "offline"].contains(name)), "{}: {named:?}", path.display());
    }
}

#[test]
fn generated_code_names_the_runtime_and_nothing_else() {
    for (path, text) in sources(&workspace().join("tests/fixtures/real/generated")) {
        let file = syn_paths(&text);
        let allowed = ["mcp_runtime", "std", "env", "Self", "self", "clippy", "diagnostic", "rustdoc", "rustfmt"];
        let modules = ["everything", "everything_http", "filesystem", "memory", "time"];
        for first in file {
            let known = allowed.contains(&first.as_str()) || modules.contains(&first.as_str());
            assert!(known || first.starts_with(char::is_uppercase), "{}: {first}::", path.display());
        }
    }
}

/// The first segments of the paths in a text, outside of comments and literals as far as a test needs it.
fn syn_paths(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("#[doc")) {
        for (at, _) in line.match_indices("::") {
            let before = &line[..at];
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            let follows_path = before[..start].ends_with("::") || before.ends_with('>');
            if start < at && !follows_path {
                found.insert(before[start..].to_owned());
            }
        }
    }
    found
}

#[test]
fn the_stated_rust_version_is_one_that_every_dependency_supports() {
    let metadata = metadata();
    let version =
        |text: &str| -> Vec<u32> { text.split('.').map(|part| part.parse().unwrap()).chain([0, 0]).take(3).collect() };
    let packages = metadata["packages"].as_array().unwrap();
    let ours = packages.iter().find(|package| package["name"] == "mcp-runtime").unwrap();
    let stated = version(ours["rust_version"].as_str().unwrap());
    let reached = &reached(&metadata)["mcp-codegen-cli"] | &reached_runtime(&metadata);
    for package in packages.iter().filter(|package| reached.contains(package["name"].as_str().unwrap())) {
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(version(needed) <= stated, "{} needs Rust {needed}", package["name"]);
        }
    }
}

fn reached_runtime(metadata: &Value) -> BTreeSet<String> {
    reached(metadata)["mcp-runtime"].clone()
}

#[test]
fn every_dependency_has_a_licence_that_ours_allow() {
    const ALLOWED: &[&str] = &[
        "0BSD",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "CC0-1.0",
        "CDLA-Permissive-2.0",
        "ISC",
        "MIT",
        "MIT-0",
        "OpenSSL",
        "Unicode-3.0",
        "Unlicense",
        "Zlib",
    ];
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
        let allowed = |text: &str| ALLOWED.contains(&text.trim_matches(['(', ')', ' ']));
        // Of alternatives one will do, of what applies together all.
        let fine = licence.split(" AND ").all(|part| part.split(" OR ").any(allowed));
        assert!(fine, "{name}: {licence}");
    }
}

#[test]
fn files_are_small_and_say_what_they_are_for() {
    let root = workspace();
    for folder in [
        "mcp-contract/src",
        "mcp-wire/src",
        "mcp-codegen/src",
        "mcp-codegen/cli/src",
        "mcp-macros/src",
        "runtime/src",
        "examples",
    ] {
        for (path, text) in sources(&root.join(folder)) {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            assert!(text.lines().count() <= 400, "{name} is longer than 400 lines");
            let generated = text.starts_with("// @generated");
            assert!(generated || text.starts_with("//!"), "{name} does not say what it is for");
            for name_of_nothing in ["utils", "helpers", "common", "manager"] {
                assert!(!name.contains(name_of_nothing), "{name}");
            }
        }
    }
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("target") {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files
}
