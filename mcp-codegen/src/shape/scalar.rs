//! What a schema says about scalars, and what its words tell a reader.

use mcp_contract::json::Pointer;
use mcp_contract::schema::Document;
use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::{FieldDoc, Shape};

/// How much of a text is kept for docs, in characters; they show less.
const MAX_TEXT: usize = 400;

/// The types that a schema allows, sorted and without repetition; `None` where it names none that is known.
pub(super) fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    let mut types: Vec<&str> = match schema.get("type")? {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    types.sort_unstable();
    types.dedup();
    Some(types)
}

/// The values that a schema lists, by `enum` or `const`, as far as its `type` allows them.
pub(super) fn listed_values(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => return None,
    };
    let Some(types) = types(schema) else { return Some(values) };
    Some(
        values
            .into_iter()
            .filter(|value| types.iter().any(|name| Kinds::named(name).has(Kinds::of_value(value))))
            .collect(),
    )
}

/// The integer type that holds what the bounds allow; a float where neither 64-bit type does.
pub(super) fn integer(schema: &Map<String, Value>) -> Shape {
    // 2^63 and 2^64 are exact as floats; a bound that is an integer is compared as one.
    let above = |limit: f64, inside: fn(&Value) -> bool| {
        let inclusive = schema.get("maximum").filter(|max| !inside(max)).and_then(Value::as_f64);
        let exclusive = schema.get("exclusiveMaximum").filter(|max| !inside(max)).and_then(Value::as_f64);
        inclusive.is_some_and(|max| max >= limit) || exclusive.is_some_and(|max| max > limit)
    };
    let beyond_signed = above(9_223_372_036_854_775_808.0, Value::is_i64);
    let beyond_both = above(18_446_744_073_709_551_616.0, |max| max.is_i64() || max.is_u64());
    let least = |keyword: &str| schema.get(keyword).and_then(Value::as_f64).is_some_and(|min| min >= 0.0);
    match (beyond_signed, beyond_both, least("minimum") || least("exclusiveMinimum")) {
        (_, true, _) | (true, false, false) => Shape::F64,
        (true, false, true) => Shape::U64,
        (false, false, _) => Shape::I64,
    }
}

/// Whether a keyword constrains values of a type that has to be named elsewhere.
pub(super) fn is_assertion(keyword: &str) -> bool {
    matches!(
        keyword,
        "contains"
            | "dependencies"
            | "dependentRequired"
            | "exclusiveMaximum"
            | "exclusiveMinimum"
            | "maxItems"
            | "maxLength"
            | "maxProperties"
            | "maximum"
            | "minItems"
            | "minLength"
            | "minProperties"
            | "minimum"
            | "multipleOf"
            | "not"
            | "pattern"
            | "propertyNames"
            | "required"
            | "uniqueItems"
    )
}

/// What the docs of a member tell beyond its type: what its schema says, or else the schema that it refers to, or the only alternative
/// to `null`.
pub(super) fn field_doc(document: &Document, at: &Pointer) -> FieldDoc {
    let mut doc = FieldDoc::default();
    let mut next = Some(at.clone());
    // A chain of references has been bounded by admission; docs need no more than its beginning.
    for _ in 0..4 {
        let Some(at) = next else { break };
        let Some(schema) = document.at(&at).and_then(Value::as_object) else { break };
        doc = doc.or(said(schema));
        next = document.target(&at).cloned().or_else(|| lone_branch(schema, &at));
    }
    doc
}

/// The only alternative beside `null`.
fn lone_branch(schema: &Map<String, Value>, at: &Pointer) -> Option<Pointer> {
    let keyword = ["anyOf", "oneOf", "allOf"].into_iter().find(|keyword| schema.contains_key(*keyword))?;
    let branches = schema[keyword].as_array()?.iter().enumerate();
    let mut real = branches.filter(|(_, branch)| branch.get("type").is_none_or(|name| name != "null"));
    let (index, _) = real.next()?;
    real.next().is_none().then(|| at.key(keyword).index(index))
}

fn said(schema: &Map<String, Value>) -> FieldDoc {
    let number = |keyword: &str| schema.get(keyword).filter(|value| value.is_number()).map(Value::to_string);
    let mut constraints = Vec::new();
    constraints.extend(range(number("minimum"), number("maximum"), ""));
    constraints.extend(number("exclusiveMinimum").map(|min| format!("more than {min}")));
    constraints.extend(number("exclusiveMaximum").map(|max| format!("less than {max}")));
    constraints.extend(range(number("minLength"), number("maxLength"), " characters"));
    constraints.extend(range(number("minItems"), number("maxItems"), " elements"));
    constraints.extend(number("multipleOf").map(|step| format!("a multiple of {step}")));
    constraints.extend(listed(schema));
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    constraints.extend(text("format").map(|format| format!("format {format}")));
    constraints.extend(text("pattern").map(|pattern| format!("pattern {pattern}")));
    let default = schema.get("default").filter(|value| !value.is_null());
    constraints.extend(default.map(|value| format!("default {value}")));
    // Docs repeat the beginning; a text that a thousand members refer to is not kept a thousand times.
    let cut = |text: &str| text.chars().take(MAX_TEXT).collect::<String>();
    let constraints = constraints.iter().map(|text| cut(text)).collect();
    FieldDoc {
        description: text("description").map(cut),
        constraints,
        null_default: schema.get("default").is_some_and(Value::is_null),
    }
}

/// The listed values, where no enumeration shows them.
fn listed(schema: &Map<String, Value>) -> Option<String> {
    let values = listed_values(schema)?;
    let shown: Vec<String> = values.iter().filter(|value| !value.is_string()).map(Value::to_string).collect();
    let only_null = shown.iter().all(|value| value == "null");
    match shown.as_slice() {
        _ if only_null || shown.len() > 20 => None,
        [only] if values.len() == 1 => Some(format!("always {only}")),
        several => Some(format!("one of {}", several.join(", "))),
    }
}

fn range(min: Option<String>, max: Option<String>, unit: &str) -> Option<String> {
    Some(match (min, max) {
        (None, None) => return None,
        (Some(min), None) => format!("at least {min}{unit}"),
        (None, Some(max)) => format!("at most {max}{unit}"),
        (Some(min), Some(max)) if min == max => format!("exactly {min}{unit}"),
        (Some(min), Some(max)) => format!("{min} to {max}{unit}"),
    })
}
