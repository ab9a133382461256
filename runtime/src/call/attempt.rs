//! One attempt at a call: a connection that is known to be alive, one request, one answer.

use std::sync::Arc;

use mcp_contract::admission::AdmittedTool;
use mcp_contract::config::Kind;
use mcp_wire::{CallSpec, WireError, WireErrorKind};
use serde_json::{Map, Value};

use super::answer::{Answer, read};
use super::classify::failed;
use crate::connecting::breaks;
use crate::error::CallError;
use crate::inside::Inside;

/// A call that passed every gate, ready to be issued.
#[derive(Clone)]
pub(super) struct Ready {
    pub(super) index: usize,
    pub(super) tool: AdmittedTool,
    pub(super) kind: Kind,
    pub(super) arguments: Map<String, Value>,
    pub(super) spec: CallSpec,
    pub(super) key: Option<String>,
    /// The span of the call, over all attempts.
    pub(super) span: tracing::Span,
    /// How many times it may be issued.
    pub(super) attempts: u32,
}

impl Inside {
    /// Issues a call once.
    pub(super) async fn attempt(self: &Arc<Self>, ready: &Ready) -> Result<Answer, CallError> {
        let name = ready.tool.local_name();
        let connecting = self.connection(ready.index);
        let connection = tokio::select! {
            connection = connecting => {
                connection.map_err(|source| CallError::NotSent { tool: name.to_owned(), source })?
            }
            () = ready.spec.abandoned.cancelled() => return Err(self.abandoned(ready)),
        };
        // The connection was made a moment ago, or the list was refreshed: the tool may not be what was accepted any more.
        self.still_stands(ready)?;
        let answer = connection.call(ready.tool.remote_name(), ready.arguments.clone(), &ready.spec).await;
        let live = &self.servers[ready.index];
        match answer {
            Ok(text) => {
                live.link.suspect(&connection, false);
                ready.span.record("mcp.reply.bytes", text.len());
                read(&ready.tool, text)
            }
            Err(failure) => {
                match &*failure.error.kind {
                    kind if breaks(kind) => self.give_up(ready.index, &connection, &kind.to_string()),
                    // Over HTTP each request goes its own way.
                    WireErrorKind::RequestTimeout { .. } if !live.is_http() => live.link.suspect(&connection, true),
                    _ => {}
                }
                Err(failed(name, failure))
            }
        }
    }

    /// A tool that changed since the call was made ready is not called.
    pub(super) fn still_stands(&self, ready: &Ready) -> Result<(), CallError> {
        let catalogue = self.catalogue();
        let shelf = &catalogue.shelves[ready.index];
        let tool = ready.tool.local_name().to_owned();
        let Some(entry) = shelf.tools.get(ready.tool.remote_name()) else {
            return Err(CallError::Unavailable { tool, reason: "it was refused meanwhile".to_owned() });
        };
        if let Some(withdrawn) = &entry.withdrawn {
            return Err(CallError::Unavailable { tool, reason: withdrawn.reason().to_owned() });
        }
        if entry.tool.definition().digest() != ready.tool.definition().digest() {
            let reason = "its definition changed between the request and the call; ask again".to_owned();
            return Err(CallError::Unavailable { tool, reason });
        }
        Ok(())
    }

    /// The error of a call that was given up before it was sent.
    pub(super) fn abandoned(&self, ready: &Ready) -> CallError {
        let source = WireError::new(self.servers[ready.index].server.name.clone(), WireErrorKind::Abandoned);
        CallError::NotSent { tool: ready.tool.local_name().to_owned(), source: Arc::new(source) }
    }
}
