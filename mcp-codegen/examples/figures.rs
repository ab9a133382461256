//! The generator's figures over a folder of saved listings, printed by one command:
//! `cargo run --release -p mcp-codegen --example figures -- FOLDER`.
//!
//! How many tools are admitted, how many of the members that their schemas constrain are typed and why the others are not, how many
//! lines a tool takes, and how long the generation of all of them takes.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcp_codegen::{Contract, Options, ServerContract, generate};
use mcp_contract::config::Config;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, admit};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: figures FOLDER (of saved tools/list replies)")?;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let package = tempfile::tempdir()?;
    std::fs::write(package.path().join("Cargo.toml"), "")?;
    let mut figures = Figures::default();
    for (index, file) in files.iter().enumerate() {
        figures.add(&contract(package.path(), index, file)?)?;
    }
    figures.print();
    scaling(package.path(), &files)
}

/// All tools as those of one server, and parts of them: the time for each tool and the memory must not grow with their number.
fn scaling(base: &Path, files: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let mut tools = Vec::new();
    for (index, file) in files.iter().enumerate() {
        for tool in Listing::from_saved(&std::fs::read_to_string(file)?)?.tools {
            let mut definition = tool.document().to_value()?;
            definition["name"] = format!("s{index}_{}", tool.name()).into();
            tools.push(definition);
        }
    }
    for share in [8, 4, 2, 1] {
        let part: Vec<&Value> = tools.iter().step_by(share).collect();
        let listing = base.join("listing.json");
        std::fs::write(&listing, serde_json::to_string(&part)?)?;
        let contract = contract(base, 0, &listing)?;
        let began = Instant::now();
        let generated = generate(&contract, &Options::default())?;
        let spent = began.elapsed();
        let bytes: usize = generated.files.values().map(String::len).sum();
        let each = spent / u32::try_from(part.len())?;
        println!("{} tools of one server: {each:?} and {} bytes of code a tool", part.len(), bytes / part.len());
    }
    Ok(())
}

/// A contract with one server that offers what a file says.
fn contract(base: &Path, index: usize, file: &Path) -> Result<Contract, Box<dyn Error>> {
    let text = format!("[[server]]\nname = \"s{index}\"\ncommand = \"unused\"\n");
    let config = Config::parse(&text, "servers.toml")?;
    let server = &config.servers[0];
    let listing = Listing::from_saved(&std::fs::read_to_string(file)?)?;
    let mut snapshot = Snapshot::of(server, &listing, None);
    let admission = admit(std::iter::once((server, &snapshot))).servers.remove(0);
    snapshot.pin_names(&admission);
    let servers = vec![ServerContract { name: server.name.clone(), snapshot, admission }];
    Ok(Contract { base: base.to_owned(), file: "servers.toml".to_owned(), config, servers, problems: Vec::new() })
}

#[derive(Default)]
struct Figures {
    listed: usize,
    refused: Vec<String>,
    lines: Vec<usize>,
    constrained: usize,
    untyped: BTreeMap<&'static str, Vec<String>>,
    spent: Duration,
}

impl Figures {
    fn add(&mut self, contract: &Contract) -> Result<(), Box<dyn Error>> {
        let server = &contract.servers[0];
        self.listed += server.snapshot.tools.len();
        let began = Instant::now();
        let generated = generate(contract, &Options::default())?;
        self.spent += began.elapsed();
        let summary = &generated.summary.servers[0];
        self.refused.extend(summary.refused.iter().map(|tool| format!("{}: {}", tool.remote_name, tool.reason)));
        self.constrained += summary.constrained;
        for part in &summary.untyped {
            self.untyped
                .entry(part.reason())
                .or_default()
                .push(format!("{} {} {}", summary.server, part.tool, part.pointer));
        }
        self.lines.extend(lines(contract)?);
        Ok(())
    }

    fn print(mut self) {
        self.lines.sort_unstable();
        let (tools, total) = (self.lines.len(), self.lines.iter().sum::<usize>());
        println!("tools listed {}, admitted {tools}", self.listed);
        self.refused.iter().for_each(|refused| println!("  refused {refused}"));
        let untyped: usize = self.untyped.values().map(Vec::len).sum();
        println!("members that a schema constrains {}, of which {untyped} are any JSON or hold it", self.constrained);
        for (reason, parts) in &self.untyped {
            println!("  {} because {reason}", parts.len());
            parts.iter().take(400).for_each(|part| println!("    {part}"));
        }
        let at = |part: usize| self.lines[(tools - 1) * part / 100];
        println!("lines a tool: median {}, p90 {}, p99 {}, largest {}, all {total}", at(50), at(90), at(99), at(100));
        println!("lines a tool on the mean: {:.1}", average(total, tools));
        println!(
            "generation of all: {:?}, {:?} a tool",
            self.spent,
            self.spent / u32::try_from(tools).unwrap_or(u32::MAX)
        );
    }
}

/// How many lines each tool adds to a module that has other tools.
fn lines(contract: &Contract) -> Result<Vec<usize>, Box<dyn Error>> {
    let count = |tools: &[usize]| -> Result<usize, Box<dyn Error>> {
        let files = generate(&only(contract, tools), &Options::default())?.files;
        Ok(files.iter().filter(|(name, _)| *name != "mod.rs").map(|(_, text)| text.lines().count()).sum())
    };
    let tools = contract.servers[0].admission.admitted.len();
    // What a module has of its own shows where two tools share it.
    let own = if tools > 1 { count(&[0])? + count(&[1])? - count(&[0, 1])? } else { count(&[])? };
    (0..tools).map(|index| Ok(count(&[index])? - own)).collect()
}

/// The same contract with some of its admitted tools.
fn only(contract: &Contract, tools: &[usize]) -> Contract {
    let server = &contract.servers[0];
    let mut admission = server.admission.clone();
    admission.refused.clear();
    admission.admitted = tools.iter().map(|index| admission.admitted[*index].clone()).collect();
    Contract {
        base: contract.base.clone(),
        file: contract.file.clone(),
        config: contract.config.clone(),
        servers: vec![ServerContract { name: server.name.clone(), snapshot: server.snapshot.clone(), admission }],
        problems: Vec::new(),
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of lines")]
fn average(total: usize, count: usize) -> f64 {
    total as f64 / count.max(1) as f64
}
