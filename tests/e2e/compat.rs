//! What is proved of two schemas holds for instances: of real changes, and of real schemas changed at random.

use std::collections::BTreeSet;

use mcp_contract::compat::inclusion;
use mcp_contract::json::{Json, Pointer, parse};
use mcp_contract::listing::Listing;
use mcp_contract::schema::{CompiledSchema, subschemas};
use serde_json::{Map, Value, json};

use crate::instances::valid;
use crate::random::Random;
use crate::skip;

/// How many instances are made of each schema.
const INSTANCES: usize = 12;

/// Whether each instance of a schema that is said to be taken is taken. Gives how many were looked at, and what is wrong.
fn held(producer: &CompiledSchema, acceptor: &CompiledSchema, random: &mut Random) -> (usize, Vec<String>) {
    let found = inclusion(producer, acceptor);
    let mut wrong = Vec::new();
    for gap in &found.gaps {
        if let Some(witness) = &gap.witness
            && (!producer.is_valid(witness) || acceptor.is_valid(witness))
        {
            wrong.push(format!("no witness: {witness}"));
        }
    }
    if !found.gaps.is_empty() {
        return (0, wrong);
    }
    let instances = valid(producer, INSTANCES, random);
    // A format that both name counts as held by both, although one dialect asserts formats and another does not.
    let by_format_alone =
        |instance: &Value| acceptor.violations(instance).iter().all(|violation| violation.keyword == "format");
    let refused = instances.iter().filter(|instance| !acceptor.is_valid(instance) && !by_format_alone(instance));
    wrong.extend(refused.map(|instance| format!("said to be taken: {instance}")));
    (instances.len(), wrong)
}

#[test]
fn what_is_proved_of_real_changes_holds() {
    let Some(folder) = skip::folder("MCP_CORPUS", "tests over changes of real packages") else { return };
    let folder = folder.join("drift");
    let rows = std::fs::read_to_string(folder.join("pairs.jsonl")).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let pairs: BTreeSet<[String; 3]> =
        rows.map(|row| ["slug", "from", "to"].map(|word| row[word].as_str().unwrap().to_owned())).collect();
    let mut random = Random::new(1);
    let (mut proofs, mut instances, mut wrong) = (0, 0, Vec::new());
    for [slug, from, to] in pairs {
        let listing = |version: &str| {
            let text = std::fs::read_to_string(folder.join(format!("captures/{slug}@{version}.json"))).unwrap();
            Listing::from_saved(&text).unwrap()
        };
        let (old, new) = (listing(&from), listing(&to));
        for tool in &old.tools {
            let Some(later) = new.tools.iter().find(|later| later.name() == tool.name()) else { continue };
            for member in ["inputSchema", "outputSchema"] {
                let compiled = |document: &Json| CompiledSchema::compile(document.get(member)?).ok();
                let (Some(one), Some(other)) = (compiled(tool.document()), compiled(later.document())) else {
                    continue;
                };
                for (producer, acceptor) in [(&one, &other), (&other, &one)] {
                    let (count, found) = held(producer, acceptor, &mut random);
                    proofs += usize::from(count > 0);
                    instances += count;
                    wrong.extend(
                        found.into_iter().map(|what| format!("{slug} {from} {to} {} {member}: {what}", tool.name())),
                    );
                }
            }
        }
    }
    println!("{proofs} proofs held to {instances} instances");
    assert_eq!(wrong, Vec::<String>::new());
}

/// A schema with one place changed at random.
fn changed(schema: &Value, random: &mut Random) -> Value {
    let mut schema = schema.clone();
    let mut places = Vec::new();
    collect(&schema, &Pointer::root(), &mut places);
    let place = &places[random.below(places.len())];
    let Some(Value::Object(members)) = schema.pointer_mut(place.as_str()) else { return schema };
    edit(members, random);
    schema
}

/// The schemas of a schema.
fn collect(value: &Value, at: &Pointer, places: &mut Vec<Pointer>) {
    let Value::Object(members) = value else { return };
    places.push(at.clone());
    for (place, _, member) in subschemas(members) {
        collect(member, &at.join(&place), places);
    }
}

