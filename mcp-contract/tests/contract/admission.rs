//! Decoding and inspection: a bad tool costs itself.

use mcp_contract::admission::{Note, Reason, inspect};
use mcp_contract::config::Config;
use mcp_contract::definition::ToolDefinition;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, SnapshotError, launch_hash};
use serde_json::json;

fn config(more: &str) -> Config {
    Config::parse(&format!("[[server]]\nname = \"s\"\ncommand = \"x\"\n{more}"), "servers.toml").unwrap()
}

fn verdict(tool: &serde_json::Value) -> Result<Vec<Note>, Reason> {
    let listing = Listing::from_saved(&json!([tool]).to_string()).unwrap();
    let inspection = inspect(&config("").servers[0], &listing);
    match (inspection.candidates(), inspection.refused()) {
        ([candidate], []) => Ok(candidate.notes().to_vec()),
        ([], [refused]) => Err(refused.reason.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_refusal_has_its_reason_at_a_pointer() {
    let tool = |more: serde_json::Value| {
        let mut tool = json!({"name": "t", "inputSchema": {"type": "object"}});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool
    };
    for (tool, pointer) in [
        (json!({"name": "t"}), "/inputSchema"),
        (tool(json!({"inputSchema": null})), "/inputSchema"),
        (tool(json!({"inputSchema": true})), "/inputSchema"),
        (tool(json!({"inputSchema": {"type": "string"}})), "/inputSchema/type"),
        (tool(json!({"inputSchema": {"type": ["string", "null"]}})), "/inputSchema/type"),
        (tool(json!({"inputSchema": {"properties": {"n": {"type": "int"}}}})), "/inputSchema/properties/n/type"),
        (tool(json!({"description": 7})), "/description"),
        (tool(json!({"title": []})), "/title"),
        (tool(json!({"execution": {"taskSupport": "required"}})), "/execution/taskSupport"),
    ] {
        assert_eq!(verdict(&tool).unwrap_err().pointer().as_str(), pointer, "{tool}");
    }
    for (tool, note) in [
        (tool(json!({"description": null, "title": null})), None),
        (tool(json!({"outputSchema": {"type": "int"}})), Some("/outputSchema is left out")),
        (tool(json!({"outputSchema": 7})), Some("/outputSchema is left out")),
        (tool(json!({"annotations": []})), Some("/annotations is ignored: it is array")),
        (tool(json!({"annotations": {"readOnlyHint": "yes"}})), Some("/annotations/readOnlyHint is ignored")),
        (tool(json!({"name": "with space"})), Some("/name leaves the characters")),
        (
            tool(json!({"inputSchema": {"type": "object", "properties": {"a": {"pattern": "\\-"}}}})),
            Some("older grammar"),
        ),
        (tool(json!({"inputSchema": {}})), Some("/inputSchema/type is missing")),
        (tool(json!({"unknown": {"member": 1}, "execution": {"taskSupport": "optional"}})), None),
    ] {
        let notes: Vec<String> = verdict(&tool).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), usize::from(note.is_some()), "{tool}: {notes:?}");
        assert!(note.is_none_or(|note| notes[0].contains(note)), "{tool}: {notes:?}");
    }
}

#[test]
fn hints_of_a_wrong_type_widen_no_trust() {
    let tool = |hints: serde_json::Value| {
        ToolDefinition::decode(&json!({"name": "t", "annotations": hints}).to_string()).unwrap()
    };
    assert_eq!(tool(json!({"readOnlyHint": true})).annotations().read_only, Some(true));
    for hints in [json!({"readOnlyHint": "true"}), json!({"readOnlyHint": 1}), json!([true]), json!(null)] {
        assert_eq!(tool(hints).annotations().read_only, None);
    }
}

#[test]
fn selection_is_on_remote_names_and_exclude_comes_last() {
    let listing = Listing::from_saved(
        &json!([{"name": "get.a", "inputSchema": {}}, {"name": "get.b", "inputSchema": {}}, {"name": "bad"}])
            .to_string(),
    )
    .unwrap();
    let inspection = inspect(&config("include = [\"get.*\"]\nexclude = [\"*.b\", \"s_get_a\"]\n").servers[0], &listing);
    let names: Vec<&str> = inspection.candidates().iter().map(|candidate| candidate.definition().name()).collect();
    assert_eq!((names, inspection.refused().len()), (vec!["get.a"], 0));
}

#[test]
fn a_launch_is_hashed_without_its_secrets() {
    let hash = |more: &str| launch_hash(&config(more).servers[0]);
    assert_eq!(hash("env = { A = \"1\" }\n"), hash("env = { A = \"2\" }\nrequired = true\n"));
    assert_ne!(hash("env = { A = \"1\" }\n"), hash("env = { B = \"1\" }\n"));
    assert_ne!(hash("args = [\"a\", \"b\"]\n"), hash("args = [\"a b\"]\n"));
    assert_ne!(hash(""), hash("args = [\"x\"]\n"));
}

#[test]
fn a_snapshot_that_does_not_fit_itself_is_refused() {
    let listing = Listing::from_saved(&json!([{"name": "a", "inputSchema": {}}, 7]).to_string()).unwrap();
    let snapshot = Snapshot::of(&config("").servers[0], &listing, None);
    let files = snapshot.render();
    let read = |edit: &dyn Fn(&mut mcp_contract::snapshot::Files)| {
        let mut files = files.clone();
        edit(&mut files);
        Snapshot::read(&files)
    };
    assert_eq!(read(&|_| {}).unwrap(), snapshot);
    assert!(matches!(read(&|files| drop(files.remove("server.json"))), Err(SnapshotError::NoManifest)));
    assert!(matches!(read(&|files| drop(files.remove("a.json"))), Err(SnapshotError::Missing { .. })));
    assert!(matches!(
        read(&|files| drop(files.insert("b.json".to_owned(), String::new()))),
        Err(SnapshotError::Stray { .. })
    ));
    assert!(matches!(
        read(&|files| *files.get_mut("a.json").unwrap() = "{".to_owned()),
        Err(SnapshotError::Json { .. })
    ));
    assert!(matches!(
        read(&|files| *files.get_mut("a.json").unwrap() = "{}".to_owned()),
        Err(SnapshotError::Shape { .. })
    ));
    let edited = |from: &'static str, to: &'static str| {
        read(&move |files| *files.get_mut("a.json").unwrap() = files["a.json"].replace(from, to))
    };
    assert!(matches!(edited("\"inputSchema\": {}", "\"inputSchema\": {\"x\": 1}"), Err(SnapshotError::Digest { .. })));
    // Spelling is not meaning: what an editor or a merge re-indents still has its digest.
    assert!(edited("\n", "\n\n").is_ok());
    let format = read(&|files| {
        *files.get_mut("server.json").unwrap() = files["server.json"].replace("\"format\": 1", "\"format\": 2");
    });
    assert!(matches!(format, Err(SnapshotError::Format)));
}

#[test]
fn what_decodes_reads_back_however_deep_and_however_named() {
    let deep = |levels: usize| {
        let nested = "[".repeat(levels) + &"]".repeat(levels);
        format!(r#"{{"name":"deep","inputSchema":{{}},"_meta":{nested}}}"#)
    };
    assert!(ToolDefinition::decode(&deep(127)).is_err());
    let twins = json!([{"name": "a/b", "inputSchema": {}}, {"name": "a_b-c14cddc0", "inputSchema": {}}]).to_string();
    for saved in [format!("[{}]", deep(119)), twins] {
        let listing = Listing::from_saved(&saved).unwrap();
        let snapshot = Snapshot::of(&config("").servers[0], &listing, None);
        let files = snapshot.render();
        assert_eq!(files.len(), listing.tools.len() + 1);
        assert_eq!(Snapshot::read(&files).unwrap(), snapshot);
    }
}

#[test]
fn entries_that_are_no_tools_do_not_drift_with_their_order() {
    let listing = |saved: serde_json::Value| Listing::from_saved(&saved.to_string()).unwrap();
    let one = listing(json!([7, {"name": "d", "description": "One."}, "x", {"name": "d", "description": "Two."}]));
    let other = listing(json!([{"description": "Two.", "name": "d"}, "x", {"name": "d", "description": "One."}, 7]));
    let config = config("");
    let first = Snapshot::of(&config.servers[0], &one, None);
    let second = Snapshot::of(&config.servers[0], &other, Some(&first));
    assert!(first.same_offer(&second));
    assert_eq!(first.render(), second.render());
}
