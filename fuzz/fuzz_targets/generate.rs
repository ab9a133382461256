//! From the text of a listing to Rust: whatever a server sends, it is refused or becomes code that parses, in bounded steps.

#![no_main]

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use mcp_codegen::{Contract, Options, ServerContract, generate};
use mcp_contract::config::Config;
use mcp_contract::listing::Listing;
use mcp_contract::screen::Signal;
use mcp_contract::snapshot::{Snapshot, admit};

fuzz_target!(|text: &str| {
    // The whole text as a listing, and as the schema of one tool.
    let as_schema = format!("[{{\"name\": \"tool\", \"inputSchema\": {text}, \"outputSchema\": {text}}}]");
    for text in [text, &as_schema] {
        if let Ok(listing) = Listing::from_saved(text) {
            code(&listing);
        }
    }
});

fn code(listing: &Listing) {
    // What the screens find is accepted: it is what comes behind them that is looked at.
    let risk = |signal: &Signal| format!("{{ tool = \"*\", signal = \"{signal}\", reason = \"fuzzing\" }}");
    let risks: Vec<String> = Signal::ALL.iter().map(risk).collect();
    let text = format!("[[server]]\nname = \"s\"\ncommand = \"x\"\naccept_risk = [{}]\n", risks.join(", "));
    let config = Config::parse(&text, "servers.toml").expect("a plain configuration");
    let server = &config.servers[0];
    let mut snapshot = Snapshot::of(server, listing, None);
    let admission = admit(std::iter::once((server, &snapshot))).servers.remove(0);
    snapshot.pin_names(&admission);
    let read = Snapshot::read(&snapshot.render()).expect("what was written reads back");
    assert_eq!(read, snapshot);
    let servers = vec![ServerContract { name: server.name.clone(), snapshot, admission }];
    let base = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let contract = Contract { base, file: "servers.toml".to_owned(), config, servers, problems: Vec::new() };
    // Code that does not parse is a defect, and an error here.
    generate(&contract, &Options::default()).expect("code that parses");
}
