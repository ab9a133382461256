//! Judging each tool of one server alone: selection, definition, schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::reason::{Note, Reason, RefusedTool};
use super::select::{UnmatchedGlob, unmatched, wants};
use crate::config::{Namespace, Server, ServerName};
use crate::definition::ToolDefinition;
use crate::json::{Json, Pointer};
use crate::listing::Listing;
use crate::schema::CompiledSchema;
use crate::screen::{self, Finding, Severity};

/// A tool that passed inspection and waits for a name.
#[derive(Clone, Debug)]
pub struct Candidate {
    definition: ToolDefinition,
    input: Arc<CompiledSchema>,
    output: Option<Arc<CompiledSchema>>,
    notes: Vec<Note>,
}

impl Candidate {
    /// The definition.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The schema of its arguments.
    #[must_use]
    pub fn input(&self) -> &Arc<CompiledSchema> {
        &self.input
    }

    /// The schema of its structured results, where it declares a usable one.
    #[must_use]
    pub fn output(&self) -> Option<&Arc<CompiledSchema>> {
        self.output.as_ref()
    }

    /// What a reader should know about it.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// What inspection found on one server.
#[derive(Clone, Debug)]
pub struct Inspection {
    pub(super) server: ServerName,
    pub(super) namespace: Namespace,
    pub(super) candidates: Vec<Candidate>,
    pub(super) refused: Vec<RefusedTool>,
    pub(super) excluded: Vec<String>,
    pub(super) unmatched: Vec<UnmatchedGlob>,
}

/// Inspects the tools of one server.
///
/// ```
/// use mcp_contract::{admission::inspect, config::Config, listing::Listing};
/// let config = Config::parse("[[server]]\nname = \"s\"\ncommand = \"s\"\n", "servers.toml").unwrap();
/// let listing = Listing::from_saved(r#"[{"name":"a","inputSchema":{}}, {"name":"b"}]"#).unwrap();
/// let inspection = inspect(&config.servers[0], &listing);
/// assert_eq!(inspection.candidates().len(), 1);
/// assert_eq!(inspection.refused()[0].remote_name, "b");
/// ```
#[must_use]
pub fn inspect(server: &Server, listing: &Listing) -> Inspection {
    let mut by_name: BTreeMap<&str, Vec<&ToolDefinition>> = BTreeMap::new();
    for tool in &listing.tools {
        by_name.entry(tool.name()).or_default().push(tool);
    }
    let names: Vec<&str> = by_name.keys().copied().collect();
    let mut inspection = Inspection {
        server: server.name.clone(),
        namespace: server.namespace.clone(),
        candidates: Vec::new(),
        refused: Vec::new(),
        excluded: Vec::new(),
        unmatched: unmatched(server, &names),
    };
    let look_alikes = screen::look_alikes(&names);
    for (name, tools) in by_name {
        if !wants(server, name) {
            inspection.excluded.push(name.to_owned());
            continue;
        }
        let look_alike = look_alikes.iter().find(|(other, _)| *other == name).map(|(_, finding)| finding);
        match inspect_tools(server, &tools, look_alike) {
            Ok(candidate) => inspection.candidates.push(candidate),
            Err(reason) => inspection.refused.push(RefusedTool { remote_name: name.to_owned(), reason }),
        }
    }
    inspection
}

impl Inspection {
    /// Leaves out the candidates whose remote name is not kept.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.candidates.retain(|candidate| keep(candidate.definition().name()));
    }

    /// Takes what another inspection of the same server found: its candidates stand in the place of those of the same remote name.
    pub fn merge(&mut self, other: Self) {
        let names: Vec<String> = other.candidates.iter().map(|new| new.definition().name().to_owned()).collect();
        self.retain(|name| !names.iter().any(|taken| taken == name));
        self.candidates.extend(other.candidates);
        self.candidates.sort_by(|a, b| a.definition().name().cmp(b.definition().name()));
        self.refused.retain(|refused| !other.refused.iter().any(|new| new.remote_name == refused.remote_name));
        self.refused.extend(other.refused);
    }

    /// The tools that passed, sorted by remote name.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The tools that did not, sorted by remote name.
    #[must_use]
    pub fn refused(&self) -> &[RefusedTool] {
        &self.refused
    }
}

