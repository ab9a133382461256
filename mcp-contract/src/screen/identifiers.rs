//! Names that are not what they look like.

use super::look_alike::look_alike;

/// A script whose letters are taken for another's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
}

fn script(character: char) -> Option<Script> {
    if !character.is_alphabetic() {
        return None;
    }
    match u32::from(character) {
        0x41..=0x24f | 0x1e00..=0x1eff | 0xff21..=0xff5a => Some(Script::Latin),
        0x370..=0x3ff | 0x1f00..=0x1fff => Some(Script::Greek),
        0x400..=0x52f => Some(Script::Cyrillic),
        0x530..=0x58f => Some(Script::Armenian),
        0x13a0..=0x13ff | 0xab70..=0xabbf => Some(Script::Cherokee),
        _ => None,
    }
}

/// Whether one word of a name has letters of scripts that are taken for each other. Words of different scripts side by side are honest
/// enough, and so is a Greek letter that stands alone, as in `Δx`.
pub(super) fn is_mixed(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let mut scripts = word.chars().filter_map(script);
        let Some(first) = scripts.next() else { return false };
        let mixed = scripts.any(|other| other != first);
        let fake = |c: char| !c.is_ascii() && look_alike(c).is_ascii();
        // A word of another script, each letter of which looks like an ASCII one, is meant to be taken for that.
        let whole = word.chars().count() > 2 && word.chars().filter(|c| c.is_alphabetic()).all(fake);
        whole || mixed && word.chars().any(fake)
    })
}

/// The words of a name, apart from each other.
pub(super) fn words_of_name(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for character in name.chars() {
        if before.is_lowercase() && character.is_uppercase() {
            words.push(' ');
        }
        words.push(if character.is_alphanumeric() || character.is_whitespace() || !character.is_ascii() {
            character
        } else {
            ' '
        });
        before = character;
    }
    words
}

/// What a name looks like.
pub(super) fn skeleton(name: &str) -> String {
    let plain = name.chars().map(look_alike).flat_map(char::to_lowercase);
    plain
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .map(|c| match c {
            '0' => 'o',
            '1' | 'i' => 'l',
            other => other,
        })
        .collect()
}
