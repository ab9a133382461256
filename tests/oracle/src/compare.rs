//! Who is right: for each valid instance, whether it decodes and comes back equal.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde_json::Value;

/// Prints how many valid instances each side loses, and the ways in which they are lost.
pub fn compare(dump: &Path, answers: &Path) -> Result<(), Box<dyn Error>> {
    let instances = std::fs::read_to_string(dump.join("instances.jsonl"))?;
    let answers = std::fs::read_to_string(answers)?;
    let (mut valid, mut ours_wrong, mut without) = (0, 0, 0);
    let mut kinds: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for (line, answer) in instances.lines().zip(answers.lines()) {
        let (key, is_valid, instance, ours): (String, bool, Value, Option<Value>) = serde_json::from_str(line)?;
        if !is_valid {
            continue;
        }
        let arguments = key.contains(" in ");
        valid += 1;
        // An answer of `null` and none at all are written alike; where there is none the instance was not null.
        ours_wrong += usize::from(!equal(&instance, &ours.unwrap_or(Value::Null), arguments));
        let theirs: Value = serde_json::from_str(answer)?;
        let kind = match (theirs.get("value"), theirs["error"].as_str()) {
            (_, Some("no types")) => {
                without += 1;
                continue;
            }
            (_, Some("panic")) => "a panic at run time",
            (_, Some(_)) => "a valid instance is refused",
            (Some(value), None) if equal(&instance, value, arguments) => continue,
            (Some(value), None) if only_more(&instance, value) => "members that nobody gave are sent",
            _ => "members are lost or changed",
        };
        let entry = kinds.entry(kind).or_insert_with(|| (0, String::new()));
        entry.0 += 1;
        if entry.1.is_empty() {
            entry.1 = format!("{key}: {instance} -> {answer}");
        }
    }
    println!("{valid} valid instances; ours loses {ours_wrong}; typify has no types for {without} of them, and of the others:");
    for (kind, (count, example)) in kinds {
        println!("  {count} {kind}; {}", example.chars().take(500).collect::<String>());
    }
    Ok(())
}

/// Equal as JSON, numbers by value; arguments may leave out what was `null`.
fn equal(a: &Value, b: &Value, arguments: bool) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, arguments)),
        (Value::Object(a), Value::Object(b)) => {
            b.keys().all(|key| a.contains_key(key))
                && a.iter().all(|(key, a)| b.get(key).map_or(arguments && a.is_null(), |b| equal(a, b, arguments)))
        }
        _ => a == b,
    }
}

/// Whether `b` is `a` with further members.
fn only_more(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| only_more(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.iter().all(|(key, a)| b.get(key).map_or(a.is_null(), |b| only_more(a, b)))
        }
        _ => equal(a, b, false),
    }
}
