//! Wire names without an attribute on each member: the `rename_all` rule that spells most of them, as a person would have written it.
//!
//! The rules are serde's own. A name that the rule does not give keeps a `rename` of its own, so that one odd name changes one line.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::ident::Case;

/// The renames of one type.
pub(super) struct Renames {
    rule: Option<Rule>,
}

#[derive(Clone, Copy)]
struct Rule {
    name: &'static str,
    apply: fn(&str, Case) -> String,
}

/// In order of preference: of two that spell as many names, the first wins.
const RULES: &[Rule] = &[
    Rule { name: "snake_case", apply: |name, case| snake(name, case) },
    Rule { name: "camelCase", apply: |name, case| lower_first(&pascal(name, case)) },
    Rule { name: "kebab-case", apply: |name, case| snake(name, case).replace('_', "-") },
    Rule { name: "SCREAMING_SNAKE_CASE", apply: |name, case| snake(name, case).to_ascii_uppercase() },
    Rule { name: "PascalCase", apply: |name, case| pascal(name, case) },
    Rule { name: "lowercase", apply: |name, _| name.to_ascii_lowercase() },
    Rule { name: "UPPERCASE", apply: |name, _| name.to_ascii_uppercase() },
    Rule { name: "SCREAMING-KEBAB-CASE", apply: |name, case| snake(name, case).to_ascii_uppercase().replace('_', "-") },
];

impl Renames {
    /// The renames for identifiers of a case and their wire names.
    pub(super) fn of<'a>(names: impl Iterator<Item = (&'a str, &'a str)>, case: Case) -> Self {
        let names: Vec<(&str, &str)> = names.collect();
        let spelled =
            |apply: &dyn Fn(&str) -> String| names.iter().filter(|(ident, wire)| apply(bare(ident)) == *wire).count();
        let plain = spelled(&|name| name.to_owned());
        let mut best = (None, plain);
        for rule in RULES {
            let count = spelled(&|name| (rule.apply)(name, case));
            // An attribute on the type has to save more than one on a member.
            if count > best.1 && count > plain + 1 {
                best = (Some(*rule), count);
            }
        }
        Self { rule: best.0 }
    }

    /// What stands in the attribute of the type.
    pub(super) fn on_type(&self) -> Option<TokenStream> {
        let name = Literal::string(self.rule?.name);
        Some(quote!(, rename_all = #name))
    }

    /// What stands in the attribute of a member, where the rule does not give its name.
    pub(super) fn on_member(&self, ident: &str, wire: &str, case: Case) -> Option<TokenStream> {
        let given = match self.rule {
            Some(rule) => (rule.apply)(bare(ident), case),
            None => bare(ident).to_owned(),
        };
        let wire_name = Literal::string(wire);
        (given != wire).then(|| quote!(rename = #wire_name))
    }
}

fn bare(ident: &str) -> &str {
    ident.trim_start_matches("r#")
}

/// What serde makes of a variant's name for `snake_case`; a field has that case already.
fn snake(name: &str, case: Case) -> String {
    if case == Case::Snake {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len() + 4);
    for (index, character) in name.char_indices() {
        if index > 0 && character.is_uppercase() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

/// What serde makes of a field's name for `PascalCase`; a variant has that case already.
fn pascal(name: &str, case: Case) -> String {
    if case == Case::Pascal {
        return name.to_owned();
    }
    let mut capitalize = true;
    name.chars().fold(String::with_capacity(name.len()), |mut out, character| {
        if character == '_' {
            capitalize = true;
        } else {
            out.push(if capitalize { character.to_ascii_uppercase() } else { character });
            capitalize = false;
        }
        out
    })
}

fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(characters).collect()
}
