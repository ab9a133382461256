//! One POST that carries a request of ours, and what its answer means.
//!
//! The status rules follow rmcp's own client, so that both kinds of request behave alike on the wire; what rmcp would lose (status, body,
//! challenge, an error without an id) goes into the slot.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt as _;
use http::{HeaderName, HeaderValue, StatusCode};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;

use crate::credentials::Lent;
use crate::error::WireErrorKind;
use crate::http::RawHttp;
use crate::http_failure::{Failed, header, http_failure, reason, transport_failure, without_url};
use crate::raw::{Envelope, Reply, Slot};
use crate::{MAX_REPLY, sse};

/// How much of an error's body is kept, in bytes.
const BODY_KEPT: usize = 2 << 10;

/// A POST that carries one of our requests.
pub(crate) struct Request {
    pub(crate) uri: Arc<str>,
    pub(crate) body: Vec<u8>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) bearer: Option<String>,
    pub(crate) headers: HashMap<HeaderName, HeaderValue>,
}

/// The answer's header, and whether it came over a kept connection.
struct Answer {
    response: reqwest::Response,
    kept: bool,
}

impl RawHttp {
    /// Sends a request of ours. One whose credential is refused is sent again with another, if it may be sent twice.
    pub(crate) async fn post_ours(
        &self,
        request: Request,
        id: RequestId,
        slot: &Slot,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let lent = self.lend().await.map_err(|kind| refused(slot, kind))?;
        let Some(mut answer) = self.send(&request, slot, &lent).await? else {
            // Given up while it was queued: it is never sent, and nobody waits for this answer.
            self.router.forget(&id);
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if answer.response.status() == StatusCode::UNAUTHORIZED
            && let Some(wallet) = &self.wallet
        {
            let challenge = header(answer.response.headers(), "www-authenticate");
            let renewed = wallet.renew(&lent, challenge.as_deref()).await;
            if slot.repeatable() {
                let renewed = renewed.map_err(|kind| refused(slot, kind))?;
                if let Some(second) = self.send(&request, slot, &renewed).await? {
                    answer = second;
                }
            }
        }
        self.understand(answer, &request, &id, slot).await
    }

    async fn send(&self, request: &Request, slot: &Slot, lent: &Lent) -> Result<Option<Answer>, Failed> {
        let (client, kept) = if slot.repeatable() { self.pool.repeatable() } else { (self.pool.fresh(), false) };
        let builder = request.build(client, lent)?;
        if !slot.begin() {
            return Ok(None);
        }
        match builder.send().await {
            Ok(response) => Ok(Some(Answer { response, kept })),
            Err(error) => {
                if error.is_connect() {
                    slot.did_not_leave();
                }
                slot.fail(transport_failure(&error));
                Err(without_url(Failed::Client(error)))
            }
        }
    }

    async fn understand(
        &self,
        answer: Answer,
        request: &Request,
        id: &RequestId,
        slot: &Slot,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let Answer { response, kept } = answer;
        let in_session = request.session.is_some();
        let status = response.status();
        let session = header(response.headers(), HEADER_SESSION_ID);
        let challenged = response.headers().contains_key("www-authenticate");
        // Some servers say 401 of a session that they lost with a restart; a challenge would tell that a credential is meant.
        if in_session && (status == StatusCode::NOT_FOUND || (status == StatusCode::UNAUTHORIZED && !challenged)) {
            slot.fail(WireErrorKind::SessionExpired { status: status.as_u16() });
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
        let began = Instant::now();
        let body = read_body(response, if is(JSON_MIME_TYPE) { MAX_REPLY } else { BODY_KEPT }).await;
        if kept {
            self.pool.waited(began.elapsed());
        }
        let settled = match body {
            Ok(Body::Whole(text)) if is(JSON_MIME_TYPE) && in_session && is_lost_session(status, &text) => {
                slot.fail(WireErrorKind::SessionExpired { status: status.as_u16() });
                return Err(Failed::SessionExpired);
            }
            Ok(Body::Whole(text)) if is(JSON_MIME_TYPE) => self.settle(id, &text, status),
            Ok(Body::Whole(text) | Body::Start(text)) if failure.is_some() => Err(text),
            Ok(Body::Start(_)) if is(JSON_MIME_TYPE) => Ok(self.router.settle(id, Reply::TooLarge)),
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
    /// the status alone says what happened (credentials, address, rate, overload), the body is what some gateway says about it; the
    /// error gives the body back.
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
}

/// A request that cannot be sent for want of a credential.
fn refused(slot: &Slot, kind: WireErrorKind) -> Failed {
    let text = kind.to_string();
    slot.fail(kind);
    Failed::UnexpectedServerResponse(Cow::Owned(text))
}

/// Whether a 400 says that the session is not known: an error without our id whose text names the session.
fn is_lost_session(status: StatusCode, text: &str) -> bool {
    let envelope = Envelope::read(text).filter(|_| status == StatusCode::BAD_REQUEST);
    let Some(Envelope { error: Some(error), id, .. }) = envelope else { return false };
    id.is_none_or(|id| id.get() == "null") && error.get().to_ascii_lowercase().contains("session")
}

impl Request {
    fn build(&self, client: &reqwest::Client, lent: &Lent) -> Result<reqwest::RequestBuilder, Failed> {
        let mut headers = http::HeaderMap::new();
        for (name, value) in self.headers.clone().into_iter().chain(lent.header()) {
            if matches!(name.as_str(), "accept" | "mcp-session-id" | "last-event-id") {
                return Err(Failed::ReservedHeaderConflict(name.to_string()));
            }
            headers.insert(name, value);
        }
        let mut builder = client
            .post(self.uri.as_ref())
            .header("accept", format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}"))
            .header("content-type", JSON_MIME_TYPE);
        if let Some(bearer) = &self.bearer {
            builder = builder.bearer_auth(bearer);
        }
        builder = builder.headers(headers);
        if let Some(session) = &self.session {
            builder = builder.header(HEADER_SESSION_ID, session.as_ref());
        }
        Ok(builder.body(self.body.clone()))
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
