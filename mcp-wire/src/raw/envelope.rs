//! The outermost members of a JSON-RPC message, borrowed.

use rmcp::model::RequestId;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A message, as far as it must be understood to know whose it is.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) error: Option<&'a RawValue>,
}

/// Tells an explicit `null` from an absent member, which `Option` alone does not.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&'a RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Envelope<'a> {
    /// Reads an envelope; serde would read an array as a struct, so only an object is tried.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
    }

    /// Whether the message answers a request; a number may come back as a string.
    pub(crate) fn answers(&self, id: &RequestId) -> bool {
        let found = self.id.and_then(|found| serde_json::from_str::<RequestId>(found.get()).ok());
        match (found, id) {
            (Some(RequestId::String(text)), RequestId::Number(number)) => text.parse() == Ok(*number),
            (Some(found), id) => found == *id,
            (None, _) => false,
        }
    }

    /// Whether the id is an explicit `null`.
    pub(crate) fn has_null_id(&self) -> bool {
        self.id.is_some_and(|id| id.get() == "null")
    }
}
