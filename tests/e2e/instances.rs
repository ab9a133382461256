//! Instances made from a schema: valid ones, and some that are nearly so.
//!
//! A schema is taken as a list of schemas that hold together: references, `allOf` and one branch of each alternative are added to the
//! list, and a value is made that heeds all of them as far as can be seen. What was made is judged by the validator, so that a mistake here
//! costs an instance and proves nothing wrong.

use std::collections::BTreeSet;

use mcp_contract::json::Pointer;
use mcp_contract::pattern::Pattern;
use mcp_contract::schema::{CompiledSchema, Document};
use serde_json::{Map, Value, json};

use crate::matching::matching;
use crate::random::Random;

/// How many values are tried for each one that is wanted.
const TRIES: usize = 12;

/// How deep a value goes before it leaves out what it may.
const DEPTH: usize = 6;

/// Up to `wanted` different valid instances.
pub(crate) fn valid(schema: &CompiledSchema, wanted: usize, random: &mut Random) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for _ in 0..wanted * TRIES {
        let Some(value) = (Maker { document: schema.document(), random }).root() else { continue };
        if found.len() < wanted && schema.is_valid(&value) && seen.insert(value.to_string()) {
            found.push(value);
        }
    }
    found
}

/// The same instances with one thing changed each, valid or not.
pub(crate) fn nearly(instances: &[Value], random: &mut Random) -> Vec<Value> {
    instances.iter().map(|instance| mutated(instance, random)).collect()
}

fn mutated(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let mut members = members.clone();
            let keys: Vec<String> = members.keys().cloned().collect();
            let key = keys[random.below(keys.len())].clone();
            match random.below(5) {
                0 => {
                    members.remove(&key);
                }
                1 => {
                    members.insert("undeclared".to_owned(), json!(1));
                }
                2 => {
                    members.insert(key, Value::Null);
                }
                _ => {
                    let changed = mutated(&members[&key], random);
                    members.insert(key, changed);
                }
            }
            Value::Object(members)
        }
        Value::Array(elements) if !elements.is_empty() => {
            let mut elements = elements.clone();
            let index = random.below(elements.len());
            elements[index] = mutated(&elements[index], random);
            Value::Array(elements)
        }
        Value::String(_) => json!(random.below(3)),
        Value::Number(_) => json!("7"),
        _ => json!([value]),
    }
}

struct Maker<'a, 'r> {
    document: &'a Document,
    random: &'r mut Random,
}

/// A schema and where it stands.
type Part<'a> = (Pointer, &'a Map<String, Value>);

