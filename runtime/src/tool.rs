//! What a tool is to the type system.

use std::any::TypeId;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::CallError;
use crate::reply::Reply;

/// The arguments of one tool. Implemented by generated code.
pub trait Tool: Serialize + DeserializeOwned + Send + 'static {
    /// What it gives: a type made from the output schema, or [`Text`] where there is none.
    type Output: Serialize + DeserializeOwned + Send + 'static;
    /// The server's name in `servers.toml`.
    const SERVER: &'static str;
    /// The name that goes over the wire.
    const REMOTE_NAME: &'static str;
    /// The name that a model sees.
    const LOCAL_NAME: &'static str;
    /// The accepted definition: the text of the tool's file in the snapshot.
    const SNAPSHOT: &'static str;
}

/// Whether the output is read from `structuredContent`; otherwise from the text.
pub(crate) fn is_structured<T: Tool>() -> bool {
    TypeId::of::<T::Output>() != TypeId::of::<Text>()
}

/// What a typed call gives.
pub type CallResult<T> = Result<Reply<<T as Tool>::Output>, CallError>;

/// The output of a tool without an output schema: its text blocks, joined by newlines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[allow(clippy::exhaustive_structs, reason = "a newtype to build freely")]
pub struct Text(pub String);

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}
