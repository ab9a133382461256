//! Annotations: what a server claims of a tool's reach, and which way the claim moved.
//!
//! A hint that is absent has the value that the protocol gives it, so one that appears with that value moves nothing. Each move is graded
//! `authority`, whichever way: one way the tool does more than was approved, the other way a host that gates on hints will let it through.

use super::change::{Change, ChangeKind};
use super::grade::Grade;
use crate::definition::ToolDefinition;
use crate::json::{Json, Pointer};

/// The hints of the protocol, their values where they are absent (MCP, `ToolAnnotations`), and whether `true` claims more reach.
const HINTS: &[(&str, bool, bool)] = &[
    ("readOnlyHint", false, false),
    ("destructiveHint", true, true),
    ("idempotentHint", false, false),
    ("openWorldHint", true, true),
];

/// The hints that moved.
pub(super) fn hints(old: &ToolDefinition, new: &ToolDefinition) -> Vec<Change> {
    let annotations = Pointer::root().key("annotations");
    let said =
        |tool: &ToolDefinition, name: &str| tool.document().get("annotations").and_then(|all| all.get(name)).cloned();
    let mut changes = Vec::new();
    for (name, default, reach) in HINTS {
        let (before, after) = (said(old, name), said(new, name));
        let value = |said: &Option<Json>| match said {
            Some(Json::Bool(flag)) => *flag,
            _ => *default,
        };
        let (was, is) = (value(&before), value(&after));
        if before == after {
            continue;
        }
        let (grade, meaning) = if was == is {
            (Grade::Metadata, format!("{name} says {is}, which is what its absence means"))
        } else {
            let direction = if is == *reach { "more" } else { "less" };
            (Grade::Authority, format!("{name} {was} -> {is}: the server claims {direction} reach"))
        };
        let pointer = annotations.key(name);
        changes.push(Change { grade, kind: ChangeKind::Hint, pointer, before, after, meaning, witness: None });
    }
    changes
}

/// Whether a member of the annotations is a hint of the protocol.
pub(super) fn is_hint(name: &str) -> bool {
    HINTS.iter().any(|(hint, ..)| *hint == name)
}
