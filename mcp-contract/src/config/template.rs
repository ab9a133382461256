//! `${VAR}` in a configured value.
//!
//! A template keeps the variable's name and never its value: what is committed, hashed and printed holds no secret.
//! It is resolved only when a connection is made, through a look-up that the caller passes in.

use std::fmt;

/// A value of `servers.toml` that may name variables: `${VAR}`, `${VAR:-fallback}`, and `$${` for a literal `${`.
///
/// ```
/// use mcp_contract::config::Template;
/// let template = Template::parse("Bearer ${TOKEN}").unwrap();
/// assert_eq!(template.resolve(&|name| (name == "TOKEN").then(|| "t".to_owned())).unwrap(), "Bearer t");
/// assert!(template.resolve(&|_| None).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, fallback: Option<String> },
}

/// Why a value is not a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// `${` without a closing brace.
    #[error("`${{` is never closed; write `$${{` for a literal `${{`")]
    Unclosed,
    /// What stands between the braces is no variable name.
    #[error("`{0}` is not a variable name (letters, digits and `_`, not starting with a digit)")]
    BadName(String),
}

/// A variable without a value and without a fallback.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variable {name} is not set")]
pub struct UnsetVariable {
    /// The variable's name.
    pub name: String,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// See [`TemplateError`].
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            if let Some(before) = before.strip_suffix('$') {
                literal.push_str(before);
                literal.push_str("${");
                rest = &from[2..];
                continue;
            }
            literal.push_str(before);
            let end = from.find('}').ok_or(TemplateError::Unclosed)?;
            let inside = &from[2..end];
            let (name, fallback) = match inside.split_once(":-") {
                Some((name, fallback)) => (name, Some(fallback.to_owned())),
                None => (inside, None),
            };
            if !is_variable_name(name) {
                return Err(TemplateError::BadName(crate::text::excerpt(name, 40)));
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(Part::Variable { name: name.to_owned(), fallback });
            rest = &from[end + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Self { source: source.to_owned(), parts })
    }

    /// A template without variables, taken as it is.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self { source: text.replace("${", "$${"), parts: vec![Part::Literal(text.to_owned())] }
    }

    /// The value, with every variable replaced by what `lookup` gives for it.
    ///
    /// # Errors
    ///
    /// The first variable that `lookup` does not know and that has no fallback.
    pub fn resolve(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, UnsetVariable> {
        self.parts.iter().try_fold(String::new(), |mut value, part| {
            match part {
                Part::Literal(text) => value.push_str(text),
                Part::Variable { name, fallback } => {
                    let found = lookup(name).or_else(|| fallback.clone());
                    value.push_str(&found.ok_or_else(|| UnsetVariable { name: name.clone() })?);
                }
            }
            Ok(value)
        })
    }

    /// The literal parts joined, for checks that must not look at variables.
    pub(super) fn literal_text(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => text.as_str(),
                Part::Variable { fallback, .. } => fallback.as_deref().unwrap_or("\u{0}"),
            })
            .collect()
    }

    /// The template as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for Template {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::Shown(&self.source).fmt(out)
    }
}

fn is_variable_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
