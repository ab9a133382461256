//! The registry as one actor sees it: what it may be shown, and what it may call.

use std::sync::Arc;

use serde_json::Value;

use crate::actor::Actor;
use crate::call::visible;
use crate::client::CallOptions;
use crate::error::CallError;
use crate::inside::Inside;
use crate::reply::Reply;
use crate::tool_info::ImportedTool;

/// What an actor sees and may call. Cheap to make, one for each run or request.
#[derive(Clone)]
pub struct Agent {
    inside: Arc<Inside>,
    actor: Actor,
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Agent").field("actor", &self.actor).finish_non_exhaustive()
    }
}

impl Agent {
    pub(crate) fn new(inside: Arc<Inside>, actor: Actor) -> Self {
        Self { inside, actor }
    }

    /// Who asks.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The tools that can be called now and that the actor may use, sorted by local name: what a model is to be shown. The host's gate is
    /// asked about each of them, so that a list is right for the step that it is made for.
    pub async fn tools(&self) -> Vec<ImportedTool> {
        visible(&self.inside, &self.actor).await
    }

    /// Calls a tool by its local name with JSON arguments: what a model asks for.
    ///
    /// It passes, in this order, the registry, the actor's allow-list, roles, ability, the host's gate, the accepted schema and, for an
    /// action, the approver. The reply's output is what the model should see; see [`Reply::for_model`].
    ///
    /// Dropping the future before the approver has answered asks for nothing more. Later it cancels the call on the wire; whether the tool
    /// runs on is the server's affair, and what became of an action is told as an [`Event`](crate::Event).
    ///
    /// # Errors
    ///
    /// See [`CallError`]: each variant says whether the tool can have run.
    pub async fn call(
        &self,
        local_name: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<Reply<Value>, CallError> {
        let answer = self.inside.call(&self.actor, local_name, arguments, &options).await?;
        Ok(Reply::untyped_from(answer))
    }
}
