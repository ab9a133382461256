//! Messages as lines over a pair of pipes: MCP's stdio framing, with our bounds.

use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use crate::MAX_REPLY;
use crate::raw::{Incoming, Outgoing, Router, Slot};

/// How much of the beginning and of the end of an oversized line is kept, to find its id.
const ENDS_KEPT: usize = 512;

/// A connection over two pipes.
pub(crate) struct RawStdio<R, W> {
    reader: R,
    writer: Arc<Mutex<Option<W>>>,
    router: Arc<Router>,
    lines: Lines,
}

impl<R, W> RawStdio<R, W> {
    pub(crate) fn new(reader: R, writer: W, router: Arc<Router>) -> Self {
        Self { reader, writer: Arc::new(Mutex::new(Some(writer))), router, lines: Lines::default() }
    }
}

impl<R, W> Transport<RoleClient> for RawStdio<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        let outgoing = self.router.outgoing(&message);
        let line = serde_json::to_vec(&message);
        async move {
            let mut line = line.map_err(io::Error::other)?;
            line.push(b'\n');
            match outgoing {
                Outgoing::Ours(_, slot) => write_ours(&writer, &line, &slot).await,
                Outgoing::Cancel { left: false } => Ok(()),
                // The caller's deadline must not wait for a pipe that nobody reads, so the notice goes by itself.
                Outgoing::Cancel { left: true } => {
                    tokio::spawn(async move { write_other(&writer, &line).await });
                    Ok(())
                }
                Outgoing::Other => write_other(&writer, &line).await,
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        // Polled inside a select: everything read so far is kept in `self.lines`.
        loop {
            while let Some(line) = self.lines.next() {
                let message = match line {
                    Line::Whole(bytes) => match self.router.incoming(&String::from_utf8_lossy(&bytes)) {
                        Incoming::Message(message) => Some(*message),
                        Incoming::Nothing => None,
                    },
                    Line::Oversized(ends) => self.router.oversized(&String::from_utf8_lossy(&ends)),
                };
                if message.is_some() {
                    return message;
                }
            }
            let mut chunk = [0; 8192];
            let Ok(read @ 1..) = self.reader.read(&mut chunk).await else {
                self.router.note_noise(&self.lines.rest());
                return None;
            };
            self.lines.push(&chunk[..read]);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A writer that hangs keeps the lock; the process is ended by its owner then.
        let lock = tokio::time::timeout(std::time::Duration::from_millis(200), self.writer.lock()).await;
        if let Ok(mut writer) = lock {
            writer.take();
        }
        Ok(())
    }
}

async fn write_other<W: AsyncWrite + Unpin>(writer: &Mutex<Option<W>>, line: &[u8]) -> io::Result<()> {
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    writer.write_all(line).await?;
    writer.flush().await
}

/// Writes a request of ours and keeps account of whether the peer can have it.
async fn write_ours<W: AsyncWrite + Unpin>(writer: &Mutex<Option<W>>, line: &[u8], slot: &Slot) -> io::Result<()> {
    let mut writer = writer.lock().await;
    let Some(writer) = writer.as_mut() else {
        slot.did_not_leave();
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    if !slot.begin() {
        return Ok(());
    }
    let mut written = 0;
    // Some servers run a last line that has no newline: only an incomplete text is a proof.
    let text = line.len() - 1;
    while written < line.len() {
        match writer.write(&line[written..]).await {
            Ok(some @ 1..) => written += some,
            result => {
                if written < text {
                    slot.did_not_leave();
                }
                return Err(result.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into()));
            }
        }
    }
    writer.flush().await
}

enum Line {
    Whole(Vec<u8>),
    Oversized(Vec<u8>),
}

/// Splits bytes into lines of bounded length.
#[derive(Default)]
struct Lines {
    buffer: Vec<u8>,
    searched: usize,
    /// The ends of a line that is too long, while it goes on.
    oversized: Option<Vec<u8>>,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// What stands after the last newline.
    fn rest(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.buffer)).into_owned()
    }

    fn next(&mut self) -> Option<Line> {
        let newline = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(newline) = newline.map(|at| at + self.searched) else {
            self.searched = self.buffer.len();
            if self.buffer.len() > MAX_REPLY || self.oversized.is_some() {
                let ends = self.oversized.get_or_insert_with(|| self.buffer[..ENDS_KEPT].to_vec());
                ends.truncate(ENDS_KEPT);
                let tail = self.buffer.len().saturating_sub(ENDS_KEPT);
                ends.extend_from_slice(&self.buffer[tail..]);
                self.buffer.clear();
                self.searched = 0;
            }
            return None;
        };
        let rest = self.buffer.split_off(newline + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        self.searched = 0;
        line.truncate(newline);
        match self.oversized.take() {
            Some(mut ends) => {
                let tail = line.len().saturating_sub(ENDS_KEPT);
                ends.extend_from_slice(&line[tail..]);
                Some(Line::Oversized(ends))
            }
            None if line.len() > MAX_REPLY => {
                let tail = line.len() - ENDS_KEPT;
                Some(Line::Oversized([&line[..ENDS_KEPT], &line[tail..]].concat()))
            }
            None => Some(Line::Whole(line)),
        }
    }
}
