//! One request of ours: sent once, waited for with a deadline, its reply kept as text.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientRequest,
    GetExtensions as _, RequestId,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::error::{WireError, WireErrorKind};
use crate::raw::{Reply, Router, Slot, State};

/// How many times its deadline a call may take in all, however much progress it reports.
const PROGRESS_FACTOR: u32 = 20;

/// How a call is made.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallSpec {
    /// The deadline. Where progress is asked for, each notice starts it anew, up to 20 times as long in all.
    pub timeout: Duration,
    /// Who is told of progress.
    pub progress: Option<ProgressSink>,
    /// Whether the request may be sent twice. One that may not never takes an HTTP connection that was used before, and is not sent again
    /// when its credential is refused.
    pub repeatable: bool,
    /// Gives the call up when it is cancelled: the server is told, and the failure says whether the call can have reached it.
    pub abandoned: CancellationToken,
}

impl CallSpec {
    /// A request that may be sent twice, with a deadline.
    #[must_use]
    pub fn within(timeout: Duration) -> Self {
        Self { timeout, progress: None, repeatable: true, abandoned: CancellationToken::new() }
    }
}

/// Who is told of progress; called on the connection's task, so it must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// A notice of progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done, in units of the server's choice.
    pub done: f64,
    /// How much there is, where the server knows.
    pub total: Option<f64>,
    /// What it is doing: foreign text.
    pub message: Option<String>,
}

/// Whether a request can have reached its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It cannot: proof from our side of the wire.
    No,
    /// It may have, or has.
    Perhaps,
}

/// A call without a result.
#[derive(Debug)]
pub struct CallFailure {
    /// Why.
    pub error: WireError,
    /// Whether the server can have seen the call.
    pub sent: Sent,
}

impl fmt::Display for CallFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(out)
    }
}

impl std::error::Error for CallFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl Connection {
    /// Calls a tool and gives the text of the result object, whatever its shape. The call is sent once.
    ///
    /// Dropping the future cancels the call on the wire; whether the tool runs on is the server's affair.
    ///
    /// # Errors
    ///
    /// No result came; [`CallFailure::sent`] says whether the server can have seen the call.
    pub async fn call(
        &self,
        tool: &str,
        arguments: serde_json::Map<String, serde_json::Value>,
        spec: &CallSpec,
    ) -> Result<String, CallFailure> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        self.request(request, spec).await
    }

    /// Sends a request of ours and waits for the text of its result.
    pub(crate) async fn request(&self, mut request: ClientRequest, spec: &CallSpec) -> Result<String, CallFailure> {
        let slot = Slot::new(spec.progress.clone(), spec.repeatable);
        request.extensions_mut().insert(slot.clone());
        let mut options = PeerRequestOptions::with_timeout(spec.timeout);
        if spec.progress.is_some() {
            options = options.reset_timeout_on_progress().with_max_total_timeout(spec.timeout * PROGRESS_FACTOR);
        }
        let handle = self.peer.send_cancellable_request(request, options).await;
        let handle = handle.map_err(|error| self.failure(&slot, None, Some(&error), spec))?;
        let guard = Guard {
            peer: &self.peer,
            router: Arc::clone(&self.router),
            slot: &slot,
            id: handle.id.clone(),
            armed: true,
        };
        let outcome = tokio::select! {
            outcome = handle.await_response() => outcome,
            () = spec.abandoned.cancelled() => {
                // Dropping the guard tells the server.
                drop(guard);
                return Err(self.failure(&slot, Some(WireErrorKind::Abandoned), None, spec));
            }
        };
        guard.disarm();
        let (reply, detail) = slot.take();
        match reply {
            Some(Reply::Result(text)) => Ok(text),
            Some(Reply::Error(text)) => Err(self.failure(&slot, Some(peer_error(&text)), None, spec)),
            Some(Reply::Malformed(reason)) => {
                Err(self.failure(&slot, Some(WireErrorKind::Malformed { reason }), None, spec))
            }
            Some(Reply::TooLarge) => {
                let kind = WireErrorKind::ReplyTooLarge { limit: crate::MAX_REPLY };
                Err(self.failure(&slot, Some(kind), None, spec))
            }
            None => Err(self.failure(&slot, detail, outcome.err().as_ref(), spec)),
        }
    }

    fn failure(
        &self,
        slot: &Slot,
        detail: Option<WireErrorKind>,
        error: Option<&ServiceError>,
        spec: &CallSpec,
    ) -> CallFailure {
        let kind = detail.unwrap_or_else(|| match error {
            Some(ServiceError::Timeout { .. }) => WireErrorKind::RequestTimeout { after: spec.timeout },
            Some(error) => WireErrorKind::Lost { detail: error.to_string() },
            None => WireErrorKind::Malformed { reason: "an empty answer".to_owned() },
        });
        let sent = if slot.seal() == State::NotSent { Sent::No } else { Sent::Perhaps };
        CallFailure { error: self.error(kind), sent }
    }
}

/// Gives a request up when its caller goes away: rmcp tells the server only about timeouts.
struct Guard<'a> {
    peer: &'a Peer<RoleClient>,
    router: Arc<Router>,
    slot: &'a Slot,
    id: RequestId,
    armed: bool,
}

impl Guard<'_> {
    fn disarm(mut self) {
        self.armed = false;
        self.router.forget(&self.id);
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        self.slot.seal();
        let params = CancelledNotificationParam::new(Some(self.id.clone()), Some("the caller gave up".to_owned()));
        let (peer, router, id) = (self.peer.clone(), Arc::clone(&self.router), self.id.clone());
        // Outside a runtime nobody is left to send it, and the connection is going down anyway.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            // rmcp must hear of it as well; the transport keeps the notice back where the request never left.
            let _ = peer.send_notification(CancelledNotification::new(params).into()).await;
            router.forget(&id);
        });
    }
}

/// Reads an error object as far as it can be read.
fn peer_error(text: &str) -> WireErrorKind {
    #[derive(Deserialize)]
    struct Error {
        #[serde(default)]
        code: serde_json::Value,
        #[serde(default)]
        message: serde_json::Value,
    }
    match serde_json::from_str::<Error>(text) {
        Ok(Error { code, message }) if text.starts_with('{') => WireErrorKind::Peer {
            code: code.as_i64().unwrap_or_default(),
            message: message.as_str().map_or_else(|| message.to_string(), str::to_owned),
        },
        _ => WireErrorKind::Malformed {
            reason: format!("its error is no object: {}", mcp_contract::text::excerpt(text, 80)),
        },
    }
}
