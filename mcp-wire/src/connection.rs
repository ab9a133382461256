//! An open connection to one server.

use std::sync::Arc;
use std::time::Duration;

use mcp_contract::config::ServerName;
use mcp_contract::json::parse;
use mcp_contract::listing::ServerReport;
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, PingRequest};
use rmcp::service::{Peer, RunningService};
use tokio::sync::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::call::CallSpec;
use crate::error::{WireError, WireErrorKind};
use crate::handler::Handler;
use crate::notices::{Changes, Signals, subscribe};
use crate::process::{Process, StderrTail};
use crate::raw::Router;

/// How long rmcp may take to close its side.
const CLOSE: Duration = Duration::from_secs(2);

/// An open connection. Dropping it ends the server's process at once; [`Connection::close`] gives it time.
pub struct Connection {
    pub(crate) server: ServerName,
    origin: Option<String>,
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) router: Arc<Router>,
    report: ServerReport,
    stderr: Option<StderrTail>,
    changes: Changes,
    /// Cancelled when the peer's half ended.
    ended: CancellationToken,
    running: Mutex<Option<Running>>,
}

/// What ends a connection besides rmcp's service.
pub(crate) struct Ends {
    pub(crate) process: Option<Process>,
    /// Ends what goes on in the name of the connection.
    pub(crate) guard: DropGuard,
}

/// What a connection hears of its peer.
pub(crate) struct Hears {
    pub(crate) changes: Changes,
    /// Cancelled when the peer's half ended.
    pub(crate) ended: CancellationToken,
    /// Whether a subscription is to be opened for changes.
    pub(crate) notices: bool,
}

/// What has to be ended.
struct Running {
    service: RunningService<RoleClient, Handler>,
    ends: Ends,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(
        server: ServerName,
        origin: Option<String>,
        service: RunningService<RoleClient, Handler>,
        router: Arc<Router>,
        ends: Ends,
        hears: Hears,
    ) -> Self {
        if hears.notices {
            subscribe(service.peer(), &hears.changes, ends.guard.token());
        }
        Self {
            server,
            origin,
            peer: service.peer().clone(),
            router,
            report: report(&service),
            stderr: ends.process.as_ref().map(|process| process.stderr().clone()),
            changes: hears.changes,
            ended: hears.ended,
            running: Mutex::new(Some(Running { service, ends })),
        }
    }

    /// What the server said of itself in the handshake.
    #[must_use]
    pub fn report(&self) -> &ServerReport {
        &self.report
    }

    /// Whether nothing is known against the connection: over a pipe, that the peer did not close its half. A connection over HTTP is
    /// made anew for each request, and is always open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.ended.is_cancelled() && !self.peer.is_transport_closed()
    }

    /// What the connection hears by itself.
    #[must_use]
    pub fn signals(&self) -> Signals {
        Signals { changes: self.changes.clone(), ended: self.ended.clone() }
    }

    /// Whether the server still answers at all. Any answer counts, also that it does not know the question.
    pub async fn answers(&self, within: Duration) -> bool {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        match self.request(ping, &CallSpec::within(within)).await {
            Ok(_) => true,
            Err(failure) => matches!(*failure.error.kind, WireErrorKind::Peer { .. } | WireErrorKind::Malformed { .. }),
        }
    }

    /// Lines on standard output that were no messages: the last few, foreign text.
    #[must_use]
    pub fn noise(&self) -> Vec<String> {
        self.router.noise()
    }

    /// How many lines on standard output were no messages.
    #[must_use]
    pub fn noisy(&self) -> u64 {
        self.router.noisy()
    }

    /// Closes the connection and ends the server's process, within a few seconds whatever the server does. A second call
    /// does nothing. Dropping the future ends the process at once.
    pub async fn close(&self) {
        let Some(Running { mut service, ends }) = self.running.lock().await.take() else { return };
        // A failure to close has no consequence: the process is ended next.
        let _ = service.close_with_timeout(CLOSE).await;
        drop(ends.guard);
        if let Some(process) = ends.process {
            process.end().await;
        }
    }

    pub(crate) fn error(&self, kind: WireErrorKind) -> WireError {
        let stderr = self.stderr.as_ref().map(StderrTail::lines).unwrap_or_default();
        WireError {
            server: self.server.clone(),
            origin: self.origin.clone(),
            kind: Box::new(kind),
            stderr,
            noise: self.router.noise(),
        }
    }
}

/// What rmcp learnt in the handshake, as one JSON document again.
fn report(service: &RunningService<RoleClient, Handler>) -> ServerReport {
    let info = service.peer().peer_info();
    let document = info.and_then(|info| serde_json::to_string(&*info).ok()).and_then(|text| parse(&text).ok());
    document.as_ref().map(ServerReport::from_initialize).unwrap_or_default()
}
