//! A host's own screens: in a build and at run time, one that errs and one that panics, and one server's own before the one for all.

use std::collections::BTreeMap;

use mcp_codegen::{Contract, Options, generate};
use mcp_contract::admission::{AdmittedTool, Objection, Screens};
use mcp_runtime::Importer;
use serde_json::json;

use crate::project::{Project, hostile};

fn no_deletes(server: &str, tool: &AdmittedTool) -> Result<(), Objection> {
    if tool.remote_name().starts_with("delete") { Err(format!("{server} deletes nothing").into()) } else { Ok(()) }
}

fn panics(_: &str, _: &AdmittedTool) -> Result<(), Objection> {
    panic!("a screen with a bug")
}

fn listing(names: &[&str]) -> String {
    let tools =
        names.iter().map(|name| json!({"name": name, "description": "A tool.", "inputSchema": {"type": "object"}}));
    json!({"tools": tools.collect::<Vec<_>>()}).to_string()
}

fn project() -> Project {
    let project = Project::new(&(hostile("one", "ok") + &hostile("two", "ok")));
    project.write("listing.json", &listing(&["good", "delete_all"]));
    for name in ["one", "two"] {
        let listing = format!("{name}={}", project.path().join("listing.json").display());
        assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
    }
    project
}

/// The refused tools of each server, with their reasons.
fn refused(contract: &Contract) -> BTreeMap<String, Vec<String>> {
    let of = |server: &mcp_codegen::ServerContract| {
        let refused = server.admission.refused.iter();
        refused.map(|refused| format!("{}: {}", refused.remote_name, refused.reason)).collect()
    };
    contract.servers.iter().map(|server| (server.name.to_string(), of(server))).collect()
}

#[test]
fn a_build_generates_nothing_for_what_the_host_refuses() {
    let project = project();
    let config = project.path().join("servers.toml");
    let screens = Screens::default().all(no_deletes).server("two", panics);
    let contract = Contract::load(&config).unwrap().screened(&screens);
    let refused = refused(&contract);
    assert_eq!(refused["one"], ["delete_all: the host's screen refuses it: one deletes nothing"]);
    assert_eq!(refused["two"].len(), 2);
    assert!(refused["two"][1].ends_with("the screen panicked"), "{refused:?}");
    let generated = generate(&contract, &Options::new(&config)).unwrap();
    let module = &generated.files["one.rs"];
    assert!(module.contains("pub struct Good") && !module.contains("pub struct DeleteAll {"), "{module}");
    assert!(generated.summary.to_string().contains("refused \"delete_all\""));
}

#[tokio::test]
async fn at_run_time_a_refused_tool_is_not_there() {
    let project = project();
    let importer = Importer::builder(project.contract())
        .base(project.path())
        .screen_server("two", |_: &str, _: &AdmittedTool| -> Result<(), Objection> { Ok(()) })
        .screen_async(|server, tool| async move {
            tokio::task::yield_now().await;
            assert!(tool.remote_name() != "good", "a screen with a bug");
            no_deletes(&server, &tool)
        })
        .start()
        .await
        .unwrap();
    let names: Vec<String> = importer.imported_tools().into_iter().map(|tool| tool.local_name).collect();
    assert_eq!(names, ["two_delete_all", "two_good"], "one's tools were objected to or could not be judged");
    let error = importer.call("one_good", json!({}), mcp_runtime::CallOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("one_good"), "{error}");
    importer.close().await;
}
