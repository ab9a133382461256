//! From the text of `servers.toml` to a [`Config`], collecting every problem on the way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use globset::GlobBuilder;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{ACCEPT_RISK, FILE, GENERATE, IGNORE, Keys, SERVER};
use super::read_policy::policies;
use super::table::{Problems, Table, template, wrong_type};
use super::{
    AcceptedRisk, Config, ConfigError, ConfigProblem, Generate, HttpLaunch, Ignored, Launch, Namespace, Server,
    ServerName, StdioLaunch, Template, ToolGlob,
};
use crate::json::Pointer;
use crate::name;
use crate::screen::Signal;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn read(source: &str, path: &str) -> Result<Config, ConfigError> {
    let (root, errors) = DeTable::parse_recoverable(source);
    let mut problems: Problems = errors
        .iter()
        .map(|error| {
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            (error.span().unwrap_or(0..0), ConfigProblem::Syntax { message })
        })
        .collect();
    let mut config = Config::default();
    // A file that is no TOML is read no further: what recovery makes of it would only raise problems that are not there.
    if problems.is_empty() {
        let file = Table::open(root.get_ref(), root.span(), &FILE, &mut problems);
        config.generate = generate(&file, &mut problems);
        config.servers = servers(&file, &mut problems);
    }
    if problems.is_empty() {
        return Ok(config);
    }
    problems.sort_by_key(|(span, _)| (span.start, span.end));
    Err(ConfigError::Invalid { path: path.to_owned(), source_text: source.to_owned(), problems })
}

fn generate(file: &Table<'_, '_>, problems: &mut Problems) -> Generate {
    let Some(value) = file.get("generate") else { return Generate::default() };
    let Some(values) = value.get_ref().as_table() else {
        problems.push(wrong_type("generate", value, "a table"));
        return Generate::default();
    };
    let table = Table::open(values, value.span(), &GENERATE, problems);
    let Some((out, span)) = table.string("out", problems) else { return Generate::default() };
    let inside = !out.is_empty()
        && !out.starts_with('/')
        && out.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        && !out.contains(['\\', ':']);
    if !inside {
        problems.push((span, ConfigProblem::BadOut));
    }
    Generate { out: out.to_owned() }
}

fn servers(file: &Table<'_, '_>, problems: &mut Problems) -> Vec<Server> {
    let Some(value) = file.get("server") else { return Vec::new() };
    let Some(elements) = value.get_ref().as_array() else {
        problems.push(wrong_type("server", value, "an array of tables (`[[server]]`)"));
        return Vec::new();
    };
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    elements.iter().filter_map(|element| server(element, &mut seen, problems)).collect()
}

fn server(
    element: &Spanned<DeValue<'_>>,
    seen: &mut BTreeMap<String, String>,
    problems: &mut Problems,
) -> Option<Server> {
    let Some(values) = element.get_ref().as_table() else {
        problems.push(wrong_type("server", element, "a table"));
        return None;
    };
    let table = Table::open(values, element.span(), &SERVER, problems);
    let name = server_name(&table, seen, problems);
    let launch = launch(&table, problems);
    let include = globs(&table, "include", problems);
    let exclude = globs(&table, "exclude", problems);
    let enabled = table.flag("enabled", true, problems);
    let required = table.flag("required", false, problems);
    let connect_timeout = table.duration("connect_timeout", CONNECT_TIMEOUT, problems);
    let request_timeout = table.duration("request_timeout", REQUEST_TIMEOUT, problems);
    let namespace = namespace(&table, name.as_ref(), problems);
    let strict = table.flag("strict", false, problems);
    let accept_risk = accept_risk(&table, problems);
    let ignore = ignore(&table, problems);
    let policies = policies(&table, problems);
    Some(Server {
        name: name?,
        enabled,
        launch: launch?,
        include,
        exclude,
        namespace: namespace?,
        required,
        connect_timeout,
        request_timeout,
        strict,
        accept_risk,
        ignore,
        policies,
    })
}

