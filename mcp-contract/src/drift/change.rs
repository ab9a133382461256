//! What changed, as a report has it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Grade;
use crate::json::{Json, Pointer};

/// One change.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// How grave it is.
    pub grade: Grade,
    /// What sort of change it is.
    pub kind: ChangeKind,
    /// Where in the tool definition, or in what the server says of itself.
    pub pointer: Pointer,
    /// What stood there: foreign.
    pub before: Option<Json>,
    /// What stands there: foreign.
    pub after: Option<Json>,
    /// What it means, in a sentence that is safe to print.
    pub meaning: String,
    /// For a schema that takes less or promises less: an instance that one validator takes and the other refuses.
    pub witness: Option<Value>,
}

/// A sort of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// An argument or a member of a result is gone.
    MemberGone,
    /// An argument or a member of a result is new.
    MemberAdded,
    /// Something must be there that need not have been, or the other way round.
    Required,
    /// Another type.
    Type,
    /// Other values.
    Values,
    /// Another range, length, pattern, format or number of parts.
    Bounds,
    /// Members that nobody named are refused.
    Closed,
    /// Members that nobody named are taken.
    Opened,
    /// Other alternatives, or another condition.
    Alternatives,
    /// Neither proved nor shown by an instance; taken for the worse.
    Unknown,
    /// Another default.
    Default,
    /// A schema is gone, new, or one that is refused.
    Schema,
    /// The tool can only run as a task, or need not any more.
    Task,
    /// A hint of the annotations.
    Hint,
    /// Words that give orders.
    Instruction,
    /// Words.
    Text,
    /// What is neither words nor a contract.
    Metadata,
    /// The whole tool.
    Tool,
}

impl ChangeKind {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MemberGone => "member-gone",
            Self::MemberAdded => "member-added",
            Self::Required => "required",
            Self::Type => "type",
            Self::Values => "values",
            Self::Bounds => "bounds",
            Self::Closed => "closed",
            Self::Opened => "opened",
            Self::Alternatives => "alternatives",
            Self::Unknown => "unknown",
            Self::Default => "default",
            Self::Schema => "schema",
            Self::Task => "task",
            Self::Hint => "hint",
            Self::Instruction => "instruction",
            Self::Text => "text",
            Self::Metadata => "metadata",
            Self::Tool => "tool",
        }
    }
}

/// What became of one tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolDrift {
    /// Its remote name, the new one where it was renamed: foreign text.
    pub name: String,
    /// The name it had.
    pub renamed_from: Option<String>,
    /// What changed, the gravest first.
    pub changes: Vec<Change>,
}

/// What became of a server's offer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// What changed in what the server says of itself, the gravest first.
    pub server: Vec<Change>,
    /// The tools that changed, the gravest first, then by name.
    pub tools: Vec<ToolDrift>,
}

/// The gravest grade of some changes.
#[must_use]
pub fn gravest(changes: &[Change]) -> Grade {
    changes.iter().map(|change| change.grade).min().unwrap_or(Grade::Unchanged)
}

/// All grades of some changes, the gravest first.
#[must_use]
pub fn grades(changes: &[Change]) -> BTreeSet<Grade> {
    changes.iter().map(|change| change.grade).collect()
}

impl ToolDrift {
    /// The gravest grade.
    #[must_use]
    pub fn grade(&self) -> Grade {
        gravest(&self.changes)
    }
}

impl Drift {
    /// The gravest grade of all.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.tools.iter().map(ToolDrift::grade).chain([gravest(&self.server)]).min().unwrap_or(Grade::Unchanged)
    }

    /// All grades that occur.
    #[must_use]
    pub fn grades(&self) -> BTreeSet<Grade> {
        let all = self.tools.iter().flat_map(|tool| &tool.changes).chain(&self.server);
        all.map(|change| change.grade).collect()
    }

    /// Whether nothing changed that means anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.server.is_empty() && self.tools.is_empty()
    }
}
