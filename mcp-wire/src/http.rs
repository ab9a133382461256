//! Streamable HTTP beneath rmcp: our requests take our own POST, everything else takes rmcp's.
//!
//! rmcp's client turns most answers that are no replies into errors that have lost status and body. Requests that carry a slot go their own
//! way (`post.rs`), where the answer is understood and the slot is told.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio_util::sync::CancellationToken;

use crate::connect_spec::ConnectSpec;
use crate::credentials::{Lent, Wallet};
use crate::error::WireErrorKind;
use crate::http_failure::{Failed, failure, without_url};
use crate::notices::Openings;
use crate::pool::Pool;
use crate::post::Request;
use crate::raw::{Incoming, Outgoing, Router};

/// How long a notice that a request is given up may take.
const NOTICE: Duration = Duration::from_secs(5);

/// How often a broken event stream is resumed in a row without an event.
const RESUMES: usize = 5;

/// An HTTP client that keeps the raw replies of one connection.
#[derive(Clone)]
pub(crate) struct RawHttp {
    pub(crate) pool: Arc<Pool>,
    pub(crate) router: Arc<Router>,
    pub(crate) wallet: Option<Wallet>,
    /// Ends everything that goes on in the name of the connection: rmcp's own tasks do not end with it in every case.
    closed: CancellationToken,
    last_failure: Arc<Mutex<Option<WireErrorKind>>>,
    resumes: Arc<AtomicUsize>,
    /// How many streams for notices may still be opened; `None` where nobody listens.
    notices: Option<Arc<Mutex<Openings>>>,
}

impl RawHttp {
    pub(crate) fn new(
        router: Arc<Router>,
        closed: CancellationToken,
        wallet: Option<Wallet>,
        spec: &ConnectSpec,
    ) -> reqwest::Result<Self> {
        let pool = Arc::new(Pool::new(spec.deadline, spec.pool)?);
        let notices = spec.notices.then(Arc::default);
        let (last_failure, resumes) = (Arc::default(), Arc::default());
        Ok(Self { pool, router, wallet, closed, last_failure, resumes, notices })
    }

    /// The credential for a request.
    pub(crate) async fn lend(&self) -> Result<Lent, WireErrorKind> {
        match &self.wallet {
            Some(wallet) => wallet.lend().await,
            None => Ok(Lent::default()),
        }
    }

    /// What the last failed request failed of, in more detail than rmcp's error has.
    pub(crate) fn last_failure(&self) -> Option<WireErrorKind> {
        self.last_failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps the detail of a failure, and takes the address out of what rmcp will log.
    fn remember(&self, error: Failed) -> Failed {
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure(&error));
        without_url(error)
    }

    /// Lets the router see each message of an event stream, and puts placeholders in place of our replies.
    pub(crate) fn map_events(
        &self,
        stream: BoxStream<'static, Result<Sse, SseError>>,
    ) -> BoxStream<'static, Result<Sse, SseError>> {
        let (router, resumes) = (Arc::clone(&self.router), Arc::clone(&self.resumes));
        let mapped = stream.map(move |event| {
            let mut event = event?;
            resumes.store(0, Ordering::Relaxed);
            // The server's wish for an interval, within reason.
            event.retry = event.retry.map(|retry| retry.clamp(1_000, 30_000));
            // rmcp reads only events without a name or named `message`; some servers begin with one that has no data.
            let is_message = event.event.as_deref().is_none_or(|name| name.is_empty() || name == "message");
            if let Some(data) = event.data.take_if(|data| is_message && !data.trim().is_empty()) {
                event.data = match router.incoming(&data) {
                    Incoming::Message(message) => serde_json::to_string(&message).ok(),
                    Incoming::Nothing => None,
                };
            }
            Ok(event)
        });
        mapped.take_until(self.closed.clone().cancelled_owned()).boxed()
    }

    async fn with_credential(
        &self,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<HashMap<HeaderName, HeaderValue>, Failed> {
        match self.lend().await {
            Ok(lent) => Ok(headers.into_iter().chain(lent.header()).collect()),
            Err(kind) => Err(self.refused(kind)),
        }
    }

    /// Remembers that there is no credential.
    fn refused(&self, kind: WireErrorKind) -> Failed {
        let text = kind.to_string();
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(kind);
        Failed::UnexpectedServerResponse(Cow::Owned(text))
    }

    /// Sends what rmcp wants to say by rmcp's own client; once more with another credential where the first is refused. None of it is
    /// a call, so it may be sent twice.
    async fn post_theirs(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        bearer: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let post = |headers| {
            let (uri, message, session) = (Arc::clone(&uri), message.clone(), session.clone());
            let client = self.pool.fresh();
            self.while_open(client.post_message_with_response_limits(
                uri,
                message,
                session,
                bearer.clone(),
                headers,
                limits,
            ))
        };
        let lent = self.lend().await.map_err(|kind| self.refused(kind))?;
        let answer = post(headers.clone().into_iter().chain(lent.header()).collect()).await;
        let refusal = answer.as_ref().err().map(failure);
        match (refusal, &self.wallet) {
            (Some(WireErrorKind::Http { status: 401, challenge, .. }), Some(wallet)) => {
                let renewed = wallet.renew(&lent, challenge.as_deref()).await.map_err(|kind| self.refused(kind))?;
                post(headers.into_iter().chain(renewed.header()).collect()).await
            }
            _ => answer,
        }
    }

    /// Waits for what rmcp's own client does, as long as the connection lives.
    async fn while_open<T>(&self, action: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
        tokio::select! {
            result = action => result.map_err(|error| self.remember(error)),
            () = self.closed.cancelled() => Err(Failed::TransportChannelClosed),
        }
    }
}

impl StreamableHttpClient for RawHttp {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        match self.router.outgoing(&message) {
            Outgoing::Ours(id, slot) => {
                let body = serde_json::to_vec(&message)?;
                let request = Request { uri, body, session: session_id, bearer: auth_header, headers: custom_headers };
                tokio::select! {
                    result = self.post_ours(request, id, &slot) => result,
                    () = self.closed.cancelled() => Err(Failed::TransportChannelClosed),
                }
            }
            Outgoing::Cancel { left: false } => Ok(StreamableHttpPostResponse::Accepted),
            // A caller's deadline must not wait for a server that does not answer, so the notice goes by itself.
            Outgoing::Cancel { left: true } => {
                let this = self.clone();
                tokio::spawn(async move {
                    let notice = this.post_theirs(uri, message, session_id, auth_header, custom_headers, limits);
                    let _ = tokio::time::timeout(NOTICE, notice).await;
                });
                Ok(StreamableHttpPostResponse::Accepted)
            }
            Outgoing::Other => self.post_theirs(uri, message, session_id, auth_header, custom_headers, limits).await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let headers = self.with_credential(custom_headers).await?;
        self.while_open(self.pool.fresh().delete_session(uri, session_id, auth_header, headers)).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let may_open = if last_event_id.is_some() {
            self.resumes.fetch_add(1, Ordering::Relaxed) < RESUMES
        } else {
            self.notices.as_ref().is_some_and(|left| left.lock().unwrap_or_else(PoisonError::into_inner).take())
        };
        if !may_open {
            return Err(Failed::ServerDoesNotSupportSse);
        }
        let headers = self.with_credential(custom_headers).await?;
        let stream = self.pool.fresh().get_stream(uri, session_id, last_event_id, auth_header, headers);
        Ok(self.map_events(self.while_open(stream).await?))
    }
}