fn server_name(
    table: &Table<'_, '_>,
    seen: &mut BTreeMap<String, String>,
    problems: &mut Problems,
) -> Option<ServerName> {
    if table.get("name").is_none() {
        problems.push((table.span.clone(), ConfigProblem::MissingName));
    }
    let (text, span) = table.string("name", problems)?;
    let Some(name) = ServerName::new(text) else {
        problems.push((span, ConfigProblem::BadServerName { name: crate::text::excerpt(text, 60) }));
        return None;
    };
    if ["mod", "mcpruntime"].contains(&name.folded().as_str()) {
        problems.push((span, ConfigProblem::ReservedServerName { name: text.to_owned() }));
        return None;
    }
    if let Some(first) = seen.get(&name.folded()) {
        problems.push((span, ConfigProblem::DuplicateServer { name: text.to_owned(), first: first.clone() }));
        return None;
    }
    seen.insert(name.folded(), text.to_owned());
    Some(name)
}

fn launch(table: &Table<'_, '_>, problems: &mut Problems) -> Option<Launch> {
    match (table.key_span("command"), table.key_span("url")) {
        (Some(_), Some(url)) => {
            problems.push((url, ConfigProblem::TwoTransports));
            None
        }
        (None, None) => {
            problems.push((table.span.clone(), ConfigProblem::NoTransport));
            None
        }
        (Some(_), None) => {
            foreign(table, &["headers"], "url", problems);
            stdio(table, problems).map(Launch::Stdio)
        }
        (None, Some(_)) => {
            foreign(table, &["args", "expand_args", "env", "cwd"], "command", problems);
            http(table, problems).map(Launch::Http)
        }
    }
}

fn foreign(table: &Table<'_, '_>, keys: &[&str], belongs_to: &'static str, problems: &mut Problems) {
    for key in keys {
        if let Some(span) = table.key_span(key) {
            problems.push((span, ConfigProblem::ForeignKey { key: (*key).to_owned(), belongs_to }));
        }
    }
}

fn stdio(table: &Table<'_, '_>, problems: &mut Problems) -> Option<StdioLaunch> {
    let expand = table.flag("expand_args", false, problems);
    let mut args = Vec::new();
    for (text, span) in table.strings("args", problems) {
        args.extend(argument(text, &span, expand, problems));
    }
    let env = table.templates("env", problems);
    for (name, (_, span)) in &env {
        if name.is_empty() || name.contains(['=', '\0']) {
            problems.push((span.clone(), ConfigProblem::BadVariableName { name: crate::text::excerpt(name, 40) }));
        }
    }
    let cwd = table.template("cwd", problems);
    let (command, span) = table.string("command", problems)?;
    if command.is_empty() {
        problems.push((span, ConfigProblem::Empty { key: "command".to_owned() }));
    }
    Some(StdioLaunch { command: command.to_owned(), args, env: without_spans(env), cwd })
}

fn argument(text: &str, span: &Range<usize>, expand: bool, problems: &mut Problems) -> Option<Template> {
    if expand {
        return template("args", text, span, problems);
    }
    if text.contains("${") {
        problems.push((span.clone(), ConfigProblem::UnexpandedVariable));
    }
    template("args", &text.replace("${", "$${"), span, problems)
}

fn http(table: &Table<'_, '_>, problems: &mut Problems) -> Option<HttpLaunch> {
    let headers = without_spans(table.templates("headers", problems));
    let (text, span) = table.string("url", problems)?;
    let url = template("url", text, &span, problems)?;
    if !(text.starts_with("http://") || text.starts_with("https://") || text.starts_with("${")) {
        problems.push((span, ConfigProblem::BadUrl));
    }
    Some(HttpLaunch { url, headers })
}

fn without_spans<T>(spanned: BTreeMap<String, (T, Range<usize>)>) -> BTreeMap<String, T> {
    spanned.into_iter().map(|(name, (value, _))| (name, value)).collect()
}

fn globs(table: &Table<'_, '_>, key: &str, problems: &mut Problems) -> Vec<ToolGlob> {
    let texts = table.strings(key, problems);
    texts.into_iter().filter_map(|(text, span)| glob(text, span, problems)).collect()
}

pub(super) fn glob(text: &str, span: Range<usize>, problems: &mut Problems) -> Option<ToolGlob> {
    match GlobBuilder::new(text).literal_separator(false).backslash_escape(true).build() {
        Ok(glob) => Some(ToolGlob { spelling: text.to_owned(), matcher: glob.compile_matcher() }),
        Err(error) => {
            let reason = error.kind().to_string();
            problems.push((span, ConfigProblem::BadGlob { glob: crate::text::excerpt(text, 60), reason }));
            None
        }
    }
}

