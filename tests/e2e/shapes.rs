//! Every kind of schema as a tool: its code compiles, and its types hold what it accepts.

use std::fmt::Write as _;
use std::path::Path;

use crate::project::Project;
use crate::truth;

/// A listing with one tool for each schema of the table, which stands for arguments and result.
fn listing() -> String {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("mcp-codegen/tests/schemas.json");
    let table = mcp_contract::json::parse(&std::fs::read_to_string(table).unwrap()).unwrap();
    let tools = table.as_object().unwrap().iter().map(|(name, schema)| {
        let (name, schema) = (serde_json::json!(name), schema.to_pretty());
        // A tool's schemas say that they are about objects; the schemas of the table may leave it to their alternatives.
        let schema = schema.replacen('{', "{\"type\": \"object\",", usize::from(!schema.contains("\n  \"type\"")));
        format!("{{\"name\": {name}, \"inputSchema\": {schema}, \"outputSchema\": {schema}}}")
    });
    format!("[{}]", tools.collect::<Vec<_>>().join(","))
}

#[test]
fn the_types_of_every_kind_of_schema_hold_every_valid_instance() {
    // A server without tools, and with the name of a type that every reader knows.
    let servers = ["table", "box"].map(|name| format!("[[server]]\nname = \"{name}\"\ncommand = \"unused\"\n\n"));
    let project = Project::new(&servers.concat());
    project.write("listing.json", &listing());
    project.write("empty.json", "[]");
    let listing = format!("table={}", project.path().join("listing.json").display());
    let empty = format!("box={}", project.path().join("empty.json").display());
    let said = project.run(&["snapshot", "--listing", &listing, "--listing", &empty]);
    assert!(said.ends_with("exit code 0"), "{said}");
    let mut refused = String::new();
    let contract = mcp_codegen::Contract::load(&project.path().join("servers.toml")).unwrap();
    for tool in &contract.servers[0].admission.refused {
        writeln!(refused, "{}: {}", tool.remote_name, tool.reason).unwrap();
    }
    assert_eq!(refused, "");
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    project.compile_every_way();
    let truth = truth::check(&project);
    assert_eq!(truth.wrong.join("\n"), "");
    assert!(truth.instances > 1000, "{truth:?}");
}
