//! The patterns of a schema, judged.

use std::collections::BTreeMap;

use super::finding::{Finding, PatternWitness, Severity};
use super::signal::Signal;
use crate::json::{Json, Pointer};
use crate::pattern::{Flags, Judgement, Verdict, Witness, is_cheap, judge};
use crate::schema::CompiledSchema;
use crate::text::excerpt;

/// The steps that a text of the greatest length may cost and still be harmless.
const HARMLESS: u64 = 1_000_000;

/// The longest text for which an exponential pattern may be harmless: what is confirmed is replayed at that length.
const SHORT: u64 = 10;

/// The steps that the patterns of one schema may take to judge together; what comes after them is undecided.
const STEPS: u64 = 20_000_000;

/// What the patterns of a schema amount to. `at` is where the schema stands in the definition.
pub(super) fn patterns(schema: &CompiledSchema, at: &Pointer, strict: bool) -> Vec<Finding> {
    let document = schema.document();
    let mut judged: BTreeMap<String, Judgement> = BTreeMap::new();
    let (mut findings, mut steps) = (Vec::new(), 0);
    for pointer in document.schemas() {
        let Some(serde_json::Value::Object(members)) = document.at(pointer) else { continue };
        let longest = members.get("maxLength").and_then(serde_json::Value::as_u64);
        let own = members.get("pattern").and_then(serde_json::Value::as_str);
        let own = own.map(|source| (pointer.key("pattern"), source.to_owned(), longest));
        let keys = members.get("patternProperties").and_then(serde_json::Value::as_object);
        // How long the names of members may be is said beside them.
        let names =
            members.get("propertyNames").and_then(|names| names.get("maxLength")).and_then(serde_json::Value::as_u64);
        let keys = keys.into_iter().flat_map(|keys| keys.keys());
        let keys = keys.map(|key| (pointer.key("patternProperties").key(key), key.clone(), names));
        for (place, source, longest) in own.into_iter().chain(keys) {
            let judgement = judged.entry(source.clone()).or_insert_with(|| {
                let judgement = if steps < STEPS { judge(&source, Flags::SCHEMA) } else { Judgement::not_looked_at() };
                steps += judgement.steps;
                judgement
            });
            if let Some((signal, severity)) = weigh(judgement, &source, longest, strict) {
                findings.push(finding(signal, severity, at.join(&place), &source, judgement));
            }
        }
    }
    findings
}

/// The same for a schema that does not compile and is passed on all the same: what looks like a pattern is judged as one.
pub(crate) fn raw_patterns(schema: &Json, at: &Pointer, strict: bool) -> Vec<Finding> {
    let mut sources = Vec::new();
    collect(schema, at, &mut sources);
    let (mut findings, mut steps) = (Vec::new(), 0);
    for (place, source) in sources {
        let judgement = if steps < STEPS { judge(&source, Flags::SCHEMA) } else { Judgement::not_looked_at() };
        steps += judgement.steps;
        if let Some((signal, severity)) = weigh(&judgement, &source, None, strict) {
            findings.push(finding(signal, severity, place, &source, &judgement));
        }
    }
    findings
}

fn collect(value: &Json, at: &Pointer, sources: &mut Vec<(Pointer, String)>) {
    match value {
        Json::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, element)| collect(element, &at.index(index), sources));
        }
        Json::Object(members) => {
            for (key, member) in members.iter().filter(|(key, _)| !crate::schema::is_data(key)) {
                let place = at.key(key);
                match member {
                    Json::String(source) if key == "pattern" => sources.push((place.clone(), source.clone())),
                    Json::Object(keys) if key == "patternProperties" => {
                        sources.extend(keys.iter().map(|(source, _)| (place.key(source), source.clone())));
                    }
                    _ => {}
                }
                collect(member, &place, sources);
            }
        }
        _ => {}
    }
}

/// What a verdict does, where texts are at most so long.
fn weigh(judgement: &Judgement, source: &str, longest: Option<u64>, strict: bool) -> Option<(Signal, Severity)> {
    let graver = |bounded: bool| if bounded { Severity::Note } else { Severity::Refuse };
    match &judgement.verdict {
        // What lies outside was refused or rewritten exactly when the schema was compiled.
        Verdict::Linear | Verdict::Outside(_) => None,
        Verdict::Polynomial { degree } => {
            let bounded =
                longest.is_some_and(|longest| longest.checked_pow(*degree).is_some_and(|work| work <= HARMLESS));
            match degree {
                2 if bounded => None,
                2 => Some((Signal::PatternPolynomial, graver(!strict))),
                _ => Some((Signal::PatternPolynomial, graver(bounded))),
            }
        }
        Verdict::Exponential | Verdict::BoundedExponential => {
            let witness = judgement.witness.as_ref().filter(|witness| witness.confirmed);
            let cheap = longest.filter(|longest| *longest <= SHORT).zip(witness).is_some_and(|(longest, witness)| {
                is_cheap(source, Flags::SCHEMA, witness, usize::try_from(longest).unwrap_or(0), HARMLESS)
            });
            Some((Signal::PatternExponential, graver(cheap)))
        }
        Verdict::Undecided(_) => Some((Signal::PatternUndecided, Severity::Refuse)),
    }
}

fn finding(signal: Signal, severity: Severity, pointer: Pointer, source: &str, judgement: &Judgement) -> Finding {
    let degree = match judgement.verdict {
        Verdict::Polynomial { degree } => Some(degree),
        _ => None,
    };
    let witness = judgement.witness.clone().map(|text| PatternWitness { text, degree });
    let shown = witness.as_ref().map(|witness| {
        let Witness { prefix, pump, suffix, .. } = &witness.text;
        let part = |text: &str| excerpt(text, 40);
        format!(", attacked by \"{}\" + \"{}\" many times + \"{}\"", part(prefix), part(pump), part(suffix))
    });
    let excerpt = format!("{}{}", excerpt(source, 80), shown.unwrap_or_default());
    Finding { signal, severity, pointer, span: 0..source.len(), excerpt, witness }
}
