//! Making a connection: start or reach the server, shake hands, within one deadline.
//!
//! `initialize` comes first, because every server from 2024-11-05 to 2025-11-25 understands it and some end themselves on
//! anything else. A server that answers it with an error is asked again by `server/discover`, over a fresh connection:
//! that is how the revision 2026-07-28, which has no `initialize`, is spoken.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use mcp_contract::config::ServerName;
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::MAX_REPLY;
use crate::connect_spec::ConnectSpec;
use crate::connection::{Connection, Ends, Hears};
use crate::credentials::Wallet;
use crate::endpoint::{Duplex, Endpoint, HttpEndpoint, StdioEndpoint};
use crate::error::{WireError, WireErrorKind};
use crate::handler::Handler;
use crate::http::RawHttp;
use crate::notices::Changes;
use crate::process::Process;
use crate::raw::Router;
use crate::stdio::RawStdio;

type Service = RunningService<RoleClient, Handler>;

/// Connects to a server within a deadline. Dropping the future ends a process that was started.
///
/// # Errors
///
/// What failed, with what the process last wrote to standard error.
pub async fn connect(server: &ServerName, endpoint: Endpoint, spec: &ConnectSpec) -> Result<Connection, WireError> {
    let deadline = spec.deadline;
    let closed = CancellationToken::new();
    let mut attempt = Attempt {
        origin: endpoint.origin(),
        server,
        spec,
        changes: Changes::default(),
        ended: CancellationToken::new(),
        process: None,
        router: Arc::default(),
        refusal: None,
        guard: closed.clone().drop_guard(),
        closed,
    };
    match tokio::time::timeout(deadline, attempt.run(endpoint)).await {
        Ok(Ok(service)) => Ok(attempt.connection(service)),
        Ok(Err(kind)) => Err(attempt.failed(kind).await),
        Err(_) => {
            // What the server said the first time tells more than that it said nothing the second time.
            let kind = attempt.refusal.take().unwrap_or(WireErrorKind::ConnectTimeout { after: deadline });
            Err(attempt.failed(kind).await)
        }
    }
}

/// A connection in the making; it outlives the deadline so that a process can be asked what it said.
struct Attempt<'a> {
    server: &'a ServerName,
    origin: Option<String>,
    spec: &'a ConnectSpec,
    changes: Changes,
    /// Cancelled when the peer closes its half of a pipe.
    ended: CancellationToken,
    process: Option<Process>,
    router: Arc<Router>,
    /// What the server answered to `initialize`, while it is asked in another way.
    refusal: Option<WireErrorKind>,
    closed: CancellationToken,
    /// Ends what goes on in the name of the connection when it is dropped.
    guard: DropGuard,
}

