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
            "title" | "description" | "$comment" | "examples" => Sort::Text,
            "default" => Sort::Default,
            word if is_constraint(word) => continue,
            _ => Sort::Metadata,
        };
        found.push(Difference { at: at.key(word), sort, before, after });
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
