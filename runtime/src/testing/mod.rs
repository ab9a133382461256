//! A server that misbehaves on purpose, for tests of how a program takes it.
//!
//! [`TestServer`] offers the tools that it is told to, does what it is told to when they are called, and counts what it ran. It is reached over
//! a pipe in process, over HTTP on this machine, or as a process of its own ([`serve_stdio`], and the program `mcp-test-server`), and
//! misbehaves as real servers do: it dies, stalls, lies, floods, answers with the wrong id or twice, drops the reply after running the tool,
//! resets connections, redirects, loses sessions, and changes its tools.
//!
//! ```
//! use mcp_runtime::testing::{Fault, TestServer};
//! # fn main() -> std::io::Result<()> {
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # let _inside = runtime.enter();
//! let shop = TestServer::new([serde_json::json!({"name": "order", "inputSchema": {"type": "object"}})]);
//! // The next order is placed, and its reply is lost.
//! shop.plan("order", Fault::Silence.after_running());
//! let pipe = shop.pipe();
//! // importer: Importer::builder(mcp::CONTRACT).transport("shop", move || shop.pipe())
//! # drop(pipe);
//! # Ok(())
//! # }
//! ```

mod count;
mod exchange;
mod fault;
mod http;
mod http_message;
mod lines;
mod server;

pub use count::Execution;
pub use fault::{Fault, Planned};
pub use http::HttpServer;
pub use lines::serve_stdio;
pub use server::TestServer;
