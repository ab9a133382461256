//! One tool, before and after.

use std::collections::BTreeSet;

use super::change::{Change, ChangeKind};
use super::difference::spaced;
use super::grade::Grade;
use super::hints::{hints, is_hint};
use super::schema::{self, Role};
use super::words::orders;
use crate::definition::ToolDefinition;
use crate::json::{Digest, Json, Pointer};

/// The changes between two definitions of a tool, the gravest first. The name is not compared.
pub(super) fn changes(old: &ToolDefinition, new: &ToolDefinition) -> Vec<Change> {
    let mut changes = Vec::new();
    for role in [Role::Arguments, Role::Results] {
        let said = |tool: &ToolDefinition| match tool.document().get(role.member()) {
            Some(Json::Null) | None => None,
            Some(schema) => Some(schema.clone()),
        };
        match (said(old), said(new)) {
            (Some(old), Some(new)) if Digest::of(&old) != Digest::of(&new) => {
                changes.extend(schema::changes(role, &old, &new));
            }
            (old, new) => changes.extend(schema::whole(role, old.as_ref(), new.as_ref())),
        }
    }
    changes.extend(hints(old, new));
    changes.extend(task(old, new));
    changes.extend(orders(old, new));
    members(&Pointer::root(), old.document(), new.document(), &mut changes);
    settled(changes)
}

/// Whether the tool can only run as a task, which callers that do not run tasks cannot use.
fn task(old: &ToolDefinition, new: &ToolDefinition) -> Option<Change> {
    let (grade, meaning) = match (old.requires_task(), new.requires_task()) {
        (false, true) => (Grade::Breaking, "the tool can only be called as a task"),
        (true, false) => (Grade::Compatible, "the tool need not be called as a task any more"),
        _ => return None,
    };
    let pointer = Pointer::root().key("execution").key("taskSupport");
    let value = |tool: &ToolDefinition| tool.document().at(&pointer).cloned();
    let (before, after) = (value(old), value(new));
    Some(Change { grade, kind: ChangeKind::Task, pointer, before, after, meaning: meaning.to_owned(), witness: None })
}

/// The members that nothing above looks at. Objects are gone into, anything else is compared as a whole.
fn members(at: &Pointer, old: &Json, new: &Json, changes: &mut Vec<Change>) {
    let keys =
        |value: &Json| value.as_object().unwrap_or_default().iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    let all: BTreeSet<String> = keys(old).into_iter().chain(keys(new)).collect();
    let is_root = *at == Pointer::root();
    for key in all {
        if is_root && matches!(key.as_str(), "name" | "inputSchema" | "outputSchema") {
            continue;
        }
        if at.as_str() == "/annotations" && is_hint(&key) {
            continue;
        }
        let (before, after) = (old.get(&key), new.get(&key));
        if before.map(Digest::of) == after.map(Digest::of) {
            continue;
        }
        let pointer = at.key(&key);
        let nothing = Json::Object(Vec::new());
        let is_object = |value: Option<&Json>| value.is_none_or(|value| value.as_object().is_some());
        // What is made of members is told of by member, also where it is new or gone.
        if is_object(before) && is_object(after) && !keys(before.or(after).unwrap_or(&nothing)).is_empty() {
            members(&pointer, before.unwrap_or(&nothing), after.unwrap_or(&nothing), changes);
            continue;
        }
        let text = |value: Option<&Json>| value.and_then(Json::as_str).map(spaced);
        if text(before).is_some_and(|before| text(after) == Some(before)) {
            continue;
        }
        let is_words = matches!(pointer.as_str(), "/title" | "/description" | "/annotations/title");
        let (grade, kind) =
            if is_words { (Grade::Text, ChangeKind::Text) } else { (Grade::Metadata, ChangeKind::Metadata) };
        let (before, after) = (before.cloned(), after.cloned());
        changes.push(Change { grade, kind, pointer, before, after, meaning: String::new(), witness: None });
    }
}

/// The gravest first; of several changes of one grade and kind at one place, the first that is shown by an instance.
fn settled(mut changes: Vec<Change>) -> Vec<Change> {
    // What is refused there now is not also told as taken.
    let broken: BTreeSet<Pointer> =
        changes.iter().filter(|change| change.grade == Grade::Breaking).map(|change| change.pointer.clone()).collect();
    changes.retain(|change| change.grade != Grade::Compatible || !broken.contains(&change.pointer));
    let order = |change: &Change| (change.grade, change.pointer.clone(), change.kind, change.witness.is_none());
    changes.sort_by_key(order);
    changes.dedup_by(|later, earlier| {
        (later.grade, later.kind, &later.pointer) == (earlier.grade, earlier.kind, &earlier.pointer)
            && later.grade != Grade::Instructing
    });
    changes
}
