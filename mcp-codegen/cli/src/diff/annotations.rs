//! The report as workflow commands of GitHub Actions, one line a tool.
//!
//! A line that begins with `::` is a command, so that nothing foreign may begin one: everything is on our own lines, and what the commands
//! give a meaning to is escaped as the runner reads it.

use std::fmt::Write as _;

use mcp_contract::drift::Change;
use mcp_contract::text::{Shown, excerpt};

use super::{Report, ServerReport};

pub(super) fn report(report: &Report) -> String {
    let mut out = String::new();
    for server in &report.servers {
        if !server.drift.server.is_empty() {
            line(&mut out, report, server, "server.json", "what the server says of itself", &server.drift.server);
        }
        let names = server.drift.tools.iter().map(|tool| tool.name.as_str());
        let files = mcp_contract::snapshot::file_names(names);
        for tool in &server.drift.tools {
            let what = format!("\"{}\"", Shown(&tool.name));
            line(&mut out, report, server, &files[tool.name.as_str()], &what, &tool.changes);
        }
    }
    out
}

fn line(out: &mut String, report: &Report, server: &ServerReport, file: &str, what: &str, changes: &[Change]) {
    let level = if report.fails(changes) { "error" } else { "notice" };
    let file = server.folder.as_ref().map(|folder| format!("file={},", property(&format!("{folder}/{file}"))));
    let Some(first) = changes.first() else { return };
    let title = property(&format!("{}: {} {what}", first.grade, server.name));
    let told: Vec<String> = changes
        .iter()
        .take(6)
        .map(|change| match &*change.meaning {
            "" => format!("{} {}", change.kind.name(), change.pointer),
            meaning => format!("{}: {meaning}", change.pointer),
        })
        .collect();
    let message = data(&excerpt_plain(&told.join("; ")));
    writeln!(out, "::{level} {}title={title}::{message}", file.unwrap_or_default()).expect("a String takes everything");
}

/// Pointers and meanings are shown safely already.
fn excerpt_plain(text: &str) -> String {
    match text.char_indices().nth(900) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&excerpt(text, 200)).replace(':', "%3A").replace(',', "%2C")
}