fn edit(members: &mut Map<String, Value>, random: &mut Random) {
    let edits: [(&str, Value); 22] = [
        ("type", json!("string")),
        ("type", json!(["string", "null"])),
        ("type", json!(["integer", "boolean"])),
        ("type", json!("number")),
        ("minimum", json!(1)),
        ("exclusiveMaximum", json!(10)),
        ("minLength", json!(1)),
        ("maxLength", json!(3)),
        ("pattern", json!("^[a-z]+$")),
        ("pattern", json!("^[a-z]{1,3}$")),
        ("enum", json!(["a", "b", 1, null])),
        ("const", json!("a")),
        ("additionalProperties", json!(false)),
        ("additionalProperties", json!({"type": "string"})),
        ("additionalProperties", json!(true)),
        ("minItems", json!(1)),
        ("maxItems", json!(2)),
        ("uniqueItems", json!(true)),
        ("anyOf", json!([{"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "null"}])),
        ("oneOf", json!([{"type": "string"}, {"type": ["string", "integer"]}])),
        ("not", json!({"type": "null"})),
        ("propertyNames", json!({"maxLength": 4})),
    ];
    match random.below(6) {
        0 => {
            let names: Vec<String> = members.keys().filter(|name| *name != "properties").cloned().collect();
            if !names.is_empty() {
                members.remove(&names[random.below(names.len())]);
            }
        }
        1 => {
            let names: Vec<Value> = members
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(Map::keys)
                .map(|name| json!(name))
                .collect();
            let some: Vec<Value> = names.into_iter().filter(|_| random.below(2) == 0).collect();
            members.insert("required".to_owned(), json!(some));
        }
        _ => {
            let (word, value) = &edits[random.below(edits.len())];
            members.insert((*word).to_owned(), value.clone());
        }
    }
}

#[test]
fn what_is_proved_of_schemas_changed_at_random_holds() {
    let mut schemas = vec![
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "minimum": 0}, "c": {"type": "array", "items": {"type": "string"}}, "d": {"type": "object", "additionalProperties": {"type": "number"}}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": ["string", "null"]}}, "additionalProperties": false}}}),
        json!({"type": "object", "properties": {"u": {"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k"]}, {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]}]}}}),
        json!({"type": "object", "properties": {"p": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}, "q": {"allOf": [{"type": "string"}, {"minLength": 2}]}}}),
    ];
    if let Some(folder) = skip::folder("MCP_CORPUS", "random changes of real schemas") {
        let mut files: Vec<_> =
            std::fs::read_dir(folder.join("corpus")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        for file in files.iter().step_by(3) {
            let listing = Listing::from_saved(&std::fs::read_to_string(file).unwrap()).unwrap();
            let inputs = listing.tools.iter().filter_map(|tool| tool.input_schema()?.to_value().ok());
            schemas.extend(inputs.filter(|schema| schema.to_string().len() < 6_000).take(6));
        }
    }
    let compile = |schema: &Value| CompiledSchema::compile(&parse(&schema.to_string()).unwrap()).ok();
    let rounds = std::env::var("MCP_COMPAT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12);
    let mut random = Random::new(7);
    let (mut proofs, mut instances, mut unknown, mut wrong) = (0, 0, 0, Vec::new());
    for schema in &schemas {
        for _ in 0..rounds {
            let one = changed(schema, &mut random);
            let other = changed(if random.below(2) == 0 { schema } else { &one }, &mut random);
            let (Some(producer), Some(acceptor)) = (compile(&one), compile(&other)) else { continue };
            let (count, found) = held(&producer, &acceptor, &mut random);
            proofs += usize::from(count > 0);
            instances += count;
            let gaps = inclusion(&producer, &acceptor).gaps;
            unknown += usize::from(!gaps.is_empty() && gaps.iter().all(|gap| gap.witness.is_none()));
            wrong.extend(found.into_iter().map(|what| format!("{what}\n  {one}\n  {other}")));
        }
    }
    println!("{} schemas, {proofs} proofs held to {instances} instances, {unknown} unknown", schemas.len());
    wrong.truncate(3);
    assert_eq!(wrong, Vec::<String>::new());
}
