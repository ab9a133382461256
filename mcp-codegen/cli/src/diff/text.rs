//! The report for a terminal. Everything that a server wrote is shown with what hides in it spelled out, and marks of a change are ours.

use std::io::Write;

use mcp_codegen::{Step, step};
use mcp_contract::drift::{Change, ChangeKind, Grade, ToolDrift};
use mcp_contract::screen::Severity;
use mcp_contract::text::{Shown, counted};

use super::words::{Piece, pieces, texts, value};
use super::{Report, ServerReport};

/// Prints all of it.
pub(super) fn report(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    if report.servers.is_empty() {
        return writeln!(out, "no listing waits");
    }
    for server in &report.servers {
        self::server(server, out)?;
    }
    Ok(())
}

fn server(server: &ServerReport, out: &mut dyn Write) -> std::io::Result<()> {
    if server.drift.is_empty() {
        return writeln!(out, "{}: unchanged, {}", server.name, counted(server.tools, "tool"));
    }
    let grades: Vec<&str> = server.drift.grades().into_iter().map(Grade::name).collect();
    let tools = counted(server.tools, "tool");
    writeln!(out, "{}: {} changed of {tools}: {}", server.name, server.drift.tools.len(), grades.join(", "))?;
    let says = !server.drift.server.is_empty();
    if says && server.own_leads() {
        own(server, out)?;
    }
    for tool in &server.drift.tools {
        self::tool(server, tool, out)?;
    }
    if says && !server.own_leads() {
        own(server, out)?;
    }
    Ok(())
}

/// Prints what changed in what the server says of itself.
pub(crate) fn own(server: &ServerReport, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "  {:<11} what the server says of itself", server.own_grade())?;
    changes(&server.drift.server, out)
}

/// Prints one tool.
pub(crate) fn tool(server: &ServerReport, tool: &ToolDrift, out: &mut dyn Write) -> std::io::Result<()> {
    let from = tool.renamed_from.as_ref().map(|from| format!(", was \"{}\"", Shown(from))).unwrap_or_default();
    writeln!(out, "  {:<11} \"{}\"{from}", tool.grade(), Shown(&tool.name))?;
    changes(&tool.changes, out)?;
    let refusing = server.screens.get(&tool.name).into_iter().flatten();
    for line in refusing.filter(|line| line.severity == Severity::Refuse) {
        writeln!(out, "      screen: {} {}: {}", line.signal, Shown(&line.pointer), line.message)?;
    }
    let rust = server.rust(tool);
    if !rust.is_empty() && step(rust) > Step::Patch {
        for change in rust.iter().take(12) {
            writeln!(out, "      rust: {change}")?;
        }
        if rust.len() > 12 {
            writeln!(out, "      rust: and {} more", rust.len() - 12)?;
        }
    }
    Ok(())
}

fn changes(changes: &[Change], out: &mut dyn Write) -> std::io::Result<()> {
    for change in changes {
        if change.kind == ChangeKind::Tool {
            // A new tool is shown; of the others the line above says it all.
            if let Some(tool) = change.after.as_ref().filter(|_| change.grade == Grade::Added) {
                writeln!(out, "        + {}", value(Some(tool)))?;
            }
            continue;
        }
        let meaning = if change.meaning.is_empty() { String::new() } else { format!(": {}", change.meaning) };
        writeln!(out, "    {:<11} {} {}{meaning}", change.grade, change.kind.name(), change.pointer)?;
        // The words are told with the change of the text itself.
        if change.kind == ChangeKind::Instruction {
            continue;
        }
        match texts(change) {
            Some((before, after)) if change.kind == ChangeKind::Text => {
                writeln!(out, "        {}", marked(&pieces(before, after)))?;
            }
            _ => {
                writeln!(out, "        - {}", value(change.before.as_ref()))?;
                writeln!(out, "        + {}", value(change.after.as_ref()))?;
            }
        }
        if let Some(witness) = &change.witness {
            writeln!(out, "        shown by {}", value(Some(&witness.into())))?;
        }
    }
    Ok(())
}

/// A difference of words as `git diff --word-diff` marks it.
pub(crate) fn marked(pieces: &[Piece]) -> String {
    let mark = |piece: &Piece| match piece {
        Piece::Same(text) => text.clone(),
        Piece::Gone(text) => format!("[-{text}-]"),
        Piece::New(text) => format!("{{+{text}+}}"),
    };
    pieces.iter().map(mark).collect()
}
