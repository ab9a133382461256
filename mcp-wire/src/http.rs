//! Streamable HTTP beneath rmcp: our requests take our own POST, everything else takes rmcp's.
//!
//! rmcp's client turns most answers that are no replies into errors that have lost status and body. For requests that
//! carry a slot, the answer is understood here and the slot is told; the status rules follow rmcp's own client, so that
//! both kinds of request behave alike on the wire.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio_util::sync::CancellationToken;

use crate::error::WireErrorKind;
use crate::http_failure::{Failed, failure, header, http_failure, reason, transport_failure, without_url};
use crate::raw::{Envelope, Incoming, Outgoing, Reply, Router, Slot};
use crate::{MAX_REPLY, sse};

/// How much of an error's body is kept, in bytes.
const BODY_KEPT: usize = 2 << 10;

/// How long a notice that a request is given up may take.
const NOTICE: Duration = Duration::from_secs(5);

/// How often a broken event stream is resumed in a row without an event.
const RESUMES: usize = 5;

/// An HTTP client that keeps the raw replies of one connection.
#[derive(Clone)]
pub(crate) struct RawHttp {
    client: reqwest::Client,
    router: Arc<Router>,
    /// Ends everything that goes on in the name of the connection: rmcp's own tasks do not end with it in every case.
    closed: CancellationToken,
    last_failure: Arc<Mutex<Option<WireErrorKind>>>,
    resumes: Arc<AtomicUsize>,
}

impl RawHttp {
    pub(crate) fn new(router: Arc<Router>, closed: CancellationToken, connect: Duration) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder()
            // No connection is kept idle: one that the server closed in the meantime would make it unknown whether a call ran.
            .pool_max_idle_per_host(0)
            // A redirect would send a call a second time on somebody's word that the first did not count, and headers elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            // By default some failures of HTTP/2, which another crate may have switched on, are sent again.
            .retry(reqwest::retry::never())
            .http1_only()
            .connect_timeout(connect)
            .build()?;
        Ok(Self { client, router, closed, last_failure: Arc::default(), resumes: Arc::default() })
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

