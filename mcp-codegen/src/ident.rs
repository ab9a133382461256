//! Rust identifiers for foreign names.
//!
//! Identifiers come from ASCII letters, digits and `_`, so that none can be confused with another, shadow the prelude or
//! escape. Within a scope they are distinct and a function of the names alone: the name that needs no reshaping keeps the plain
//! spelling, others spell their punctuation out, and what is still alike carries a hash, never a counter.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

/// How an identifier is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `snake_case`: fields, methods, modules.
    Snake,
    /// `PascalCase`: types, variants.
    Pascal,
}

/// Names that generated code uses itself, or that every reader takes for the prelude's.
const RESERVED_TYPES: &[&str] = &[
    "Answers",
    "Box",
    "BTreeMap",
    "Call",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Eq",
    "Err",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Future",
    "Into",
    "Iterator",
    "None",
    "Nullable",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "Result",
    "Self",
    "Send",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unlisted",
    "Value",
    "Vec",
];

/// The longest identifier that is spelled out.
const MAX_IDENT: usize = 200;

/// Keywords that cannot even be written raw.
const NEVER_RAW: &[&str] = &["crate", "self", "super", "_"];

const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The identifiers of one scope: for each name its own. `reserved` are taken before any name is looked at.
pub(crate) fn scope<'a>(
    names: impl IntoIterator<Item = &'a str>,
    case: Case,
    reserved: &[&str],
) -> BTreeMap<&'a str, String> {
    keyed_scope(names.into_iter().map(|name| (name, name.to_owned())), case, reserved)
}

/// The identifiers of one scope for things whose readable names may be alike: what tells them apart is their key.
pub(crate) fn keyed_scope<K: Ord + Clone + AsRef<str>>(
    names: impl IntoIterator<Item = (K, String)>,
    case: Case,
    reserved: &[&str],
) -> BTreeMap<K, String> {
    let names: BTreeMap<K, String> = names.into_iter().collect();
    let mut idents: BTreeMap<K, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
    // Each round spells the names out further; who is alone with a spelling takes it.
    for spelling in [verbatim, plain, spelled_out] {
        let mut claims: BTreeMap<String, Vec<&K>> = BTreeMap::new();
        for (key, name) in names.iter().filter(|(key, _)| !idents.contains_key(*key)) {
            if let Some(ident) = spelling(name, case) {
                claims.entry(ident).or_default().push(key);
            }
        }
        for (ident, claimants) in claims {
            if let [only] = claimants[..]
                && taken.insert(ident.clone())
            {
                idents.insert(only.clone(), ident);
            }
        }
    }
    let open: Vec<(&K, &String)> = names.iter().filter(|(key, _)| !idents.contains_key(*key)).collect();
    for (key, name) in open {
        // A name can be chosen to be the hash of another one; nobody can choose all of them.
        let mut text = key.as_ref().to_owned();
        let ident = loop {
            let ident = hashed(name, &text, case);
            if taken.insert(ident.clone()) {
                break ident;
            }
            text.push('\u{0}');
        };
        idents.insert(key.clone(), ident);
    }
    idents
}

/// A lone identifier, for a name that shares its scope with nothing foreign.
pub(crate) fn lone(name: &str, case: Case) -> String {
    plain(name, case).unwrap_or_else(|| hash(name))
}

/// As it is, if it is an identifier of this case already.
fn verbatim(name: &str, case: Case) -> Option<String> {
    plain(name, case).filter(|ident| ident.trim_start_matches("r#") == name)
}

/// Its words, joined; `None` where letters would be lost or nothing would be left.
fn plain(name: &str, case: Case) -> Option<String> {
    if name.chars().any(|c| !c.is_ascii() && c.is_alphanumeric()) {
        return None;
    }
    finish(&join(&words(name), case), case).filter(|ident| ident.len() <= MAX_IDENT)
}

/// Its words, with the punctuation among them spelled out.
fn spelled_out(name: &str, case: Case) -> Option<String> {
    let mut spelled = String::new();
    for character in name.chars() {
        match symbol(character) {
            Some(word) => {
                spelled.push(' ');
                spelled.push_str(word);
                spelled.push(' ');
            }
            None => spelled.push(character),
        }
    }
    plain(&spelled, case)
}

/// The first words of a name, and a hash of what tells it apart.
fn hashed(name: &str, key: &str, case: Case) -> String {
    let mut readable = words(name);
    readable.truncate(8);
    for word in &mut readable {
        word.truncate(24);
    }
    readable.push(hash(key));
    let joined = join(&readable, case);
    finish(&joined, case).unwrap_or(joined)
}

