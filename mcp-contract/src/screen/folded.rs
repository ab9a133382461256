//! Text as a model understands it: without what hides between letters, in small letters, look-alikes as what they look like.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::look_alike::look_alike;
use crate::text::is_hidden;

/// A folded text that remembers where each byte came from.
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte of the folded text, the byte of the original.
    origin: Vec<usize>,
    length: usize,
}

impl Folded {
    pub(super) fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), origin: Vec::new(), length: text.len() };
        let mut skip = 0;
        for (index, character) in text.char_indices() {
            if index < skip {
                continue;
            }
            let (character, length) = match character {
                '&' => entity(&text[index..]).unwrap_or(('&', 1)),
                other => (other, other.len_utf8()),
            };
            skip = index + length;
            if character.is_whitespace() {
                folded.space(index);
            } else if !is_hidden(character) && !matches!(character, '*' | '`') {
                // Marks on a letter, ligatures, letters in circles and the like come apart here.
                for plain in std::iter::once(character).nfkd().filter(|plain| !is_combining_mark(*plain)) {
                    look_alike(plain).to_lowercase().for_each(|small| folded.push(small, index));
                }
            }
        }
        folded
    }

    /// Words alone: what stands between them, and what emphasises them, is a space.
    pub(super) fn spoken(&self) -> Self {
        let mut spoken = Self { text: String::with_capacity(self.text.len()), origin: Vec::new(), length: self.length };
        for (index, character) in self.text.char_indices() {
            let origin = self.origin[index];
            if character.is_alphanumeric() || matches!(character, '\'' | '/' | '.' | '$') {
                spoken.push(character, origin);
            } else {
                spoken.space(origin);
            }
        }
        spoken
    }

    fn space(&mut self, index: usize) {
        if !self.text.ends_with(' ') {
            self.push(' ', index);
        }
    }

    fn push(&mut self, character: char, index: usize) {
        self.text.push(character);
        self.origin.resize(self.text.len(), index);
    }

    /// The place in the original text.
    pub(super) fn origin(&self, range: &Range<usize>) -> Range<usize> {
        let at = |index: usize| self.origin.get(index).copied().unwrap_or(self.length);
        at(range.start)..at(range.end)
    }
}

/// The character that an entity of HTML stands for, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    const NAMED: &[(&str, char)] = &[("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&nbsp;", ' ')];
    if let Some((name, character)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*character, name.len()));
    }
    let digits = text.strip_prefix("&#")?;
    let end = digits.bytes().take(8).position(|byte| byte == b';')?;
    let (digits, radix) = match digits[..end].strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (&digits[..end], 10),
    };
    let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    Some((character, "&#".len() + end + 1))
}
