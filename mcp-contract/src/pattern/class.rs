//! Sets of characters, with ECMA-262's meaning.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// The set of one character.
pub(super) fn single(character: char) -> ClassUnicode {
    ranges(&[(character, character)])
}

/// The set of some ranges.
pub(super) fn ranges(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(start, end)| ClassUnicodeRange::new(*start, *end)))
}

/// Everything that is not in the set.
pub(super) fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// ECMA-262's line terminators.
pub(super) fn line_end() -> ClassUnicode {
    ranges(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')])
}

/// The characters of words, as `\b` and `\w` have them.
pub(super) fn word() -> ClassUnicode {
    ranges(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
}

/// Every character.
pub(super) fn any() -> ClassUnicode {
    ranges(&[('\0', char::MAX)])
}

/// `\d`, `\s`, `\w` and their negations; `None` for another letter.
pub(super) fn escape(letter: char) -> Option<ClassUnicode> {
    let class = match letter.to_ascii_lowercase() {
        'd' => ranges(&[('0', '9')]),
        'w' => word(),
        's' => ranges(&[
            ('\t', '\r'),
            (' ', ' '),
            ('\u{a0}', '\u{a0}'),
            ('\u{1680}', '\u{1680}'),
            ('\u{2000}', '\u{200a}'),
            ('\u{2028}', '\u{2029}'),
            ('\u{202f}', '\u{202f}'),
            ('\u{205f}', '\u{205f}'),
            ('\u{3000}', '\u{3000}'),
            ('\u{feff}', '\u{feff}'),
        ]),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { negated(class) } else { class })
}

/// `\p{…}`: general categories, scripts and binary properties by their ECMA-262 names.
///
/// The engine's own matching of names is loose (`\p{greek}`), ECMA-262's is not, so the spelling is checked first.
pub(super) fn property(expression: &str) -> Option<ClassUnicode> {
    let well_spelled = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let query = match expression.split_once('=') {
        Some(("General_Category" | "gc", value)) if well_spelled(value) => format!(r"\p{{gc={value}}}"),
        Some(("Script" | "sc", value)) if well_spelled(value) => format!(r"\p{{sc={value}}}"),
        Some(("Script_Extensions" | "scx", value)) if well_spelled(value) => format!(r"\p{{scx={value}}}"),
        None if expression == "Any" => return Some(any()),
        None if expression == "ASCII" => return Some(ranges(&[('\0', '\u{7f}')])),
        // Lone names are categories or binary properties; a script needs `Script=`.
        None if well_spelled(expression) && unicode(&format!(r"\p{{sc={expression}}}")).is_none() => {
            format!(r"\p{{{expression}}}")
        }
        _ => return None,
    };
    unicode(&query)
}

fn unicode(query: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(query).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        // A class of one character is parsed into a literal.
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok()?.chars().next().map(single),
        _ => None,
    }
}