impl<'a> Maker<'a, '_> {
    fn root(&mut self) -> Option<Value> {
        self.value(&[Pointer::root()], 0)
    }

    /// A value for schemas that hold together; `None` where none was found.
    fn value(&mut self, schemas: &[Pointer], depth: usize) -> Option<Value> {
        if depth > 24 {
            return None;
        }
        let parts = self.expand(schemas)?;
        if let Some(values) = parts.iter().find_map(|(_, schema)| listed(schema)) {
            return (!values.is_empty()).then(|| values[self.random.below(values.len())].clone());
        }
        let types = types(&parts);
        let name = *types.get(self.random.below(types.len()))?;
        // A value that may be null is so now and then, and always where a deeper one would never end.
        let name = if types.contains(&"null") && depth > DEPTH { "null" } else { name };
        Some(match name {
            "null" => Value::Null,
            "boolean" => json!(self.random.below(2) == 0),
            "integer" => self.number(&parts, true),
            "number" => self.number(&parts, false),
            "string" => self.text(&parts)?,
            "array" => self.array(&parts, depth),
            _ => self.object(&parts, depth)?,
        })
    }

    /// All schemas that hold when these do, with one branch of each alternative.
    fn expand(&mut self, schemas: &[Pointer]) -> Option<Vec<Part<'a>>> {
        let mut parts = Vec::new();
        let mut pending = schemas.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(pointer) = pending.pop() {
            if !seen.insert(pointer.clone()) || seen.len() > 300 {
                continue;
            }
            let schema = match self.document.at(&pointer)? {
                Value::Bool(false) => return None,
                Value::Object(schema) => schema,
                _ => continue,
            };
            pending.extend(self.document.target(&pointer).cloned());
            let count = |keyword: &str| schema.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
            pending.extend((0..count("allOf")).map(|index| pointer.key("allOf").index(index)));
            for keyword in ["anyOf", "oneOf"] {
                if count(keyword) > 0 {
                    pending.push(pointer.key(keyword).index(self.random.below(count(keyword))));
                }
            }
            for keyword in ["then", "else"] {
                if schema.contains_key(keyword) && self.random.below(2) == 0 {
                    pending.push(pointer.key(keyword));
                }
            }
            parts.push((pointer, schema));
        }
        Some(parts)
    }

    fn number(&mut self, parts: &[Part<'a>], integer: bool) -> Value {
        let bound = |keyword: &str| parts.iter().find_map(|(_, schema)| schema.get(keyword)).and_then(Value::as_f64);
        let low = bound("minimum").or(bound("exclusiveMinimum").map(|low| low + 1.0));
        let high = bound("maximum").or(bound("exclusiveMaximum").map(|high| high - 1.0));
        let step = bound("multipleOf");
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low + 1000.0),
            (None, Some(high)) => (high - 1000.0, high),
            (None, None) => {
                let extremes =
                    [json!(0), json!(-1), json!(7), json!(9_007_199_254_740_993_i64), json!(i64::MIN), json!(3.0)];
                if integer {
                    return extremes[self.random.below(extremes.len())].clone();
                }
                let numbers = [json!(0), json!(2.0), json!(-0.5), json!(1e300), json!(1.25e-9), json!(123_456_789)];
                return numbers[self.random.below(numbers.len())].clone();
            }
        };
        let share = self.random.below(5);
        #[allow(clippy::cast_precision_loss, reason = "a number below 5")]
        let mut value = low + (high - low) * (share as f64) / 4.0;
        if let Some(step) = step {
            value = (value / step).round() * step;
        }
        if integer || self.random.below(2) == 0 {
            value = value.round();
        }
        #[allow(clippy::cast_possible_truncation, reason = "a saturated bound is still a number")]
        if value.fract() == 0.0 && value.abs() < 9e15 && self.random.below(4) > 0 {
            json!(value as i64)
        } else {
            json!(value)
        }
    }

    fn text(&mut self, parts: &[Part<'a>]) -> Option<Value> {
        let word = |keyword: &str| parts.iter().find_map(|(_, schema)| schema.get(keyword));
        if let Some(pattern) = word("pattern").and_then(Value::as_str) {
            let pattern = Pattern::compile(pattern).ok()?;
            if let Some(text) = pattern.portable().and_then(|pattern| matching(pattern, self.random)) {
                return Some(json!(text));
            }
        }
        let format = word("format").and_then(Value::as_str).unwrap_or_default();
        let known = [
            ("date-time", "2026-01-02T03:04:05Z"),
            ("date", "2026-01-02"),
            ("time", "03:04:05Z"),
            ("uri", "https://example.com/a"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
            ("email", "a@example.com"),
            ("ipv4", "127.0.0.1"),
            ("regex", "a+"),
        ];
        if let Some((_, text)) = known.iter().find(|(name, _)| *name == format) {
            return Some(json!(text));
        }
        let size = |keyword: &str| word(keyword).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
        let (least, most) = (size("minLength").unwrap_or(0), size("maxLength").unwrap_or(usize::MAX));
        let texts = ["", "a", "text", "a \"quoted\" line\n", "né 名 \u{1F600}", "0", "null"];
        let mut text = texts[self.random.below(texts.len())].to_owned();
        if self.random.below(2) == 0 {
            text.push_str(&self.random.below(1000).to_string());
        }
        while text.chars().count() < least.min(5000) {
            text.push('x');
        }
        Some(json!(text.chars().take(most).collect::<String>()))
    }

    fn array(&mut self, parts: &[Part<'a>], depth: usize) -> Value {
        let size = |keyword: &str| {
            let sizes = parts.iter().filter_map(|(_, schema)| schema.get(keyword)?.as_u64());
            sizes.filter_map(|size| usize::try_from(size).ok()).collect::<Vec<_>>()
        };
        let least = size("minItems").into_iter().max().unwrap_or(0);
        let most = size("maxItems").into_iter().min().unwrap_or(least + 3);
        let places = |(_, schema): &Part<'a>| {
            ["prefixItems", "items"].into_iter().filter_map(|word| schema.get(word)?.as_array()).map(Vec::len).max()
        };
        let prefix = parts.iter().filter_map(places).max().unwrap_or(0);
        let wanted =
            if depth > DEPTH { least } else { (least.max(prefix) + self.random.below(3)).min(most).max(least) };
        let mut elements = Vec::new();
        for index in 0..wanted.min(200) {
            let schemas = parts.iter().filter_map(|part| element(part, index)).collect::<Vec<_>>();
            match self.value(&schemas, depth + 1) {
                Some(value) => elements.push(value),
                None => break,
            }
        }
        Value::Array(elements)
    }

    fn object(&mut self, parts: &[Part<'a>], depth: usize) -> Option<Value> {
        let mut required: BTreeSet<&str> = BTreeSet::new();
        let mut declared: BTreeSet<&str> = BTreeSet::new();
        for (_, schema) in parts {
            let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            required.extend(names.filter_map(Value::as_str));
            declared.extend(
                schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k.as_str()),
            );
        }
        let mut members = Map::new();
        let most = self.random.below(4);
        for name in declared.iter().chain(required.iter().filter(|name| !declared.contains(*name))) {
            let wanted = required.contains(name) || (depth <= DEPTH && self.random.below(4) < most);
            if !wanted {
                continue;
            }
            match self.value(&member(parts, name), depth + 1) {
                Some(value) => {
                    members.insert((*name).to_owned(), value);
                }
                None if required.contains(name) => return None,
                None => {}
            }
        }
        self.further(parts, &mut members, depth);
        Some(Value::Object(members))
    }

    /// Members that the schema asks for without naming them.
    fn further(&mut self, parts: &[Part<'a>], members: &mut Map<String, Value>, depth: usize) {
        let asks =
            |schema: &Map<String, Value>| schema.get("additionalProperties").is_some_and(|rest| *rest != json!(false));
        let patterns: Vec<&String> = parts
            .iter()
            .filter_map(|(_, schema)| schema.get("patternProperties")?.as_object())
            .flat_map(Map::keys)
            .collect();
        let mut names = Vec::new();
        if parts.iter().any(|(_, schema)| asks(schema)) {
            names.extend((0..self.random.below(3)).map(|index| format!("further {index}")));
        }
        for pattern in patterns {
            let name = Pattern::compile(pattern).ok().and_then(|pattern| matching(pattern.portable()?, self.random));
            names.extend(name.filter(|_| self.random.below(2) == 0));
        }
        for name in names {
            if members.contains_key(&name) || depth > DEPTH {
                continue;
            }
            if let Some(value) = self.value(&member(parts, &name), depth + 1) {
                members.insert(name, value);
            }
        }
    }
}

fn listed(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

/// The types that all of the schemas allow; any type where none says.
fn types<'a>(parts: &[Part<'a>]) -> Vec<&'a str> {
    let mut allowed = vec!["object", "array", "string", "number", "integer", "boolean", "null"];
    for (_, schema) in parts {
        let named: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let counts = |name: &&str| named.contains(name) || (*name == "integer" && named.contains(&"number"));
        allowed.retain(|name| counts(name));
    }
    let objects = |(_, schema): &Part<'_>| schema.contains_key("properties") || schema.contains_key("required");
    if allowed.len() == 7 && parts.iter().any(objects) { vec!["object"] } else { allowed }
}

/// The schemas of an element.
fn element(part: &Part<'_>, index: usize) -> Option<Pointer> {
    let (pointer, schema) = part;
    for keyword in ["prefixItems", "items"] {
        if let Some(Value::Array(places)) = schema.get(keyword) {
            let rest = if keyword == "items" { "additionalItems" } else { "items" };
            let within = index < places.len();
            return if within {
                Some(pointer.key(keyword).index(index))
            } else {
                schema.get(rest).map(|_| pointer.key(rest))
            };
        }
    }
    schema.get("items").map(|_| pointer.key("items"))
}

/// The schemas of a member.
fn member(parts: &[Part<'_>], name: &str) -> Vec<Pointer> {
    let mut found = Vec::new();
    for (pointer, schema) in parts {
        let mut known = false;
        if schema.get("properties").and_then(|declared| declared.get(name)).is_some() {
            found.push(pointer.key("properties").key(name));
            known = true;
        }
        for pattern in schema.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if Pattern::compile(pattern).is_ok_and(|compiled| compiled.is_match(name)) {
                found.push(pointer.key("patternProperties").key(pattern));
                known = true;
            }
        }
        if !known && schema.contains_key("additionalProperties") {
            found.push(pointer.key("additionalProperties"));
        }
    }
    found
}
