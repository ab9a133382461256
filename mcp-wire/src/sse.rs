//! Event streams with a bound on each event.

use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use crate::MAX_REPLY;

#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Source(reqwest::Error),
    #[error("an event is longer than {MAX_REPLY} bytes")]
    TooLarge,
}

/// Reads events; a stream in which one is too long ends with an error.
pub(crate) fn bounded(
    bytes: impl Stream<Item = reqwest::Result<bytes::Bytes>> + Send + 'static,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut since_blank_line = 0_usize;
    let mut line = 0_usize;
    let bounded = bytes.map(move |chunk| {
        let chunk = chunk.map_err(|error| Broken::Source(error.without_url()))?;
        for byte in &chunk {
            since_blank_line += 1;
            match byte {
                b'\r' => {}
                b'\n' if line == 0 => since_blank_line = 0,
                b'\n' => line = 0,
                _ => line += 1,
            }
            if since_blank_line > MAX_REPLY {
                return Err(Broken::TooLarge);
            }
        }
        Ok(chunk)
    });
    SseStream::from_bytes_stream(bounded).boxed()
}
