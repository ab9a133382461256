//! Messages as lines over a pair of pipes: MCP's stdio framing, with our bounds.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::MAX_REPLY;
use crate::raw::{Incoming, Outgoing, Router, Slot};

/// How much of the beginning and of the end of an oversized line is kept, to find its id.
const ENDS_KEPT: usize = 512;

/// How many messages that are not ours may wait to be written.
const QUEUE: usize = 256;

/// How long a notice that a request is given up may wait to be written.
const NOTICE: Duration = Duration::from_secs(5);

/// A connection over two pipes.
pub(crate) struct RawStdio<R, W> {
    reader: R,
    writer: Arc<Mutex<Option<W>>>,
    /// Places for messages that are not ours and wait to be written.
    queue: Arc<Semaphore>,
    router: Arc<Router>,
    lines: Lines,
    ended: CancellationToken,
}

impl<R, W> RawStdio<R, W> {
    /// Over two pipes; `ended` is cancelled when the peer closes the one that is read.
    pub(crate) fn new(reader: R, writer: W, router: Arc<Router>, ended: CancellationToken) -> Self {
        let (writer, queue) = (Arc::new(Mutex::new(Some(writer))), Arc::new(Semaphore::new(QUEUE)));
        Self { reader, writer, queue, router, lines: Lines::default(), ended }
    }
}

impl<R, W> Transport<RoleClient> for RawStdio<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, queue) = (Arc::clone(&self.writer), Arc::clone(&self.queue));
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
                    tokio::spawn(tokio::time::timeout(NOTICE, async move { write_other(&writer, &line).await }));
                    Ok(())
                }
                Outgoing::Other => {
                    // Answers to a peer that asks and does not read would pile up.
                    let _place =
                        queue.try_acquire_owned().map_err(|_| io::Error::from(io::ErrorKind::QuotaExceeded))?;
                    write_other(&writer, &line).await
                }
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
            if self.ended.is_cancelled() {
                return None;
            }
            if let Ok(read @ 1..) = self.reader.read(&mut chunk).await {
                self.lines.push(&chunk[..read]);
            } else {
                // Some servers end without a newline behind their last word, which may be the reply.
                self.ended.cancel();
                self.lines.push(b"\n");
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A writer that hangs keeps the lock; the process is ended by its owner then.
        let lock = tokio::time::timeout(Duration::from_millis(200), self.writer.lock()).await;
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
    let mut writer = tokio::select! {
        writer = writer.lock() => writer,
        // Behind a pipe that nobody reads, a request that was given up must not wait for ever.
        () = slot.given_up() => return Ok(()),
    };
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
    /// Where the next line begins.
    start: usize,
    /// Up to where no newline was found.
    searched: usize,
    /// The ends of a line that is too long, while it goes on.
    oversized: Option<Vec<u8>>,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Line> {
        let newline = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(newline) = newline.map(|at| at + self.searched) else {
            self.searched = self.buffer.len();
            self.give_up_on_a_long_line();
            return None;
        };
        let line = &self.buffer[self.start..newline];
        self.start = newline + 1;
        self.searched = self.start;
        let tail = line.len().saturating_sub(ENDS_KEPT);
        match self.oversized.take() {
            Some(mut ends) => {
                ends.extend_from_slice(&line[tail..]);
                Some(Line::Oversized(ends))
            }
            None if line.len() > MAX_REPLY => Some(Line::Oversized([&line[..ENDS_KEPT], &line[tail..]].concat())),
            None => Some(Line::Whole(line.to_vec())),
        }
    }

    /// Keeps only the ends of a line that has become too long, and waits for the newline behind it.
    fn give_up_on_a_long_line(&mut self) {
        let line = &self.buffer[self.start..];
        if line.len() <= MAX_REPLY && self.oversized.is_none() {
            return;
        }
        let tail = line.len().saturating_sub(ENDS_KEPT);
        let mut ends = self.oversized.take().unwrap_or_else(|| line[..ENDS_KEPT].to_vec());
        ends.truncate(ENDS_KEPT);
        ends.extend_from_slice(&line[tail..]);
        self.oversized = Some(ends);
        self.buffer.clear();
        (self.start, self.searched) = (0, 0);
    }
}