/// Findings that a person has judged; each says for which tools, which signal, and why.
fn accept_risk(table: &Table<'_, '_>, problems: &mut Problems) -> Vec<AcceptedRisk> {
    let read = |entry: &Entry<'_, '_>, problems: &mut Problems| {
        let tool = entry.glob("tool", problems);
        let signal = entry.text("signal", problems).and_then(|(name, span)| {
            let signal = Signal::from_name(name);
            if signal.is_none() {
                problems.push((span, ConfigProblem::UnknownSignal { name: crate::text::excerpt(name, 60) }));
            }
            signal
        });
        let reason = entry.text("reason", problems).map(|(text, _)| text.to_owned());
        Some(AcceptedRisk { tool: tool?, signal: signal?, reason: reason? })
    };
    entries(table, &ACCEPT_RISK, read, problems)
}

/// Members whose changes are no drift; each says for which tools, which member, and why.
fn ignore(table: &Table<'_, '_>, problems: &mut Problems) -> Vec<Ignored> {
    let read = |entry: &Entry<'_, '_>, problems: &mut Problems| {
        let tool = entry.glob("tool", problems);
        let pointer = entry.text("pointer", problems).and_then(|(text, span)| {
            let known = ["/name", "/inputSchema", "/outputSchema"];
            // A whole schema that may change at will would be no contract any more.
            if !text.starts_with('/') || known.contains(&text) {
                problems.push((span, ConfigProblem::BadIgnore { pointer: crate::text::excerpt(text, 60) }));
                return None;
            }
            Some(Pointer::from_spelling(text))
        });
        let reason = entry.text("reason", problems).map(|(text, _)| text.to_owned());
        Some(Ignored { tool: tool?, pointer: pointer?, reason: reason? })
    };
    entries(table, &IGNORE, read, problems)
}

/// One table of an array, every key of which must be given.
struct Entry<'a, 'i> {
    name: &'static str,
    table: Table<'a, 'i>,
}

impl<'a> Entry<'a, '_> {
    fn text(&self, key: &'static str, problems: &mut Problems) -> Option<(&'a str, Range<usize>)> {
        let name = self.name;
        match self.table.string(key, problems) {
            Some((text, span)) if text.trim().is_empty() => {
                problems.push((span, ConfigProblem::Empty { key: format!("{name}.{key}") }));
                None
            }
            None if self.table.get(key).is_none() => {
                problems.push((self.table.span.clone(), ConfigProblem::Incomplete { table: name, missing: key }));
                None
            }
            found => found,
        }
    }

    fn glob(&self, key: &'static str, problems: &mut Problems) -> Option<ToolGlob> {
        self.text(key, problems).and_then(|(text, span)| glob(text, span, problems))
    }
}

/// The tables of an array under one key.
fn entries<T>(
    table: &Table<'_, '_>,
    keys: &Keys,
    read: impl Fn(&Entry<'_, '_>, &mut Problems) -> Option<T>,
    problems: &mut Problems,
) -> Vec<T> {
    let Some(value) = table.get(keys.table) else { return Vec::new() };
    let Some(elements) = value.get_ref().as_array() else {
        problems.push(wrong_type(keys.table, value, "an array of tables"));
        return Vec::new();
    };
    let mut found = Vec::new();
    for element in elements {
        let Some(values) = element.get_ref().as_table() else {
            problems.push(wrong_type(keys.table, element, "a table"));
            continue;
        };
        let table = Table::open(values, element.span(), keys, problems);
        found.extend(read(&Entry { name: keys.table, table }, problems));
    }
    found
}

fn namespace(table: &Table<'_, '_>, name: Option<&ServerName>, problems: &mut Problems) -> Option<Namespace> {
    let Some(value) = table.get("namespace") else {
        return name.map(|name| Namespace::Prefix(name.as_str().to_owned()));
    };
    match value.get_ref() {
        DeValue::Boolean(false) => Some(Namespace::Bare),
        DeValue::Boolean(true) => name.map(|name| Namespace::Prefix(name.as_str().to_owned())),
        DeValue::String(prefix) if name::is_local_name(prefix) && prefix.len() <= 40 => {
            Some(Namespace::Prefix(prefix.to_string()))
        }
        DeValue::String(prefix) => {
            let prefix = crate::text::excerpt(prefix, 60);
            problems.push((value.span(), ConfigProblem::BadPrefix { prefix }));
            None
        }
        _ => {
            problems.push(wrong_type("namespace", value, "true, false or a string"));
            None
        }
    }
}
