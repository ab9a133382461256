//! Every string of a document that a model or a person may read, with its place.

use crate::json::{Json, Pointer};

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Words.
    Text,
    /// A name: of a tool or of a member.
    Identifier,
}

/// Calls `see` with every string, the names of members included. Depth is bounded by the parser.
pub(super) fn channels(document: &Json, see: &mut impl FnMut(&Pointer, &str, Channel)) {
    walk(document, &Pointer::root(), see);
}

fn walk(value: &Json, at: &Pointer, see: &mut impl FnMut(&Pointer, &str, Channel)) {
    match value {
        Json::String(text) => {
            let channel = if at.as_str() == "/name" { Channel::Identifier } else { Channel::Text };
            see(at, text, channel);
        }
        Json::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, element)| walk(element, &at.index(index), see));
        }
        Json::Object(members) => {
            for (key, member) in members {
                let at = at.key(key);
                see(&at, key, Channel::Identifier);
                walk(member, &at, see);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
