//! Characters that hide, reorder or command.
//!
//! What honest text needs passes: joiners between emoji and in scripts that join letters, one variation selector behind a character, the tags of
//! a flag, marks of direction in text that runs from right to left.

use std::ops::Range;

use super::Signal;

/// The first run of each kind of such characters.
pub(super) fn characters(text: &str) -> Vec<(Signal, Range<usize>)> {
    let mut found: Vec<(Signal, Range<usize>)> = Vec::new();
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')) {
        return found;
    }
    let right_to_left = text.chars().any(is_right_to_left);
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (start, character)) in characters.iter().enumerate() {
        let after = characters.get(index + 1).map(|(_, after)| *after);
        let Some(signal) = signal(*character, &characters[..index], after, right_to_left) else { continue };
        let range = *start..start + character.len_utf8();
        match found.iter_mut().find(|(other, _)| *other == signal) {
            Some((_, run)) if run.end == range.start => run.end = range.end,
            Some(_) => {}
            None => found.push((signal, range)),
        }
    }
    found
}

fn signal(character: char, before: &[(usize, char)], after: Option<char>, right_to_left: bool) -> Option<Signal> {
    match character {
        '\n' | '\r' | '\t' => None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some(Signal::ControlChars),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Signal::BidiControls),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => (!right_to_left).then_some(Signal::BidiControls),
        _ if is_invisible(character) && !is_honest(character, before, after) => Some(Signal::InvisibleUnicode),
        _ => None,
    }
}

/// Characters that leave no mark of their own.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{2800}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Where such a character does what it is for.
fn is_honest(character: char, earlier: &[(usize, char)], after: Option<char>) -> bool {
    let before = earlier.last().map(|(_, before)| *before);
    match character {
        '\u{200c}' | '\u{200d}' => before.is_some_and(joins) && after.is_some_and(joins),
        // Text or picture: behind what has both forms, and nowhere else.
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(has_two_forms),
        '\u{e0061}'..='\u{e007a}' | '\u{e007f}' => is_of_a_flag(character, earlier),
        _ => false,
    }
}

/// Characters with a form of text and one of a picture.
fn has_two_forms(character: char) -> bool {
    matches!(character,
        '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// The flags that are spelled with tags: England, Scotland, Wales.
const FLAGS: &[&str] = &["gbeng", "gbsct", "gbwls"];

/// Whether a tag goes on spelling one of the flags behind a black flag.
fn is_of_a_flag(character: char, earlier: &[(usize, char)]) -> bool {
    let letter = |tag: char| char::from_u32(u32::from(tag) - 0xe0000);
    let mut tags: Vec<char> = Vec::new();
    for (_, tag) in earlier.iter().rev().take(6) {
        match tag {
            '\u{e0061}'..='\u{e007a}' => tags.extend(letter(*tag)),
            '\u{1f3f4}' => {
                let spelled: String = tags.iter().rev().collect();
                return match character {
                    '\u{e007f}' => FLAGS.contains(&&*spelled),
                    tag => {
                        let longer: String = spelled.chars().chain(letter(tag)).collect();
                        FLAGS.iter().any(|flag| flag.starts_with(&longer))
                    }
                };
            }
            _ => return false,
        }
    }
    false
}

/// Letters that join, and pictures.
fn joins(character: char) -> bool {
    matches!(character,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{fe0f}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}
