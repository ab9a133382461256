//! What the screens make of one listing, as reports need it.

use mcp_contract::admission::{Note, Reason, inspect};
use mcp_contract::config::{Config, Server};
use mcp_contract::listing::Listing;
use mcp_contract::screen::{self, Finding, PatternWitness, Severity};
use serde_json::{Value, json};

/// A tool and what was found in it.
#[derive(Debug)]
pub(crate) struct ScreenedTool {
    pub(crate) server: String,
    pub(crate) name: String,
    pub(crate) admitted: bool,
    pub(crate) findings: Vec<Line>,
}

/// One finding.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) signal: &'static str,
    pub(crate) severity: Severity,
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) witness: Option<PatternWitness>,
}

/// A server of a file, which no configuration names: nothing is left out and no risk accepted.
pub(crate) fn unnamed(strict: bool) -> Server {
    let text = format!("[[server]]\nname = \"listing\"\ncommand = \"none\"\nstrict = {strict}\n");
    let mut config = Config::parse(&text, "a listing").expect("a constant configuration");
    config.servers.remove(0)
}

/// What is found in what a server says of itself.
pub(crate) fn report(listing: &Listing) -> Vec<Line> {
    // They refuse no tool.
    let lines = screen::report(&listing.report);
    lines.iter().map(|finding| Line { severity: Severity::Note, ..Line::of(finding) }).collect()
}

/// The tools of a listing, entries that are none included, in the order of their names.
pub(crate) fn tools(name: &str, server: &Server, listing: &Listing) -> Vec<ScreenedTool> {
    let inspection = inspect(server, listing);
    let mut tools = Vec::new();
    for candidate in inspection.candidates() {
        let findings = candidate.notes().iter().map(Line::of_note).collect();
        tools.push(tool(name, candidate.definition().name(), true, findings));
    }
    for refused in inspection.refused() {
        let mut findings = Line::of_reason(&refused.reason);
        // What else is wrong is worth knowing before somebody mends the first thing.
        if !matches!(refused.reason, Reason::Screened(_)) {
            let same = listing.tools.iter().filter(|tool| tool.name() == refused.remote_name);
            let also = same.flat_map(|tool| screen::tool(tool, &[], server.strict));
            findings.extend(also.map(|finding| Line::of(&finding)));
        }
        tools.push(tool(name, &refused.remote_name, false, findings));
    }
    for entry in &listing.undecodable {
        let line = Line {
            signal: "undecodable",
            severity: Severity::Refuse,
            pointer: String::new(),
            message: format!("entry {} is no tool: {}", entry.index, entry.reason),
            witness: None,
        };
        tools.push(tool(name, "", false, vec![line]));
    }
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

fn tool(server: &str, name: &str, admitted: bool, findings: Vec<Line>) -> ScreenedTool {
    ScreenedTool { server: server.to_owned(), name: name.to_owned(), admitted, findings }
}

impl Line {
    fn of(finding: &Finding) -> Self {
        Self {
            signal: finding.signal.name(),
            severity: finding.severity,
            pointer: finding.pointer.as_str().to_owned(),
            message: finding.message(),
            witness: finding.witness.clone(),
        }
    }

    fn of_reason(reason: &Reason) -> Vec<Self> {
        if let Reason::Screened(findings) = reason {
            return findings.iter().map(Self::of).collect();
        }
        let pointer = reason.pointer().as_str().to_owned();
        let line = Self {
            signal: reason.word(),
            severity: Severity::Refuse,
            pointer,
            message: reason.to_string(),
            witness: None,
        };
        vec![line]
    }

    fn of_note(note: &Note) -> Self {
        match note {
            Note::Finding(finding) => Self::of(finding),
            Note::AcceptedRisk { finding, .. } => {
                Self { severity: Severity::Note, message: note.to_string(), ..Self::of(finding) }
            }
            other => Self {
                signal: other.word(),
                severity: Severity::Note,
                pointer: other.pointer().as_str().to_owned(),
                message: other.to_string(),
                witness: None,
            },
        }
    }

    pub(crate) fn json(&self) -> Value {
        let mut line = json!({
            "signal": self.signal,
            "severity": self.severity.word(),
            "pointer": self.pointer,
            "message": self.message,
        });
        if let Some(witness) = &self.witness {
            line["witness"] = crate::patterns::witness(&witness.text, witness.degree);
        }
        line
    }
}
