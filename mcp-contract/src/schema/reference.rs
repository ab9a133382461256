//! References inside one document, resolved once and for all.
//!
//! Two resolvers that disagree are a way around every bound: what was counted would not be what is run. So this module
//! resolves each reference itself (pointers, anchors, `$id`s and the bases they set), and the validator is given a copy in
//! which every reference is a plain pointer and no identifier is left. Nothing ever leaves the document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::compile::SchemaError;
use super::dialect::Dialect;
use super::walk::subschemas;
use crate::json::Pointer;

/// Keywords that refer; in a document without dynamic scopes they all mean the same.
const REFERRING: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema document whose references are resolved.
#[derive(Clone, Debug)]
pub struct Document {
    root: Value,
    /// The schema that refers, and the schema it refers to.
    targets: BTreeMap<Pointer, Pointer>,
    /// Every schema: those in known places, and those that only a reference reaches.
    schemas: BTreeSet<Pointer>,
}

impl Document {
    /// Takes a schema document that is within bounds, and resolves its references.
    ///
    /// # Errors
    ///
    /// A reference leads nowhere, or out of the document.
    pub fn new(root: Value) -> Result<Self, SchemaError> {
        let mut index = Index { dialect: Dialect::of(&root), ..Index::default() };
        index.add(&root, &Pointer::root(), &Base::default());
        let mut targets = BTreeMap::new();
        // Resolving can find schemas in places that no walk knows, which may refer on.
        let mut done = 0;
        while done < index.references.len() {
            let Reference { at, keyword, text, base } = index.references[done].clone();
            done += 1;
            if keyword != "$ref" && index.is_dynamic(&text) {
                return Err(SchemaError::DynamicReference { pointer: at.key(keyword) });
            }
            let target = match index.resolve(&text, &base) {
                Ok(target) if is_schema(&root, &target) => target,
                Ok(_) | Err(Unresolved::Nowhere) => {
                    let reference = crate::text::excerpt(&text, 120);
                    return Err(SchemaError::Reference { pointer: at.key(keyword), reference });
                }
                Err(Unresolved::Several) => {
                    let reference = crate::text::excerpt(&text, 120);
                    return Err(SchemaError::SeveralBearers { pointer: at.key(keyword), reference });
                }
            };
            if let (false, Some(schema)) = (index.schemas.contains(&target), root.pointer(target.as_str())) {
                index.add(schema, &target, &base);
            }
            targets.insert(at, target);
        }
        Ok(Self { root, targets, schemas: index.schemas })
    }

    /// The document itself, as the server sent it.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The value at a pointer.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<&Value> {
        self.root.pointer(pointer.as_str())
    }

    /// Where the reference of the schema at `pointer` leads, if it has one.
    ///
    /// ```
    /// use mcp_contract::{json::Pointer, schema::Document};
    /// let document = Document::new(serde_json::json!({
    ///     "$defs": {"a/b": {"type": "string"}}, "items": {"$ref": "#/$defs/a~1b"}
    /// })).unwrap();
    /// let target = document.target(&Pointer::root().key("items")).unwrap();
    /// assert_eq!(document.at(target).unwrap()["type"], "string");
    /// ```
    #[must_use]
    pub fn target(&self, pointer: &Pointer) -> Option<&Pointer> {
        self.targets.get(pointer)
    }

    /// Every schema of the document, in the order of their pointers.
    pub fn schemas(&self) -> impl Iterator<Item = &Pointer> {
        self.schemas.iter()
    }

    /// The dialect that the document names.
    #[must_use]
    pub(crate) fn dialect(&self) -> Dialect {
        Dialect::of(&self.root)
    }

    /// Whether what stands beside a reference counts: the drafts before 2019-09 ignore it.
    #[must_use]
    pub fn reads_beside_references(&self) -> bool {
        self.dialect().reads_beside_references()
    }

    /// Draft 4 forbids an `enum` without values, which the validator's copy of its meta-schema does not.
    pub(super) fn check_empty_enums(&self) -> Result<(), SchemaError> {
        if Dialect::of(&self.root) != Dialect::Draft4 {
            return Ok(());
        }
        let empty = |pointer: &&Pointer| {
            self.at(pointer).and_then(|schema| schema.get("enum")?.as_array()).is_some_and(Vec::is_empty)
        };
        match self.schemas.iter().find(empty) {
            Some(pointer) => {
                let message = "draft 4 asks for at least one value".to_owned();
                Err(SchemaError::Invalid { pointer: pointer.key("enum"), message })
            }
            None => Ok(()),
        }
    }

    /// A copy for the validator: every reference is a pointer, no identifier is left.
    pub(super) fn flattened(&self) -> Value {
        let mut root = self.root.clone();
        for pointer in &self.schemas {
            let Some(Value::Object(schema)) = root.pointer_mut(pointer.as_str()) else { continue };
            let identifier = Dialect::of(&self.root).identifier();
            for identifier in [identifier, "$anchor", "$dynamicAnchor", "$recursiveAnchor"] {
                schema.remove(identifier);
            }
            if let Some(target) = self.targets.get(pointer) {
                for keyword in REFERRING {
                    schema.remove(*keyword);
                }
                schema.insert("$ref".to_owned(), Value::String(format!("#{}", percent_encoded(target.as_str()))));
            }
        }
        root
    }
}

/// What `#…` and relative identifiers start from.
#[derive(Clone, Debug, Default)]
struct Base {
    resource: Pointer,
    id: String,
}

#[derive(Clone, Debug)]
struct Reference {
    at: Pointer,
    keyword: &'static str,
    text: String,
    base: Base,
}

