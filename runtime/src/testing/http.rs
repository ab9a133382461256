//! The server over streamable HTTP, on a port of this machine.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use super::exchange::{Reaction, subscription_notices};
use super::fault::Fault;
use super::http_message::{Answer, Request, read, stream_head};
use super::lines::half;
use super::server::{Push, Shared};

/// A server on a port. Dropping it ends it, as a process that is killed: connections are reset.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    site: Arc<Site>,
    _accepting: AbortOnDropHandle<()>,
}

/// What the connections of one server share.
struct Site {
    shared: Arc<Shared>,
    sessions: Mutex<BTreeSet<String>>,
    made: AtomicU64,
    /// The status with which a session that is not known is answered.
    lost: AtomicUsize,
    /// Whether header and body go out apart, each when the one before was acknowledged.
    apart: AtomicBool,
    connections: AtomicUsize,
    headers: Mutex<Vec<(String, String)>>,
}

impl std::fmt::Debug for Site {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Site")
    }
}

impl HttpServer {
    pub(super) async fn start(shared: Arc<Shared>, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let site = Arc::new(Site {
            shared,
            sessions: Mutex::default(),
            made: AtomicU64::new(0),
            lost: AtomicUsize::new(404),
            apart: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            headers: Mutex::default(),
        });
        let accepting = AbortOnDropHandle::new(tokio::spawn(accept(listener, Arc::clone(&site))));
        Ok(Self { address, site, _accepting: accepting })
    }

