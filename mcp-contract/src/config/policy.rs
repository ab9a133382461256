//! What a server and its tools may do at run time: who needs asking, who may see them, how they are reached again.
//!
//! Each of these is read here and enforced by the runtime; the pure decisions stand beside the values, so that a reader of `servers.toml`
//! and the runtime cannot come to different ones.

use std::time::Duration;

use super::{Server, ToolGlob};
use crate::definition::ToolDefinition;
use crate::drift::Policy as Drift;

/// Whether a tool acts on the world or only reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// It may change something: a person approves each call, and a call is never issued twice.
    Action,
    /// It changes nothing: it runs without asking, and is asked again when a reply is lost.
    Read,
}

/// How the kind of a tool is decided (`kind`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KindRule {
    /// `"action"`: every tool is one.
    #[default]
    Action,
    /// `"read"`: every tool is one.
    Read,
    /// `"annotations"`: the server's `readOnlyHint` is believed, unless `destructiveHint` stands beside it.
    Annotations,
}

impl KindRule {
    /// The kind of a tool under this rule. Hints count only where the rule believes them.
    #[must_use]
    pub fn kind_of(self, definition: &ToolDefinition) -> Kind {
        let hints = definition.annotations();
        match self {
            Self::Read => Kind::Read,
            Self::Annotations if hints.read_only == Some(true) && hints.destructive != Some(true) => Kind::Read,
            Self::Action | Self::Annotations => Kind::Action,
        }
    }
}

/// When a connection is made (`connect`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connect {
    /// `"eager"`: when the importer starts.
    #[default]
    Eager,
    /// `"lazy"`: before the first call; until then tools stand as the snapshot has them.
    Lazy,
}

/// How often a call is issued, and how long it waits in between (`retry`). Only reads, and actions that provably were not sent, are
/// issued again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How many times at most; 1 means once.
    pub attempts: u32,
    /// The wait before the second attempt; before the third it is twice as long.
    pub backoff: Duration,
}

impl Retry {
    /// `retry = false`: each call is issued once.
    pub const ONCE: Self = Self { attempts: 1, backoff: Duration::ZERO };
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 2, backoff: Duration::from_millis(150) }
    }
}

/// The run-time policies of one server.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// How the kind of its tools is decided.
    pub kind: KindRule,
    /// Who may see and call its tools: anybody with one of these; empty means everybody.
    pub roles: Vec<String>,
    /// What somebody must be able to do to see and call its tools.
    pub ability: Option<String>,
    /// When the connection is made.
    pub connect: Connect,
    /// How far its tools may move before somebody has looked.
    pub drift: Drift,
    /// Whether its word, and that of whoever answers HTTP for it, that a call did not run is taken for proof.
    pub trust_rejections: bool,
    /// How often a call is issued.
    pub retry: Retry,
    /// Whether HTTP connections are kept for reads and listings.
    pub pool: Option<bool>,
    /// Rules for some of its tools; of several that match, the last one that says something wins.
    pub tools: Vec<ToolRule>,
}

/// One `[[server.tool]]`: what is different for the tools that it matches.
#[derive(Clone, Debug)]
pub struct ToolRule {
    /// The remote names for which it holds.
    pub matches: ToolGlob,
    /// Another rule for their kind.
    pub kind: Option<KindRule>,
    /// Other roles.
    pub roles: Option<Vec<String>>,
    /// Another drift policy.
    pub drift: Option<Drift>,
    /// Whether they are wanted at all.
    pub enabled: Option<bool>,
}

impl Policies {
    /// The last rule that matches a tool and says something on a subject.
    fn last<'a, T>(&'a self, remote_name: &str, subject: impl Fn(&'a ToolRule) -> Option<T>) -> Option<T> {
        self.tools.iter().rev().filter(|rule| rule.matches.matches(remote_name)).find_map(subject)
    }

    /// The kind of a tool.
    ///
    /// ```
    /// use mcp_contract::{config::{Config, Kind}, definition::ToolDefinition};
    /// let toml = "[[server]]\nname = \"s\"\ncommand = \"s\"\n[[server.tool]]\nmatch = \"find_*\"\nkind = \"read\"\n";
    /// let config = Config::parse(toml, "servers.toml").unwrap();
    /// let kind = |name: &str| {
    ///     let text = format!(r#"{{"name":"{name}","annotations":{{"readOnlyHint":true}}}}"#);
    ///     config.servers[0].policies.kind_of(&ToolDefinition::decode(&text).unwrap())
    /// };
    /// assert_eq!((kind("find_all"), kind("wipe")), (Kind::Read, Kind::Action));
    /// ```
    #[must_use]
    pub fn kind_of(&self, definition: &ToolDefinition) -> Kind {
        self.last(definition.name(), |rule| rule.kind).unwrap_or(self.kind).kind_of(definition)
    }

    /// Who may see and call a tool; empty means everybody.
    #[must_use]
    pub fn roles_of(&self, remote_name: &str) -> &[String] {
        self.last(remote_name, |rule| rule.roles.as_deref()).unwrap_or(&self.roles)
    }

    /// How far a tool may move.
    #[must_use]
    pub fn drift_of(&self, remote_name: &str) -> Drift {
        self.last(remote_name, |rule| rule.drift).unwrap_or(self.drift)
    }

    /// Whether the rules leave a tool in.
    #[must_use]
    pub fn enables(&self, remote_name: &str) -> bool {
        self.last(remote_name, |rule| rule.enabled).unwrap_or(true)
    }
}

impl Server {
    /// Whether any tool of this server may come in at run time without having been accepted.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.policies.drift == Drift::Follow || self.policies.tools.iter().any(|rule| rule.drift == Some(Drift::Follow))
    }
}
