//! The difference between two snapshots, as plain text.
//!
//! The texts compared are snapshot files, in which every hidden character is spelled out, so that a diff can be printed as it is.

use std::collections::BTreeSet;
use std::io::Write;

use mcp_contract::snapshot::{Change, Files, Snapshot};
use mcp_contract::text::Shown;
use similar::TextDiff;

use crate::error::CliError;

/// Prints which tools were added, removed and changed, then the changed files line by line.
pub(crate) fn print(old: &Snapshot, new: &Snapshot, folder: &str, out: &mut dyn Write) -> Result<(), CliError> {
    let changes = old.changes(new);
    for (name, change) in &changes.tools {
        let word = match change {
            Change::Added => "added  ",
            Change::Removed => "removed",
            _ => "changed",
        };
        writeln!(out, "  {word}  \"{}\"", Shown(name))?;
    }
    if changes.report {
        writeln!(out, "  changed  what the server says of itself")?;
    }
    if changes.undecodable {
        writeln!(out, "  changed  entries that are no tools")?;
    }
    print_files(&old.render(), &new.render(), folder, out)
}

fn print_files(old: &Files, new: &Files, folder: &str, out: &mut dyn Write) -> Result<(), CliError> {
    let empty = String::new();
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name).unwrap_or(&empty), new.get(name).unwrap_or(&empty));
        if before == after {
            continue;
        }
        // A digest tells a reader nothing that the lines below it do not.
        let (before, after) = (without_digests(before), without_digests(after));
        if before != after {
            let diff = TextDiff::from_lines(&before, &after);
            let header = (format!("mcp/{folder}/{name}"), format!("mcp/.pending/{folder}/{name}"));
            write!(out, "{}", diff.unified_diff().context_radius(2).header(&header.0, &header.1))?;
        }
    }
    Ok(())
}

/// The file without the lines that our own format fills with digests. What a server wrote stands deeper inside, or under another key,
/// and is never taken for one.
fn without_digests(file: &str) -> String {
    file.lines().filter(|line| !is_digest(line)).fold(String::new(), |text, line| text + line + "\n")
}

fn is_digest(line: &str) -> bool {
    let Some((key, value)) = line.split_once(": ") else { return false };
    let digits = value.trim_end_matches(',').strip_prefix("\"mcp-digest-v1:").and_then(|rest| rest.strip_suffix('"'));
    let is_value = digits.is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    let of_tool = key == "  \"digest\"";
    let of_manifest = key.starts_with("    \"") && key.ends_with(".json\"");
    is_value && (of_tool || of_manifest)
}
