//! What a host may change at run time: transport, environment, headers, timeouts, whether a server takes part. Names and selection are
//! not among them: they belong to the contract that was reviewed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_contract::admission::{AdmittedTool, Objection, Screen};
use mcp_contract::config::{Kind, Template};
use mcp_wire::{Credentials, Duplex, Identity};

use crate::actor::Actor;
use crate::approval::Approver;
use crate::contract::Contract;
use crate::error::CallError;
use crate::hooks::Hooks;
use crate::host_tool::HostTool;
use crate::in_process::{Serve, pipe};
use crate::overrides::Overrides;
use crate::server::Variables;
use crate::tool_info::ImportedTool;

/// An importer before it is started.
pub struct Builder {
    pub(crate) contract: Contract,
    pub(crate) overrides: BTreeMap<String, Overrides>,
    pub(crate) variables: Variables,
    pub(crate) base: PathBuf,
    pub(crate) identity: Identity,
    pub(crate) own: Vec<HostTool>,
    pub(crate) hooks: Hooks,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Builder").field("overridden", &self.overrides.keys()).finish_non_exhaustive()
    }
}

impl Builder {
    pub(crate) fn new(contract: Contract) -> Self {
        Self {
            contract,
            overrides: BTreeMap::new(),
            variables: Arc::new(|name| std::env::var(name).ok()),
            base: PathBuf::from("."),
            identity: Identity::default(),
            own: Vec::new(),
            hooks: Hooks::default(),
        }
    }

    fn server(&mut self, server: &str) -> &mut Overrides {
        self.overrides.entry(server.to_owned()).or_default()
    }

    /// Reaches a server through connections that the host makes; they speak MCP's stdio framing. The factory is asked again for each
    /// connection.
    #[must_use]
    pub fn transport(mut self, server: &str, factory: impl Fn() -> Box<dyn Duplex> + Send + Sync + 'static) -> Self {
        self.server(server).transport = Some(Arc::new(factory));
        self
    }

    /// Serves a handler in process in place of a server: a test needs no process and no network.
    #[must_use]
    pub fn in_process(self, server: &str, serve: impl Serve) -> Self {
        let serve = Arc::new(serve);
        self.transport(server, move || Box::new(pipe(Arc::clone(&serve))))
    }

    /// Sets a variable in the environment of a server's process.
    #[must_use]
    pub fn env(mut self, server: &str, name: &str, value: &str) -> Self {
        self.server(server).env.insert(name.to_owned(), Template::literal(value));
        self
    }

    /// Sets a header on every request to a server.
    #[must_use]
    pub fn header(mut self, server: &str, name: &str, value: &str) -> Self {
        self.server(server).headers.insert(name.to_owned(), Template::literal(value));
        self
    }

    /// Sets the deadline for connecting to a server.
    #[must_use]
    pub fn connect_timeout(mut self, server: &str, timeout: Duration) -> Self {
        self.server(server).connect_timeout = Some(timeout);
        self
    }

    /// Sets the deadline for a server's listing and for each call.
    #[must_use]
    pub fn request_timeout(mut self, server: &str, timeout: Duration) -> Self {
        self.server(server).request_timeout = Some(timeout);
        self
    }

    /// Lets a server take part, or not.
    #[must_use]
    pub fn enabled(mut self, server: &str, enabled: bool) -> Self {
        self.server(server).enabled = Some(enabled);
        self
    }

    /// Looks the variables of `servers.toml` up elsewhere than in the process's environment.
    #[must_use]
    pub fn variables(mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.variables = Arc::new(lookup);
        self
    }

    /// The folder that processes start in and a relative `cwd` starts from, in place of the folder of `servers.toml`, which a deployed
    /// program does not have; by default the current one.
    #[must_use]
    pub fn base(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base = folder.into();
        self
    }

    /// Screens the tools of every server that has no screen of its own, with what the embedded snapshots say of them. A tool that is
    /// refused is not there: its calls fail, and nobody is shown it.
    #[must_use]
    pub fn screen(mut self, screen: impl Screen + 'static) -> Self {
        self.hooks.screens = self.hooks.screens.all(screen);
        self
    }

    /// Screens the tools of one server, in place of the screens for all.
    #[must_use]
    pub fn screen_server(mut self, server: &str, screen: impl Screen + 'static) -> Self {
        self.hooks.screens = self.hooks.screens.server(server, screen);
        self
    }

    /// Screens the tools of every server that has no screen of its own, by asking somebody: a service, a person. It runs after the
    /// synchronous screens, once a tool, when the importer starts and at each refresh; one that fails or panics refuses the tool.
    #[must_use]
    pub fn screen_async<F>(mut self, screen: impl Fn(String, AdmittedTool) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), Objection>> + Send + 'static,
    {
        self.hooks.asynchronous = Some(Arc::new(move |server, tool| Box::pin(screen(server, tool))));
        self
    }

    /// Asks before each action that a model wants; see [`Approver`]. Without one, no such action is issued.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.hooks.approver = Some(Arc::new(approver));
        self
    }

    /// Asks the host whether an actor may use a tool, after the allow-list, roles and abilities: when tools are listed for a model, and
    /// again when one is called. A gate that fails or panics refuses.
    #[must_use]
    pub fn gate<F>(mut self, gate: impl Fn(Actor, ImportedTool) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), Objection>> + Send + 'static,
    {
        self.hooks.gate = Some(Arc::new(move |actor, tool| Box::pin(gate(actor, tool))));
        self
    }

    /// Decides the kind of tools in code: a function of server and tool, whose `None` leaves it to the configuration. One that panics
    /// makes an action of the tool.
    #[must_use]
    pub fn kind(mut self, kind: impl Fn(&str, &AdmittedTool) -> Option<Kind> + Send + Sync + 'static) -> Self {
        self.hooks.kinds = Some(Arc::new(kind));
        self
    }

    /// Decides which calls that failed are issued again, in place of [`is_transient`](crate::is_transient) for reads and
    /// [`is_not_sent`](crate::is_not_sent) for actions. It counts for both kinds: one that says yes to an action whose outcome is unknown can
    /// make it happen twice.
    #[must_use]
    pub fn classifier(mut self, again: impl Fn(&CallError, Kind) -> bool + Send + Sync + 'static) -> Self {
        self.hooks.classifier = Some(Arc::new(again));
        self
    }

    /// Gives the credentials of a server that is reached over HTTP.
    #[must_use]
    pub fn credentials(mut self, server: &str, credentials: impl Credentials + 'static) -> Self {
        self.server(server).credentials = Some(Arc::new(credentials));
        self
    }

    /// The name and the version that servers are told.
    #[must_use]
    pub fn identity(mut self, name: &str, version: &str) -> Self {
        self.identity = Identity { name: name.to_owned(), version: version.to_owned() };
        self
    }

    /// Puts a tool of the host's own into the registry, before any server's: no import can take its name.
    #[must_use]
    pub fn own_tool(mut self, tool: HostTool) -> Self {
        self.own.push(tool);
        self
    }
}
