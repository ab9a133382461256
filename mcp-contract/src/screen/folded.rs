//! Text as a model understands it: without what hides between letters, in small letters, look-alikes as what they look like.

use std::ops::Range;

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
        for (index, character) in text.char_indices() {
            if character.is_whitespace() {
                if !folded.text.ends_with(' ') {
                    folded.push(' ', index);
                }
            } else if !is_hidden(character) && !matches!(character, '*' | '`') {
                look_alike(character).to_lowercase().for_each(|small| folded.push(small, index));
            }
        }
        folded
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

/// The ASCII letter that a character looks like, or itself.
pub(super) fn look_alike(character: char) -> char {
    const GREEK_AND_CYRILLIC: &[(char, char)] = &[
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
