//! From [`Json`] to text that a reviewer can read.
//!
//! Two spaces a level, one member a line, the server's key order and number spelling. Hidden characters are written as
//! `\uXXXX`, so that a pull request shows them and no editor or terminal obeys them. Strings are re-escaped: the same
//! string written two ways in two listings prints the same.

use std::fmt::Write as _;

use super::Json;
use crate::text::is_hidden;

impl Json {
    /// The value as indented text, without a final newline.
    ///
    /// ```
    /// let tree = mcp_contract::json::parse(r#"{"b":1.50,"a":["\u202e"]}"#).unwrap();
    /// assert_eq!(tree.to_pretty(), "{\n  \"b\": 1.50,\n  \"a\": [\n    \"\\u202e\"\n  ]\n}");
    /// ```
    #[must_use]
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(&mut out, 0);
        out
    }

    /// Appends the value as indented text; `level` is the indentation of the line it starts on.
    pub(crate) fn write_pretty(&self, out: &mut String, level: usize) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Json::Number(number) => out.push_str(number.as_str()),
            Json::String(text) => write_string(out, text),
            Json::Array(elements) if elements.is_empty() => out.push_str("[]"),
            Json::Object(members) if members.is_empty() => out.push_str("{}"),
            Json::Array(elements) => {
                out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    start_line(out, index, level + 1);
                    element.write_pretty(out, level + 1);
                }
                end_line(out, level);
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (key, member)) in members.iter().enumerate() {
                    start_line(out, index, level + 1);
                    write_string(out, key);
                    out.push_str(": ");
                    member.write_pretty(out, level + 1);
                }
                end_line(out, level);
                out.push('}');
            }
        }
    }
}

fn start_line(out: &mut String, index: usize, level: usize) {
    if index > 0 {
        out.push(',');
    }
    end_line(out, level);
}

fn end_line(out: &mut String, level: usize) {
    out.push('\n');
    for _ in 0..level {
        out.push_str("  ");
    }
}

/// Appends a JSON string literal with every hidden character spelled out.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("a String takes everything");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
