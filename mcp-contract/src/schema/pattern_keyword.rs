//! `pattern` as a keyword of ours inside the validator.
//!
//! Two things keep a pattern away from the validator's own engine. The schema is rewritten: `pattern` moves to a private
//! keyword, so that the meta-schema does not judge it by another engine's grammar, and the keys of `patternProperties`
//! are printed in the language that both engines read alike. And `pattern` itself is registered as a custom keyword, for
//! schemas that a reference reaches in a place where no walk looks for one.

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value};

use super::compile::{SchemaError, SchemaNote};
use super::walk::edit_schemas;
use crate::json::Pointer;
use crate::pattern::{Pattern, Reading};

/// The private keyword; no schema can mean anything by it.
const KEYWORD: &str = "\u{0}mcp-pattern";

struct PatternKeyword {
    source: String,
    pattern: Pattern,
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

fn keyword<'a>(
    _parent: &'a Map<String, Value>,
    value: &'a Value,
    _path: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let Some(source) = value.as_str() else { return Err(ValidationError::custom("a pattern must be a string")) };
    let pattern = Pattern::compile(source).map_err(|error| ValidationError::custom(error.to_string()))?;
    Ok(Box::new(PatternKeyword { source: source.to_owned(), pattern }))
}

/// Registers the keyword under both of its names.
pub(super) fn register(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    options.with_keyword(KEYWORD, keyword).with_keyword("pattern", keyword)
}

/// Moves every `pattern` to the private keyword and reprints the keys of `patternProperties`.
pub(super) fn rewrite(root: &mut Value, notes: &mut Vec<SchemaNote>) -> Result<(), SchemaError> {
    let mut failure = None;
    edit_schemas(root, &mut |schema, pointer| {
        if let Err(error) = rewrite_one(schema, pointer, notes) {
            failure.get_or_insert(error);
        }
    });
    failure.map_or(Ok(()), Err)
}

fn rewrite_one(
    schema: &mut Map<String, Value>,
    pointer: &Pointer,
    notes: &mut Vec<SchemaNote>,
) -> Result<(), SchemaError> {
    if let Some(Value::String(source)) = schema.get("pattern") {
        let at = pointer.key("pattern");
        compile(source, &at, notes)?;
        let moved = schema.remove("pattern").expect("it was just there");
        schema.insert(KEYWORD.to_owned(), moved);
    }
    if let Some(Value::Object(members)) = schema.get_mut("patternProperties") {
        let at = pointer.key("patternProperties");
        let mut reprinted = Map::new();
        for (key, member) in std::mem::take(members) {
            let pattern = compile(&key, &at.key(&key), notes)?;
            let portable = pattern.portable().ok_or_else(|| SchemaError::PatternKey { pointer: at.key(&key) })?;
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

fn compile(source: &str, pointer: &Pointer, notes: &mut Vec<SchemaNote>) -> Result<Pattern, SchemaError> {
    let pattern = Pattern::compile(source).map_err(|error| SchemaError::Pattern { pointer: pointer.clone(), error })?;
    if pattern.reading() == Reading::AnnexB {
        notes.push(SchemaNote::AnnexB { pointer: pointer.clone() });
    }
    Ok(pattern)
}
