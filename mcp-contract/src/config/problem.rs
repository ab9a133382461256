//! What can be wrong with `servers.toml`, and how it is shown.
//!
//! One enum holds the texts, so that they read alike; the snippet with line, column and caret is drawn by
//! `annotate-snippets`.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file says something wrong; every problem is listed.
    #[error("{}", render(path, source_text, problems))]
    Invalid {
        /// The file, for messages.
        path: String,
        /// Its text.
        source_text: String,
        /// The problems, in the order of the file.
        problems: Vec<(Range<usize>, ConfigProblem)>,
    },
}

impl ConfigError {
    /// The problems, in the order of the file; empty where the file could not be read.
    pub fn problems(&self) -> impl Iterator<Item = &ConfigProblem> {
        let problems: &[_] = match self {
            Self::Unreadable { .. } => &[],
            Self::Invalid { problems, .. } => problems,
        };
        problems.iter().map(|(_, problem)| problem)
    }
}

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant's text, below, says what it is; fields are the text's parts")]
pub enum ConfigProblem {
    Syntax { message: String },
    UnknownKey { key: String, table: &'static str, nearest: Option<&'static str> },
    NotSupportedYet { key: String },
    WrongType { key: String, wanted: &'static str, found: &'static str },
    MissingName,
    BadServerName { name: String },
    DuplicateServer { name: String, first: String },
    ReservedServerName { name: String },
    NoTransport,
    TwoTransports,
    ForeignKey { key: String, belongs_to: &'static str },
    Empty { key: String },
    BadTemplate { key: String, reason: String },
    UnexpandedVariable,
    LiteralCredential { key: String, shape: &'static str },
    BadDuration { key: String },
    BadGlob { glob: String, reason: String },
    BadPrefix { prefix: String },
    BadOut,
    BadUrl,
    BadVariableName { name: String },
    Incomplete { table: &'static str, missing: &'static str },
    BadIgnore { pointer: String },
    UnknownSignal { name: String },
    UnknownWord { key: String, found: String, words: Vec<&'static str> },
}

impl ConfigProblem {
    /// What the caret points at, in a few words.
    fn label(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "here",
            Self::UnknownKey { .. } => "unknown key",
            Self::NotSupportedYet { .. } => "nothing enforces this yet",
            Self::WrongType { .. } => "wrong type",
            Self::MissingName => "this server has no name",
            Self::BadServerName { .. } => "not a server name",
            Self::DuplicateServer { .. } => "taken",
            Self::ReservedServerName { .. } => "taken by generated code",
            Self::NoTransport => "this server has no transport",
            Self::TwoTransports => "one of the two has to go",
            Self::ForeignKey { .. } => "has no meaning here",
            Self::Empty { .. } => "empty",
            Self::BadTemplate { .. } => "cannot be resolved",
            Self::UnexpandedVariable => "would be passed on as it stands",
            Self::LiteralCredential { .. } => "a secret in a committed file",
            Self::BadDuration { .. } => "not a duration",
            Self::BadGlob { .. } => "not a glob",
            Self::BadPrefix { .. } => "not a prefix",
            Self::BadOut => "not a folder inside the package",
            Self::BadUrl => "not an address",
            Self::BadVariableName { .. } => "not a variable name",
            Self::Incomplete { .. } => "incomplete",
            Self::BadIgnore { .. } => "not a member that can be ignored",
            Self::UnknownSignal { .. } => "no signal",
            Self::UnknownWord { .. } => "not one of the words",
        }
    }

    /// How to mend it, where the message alone does not say so.
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnknownKey { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::NotSupportedYet { key } => format!("remove `{key}` until this version enforces it"),
            Self::MissingName => "add `name = \"…\"`".to_owned(),
            Self::BadServerName { .. } => {
                "a name is a letter followed by letters, digits, `_` or `-`, at most 40 characters; a prefix for tool \
                 names can be set apart with `namespace = \"…\"`"
                    .to_owned()
            }
            Self::NoTransport => "add `command = \"…\"` (a process) or `url = \"…\"` (streamable HTTP)".to_owned(),
            Self::UnexpandedVariable => {
                "arguments are visible to other users of the machine; prefer `env`, or set `expand_args = true`".to_owned()
            }
            Self::LiteralCredential { .. } => {
                "name an environment variable instead: `${TOKEN}`; and replace the credential, it may be in the history \
                 already"
                    .to_owned()
            }
            Self::BadDuration { .. } => "write a whole number and a unit: \"150ms\", \"10s\", \"2m\"".to_owned(),
            Self::BadPrefix { .. } => {
                "use letters, digits, `_` and `-`, starting with a letter or `_`; `namespace = false` means none".to_owned()
            }
            Self::BadOut => "name a folder relative to this file, such as \"src/mcp\"".to_owned(),
            Self::UnknownWord { words, .. } => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("write {}", words.join(" or "))
            }
            Self::Incomplete { table: "[[server.tool]]", .. } => {
                "add `match = \"…\"`, a glob over the tools' remote names".to_owned()
            }
            Self::Incomplete { table: "ignore", .. } => {
                "write `{ tool = \"…\", pointer = \"/inputSchema/…\", reason = \"…\" }`".to_owned()
            }
            Self::BadIgnore { .. } => {
                "write a JSON pointer into the tool definition, deeper than a whole schema, such as \
                 \"/inputSchema/properties/fields/default\""
                    .to_owned()
            }
            Self::Incomplete { .. } => {
                "write `{ tool = \"…\", signal = \"…\", reason = \"…\" }`; the reason is shown wherever the tool is listed".to_owned()
            }
            Self::UnknownSignal { .. } => {
                let names: Vec<&str> = crate::screen::Signal::ALL.iter().map(|signal| signal.name()).collect();
                format!("the signals are: {}", names.join(", "))
            }
            Self::BadUrl => "an address starts with `http://` or `https://`".to_owned(),
            _ => return None,
        })
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { message } => write!(out, "not TOML: {message}"),
            Self::UnknownKey { key, table, .. } => write!(out, "unknown key `{key}` in {table}"),
            Self::NotSupportedYet { key } => write!(out, "`{key}` is not supported yet"),
            Self::WrongType { key, wanted, found } => write!(out, "`{key}` must be {wanted}, not {found}"),
            Self::MissingName => write!(out, "a server without `name`"),
            Self::BadServerName { name } => write!(out, "`{name}` cannot be a server's name"),
            Self::ReservedServerName { name } => write!(out, "a server cannot be named `{name}`"),
            Self::DuplicateServer { name, first } if name == first => write!(out, "a second server named `{name}`"),
            Self::DuplicateServer { name, first } => {
                write!(out, "the server names `{first}` and `{name}` differ only in letter case, `-` and `_`")
            }
            Self::NoTransport => write!(out, "neither `command` nor `url`"),
            Self::TwoTransports => write!(out, "both `command` and `url`"),
            Self::ForeignKey { key, belongs_to } => write!(out, "`{key}` belongs to a server with `{belongs_to}`"),
            Self::Empty { key } => write!(out, "`{key}` is empty"),
            Self::BadTemplate { key, reason } => write!(out, "`{key}`: {reason}"),
            Self::UnexpandedVariable => write!(out, "a variable in `args` without `expand_args = true`"),
            Self::LiteralCredential { key, shape } => write!(out, "`{key}` looks like {shape}"),
            Self::BadDuration { key } => write!(out, "`{key}` is not a duration"),
            Self::BadGlob { glob, reason } => write!(out, "`{glob}` is not a glob: {reason}"),
            Self::BadPrefix { prefix } => write!(out, "`{prefix}` cannot start a tool's name"),
            Self::BadOut => write!(out, "`out` leaves the package"),
            Self::BadUrl => write!(out, "`url` is not an HTTP address"),
            Self::BadVariableName { name } => write!(out, "`{name}` cannot be a variable's name"),
            Self::Incomplete { table: "ignore", missing } => write!(out, "what is ignored needs `{missing}`"),
            Self::Incomplete { table: "[[server.tool]]", missing } => write!(out, "a rule for tools needs `{missing}`"),
            Self::Incomplete { missing, .. } => write!(out, "an accepted risk needs `{missing}`"),
            Self::BadIgnore { pointer } => write!(out, "`{pointer}` cannot be ignored"),
            Self::UnknownSignal { name } => write!(out, "`{name}` is no signal of the screens"),
            Self::UnknownWord { key, found, .. } => write!(out, "`{key}` cannot be \"{found}\""),
        }
    }
}

fn render(path: &str, source: &str, problems: &[(Range<usize>, ConfigProblem)]) -> String {
    let renderer = Renderer::plain();
    let mut reports: Vec<String> = problems
        .iter()
        .map(|(span, problem)| {
            let snippet = Snippet::source(source)
                .path(path)
                .annotation(AnnotationKind::Primary.span(span.clone()).label(problem.label()));
            let mut group = Level::ERROR.primary_title(problem.to_string()).element(snippet);
            if let Some(help) = problem.help() {
                group = group.element(Level::HELP.message(help));
            }
            renderer.render(&[group])
        })
        .collect();
    reports.push(format!("{path}: {}", crate::text::counted(problems.len(), "problem")));
    reports.join("\n\n")
}
