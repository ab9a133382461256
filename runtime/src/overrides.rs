//! What a host changes of one server at run time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_contract::config::{Launch, Server, Template};
use mcp_wire::Credentials;

use crate::error::StartError;
use crate::server::Transport;

/// What a host changes of one server at run time; never names or selection.
#[derive(Default)]
pub(crate) struct Overrides {
    pub(crate) transport: Option<Transport>,
    pub(crate) credentials: Option<Arc<dyn Credentials>>,
    pub(crate) env: BTreeMap<String, Template>,
    pub(crate) headers: BTreeMap<String, Template>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) enabled: Option<bool>,
}

impl Overrides {
    /// Fails where something would be set that the transport does not have, and that nobody would miss before it is needed.
    pub(crate) fn apply(self, server: &mut Server) -> Result<(), StartError> {
        let stray = |key, belongs_to| StartError::OtherTransport { server: server.name.to_string(), key, belongs_to };
        match &mut server.launch {
            Launch::Stdio(_) if !self.headers.is_empty() => return Err(stray("headers", "a server with a `url`")),
            Launch::Stdio(_) if self.credentials.is_some() => {
                return Err(stray("credentials", "a server with a `url`"));
            }
            Launch::Http(_) if !self.env.is_empty() => return Err(stray("env", "a server with a `command`")),
            Launch::Stdio(launch) => launch.env.extend(self.env),
            Launch::Http(launch) => {
                for (name, value) in self.headers {
                    // Letter case does not count in a header's name.
                    launch.headers.retain(|existing, _| !existing.eq_ignore_ascii_case(&name));
                    launch.headers.insert(name, value);
                }
            }
        }
        server.connect_timeout = self.connect_timeout.unwrap_or(server.connect_timeout);
        server.request_timeout = self.request_timeout.unwrap_or(server.request_timeout);
        server.enabled = self.enabled.unwrap_or(server.enabled);
        Ok(())
    }
}
