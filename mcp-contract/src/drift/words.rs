//! New words that give orders.
//!
//! A change of words is `text`, unless the new ones trip a signal of the text screen that the old ones did not: then somebody should read
//! them before a model does. The whole definition is compared, descriptions of parameters and values of enums included, and what only moved is
//! not new.

use std::collections::BTreeSet;

use super::change::{Change, ChangeKind};
use super::grade::Grade;
use crate::definition::ToolDefinition;
use crate::json::{Json, Pointer};
use crate::screen::{self, Said, Signal};
use crate::text::excerpt;

/// What the new definition says and the old one did not.
pub(super) fn orders(old: &ToolDefinition, new: &ToolDefinition) -> Vec<Change> {
    let value = |tool: &ToolDefinition, at: &Pointer| tool.document().at(at).cloned();
    new_orders(&screen::said(old), &screen::said(new))
        .map(|said| change(&said, value(old, &said.pointer), value(new, &said.pointer)))
        .collect()
}

/// The same for a server's instructions.
pub(super) fn orders_in(at: &Pointer, old: Option<&str>, new: &str) -> Vec<Change> {
    let before = old.map(|old| screen::said_in(at, old)).unwrap_or_default();
    let json = |text: &str| Json::String(text.to_owned());
    new_orders(&before, &screen::said_in(at, new)).map(|said| change(&said, old.map(json), Some(json(new)))).collect()
}

fn new_orders(before: &[Said], after: &[Said]) -> impl Iterator<Item = Said> {
    let mut known: BTreeSet<(Signal, String)> = before.iter().map(|said| (said.signal, said.words.clone())).collect();
    // Of phrases that hear the same words, the one that hears most tells it.
    let longer = |said: &Said| {
        after.iter().any(|other| {
            (other.signal, &other.pointer) == (said.signal, &said.pointer)
                && other.words.len() > said.words.len()
                && other.words.contains(&said.words)
        })
    };
    let whole: Vec<Said> = after.iter().filter(|said| !longer(said)).cloned().collect();
    whole.into_iter().filter(move |said| known.insert((said.signal, said.words.clone())))
}

fn change(said: &Said, before: Option<Json>, after: Option<Json>) -> Change {
    let message = match said.signal {
        Signal::ToolSteering => "words that steer the model",
        signal => signal.message(),
    };
    let meaning = format!("new: {message} ({}): {}", said.signal, excerpt(&said.words, 120));
    Change {
        grade: Grade::Instructing,
        kind: ChangeKind::Instruction,
        pointer: said.pointer.clone(),
        before,
        after,
        meaning,
        witness: None,
    }
}
