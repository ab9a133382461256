//! Streamable HTTP beneath rmcp: our requests take our own POST, everything else takes rmcp's.
//!
//! rmcp's client turns most answers that are no replies into errors that have lost status and body. For requests that
//! carry a slot, the answer is understood here and the slot is told; the status rules follow rmcp's own client, so that
//! both kinds of request behave alike on the wire.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt as _;
use futures::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;

use crate::error::WireErrorKind;
use crate::raw::{Envelope, Incoming, Outgoing, Reply, Router, Slot};
use crate::{MAX_REPLY, sse};

/// How much of an error's body is kept, in bytes.
const BODY_KEPT: usize = 2 << 10;

type Failed = StreamableHttpError<reqwest::Error>;

/// An HTTP client that keeps the raw replies of one connection.
#[derive(Clone)]
pub(crate) struct RawHttp {
    client: reqwest::Client,
    router: Arc<Router>,
    last_failure: Arc<Mutex<Option<WireErrorKind>>>,
}

impl RawHttp {
    pub(crate) fn new(router: Arc<Router>) -> reqwest::Result<Self> {
        // No connection is kept idle: one that the server closed in the meantime would make it unknown whether a call ran.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).redirect(same_origin()).build()?;
        Ok(Self { client, router, last_failure: Arc::default() })
    }

    /// What the last failed request failed of, in more detail than rmcp's error has.
    pub(crate) fn last_failure(&self) -> Option<WireErrorKind> {
        self.last_failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn remember(&self, failure: WireErrorKind) {
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
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
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let response = builder.send().await.map_err(|error| {
            if error.is_connect() {
                slot.did_not_leave();
            }
            slot.fail(transport_failure(&error));
            Failed::Client(error)
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
            let stream = map_events(sse::bounded(response.bytes_stream()), Arc::clone(&self.router));
            return Ok(StreamableHttpPostResponse::Sse(stream, session));
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            slot.fail(WireErrorKind::Malformed { reason: format!("HTTP {} without a reply", status.as_u16()) });
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let failure = (!status.is_success()).then(|| http_failure(&response));
        let body = read_body(response, if is(JSON_MIME_TYPE) { MAX_REPLY } else { BODY_KEPT }).await;
        let settled = match body {
            Ok(Body::Whole(text)) if is(JSON_MIME_TYPE) => self.settle(&id, &text, failure.is_some()),
            Ok(Body::Whole(text) | Body::Start(text)) if failure.is_some() => Err(text),
            Ok(Body::Start(_)) if is(JSON_MIME_TYPE) => Ok(self.router.settle(&id, Reply::TooLarge)),
            Ok(_) => {
                slot.fail(WireErrorKind::ContentType { found: content_type.clone() });
                return Err(Failed::UnexpectedContentType(content_type));
            }
            Err(error) => {
                slot.fail(WireErrorKind::Lost { detail: reason(&error) });
                return Err(Failed::Client(error));
            }
        };
        match settled {
            Ok(Some(message)) => Ok(StreamableHttpPostResponse::Json(message, session)),
            Ok(None) => Ok(StreamableHttpPostResponse::Accepted),
            Err(body) => {
                let failure = failure.expect("only a failed status leads here").with_body(&body);
                slot.fail(failure);
                let text = format!("HTTP {}", status.as_u16());
                Err(Failed::UnexpectedServerResponse(Cow::Owned(text)))
            }
        }
    }

    /// Settles a request with a JSON body. On a POST the body can only be about this request, so an error without an
    /// id counts. A body that is no reply is an error of HTTP where the status says so.
    fn settle(&self, id: &RequestId, text: &str, failed: bool) -> Result<Option<ServerJsonRpcMessage>, String> {
        let envelope = Envelope::read(text);
        let error = envelope.as_ref().and_then(|envelope| envelope.error);
        let about_us = |envelope: &Envelope<'_>| {
            envelope.has_null_id()
                || envelope.id.is_none()
                || envelope.id.and_then(|found| serde_json::from_str(found.get()).ok()).as_ref() == Some(id)
        };
        match (&envelope, error) {
            (Some(envelope), Some(error)) if about_us(envelope) => {
                Ok(self.router.settle(id, Reply::Error(error.get().to_owned())))
            }
            _ if failed => Err(text.to_owned()),
            (Some(envelope), None) if envelope.result.is_some() && about_us(envelope) => {
                Ok(self.router.settle(id, Reply::Result(envelope.result.expect("checked").get().to_owned())))
            }
            _ => {
                let reason = format!("it does not answer the request: {}", mcp_contract::text::excerpt(text, 120));
                Ok(self.router.settle(id, Reply::Malformed(reason)))
            }
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
        if let Outgoing::Ours(id, slot) = self.router.outgoing(&message) {
            let body = serde_json::to_vec(&message)?;
            let request = Request { uri, body, session: session_id, bearer: auth_header, headers: custom_headers };
            return self.post_ours(request, id, &slot).await;
        }
        let result = self
            .client
            .post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits)
            .await;
        if let Err(error) = &result {
            self.remember(failure(error));
        }
        result
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let stream = self.client.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await?;
        Ok(map_events(stream, Arc::clone(&self.router)))
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

/// Lets the router see each message of an event stream, and puts placeholders in place of our replies.
fn map_events(
    stream: BoxStream<'static, Result<Sse, SseError>>,
    router: Arc<Router>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    stream
        .map(move |event| {
            let mut event = event?;
            // rmcp reads only events without a name or named `message`; some servers begin with one that has no data.
            let is_message = event.event.as_deref().is_none_or(|name| name.is_empty() || name == "message");
            if let Some(data) = event.data.take_if(|data| is_message && !data.trim().is_empty()) {
                event.data = match router.incoming(&data) {
                    Incoming::Message(message) => serde_json::to_string(&message).ok(),
                    Incoming::Nothing => None,
                };
            }
            Ok(event)
        })
        .boxed()
}

/// Only 307 and 308 keep method and body, and only the same origin may see our headers.
fn same_origin() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let keeps_body = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let first = attempt.previous().first().map(reqwest::Url::origin);
        if !keeps_body || first != Some(attempt.url().origin()) {
            attempt.stop()
        } else if attempt.previous().len() > 10 {
            attempt.error("more than 10 redirects")
        } else {
            attempt.follow()
        }
    })
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn http_failure(response: &reqwest::Response) -> WireErrorKind {
    WireErrorKind::Http {
        status: response.status().as_u16(),
        challenge: header(response.headers(), "www-authenticate"),
        retry_after: header(response.headers(), "retry-after"),
        body: String::new(),
    }
}

impl WireErrorKind {
    fn with_body(self, text: &str) -> Self {
        match self {
            Self::Http { status, challenge, retry_after, .. } => {
                Self::Http { status, challenge, retry_after, body: text.chars().take(400).collect() }
            }
            other => other,
        }
    }
}

fn transport_failure(error: &reqwest::Error) -> WireErrorKind {
    if error.is_connect() {
        WireErrorKind::Unreachable { reason: reason(error) }
    } else {
        WireErrorKind::Lost { detail: reason(error) }
    }
}

/// The innermost cause: the outer ones repeat the address, which may hold a credential.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if std::ptr::addr_eq(cause, std::ptr::from_ref(error)) {
        "the request failed".to_owned()
    } else {
        cause.to_string()
    }
}

