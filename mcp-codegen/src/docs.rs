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

/// Puts a remark behind a text: on its last line where it fits and that line is prose.
pub(crate) fn append(lines: &mut Vec<String>, remark: Vec<String>) {
    match (lines.last_mut(), remark.as_slice()) {
        (Some(last), [only]) if !last.contains("``") && last.chars().count() + 1 + only.chars().count() <= WIDTH => {
            last.push(' ');
            last.push_str(only);
        }
        _ => lines.extend(remark),
    }
}

/// The lines of docs for a text that stands inside a line, such as a list's entry: no fence can open in it.
pub(crate) fn inline(text: &str) -> Vec<String> {
    wrap(escape(&text.replace(['\n', '\r'], " ")))
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
        self.out.extend(wrap(escape(trimmed)));
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

/// The words of a line, with every character escaped that Markdown or rustdoc would act on. A code span or an address, kept as code,
/// is part of one word however many spaces it holds: it must not be broken.
fn escape(line: &str) -> Vec<String> {
    let line = collapse(&visible(line));
    let mut words = vec![String::new()];
    let mut rest = line.as_str();
    while let Some(character) = rest.chars().next() {
        let word = words.last_mut().expect("there is always a word");
        if let Some((code, after)) = code_span(rest).or_else(|| address(rest)) {
            word.push('`');
            word.push_str(code);
            word.push('`');
            rest = after;
            continue;
        }
        rest = &rest[character.len_utf8()..];
        if character == ' ' {
            words.push(String::new());
            continue;
        }
        if matches!(character, '\\' | '`' | '<' | '>' | '[' | ']' | '&' | '!' | '|' | '~') {
            word.push('\\');
        }
        word.push(character);
    }
    words
}

/// Whether a line would begin a heading, a list, a rule, a table or a fence.
fn begins_a_block(line: &str) -> bool {
    let first = line.split(' ').next().unwrap_or_default();
    let numbered =
        first.ends_with(['.', ')']) && first.len() > 1 && first[..first.len() - 1].bytes().all(|b| b.is_ascii_digit());
    line.starts_with(['#', '=', '+', '_', '~', '<', '>', '|', ':']) || line.starts_with("```") || numbered || rule(line)
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

/// Puts words into lines. The first line may begin a list, as the text does; no later one may begin anything.
fn wrap(words: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.into_iter().filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    for (index, line) in lines.iter_mut().enumerate() {
        let list = line.starts_with(['-', '*']);
        let numbered = line.starts_with(|c: char| c.is_ascii_digit());
        if (index > 0 && list) || (begins_a_block(line) && (index > 0 || !numbered)) {
            defuse(line);
        }
    }
    lines
}

/// Escapes what makes the beginning of a line special.
fn defuse(line: &mut String) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    // A digit cannot be escaped, the mark behind it can.
    line.insert(digits, '\\');
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
    fn a_code_span_is_never_broken_and_never_ends_early() {
        let fence = format!("Reads a file. `\\` `{} ~~~ std::process::exit(1)` end", "x".repeat(80));
        let html = format!("See `C:\\` or `{} <script>alert(1)</script> y`", "x".repeat(90));
        let address = format!("https://x\\ `{} ~~~ run()`", "x".repeat(90));
        for text in [fence, html, address] {
            for line in lines(&text, 1000) {
                assert!(!line.starts_with(['~', '<']) && !line.starts_with("std"), "{line}");
            }
        }
        assert_eq!(super::inline("```a\n```"), ["\\`\\`\\`a \\`\\`\\`"]);
    }

    #[test]
    fn long_texts_are_cut_and_wrapped() {
        let text = "word ".repeat(100);
        let lines = lines(&text, 250);
        assert!(lines.iter().all(|line| line.chars().count() <= 100));
        assert!(lines.last().unwrap().starts_with('…'));
    }
}
