//! `servers.toml`: which servers, how they are reached, and which of their tools are wanted.
//!
//! The file is read from a spanned TOML tree by hand instead of through serde, because a reader deserves every problem
//! at once, each with its line, a caret and the nearest known key; serde stops at the first. A key that nothing enforces
//! yet is refused, never read and ignored: a policy that is written down and not applied is worse than none.

mod duration;
mod keys;
mod model;
mod policy;
mod problem;
mod read;
mod read_policy;
mod secret;
mod table;
mod template;

pub use model::{
    AcceptedRisk, Config, Generate, HttpLaunch, Ignored, Launch, Namespace, Server, ServerName, StdioLaunch, ToolGlob,
};
pub use policy::{Connect, Kind, KindRule, Policies, Retry, ToolRule};
pub use problem::{ConfigError, ConfigProblem};
pub use template::{Template, TemplateError, UnsetVariable};
