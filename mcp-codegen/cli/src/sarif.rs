//! SARIF 2.1.0, for the code-scanning views of forges: the log, and the findings of the screens in it.

use mcp_contract::screen::{Severity, Signal};
use serde_json::{Value, json};

use crate::screen::ScreenedServer;
use crate::screened::Line;

/// The log of one run.
pub(crate) fn sarif(servers: &[ScreenedServer]) -> Value {
    let rules =
        Signal::ALL.iter().map(|signal| json!({"id": signal.name(), "shortDescription": {"text": signal.message()}}));
    let mut results = Vec::new();
    for server in servers {
        results.extend(server.report.iter().map(|line| result(line, &server.name, None)));
        for tool in &server.tools {
            results.extend(tool.findings.iter().map(|line| result(line, &server.name, Some(&tool.name))));
        }
    }
    log(&rules.collect::<Vec<_>>(), &results)
}

/// A log of one run.
pub(crate) fn log(rules: &[Value], results: &[Value]) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "mcp-codegen", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}

fn result(line: &Line, server: &str, tool: Option<&str>) -> Value {
    let level = match line.severity {
        Severity::Refuse => "error",
        Severity::Note => "note",
    };
    let place = match tool {
        Some(tool) => format!("{server}/{tool}{}", line.pointer),
        None => format!("{server}{}", line.pointer),
    };
    json!({
        "ruleId": line.signal,
        "level": level,
        "message": {"text": line.message},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": place, "kind": "member"}]}],
    })
}
