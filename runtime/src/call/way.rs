//! From a name and some JSON to a call that may be issued.
//!
//! What a model asks for passes every gate, in this order: the registry, the allow-list, roles, abilities, the host's gate, the schema, and
//! for an action the approver. What the host's own code asks for by a type is the host's own act: it passes the schema.

use std::sync::Arc;

use mcp_contract::config::Kind;
use mcp_wire::CallSpec;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answer::Answer;
use super::arguments::valid;
use super::attempt::Ready;
use super::attempts::span;
use super::gates;
use crate::actor::Actor;
use crate::approval::ApprovalRequest;
use crate::client::CallOptions;
use crate::error::CallError;
use crate::inside::Inside;
use crate::registry::Entry;
use crate::tool::ToolId;
use crate::tool_info::ImportedTool;

impl Inside {
    /// A call that a model asks for.
    pub(crate) async fn call(
        self: &Arc<Self>,
        actor: &Actor,
        local_name: &str,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<Answer, CallError> {
        if self.own.contains_key(local_name) {
            return self.call_own(actor, local_name, arguments, options).await;
        }
        let catalogue = self.catalogue();
        let unknown = || CallError::UnknownTool { name: local_name.to_owned() };
        let (index, entry) = catalogue.tool(local_name).ok_or_else(unknown)?;
        let forbidden = |reason| CallError::Forbidden { tool: local_name.to_owned(), reason };
        let standing = catalogue.shelves[index].standing(entry);
        gates::imported(self, index, entry, standing, actor).await.map_err(forbidden)?;
        let ready = self.ready(index, entry, arguments, options)?;
        if ready.kind == Kind::Action {
            // Nobody is asked to approve what cannot be called, or what is not what it was.
            self.reach(&ready).await?;
            let tool = &ready.tool;
            self.hooks
                .approve(ApprovalRequest {
                    actor: actor.clone(),
                    server: self.servers[index].name().to_owned(),
                    local_name: local_name.to_owned(),
                    remote_name: tool.remote_name().to_owned(),
                    description: tool.definition().description().map(str::to_owned),
                    definition: tool.definition().digest().as_str().to_owned(),
                    arguments: Value::Object(ready.arguments.clone()),
                    key: options.key.clone(),
                })
                .await?;
        }
        self.issue(ready).await
    }

    /// A call of the host's own code, by the generated type of a tool.
    pub(crate) async fn call_typed(
        self: &Arc<Self>,
        tool: ToolId,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<Answer, CallError> {
        let unavailable = |reason: String| CallError::Unavailable { tool: tool.local_name.to_owned(), reason };
        let index = self.index(tool.server).ok_or_else(|| {
            unavailable(format!(
                "server {} is not enabled, or not in the contract that the importer was made of",
                tool.server
            ))
        })?;
        let catalogue = self.catalogue();
        let shelf = &catalogue.shelves[index];
        let Some(entry) = shelf.tools.get(tool.remote_name) else {
            let accepted = self.servers[index].accepted.candidates();
            let was_accepted = accepted.iter().any(|candidate| candidate.definition().name() == tool.remote_name);
            return Err(unavailable(match shelf.refused.get(tool.remote_name) {
                Some(reason) => reason.to_string(),
                None if was_accepted => format!(
                    "the server no longer lists it, and its name went to another tool; look at the change with: \
                     mcp-codegen snapshot {}",
                    tool.server
                ),
                None => "it is not in the embedded contract; run: mcp-codegen generate".to_owned(),
            }));
        };
        let ready = self.ready(index, entry, arguments, options)?;
        self.issue(ready).await
    }

    /// Holds the arguments to the schema that counts.
    fn ready(&self, index: usize, entry: &Entry, arguments: Value, options: &CallOptions) -> Result<Ready, CallError> {
        let live = &self.servers[index];
        if let Some(withdrawn) = &entry.withdrawn {
            let tool = entry.tool.local_name().to_owned();
            return Err(CallError::Unavailable { tool, reason: withdrawn.reason().to_owned() });
        }
        let arguments = valid(&entry.tool, arguments)?;
        let mut spec = CallSpec::within(options.timeout.unwrap_or(live.server.request_timeout));
        spec.progress.clone_from(&options.progress);
        spec.repeatable = entry.kind == Kind::Read;
        spec.abandoned = CancellationToken::new();
        let attempts = if options.once { 1 } else { live.server.policies.retry.attempts };
        Ok(Ready {
            index,
            tool: entry.tool.clone(),
            kind: entry.kind,
            arguments,
            spec,
            key: options.key.clone(),
            span: span(live.name(), entry.tool.local_name(), options.key.as_deref()),
            attempts,
        })
    }

    /// A call of a tool of the host's own: the same gates, no wire.
    async fn call_own(
        self: &Arc<Self>,
        actor: &Actor,
        name: &str,
        arguments: Value,
        options: &CallOptions,
    ) -> Result<Answer, CallError> {
        let own = &self.own[name];
        let tool = ImportedTool::own(own);
        let forbidden = |reason| CallError::Forbidden { tool: name.to_owned(), reason };
        gates::own(self, &tool, actor).await.map_err(forbidden)?;
        if own.kind == Kind::Action {
            self.hooks
                .approve(ApprovalRequest {
                    actor: actor.clone(),
                    server: String::new(),
                    local_name: name.to_owned(),
                    remote_name: name.to_owned(),
                    description: tool.description.clone(),
                    definition: String::new(),
                    arguments: arguments.clone(),
                    key: options.key.clone(),
                })
                .await?;
        }
        let result = match own.run(arguments).await {
            Ok(Value::String(text)) => json!({"content": [{"type": "text", "text": text}]}),
            Ok(value) => json!({"content": [], "structuredContent": value}),
            Err(text) => {
                let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
                let reply = crate::reply::Reply::untyped_from(Answer { result, violations: Vec::new() });
                return Err(CallError::Tool { tool: name.to_owned(), reply: Box::new(reply) });
            }
        };
        Ok(Answer { result, violations: Vec::new() })
    }
}
