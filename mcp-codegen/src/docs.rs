//! Foreign text as Rust documentation.
//!
//! A description is written for a model and read by rustdoc: a code fence in it would be compiled and *run* by the user's `cargo test`,
//! an indented line as well; links, images and HTML would be rendered. So everything that Markdown gives a meaning is either kept
//! inside a fence that is marked as text, or escaped. Long texts are cut; the snapshot beside the code has all of it.

use mcp_contract::text::is_hidden;

/// How wide a line of docs may be.
const WIDTH: usize = 92;

/// The lines of docs for a description; at most `limit` characters of it.
pub(crate) fn lines(description: &str, limit: usize) -> Vec<String> {
    let normal = description.replace("\r\n", "\n").replace('\r', "\n");
    let (text, cut) = match normal.char_indices().nth(limit) {
        Some((end, _)) => (&normal[..end], true),
        None => (normal.as_str(), false),
    };
    let mut writer = Writer::default();
    for line in text.trim().lines() {
        writer.line(line);
    }
    writer.end_fence();
    if cut {
        writer.out.push("… (cut here; the snapshot has the whole text)".to_owned());
    }
    while writer.out.last().is_some_and(String::is_empty) {
        writer.out.pop();
    }
    writer.out
}

#[derive(Default)]
struct Writer {
    out: Vec<String>,
    /// The lines inside a fence, while it is open, and the fence that will close it.
    fence: Option<(String, Vec<String>)>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some((closing, inside)) = &mut self.fence {
            let closes = trimmed.starts_with(closing.as_str()) && trimmed.chars().all(|c| closing.contains(c));
            if closes {
                self.end_fence();
            } else {
                inside.push(visible(line.trim_end()));
            }
            return;
        }
        if let Some(marker) = fence_marker(trimmed) {
            self.fence = Some((marker, Vec::new()));
            return;
        }
        if trimmed.is_empty() {
            if self.out.last().is_some_and(|last| !last.is_empty()) {
                self.out.push(String::new());
            }
            return;
        }
        self.out.extend(wrap(&escape(trimmed)));
    }

    /// Writes a fenced block out, behind a fence that nothing inside can close.
    fn end_fence(&mut self) {
        let Some((_, inside)) = self.fence.take() else { return };
        let longest = inside.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.out.push(format!("{fence}text"));
        self.out.extend(inside);
        self.out.push(fence);
    }
}

fn fence_marker(line: &str) -> Option<String> {
    // A fence may stand behind list and quote markers.
    let line = line.trim_start_matches(['-', '*', '>', ' ']);
    let character = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run: String = line.chars().take_while(|c| *c == character).collect();
    let info = &line[run.len()..];
    (run.len() >= 3 && !info.contains('`')).then_some(run)
}

fn longest_run(line: &str) -> usize {
    line.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn visible(line: &str) -> String {
    line.chars().fold(String::new(), |mut out, character| {
        if is_hidden(character) && character != '\t' {
            out.extend(character.escape_unicode());
        } else if character == '\t' {
            out.push_str("    ");
        } else {
            out.push(character);
        }
        out
    })
}

/// A line with every character escaped that Markdown or rustdoc would act on; code spans and addresses are kept as code.
fn escape(line: &str) -> String {
    let line = collapse(&visible(line));
    let mut out = String::new();
    let mut rest = line.as_str();
    while let Some(character) = rest.chars().next() {
        if let Some((code, after)) = code_span(rest).or_else(|| address(rest)) {
            out.push('`');
            out.push_str(code);
            out.push('`');
            rest = after;
            continue;
        }
        if matches!(character, '\\' | '`' | '<' | '>' | '[' | ']' | '&' | '!' | '|' | '~') {
            out.push('\\');
        }
        out.push(character);
        rest = &rest[character.len_utf8()..];
    }
    // At the start of a line these make headings, rules, and the second line of a heading.
    if out.starts_with(['#', '=', '+', '_']) || rule(&out) {
        out.insert(0, '\\');
    }
    out
}

/// Runs of spaces become one: an indented line, or a wide gap after a list marker, is a code block.
fn collapse(line: &str) -> String {
    line.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn rule(line: &str) -> bool {
    line.len() > 1 && line.chars().all(|c| matches!(c, '-' | '*' | ' '))
}

/// A code span in single back-ticks, closed on the same line.
fn code_span(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('`')?;
    let end = inside.find('`')?;
    let (code, after) = (&inside[..end], &inside[end + 1..]);
    let plain = !code.trim().is_empty() && !after.starts_with('`') && code.trim() == code;
    plain.then_some((code, after))
}

/// A web address: bare ones are a rustdoc lint, links an invitation.
fn address(text: &str) -> Option<(&str, &str)> {
    if !(text.starts_with("http://") || text.starts_with("https://")) {
        return None;
    }
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>' | '"' | ')' | ']' | '}' | ','))
        .unwrap_or(text.len());
    let address = text[..end].trim_end_matches(['.', ':', ';', '\'']);
    Some((address, &text[address.len()..]))
}

/// Breaks a line at spaces; code spans are kept whole.
fn wrap(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut in_code = false;
    let mut words: Vec<String> = Vec::new();
    for part in line.split(' ') {
        match words.last_mut().filter(|_| in_code) {
            Some(word) => {
                word.push(' ');
                word.push_str(part);
            }
            None => words.push(part.to_owned()),
        }
        in_code ^= unescaped_backticks(part) % 2 == 1;
    }
    for word in words {
        let current = lines.last_mut().expect("starts with one");
        if current.is_empty() {
            current.push_str(&word);
        } else if current.chars().count() + 1 + word.chars().count() <= WIDTH {
            current.push(' ');
            current.push_str(&word);
        } else {
            // A word at the start of a line must not turn it into a heading, a list or a rule.
            let risky = word.starts_with(['#', '-', '+', '*', '=', '_'])
                || word.ends_with(['.', ')']) && word[..word.len() - 1].chars().all(|c| c.is_ascii_digit());
            lines.push(if risky { format!("\u{5c}{word}") } else { word });
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn unescaped_backticks(part: &str) -> usize {
    let mut count = 0;
    let mut escaped = false;
    for character in part.chars() {
        count += usize::from(character == '`' && !escaped);
        escaped = character == '\\' && !escaped;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn nothing_in_a_description_acts() {
        let cases: &[(&str, &[&str])] = &[
            ("Plain text.", &["Plain text."]),
            ("```rust\npanic!()\n```", &["```text", "panic!()", "```"]),
            ("```\nnever closed", &["```text", "never closed", "```"]),
            ("~~~\na\n```\nb\n~~~\nc", &["````text", "a", "```", "b", "````", "c"]),
            ("text\n\n    indented()", &["text", "", "indented()"]),
            ("see [x](https://e.example/a) <b>", &["see \\[x\\](`https://e.example/a`) \\<b\\>"]),
            ("![i](p.png) `code` `", &["\\!\\[i\\](p.png) `code` \\`"]),
            ("# Heading\n====\n---", &["\\# Heading", "\\====", "\\---"]),
            ("bidi \u{202e} here", &["bidi \\\\u{202e} here"]),
            ("&#x202e;", &["\\&#x202e;"]),
        ];
        for (text, expected) in cases {
            assert_eq!(lines(text, 1000), *expected, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_and_wrapped() {
        let text = "word ".repeat(100);
        let lines = lines(&text, 250);
        assert!(lines.iter().all(|line| line.chars().count() <= 100));
        assert!(lines.last().unwrap().starts_with('…'));
    }
}
