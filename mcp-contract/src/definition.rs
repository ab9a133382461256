//! One tool as the server defined it.
//!
//! Decoding is lenient about everything but identity: a definition that has a name is kept whole, whatever else is
//! wrong with it, so that admission can refuse it with a reason at a pointer and its neighbours are untouched. What
//! has no name, or cannot be read as one document, is an [`Undecodable`] entry of the listing.

use crate::json::{Digest, Json, JsonError, Pointer, parse_foreign};

/// A tool definition: the document, verbatim, and what every step needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    name: String,
    document: Json,
}

/// Why an entry of a listing is no tool definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The entry is not one unambiguous JSON document.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The entry is JSON, but no object.
    #[error("a tool must be an object, not {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// There is no usable `name`.
    #[error("/name must be a non-empty string, not {found}")]
    Name {
        /// What stands there.
        found: &'static str,
    },
}

/// An entry of a listing that is no tool definition, kept so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecodable {
    /// Its place in the listing, from 0.
    pub index: usize,
    /// The bytes as they came.
    pub raw: String,
    /// Why it is not taken.
    pub reason: String,
}

/// Which of the protocol's hints a tool carries. Hints are the server's word; nothing here widens trust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `readOnlyHint`
    pub read_only: Option<bool>,
    /// `destructiveHint`
    pub destructive: Option<bool>,
    /// `idempotentHint`
    pub idempotent: Option<bool>,
    /// `openWorldHint`
    pub open_world: Option<bool>,
}

impl ToolDefinition {
    /// Decodes one entry of a listing.
    ///
    /// ```
    /// use mcp_contract::definition::ToolDefinition;
    /// let tool = ToolDefinition::decode(r#"{"name":"echo","inputSchema":{"type":"object"}}"#).unwrap();
    /// assert_eq!(tool.name(), "echo");
    /// assert!(ToolDefinition::decode(r#"{"inputSchema":{}}"#).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// See [`DefinitionError`].
    pub fn decode(raw: &str) -> Result<Self, DefinitionError> {
        Self::from_document(parse_foreign(raw)?)
    }

    /// Takes a document that was parsed before.
    ///
    /// # Errors
    ///
    /// See [`DefinitionError`].
    pub fn from_document(document: Json) -> Result<Self, DefinitionError> {
        if document.as_object().is_none() {
            return Err(DefinitionError::NotAnObject { found: document.type_name() });
        }
        match document.get("name") {
            Some(Json::String(name)) if !name.is_empty() => Ok(Self { name: name.clone(), document }),
            Some(Json::String(_)) => Err(DefinitionError::Name { found: "an empty one" }),
            Some(other) => Err(DefinitionError::Name { found: other.type_name() }),
            None => Err(DefinitionError::Name { found: "nothing" }),
        }
    }

    /// The remote name: what goes over the wire. It is foreign text of any shape.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole definition, verbatim.
    #[must_use]
    pub fn document(&self) -> &Json {
        &self.document
    }

    /// `description`, where it is a string.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.document.get("description").and_then(Json::as_str)
    }

    /// `title`, where it is a string.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.document.get("title").and_then(Json::as_str)
    }

    /// `inputSchema`, whatever it is.
    #[must_use]
    pub fn input_schema(&self) -> Option<&Json> {
        self.document.get("inputSchema")
    }

    /// `outputSchema`, whatever it is.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Json> {
        self.document.get("outputSchema")
    }

    /// Whether the tool can only be called as a task (`execution.taskSupport: "required"`).
    #[must_use]
    pub fn requires_task(&self) -> bool {
        let support = self.document.get("execution").and_then(|execution| execution.get("taskSupport"));
        support.and_then(Json::as_str) == Some("required")
    }

    /// The hints that are well-formed; a hint of a wrong type counts as absent.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        let hint = |name| match self.document.get("annotations")?.get(name)? {
            Json::Bool(flag) => Some(*flag),
            _ => None,
        };
        Annotations {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }

    /// Members that are of a wrong type and are ignored for it, with what they are: annotations only.
    #[must_use]
    pub fn ignored_members(&self) -> Vec<(Pointer, &'static str)> {
        let annotations = Pointer::root().key("annotations");
        match self.document.get("annotations") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Object(members)) => members
                .iter()
                .filter(|(key, value)| key.ends_with("Hint") && !matches!(value, Json::Bool(_)))
                .map(|(key, value)| (annotations.key(key), value.type_name()))
                .collect(),
            Some(other) => vec![(annotations, other.type_name())],
        }
    }

    /// The digest by which a change of this definition is noticed.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.document)
    }
}
