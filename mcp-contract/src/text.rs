//! Third-party text made safe to look at.
//!
//! Everything a server says can end in a terminal, a log line, a diff or a doc comment. One rule serves all of them:
//! a character that a reader cannot see, or that moves other characters around, is spelled out. The trade-off is that
//! honest no-break spaces and emoji joiners are spelled out as well; a reviewer loses a little beauty and no meaning.

use std::fmt;
use std::sync::LazyLock;

use regex_syntax::hir::{ClassUnicode, HirKind};

/// The characters that [`is_hidden`] names, as a Unicode class.
const HIDDEN: &str =
    r"[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}--\x20]";

static HIDDEN_CLASS: LazyLock<ClassUnicode> = LazyLock::new(|| {
    let hir = regex_syntax::parse(HIDDEN).expect("a constant class parses");
    match hir.into_kind() {
        HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => class,
        kind => unreachable!("a bracketed class is a Unicode class, not {kind:?}"),
    }
});

/// Whether a reader could miss this character, or be misled by it: control, format, bidirectional, tag, private-use,
/// variation-selector and default-ignorable characters, and every space but U+0020.
///
/// ```
/// use mcp_contract::text::is_hidden;
/// assert!(is_hidden('\u{202e}') && is_hidden('\n') && is_hidden('\u{e0041}'));
/// assert!(!is_hidden(' ') && !is_hidden('é') && !is_hidden('🦀'));
/// ```
#[must_use]
pub fn is_hidden(character: char) -> bool {
    if matches!(character, ' '..='~') {
        return false;
    }
    HIDDEN_CLASS
        .ranges()
        .binary_search_by(|range| {
            if range.end() < character {
                std::cmp::Ordering::Less
            } else if range.start() > character {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}

/// A number of things, in words.
///
/// ```
/// use mcp_contract::text::counted;
/// assert_eq!((counted(1, "tool"), counted(2, "tool")), ("1 tool".to_owned(), "2 tools".to_owned()));
/// ```
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Displays foreign text on one line, with every hidden character spelled out.
///
/// Newline and tab become `\n` and `\t`, a backslash is doubled so that the spelling is unambiguous, the rest of the
/// hidden characters become `\u{…}`.
///
/// ```
/// use mcp_contract::text::Shown;
/// assert_eq!(Shown("a\u{1b}[2Jb\n").to_string(), r"a\u{1b}[2Jb\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '\n' => out.write_str("\\n")?,
                '\t' => out.write_str("\\t")?,
                '\\' => out.write_str("\\\\")?,
                c if is_hidden(c) => write!(out, "\\u{{{:x}}}", u32::from(c))?,
                c => fmt::Write::write_char(out, c)?,
            }
        }
        Ok(())
    }
}

/// The first `limit` characters of a text, shown safely, with an ellipsis where something was cut.
///
/// ```
/// assert_eq!(mcp_contract::text::excerpt("one two three", 7), "one two…");
/// ```
#[must_use]
pub fn excerpt(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", Shown(&text[..end])),
        None => Shown(text).to_string(),
    }
}
