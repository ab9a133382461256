//! Reading the run-time policies of a server from its table, collecting every problem on the way.

use toml::Spanned;
use toml::de::DeValue;

use super::keys::{RETRY, TOOL};
use super::policy::{Connect, KindRule, Policies, Retry, ToolRule};
use super::read::glob;
use super::table::{Problems, Table, wrong_type};
use super::{ConfigProblem, duration};
use crate::drift::Policy as Drift;

/// The most attempts that a configuration can ask for: beyond this a server that is down is only flooded.
const MOST_ATTEMPTS: i64 = 10;

const KINDS: &[(&str, KindRule)] =
    &[("action", KindRule::Action), ("read", KindRule::Read), ("annotations", KindRule::Annotations)];
const CONNECTS: &[(&str, Connect)] = &[("eager", Connect::Eager), ("lazy", Connect::Lazy)];
const DRIFTS: &[(&str, Drift)] =
    &[("quarantine", Drift::Quarantine), ("compatible", Drift::Compatible), ("follow", Drift::Follow)];

pub(super) fn policies(table: &Table<'_, '_>, problems: &mut Problems) -> Policies {
    let is_http = table.get("url").is_some();
    if let (Some(span), false) = (table.key_span("pool"), is_http) {
        problems.push((span, ConfigProblem::ForeignKey { key: "pool".to_owned(), belongs_to: "url" }));
    }
    Policies {
        kind: choice(table, "kind", KINDS, problems).unwrap_or_default(),
        roles: names(table, "roles", problems).unwrap_or_default(),
        ability: name(table, "ability", problems),
        connect: choice(table, "connect", CONNECTS, problems).unwrap_or_default(),
        drift: choice(table, "drift", DRIFTS, problems).unwrap_or_default(),
        trust_rejections: table.flag("trust_rejections", false, problems),
        retry: retry(table, problems).unwrap_or_default(),
        pool: table.get("pool").map(|_| table.flag("pool", true, problems)),
        tools: tools(table, problems),
    }
}

/// One of some words.
fn choice<T: Copy>(
    table: &Table<'_, '_>,
    key: &str,
    words: &[(&'static str, T)],
    problems: &mut Problems,
) -> Option<T> {
    let (text, span) = table.string(key, problems)?;
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    if found.is_none() {
        let words = words.iter().map(|(word, _)| *word).collect();
        problems.push((
            span,
            ConfigProblem::UnknownWord { key: key.to_owned(), found: crate::text::excerpt(text, 40), words },
        ));
    }
    found
}

fn name(table: &Table<'_, '_>, key: &str, problems: &mut Problems) -> Option<String> {
    let (text, span) = table.string(key, problems)?;
    if text.trim().is_empty() {
        problems.push((span, ConfigProblem::Empty { key: key.to_owned() }));
        return None;
    }
    Some(text.to_owned())
}

/// Names of roles. An empty list is refused: it could be read as "nobody" and as "everybody".
fn names(table: &Table<'_, '_>, key: &str, problems: &mut Problems) -> Option<Vec<String>> {
    let value = table.get(key)?;
    let before = problems.len();
    let texts = table.strings(key, problems);
    let is_empty = texts.is_empty() || texts.iter().any(|(text, _)| text.trim().is_empty());
    if is_empty && problems.len() == before {
        problems.push((value.span(), ConfigProblem::Empty { key: key.to_owned() }));
    }
    Some(texts.into_iter().map(|(text, _)| text.to_owned()).collect())
}

fn retry(table: &Table<'_, '_>, problems: &mut Problems) -> Option<Retry> {
    let value = table.get("retry")?;
    match value.get_ref() {
        DeValue::Boolean(false) => Some(Retry::ONCE),
        DeValue::Table(values) => {
            let table = Table::open(values, value.span(), &RETRY, problems);
            let default = Retry::default();
            let backoff = match table.string("backoff", problems) {
                None => default.backoff,
                Some((text, span)) => duration::parse(text).unwrap_or_else(|| {
                    problems.push((span, ConfigProblem::BadDuration { key: "retry.backoff".to_owned() }));
                    default.backoff
                }),
            };
            let attempts = table.get("attempts").map_or(default.attempts, |value| attempts(value, problems));
            Some(Retry { attempts, backoff })
        }
        _ => {
            problems.push(wrong_type(
                "retry",
                value,
                "false, or a table such as { attempts = 2, backoff = \"150ms\" }",
            ));
            None
        }
    }
}

fn attempts(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> u32 {
    let number =
        value.get_ref().as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
    let fits = number.filter(|number| (1..=MOST_ATTEMPTS).contains(number)).and_then(|n| u32::try_from(n).ok());
    fits.unwrap_or_else(|| {
        problems.push(wrong_type("retry.attempts", value, "a whole number from 1 to 10"));
        1
    })
}

fn tools(table: &Table<'_, '_>, problems: &mut Problems) -> Vec<ToolRule> {
    let Some(value) = table.get("tool") else { return Vec::new() };
    let Some(elements) = value.get_ref().as_array() else {
        problems.push(wrong_type("tool", value, "an array of tables (`[[server.tool]]`)"));
        return Vec::new();
    };
    elements.iter().filter_map(|element| tool(element, problems)).collect()
}

fn tool(element: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<ToolRule> {
    let Some(values) = element.get_ref().as_table() else {
        problems.push(wrong_type("tool", element, "a table"));
        return None;
    };
    let table = Table::open(values, element.span(), &TOOL, problems);
    if table.get("match").is_none() {
        problems.push((table.span.clone(), ConfigProblem::Incomplete { table: TOOL.table, missing: "match" }));
    }
    let matches = table.string("match", problems).and_then(|(text, span)| glob(text, span, problems));
    let rule = |matches| ToolRule {
        matches,
        kind: choice(&table, "kind", KINDS, problems),
        roles: names(&table, "roles", problems),
        drift: choice(&table, "drift", DRIFTS, problems),
        enabled: table.get("enabled").map(|_| table.flag("enabled", true, problems)),
    };
    matches.map(rule)
}