    async fn post_ours(
        &self,
        request: Request,
        id: RequestId,
        slot: &Slot,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let in_session = request.session.is_some();
        let builder = request.build(&self.client)?;
        if !slot.begin() {
            // Given up while it was queued: it is never sent, and nobody waits for this answer.
            self.router.forget(&id);
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let response = builder.send().await.map_err(|error| {
            if error.is_connect() {
                slot.did_not_leave();
            }
            slot.fail(transport_failure(&error));
            without_url(Failed::Client(error))
        })?;
        let status = response.status();
        let session = header(response.headers(), HEADER_SESSION_ID);
        if status == StatusCode::NOT_FOUND && in_session {
            slot.fail(WireErrorKind::SessionExpired);
            return Err(Failed::SessionExpired);
        }
        let content_type = header(response.headers(), "content-type");
        let is = |wanted: &str| content_type.as_deref().is_some_and(|found| media_type(found) == wanted);
        if status.is_success() && is(EVENT_STREAM_MIME_TYPE) {
            let stream = self.map_events(sse::bounded(response.bytes_stream()));
            return Ok(StreamableHttpPostResponse::Sse(stream, session));
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            slot.fail(WireErrorKind::Malformed { reason: format!("HTTP {} without a reply", status.as_u16()) });
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let failure = (!status.is_success()).then(|| http_failure(&response));
        let body = read_body(response, if is(JSON_MIME_TYPE) { MAX_REPLY } else { BODY_KEPT }).await;
        let settled = match body {
            Ok(Body::Whole(text)) if is(JSON_MIME_TYPE) => self.settle(&id, &text, status),
            Ok(Body::Whole(text) | Body::Start(text)) if failure.is_some() => Err(text),
            Ok(Body::Start(_)) if is(JSON_MIME_TYPE) => Ok(self.router.settle(&id, Reply::TooLarge)),
            Ok(_) => {
                slot.fail(WireErrorKind::ContentType { found: content_type.clone() });
                return Err(Failed::UnexpectedContentType(content_type));
            }
            Err(error) => {
                slot.fail(WireErrorKind::Lost { detail: reason(&error) });
                return Err(without_url(Failed::Client(error)));
            }
        };
        match (settled, failure) {
            (Ok(Some(message)), _) => Ok(StreamableHttpPostResponse::Json(message, session)),
            (Ok(None), _) => Ok(StreamableHttpPostResponse::Accepted),
            (Err(body), failure) => {
                slot.fail(failure.unwrap_or(WireErrorKind::Lost { detail: "no reply".to_owned() }).with_body(&body));
                let text = format!("HTTP {}", status.as_u16());
                Err(Failed::UnexpectedServerResponse(Cow::Owned(text)))
            }
        }
    }

    /// Settles a request with a JSON body. On a POST the body can only be about this request, so an error without an id counts. Where
    /// the status alone says what happened (credentials, address, rate), the body is what some gateway says about it; the error
    /// gives the body back.
    fn settle(&self, id: &RequestId, text: &str, status: StatusCode) -> Result<Option<ServerJsonRpcMessage>, String> {
        let by_status = matches!(status.as_u16(), 401 | 403 | 404 | 429);
        let envelope = Envelope::read(text).filter(|_| !by_status);
        let about_us =
            |envelope: &Envelope<'_>| envelope.id.is_none() || envelope.has_null_id() || envelope.answers(id);
        match envelope.filter(about_us) {
            Some(Envelope { error: Some(error), .. }) if error.get().starts_with('{') => {
                Ok(self.router.settle(id, Reply::Error(error.get().to_owned())))
            }
            _ if !status.is_success() => Err(text.to_owned()),
            Some(Envelope { result: Some(result), id: Some(_), error: None, .. }) => {
                Ok(self.router.settle(id, Reply::Result(result.get().to_owned())))
            }
            _ => {
                let reason = format!("it does not answer the request: {}", mcp_contract::text::excerpt(text, 120));
                Ok(self.router.settle(id, Reply::Malformed(reason)))
            }
        }
    }

    /// Lets the router see each message of an event stream, and puts placeholders in place of our replies.
    fn map_events(
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
                    let notice = this.client.post_message_with_response_limits(
                        uri,
                        message,
                        session_id,
                        auth_header,
                        custom_headers,
                        limits,
                    );
                    let _ = tokio::time::timeout(NOTICE, this.while_open(notice)).await;
                });
                Ok(StreamableHttpPostResponse::Accepted)
            }
            Outgoing::Other => {
                let (client, headers) = (&self.client, custom_headers);
                self.while_open(client.post_message_with_response_limits(
                    uri,
                    message,
                    session_id,
                    auth_header,
                    headers,
                    limits,
                ))
                .await
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        self.while_open(self.client.delete_session(uri, session_id, auth_header, custom_headers)).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        // Only a broken reply is worth a stream of its own: nobody listens to notices yet, and a server that ends such a stream
        // again and again would be asked for it again and again.
        if last_event_id.is_none() || self.resumes.fetch_add(1, Ordering::Relaxed) >= RESUMES {
            return Err(Failed::ServerDoesNotSupportSse);
        }
        let stream = self.client.get_stream(uri, session_id, last_event_id, auth_header, custom_headers);
        Ok(self.map_events(self.while_open(stream).await?))
    }
}

/// A POST that carries one of our requests.
struct Request {
    uri: Arc<str>,
    body: Vec<u8>,
    session: Option<Arc<str>>,
    bearer: Option<String>,
    headers: HashMap<HeaderName, HeaderValue>,
}

impl Request {
    fn build(self, client: &reqwest::Client) -> Result<reqwest::RequestBuilder, Failed> {
        let mut builder = client
            .post(self.uri.as_ref())
            .header("accept", format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}"))
            .header("content-type", JSON_MIME_TYPE);
        if let Some(bearer) = self.bearer {
            builder = builder.bearer_auth(bearer);
        }
        for (name, value) in self.headers {
            if matches!(name.as_str(), "accept" | "mcp-session-id" | "last-event-id") {
                return Err(Failed::ReservedHeaderConflict(name.to_string()));
            }
            builder = builder.header(name, value);
        }
        if let Some(session) = self.session {
            builder = builder.header(HEADER_SESSION_ID, session.as_ref());
        }
        Ok(builder.body(self.body))
    }
}

enum Body {
    Whole(String),
    Start(String),
}

/// Reads a body up to a limit.
async fn read_body(response: reqwest::Response, limit: usize) -> Result<Body, reqwest::Error> {
    let mut bytes = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        bytes.extend_from_slice(&chunk?);
        if bytes.len() > limit {
            bytes.truncate(limit.min(BODY_KEPT));
            return Ok(Body::Start(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(Body::Whole(String::from_utf8_lossy(&bytes).into_owned()))
}

fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
