//! `mcp-codegen validate`: instances held to a tool's schema, or to one in a file.

use std::io::Write;
use std::path::{Path, PathBuf};

use mcp_codegen::Contract;
use mcp_contract::json::{Pointer, parse_foreign};
use mcp_contract::schema::{CompiledSchema, SchemaError, SchemaNote, Violation};
use mcp_contract::text::Shown;
use serde_json::{Value, json};

use crate::args::ValidateArgs;
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::source;
use crate::store::check_names;

/// Why instances cannot be judged: the schema itself is refused.
struct SchemaProblem {
    pointer: Pointer,
    message: String,
}

impl SchemaProblem {
    /// A reference that leads nowhere is a fault of the schema that holds it; elsewhere the keyword itself is at fault.
    fn of(error: &SchemaError) -> Self {
        let pointer = error.pointer();
        let holder = pointer.as_str().rsplit_once('/').map_or("", |(holder, _)| holder);
        let pointer = match error {
            SchemaError::Reference { .. } => Pointer::from_spelling(holder),
            _ => pointer,
        };
        Self { pointer, message: error.to_string() }
    }
}

pub(crate) fn validate(config: &Path, flags: &ValidateArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (schema, files) = match (&flags.schema, &flags.words[..]) {
        (Some(file), files) => (from_file(file)?, files),
        (None, [server, tool, files @ ..]) if !files.is_empty() => (of_tool(config, server, tool)?, files),
        (None, _) => {
            return Err(CliError::Usage(
                "name a server, a tool and files of instances, or give --schema FILE and files",
            ));
        }
    };
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    match schema {
        Err(problem) => refuse(&problem, flags.json, out),
        Ok(schema) => judge(&schema, &files, flags, out),
    }
}

fn from_file(file: &Path) -> Result<Result<CompiledSchema, SchemaProblem>, CliError> {
    let text = source::text(file)?;
    let wrong = |error: &dyn std::fmt::Display| CliError::NotJson { file: file.to_owned(), reason: error.to_string() };
    let schema = parse_foreign(&text).map_err(|error| wrong(&error))?;
    Ok(CompiledSchema::compile_any(&schema).map_err(|error| SchemaProblem::of(&error)))
}

fn of_tool(config: &Path, server: &str, tool: &str) -> Result<Result<CompiledSchema, SchemaProblem>, CliError> {
    let contract = Contract::load(config)?;
    check_names(&contract.config, std::iter::once(server))?;
    let unknown = || CliError::UnknownTool { server: server.to_owned(), tool: tool.to_owned() };
    let contract = contract.servers.into_iter().find(|known| known.name.as_str() == server).ok_or_else(unknown)?;
    let refused = contract.admission.refused.iter().find(|refused| refused.remote_name == tool);
    if let Some(refused) = refused {
        let problem = SchemaProblem { pointer: refused.reason.pointer(), message: refused.reason.to_string() };
        return Ok(Err(problem));
    }
    let mut admitted = contract.admission.admitted.iter();
    let admitted = admitted.find(|known| known.remote_name() == tool || known.local_name() == tool);
    let schema = admitted.ok_or_else(unknown)?.definition().input_schema().ok_or_else(unknown)?;
    Ok(CompiledSchema::compile(schema).map_err(|error| SchemaProblem::of(&error)))
}

fn refuse(problem: &SchemaProblem, as_json: bool, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if as_json {
        let error = json!({"pointer": problem.pointer.as_str(), "message": problem.message});
        crate::print::json(&json!({"schema_error": error, "results": []}), out)?;
    } else {
        writeln!(out, "the schema is refused: {}: {}", problem.pointer, problem.message)?;
    }
    Ok(Outcome::ToDo)
}

fn judge(
    schema: &CompiledSchema,
    files: &[PathBuf],
    flags: &ValidateArgs,
    out: &mut dyn Write,
) -> Result<Outcome, CliError> {
    let mut results = Vec::new();
    for file in files {
        let text = source::text(file)?;
        let place = Shown(&file.to_string_lossy()).to_string();
        match (serde_json::from_str::<Value>(&text), flags.many) {
            (Ok(Value::Array(instances)), true) => {
                for (index, instance) in instances.iter().enumerate() {
                    results.push((format!("{place}, instance {index}"), schema.violations(instance)));
                }
            }
            (Ok(_), true) => results.push((place, vec![whole("with --many a file holds an array of instances")])),
            (Ok(instance), false) => results.push((place, schema.violations(&instance))),
            (Err(error), _) => results.push((place, vec![whole(&format!("not JSON: {error}"))])),
        }
    }
    if flags.json {
        let results: Vec<Value> = results.iter().map(|(_, violations)| result(violations)).collect();
        let mut answer = json!({"results": results});
        if !schema.notes().is_empty() {
            answer["notes"] = schema.notes().iter().map(note).collect();
        }
        writeln!(out, "{answer:#}")?;
    } else {
        for note in schema.notes() {
            writeln!(out, "note: {note}")?;
        }
        for (place, violations) in &results {
            writeln!(out, "{place}: {}", if violations.is_empty() { "valid" } else { "not valid" })?;
            for violation in violations {
                writeln!(out, "  {violation}")?;
            }
        }
    }
    let all_valid = results.iter().all(|(_, violations)| violations.is_empty());
    Ok(if all_valid { Outcome::Fine } else { Outcome::ToDo })
}

fn note(note: &SchemaNote) -> Value {
    json!({"pointer": note.pointer().as_str(), "message": note.to_string()})
}

fn whole(message: &str) -> Violation {
    Violation::whole(message.to_owned())
}

fn result(violations: &[Violation]) -> Value {
    let errors = violations.iter();
    let errors = errors.map(|violation| json!({"pointer": violation.pointer.as_str(), "message": violation.message}));
    json!({"valid": violations.is_empty(), "errors": errors.collect::<Vec<_>>()})
}
