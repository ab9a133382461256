//! What a host may change at run time: transport, environment, headers, timeouts, whether a server takes part. Names and selection are
//! not among them: they belong to the contract that was reviewed.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use mcp_contract::admission::{Admission, AdmittedTool, Objection, Screen, Screens, without};
use mcp_contract::config::{Config, Launch, Server, Template};
use mcp_contract::snapshot::admit;
use mcp_contract::text::Shown;
use mcp_wire::Duplex;

use crate::contract::Contract;
use crate::error::StartError;
use crate::importer::Importer;
use crate::in_process::{Serve, pipe};
use crate::live::{LiveServer, Way};

/// Makes a connection to a server that is not reached as the configuration says.
pub(crate) type Transport = Arc<dyn Fn() -> Box<dyn Duplex> + Send + Sync>;

/// A screen that asks somebody.
type AsyncScreen =
    Box<dyn Fn(String, AdmittedTool) -> Pin<Box<dyn Future<Output = Result<(), Objection>> + Send>> + Send + Sync>;

/// Looks a variable up.
type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// An importer before it is started.
pub struct Builder {
    contract: Contract,
    overrides: BTreeMap<String, Overrides>,
    variables: Variables,
    base: PathBuf,
    screens: Screens,
    asynchronous: Option<AsyncScreen>,
}

#[derive(Default)]
struct Overrides {
    transport: Option<Transport>,
    env: BTreeMap<String, Template>,
    headers: BTreeMap<String, Template>,
    connect_timeout: Option<Duration>,
    request_timeout: Option<Duration>,
    enabled: Option<bool>,
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
            variables: Box::new(|name| std::env::var(name).ok()),
            base: PathBuf::from("."),
            screens: Screens::default(),
            asynchronous: None,
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
        self.variables = Box::new(lookup);
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
        self.screens = self.screens.all(screen);
        self
    }

    /// Screens the tools of one server, in place of the screens for all.
    #[must_use]
    pub fn screen_server(mut self, server: &str, screen: impl Screen + 'static) -> Self {
        self.screens = self.screens.server(server, screen);
        self
    }

    /// Screens the tools of every server that has no screen of its own, by asking somebody: a service, a person. It runs after the
    /// synchronous screens, once a tool, when the importer starts; one that fails or panics refuses the tool.
    #[must_use]
    pub fn screen_async<F>(mut self, screen: impl Fn(String, AdmittedTool) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), Objection>> + Send + 'static,
    {
        self.asynchronous = Some(Box::new(move |server, tool| Box::pin(screen(server, tool))));
        self
    }

    /// Connects to all servers in parallel and compares what they offer with the snapshots.
    ///
    /// A server that is out of reach costs its own tools, with a warning, unless it is `required`. Dropping the future ends the
    /// processes that were started.
    ///
    /// # Errors
    ///
    /// See [`StartError`].
    pub async fn start(mut self) -> Result<Importer, StartError> {
        let config = Config::parse(self.contract.config, "servers.toml (embedded)")?;
        let known = || config.servers.iter().map(|server| server.name.to_string()).collect();
        if let Some(unknown) = self.overrides.keys().find(|name| config.server(name).is_none()) {
            return Err(StartError::UnknownServer { server: unknown.clone(), known: known() });
        }
        let mut servers = Vec::new();
        for mut server in config.servers {
            let overrides = self.overrides.remove(server.name.as_str()).unwrap_or_default();
            let transport = overrides.transport.clone();
            overrides.apply(&mut server)?;
            if !server.enabled {
                continue;
            }
            let embedded = self.contract.servers.iter().find(|embedded| embedded.name == server.name.as_str());
            let Some(embedded) = embedded else {
                if server.required {
                    return Err(StartError::NotGenerated { server: server.name.to_string() });
                }
                tracing::warn!(server = %server.name, "a server has no generated code; run: mcp-codegen generate");
                continue;
            };
            let snapshot = embedded
                .snapshot()
                .map_err(|source| StartError::Snapshot { server: server.name.to_string(), source })?;
            servers.push((server, snapshot, transport));
        }
        let admission = self.screens.apply(admit(servers.iter().map(|(server, snapshot, _)| (server, snapshot))));
        let admission = self.screened(admission).await;
        for server in &admission.servers {
            for refused in &server.refused {
                let (tool, reason) = (Shown(&refused.remote_name), &refused.reason);
                tracing::warn!(server = %server.server, %tool, %reason, "a tool is refused");
            }
        }
        let starts = servers.into_iter().zip(admission.servers).map(|((server, _, transport), admission)| {
            let way = match transport {
                Some(transport) => Way::Custom(transport),
                None => Way::Configured { base: &self.base, variables: &*self.variables },
            };
            LiveServer::start(server, admission, way)
        });
        let started = futures::future::join_all(starts).await;
        Importer::of(started).await
    }
}

impl Builder {
    /// Lets the asynchronous screen have its word.
    async fn screened(&self, admission: Admission) -> Admission {
        let Some(screen) = &self.asynchronous else { return admission };
        let mut servers = Vec::new();
        for server in admission.servers {
            if self.screens.has_own(server.server.as_str()) {
                servers.push(server);
                continue;
            }
            let verdicts = server.admitted.iter().map(|tool| async {
                // What a screen leaves behind is the host's affair; it is not asked again for this tool.
                let asked = AssertUnwindSafe(async { screen(server.server.to_string(), tool.clone()).await });
                match asked.catch_unwind().await {
                    Ok(verdict) => verdict.map_err(|objection| objection.to_string()),
                    Err(_) => Err("the screen panicked".to_owned()),
                }
            });
            let verdicts = futures::future::join_all(verdicts).await;
            servers.push(without(server, verdicts));
        }
        Admission { servers }
    }
}

impl Overrides {
    /// Fails where something would be set that the transport does not have, and that nobody would miss before it is needed.
    fn apply(self, server: &mut Server) -> Result<(), StartError> {
        let stray = |key, belongs_to| StartError::OtherTransport { server: server.name.to_string(), key, belongs_to };
        match &mut server.launch {
            Launch::Stdio(_) if !self.headers.is_empty() => return Err(stray("headers", "a server with a `url`")),
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