    /// The address of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Forgets every session, as a server does that was started again; requests of one are answered with this status (404, 400 or 401).
    pub fn forget_sessions(&self, status: u16) {
        self.site.lost.store(usize::from(status), Ordering::Relaxed);
        self.site.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Writes header and body apart, as servers do that are slow on kept connections.
    pub fn write_apart(&self) {
        self.site.apart.store(true, Ordering::Relaxed);
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> usize {
        self.site.connections.load(Ordering::Relaxed)
    }

    /// Every header that came in, name in lower case, in order.
    pub fn headers(&self) -> Vec<(String, String)> {
        self.site.headers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn accept(listener: TcpListener, site: Arc<Site>) {
    // The connections end with the server.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        site.connections.fetch_add(1, Ordering::Relaxed);
        let site = Arc::clone(&site);
        connections.spawn(async move {
            let _ = serve(stream, &site).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, site: &Arc<Site>) -> io::Result<()> {
    // The body would wait for the acknowledgement of the header otherwise.
    stream.set_nodelay(!site.apart.load(Ordering::Relaxed))?;
    let mut pushes = site.shared.pushes.subscribe();
    let mut stream = BufReader::new(stream);
    loop {
        let request = tokio::select! {
            request = read(&mut stream) => request?,
            push = pushes.recv() => match push {
                Ok(Push::End) => return reset(stream.get_ref()),
                _ => continue,
            },
        };
        let Some(request) = request else { return Ok(()) };
        site.headers.lock().unwrap_or_else(PoisonError::into_inner).extend(request.headers.clone());
        match site.react(&request).await {
            What::Answer(answer) => {
                let head = answer.head();
                if site.apart.load(Ordering::Relaxed) {
                    stream.write_all(head.as_bytes()).await?;
                    stream.flush().await?;
                    stream.write_all(answer.body.as_bytes()).await?;
                } else {
                    stream.write_all((head + &answer.body).as_bytes()).await?;
                }
                stream.flush().await?;
            }
            What::HalfOf(answer) => {
                stream.write_all((answer.head() + &answer.body[..half(&answer.body)]).as_bytes()).await?;
                return Ok(());
            }
            What::Last(answer) => {
                stream.write_all((answer.head() + &answer.body).as_bytes()).await?;
                stream.flush().await?;
                return Ok(());
            }
            What::Reset => return reset(stream.get_ref()),
            What::Hang => std::future::pending().await,
            What::EndOfStream(session) => {
                stream.write_all(stream_head(&session).as_bytes()).await?;
                return Ok(());
            }
            What::Notices(session) => {
                stream.write_all(stream_head(&session).as_bytes()).await?;
                let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                return notices(stream, &mut pushes, &notice).await;
            }
            What::Subscription(id) => {
                let [taken, changed] = subscription_notices(&id);
                stream.write_all((stream_head("none") + &event(&taken)).as_bytes()).await?;
                return notices(stream, &mut pushes, &changed).await;
            }
        }
    }
}

/// What a connection does about a request.
enum What {
    Answer(Answer),
    HalfOf(Answer),
    Last(Answer),
    Reset,
    Hang,
    EndOfStream(String),
    Notices(String),
    Subscription(Value),
}

impl Site {
    async fn react(&self, request: &Request) -> What {
        let session = request.headers.get("mcp-session-id").cloned();
        let known = |session: &str| self.sessions.lock().unwrap_or_else(PoisonError::into_inner).contains(session);
        if let Some(session) = session.as_deref().filter(|session| !known(session)) {
            let _ = session;
            return What::Answer(self.lost());
        }
        match request.method.as_str() {
            "GET" => What::Notices(session.unwrap_or_default()),
            "DELETE" => {
                if let Some(session) = session {
                    self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
                }
                What::Answer(Answer::new(200, "text/plain", String::new()))
            }
            _ => self.post(request, session).await,
        }
    }

    fn lost(&self) -> Answer {
        let status = u16::try_from(self.lost.load(Ordering::Relaxed)).unwrap_or(404);
        let error = json!({"code": -32000, "message": "Bad Request: No valid session ID provided"});
        let body = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
        Answer::new(status, "application/json", body)
    }

    async fn post(&self, request: &Request, session: Option<String>) -> What {
        let Ok(message) = serde_json::from_slice::<Value>(&request.body) else {
            return What::Answer(Answer::new(400, "text/plain", "no JSON".to_owned()));
        };
        let (fault, id, text) = match self.shared.take(&message) {
            Reaction::Answer { fault, id, text } => (fault, id, text),
            Reaction::Subscribe { id } => return What::Subscription(id),
            Reaction::Nothing => return What::Answer(Answer::new(202, "text/plain", String::new())),
        };
        let session = match session {
            Some(session) => session,
            None => self.session(),
        };
        let plain = |text: String| Answer::new(200, "application/json", text).with("mcp-session-id", &session);
        match fault {
            Fault::Silence => What::Hang,
            Fault::Late(by) => {
                tokio::time::sleep(by).await;
                What::Answer(plain(text))
            }
            Fault::Death => What::Reset,
            Fault::LastWords => What::Last(plain(text)),
            Fault::Half => What::HalfOf(plain(text)),
            Fault::WrongId => {
                let mut message: Value = serde_json::from_str(&text).unwrap_or_default();
                message["id"] = json!(id.as_i64().unwrap_or_default() + 1_000_000);
                What::Answer(plain(message.to_string()))
            }
            Fault::NotJson => What::Answer(plain(text[..half(&text)].to_owned())),
            Fault::Status { status, headers, body } => What::Answer(Answer { status, headers, body }),
            Fault::EndOfStream => What::EndOfStream(session),
            Fault::None | Fault::Twice | Fault::Noise(_) | Fault::Error { .. } | Fault::Says(_) | Fault::SameCursor => {
                What::Answer(plain(text))
            }
        }
    }

    fn session(&self) -> String {
        let session = format!("session-{}", self.made.fetch_add(1, Ordering::Relaxed));
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(session.clone());
        session
    }
}

/// Keeps an event stream open and writes what the server says by itself.
async fn notices(
    mut stream: BufReader<TcpStream>,
    pushes: &mut tokio::sync::broadcast::Receiver<Push>,
    notice: &Value,
) -> io::Result<()> {
    stream.flush().await?;
    while let Ok(push) = pushes.recv().await {
        if push == Push::End {
            return reset(stream.get_ref());
        }
        stream.write_all(event(notice).as_bytes()).await?;
        stream.flush().await?;
    }
    Ok(())
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// Ends a connection so that the other side is told of it at once.
fn reset(stream: &TcpStream) -> io::Result<()> {
    #[allow(deprecated, reason = "a linger of zero does not block: what is left is thrown away, and the peer is reset")]
    stream.set_linger(Some(Duration::ZERO))
}
