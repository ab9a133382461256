//! A call on the handler's side.

use std::pin::Pin;

use serde_json::{Value, json};

use crate::contract::ServerContract;
use crate::json::Json as _;
use crate::tool::{Tool, is_structured};

/// What serves the tools of one server. Implemented by generated code over a handler.
pub trait Serve: Send + Sync + 'static {
    /// The contract that is served: its definitions are what a listing shows.
    fn contract(&self) -> ServerContract;

    /// Answers a call.
    fn serve(&self, call: IncomingCall) -> Serving<'_>;
}

/// An answer under way. Boxed: the futures of all of a server's tools in one would be as large as the largest, and slow to compile.
pub type Serving<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// What a handler gives for a tool.
pub type HandlerResult<T> = Result<<T as Tool>::Output, HandlerError>;

/// What a method of a generated handler trait gives: a future that can be sent, of the tool's [`HandlerResult`]. An implementation
/// writes the method as `async fn`.
pub trait Answers<T: Tool>: Future<Output = HandlerResult<T>> + Send {}

impl<T: Tool, F: Future<Output = HandlerResult<T>> + Send> Answers<T> for F {}

/// A call that came in.
#[derive(Clone, Debug)]
pub struct IncomingCall {
    tool: String,
    arguments: Value,
}

/// The answer to a call: a result object, or an error of the protocol.
#[derive(Clone, Debug)]
pub struct Answer(pub(super) Result<Value, (i64, String)>);

/// Why a handler gives no output.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    message: String,
    code: Option<i64>,
}

impl HandlerError {
    /// The tool failed: its caller sees this text as the tool's own error.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None }
    }

    /// The protocol's error instead of a result.
    #[must_use]
    pub fn protocol(code: i64, message: impl Into<String>) -> Self {
        Self { message: message.into(), code: Some(code) }
    }

    /// The handler does not implement the tool.
    #[must_use]
    pub fn unimplemented(tool: &str) -> Self {
        Self::protocol(-32601, format!("this handler does not implement {tool}"))
    }
}

/// The default body of a generated handler method.
pub fn unimplemented<T: Tool>(args: T) -> impl Future<Output = HandlerResult<T>> + Send {
    drop(args);
    std::future::ready(Err(HandlerError::unimplemented(T::REMOTE_NAME)))
}

impl IncomingCall {
    pub(super) fn new(tool: String, arguments: Value) -> Self {
        Self { tool, arguments }
    }

    /// The tool's remote name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Decodes the arguments, lets `handle` answer, and encodes its output.
    pub fn answer<'a, T: Tool, F: Future<Output = HandlerResult<T>> + Send + 'a>(
        self,
        handle: impl FnOnce(T) -> F,
    ) -> Serving<'a> {
        match T::decode(&self.arguments) {
            Ok(args) => {
                let handled = handle(args);
                Box::pin(async { Answer::of::<T>(handled.await) })
            }
            Err(mismatch) => Answer(Err((-32602, format!("the arguments do not fit: {mismatch}")))).at_once(),
        }
    }

    /// The answer to a tool that nobody serves.
    #[must_use]
    pub fn unknown<'a>(self) -> Serving<'a> {
        Answer(Err((-32602, format!("there is no tool {}", self.tool)))).at_once()
    }
}

impl Answer {
    fn at_once<'a>(self) -> Serving<'a> {
        Box::pin(std::future::ready(self))
    }

    fn of<T: Tool>(result: HandlerResult<T>) -> Self {
        match result {
            Ok(output) => encode::<T>(&output),
            Err(HandlerError { message, code: Some(code) }) => Self(Err((code, message))),
            Err(HandlerError { message, code: None }) => {
                Self(Ok(json!({"content": [{"type": "text", "text": message}], "isError": true})))
            }
        }
    }
}

fn encode<T: Tool>(output: &T::Output) -> Answer {
    let value = output.encode();
    if !is_structured::<T>() {
        return Answer(Ok(json!({"content": [{"type": "text", "text": value}]})));
    }
    // The text repeats the structure, as the protocol asks for the sake of older clients.
    Answer(Ok(json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value})))
}
