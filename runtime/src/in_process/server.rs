//! The server half of the pipe: `initialize`, `ping`, `tools/list`, `tools/call`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::Mutex;
use tokio::task::{AbortHandle, JoinSet};

use super::call::{Answer, IncomingCall, Serve};

/// How many bytes each direction of the pipe holds.
const PIPE: usize = 64 << 10;

/// Serves a handler behind a new pipe and gives the client's end. The server ends when that end is dropped.
///
/// Needs a tokio runtime, as connecting does.
pub(crate) fn pipe<S: Serve>(serve: Arc<S>) -> DuplexStream {
    let (client, server) = tokio::io::duplex(PIPE);
    let (reader, writer) = tokio::io::split(server);
    tokio::spawn(
        Server { serve, writer: Arc::new(Mutex::new(writer)), calls: JoinSet::new(), running: Vec::new() }.run(reader),
    );
    client
}

type Writer = Arc<Mutex<WriteHalf<DuplexStream>>>;

struct Server<S> {
    serve: Arc<S>,
    writer: Writer,
    /// The writers of replies; dropping the server drops them.
    calls: JoinSet<()>,
    running: Vec<(Value, AbortHandle)>,
}

impl<S: Serve> Server<S> {
    async fn run(mut self, reader: ReadHalf<DuplexStream>) {
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            // Only our own client stands at the other end.
            if let Ok(message) = serde_json::from_str::<Value>(&line) {
                self.message(message).await;
            }
        }
    }

    async fn message(&mut self, mut message: Value) {
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let params = message["params"].take();
        let id = message["id"].take();
        match method.as_str() {
            "notifications/cancelled" => {
                let abandoned = &params["requestId"];
                self.running.retain(|(id, call)| {
                    let matches = id == abandoned;
                    if matches {
                        call.abort();
                    }
                    !matches
                });
            }
            _ if id.is_null() => {}
            "initialize" => {
                let version = params["protocolVersion"].clone();
                let name = self.serve.contract().name;
                let info = json!({"name": name, "version": "in-process"});
                let result = json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info});
                reply(&self.writer, &id, Answer(Ok(result))).await;
            }
            "ping" => reply(&self.writer, &id, Answer(Ok(json!({})))).await,
            "tools/list" => write(&self.writer, &self.list(&id)).await,
            "tools/call" => self.call(id, params),
            _ => reply(&self.writer, &id, Answer(Err((-32601, format!("no method {method}"))))).await,
        }
    }

    /// The reply to a listing: the definitions of the contract, verbatim, because a digest is taken of them.
    fn list(&self, id: &Value) -> String {
        #[derive(Deserialize)]
        struct ToolFile<'a> {
            #[serde(borrow)]
            tool: &'a RawValue,
        }
        let files = self.serve.contract().tools.iter();
        let tools = files.filter_map(|(_, text)| serde_json::from_str::<ToolFile<'_>>(text).ok());
        let tools: Vec<String> = tools.map(|file| file.tool.get().replace(['\n', '\r'], " ")).collect();
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{}]}}}}", tools.join(","))
    }

    fn call(&mut self, id: Value, mut params: Value) {
        let tool = params["name"].as_str().unwrap_or_default().to_owned();
        let arguments = match params["arguments"].take() {
            Value::Null => json!({}),
            arguments => arguments,
        };
        let (serve, writer, answered) = (Arc::clone(&self.serve), Arc::clone(&self.writer), id.clone());
        // Only the handler is ended by a cancellation: a reply that is half written would spoil the next one.
        let handler = tokio::spawn(async move { serve.serve(IncomingCall::new(tool, arguments)).await });
        let call = handler.abort_handle();
        self.calls.spawn(async move {
            match handler.await {
                Ok(answer) => reply(&writer, &answered, answer).await,
                Err(error) if error.is_panic() => {
                    reply(&writer, &answered, Answer(Err((-32603, "the handler panicked".to_owned())))).await;
                }
                Err(_) => {}
            }
        });
        while self.calls.try_join_next().is_some() {}
        self.running.retain(|(_, call)| !call.is_finished());
        self.running.push((id, call));
    }
}

impl<S> Drop for Server<S> {
    fn drop(&mut self) {
        self.running.iter().for_each(|(_, call)| call.abort());
    }
}

async fn reply(writer: &Writer, id: &Value, answer: Answer) {
    let message = match answer.0 {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, text)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}),
    };
    write(writer, &message.to_string()).await;
}

async fn write(writer: &Writer, message: &str) {
    // A client that went away needs no answer.
    let _ = writer.lock().await.write_all(format!("{message}\n").as_bytes()).await;
}
