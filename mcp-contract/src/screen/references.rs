//! References that leave their document.

use std::collections::BTreeSet;

use crate::json::{Json, Pointer};

/// The places of references to other documents. An identifier that the document gives itself is not another document.
pub(super) fn external(schema: &Json) -> Vec<(Pointer, String)> {
    let mut own = BTreeSet::new();
    walk(schema, &Pointer::root(), &mut |_, key, value| {
        if matches!(key, "$id" | "id")
            && let Some(id) = value.as_str()
        {
            own.insert(id.trim_end_matches('#').to_owned());
        }
    });
    let mut found = Vec::new();
    walk(schema, &Pointer::root(), &mut |at, key, value| {
        let Some(target) = value.as_str().filter(|_| matches!(key, "$ref" | "$dynamicRef")) else { return };
        let document = target.split('#').next().unwrap_or_default();
        if !document.is_empty() && !own.iter().any(|id| id == document || id.ends_with(&format!("/{document}"))) {
            found.push((at.clone(), target.to_owned()));
        }
    });
    found
}

fn walk(value: &Json, at: &Pointer, see: &mut impl FnMut(&Pointer, &str, &Json)) {
    match value {
        Json::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, element)| walk(element, &at.index(index), see));
        }
        Json::Object(members) => {
            for (key, member) in members {
                let at = at.key(key);
                see(&at, key, member);
                // What these hold is data, whatever it looks like.
                if !crate::schema::is_data(key) {
                    walk(member, &at, see);
                }
            }
        }
        _ => {}
    }
}
