//! The report for programs. Its form is versioned by `format`.

use mcp_codegen::{ApiChange, step};
use mcp_contract::drift::{Change, ToolDrift, grades, gravest};
use mcp_contract::json::Json;
use serde_json::{Value, json};

use super::{Report, ServerReport};

/// The version of the form.
const FORMAT: u64 = 1;

/// One server's report stands at the top; several stand in a list.
pub(super) fn report(report: &Report) -> Value {
    if let [server] = &report.servers[..] {
        let mut value = self::server(server);
        value["format"] = json!(FORMAT);
        return value;
    }
    json!({"format": FORMAT, "servers": report.servers.iter().map(server).collect::<Vec<_>>()})
}

fn server(server: &ServerReport) -> Value {
    let changes = &server.drift.server;
    json!({
        "name": server.name,
        "server": {"grade": gravest(changes).name(), "grades": names(changes), "changes": changes.iter().map(change).collect::<Vec<_>>()},
        "tools": server.drift.tools.iter().map(|tool| self::tool(tool, server)).collect::<Vec<_>>(),
    })
}

fn tool(tool: &ToolDrift, server: &ServerReport) -> Value {
    let rust = server.rust(tool);
    let mut value = json!({
        "name": tool.name,
        "grade": tool.grade().name(),
        "grades": names(&tool.changes),
        "changes": tool.changes.iter().map(change).collect::<Vec<_>>(),
        "rust": {"step": step(rust).to_string(), "changes": rust.iter().map(api).collect::<Vec<_>>()},
        "screens": server.screens.get(&tool.name).map(|lines| lines.iter().map(crate::screened::Line::json).collect::<Vec<_>>()).unwrap_or_default(),
    });
    if let Some(from) = &tool.renamed_from {
        value["renamed_from"] = json!(from);
    }
    value
}

fn names(changes: &[Change]) -> Vec<&'static str> {
    grades(changes).into_iter().map(mcp_contract::drift::Grade::name).collect()
}

fn change(change: &Change) -> Value {
    let value = |json: &Option<Json>| json.as_ref().map_or(Value::Null, lossless);
    let mut line = json!({
        "pointer": change.pointer.as_str(),
        "kind": change.kind.name(),
        "grade": change.grade.name(),
        "before": value(&change.before),
        "after": value(&change.after),
        "meaning": change.meaning,
    });
    if let Some(witness) = &change.witness {
        line["witness"] = witness.clone();
    }
    line
}

/// The value; where a number fits no type of 64 bits, as text.
fn lossless(json: &Json) -> Value {
    json.to_value().unwrap_or_else(|_| Value::String(json.to_pretty()))
}

fn api(change: &ApiChange) -> Value {
    json!({"item": change.item, "before": change.before, "after": change.after, "step": change.step.to_string()})
}
