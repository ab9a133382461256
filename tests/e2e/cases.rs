//! Small inputs from public reports of what other generators got wrong, with the right answer.

use std::path::Path;

use mcp_contract::schema::CompiledSchema;
use serde_json::{Value, json};

use crate::project::Project;
use crate::skip;
use crate::truth::{answers, equal};

/// The cases of some areas, by file name.
pub(crate) fn cases(areas: &[&str]) -> Option<Vec<(String, Value)>> {
    let folder = skip::folder("MCP_CORPUS", "tests over cases of other generators")?.join("cases/schemas");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |path: &Path| serde_json::from_str::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = files.into_iter().map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), read(&path)));
    Some(cases.filter(|(_, case)| areas.contains(&case["area"].as_str().unwrap())).collect())
}

/// A project whose servers offer these listings, with code.
fn project(servers: &[(String, Value)]) -> Project {
    let tables = servers.iter().map(|(name, _)| format!("[[server]]\nname = \"{name}\"\ncommand = \"unused\"\n\n"));
    let project = Project::new(&tables.collect::<String>());
    let mut line = vec!["snapshot".to_owned(), "--accept".to_owned()];
    for (name, tools) in servers {
        project.write(&format!("{name}.json"), &tools.to_string());
        line.extend([
            "--listing".to_owned(),
            format!("{name}={}", project.path().join(format!("{name}.json")).display()),
        ]);
    }
    let said = project.run(&line.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(said.ends_with("exit code 0"), "{said}");
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    project
}

/// The schema of a case as the schema of a tool, which is about an object, and how its instances are wrapped.
fn of_object(schema: &Value) -> (Value, bool) {
    let composed =
        ["anyOf", "oneOf", "allOf", "properties", "patternProperties"].iter().any(|word| schema.get(*word).is_some());
    let mut schema = schema.clone();
    match schema.get("type") {
        Some(name) if name == "object" => (schema, false),
        None if composed => {
            schema["type"] = json!("object");
            (schema, false)
        }
        _ => (json!({"type": "object", "properties": {"value": schema}, "required": ["value"]}), true),
    }
}

#[test]
fn types_hold_what_the_cases_say() {
    let Some(cases) = cases(&["types", "names"]) else { return };
    let (mut tools, mut questions, mut wrong, mut judged) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (name, case) in &cases {
        let input = &case["input"];
        let schema = input.get("schema").or_else(|| input.get("tool").map(|tool| &tool["inputSchema"]));
        let (Some(schema), Some(instances)) = (schema, input["instances"].as_array()) else { continue };
        let (schema, wrapped) = of_object(schema);
        let compiled = CompiledSchema::compile(&mcp_contract::json::parse(&schema.to_string()).unwrap()).unwrap();
        let wrap = |value: &Value| if wrapped { json!({"value": value}) } else { value.clone() };
        for (index, valid) in case["expect"]["valid"].as_array().into_iter().flatten().enumerate() {
            judged += 1;
            if compiled.is_valid(&wrap(&instances[index])) != valid.as_bool().unwrap() {
                wrong.push(format!("{name}: instance {index} is judged otherwise"));
            }
        }
        for index in case["expect"]["roundtrip"].as_array().into_iter().flatten() {
            let instance = wrap(&instances[usize::try_from(index.as_u64().unwrap()).unwrap()]);
            questions.extend(["in", "out"].map(|side| (format!("cases {side} {name}"), true, instance.clone())));
        }
        tools.push(json!({"name": name, "inputSchema": schema, "outputSchema": schema}));
    }
    let project = project(&[("cases".to_owned(), json!(tools))]);
    for ((key, _, instance), answer) in questions.iter().zip(answers(&project, &questions)) {
        let arguments = key.contains(" in ");
        match answer {
            Ok(back) if equal(instance, &back, arguments) || only_undeclared_is_lost(key, &back) => {}
            answer => wrong.push(format!("{key}: {instance} -> {answer:?}")),
        }
    }
    println!("{} cases, {judged} judged instances, {} round trips", cases.len(), questions.len());
    assert_eq!(wrong, Vec::<String>::new());
}

/// An object that is merely open has no catch-all: what nobody declared stands in the raw result.
fn only_undeclared_is_lost(key: &str, back: &Value) -> bool {
    key.ends_with("023-open-object-by-default") && *back == json!({"aaa": "x"})
}

#[test]
fn names_that_meet_stay_apart() {
    let Some(cases) = cases(&["names"]) else { return };
    let mut servers = Vec::new();
    for (name, case) in &cases {
        let number = name.split('-').next().unwrap();
        for (index, server) in case["input"]["servers"].as_array().into_iter().flatten().enumerate() {
            servers.push((
                format!("s{number}{}", char::from(b'a' + u8::try_from(index).unwrap())),
                server["tools"].clone(),
            ));
        }
        let tool = case["input"].get("tool").map(|tool| (format!("t{number}"), json!([tool])));
        servers.extend(tool);
    }
    let project = project(&servers);
    project.compile();
    let contract = mcp_codegen::Contract::load(&project.path().join("servers.toml")).unwrap();
    let local: Vec<&str> = contract
        .servers
        .iter()
        .flat_map(|server| &server.admission.admitted)
        .map(mcp_contract::admission::AdmittedTool::local_name)
        .collect();
    let distinct: std::collections::BTreeSet<&str> = local.iter().copied().collect();
    assert_eq!(local.len(), distinct.len(), "{local:?}");
    // Two definitions under one name: neither is taken, and both are told of. One name has a letter of another script, which the screens see.
    let refused: Vec<&str> = contract
        .servers
        .iter()
        .flat_map(|server| &server.admission.refused)
        .map(|tool| tool.remote_name.as_str())
        .collect();
    assert_eq!(refused, ["run", "B\u{430}sh"]);
}

#[tokio::test]
async fn results_are_taken_and_judged_as_the_cases_say() {
    use mcp_runtime::testing::{Fault, TestServer};
    use mcp_runtime::{CallError, CallOptions, Importer};
    let Some(cases) = cases(&["results"]) else { return };
    let schema_and_result =
        |case: &Value| Some((case["input"].get("outputSchema").cloned(), case["input"].get("result")?.clone()));
    let tools: Vec<Value> = cases
        .iter()
        .filter_map(|(name, case)| {
            let (schema, _) = schema_and_result(case)?;
            let mut tool = json!({"name": name, "inputSchema": {"type": "object"}});
            if let Some(schema) = schema {
                tool["outputSchema"] = schema;
            }
            Some(tool)
        })
        .collect();
    let project = Project::new("[[server]]\nname = \"s\"\ncommand = \"unused\"\nkind = \"read\"\nnamespace = \"c\"\n");
    project.write("tools.json", &json!(tools).to_string());
    let listing = format!("s={}", project.path().join("tools.json").display());
    assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
    let server = TestServer::new(tools);
    let pipes = server.clone();
    let importer = Importer::builder(project.contract()).transport("s", move || pipes.pipe()).start().await.unwrap();
    let (mut judged, mut wrong) = (0, Vec::new());
    for (name, case) in &cases {
        let (Some((_, result)), Some(accept)) = (schema_and_result(case), case["expect"]["accept"].as_bool()) else {
            continue;
        };
        judged += 1;
        server.plan(name, Fault::Says(result.clone()));
        let local = importer.imported_tools().into_iter().find(|tool| tool.remote_name == *name);
        let Some(local) = local else {
            wrong.push(format!("{name}: the tool is not there"));
            continue;
        };
        let answer = importer.call(&local.local_name, json!({}), CallOptions::default()).await;
        let (taken, raw) = match &answer {
            Ok(reply) => (reply.violations().is_empty(), Some(reply.raw())),
            // The tool's own failure is delivered, and is not held to the schema of its success.
            Err(CallError::Tool { reply, .. }) => (true, Some(reply.raw())),
            Err(_) => (false, None),
        };
        if taken != accept || raw != Some(&result) {
            wrong.push(format!("{name}: {answer:?}"));
        }
    }
    println!("{judged} results judged");
    assert_eq!(wrong, Vec::<String>::new());
}
