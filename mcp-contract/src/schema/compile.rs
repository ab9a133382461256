//! From a schema document to something that judges instances.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::expansion::{self, Findings};
use super::reference::Document;
use super::{bounds, pattern_keyword};
use crate::json::{Json, NumberOutOfRange, Pointer};
use crate::pattern::PatternError;

/// How many violations are reported for one instance.
const MAX_VIOLATIONS: usize = 20;

/// How deeply an instance may nest: a recursive schema follows it down on the stack.
const MAX_INSTANCE_DEPTH: usize = 128;

/// Why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is no object.
    #[error("a schema must be an object here, not {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// It is larger than any honest schema.
    #[error("more than {limit} {what} at {pointer}")]
    TooLarge {
        /// Where the limit was passed.
        pointer: Pointer,
        /// What is counted.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Its references multiply.
    #[error("references expand to more than {limit} schemas for one value at {pointer}")]
    Expansion {
        /// The schema that expands.
        pointer: Pointer,
        /// The limit.
        limit: u64,
    },
    /// Its references run in a circle that consumes nothing.
    #[error("a reference leads back to itself without consuming anything at {pointer}")]
    EmptyCycle {
        /// A schema in the circle.
        pointer: Pointer,
    },
    /// A reference leads elsewhere depending on the way to it.
    #[error(
        "the reference at {pointer} is dynamic: several schemas bear its anchor, and which one is meant depends on the way there; this is not supported"
    )]
    DynamicReference {
        /// The reference.
        pointer: Pointer,
    },
    /// A reference leads nowhere, or out of the document.
    #[error("the reference \"{reference}\" at {pointer} leads nowhere inside this schema (nothing is ever fetched)")]
    Reference {
        /// The `$ref`.
        pointer: Pointer,
        /// What it says.
        reference: String,
    },
    /// A reference names an identifier that several schemas bear, so that validators differ in what it means.
    #[error("the reference \"{reference}\" at {pointer} means several schemas: they bear the same identifier")]
    SeveralBearers {
        /// The `$ref`.
        pointer: Pointer,
        /// What it says.
        reference: String,
    },
    /// A number fits no 64-bit type.
    #[error(transparent)]
    Number(#[from] NumberOutOfRange),
    /// A pattern cannot be used.
    #[error("the pattern at {pointer}: {error}")]
    Pattern {
        /// The pattern.
        pointer: Pointer,
        /// Why.
        error: PatternError,
    },
    /// A key of `patternProperties` cannot be handed to the validator's engine.
    #[error("the key at {pointer} holds a word boundary, which cannot be matched exactly in patternProperties")]
    PatternKey {
        /// The key.
        pointer: Pointer,
    },
    /// It is of a dialect that is not known here.
    #[error(
        "$schema names {found}, which is no dialect that is known here (drafts 4, 6, 7, 2019-09, 2020-12; without $schema it \
         is 2020-12)"
    )]
    Dialect {
        /// What it names, as a safe excerpt.
        found: String,
    },
    /// It is no schema of its dialect.
    #[error("{message} (at {pointer})")]
    Invalid {
        /// Where.
        pointer: Pointer,
        /// What the meta-schema or the validator says.
        message: String,
    },
}

impl SchemaError {
    /// Where in the schema the error lies.
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        match self {
            Self::NotAnObject { .. } => Pointer::root(),
            Self::Dialect { .. } => Pointer::root().key("$schema"),
            Self::TooLarge { pointer, .. }
            | Self::Expansion { pointer, .. }
            | Self::EmptyCycle { pointer }
            | Self::Reference { pointer, .. }
            | Self::SeveralBearers { pointer, .. }
            | Self::DynamicReference { pointer }
            | Self::Pattern { pointer, .. }
            | Self::PatternKey { pointer }
            | Self::Invalid { pointer, .. } => pointer.clone(),
            Self::Number(error) => error.pointer.clone(),
        }
    }
}

/// Something about a schema that a reader should know, although it is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaNote {
    /// A pattern is valid only by the looser grammar of Annex B, and is read by it.
    #[error("the pattern at {pointer} is not valid in Unicode mode and is read by the older grammar (Annex B)")]
    AnnexB {
        /// The pattern.
        pointer: Pointer,
    },
}

impl SchemaNote {
    /// Where in the schema it is.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        match self {
            Self::AnnexB { pointer } => pointer,
        }
    }
}

/// One way in which an instance breaks a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct Violation {
    /// Where in the instance.
    pub pointer: Pointer,
    /// The keyword that it breaks, such as `required`; empty where the instance was not held to one.
    pub keyword: String,
    /// What is wrong there; foreign text in it is shown safely.
    pub message: String,
}

impl Violation {
    /// Something about the instance as a whole that no keyword says.
    #[must_use]
    pub fn whole(message: String) -> Self {
        Self { pointer: Pointer::root(), keyword: String::new(), message }
    }
}

/// A schema that judges instances.
#[derive(Debug)]
pub struct CompiledSchema {
    validator: Validator,
    document: Document,
    notes: Vec<SchemaNote>,
    findings: Findings,
}

