//! The JSON-Schema-Test-Suite through our validator: drafts 7 and 2020-12, what they require.

use std::path::Path;

use mcp_contract::json::parse;
use mcp_contract::schema::CompiledSchema;
use serde_json::Value;

use crate::skip;

/// Schemas that we refuse on purpose: the file, words of the group's description, and why. What is refused is never judged wrongly.
const REFUSED: &[(&str, &str, &str)] = &[
    ("definitions.json", "metaschema", "refers to the meta-schema, which no document of a tool holds"),
    ("defs.json", "metaschema", "refers to the meta-schema"),
    ("ref.json", "remote ref, containing refs itself", "refers to the meta-schema"),
    ("dynamicRef.json", "", "dynamic references over several schemas, or over other documents, are not followed"),
    ("unevaluatedItems.json", "unevaluatedItems with $dynamicRef", "a dynamic reference over several schemas"),
    (
        "unevaluatedProperties.json",
        "unevaluatedProperties with $dynamicRef",
        "a dynamic reference over several schemas",
    ),
    ("vocabulary.json", "optional vocabulary", "names a meta-schema of its own"),
    ("vocabulary.json", "custom metaschema", "names a meta-schema of its own"),
];

#[test]
fn required_tests_pass() {
    let Some(folder) = skip::folder("MCP_CORPUS", "the JSON-Schema-Test-Suite") else { return };
    let suite = folder.join("json-schema-test-suite");
    let (mut wrong, mut passed) = (Vec::new(), 0);
    for (draft, dialect) in [
        ("draft7", "http://json-schema.org/draft-07/schema#"),
        ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ] {
        let mut files: Vec<_> =
            std::fs::read_dir(suite.join(draft)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        assert!(files.len() > 30, "{draft} has {} files", files.len());
        for file in files {
            // Their schemas lie on a server; nothing is ever fetched.
            if file.ends_with("refRemote.json") {
                continue;
            }
            run(draft, dialect, &file, &mut wrong, &mut passed);
        }
    }
    println!("{passed} tests passed");
    // What docs/screening.md says.
    assert_eq!(passed, 2_125);
    assert_eq!(wrong.join("\n"), "");
}

fn run(draft: &str, dialect: &str, file: &Path, wrong: &mut Vec<String>, passed: &mut usize) {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let groups: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for group in groups {
        let about = group["description"].as_str().unwrap();
        let mut schema = group["schema"].clone();
        if let Value::Object(members) = &mut schema {
            members.entry("$schema").or_insert_with(|| dialect.into());
        }
        let compiled = CompiledSchema::compile_any(&parse(&schema.to_string()).unwrap());
        for test in group["tests"].as_array().unwrap() {
            let what = test["description"].as_str().unwrap();
            let known = REFUSED.iter().any(|(file, words, _)| *file == name && about.contains(words));
            let right = match &compiled {
                Ok(schema) => {
                    let valid = schema.violations(&test["data"]).is_empty();
                    assert_eq!(valid, schema.is_valid(&test["data"]), "{draft} {name}: {about}: {what}");
                    valid == test["valid"].as_bool().unwrap()
                }
                Err(_) => false,
            };
            if right {
                *passed += 1;
            } else if !known || compiled.is_ok() {
                let error = compiled.as_ref().err().map(ToString::to_string).unwrap_or_default();
                wrong.push(format!("{draft} {name}: {about}: {what} {error}"));
            }
        }
    }
}
