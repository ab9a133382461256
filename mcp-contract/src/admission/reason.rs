//! Why a tool is refused, and what is worth knowing of one that is not.

use crate::json::Pointer;
use crate::schema::{SchemaError, SchemaNote};
use crate::screen::Finding;

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
    #[error("/inputSchema: {0}; only its author can mend it, and `exclude` leaves the tool out")]
    InputSchema(SchemaError),
    /// The input schema describes something that no call can send.
    #[error("/inputSchema/type must allow an object: arguments are always one")]
    NotForObjects,
    /// The tool can only run as a task, which is not supported.
    #[error("/execution/taskSupport is \"required\": tools that run only as tasks are not supported")]
    RequiresTask,
    /// The screens refuse it.
    #[error("{}", screened(.0))]
    Screened(Vec<Finding>),
    /// A screen of the host's own refuses it, or could not judge it.
    #[error("the host's screen refuses it: {objection}")]
    Host {
        /// What the screen says.
        objection: String,
    },
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
            Self::Screened(findings) => findings.first().map_or(root, |finding| finding.pointer.clone()),
            Self::Host { .. } => root,
            Self::NoInputSchema => root.key("inputSchema"),
            Self::NotForObjects => root.key("inputSchema").key("type"),
            Self::InputSchema(error) => root.key("inputSchema").join(&error.pointer()),
            Self::RequiresTask => root.key("execution").key("taskSupport"),
            Self::NamedTwice | Self::Contested { .. } => root.key("name"),
        }
    }
}

impl Reason {
    /// The reason in one word, as reports have it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong-type",
            Self::NoInputSchema => "no-input-schema",
            Self::InputSchema(_) => "schema",
            Self::NotForObjects => "not-for-objects",
            Self::RequiresTask => "requires-task",
            Self::Screened(_) => "screened",
            Self::Host { .. } => "host",
            Self::NamedTwice => "named-twice",
            Self::Contested { .. } => "name-contested",
        }
    }
}

/// What refuses, and how to take the tool all the same.
fn screened(findings: &[Finding]) -> String {
    let Some((first, others)) = findings.split_first() else { return "refused by the screens".to_owned() };
    let others = match others.len() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let signal = first.signal;
    format!("{first}{others}; if a person has judged it, accept_risk takes the tool: signal = \"{signal}\"")
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
    /// The input schema does not say that arguments are an object, as the protocol asks.
    #[error("/inputSchema/type is missing: MCP asks for \"object\", and it is taken for that")]
    NoType,
    /// A member of a wrong type is ignored.
    #[error("{pointer} is ignored: it is {found}")]
    Ignored {
        /// The member.
        pointer: Pointer,
        /// What it is.
        found: &'static str,
    },
    /// A screen found something that does not refuse the tool.
    #[error("{0}")]
    Finding(Finding),
    /// The screens would refuse the tool, and the configuration accepts it.
    #[error("{finding}; accepted: {}", crate::text::excerpt(reason, 200))]
    AcceptedRisk {
        /// What was found.
        finding: Finding,
        /// Why it is accepted.
        reason: String,
    },
    /// The name leaves the set of characters that the protocol recommends.
    #[error("/name leaves the characters that MCP recommends (letters, digits, `_`, `-`, `.`; at most 128)")]
    UnusualName,
    /// The server lists the same definition more than once.
    #[error("the server lists this tool more than once, with equal definitions")]
    Repeated,
}

impl Note {
    /// The note in one word, as reports have it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::InputSchema(_) | Self::OutputSchema(_) => "annex-b",
            Self::NoOutputSchema(_) => "output-schema",
            Self::Ignored { .. } => "ignored-member",
            Self::Finding(finding) | Self::AcceptedRisk { finding, .. } => finding.signal.name(),
            Self::NoType => "no-type",
            Self::UnusualName => "unusual-name",
            Self::Repeated => "repeated",
        }
    }

    /// Where in the tool definition it is.
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        let root = Pointer::root();
        match self {
            Self::InputSchema(note) => root.key("inputSchema").join(note.pointer()),
            Self::OutputSchema(note) => root.key("outputSchema").join(note.pointer()),
            Self::NoType => root.key("inputSchema").key("type"),
            Self::NoOutputSchema(error) => root.key("outputSchema").join(&error.pointer()),
            Self::Ignored { pointer, .. } => pointer.clone(),
            Self::Finding(finding) | Self::AcceptedRisk { finding, .. } => finding.pointer.clone(),
            Self::UnusualName | Self::Repeated => root.key("name"),
        }
    }
}
