//! The server over lines of JSON: a pipe in process, or standard input and output.

use std::sync::Arc;
use std::time::Duration;

use mcp_wire::Duplex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

use super::exchange::Reaction;
use super::fault::Fault;
use super::server::{Push, Shared, TestServer};

/// How many bytes each direction of a pipe holds.
const PIPE: usize = 64 << 10;

/// What goes out on a connection.
enum Out {
    Text(String),
    /// Ends the connection once everything before it is written.
    End,
}

pub(super) fn pipe(shared: Arc<Shared>) -> Box<dyn Duplex> {
    let (client, server) = tokio::io::duplex(PIPE);
    let (reader, writer) = tokio::io::split(server);
    tokio::spawn(serve(shared, reader, writer));
    Box::new(client)
}

/// Serves over standard input and output, until the input ends or a fault says so: the `main` of a test server of your own.
pub async fn serve_stdio(server: &TestServer) {
    serve(Arc::clone(&server.shared), tokio::io::stdin(), tokio::io::stdout()).await;
}

async fn serve(
    shared: Arc<Shared>,
    reader: impl AsyncRead + Unpin + Send + 'static,
    mut writer: impl AsyncWrite + Unpin + Send + 'static,
) {
    let (out, mut outgoing) = mpsc::channel::<Out>(64);
    let mut pushes = shared.pushes.subscribe();
    let mut lines = BufReader::new(reader).lines();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
                match shared.take(&message) {
                    Reaction::Answer { fault, id, text } => {
                        tokio::spawn(answer(out.clone(), fault, id, text));
                    }
                    Reaction::Nothing | Reaction::Subscribe { .. } => {}
                }
            }
            push = pushes.recv() => match push {
                Ok(Push::ToolsChanged) => {
                    let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                    if write(&mut writer, &format!("{notice}\n")).await.is_err() {
                        return;
                    }
                }
                Ok(Push::End) | Err(RecvError::Closed) => return,
                Err(RecvError::Lagged(_)) => {}
            },
            Some(out) = outgoing.recv() => match out {
                Out::Text(text) => {
                    if write(&mut writer, &text).await.is_err() {
                        return;
                    }
                }
                Out::End => return,
            },
        }
    }
}

async fn write(writer: &mut (impl AsyncWrite + Unpin), text: &str) -> std::io::Result<()> {
    writer.write_all(text.as_bytes()).await?;
    writer.flush().await
}

/// Answers as the fault says. A task of its own: an answer that is late must not hold up the others.
async fn answer(out: mpsc::Sender<Out>, fault: Fault, id: Value, text: String) {
    let line = format!("{text}\n");
    let says = match fault {
        Fault::Silence | Fault::Status { .. } | Fault::EndOfStream => return,
        Fault::Late(by) => {
            tokio::time::sleep(by).await;
            vec![Out::Text(line)]
        }
        Fault::Death => vec![Out::End],
        Fault::LastWords => {
            // Long enough for the answer to be read before the end is seen.
            let _ = out.send(Out::Text(line)).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            vec![Out::End]
        }
        Fault::Half => vec![Out::Text(text[..half(&text)].to_owned()), Out::End],
        Fault::WrongId => {
            let mut message: Value = serde_json::from_str(&text).unwrap_or_default();
            message["id"] = json!(id.as_i64().unwrap_or_default() + 1_000_000);
            vec![Out::Text(format!("{message}\n"))]
        }
        Fault::Twice => vec![Out::Text(line.clone()), Out::Text(line)],
        Fault::NotJson => vec![Out::Text(format!("{}\n", &text[..half(&text)]))],
        Fault::Noise(lines) => {
            vec![
                Out::Text((0..lines).fold(String::new(), |text, line| text + &format!("log line {line}\n"))),
                Out::Text(line),
            ]
        }
        Fault::None | Fault::Error { .. } | Fault::Says(_) | Fault::SameCursor => vec![Out::Text(line)],
    };
    for says in says {
        let _ = out.send(says).await;
    }
}

/// Where a text can be cut in two.
pub(super) fn half(text: &str) -> usize {
    (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}