#[derive(Default)]
struct Index {
    dialect: Dialect,
    schemas: BTreeSet<Pointer>,
    /// The schemas that bear an identifier: several, where a document is careless or means to be read in two ways.
    ids: BTreeMap<String, BTreeSet<Pointer>>,
    anchors: BTreeMap<(Pointer, String), BTreeSet<Pointer>>,
    /// How many schemas bear each dynamic anchor.
    dynamic: BTreeMap<String, usize>,
    references: Vec<Reference>,
}

impl Index {
    /// Walks a schema and everything inside it that is known to be one.
    fn add(&mut self, schema: &Value, pointer: &Pointer, base: &Base) {
        let mut pending = vec![(schema, pointer.clone(), base.clone())];
        while let Some((schema, pointer, mut base)) = pending.pop() {
            if !self.schemas.insert(pointer.clone()) {
                continue;
            }
            let Value::Object(members) = schema else { continue };
            self.identify(members, &pointer, &mut base);
            for keyword in REFERRING {
                if let Some(text) = members.get(*keyword).and_then(Value::as_str) {
                    let reference =
                        Reference { at: pointer.clone(), keyword, text: text.to_owned(), base: base.clone() };
                    self.references.push(reference);
                    break;
                }
            }
            let inner = subschemas(members).into_iter();
            pending.extend(inner.map(|(inner, _, schema)| (schema, pointer.join(&inner), base.clone())));
        }
    }

    /// Takes note of what a schema calls itself.
    fn identify(&mut self, members: &Map<String, Value>, pointer: &Pointer, base: &mut Base) {
        let text = |keyword: &str| members.get(keyword).and_then(Value::as_str);
        // Beside a reference, the drafts before 2019-09 ignore an identifier.
        let hidden = !self.dialect.reads_beside_references() && members.contains_key("$ref");
        let id = text(self.dialect.identifier()).filter(|_| !hidden);
        if let Some(id) = id {
            match id.strip_prefix('#') {
                Some(anchor) if !anchor.is_empty() => {
                    let bearers = self.anchors.entry((base.resource.clone(), anchor.to_owned())).or_default();
                    bearers.insert(pointer.clone());
                }
                _ => {
                    base.id = joined(&base.id, id.trim_end_matches('#'));
                    base.resource = pointer.clone();
                    self.ids.entry(base.id.clone()).or_default().insert(pointer.clone());
                }
            }
        }
        let dynamic = text("$dynamicAnchor")
            .or_else(|| (members.get("$recursiveAnchor") == Some(&Value::Bool(true))).then_some(""));
        if let Some(anchor) = dynamic {
            *self.dynamic.entry(anchor.to_owned()).or_default() += 1;
        }
        for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
            let bearers = self.anchors.entry((base.resource.clone(), anchor.to_owned())).or_default();
            bearers.insert(pointer.clone());
        }
    }

    /// Whether where a reference leads depends on the way that led to it: several schemas bear the anchor.
    fn is_dynamic(&self, reference: &str) -> bool {
        let anchor = reference.rsplit('#').next().unwrap_or_default();
        self.dynamic.get(anchor).is_some_and(|bearers| *bearers > 1)
    }

    fn resolve(&self, reference: &str, base: &Base) -> Result<Pointer, Unresolved> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = match address {
            "" => base.resource.clone(),
            address => only(self.ids.get(&joined(&base.id, address)))?,
        };
        let fragment = percent_decoded(fragment).ok_or(Unresolved::Nowhere)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Ok(resource.join(&Pointer::from_spelling(fragment)));
        }
        only(self.anchors.get(&(resource, fragment)))
    }
}

/// Why a reference means no schema.
enum Unresolved {
    Nowhere,
    Several,
}

fn only(bearers: Option<&BTreeSet<Pointer>>) -> Result<Pointer, Unresolved> {
    let bearers = bearers.ok_or(Unresolved::Nowhere)?;
    match (bearers.first(), bearers.len()) {
        (Some(bearer), 1) => Ok(bearer.clone()),
        (None, _) => Err(Unresolved::Nowhere),
        _ => Err(Unresolved::Several),
    }
}

fn is_schema(root: &Value, pointer: &Pointer) -> bool {
    root.pointer(pointer.as_str()).is_some_and(|value| value.is_object() || value.is_boolean())
}

/// A relative address against a base, as far as identifiers of schemas need it.
fn joined(base: &str, address: &str) -> String {
    let scheme_end = |text: &str| text.find(':').filter(|at| text[..*at].bytes().all(|b| b.is_ascii_alphanumeric()));
    if base.is_empty() || scheme_end(address).is_some() {
        return address.to_owned();
    }
    if address.starts_with('/') {
        let authority = base.find("://").map_or(0, |at| at + 3);
        let end = base[authority..].find('/').map_or(base.len(), |at| authority + at);
        return format!("{}{address}", &base[..end]);
    }
    let folder = base.rfind('/').map_or(0, |at| at + 1);
    let (mut folder, mut rest) = (&base[..folder], address);
    loop {
        if let Some(here) = rest.strip_prefix("./") {
            rest = here;
        } else if let Some(above) = rest.strip_prefix("../") {
            rest = above;
            let parent = folder.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
            folder = &folder[..parent];
        } else {
            return format!("{folder}{rest}");
        }
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

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"/-._~$".contains(&byte) {
            out.push(char::from(byte));
        } else {
            use std::fmt::Write as _;
            write!(out, "%{byte:02X}").expect("a String takes everything");
        }
        out
    })
}
