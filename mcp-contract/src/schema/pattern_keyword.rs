//! `pattern` as a keyword of ours inside the validator.
//!
//! Two things keep a pattern away from the validator's own engine. The schema is rewritten: `pattern` moves to a private
//! keyword, so that the meta-schema does not judge it by another engine's grammar, and the keys of `patternProperties`
//! are printed in the language that both engines read alike. And `pattern` itself is registered as a custom keyword, for
//! schemas that a reference reaches in a place where no walk looks for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value};

use super::compile::{SchemaError, SchemaNote};
use super::reference::Document;
use crate::json::Pointer;
use crate::pattern::{Pattern, Reading};

/// The private keyword; no schema can mean anything by it.
const KEYWORD: &str = "\u{0}mcp-pattern";

/// The patterns of one schema, each compiled once.
pub(super) type Patterns = BTreeMap<String, Arc<Pattern>>;

/// The memory that the patterns of one schema may take together, in bytes.
const MEMORY: usize = 32 << 20;

/// The most patterns of one schema.
const MOST: usize = 1_000;

struct PatternKeyword {
    source: String,
    pattern: Arc<Pattern>,
}

impl<'i> Keyword<'i> for PatternKeyword {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            let shown = crate::text::excerpt(&self.source, 80);
            Err(ValidationError::custom(format!("does not match the pattern {shown}")))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().is_none_or(|text| self.pattern.is_match(text))
    }
}

/// Registers the keyword under both of its names.
pub(super) fn register(options: ValidationOptions<'_>, patterns: Patterns) -> ValidationOptions<'_> {
    let private = Arc::new(patterns);
    let public = Arc::clone(&private);
    options
        .with_keyword(KEYWORD, move |_, value, _| keyword(value, &private))
        .with_keyword("pattern", move |_, value, _| keyword(value, &public))
}

fn keyword(value: &Value, patterns: &Patterns) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'static>> {
    let found = value.as_str().and_then(|source| Some((source, patterns.get(source)?)));
    match found {
        Some((source, pattern)) => {
            Ok(Box::new(PatternKeyword { source: source.to_owned(), pattern: Arc::clone(pattern) }))
        }
        None => Err(ValidationError::custom("a pattern in a place where no schema was expected")),
    }
}

/// Moves every `pattern` to the private keyword, reprints the keys of `patternProperties`, and gives the compiled patterns.
pub(super) fn rewrite(
    root: &mut Value,
    document: &Document,
    notes: &mut Vec<SchemaNote>,
) -> Result<Patterns, SchemaError> {
    let sources = sources(document)?;
    let memory = MEMORY / sources.len().max(1);
    let mut patterns = Patterns::new();
    for (source, pointer) in sources {
        let pattern = Pattern::compile_within(&source, memory)
            .map_err(|error| SchemaError::Pattern { pointer: pointer.clone(), error })?;
        if pattern.reading() == Reading::AnnexB {
            notes.push(SchemaNote::AnnexB { pointer });
        }
        patterns.insert(source, Arc::new(pattern));
    }
    // Innermost first: the keys that change are steps of the pointers to what lies inside.
    let mut pointers: Vec<&Pointer> = document.schemas().collect();
    pointers.sort_by_key(|pointer| std::cmp::Reverse(pointer.as_str().len()));
    for pointer in pointers {
        if let Some(Value::Object(schema)) = root.pointer_mut(pointer.as_str()) {
            rewrite_one(schema, pointer, &patterns)?;
        }
    }
    Ok(patterns)
}

/// The distinct patterns of a schema, each with a place where it stands.
fn sources(document: &Document) -> Result<BTreeMap<String, Pointer>, SchemaError> {
    let mut sources = BTreeMap::new();
    for pointer in document.schemas() {
        let Some(Value::Object(schema)) = document.at(pointer) else { continue };
        if let Some(Value::String(source)) = schema.get("pattern") {
            sources.entry(source.clone()).or_insert_with(|| pointer.key("pattern"));
        }
        if let Some(Value::Object(members)) = schema.get("patternProperties") {
            for key in members.keys() {
                sources.entry(key.clone()).or_insert_with(|| pointer.key("patternProperties").key(key));
            }
        }
        if sources.len() > MOST {
            return Err(SchemaError::TooLarge {
                pointer: pointer.clone(),
                what: "patterns in one schema",
                limit: MOST,
            });
        }
    }
    Ok(sources)
}

fn rewrite_one(schema: &mut Map<String, Value>, pointer: &Pointer, patterns: &Patterns) -> Result<(), SchemaError> {
    if schema.get("pattern").is_some_and(Value::is_string)
        && let Some(moved) = schema.remove("pattern")
    {
        schema.insert(KEYWORD.to_owned(), moved);
    }
    if let Some(Value::Object(members)) = schema.get_mut("patternProperties") {
        let mut reprinted = Map::new();
        for (key, member) in std::mem::take(members) {
            let portable = patterns.get(&key).and_then(|pattern| pattern.portable());
            let Some(portable) = portable else {
                return Err(SchemaError::PatternKey { pointer: pointer.key("patternProperties").key(&key) });
            };
            // Two spellings of one pattern would overwrite each other; both have to hold.
            match reprinted.remove(portable) {
                Some(first) => reprinted.insert(portable.to_owned(), serde_json::json!({"allOf": [first, member]})),
                None => reprinted.insert(portable.to_owned(), member),
            };
        }
        *members = reprinted;
    }
    Ok(())
}
