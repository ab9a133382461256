//! An agent as a plain function, for frameworks that want no more than that.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

use crate::agent::Agent;
use crate::client::CallOptions;
use crate::error::CallError;

/// A call under way.
pub type Calling = Pin<Box<dyn Future<Output = Result<Value, CallError>> + Send>>;

/// A function from a tool's local name and its arguments to what a model should see; see [`Agent::function`].
#[derive(Clone)]
pub struct Function {
    agent: Agent,
    options: CallOptions,
}

impl fmt::Debug for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Function").field("actor", self.agent.actor()).finish_non_exhaustive()
    }
}

impl Agent {
    /// The agent as a function of a name and JSON, to hand to a framework. Each call passes the same gates as [`Agent::call`].
    ///
    /// ```no_run
    /// # async fn run(importer: mcp_runtime::Importer) -> Result<(), mcp_runtime::CallError> {
    /// let call = importer.agent(mcp_runtime::Actor::new("assistant")).function(Default::default());
    /// let seen = call.call("notes_search".to_owned(), serde_json::json!({"q": "tea"})).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn function(&self, options: CallOptions) -> Function {
        Function { agent: self.clone(), options }
    }
}

impl Function {
    /// Calls a tool. The future borrows nothing.
    pub fn call(&self, local_name: String, arguments: Value) -> Calling {
        let Self { agent, options } = self.clone();
        Box::pin(async move { Ok(agent.call(&local_name, arguments, options).await?.for_model()) })
    }
}
