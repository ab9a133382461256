//! What a tool is to the type system.

use std::any::TypeId;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::CallError;
use crate::json::{Json, Mismatch};
use crate::reply::Reply;

/// The arguments of one tool. Implemented by generated code.
pub trait Tool: Json + Send + 'static {
    /// What it gives: a type made from the output schema, or [`Text`] where there is none.
    type Output: Json + Send + 'static;
    /// The server's name in `servers.toml`.
    const SERVER: &'static str;
    /// The name that goes over the wire.
    const REMOTE_NAME: &'static str;
    /// The name that a model sees.
    const LOCAL_NAME: &'static str;
    /// The accepted definition: the text of the tool's file in the snapshot.
    const SNAPSHOT: &'static str;
}

/// What a tool is called, without its types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolId {
    pub(crate) server: &'static str,
    pub(crate) remote_name: &'static str,
    pub(crate) local_name: &'static str,
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

impl Json for Text {
    fn encode(&self) -> Value {
        self.0.encode()
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        String::decode(value).map(Self)
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}
