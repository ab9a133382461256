//! The report as the XML of `JUnit`: a suite for each server, a case for each tool that changed.

use std::fmt::Write as _;

use mcp_contract::drift::Change;
use mcp_contract::text::Shown;

use super::{Report, ServerReport};

pub(super) fn report(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mcp-codegen\">\n");
    for server in &report.servers {
        suite(&mut out, report, server);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, report: &Report, server: &ServerReport) {
    let mut cases: Vec<(String, &[Change])> = vec![("(the server itself)".to_owned(), &server.drift.server)];
    cases.extend(server.drift.tools.iter().map(|tool| (Shown(&tool.name).to_string(), &tool.changes[..])));
    let failures = cases.iter().filter(|(_, changes)| report.fails(changes)).count();
    let name = escaped(&server.name);
    let mut add = |line: String| writeln!(out, "{line}").expect("a String takes everything");
    add(format!("  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">", cases.len()));
    for (case, changes) in cases {
        let case = escaped(&case);
        let lines = changes
            .iter()
            .map(|change| format!("{} {} {}", change.grade, change.pointer, change.meaning).trim_end().to_owned());
        let told = escaped(&lines.collect::<Vec<_>>().join("\n"));
        add(format!("    <testcase classname=\"{name}\" name=\"{case}\">"));
        match changes.first() {
            Some(first) if report.fails(changes) => {
                add(format!(
                    "      <failure type=\"{}\" message=\"{}\">{told}</failure>",
                    first.grade,
                    escaped(&first.meaning)
                ));
            }
            Some(_) => add(format!("      <system-out>{told}</system-out>")),
            None => {}
        }
        add("    </testcase>".to_owned());
    }
    add("  </testsuite>".to_owned());
}

/// What is shown safely holds no control characters, which XML could not hold either.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