/// What one of rmcp's own requests failed of.
fn failure(error: &Failed) -> WireErrorKind {
    let http = |status, challenge: Option<&str>, retry_after: Option<&String>| WireErrorKind::Http {
        status,
        challenge: challenge.map(str::to_owned),
        retry_after: retry_after.cloned(),
        body: String::new(),
    };
    match error {
        Failed::Client(error) => transport_failure(error),
        Failed::HttpStatus(status) => http(status.status, None, status.retry_after.as_ref()),
        Failed::AuthRequired(challenge) => http(401, Some(&challenge.www_authenticate_header), None),
        Failed::InsufficientScope(challenge) => http(403, Some(&challenge.www_authenticate_header), None),
        Failed::UnexpectedContentType(found) => WireErrorKind::ContentType { found: found.clone() },
        Failed::ResponseBodyTooLarge { max_size } => WireErrorKind::ReplyTooLarge { limit: *max_size },
        Failed::SessionExpired => WireErrorKind::SessionExpired,
        // "HTTP 404 Not Found: body" is the only form in which rmcp keeps other statuses.
        Failed::UnexpectedServerResponse(text) => {
            match text.strip_prefix("HTTP ").and_then(|rest| rest.split_once(' ')) {
                Some((status, rest)) if status.parse::<u16>().is_ok() => {
                    let body = rest.split_once(": ").map_or("", |(_, body)| body);
                    http(status.parse().unwrap_or_default(), None, None).with_body(body)
                }
                _ => WireErrorKind::Malformed { reason: text.to_string() },
            }
        }
        other => WireErrorKind::Handshake { reason: other.to_string() },
    }
}
