//! As much of HTTP/1.1 as a client of ours speaks: requests are read, answers are written byte by byte, so that they can be wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The longest head and the longest body that are read.
const MAX_HEAD: usize = 64 << 10;
const MAX_BODY: usize = 64 << 20;

/// A request.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// Names in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// Reads a request; `None` at the end of the connection.
pub(super) async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Request>> {
    let mut request = Request::default();
    let mut size = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        size += line.len();
        if size > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some((name, value)) => {
                request.headers.insert(name.to_ascii_lowercase(), value.to_owned());
            }
            None => request.method = line.split(' ').next().unwrap_or_default().to_owned(),
        }
    }
    let length = request.headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if length > MAX_BODY {
        return Err(io::ErrorKind::InvalidData.into());
    }
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).await?;
    Ok(Some(request))
}

/// An answer with a body of known length.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn new(status: u16, content_type: &str, body: String) -> Self {
        Self { status, headers: vec![("content-type".to_owned(), content_type.to_owned())], body }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The head, with the length of the body.
    pub(super) fn head(&self) -> String {
        let mut head = head(self.status);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "content-length: {}\r\n\r\n", self.body.len());
        head
    }
}

/// The head of an event stream, which lasts as long as the connection.
pub(super) fn stream_head(session: &str) -> String {
    head(200)
        + "content-type: text/event-stream\r\nconnection: close\r\n"
        + &format!("mcp-session-id: {session}\r\n\r\n")
}

fn head(status: u16) -> String {
    format!("HTTP/1.1 {status} Answer\r\n")
}
