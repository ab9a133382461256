//! References inside one document.
//!
//! The validator resolves references by itself; this resolver serves the steps that must look through a reference
//! without it: the bound on expansion, and the generator. It knows what real servers write: pointers (also deep ones,
//! percent-encoded or not), `#`, anchors, and `$id`s that are repeated literally. It never leaves the document.

use std::collections::BTreeMap;

use serde_json::Value;

use super::walk::subschemas;
use crate::json::Pointer;

/// A schema document whose references can be looked up.
#[derive(Clone, Debug)]
pub struct Document {
    root: Value,
    names: BTreeMap<String, Pointer>,
}

impl Document {
    /// Takes a schema document that is within bounds, and indexes its anchors and identifiers.
    #[must_use]
    pub fn new(root: Value) -> Self {
        let mut names = BTreeMap::new();
        let mut pending = vec![(Pointer::root(), &root)];
        while let Some((pointer, schema)) = pending.pop() {
            let Value::Object(members) = schema else { continue };
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = members.get(keyword).and_then(Value::as_str) {
                    names.entry(format!("#{anchor}")).or_insert_with(|| pointer.clone());
                }
            }
            if let Some(id) = members.get("$id").and_then(Value::as_str) {
                names.entry(id.to_owned()).or_insert_with(|| pointer.clone());
            }
            pending.extend(subschemas(members).into_iter().map(|(inner, _, schema)| (pointer.join(&inner), schema)));
        }
        Self { root, names }
    }

    /// The document itself.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The value at a pointer.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<&Value> {
        self.root.pointer(pointer.as_str())
    }

    /// Where a `$ref` leads; `None` where it leads out of the document or nowhere.
    ///
    /// ```
    /// use mcp_contract::schema::Document;
    /// let document = Document::new(serde_json::json!({"$defs": {"a/b": {"type": "string"}}}));
    /// let target = document.resolve("#/$defs/a~1b").unwrap();
    /// assert_eq!(document.at(&target).unwrap()["type"], "string");
    /// ```
    #[must_use]
    pub fn resolve(&self, reference: &str) -> Option<Pointer> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base_pointer = if base.is_empty() { Pointer::root() } else { self.names.get(base)?.clone() };
        let fragment = percent_decoded(fragment)?;
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            base_pointer.join(&Pointer::from_spelling(fragment))
        } else {
            self.names.get(&format!("#{fragment}"))?.clone()
        };
        self.at(&pointer).is_some().then_some(pointer)
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let code = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(code).expect("two hex digits fit a byte"));
    }
    String::from_utf8(bytes).ok()
}
