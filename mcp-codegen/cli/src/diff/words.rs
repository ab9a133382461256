//! Values and texts, before and after, short enough to be read.

use mcp_contract::drift::Change;
use mcp_contract::json::Json;
use mcp_contract::text::{Shown, excerpt};
use similar::{ChangeTag, TextDiff};

/// How many words of what did not change are shown around what did.
const AROUND: usize = 6;

/// The longest value that is shown, in characters.
const LONGEST: usize = 400;

/// A piece of a text that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Same(String),
    Gone(String),
    New(String),
}

/// The difference of two texts, word by word. Every piece is safe to print; long runs of what did not change are cut.
pub(crate) fn pieces(before: &str, after: &str) -> Vec<Piece> {
    let diff = TextDiff::configure().timeout(std::time::Duration::from_secs(2)).diff_words(before, after);
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in diff.iter_all_changes() {
        match runs.last_mut() {
            Some((tag, text)) if *tag == change.tag() => text.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    let last = runs.len().saturating_sub(1);
    let piece = |(index, (tag, text)): (usize, (ChangeTag, String))| match tag {
        ChangeTag::Delete => Piece::Gone(excerpt(&text, 4 * LONGEST)),
        ChangeTag::Insert => Piece::New(excerpt(&text, 4 * LONGEST)),
        ChangeTag::Equal => Piece::Same(cut(&text, index > 0, index < last)),
    };
    runs.into_iter().enumerate().map(piece).collect()
}

/// A run of words that did not change, without its middle.
fn cut(text: &str, before: bool, after: bool) -> String {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let kept = usize::from(before) * AROUND + usize::from(after) * AROUND;
    if words.len() <= kept + 2 {
        return Shown(text).to_string();
    }
    let head = if before { words[..AROUND].concat() } else { String::new() };
    let tail = if after { words[words.len() - AROUND..].concat() } else { String::new() };
    format!("{}… {}", Shown(&head), Shown(&tail))
}

/// The two texts of a change, where it is one of texts.
pub(crate) fn texts(change: &Change) -> Option<(&str, &str)> {
    let text = |value: &'_ Option<Json>| value.as_ref().is_none_or(|value| value.as_str().is_some());
    if !text(&change.before) || !text(&change.after) {
        return None;
    }
    let before = change.before.as_ref().and_then(Json::as_str);
    let after = change.after.as_ref().and_then(Json::as_str);
    before.or(after)?;
    Some((before.unwrap_or_default(), after.unwrap_or_default()))
}

/// A value on one line.
pub(crate) fn value(json: Option<&Json>) -> String {
    let Some(json) = json else { return "(nothing)".to_owned() };
    let pretty = json.to_pretty();
    let line = pretty.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    excerpt_escaped(&line)
}

/// What is printed is JSON already, whose own backslashes stay as they are.
fn excerpt_escaped(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn words_and_not_letters_are_compared() {
        let found = pieces("Sends a mail to one.", "Sends a mail to all.\u{202e}");
        let expected = [
            Piece::Same("Sends a mail to ".to_owned()),
            Piece::Gone("one.".to_owned()),
            Piece::New(r"all.\u{202e}".to_owned()),
        ];
        assert_eq!(found, expected);
        let long = "word ".repeat(100);
        let found = pieces(&format!("{long}end"), &format!("{long}END"));
        assert_eq!(found[0], Piece::Same("… word word word word word word ".to_owned()));
    }
}
