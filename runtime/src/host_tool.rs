//! The host's own tools, beside the imported ones.
//!
//! They are in the registry before any server is asked, so that no import can take their names, and a model reaches them the same way.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_contract::config::Kind;
use serde_json::Value;

type Handler = Arc<dyn Fn(Value) -> Pin<Box<dyn Future<Output = Result<Value, String>> + Send>> + Send + Sync>;

/// A tool of the host's own.
#[derive(Clone)]
pub struct HostTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: Value,
    pub(crate) kind: Kind,
    handler: Handler,
}

impl HostTool {
    /// A tool that only reads. The arguments are handed to `handler` as they come: their schema is shown to models, and checking them is the
    /// host's affair.
    pub fn new<F>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        handler: impl Fn(Value) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Value, String>> + Send + 'static,
    {
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            kind: Kind::Read,
            handler: Arc::new(move |arguments| Box::pin(handler(arguments))),
        }
    }

    /// The same tool as an action: each call that a model asks for is approved.
    #[must_use]
    pub fn action(mut self) -> Self {
        self.kind = Kind::Action;
        self
    }

    pub(crate) async fn run(&self, arguments: Value) -> Result<Value, String> {
        (self.handler)(arguments).await
    }
}

impl fmt::Debug for HostTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HostTool").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The host's tools, by name.
pub(crate) type HostTools = BTreeMap<String, HostTool>;
