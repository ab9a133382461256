//! What the printer of Rust code leaves undone: empty lines between items, and the lines of a macro's inside.
//!
//! Works on the text of whole lines, which is safe because no literal of generated code spans lines.

/// The longest line of a macro.
const WIDTH: usize = 100;

/// Puts an empty line between types, which the printer does not; what is implemented for a type stays with it. A line that starts
/// at the margin starts an item or its docs.
pub(super) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1024);
    let mut before = "";
    for line in text.lines() {
        let ends_item =
            before == "}" || before.ends_with(';') && !before.starts_with("use ") && !before.starts_with("//");
        let after_imports = before.starts_with("use ") && !line.starts_with("use ");
        let starts_item =
            !line.starts_with([' ', '}']) && !line.is_empty() && !line.starts_with("impl ") && !spells(line);
        if starts_item && (ends_item || after_imports) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        before = line;
    }
    out
}

/// The macros' insides as a person would write them: in one line where they fit, else broken between the members that they list.
pub(super) fn wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1024);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if spells(line) && !line.ends_with(");") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != ");").map(str::trim).collect();
            let line = format!("{line}{});", inside.join(" "));
            if line.len() > WIDTH { fill(&members(&line), &mut out) } else { out.push_str(&line) }
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// Whether a line says how a type is spelled in JSON.
fn spells(line: &str) -> bool {
    ["alternatives!(", "object!(", "strings!(", "tagged!("].iter().any(|start| line.starts_with(start))
}

/// The parts of a macro's line, each but the last ending with a comma or an opening brace that stands in no string.
fn members(line: &str) -> Vec<&str> {
    let (mut parts, mut start, mut in_string, mut escaped) = (Vec::new(), 0, false, false);
    for (index, character) in line.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            ',' | '{' if !in_string => {
                parts.push(line[start..=index].trim_start());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(line[start..].trim_start());
    parts
}

/// Writes the parts into as few lines as they take.
fn fill(parts: &[&str], out: &mut String) {
    let mut width = 0;
    for part in parts {
        if width > 0 && width + 1 + part.len() > WIDTH {
            out.push_str("\n    ");
            width = 4;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(part);
        width += part.len();
    }
}