/// Inspects the definitions that share one name.
fn inspect_tools(
    server: &Server,
    tools: &[&ToolDefinition],
    look_alike: Option<&Finding>,
) -> Result<Candidate, Reason> {
    let (first, rest) = tools.split_first().expect("a name has at least one definition");
    if rest.iter().any(|other| other.digest() != first.digest()) {
        return Err(Reason::NamedTwice);
    }
    let mut candidate = inspect_tool(server, first, look_alike)?;
    if !rest.is_empty() {
        candidate.notes.push(Note::Repeated);
    }
    Ok(candidate)
}

fn inspect_tool(
    server: &Server,
    definition: &ToolDefinition,
    look_alike: Option<&Finding>,
) -> Result<Candidate, Reason> {
    for member in ["title", "description"] {
        match definition.document().get(member) {
            None | Some(Json::Null | Json::String(_)) => {}
            Some(other) => {
                let pointer = Pointer::root().key(member);
                return Err(Reason::WrongType { pointer, wanted: "a string", found: other.type_name() });
            }
        }
    }
    if definition.requires_task() {
        return Err(Reason::RequiresTask);
    }
    let schema = match definition.input_schema() {
        None | Some(Json::Null) => return Err(Reason::NoInputSchema),
        Some(schema) => schema,
    };
    let input = CompiledSchema::compile(schema).map_err(Reason::InputSchema)?;
    if !allows_object(schema) {
        return Err(Reason::NotForObjects);
    }
    let mut notes: Vec<Note> = input.notes().iter().cloned().map(Note::InputSchema).collect();
    let output = output_schema(definition, &mut notes);
    let schemas = [("inputSchema", Some(&input)), ("outputSchema", output.as_deref())];
    let schemas: Vec<(&str, &CompiledSchema)> =
        schemas.into_iter().filter_map(|(member, schema)| Some((member, schema?))).collect();
    let mut findings = screen::tool(definition, &schemas, server.strict);
    if let (Some(schema), None) = (definition.output_schema(), &output) {
        findings.extend(screen::raw_patterns(schema, &Pointer::root().key("outputSchema"), server.strict));
    }
    findings.extend(look_alike.cloned());
    notes.extend(settle(server, definition.name(), findings)?);
    let ignored = definition.ignored_members().into_iter();
    notes.extend(ignored.map(|(pointer, found)| Note::Ignored { pointer, found }));
    if schema.get("type").is_none() {
        notes.push(Note::NoType);
    }
    if !is_usual(definition.name()) {
        notes.push(Note::UnusualName);
    }
    Ok(Candidate { definition: definition.clone(), input: Arc::new(input), output, notes })
}

/// What findings come to under a server's configuration: notes, unless one of them refuses the tool.
fn settle(server: &Server, name: &str, findings: Vec<Finding>) -> Result<Vec<Note>, Reason> {
    let (mut notes, mut harmless, mut refusing) = (Vec::new(), Vec::new(), Vec::new());
    for finding in findings {
        let accepted = server.accept_risk.iter().find(|risk| risk.signal == finding.signal && risk.tool.matches(name));
        match (finding.severity, accepted) {
            (Severity::Note, _) => harmless.push(finding),
            (Severity::Refuse, Some(risk)) => {
                notes.push(Note::AcceptedRisk { finding, reason: risk.reason.clone() });
            }
            (Severity::Refuse, None) => refusing.push(finding),
        }
    }
    // What is accepted counts no more towards the threshold: weak signals that are left refuse only if they do so by themselves.
    if !notes.is_empty() && !screen::refuses(&refusing) {
        refusing.clear();
    }
    if refusing.is_empty() {
        notes.extend(harmless.into_iter().map(Note::Finding));
        return Ok(notes);
    }
    // What is only noted belongs to the picture of whoever judges the refusal.
    refusing.extend(harmless);
    Err(Reason::Screened(refusing))
}

/// An output schema that cannot be used costs the typed result, not the tool.
fn output_schema(definition: &ToolDefinition, notes: &mut Vec<Note>) -> Option<Arc<CompiledSchema>> {
    let schema = definition.output_schema().filter(|schema| **schema != Json::Null)?;
    match CompiledSchema::compile(schema) {
        Ok(output) => {
            notes.extend(output.notes().iter().cloned().map(Note::OutputSchema));
            Some(Arc::new(output))
        }
        Err(error) => {
            notes.push(Note::NoOutputSchema(error));
            None
        }
    }
}

fn allows_object(schema: &Json) -> bool {
    let is_object = |value: &Json| value.as_str() == Some("object");
    match schema.get("type") {
        None => true,
        Some(Json::Array(types)) => types.iter().any(is_object),
        Some(one) => is_object(one),
    }
}

fn is_usual(name: &str) -> bool {
    name.len() <= 128 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}
