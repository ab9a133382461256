//! Reading typed values out of a TOML table while collecting problems.
//!
//! Every getter returns `None` both for an absent key and for a wrong one; a wrong one has left its problem behind, so
//! the reader can go on and find the next.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{Keys, Support};
use super::{ConfigProblem, Template, duration, secret};

/// The problems found so far, with the spans they point at.
pub(super) type Problems = Vec<(Range<usize>, ConfigProblem)>;

/// A table that is being read.
pub(super) struct Table<'a, 'i> {
    values: &'a DeTable<'i>,
    pub(super) span: Range<usize>,
}

impl<'a, 'i> Table<'a, 'i> {
    /// Starts to read a table: refuses the keys it does not know, and those that nothing enforces yet.
    pub(super) fn open(values: &'a DeTable<'i>, span: Range<usize>, keys: &Keys, problems: &mut Problems) -> Self {
        for key in values.keys() {
            let name = key.get_ref().to_string();
            let problem = match keys.support(&name) {
                Some(Support::Enforced) => continue,
                Some(Support::NotYet) => ConfigProblem::NotSupportedYet { key: name },
                None => ConfigProblem::UnknownKey { nearest: keys.nearest(&name), key: name, table: keys.table },
            };
            problems.push((key.span(), problem));
        }
        Self { values, span }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
        self.values.get(key)
    }

    /// Where a key stands, for problems about the key and not its value.
    pub(super) fn key_span(&self, key: &str) -> Option<Range<usize>> {
        self.values.get_key_value(key).map(|(name, _)| name.span())
    }

    pub(super) fn string(&self, key: &str, problems: &mut Problems) -> Option<(&'a str, Range<usize>)> {
        let value = self.get(key)?;
        as_string(key, value, problems).map(|text| (text, value.span()))
    }

    pub(super) fn flag(&self, key: &str, default: bool, problems: &mut Problems) -> bool {
        let Some(value) = self.get(key) else { return default };
        value.get_ref().as_bool().unwrap_or_else(|| {
            problems.push(wrong_type(key, value, "true or false"));
            default
        })
    }

    pub(super) fn duration(&self, key: &str, default: Duration, problems: &mut Problems) -> Duration {
        let Some((text, span)) = self.string(key, problems) else { return default };
        duration::parse(text).unwrap_or_else(|| {
            problems.push((span, ConfigProblem::BadDuration { key: key.to_owned() }));
            default
        })
    }

    pub(super) fn strings(&self, key: &str, problems: &mut Problems) -> Vec<(&'a str, Range<usize>)> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Some(elements) = value.get_ref().as_array() else {
            problems.push(wrong_type(key, value, "an array of strings"));
            return Vec::new();
        };
        elements
            .iter()
            .filter_map(|element| as_string(key, element, problems).map(|text| (text, element.span())))
            .collect()
    }

    pub(super) fn template(&self, key: &str, problems: &mut Problems) -> Option<Template> {
        let (text, span) = self.string(key, problems)?;
        template(key, text, &span, problems)
    }

    /// A table of templates, such as `env`.
    pub(super) fn templates(&self, key: &str, problems: &mut Problems) -> BTreeMap<String, (Template, Range<usize>)> {
        let Some(value) = self.get(key) else { return BTreeMap::new() };
        let Some(members) = value.get_ref().as_table() else {
            problems.push(wrong_type(key, value, "a table of strings"));
            return BTreeMap::new();
        };
        members
            .iter()
            .filter_map(|(name, member)| {
                let path = format!("{key}.{}", name.get_ref());
                let text = as_string(&path, member, problems)?;
                let template = template(&path, text, &member.span(), problems)?;
                Some((name.get_ref().to_string(), (template, name.span())))
            })
            .collect()
    }
}

/// Reads a template and refuses a credential that is written out.
pub(super) fn template(key: &str, text: &str, span: &Range<usize>, problems: &mut Problems) -> Option<Template> {
    match Template::parse(text) {
        Ok(template) => {
            if let Some(shape) = secret::shape_of(&template) {
                problems.push((span.clone(), ConfigProblem::LiteralCredential { key: key.to_owned(), shape }));
            }
            Some(template)
        }
        Err(error) => {
            problems
                .push((span.clone(), ConfigProblem::BadTemplate { key: key.to_owned(), reason: error.to_string() }));
            None
        }
    }
}

fn as_string<'a>(key: &str, value: &'a Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<&'a str> {
    let text = value.get_ref().as_str();
    if text.is_none() {
        problems.push(wrong_type(key, value, "a string"));
    }
    text
}

pub(super) fn wrong_type(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    wanted: &'static str,
) -> (Range<usize>, ConfigProblem) {
    let problem = ConfigProblem::WrongType { key: key.to_owned(), wanted, found: value.get_ref().type_str() };
    (value.span(), problem)
}