/// A letter and 8 hex digits of the name's SHA-256.
fn hash(name: &str) -> String {
    let digest = Sha256::digest(name.as_bytes());
    format!("x{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3])
}

/// Makes joined words an identifier.
fn finish(joined: &str, case: Case) -> Option<String> {
    let first = joined.chars().next()?;
    if first.is_ascii_digit() {
        return Some(format!("{}{joined}", if case == Case::Snake { "n" } else { "N" }));
    }
    Some(match case {
        Case::Snake if NEVER_RAW.contains(&joined) => format!("{joined}_"),
        Case::Snake if KEYWORDS.contains(&joined) => format!("r#{joined}"),
        Case::Pascal if RESERVED_TYPES.contains(&joined) => format!("{joined}_"),
        _ => joined.to_owned(),
    })
}

/// The words of a name: split at what is no letter or digit, and where lower case turns to upper.
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (index, &character) in characters.iter().enumerate() {
        if !character.is_ascii_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        let before = index.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(index + 1);
        let starts = character.is_ascii_uppercase()
            && (before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                || (before.is_some_and(|c| c.is_ascii_uppercase()) && after.is_some_and(char::is_ascii_lowercase)));
        if starts {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        word.push(character.to_ascii_lowercase());
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

fn join(words: &[String], case: Case) -> String {
    match case {
        Case::Snake => words.join("_"),
        Case::Pascal => words.iter().map(|word| capitalised(word)).collect(),
    }
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(characters).collect()
}

/// The word for a character that identifiers cannot hold and names use with meaning.
fn symbol(character: char) -> Option<&'static str> {
    Some(match character {
        '+' => "plus",
        '-' => "minus",
        '<' => "less",
        '>' => "greater",
        '=' => "equal",
        '!' => "not",
        '*' => "star",
        '/' => "slash",
        '\\' => "backslash",
        '.' => "dot",
        ',' => "comma",
        ':' => "colon",
        ';' => "semicolon",
        '$' => "dollar",
        '#' => "hash",
        '@' => "at",
        '%' => "percent",
        '&' => "and",
        '|' => "or",
        '^' => "caret",
        '~' => "tilde",
        '?' => "question",
        '(' | ')' => "paren",
        '[' | ']' => "bracket",
        '{' | '}' => "brace",
        '"' | '\'' | '`' => "quote",
        ' ' => "space",
        '\t' => "tab",
        '\n' => "newline",
        '≤' => "at_most",
        '≥' => "at_least",
        '≠' => "unequal",
        '_' => "underscore",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Case, scope};

    #[test]
    fn names_that_reshape_alike_stay_apart() {
        let cases: &[(Case, &[(&str, &str)])] = &[
            (
                Case::Snake,
                &[("StartTime", "start_time"), ("StartTime<", "start_time_less"), ("StartTime>", "start_time_greater")],
            ),
            (Case::Snake, &[("order_by", "order_by"), ("orderBy", "order_by_x552a3e82")]),
            (Case::Pascal, &[("Y", "Y"), ("y", "YXa1fce436")]),
            (Case::Pascal, &[("SUM", "SumX0229e587"), ("Sum", "Sum")]),
            (Case::Pascal, &[("reactions-+1", "ReactionsMinusPlus1"), ("reactions--1", "ReactionsMinusMinus1")]),
            (Case::Pascal, &[("=", "Equal"), ("!=", "NotEqual"), ("≥", "AtLeast"), ("", "Xe3b0c442")]),
            (Case::Snake, &[("type", "r#type"), ("self", "self_"), ("2fa", "n2fa"), ("HTTPServer", "http_server")]),
            (Case::Pascal, &[("Option", "Option_"), ("string", "String_"), ("self", "Self_")]),
            (Case::Snake, &[("名前", "x7ec26292"), ("$top", "top")]),
            (Case::Snake, &[("top", "top"), ("$top", "dollar_top")]),
        ];
        for (case, expected) in cases {
            let idents = scope(expected.iter().map(|(name, _)| *name), *case, &[]);
            assert_eq!(idents, expected.iter().map(|(name, ident)| (*name, (*ident).to_owned())).collect());
        }
    }

    #[test]
    fn a_name_that_is_chosen_to_be_anothers_hash_takes_nothing_away() {
        let idents = scope(["order_by", "orderBy", "order_by_x552a3e82"], Case::Snake, &[]);
        assert_eq!(idents["order_by_x552a3e82"], "order_by_x552a3e82");
        assert!(idents["orderBy"].starts_with("order_by_x") && idents["orderBy"] != "order_by_x552a3e82");
    }

    #[test]
    fn a_name_of_a_thousand_letters_gives_a_short_identifier() {
        let long = "a".repeat(1000);
        let ident = scope([long.as_str()], Case::Snake, &[])[long.as_str()].clone();
        assert!(ident.len() < 60 && ident.starts_with("aaaa") && ident.contains("_x"), "{ident}");
    }

    #[test]
    fn reserved_names_are_left_to_their_owners() {
        let idents = scope(["new", "with"], Case::Snake, &["new", "with"]);
        assert!(idents["new"].starts_with("new_x") && idents["with"].starts_with("with_x"), "{idents:?}");
    }
}