impl Attempt<'_> {
    async fn run(&mut self, endpoint: Endpoint) -> Result<Service, WireErrorKind> {
        let endpoint = match endpoint {
            Endpoint::Stdio(endpoint) => Repeatable::Stdio(endpoint),
            Endpoint::Http(endpoint) => Repeatable::Http(endpoint),
            // A connection that exists already can be tried once.
            Endpoint::Custom(pipe) => return self.custom(pipe).await,
        };
        match self.shake_hands(&endpoint, initialize()).await {
            Ok(service) => Ok(service),
            Err(Handshake::Failed(kind)) => Err(kind),
            Err(Handshake::Refused(refusal)) => {
                self.refusal = Some(refusal);
                self.start_over().await;
                let second = self.shake_hands(&endpoint, discover()).await;
                second.map_err(|failure| self.refusal.take().unwrap_or_else(|| failure.into_kind()))
            }
        }
    }

    async fn shake_hands(&mut self, endpoint: &Repeatable, mode: ClientLifecycleMode) -> Result<Service, Handshake> {
        match endpoint {
            Repeatable::Stdio(endpoint) => self.stdio(endpoint, mode).await,
            Repeatable::Http(endpoint) => self.http(endpoint, mode).await,
        }
    }

    async fn start_over(&mut self) {
        self.router = Arc::default();
        if let Some(process) = self.process.take() {
            process.end_now().await;
        }
    }

    async fn stdio(&mut self, endpoint: &StdioEndpoint, mode: ClientLifecycleMode) -> Result<Service, Handshake> {
        let (process, stdin, stdout) = Process::start(endpoint).map_err(Handshake::Failed)?;
        self.process = Some(process);
        self.ended = CancellationToken::new();
        let transport = RawStdio::new(stdout, stdin, Arc::clone(&self.router), self.ended.clone());
        self.handler().serve_with_lifecycle(transport, mode).await.map_err(|error| understand(error, None))
    }

    async fn custom(&mut self, pipe: Box<dyn Duplex>) -> Result<Service, WireErrorKind> {
        let (reader, writer) = tokio::io::split(pipe);
        let transport = RawStdio::new(reader, writer, Arc::clone(&self.router), self.ended.clone());
        let result = self.handler().serve_with_lifecycle(transport, initialize()).await;
        result.map_err(|error| understand(error, None).into_kind())
    }

    async fn http(&mut self, endpoint: &HttpEndpoint, mode: ClientLifecycleMode) -> Result<Service, Handshake> {
        let config = http_config(endpoint).map_err(Handshake::Failed)?;
        let wallet = self.spec.credentials.clone().map(|source| Wallet::new(self.server.clone(), source));
        let client = RawHttp::new(Arc::clone(&self.router), self.closed.clone(), wallet, self.spec);
        let client =
            client.map_err(|error| Handshake::Failed(WireErrorKind::Handshake { reason: error.to_string() }))?;
        let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
        let result = self.handler().serve_with_lifecycle(transport, mode).await;
        result.map_err(|error| understand(error, client.last_failure()))
    }

    fn handler(&self) -> Handler {
        Handler { identity: self.spec.identity.clone(), changes: self.changes.clone() }
    }

    fn connection(self, service: Service) -> Connection {
        let hears = Hears { changes: self.changes, ended: self.ended, notices: self.spec.notices };
        let ends = Ends { process: self.process, guard: self.guard };
        Connection::new(self.server.clone(), self.origin, service, self.router, ends, hears)
    }

    async fn failed(mut self, kind: WireErrorKind) -> WireError {
        let mut kind = kind;
        let mut stderr = Vec::new();
        if let Some(process) = &mut self.process {
            if matches!(kind, WireErrorKind::Lost { .. } | WireErrorKind::Handshake { .. })
                && let Some(status) = process.ended().await
            {
                kind = WireErrorKind::Exited { status };
            }
            stderr = process.stderr().lines();
        }
        if let Some(process) = self.process.take() {
            process.end_now().await;
        }
        WireError {
            server: self.server.clone(),
            origin: self.origin,
            kind: Box::new(kind),
            stderr,
            noise: self.router.noise(),
        }
    }
}

/// Where a server is, if it can be connected to more than once.
enum Repeatable {
    Stdio(StdioEndpoint),
    Http(HttpEndpoint),
}

/// How a handshake did not succeed.
enum Handshake {
    /// The peer answered `initialize` with an error: it may speak the newer protocol.
    Refused(WireErrorKind),
    /// Anything else.
    Failed(WireErrorKind),
}

impl Handshake {
    fn into_kind(self) -> WireErrorKind {
        match self {
            Self::Refused(kind) | Self::Failed(kind) => kind,
        }
    }
}

fn initialize() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

fn discover() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn understand(error: ClientInitializeError, http: Option<WireErrorKind>) -> Handshake {
    match (error, http) {
        (ClientInitializeError::JsonRpcError(error), _) => Handshake::Refused(WireErrorKind::Peer {
            code: i64::from(error.code.0),
            message: error.message.into_owned(),
        }),
        (ClientInitializeError::UncorrelatedErrorResponse { .. }, _) => {
            Handshake::Refused(WireErrorKind::Handshake { reason: "an error without our request's id".to_owned() })
        }
        // A server without `initialize` may answer it with 400 and a body of its own.
        (_, Some(kind @ WireErrorKind::Http { status: 400, .. })) => Handshake::Refused(kind),
        (_, Some(kind)) => Handshake::Failed(kind),
        (ClientInitializeError::ConnectionClosed(detail), None) => Handshake::Failed(WireErrorKind::Lost { detail }),
        (error, None) => Handshake::Failed(WireErrorKind::Handshake { reason: error.to_string() }),
    }
}

fn http_config(endpoint: &HttpEndpoint) -> Result<StreamableHttpClientTransportConfig, WireErrorKind> {
    let url = reqwest::Url::parse(&endpoint.url).map_err(|_| WireErrorKind::BadUrl)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(WireErrorKind::BadUrl);
    }
    let mut headers = HashMap::new();
    for (name, value) in &endpoint.headers {
        let bad = || WireErrorKind::BadHeader { name: name.clone() };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str())
        .custom_headers(headers)
        .max_sse_event_size(MAX_REPLY)
        .max_json_response_size(MAX_REPLY)
        // A session that is lost is ours to make anew: rmcp would send the interrupted call again.
        .reinit_on_expired_session(false);
    let mut retries = ExponentialBackoff::default();
    retries.max_times = Some(3);
    retries.max_delay = Some(Duration::from_secs(5));
    config.retry_config = Arc::new(retries);
    Ok(config)
}
