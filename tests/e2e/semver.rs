//! The table of `docs/generated-code.md` on real changes: what it says a change of a tool's arguments means for callers is what the code of two
//! versions shows.

use std::collections::{BTreeMap, BTreeSet};

use mcp_contract::config::Config;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::Snapshot;
use quote::ToTokens as _;
use serde_json::Value;

use crate::project::Project;
use crate::versions::{code, packages};

/// What callers see of a tool's arguments.
#[derive(Debug, PartialEq, Eq)]
struct Api {
    fields: BTreeMap<String, String>,
    /// The parameters of `new`, where there is one.
    new: Option<String>,
}

impl Api {
    fn of(text: &str) -> Self {
        let file = syn::parse_file(text).unwrap();
        let mut api = Self { fields: BTreeMap::new(), new: None };
        for item in &file.items {
            match item {
                syn::Item::Struct(item) => {
                    let field = |field: &syn::Field| {
                        (field.ident.to_token_stream().to_string(), field.ty.to_token_stream().to_string())
                    };
                    api.fields = item.fields.iter().map(field).collect();
                }
                syn::Item::Impl(item) => {
                    let functions = item.items.iter().filter_map(|item| match item {
                        syn::ImplItem::Fn(function) if function.sig.ident == "new" => Some(function),
                        _ => None,
                    });
                    api.new =
                        functions.map(|function| function.sig.inputs.to_token_stream().to_string()).next().or(api.new);
                }
                _ => {}
            }
        }
        api
    }
}

/// Rows of the table, as far as the members at the top show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    NewOptional,
    NewRequired,
    Gone,
    RequiredToOptional,
    OptionalToRequired,
    Docs,
    Other,
}

/// Keywords that only the docs show.
const DOCS: &[&str] = &[
    "description",
    "title",
    "default",
    "examples",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "maximum",
    "minItems",
    "maxItems",
];

/// A schema without what only the docs show. A lower bound decides between integer types, and stays.
fn bare(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, value)| !DOCS.contains(&key.as_str()) || value.is_object());
            kept.map(|(key, value)| (key.clone(), bare(value))).collect()
        }
        Value::Array(elements) => elements.iter().map(bare).collect(),
        other => other.clone(),
    }
}

/// The rows that a change falls under; none where anything but members at the top changed.
fn rows(old: &Value, new: &Value) -> BTreeSet<Row> {
    let members = |schema: &Value| schema["properties"].as_object().cloned().unwrap_or_default();
    let required = |schema: &Value| -> BTreeSet<String> {
        let names = schema["required"].as_array().into_iter().flatten();
        names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let (before, after, must_before, must_after) = (members(old), members(new), required(old), required(new));
    let mut rows = BTreeSet::new();
    for name in before.keys().chain(after.keys()) {
        match (before.get(name), after.get(name)) {
            (Some(_), None) => rows.insert(Row::Gone),
            (None, Some(_)) if must_after.contains(name) => rows.insert(Row::NewRequired),
            (None, Some(_)) => rows.insert(Row::NewOptional),
            (Some(old), Some(new)) => {
                let row = match (must_before.contains(name), must_after.contains(name)) {
                    (true, false) => Some(Row::RequiredToOptional),
                    (false, true) => Some(Row::OptionalToRequired),
                    _ => None,
                };
                rows.extend(row);
                // A null default makes a member of another type.
                let nulls = |schema: &Value| schema.get("default") == Some(&Value::Null);
                let other = bare(old) != bare(new) || nulls(old) != nulls(new);
                if other { rows.insert(Row::Other) } else { old != new && rows.insert(Row::Docs) }
            }
            (None, None) => unreachable!("a name of one of the two"),
        };
    }
    let rest = |schema: &Value| {
        let mut rest = bare(schema);
        for key in ["properties", "required", "$schema"] {
            rest.as_object_mut().map(|members| members.remove(key));
        }
        rest
    };
    if rest(old) != rest(new) {
        rows.insert(Row::Other);
    }
    rows
}

/// Whether the code shows what the table says of a row.
fn holds(row: Row, old: &Api, new: &Api) -> bool {
    let kept = old.fields.iter().all(|(name, ty)| new.fields.get(name) == Some(ty));
    let more = new.fields.len() > old.fields.len();
    let moved = |from: fn(&str) -> bool, to: fn(&str) -> bool| {
        old.fields.iter().any(|(name, ty)| new.fields.get(name).is_some_and(|now| now != ty && from(ty) && to(now)))
    };
    let plain: fn(&str) -> bool = |ty| !ty.starts_with("Option") && !ty.starts_with("Nullable");
    let optional: fn(&str) -> bool = |ty| ty.starts_with("Option") || ty.starts_with("Nullable");
    match row {
        Row::NewOptional => kept && more && old.new == new.new,
        // Where there are too many parameters there is no `new`.
        Row::NewRequired => kept && more && (old.new != new.new || new.new.is_none()),
        Row::Gone => new.fields.len() < old.fields.len(),
        Row::RequiredToOptional => moved(plain, optional),
        Row::OptionalToRequired => moved(optional, plain),
        Row::Docs => old == new,
        Row::Other => true,
    }
}

#[test]
fn what_the_table_says_of_a_change_is_what_the_code_shows() {
    let Some(packages) = packages() else { return };
    let project = Project::new("");
    let config = Config::parse("[[server]]\nname = \"s\"\ncommand = \"x\"\n", "servers.toml").unwrap();
    let (mut seen, mut wrong): (BTreeMap<Row, usize>, Vec<String>) = (BTreeMap::new(), Vec::new());
    for (package, versions) in &packages {
        let mut before: Option<(BTreeMap<String, String>, Snapshot)> = None;
        for path in versions {
            let listing = Listing::from_saved(&std::fs::read_to_string(path).unwrap()).unwrap();
            let snapshot = Snapshot::of(&config.servers[0], &listing, before.as_ref().map(|(_, snapshot)| snapshot));
            let (now, snapshot) = code(&project, &config, snapshot);
            for tool in before.iter().flat_map(|(then, _)| then.keys()).filter(|tool| now.contains_key(*tool)) {
                let (then, old) = before.as_ref().unwrap();
                let schema = |snapshot: &Snapshot| {
                    snapshot.tool(tool).unwrap().definition.input_schema().unwrap().to_value().unwrap()
                };
                let rows = rows(&schema(old), &schema(&snapshot));
                let alone: Vec<Row> = rows.iter().copied().filter(|row| *row != Row::Docs || rows.len() == 1).collect();
                let [row] = alone[..] else { continue };
                *seen.entry(row).or_default() += 1;
                let (old, new) = (Api::of(&then[tool]), Api::of(&now[tool]));
                if !holds(row, &old, &new) {
                    wrong.push(format!("{package} {tool}: {row:?}: {old:?} -> {new:?}"));
                }
            }
            before = Some((now, snapshot));
        }
    }
    println!("{seen:?}");
    // A new required member never comes alone in these listings.
    for row in [Row::NewOptional, Row::Gone, Row::RequiredToOptional, Row::OptionalToRequired, Row::Docs] {
        assert!(seen.contains_key(&row), "no change is {row:?} alone: {seen:?}");
    }
    assert_eq!(wrong.join("\n"), "");
}
