//! Typed calls.

use std::time::Duration;

use mcp_wire::ProgressSink;
use serde_json::Value;

use crate::call::Answer;
use crate::error::CallError;
use crate::importer::Importer;
use crate::tool::{Tool, ToolId};
use crate::typed::Call;

/// Options of a call.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// A key of the caller's for this call; it is carried into spans and events.
    pub key: Option<String>,
    /// A deadline instead of the server's `request_timeout`.
    pub timeout: Option<Duration>,
    /// Who is told of progress; each notice starts the deadline anew, up to 20 times as long in all.
    pub progress: Option<ProgressSink>,
    /// Whether the call is issued once, whatever becomes of it: for a host that issues calls again by itself, so that the two do not multiply.
    pub once: bool,
}

impl CallOptions {
    /// With a key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// With a deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Issued once, whatever becomes of it.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// With somebody who is told of progress.
    #[must_use]
    pub fn progress(mut self, sink: ProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }
}

impl std::fmt::Debug for CallOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("CallOptions")
            .field("key", &self.key)
            .field("timeout", &self.timeout)
            .field("progress", &self.progress.is_some())
            .field("once", &self.once)
            .finish()
    }
}

/// The calls of one server; generated clients wrap it.
#[derive(Clone, Debug)]
pub struct Client {
    importer: Importer,
    server: &'static str,
    options: CallOptions,
}

impl Client {
    pub(crate) fn new(importer: Importer, server: &'static str) -> Self {
        Self { importer, server, options: CallOptions::default() }
    }

    /// The same client with other options.
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        Self { options, ..self.clone() }
    }

    /// Calls a tool. It is found by server and remote name; its local name plays no part.
    ///
    /// It fails with a [`CallError`], each variant of which says whether the tool can have run.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "whoever calls is done with the arguments, and writes them in place"
    )]
    pub fn call<T: Tool>(&self, args: T) -> Call<T> {
        debug_assert_eq!(self.server, T::SERVER);
        let tool = ToolId { server: T::SERVER, remote_name: T::REMOTE_NAME, local_name: T::LOCAL_NAME };
        Call::new(self.clone().issue(tool, args.encode()))
    }

    async fn issue(self, tool: ToolId, arguments: Value) -> Result<Answer, CallError> {
        self.importer.call_typed(tool, arguments, &self.options).await
    }
}