impl CompiledSchema {
    /// Bounds, rewrites and compiles a schema, without any network or file access.
    ///
    /// ```
    /// use mcp_contract::{json::parse, schema::CompiledSchema};
    /// let schema = parse(r#"{"type":"object","required":["a"]}"#).unwrap();
    /// let compiled = CompiledSchema::compile(&schema).unwrap();
    /// assert!(compiled.violations(&serde_json::json!({})).len() == 1);
    /// ```
    ///
    /// # Errors
    ///
    /// See [`SchemaError`].
    pub fn compile(schema: &Json) -> Result<Self, SchemaError> {
        if schema.as_object().is_none() {
            return Err(SchemaError::NotAnObject { found: schema.type_name() });
        }
        bounds::check_size(schema)?;
        let document = Document::new(schema.to_value()?)?;
        let findings = expansion::check(&document)?;
        let mut notes = Vec::new();
        let mut root = document.flattened();
        // An empty `$schema` names no dialect; several generators write it.
        if let Value::Object(members) = &mut root
            && members.get("$schema").is_some_and(|dialect| dialect == "")
        {
            members.remove("$schema");
        }
        check_dialect(&root)?;
        document.check_empty_enums()?;
        let patterns = pattern_keyword::rewrite(&mut root, &document, &mut notes)?;
        let options = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(4 << 20).dfa_size_limit(4 << 20));
        let validator =
            pattern_keyword::register(options, patterns).build(&root).map_err(|error| invalid(&error, &root))?;
        Ok(Self { validator, document, notes, findings })
    }

    /// The same for a schema that need not be an object: `true` takes everything, `false` nothing.
    ///
    /// # Errors
    ///
    /// See [`SchemaError`].
    pub fn compile_any(schema: &Json) -> Result<Self, SchemaError> {
        let nothing = || Json::Object(vec![("not".to_owned(), Json::Object(Vec::new()))]);
        match schema {
            Json::Bool(true) => Self::compile(&Json::Object(Vec::new())),
            Json::Bool(false) => Self::compile(&nothing()),
            other => Self::compile(other),
        }
    }

    /// Whether an instance is valid.
    #[must_use]
    pub fn is_valid(&self, instance: &Value) -> bool {
        !deeper_than(instance, MAX_INSTANCE_DEPTH) && self.validator.is_valid(instance)
    }

    /// How an instance breaks the schema; empty where it does not. At most 20 violations are listed.
    #[must_use]
    pub fn violations(&self, instance: &Value) -> Vec<Violation> {
        if deeper_than(instance, MAX_INSTANCE_DEPTH) {
            let message = format!("nested deeper than {MAX_INSTANCE_DEPTH} levels");
            return vec![Violation::whole(message)];
        }
        if self.validator.is_valid(instance) {
            return Vec::new();
        }
        if self.findings.recursion_branches {
            let message = "not valid (where is not told: the schema contains itself in several ways, and its errors can multiply)";
            return vec![Violation::whole(message.to_owned())];
        }
        self.validator
            .iter_errors(instance)
            .take(MAX_VIOLATIONS)
            .map(|error| Violation {
                pointer: Pointer::from_spelling(error.instance_path().as_str()),
                keyword: error.schema_path().as_str().rsplit('/').next().unwrap_or_default().to_owned(),
                message: crate::text::excerpt(&error.to_string(), 300),
            })
            .collect()
    }

    /// The schema document, as the server sent it.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What a reader should know about the schema.
    #[must_use]
    pub fn notes(&self) -> &[SchemaNote] {
        &self.notes
    }
}

/// Whether `$schema` names a dialect that the validator knows.
fn check_dialect(root: &Value) -> Result<(), SchemaError> {
    let Some(found) = root.get("$schema") else { return Ok(()) };
    if found.is_string() && Draft::default().detect(root) != Draft::Unknown {
        return Ok(());
    }
    Err(SchemaError::Dialect { found: crate::text::excerpt(&found.to_string(), 100) })
}

fn invalid(error: &jsonschema::ValidationError<'_>, root: &Value) -> SchemaError {
    let pointer = Pointer::from_spelling(error.instance_path().as_str());
    let found = root.pointer(pointer.as_str());
    let message = match found {
        // The validator only says that no alternative of the meta-schema fits.
        Some(Value::String(name)) if pointer.as_str().ends_with("/type") => {
            format!("\"{name}\" is no type of JSON Schema (string, number, integer, boolean, object, array, null)")
        }
        _ => error.to_string(),
    };
    SchemaError::Invalid { pointer, message: crate::text::excerpt(&message, 300) }
}

/// Whether a value nests deeper than `limit`; iterative, because the answer guards recursion.
fn deeper_than(value: &Value, limit: usize) -> bool {
    let mut pending = vec![(value, 0)];
    while let Some((value, depth)) = pending.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(elements) => pending.extend(elements.iter().map(|element| (element, depth + 1))),
            Value::Object(members) => pending.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}
