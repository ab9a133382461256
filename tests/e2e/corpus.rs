//! The big corpus: every listing of 91 published servers, through the whole pipeline and the compiler.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use mcp_contract::admission::Reason;
use mcp_contract::json::Json;
use mcp_contract::schema::SchemaError;

use crate::project::Project;
use crate::skip;

/// The listings, under names that are server names.
fn listings() -> Option<BTreeMap<String, PathBuf>> {
    let folder = skip::folder("MCP_CORPUS", "tests over the corpus")?.join("corpus");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let json = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    Some(json.enumerate().map(|(index, path)| (format!("s{index}"), path)).collect())
}

/// A package with all listings accepted.
fn project(listings: &BTreeMap<String, PathBuf>) -> Project {
    let servers = listings.keys().fold(String::new(), |mut text, name| {
        writeln!(text, "[[server]]\nname = \"{name}\"\ncommand = \"unused\"\n").unwrap();
        text
    });
    let project = Project::new(&servers);
    let arguments: Vec<String> = listings.iter().map(|(name, path)| format!("{name}={}", path.display())).collect();
    let mut line = vec!["snapshot", "--accept"];
    line.extend(arguments.iter().flat_map(|argument| ["--listing", argument]));
    let said = project.run(&line);
    assert!(said.ends_with("exit code 0"), "{said}");
    project
}

#[test]
fn every_listing_is_accepted_and_generates() {
    let Some(listings) = listings() else { return };
    let project = project(&listings);
    let contract = mcp_codegen::Contract::load(&project.path().join("servers.toml")).unwrap();
    assert_eq!(contract.problems, []);
    let refused: Vec<_> = contract.servers.iter().flat_map(|server| &server.admission.refused).collect();
    let by_pattern = |tool: &&&mcp_contract::admission::RefusedTool| {
        matches!(tool.reason, Reason::InputSchema(SchemaError::Pattern { .. } | SchemaError::PatternKey { .. }))
    };
    assert!(refused.iter().filter(by_pattern).count() <= 5, "{refused:?}");
    let admitted: usize = contract.servers.iter().map(|server| server.admission.admitted.len()).sum();
    let listed: usize = contract.servers.iter().map(|server| server.snapshot.tools.len()).sum();
    // Every refusal is one that a person has looked at: a task, and patterns that no linear engine runs.
    assert!(listed - admitted <= 5, "{admitted} of {listed}: {refused:?}");
    let first = mcp_codegen::generate(&contract, &mcp_codegen::Options::default()).unwrap();
    let second = mcp_codegen::generate(&contract, &mcp_codegen::Options::default()).unwrap();
    assert_eq!(first.files, second.files);
    let lines: usize = first.files.values().map(|text| text.lines().count()).sum();
    let constrained: usize = first.summary.servers.iter().map(|server| server.constrained).sum();
    let untyped = first.summary.untyped();
    println!("{admitted} of {listed} tools, {lines} lines, {untyped} of {constrained} members stayed any JSON");
    assert!(untyped * 1000 <= constrained, "{}", first.summary);
    assert!(lines <= admitted * 100, "{lines} lines");
}

#[test]
fn the_snapshot_of_a_listing_reads_back_as_it_was() {
    let Some(listings) = listings() else { return };
    let config =
        mcp_contract::config::Config::parse("[[server]]\nname = \"s\"\ncommand = \"x\"\n", "servers.toml").unwrap();
    for path in listings.values() {
        let listing = mcp_contract::listing::Listing::from_saved(&std::fs::read_to_string(path).unwrap()).unwrap();
        let snapshot = mcp_contract::snapshot::Snapshot::of(&config.servers[0], &listing, None);
        let files = snapshot.render();
        let read = mcp_contract::snapshot::Snapshot::read(&files).unwrap();
        assert_eq!(read, snapshot, "{}", path.display());
        assert_eq!(read.render(), files);
        let again = mcp_contract::snapshot::Snapshot::of(&config.servers[0], &listing, Some(&read));
        assert_eq!(again.render(), files);
    }
}

/// The same offer in another order: tools and keys reversed. What is pinned holds, and the code is the same.
#[test]
fn a_listing_in_another_order_changes_no_byte() {
    let Some(listings) = listings() else { return };
    let config =
        mcp_contract::config::Config::parse("[[server]]\nname = \"s\"\ncommand = \"x\"\n", "servers.toml").unwrap();
    for path in listings.values() {
        let text = std::fs::read_to_string(path).unwrap();
        let shuffled = reversed(&mcp_contract::json::parse(&text).unwrap()).to_pretty();
        let listing = |text: &str| mcp_contract::listing::Listing::from_saved(text).unwrap();
        let snapshot = mcp_contract::snapshot::Snapshot::of(&config.servers[0], &listing(&text), None);
        let again = mcp_contract::snapshot::Snapshot::of(&config.servers[0], &listing(&shuffled), Some(&snapshot));
        assert_eq!(again.render(), snapshot.render(), "{}", path.display());
    }
}

/// A document with the members of all objects, and the tools, the other way round.
fn reversed(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members.iter().rev().map(|(key, member)| {
                let tools = key == "tools" && member.as_array().is_some();
                let turned = reversed(member);
                (key.clone(), if tools { turned_round(turned) } else { turned })
            });
            Json::Object(members.collect())
        }
        Json::Array(elements) => Json::Array(elements.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

fn turned_round(value: Json) -> Json {
    match value {
        Json::Array(elements) => Json::Array(elements.into_iter().rev().collect()),
        other => other,
    }
}

/// Every fourth listing, or every nth where `MCP_TRUTH=n` says so; all of them take half an hour.
fn some_listings() -> Option<BTreeMap<String, PathBuf>> {
    let mut paths: Vec<PathBuf> = listings()?.into_values().collect();
    paths.sort();
    let step = std::env::var("MCP_TRUTH").ok().and_then(|step| step.parse().ok()).filter(|step| *step > 0);
    let some = paths.into_iter().step_by(step.unwrap_or(4)).enumerate();
    Some(some.map(|(index, path)| (format!("s{index}"), path)).collect())
}

/// Compiles the code of all listings, with warnings denied, in a package that depends on the runtime and nothing else.
#[test]
fn the_code_of_every_listing_compiles() {
    let Some(listings) = listings() else { return };
    let project = project(&listings);
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    project.compile();
}

/// As a library and as a program, with clippy's default lints, and its docs.
#[test]
fn the_code_of_listings_compiles_in_every_way() {
    let Some(listings) = some_listings() else { return };
    let project = project(&listings);
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    project.compile_every_way();
}

/// The types of listings hold what their schemas accept, in compiled code.
#[test]
fn the_types_of_listings_hold_every_valid_instance() {
    let Some(listings) = some_listings() else { return };
    let project = project(&listings);
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    let truth = crate::truth::check(&project);
    println!(
        "{} listings: {} schemas, {} valid instances ({} schemas have fewer than 20, {} instances leave a tag out), {} near ones; {} wrong",
        listings.len(),
        truth.schemas,
        truth.instances,
        truth.poor.len(),
        truth.untagged,
        truth.nearly,
        truth.wrong.len()
    );
    assert_eq!(truth.wrong.join("\n"), "");
}
