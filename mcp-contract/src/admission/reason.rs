//! Why a tool is refused, and what is worth knowing of one that is not.

use crate::json::Pointer;
use crate::schema::{SchemaError, SchemaNote};

/// A tool that is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedTool {
    /// Its remote name: foreign text.
    pub remote_name: String,
    /// Why.
    pub reason: Reason,
}

/// Why a tool is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A member has a wrong type.
    #[error("{pointer} must be {wanted}, not {found}")]
    WrongType {
        /// The member.
        pointer: Pointer,
        /// What it must be.
        wanted: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// There is no `inputSchema`.
    #[error("/inputSchema is missing: what arguments the tool takes is not known")]
    NoInputSchema,
    /// The input schema is refused.
    #[error("/inputSchema: {0}")]
    InputSchema(SchemaError),
    /// The input schema describes something that no call can send.
    #[error("/inputSchema/type must allow an object: arguments are always one")]
    NotForObjects,
    /// The tool can only run as a task, which is not supported.
    #[error("/execution/taskSupport is \"required\": tools that run only as tasks are not supported")]
    RequiresTask,
    /// The server lists two different tools under this name.
    #[error("the server lists two different tools under this name")]
    NamedTwice,
    /// Another tool owns the local name.
    #[error(
        "the local name {local_name} belongs to {owner}; give one of the two servers a `namespace`, or leave the tool out \
         with `exclude`"
    )]
    Contested {
        /// The name.
        local_name: String,
        /// Who owns it, such as `server github, tool "create_issue"`.
        owner: String,
    },
}

impl Reason {
    /// Where in the tool definition the reason lies; the whole document where it lies outside.
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        let root = Pointer::root();
        match self {
            Self::WrongType { pointer, .. } => pointer.clone(),
            Self::NoInputSchema => root.key("inputSchema"),
            Self::NotForObjects => root.key("inputSchema").key("type"),
            Self::InputSchema(error) => root.key("inputSchema").join(&error.pointer()),
            Self::RequiresTask => root.key("execution").key("taskSupport"),
            Self::NamedTwice | Self::Contested { .. } => root.key("name"),
        }
    }
}

/// Something about an admitted tool that a reader should know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// About the input schema.
    #[error("/inputSchema: {0}")]
    InputSchema(SchemaNote),
    /// About the output schema.
    #[error("/outputSchema: {0}")]
    OutputSchema(SchemaNote),
    /// The output schema cannot be used; the tool is taken without typed results.
    #[error("/outputSchema is left out, results stay untyped: {0}")]
    NoOutputSchema(SchemaError),
    /// A member of a wrong type is ignored.
    #[error("{pointer} is ignored: it is {found}")]
    Ignored {
        /// The member.
        pointer: Pointer,
        /// What it is.
        found: &'static str,
    },
    /// The name leaves the set of characters that the protocol recommends.
    #[error("/name leaves the characters that MCP recommends (letters, digits, `_`, `-`, `.`; at most 128)")]
    UnusualName,
    /// The server lists the same definition more than once.
    #[error("the server lists this tool more than once, with equal definitions")]
    Repeated,
}
