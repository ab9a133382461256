//! Typed calls.

use std::time::Duration;

use mcp_wire::ProgressSink;

use crate::importer::Importer;
use crate::tool::{CallResult, Tool};

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
    /// Dropping the future cancels the call on the wire; whether the tool runs on is the server's affair.
    ///
    /// # Errors
    ///
    /// See [`CallError`](crate::CallError): each variant says whether the tool can have run.
    pub async fn call<T: Tool>(&self, args: T) -> CallResult<T> {
        debug_assert_eq!(self.server, T::SERVER);
        self.importer.call_tool(args, &self.options).await
    }
}
