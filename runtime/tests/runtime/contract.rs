//! What generated code would embed, made of a configuration and listings, and importers over it.

use mcp_contract::config::Config;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, admit};
use mcp_runtime::testing::TestServer;
use mcp_runtime::{Approval, Builder, Contract, Importer, ServerContract};
use serde_json::{Value, json};

/// The contract of some servers, each with what it listed when it was accepted.
pub(crate) fn contract(config: &str, listings: &[(&str, Vec<Value>)]) -> Contract {
    let parsed = Config::parse(config, "servers.toml").unwrap();
    let mut snapshots: Vec<Snapshot> = listings
        .iter()
        .map(|(name, tools)| {
            let listing = Listing::from_saved(&Value::Array(tools.clone()).to_string()).unwrap();
            Snapshot::of(parsed.server(name).unwrap(), &listing, None)
        })
        .collect();
    let servers = listings.iter().map(|(name, _)| parsed.server(name).unwrap());
    let admission = admit(servers.zip(&snapshots));
    for (snapshot, admission) in snapshots.iter_mut().zip(&admission.servers) {
        snapshot.pin_names(admission);
    }
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let servers = listings.iter().zip(&snapshots).map(|((name, _), snapshot)| {
        let mut files = snapshot.render();
        let manifest = leak(files.remove("server.json").unwrap());
        let tools = files.into_iter().map(|(file, text)| (leak(file), leak(text))).collect();
        ServerContract { name: leak((*name).to_owned()), manifest, tools: Vec::leak(tools) }
    });
    Contract { config: leak(config.to_owned()), servers: Vec::leak(servers.collect()) }
}

/// A configuration of servers that the tests reach over pipes; what follows a name is further lines of its table.
pub(crate) fn config(servers: &[(&str, &str)]) -> String {
    let table =
        |(name, lines): &(&str, &str)| format!("[[server]]\nname = \"{name}\"\ncommand = \"unused\"\n{lines}\n");
    servers.iter().map(table).collect::<Vec<_>>().concat()
}

/// A definition of a tool that takes anything.
pub(crate) fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}})
}

/// A builder over one server `s` and its tools, with everything approved.
pub(crate) fn one(lines: &str, tools: &[Value], server: &TestServer) -> Builder {
    let server = server.clone();
    Importer::builder(contract(&config(&[("s", lines)]), &[("s", tools.to_vec())]))
        .transport("s", move || server.pipe())
        .approver(|_| async { Approval::Granted })
}

/// An importer over a server with one tool, `t`.
pub(crate) async fn simple(lines: &str) -> (TestServer, Importer) {
    let tools = [tool("t")];
    let server = TestServer::new(tools.clone());
    let importer = one(lines, &tools, &server).start().await.unwrap();
    (server, importer)
}
