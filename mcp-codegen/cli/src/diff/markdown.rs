//! The report as a comment on a pull request.
//!
//! Everything foreign stands in code, on one line, with a fence that is longer than any run of backticks in it: there it can neither format,
//! link, mention nor end the code. What is grave is open, the rest is folded. A comment that would be longer than a forge takes loses its
//! least grave tools, and says so.

use std::fmt::Write as _;

use mcp_codegen::{Step, step};
use mcp_contract::drift::{Change, ChangeKind, Grade, ToolDrift};
use mcp_contract::text::{Shown, counted};

use super::text::marked;
use super::words::{pieces, texts, value};
use super::{Report, ServerReport};

/// GitHub takes 65,536 characters; bytes are never fewer.
const LONGEST: usize = 60_000;

/// By this a workflow finds its earlier comment again.
const MARK: &str = "<!-- mcp-codegen: drift -->\n";

pub(super) fn report(report: &Report) -> String {
    let mut out = String::from(MARK);
    let mut left_out = 0;
    for server in &report.servers {
        if server.drift.is_empty() {
            continue;
        }
        heading(&mut out, report, server);
        let own = (!server.drift.server.is_empty())
            .then(|| section("What the server says of itself", &server.drift.server, &[], report));
        let (first, last) = if server.own_leads() { (own, None) } else { (None, own) };
        let tools = server.drift.tools.iter().map(|tool| self::tool(server, tool, report));
        for section in first.into_iter().chain(tools).chain(last) {
            push(&mut out, &section, &mut left_out);
        }
    }
    if out == MARK {
        out.push_str("No tool of an MCP server changed.\n");
    }
    if left_out > 0 {
        writeln!(
            out,
            "\n{} left out, because the comment would be too long: run `mcp-codegen diff`.",
            counted(left_out, "section")
        )
        .expect("a String takes everything");
    }
    out
}

fn push(out: &mut String, section: &str, left_out: &mut usize) {
    if out.len() + section.len() > LONGEST { *left_out += 1 } else { out.push_str(section) }
}

/// The table that a reviewer sees first.
fn heading(out: &mut String, report: &Report, server: &ServerReport) {
    let grades: Vec<String> = Grade::ALL
        .iter()
        .filter_map(|grade| {
            let count = server.drift.tools.iter().filter(|tool| tool.grade() == *grade).count();
            (count > 0).then(|| {
                let bold = if report.fail_on.contains(grade) { "**" } else { "" };
                format!("{bold}{count} {grade}{bold}")
            })
        })
        .collect();
    let counts = if grades.is_empty() { "no tool".to_owned() } else { grades.join(", ") };
    writeln!(out, "### MCP server {}: {counts}\n", code(&server.name)).expect("a String takes everything");
}

fn tool(server: &ServerReport, tool: &ToolDrift, report: &Report) -> String {
    let from = tool.renamed_from.as_ref().map(|from| format!(", was {}", code(from))).unwrap_or_default();
    let title = format!("{}{from}", code(&tool.name));
    let rust = server.rust(tool);
    let mut lines: Vec<String> = Vec::new();
    if step(rust) > Step::Patch {
        lines.extend(rust.iter().take(20).map(|change| format!("rust: {change}")));
    }
    section(&title, &tool.changes, &lines, report)
}

fn section(title: &str, changes: &[Change], rust: &[String], report: &Report) -> String {
    let mut out = String::new();
    let grade = changes.first().map_or(Grade::Unchanged, |change| change.grade);
    let open = if report.fails(changes) { " open" } else { "" };
    let mut add = |line: &str| writeln!(out, "{line}").expect("a String takes everything");
    // Markdown is not read inside a summary on all forges, so that it holds only a word of ours.
    add(&format!("<details{open}><summary>{grade}</summary>\n"));
    add(&format!("**{grade}** {title}\n"));
    for change in changes {
        if change.kind == ChangeKind::Tool {
            // A new tool is shown; of the others the title says it all.
            if let Some(tool) = change.after.as_ref().filter(|_| change.grade == Grade::Added) {
                add(&block(&[format!("+ {}", value(Some(tool)))]));
            }
            continue;
        }
        let meaning = if change.meaning.is_empty() { String::new() } else { format!(": {}", span(&change.meaning)) };
        add(&format!("- {} {} {}{meaning}", change.grade, change.kind.name(), code(change.pointer.as_str())));
        if change.kind == ChangeKind::Instruction {
            continue;
        }
        let mut lines = Vec::new();
        match texts(change) {
            Some((before, after)) if change.kind == ChangeKind::Text => lines.push(marked(&pieces(before, after))),
            _ => lines.extend([
                format!("- {}", value(change.before.as_ref())),
                format!("+ {}", value(change.after.as_ref())),
            ]),
        }
        lines.extend(change.witness.iter().map(|witness| format!("shown by {}", value(Some(&witness.into())))));
        add(&block(&lines));
    }
    if !rust.is_empty() {
        add(&block(rust));
    }
    add("\n</details>\n");
    out
}

/// A piece of foreign text in a line.
fn code(text: &str) -> String {
    span(&Shown(text).to_string())
}

/// A piece of a line that is shown safely already.
fn span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    // A space keeps a backtick at the border from the fence, and Markdown takes it away again.
    format!("{fence} {text} {fence}")
}

/// Lines of foreign text, each of which is one line, as a block that belongs to an item of a list.
fn block(lines: &[String]) -> String {
    let fence = "`".repeat(lines.iter().map(|line| longest_run(line)).max().unwrap_or(0).max(2) + 1);
    let lines: Vec<String> = lines.iter().map(|line| line.replace(['\n', '\r'], " ")).collect();
    format!("  {fence}diff\n  {}\n  {fence}", lines.join("\n  "))
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}
