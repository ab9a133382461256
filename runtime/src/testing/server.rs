//! The server: what it offers, what it plans, what it ran.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_wire::Duplex;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::contract::ServerContract;

use super::count::{Count, Execution};
use super::fault::{Fault, Planned};
use super::http::HttpServer;
use super::lines;

/// Decides what happens to a call, where nothing else was planned.
type Decide = Arc<dyn Fn(&str, &Value) -> Planned + Send + Sync>;

/// A server that does what it is told. Clones are the same server; it can be reached in several ways at once.
#[derive(Clone)]
pub struct TestServer {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    inside: Mutex<Inside>,
    pub(super) count: Count,
    /// Tells every open connection to do something by itself.
    pub(super) pushes: broadcast::Sender<Push>,
}

/// What a server does by itself, on every connection.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Push {
    /// It says that its tools changed.
    ToolsChanged,
    /// It ends the connection.
    End,
}

#[derive(Default)]
pub(super) struct Inside {
    pub(super) tools: Vec<Value>,
    pub(super) page_size: Option<usize>,
    pub(super) answers: HashMap<String, Value>,
    pub(super) requests: Vec<Value>,
    /// Whether it speaks 2026-07-28: no `initialize`, and notices on subscriptions.
    pub(super) newest: bool,
    plans: HashMap<String, VecDeque<Planned>>,
    decide: Option<Decide>,
}

impl std::fmt::Debug for TestServer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TestServer").field("tools", &self.shared.lock().tools.len()).finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens to a request now: what was planned for it, or what is decided of every call.
    pub(super) fn planned(&self, name: &str, arguments: &Value) -> Planned {
        let mut inside = self.lock();
        if let Some(planned) = inside.plans.get_mut(name).and_then(VecDeque::pop_front) {
            return planned;
        }
        let decide = inside.decide.clone();
        drop(inside);
        decide.map_or_else(|| Fault::None.into(), |decide| decide(name, arguments))
    }
}

impl Shared {
    /// Plans the same once more.
    pub(super) fn again(&self, name: &str, planned: Planned) {
        self.lock().plans.entry(name.to_owned()).or_default().push_front(planned);
    }
}

impl TestServer {
    /// A server that offers these definitions and answers each call with its arguments.
    pub fn new(tools: impl IntoIterator<Item = Value>) -> Self {
        Self::counting(tools, Count::default())
    }

    /// A server that offers what was accepted of a server of yours, to stand in its place.
    pub fn accepting(contract: &ServerContract) -> Self {
        let tool = |(_, text): &(&str, &str)| Some(serde_json::from_str::<Value>(text).ok()?["tool"].take());
        Self::new(contract.tools.iter().filter_map(tool))
    }

    /// A server that writes each execution as a line of JSON to a file, which outlives the process.
    pub fn counting_in(file: impl Into<PathBuf>, tools: impl IntoIterator<Item = Value>) -> Self {
        Self::counting(tools, Count::in_file(file.into()))
    }

    fn counting(tools: impl IntoIterator<Item = Value>, count: Count) -> Self {
        let inside = Inside { tools: tools.into_iter().collect(), ..Inside::default() };
        Self { shared: Arc::new(Shared { inside: Mutex::new(inside), count, pushes: broadcast::Sender::new(64) }) }
    }

    /// Offers other definitions from now on; nobody is told, see [`TestServer::notify`].
    pub fn offer(&self, tools: impl IntoIterator<Item = Value>) {
        self.shared.lock().tools = tools.into_iter().collect();
    }

    /// Speaks the revision 2026-07-28 from now on, which has no `initialize` and tells of changes on subscriptions. Over HTTP; a pipe is tried
    /// with `initialize` alone.
    pub fn speak_newest(&self) {
        self.shared.lock().newest = true;
    }

    /// Lists so many tools a page.
    pub fn pages_of(&self, tools: usize) {
        self.shared.lock().page_size = Some(tools.max(1));
    }

    /// Answers calls of a tool with this result object.
    pub fn answer(&self, tool: &str, result: Value) {
        self.shared.lock().answers.insert(tool.to_owned(), result);
    }

    /// Plans what happens to the next call of a tool; plans for one tool queue up. `tools/list` and `initialize` are planned by their method.
    pub fn plan(&self, tool: &str, planned: impl Into<Planned>) {
        self.shared.lock().plans.entry(tool.to_owned()).or_default().push_back(planned.into());
    }

    /// Decides what happens to each request for which nothing is planned, from its tool (or method) and arguments.
    pub fn decide(&self, decide: impl Fn(&str, &Value) -> Planned + Send + Sync + 'static) {
        self.shared.lock().decide = Some(Arc::new(decide));
    }

    /// Says on every open connection that the tools changed.
    pub fn notify(&self) {
        let _ = self.shared.pushes.send(Push::ToolsChanged);
    }

    /// Ends every open connection.
    pub fn hang_up(&self) {
        let _ = self.shared.pushes.send(Push::End);
    }

    /// What was run, in order.
    pub fn executions(&self) -> Vec<Execution> {
        self.shared.count.executions()
    }

    /// Every message that came in, in order.
    pub fn requests(&self) -> Vec<Value> {
        self.shared.lock().requests.clone()
    }

    /// How many requests of a method came in.
    pub fn requested(&self, method: &str) -> usize {
        self.shared.lock().requests.iter().filter(|message| message["method"] == method).count()
    }

    /// A new connection over a pipe in process, for [`Builder::transport`](crate::Builder::transport). Needs a tokio runtime.
    pub fn pipe(&self) -> Box<dyn Duplex> {
        lines::pipe(Arc::clone(&self.shared))
    }

    /// Serves streamable HTTP on a port of this machine.
    ///
    /// # Errors
    ///
    /// No port can be had.
    pub async fn http(&self) -> std::io::Result<HttpServer> {
        HttpServer::start(Arc::clone(&self.shared), 0).await
    }

    /// The same on a certain port: a server that comes back.
    ///
    /// # Errors
    ///
    /// The port cannot be had.
    pub async fn http_on(&self, port: u16) -> std::io::Result<HttpServer> {
        HttpServer::start(Arc::clone(&self.shared), port).await
    }
}
