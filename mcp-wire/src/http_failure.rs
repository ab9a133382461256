//! What a failed request means, told in our words.
//!
//! The address of a request may hold a credential in its path or query, so nothing that is kept or logged repeats it.

use http::HeaderMap;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::error::WireErrorKind;

/// rmcp's error for one request.
pub(crate) type Failed = StreamableHttpError<reqwest::Error>;

/// A header as text.
pub(crate) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The error without the address, which may hold a credential in its query.
pub(crate) fn without_url(error: Failed) -> Failed {
    match error {
        Failed::Client(error) => Failed::Client(error.without_url()),
        other => other,
    }
}

pub(crate) fn http_failure(response: &reqwest::Response) -> WireErrorKind {
    WireErrorKind::Http {
        status: response.status().as_u16(),
        challenge: header(response.headers(), "www-authenticate"),
        retry_after: header(response.headers(), "retry-after"),
        body: String::new(),
    }
}

impl WireErrorKind {
    pub(crate) fn with_body(self, text: &str) -> Self {
        match self {
            Self::Http { status, challenge, retry_after, .. } => {
                Self::Http { status, challenge, retry_after, body: text.chars().take(400).collect() }
            }
            other => other,
        }
    }
}

pub(crate) fn transport_failure(error: &reqwest::Error) -> WireErrorKind {
    if error.is_connect() {
        WireErrorKind::Unreachable { reason: reason(error) }
    } else {
        WireErrorKind::Lost { detail: reason(error) }
    }
}

/// The innermost cause: the outer ones repeat the address, which may hold a credential.
pub(crate) fn reason(error: &reqwest::Error) -> String {
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
pub(crate) fn failure(error: &Failed) -> WireErrorKind {
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
        Failed::SessionExpired => WireErrorKind::SessionExpired { status: 404 },
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
