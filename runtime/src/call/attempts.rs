//! Issuing a call until it ends: again where that is safe, once where it is not.
//!
//! The loop runs in a task of the runtime's own for an action, so that its outcome is told even when nobody waits for it any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_contract::config::Kind;
use mcp_contract::text::excerpt;
use mcp_wire::{WireError, WireErrorKind};
use tracing::Instrument as _;

use super::answer::Answer;
use super::attempt::Ready;
use crate::error::CallError;
use crate::event::Event;
use crate::inside::Inside;
use crate::outcome::{Outcome, is_not_sent, is_transient, is_trusted_rejection};

/// The longest that a server can ask to be left alone before another attempt; one that asks for more is not asked again.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Inside {
    /// Issues a call, and tells what became of it. An action outlives its caller; a read does not.
    pub(super) async fn issue(self: &Arc<Self>, ready: Ready) -> Result<Answer, CallError> {
        let span = ready.span.clone();
        if ready.kind == Kind::Read {
            return self.attempts(&ready).instrument(span).await;
        }
        let gone = ready.spec.abandoned.clone().drop_guard();
        let (inside, name) = (Arc::clone(self), ready.tool.local_name().to_owned());
        let server = self.servers[ready.index].server.name.clone();
        let task = tokio::spawn(async move { inside.attempts(&ready).await }.instrument(span));
        let answer = task.await;
        gone.disarm();
        answer.unwrap_or_else(|ended| {
            // The task ends early only with the runtime, or by a panic of ours: nobody knows how far the call was.
            let source = WireError::new(server, WireErrorKind::Lost { detail: ended.to_string() });
            Err(CallError::OutcomeUnknown { tool: name, source: Arc::new(source) })
        })
    }

    /// Makes sure that the server can be asked and that the tool is what was accepted, before a person is bothered.
    pub(super) async fn reach(self: &Arc<Self>, ready: &Ready) -> Result<(), CallError> {
        let mut attempt = 1;
        loop {
            let Err(source) = self.connection(ready.index).await else { return self.still_stands(ready) };
            let error = CallError::NotSent { tool: ready.tool.local_name().to_owned(), source };
            let Some(wait) = self.wait_before_another(ready, attempt, &error) else { return Err(error) };
            attempt += 1;
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempts(self: &Arc<Self>, ready: &Ready) -> Result<Answer, CallError> {
        let begun = Instant::now();
        let mut attempt = 1;
        let answer = loop {
            let answer = self.attempt(ready).await;
            let Err(error) = &answer else { break answer };
            let Some(wait) = self.wait_before_another(ready, attempt, error) else { break answer };
            attempt += 1;
            self.events.tell(Event::Retried {
                server: self.servers[ready.index].name().to_owned(),
                tool: ready.tool.local_name().to_owned(),
                key: ready.key.clone(),
                attempt,
                wait,
                reason: reason(error),
            });
            tracing::info!(attempt, ?wait, "a call is issued again");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = ready.spec.abandoned.cancelled() => break answer,
            }
        };
        self.finished(ready, attempt, begun, &answer);
        answer
    }

    /// How long to wait before the call is issued again; `None` where it is not.
    fn wait_before_another(&self, ready: &Ready, attempt: u32, error: &CallError) -> Option<Duration> {
        let policies = &self.servers[ready.index].server.policies;
        let again = match (self.hooks.again(error, ready.kind), ready.kind) {
            (Some(again), _) => again,
            (None, Kind::Read) => is_transient(error),
            (None, Kind::Action) => is_not_sent(error) || (policies.trust_rejections && is_trusted_rejection(error)),
        };
        let abandoned = ready.spec.abandoned.is_cancelled();
        if !again || abandoned || attempt >= ready.attempts {
            return None;
        }
        let asked = error.retry_after().unwrap_or_default();
        let wait = (policies.retry.backoff * attempt).max(asked);
        (wait <= LONGEST_WAIT).then_some(wait)
    }

    fn finished(&self, ready: &Ready, attempts: u32, begun: Instant, answer: &Result<Answer, CallError>) {
        let outcome = answer.as_ref().map_or_else(CallError::outcome, |_| Outcome::Done);
        let span = &ready.span;
        span.record("mcp.outcome", outcome.name());
        span.record("mcp.attempts", attempts);
        if let Err(error) = answer {
            // A tool that failed is an error of the span although the request succeeded.
            span.record("error.type", kind_of(error));
            tracing::warn!(error = reason(error), key = ready.key.as_deref(), "a call failed");
        }
        self.events.tell(Event::Finished {
            server: self.servers[ready.index].name().to_owned(),
            tool: ready.tool.local_name().to_owned(),
            key: ready.key.clone(),
            kind: ready.kind,
            outcome,
            attempts,
            took: begun.elapsed(),
        });
    }
}

/// The span of a call, with the names that OpenTelemetry's conventions for MCP have.
pub(super) fn span(server: &str, local_name: &str, key: Option<&str>) -> tracing::Span {
    tracing::info_span!(
        "tools/call",
        "otel.name" = format!("tools/call {local_name}"),
        "otel.kind" = "client",
        "mcp.method.name" = "tools/call",
        "gen_ai.operation.name" = "execute_tool",
        "gen_ai.tool.name" = local_name,
        "mcp.server" = server,
        "mcp.outcome" = tracing::field::Empty,
        "mcp.attempts" = tracing::field::Empty,
        "mcp.reply.bytes" = tracing::field::Empty,
        "error.type" = tracing::field::Empty,
        key,
    )
}

/// Why a call failed, without what a process printed or a tool answered.
fn reason(error: &CallError) -> String {
    match error.wire() {
        Some(kind) => excerpt(&kind.to_string(), 300),
        None => kind_of(error).to_owned(),
    }
}

fn kind_of(error: &CallError) -> &'static str {
    match error {
        CallError::UnknownTool { .. } => "unknown_tool",
        CallError::Unavailable { .. } => "unavailable",
        CallError::Forbidden { .. } => "forbidden",
        CallError::NotApproved { .. } => "not_approved",
        CallError::AwaitsApproval { .. } => "awaits_approval",
        CallError::InvalidArguments { .. } => "invalid_arguments",
        CallError::Tool { .. } => "tool_error",
        CallError::NotSent { .. } => "not_sent",
        CallError::Rejected { .. } => "rejected",
        CallError::OutcomeUnknown { .. } => "outcome_unknown",
        CallError::Unreadable { .. } => "unreadable",
        CallError::Unsupported { .. } => "unsupported",
    }
}
