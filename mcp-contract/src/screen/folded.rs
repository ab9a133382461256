//! Text as a model understands it: without what hides between letters, in small letters, look-alikes as what they look like.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

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

/// The ASCII letter that a character looks like, or itself.
pub(super) fn look_alike(character: char) -> char {
    const GREEK_AND_CYRILLIC: &[(char, char)] = &[
        ('ɑ', 'a'),
        ('ɡ', 'g'),
        ('ı', 'i'),
        ('ɩ', 'i'),
        ('ȷ', 'j'),
        ('ᴀ', 'a'),
        ('ʙ', 'b'),
        ('ᴄ', 'c'),
        ('ᴅ', 'd'),
        ('ᴇ', 'e'),
        ('ɢ', 'g'),
        ('ʜ', 'h'),
        ('ɪ', 'i'),
        ('ᴊ', 'j'),
        ('ᴋ', 'k'),
        ('ʟ', 'l'),
        ('ᴍ', 'm'),
        ('ɴ', 'n'),
        ('ᴏ', 'o'),
        ('ᴘ', 'p'),
        ('ʀ', 'r'),
        ('ꜱ', 's'),
        ('ᴛ', 't'),
        ('ᴜ', 'u'),
        ('ᴠ', 'v'),
        ('ᴡ', 'w'),
        ('ʏ', 'y'),
        ('ᴢ', 'z'),
        ('օ', 'o'),
        ('ո', 'n'),
        ('ս', 'u'),
        ('ց', 'g'),
        ('հ', 'h'),
        ('Ꭺ', 'A'),
        ('Ꭼ', 'E'),
        ('Ꮋ', 'H'),
        ('Ꭻ', 'J'),
        ('Ꮶ', 'K'),
        ('Ꮇ', 'M'),
        ('Ꮲ', 'P'),
        ('Ꭲ', 'T'),
        ('ε', 'e'),
        ('τ', 't'),
        ('к', 'k'),
        ('м', 'm'),
        ('н', 'h'),
        ('п', 'n'),
        ('г', 'r'),
        ('а', 'a'),
        ('А', 'A'),
        ('в', 'b'),
        ('В', 'B'),
        ('с', 'c'),
        ('С', 'C'),
        ('ԁ', 'd'),
        ('е', 'e'),
        ('Е', 'E'),
        ('һ', 'h'),
        ('Н', 'H'),
        ('і', 'i'),
        ('І', 'I'),
        ('ј', 'j'),
        ('Ј', 'J'),
        ('К', 'K'),
        ('ӏ', 'l'),
        ('М', 'M'),
        ('о', 'o'),
        ('О', 'O'),
        ('р', 'p'),
        ('Р', 'P'),
        ('ԛ', 'q'),
        ('ѕ', 's'),
        ('Ѕ', 'S'),
        ('Т', 'T'),
        ('т', 't'),
        ('у', 'y'),
        ('У', 'Y'),
        ('ѵ', 'v'),
        ('ԝ', 'w'),
        ('х', 'x'),
        ('Х', 'X'),
        ('Α', 'A'),
        ('α', 'a'),
        ('Β', 'B'),
        ('Ε', 'E'),
        ('Ζ', 'Z'),
        ('Η', 'H'),
        ('Ι', 'I'),
        ('ι', 'i'),
        ('Κ', 'K'),
        ('κ', 'k'),
        ('Μ', 'M'),
        ('Ν', 'N'),
        ('ν', 'v'),
        ('Ο', 'O'),
        ('ο', 'o'),
        ('Ρ', 'P'),
        ('ρ', 'p'),
        ('Τ', 'T'),
        ('Υ', 'Y'),
        ('υ', 'u'),
        ('Χ', 'X'),
        ('χ', 'x'),
    ];
    let code = u32::from(character);
    let ascii = |offset: u32, base: char| char::from_u32(u32::from(base) + offset).unwrap_or(character);
    match code {
        // Full-width forms.
        0xff01..=0xff5e => char::from_u32(code - 0xff01 + 0x21).unwrap_or(character),
        // Mathematical alphabets: thirteen of fifty-two letters each.
        0x1d400..=0x1d6a3 => match (code - 0x1d400) % 52 {
            large @ 0..26 => ascii(large, 'A'),
            small => ascii(small - 26, 'a'),
        },
        0x80.. => GREEK_AND_CYRILLIC.iter().find(|(odd, _)| *odd == character).map_or(character, |(_, plain)| *plain),
        _ => character,
    }
}
