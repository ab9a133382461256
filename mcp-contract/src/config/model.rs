//! What `servers.toml` says, once it is known to be right.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use globset::GlobMatcher;

use super::{ConfigError, Policies, Template, read};
use crate::json::Pointer;
use crate::screen::Signal;

/// A configuration without problems. Servers keep the order of the file, which decides who owns a contested name.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The servers, in the order of the file; disabled ones included.
    pub servers: Vec<Server>,
    /// What `[generate]` says.
    pub generate: Generate,
}

/// The table `[generate]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generate {
    /// The folder for generated files, relative to the folder of `servers.toml`, with `/` between its parts.
    pub out: String,
}

impl Default for Generate {
    fn default() -> Self {
        Self { out: "src/mcp".to_owned() }
    }
}

/// One `[[server]]`.
#[derive(Clone, Debug)]
pub struct Server {
    /// The name: identity, folder, module, and by default the prefix of local tool names.
    pub name: ServerName,
    /// Whether the server takes part at all.
    pub enabled: bool,
    /// How it is reached.
    pub launch: Launch,
    /// Remote names that are wanted; empty means all.
    pub include: Vec<ToolGlob>,
    /// Remote names that are not wanted, applied after `include`.
    pub exclude: Vec<ToolGlob>,
    /// How local names are made.
    pub namespace: Namespace,
    /// Whether a host must not start without this server.
    pub required: bool,
    /// Deadline for starting the process or connecting, and the handshake.
    pub connect_timeout: Duration,
    /// Deadline for a listing as a whole, and for each call.
    pub request_timeout: Duration,
    /// Whether the screens refuse what they otherwise only note.
    pub strict: bool,
    /// What the screens find and a person has judged.
    pub accept_risk: Vec<AcceptedRisk>,
    /// Members of definitions that differ from listing to listing and mean nothing.
    pub ignore: Vec<Ignored>,
    /// What the server and its tools may do at run time.
    pub policies: Policies,
}

/// A member of tool definitions whose changes are no drift, such as a default that a server joins from a set.
#[derive(Clone, Debug)]
pub struct Ignored {
    /// The remote names for which it holds.
    pub tool: ToolGlob,
    /// Where in the definition.
    pub pointer: Pointer,
    /// Why.
    pub reason: String,
}

/// A finding of a screen that a person has judged: the tool is taken, and the reason is shown wherever it is listed.
#[derive(Clone, Debug)]
pub struct AcceptedRisk {
    /// The remote names for which it holds.
    pub tool: ToolGlob,
    /// The signal.
    pub signal: Signal,
    /// Why.
    pub reason: String,
}

/// A server's name: a letter, then letters, digits, `_` and `-`, at most 40 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(String);

impl ServerName {
    /// Checks a name; `None` where it is not one.
    ///
    /// ```
    /// use mcp_contract::config::ServerName;
    /// assert!(ServerName::new("git-hub").is_some() && ServerName::new("../x").is_none());
    /// ```
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let mut characters = name.chars();
        let valid = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
            && name.len() <= 40;
        valid.then(|| Self(name.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What two names must not share: letter case, `-` and `_` are lost in a module's name or on some file systems.
    #[must_use]
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase().replace(['-', '_'], "")
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A process that speaks over its standard input and output.
    Stdio(StdioLaunch),
    /// An address that speaks streamable HTTP.
    Http(HttpLaunch),
}

/// A server that is started as a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StdioLaunch {
    /// The program, looked up in `PATH` unless it holds a separator.
    pub command: String,
    /// Its arguments. Variables in them are resolved only where `expand_args` says so, because other users of the
    /// machine can see a process's arguments.
    pub args: Vec<Template>,
    /// Variables for the process, on top of the short list that is passed on.
    pub env: BTreeMap<String, Template>,
    /// The folder to start in; relative to the folder of `servers.toml`.
    pub cwd: Option<Template>,
}

/// A server that is reached by HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLaunch {
    /// The address of its MCP endpoint.
    pub url: Template,
    /// Headers for every request.
    pub headers: BTreeMap<String, Template>,
}

/// How the local name of a tool is made from its remote name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// `prefix_tool`; by default the prefix is the server's name.
    Prefix(String),
    /// The remote name alone.
    Bare,
}

/// A glob over remote tool names, as `include` and `exclude` use it: `*`, `?`, `[…]`, `{a,b}`; letter case counts.
#[derive(Clone, Debug)]
pub struct ToolGlob {
    pub(super) spelling: String,
    pub(super) matcher: GlobMatcher,
}

impl ToolGlob {
    /// Whether the glob takes this remote name.
    #[must_use]
    pub fn matches(&self, remote_name: &str) -> bool {
        self.matcher.is_match(remote_name)
    }

    /// The glob as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.spelling
    }
}

impl Config {
    /// Reads a configuration from its text. `path` is used in messages only.
    ///
    /// ```
    /// use mcp_contract::config::Config;
    /// let config = Config::parse("[[server]]\nname = \"time\"\ncommand = \"mcp-server-time\"\n", "servers.toml").unwrap();
    /// assert_eq!(config.servers[0].name.as_str(), "time");
    /// let error = Config::parse("[[server]]\nname = \"time\"\ncomand = \"x\"\n", "servers.toml").unwrap_err();
    /// assert!(error.to_string().contains("did you mean `command`?"));
    /// ```
    ///
    /// # Errors
    ///
    /// All problems of the file at once.
    pub fn parse(source: &str, path: &str) -> Result<Self, ConfigError> {
        read::read(source, path)
    }

    /// Reads a configuration from a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has problems.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let shown = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(source) => Self::parse(&source, &shown),
            Err(source) => Err(ConfigError::Unreadable { path: shown, source }),
        }
    }

    /// The server of this name, disabled ones included.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.name.as_str() == name)
    }

    /// The servers that take part, in the order of the file.
    pub fn enabled(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter(|server| server.enabled)
    }
}
