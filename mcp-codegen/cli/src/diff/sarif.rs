//! The report as SARIF: a rule for each grade.

use mcp_contract::drift::{Change, Grade};
use serde_json::{Value, json};

use super::{Report, ServerReport};
use crate::sarif::log;

pub(super) fn report(report: &Report) -> Value {
    let rules =
        Grade::ALL.iter().map(|grade| json!({"id": grade.name(), "shortDescription": {"text": meaning(*grade)}}));
    let mut results = Vec::new();
    for server in &report.servers {
        results.extend(server.drift.server.iter().map(|change| result(report, server, None, change)));
        for tool in &server.drift.tools {
            results.extend(tool.changes.iter().map(|change| result(report, server, Some(&tool.name), change)));
        }
    }
    log(&rules.collect::<Vec<_>>(), &results)
}

fn result(report: &Report, server: &ServerReport, tool: Option<&str>, change: &Change) -> Value {
    let level = if report.fails(std::slice::from_ref(change)) { "error" } else { "note" };
    let tool = tool.map(|tool| format!("/{tool}")).unwrap_or_default();
    let place = format!("{}{tool}{}", server.name, change.pointer.as_str());
    let message = match &*change.meaning {
        "" => format!("{} at {}", change.kind.name(), change.pointer),
        meaning => format!("{}: {meaning}", change.pointer),
    };
    json!({
        "ruleId": change.grade.name(),
        "level": level,
        "message": {"text": message},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": place, "kind": "member"}]}],
    })
}

fn meaning(grade: Grade) -> &'static str {
    match grade {
        Grade::Breaking => "a call that was valid is refused or ignored, or results are not what was promised",
        Grade::Authority => "a hint of the tool's reach moved",
        Grade::Instructing => "new words give the model orders",
        Grade::Removed => "the tool is gone",
        Grade::Renamed => "the tool goes by another name",
        Grade::Added => "the tool is new",
        Grade::Compatible => "more is taken, or more is promised",
        Grade::Metadata => "neither words nor a contract",
        Grade::Text => "words",
        Grade::Unchanged => "nothing that means anything",
    }
}
