//! What a server says beside its tools: instructions are words for the model, the rest is metadata.

use super::change::{Change, ChangeKind};
use super::grade::Grade;
use super::words::orders_in;
use crate::definition::Undecodable;
use crate::json::{Digest, Json, Pointer};
use crate::listing::Listing;

/// The changes between what two listings say beside their tools.
pub(super) fn changes(old: &Listing, new: &Listing) -> Vec<Change> {
    let entries = entries(&old.undecodable, &new.undecodable);
    let (old, new) = (&old.report, &new.report);
    let root = Pointer::root().key("initialize");
    let info = root.key("serverInfo");
    let text = |text: &Option<String>| text.clone().map(Json::String);
    let mut changes = Vec::new();
    let instructions = root.key("instructions");
    if old.instructions != new.instructions {
        let orders = new.instructions.as_deref().map(|new| orders_in(&instructions, old.instructions.as_deref(), new));
        changes.extend(orders.into_iter().flatten());
    }
    let members = [
        (Grade::Text, instructions, text(&old.instructions), text(&new.instructions)),
        (Grade::Metadata, root.key("protocolVersion"), text(&old.protocol), text(&new.protocol)),
        (Grade::Metadata, info.key("name"), text(&old.name), text(&new.name)),
        (Grade::Metadata, info.key("version"), text(&old.version), text(&new.version)),
        (Grade::Metadata, root.key("capabilities"), old.capabilities.clone(), new.capabilities.clone()),
    ];
    for (grade, pointer, before, after) in members {
        let digest = |value: &Option<Json>| value.as_ref().map(Digest::of);
        if digest(&before) == digest(&after) {
            continue;
        }
        let kind = if grade == Grade::Text { ChangeKind::Text } else { ChangeKind::Metadata };
        changes.push(Change { grade, kind, pointer, before, after, meaning: String::new(), witness: None });
    }
    changes.extend(entries);
    changes.sort_by(|a, b| (a.grade, &a.pointer).cmp(&(b.grade, &b.pointer)));
    changes
}

/// Entries that are no tools: their order means nothing.
fn entries(old: &[Undecodable], new: &[Undecodable]) -> Option<Change> {
    let texts = |entries: &[Undecodable]| {
        let mut texts: Vec<String> = entries.iter().map(|entry| entry.raw.clone()).collect();
        texts.sort();
        texts
    };
    let (before, after) = (texts(old), texts(new));
    if before == after {
        return None;
    }
    let json = |texts: Vec<String>| Some(Json::Array(texts.into_iter().map(Json::String).collect()));
    Some(Change {
        grade: Grade::Metadata,
        kind: ChangeKind::Metadata,
        pointer: Pointer::root().key("tools"),
        before: json(before),
        after: json(after),
        meaning: "entries of the listing that are no tools".to_owned(),
        witness: None,
    })
}
