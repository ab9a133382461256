//! Where two schemas differ, keyword by keyword.
//!
//! What a difference of a constraint means is decided by `compat`; here only what is not a constraint is sorted: words, defaults, and what
//! nobody knows. A part that is new or gone as a whole is one difference.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::json::Pointer;
use crate::schema::subschemas;

/// What a differing member of a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Words for a reader.
    Text,
    /// A default.
    Default,
    /// A format.
    Format,
    /// Neither words nor a constraint.
    Metadata,
}

/// One difference.
pub(super) struct Difference<'a> {
    pub(super) at: Pointer,
    pub(super) sort: Sort,
    pub(super) before: Option<&'a Value>,
    pub(super) after: Option<&'a Value>,
}

/// The differences between two schemas that are no constraints.
pub(super) fn differences<'a>(old: &'a Value, new: &'a Value) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    schema(old, new, &Pointer::root(), &mut found);
    found
}

fn schema<'a>(old: &'a Value, new: &'a Value, at: &Pointer, found: &mut Vec<Difference<'a>>) {
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return };
    let inner = |members: &'a Map<String, Value>| subschemas(members);
    let theirs = inner(new);
    for (place, _, before) in inner(old) {
        if let Some((_, _, after)) = theirs.iter().find(|(other, ..)| *other == place) {
            schema(before, after, &at.join(&place), found);
        }
    }
    let words: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for word in words {
        let (before, after) = (old.get(word), new.get(word));
        if before == after {
            continue;
        }
        let sort = match word.as_str() {
            word if PROSE.contains(&word) && same_words(before, after) => continue,
            word if PROSE.contains(&word) => Sort::Text,
            "default" => Sort::Default,
            // Where the dialect asserts formats, what the change means for values is told; elsewhere nobody else tells of it.
            "format" => Sort::Format,
            word if is_constraint(word) => continue,
            _ => Sort::Metadata,
        };
        found.push(Difference { at: at.key(word), sort, before, after });
    }
}

/// Keywords for a reader.
const PROSE: &[&str] = &["title", "description", "$comment", "examples"];

/// Whether two texts differ in white space alone.
fn same_words(one: Option<&Value>, other: Option<&Value>) -> bool {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(spaced);
    matches!((text(one), text(other)), (Some(one), Some(other)) if one == other)
}

/// A text with single spaces, and none at its ends.
pub(super) fn spaced(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of one schema, wherever they stand, that are nowhere in the other.
pub(super) fn words_without_counterpart<'a>(of: &'a Value, other: &Value) -> Vec<(Pointer, &'a Value)> {
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    prose(of, &Pointer::root(), &mut own);
    prose(other, &Pointer::root(), &mut theirs);
    let words = |text: &Value| text.as_str().map_or_else(|| text.to_string(), spaced);
    let known: BTreeSet<String> = theirs.iter().map(|(_, text)| words(text)).collect();
    own.retain(|(_, text)| !known.contains(&words(text)));
    own
}

fn prose<'a>(schema: &'a Value, at: &Pointer, found: &mut Vec<(Pointer, &'a Value)>) {
    let Value::Object(members) = schema else { return };
    found.extend(PROSE.iter().filter_map(|word| Some((at.key(word), members.get(*word)?))));
    for (place, _, inner) in subschemas(members) {
        prose(inner, &at.join(&place), found);
    }
}

fn is_constraint(word: &str) -> bool {
    crate::compat::is_constraint(word)
        || matches!(
            word,
            "$schema"
                | "$ref"
                | "$id"
                | "id"
                | "$anchor"
                | "$defs"
                | "definitions"
                | "$dynamicRef"
                | "$dynamicAnchor"
                | "$recursiveRef"
                | "$recursiveAnchor"
        )
}
