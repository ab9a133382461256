//! The figures of the grading: against graded changes of real packages, and over all changes between their versions.
//!
//! ```text
//! drift_figures FOLDER [--list]
//! ```
//!
//! `FOLDER` holds `captures/SLUG@VERSION.json` (listings), `pairs.jsonl` (`slug`, `from`, `to`, `tool`) and `labelled.jsonl` (the same with
//! `class`, the grade that a person gave, `also`, and `direction`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use mcp_contract::drift::{ChangeKind, Drift, Grade, ToolDrift, compare};
use mcp_contract::listing::Listing;
use serde_json::Value;

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().expect("the folder of the listings"));
    let list = words.next().is_some();
    let rows = |file: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(folder.join(file)).expect("readable");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let (labelled, pairs) = (rows("labelled.jsonl"), rows("pairs.jsonl"));
    let mut drifts: BTreeMap<[String; 3], Drift> = BTreeMap::new();
    let mut slowest = (0, String::new());
    for row in labelled.iter().chain(&pairs) {
        let key = ["slug", "from", "to"].map(|word| row[word].as_str().expect("a string").to_owned());
        if drifts.contains_key(&key) {
            continue;
        }
        let (old, new) = (listing(&folder, &key[0], &key[1]), listing(&folder, &key[0], &key[2]));
        let start = Instant::now();
        let drift = compare(&old, &new);
        let took = start.elapsed().as_micros();
        if took > slowest.0 {
            slowest = (took, format!("{} {} -> {}, {} tools", key[0], key[1], key[2], new.tools.len()));
        }
        drifts.insert(key, drift);
    }
    gate(&labelled, &drifts, list);
    everything(&drifts, list);
    println!("slowest comparison: {} microseconds ({})", slowest.0, slowest.1);
}

fn listing(folder: &Path, slug: &str, version: &str) -> Listing {
    let path = folder.join(format!("captures/{slug}@{version}.json"));
    Listing::from_saved(&std::fs::read_to_string(path).expect("readable")).expect("a listing")
}

/// The drift of a labelled row's tool; `old=>new` names a rename.
fn tool<'d>(drift: &'d Drift, name: &str) -> Option<&'d ToolDrift> {
    let name = name.split("=>").last().unwrap_or(name);
    drift.tools.iter().find(|tool| tool.name == name)
}

fn gate(labelled: &[Value], drifts: &BTreeMap<[String; 3], Drift>, list: bool) {
    let mut table: BTreeMap<(Grade, Grade), u32> = BTreeMap::new();
    let (mut right, mut also) = (0, (0, 0));
    for row in labelled {
        let text = |word: &str| row[word].as_str().unwrap_or_default().to_owned();
        let key = ["slug", "from", "to"].map(text);
        let expected = Grade::from_name(&text("class")).expect("a grade");
        let found = tool(&drifts[&key], &text("tool"));
        let grade = found.map_or(Grade::Unchanged, ToolDrift::grade);
        let fails = |grade: Grade| Grade::FAILING.contains(&grade);
        right += u32::from(fails(grade) == fails(expected));
        *table.entry((expected, grade)).or_default() += 1;
        let all: BTreeSet<&str> =
            found.iter().flat_map(|tool| &tool.changes).map(|change| change.grade.name()).collect();
        let others: Vec<&str> = row["also"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        also.1 += others.len();
        also.0 += others.iter().filter(|other| all.contains(**other)).count();
        if list && (grade != expected || others.iter().any(|other| !all.contains(other))) {
            println!(
                "{} {} {}: {expected} {others:?}, found {grade} {all:?}",
                key.join(" "),
                text("tool"),
                text("why")
            );
            for change in found.iter().flat_map(|tool| &tool.changes).take(6) {
                println!("    {} {} {} {}", change.grade, change.kind.name(), change.pointer, change.meaning);
            }
        }
    }
    println!(
        "graded changes: {}; the gate is right in {right}; other grades found {} of {}",
        labelled.len(),
        also.0,
        also.1
    );
    for ((expected, grade), count) in table {
        println!("    {expected} graded {grade}: {count}");
    }
}

fn everything(drifts: &BTreeMap<[String; 3], Drift>, list: bool) {
    let mut grades: BTreeMap<Grade, u32> = BTreeMap::new();
    let (mut shown, mut silent, mut undecided) = (0, 0, 0);
    for (key, drift) in drifts {
        for tool in &drift.tools {
            *grades.entry(tool.grade()).or_default() += 1;
            let breaking: Vec<_> = tool.changes.iter().filter(|change| change.grade == Grade::Breaking).collect();
            if breaking.iter().any(|change| change.witness.is_some()) {
                shown += 1;
            } else if breaking.iter().any(|change| change.kind == ChangeKind::MemberGone) {
                silent += 1;
            } else if !breaking.is_empty() {
                undecided += 1;
            }
            if let Some(old) = tool.renamed_from.as_ref().filter(|_| list) {
                println!("renamed {} {old} -> {}", key.join(" "), tool.name);
            }
            for change in tool.changes.iter().filter(|change| list && change.grade == Grade::Instructing) {
                println!("instructing {} {} {} {}", key.join(" "), tool.name, change.pointer, change.meaning);
            }
        }
    }
    println!("all changes of {} pairs of listings:", drifts.len());
    for (grade, count) in grades {
        println!("    {grade}: {count}");
    }
    println!("breaking: {shown} shown by an instance, {silent} silent, {undecided} undecided");
}
