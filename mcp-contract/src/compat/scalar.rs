//! Numbers, strings and listed values: what one alternative takes and another does not.

use std::cmp::Ordering;

use serde_json::Value;

use super::amount::{Amount, equal};
use super::facts::{Bound, Facts, Types};
use super::prove::{Found, Kind, place};
use super::side::Side;
use crate::pattern::{Contained, Pattern, contained};

/// What of `ours`, which is of one type, `theirs` does not take.
pub(super) fn obstacles(producer: &Side<'_>, ours: &Facts, acceptor: &Side<'_>, theirs: &Facts) -> Vec<Found> {
    let mut found = Vec::new();
    let mut add = |kind: Kind, word: &str| {
        found.push((kind, place(producer, ours, word), place(acceptor, theirs, word), None));
    };
    if !theirs.types.has(ours.types) {
        add(Kind::Type, "type");
        return found;
    }
    let value = match ours.values.as_deref() {
        Some([value]) => Some(value),
        _ => None,
    };
    if let Some(listed) = &theirs.values {
        let word = |side: &Side<'_>, facts: &Facts| {
            let at = |word: &str| place(side, facts, word);
            let constant = at("const");
            if constant.as_str().ends_with("/const") { constant } else { at("enum") }
        };
        if value.is_none_or(|value| !listed.iter().any(|listed| equal(listed, value))) {
            found.push((Kind::Values, word(producer, ours), word(acceptor, theirs), None));
            return found;
        }
    }
    match value {
        Some(Value::Number(_)) if value.and_then(Amount::of).is_some_and(|amount| theirs.numbers.has(amount)) => {}
        Some(Value::String(text)) => {
            if !theirs.texts.length.has(text.chars().count() as u64) {
                add(Kind::Length, length_word(theirs.texts.length.least > text.chars().count() as u64));
            }
            let matched = |pattern: &String| Pattern::compile(pattern).is_ok_and(|pattern| pattern.is_match(text));
            if !theirs.texts.patterns.iter().all(matched) {
                add(Kind::Pattern, "pattern");
            }
            formats(ours, theirs, &mut add);
        }
        // A listed object or array that the other lists too, and asks nothing else of.
        Some(Value::Array(_) | Value::Object(_)) if theirs.values.is_some() && asks_nothing_else(theirs) => {}
        Some(Value::Array(_) | Value::Object(_)) => add(Kind::Values, "enum"),
        Some(Value::Number(_)) | None if ours.types == Types::NUMBER => numbers(ours, theirs, &mut add),
        None if ours.types == Types::STRING => texts(ours, theirs, &mut add),
        _ => {}
    }
    found
}

/// Whether nothing is asked of objects and arrays.
fn asks_nothing_else(facts: &Facts) -> bool {
    let (objects, arrays) = (&facts.objects, &facts.arrays);
    let no_count = |count: super::facts::Count| count == super::facts::Count::default();
    objects.layers.is_empty()
        && objects.required.is_empty()
        && objects.names.is_empty()
        && arrays.rows.is_empty()
        && !arrays.unique
        && no_count(objects.count)
        && no_count(arrays.count)
}

fn numbers(ours: &Facts, theirs: &Facts, add: &mut impl FnMut(Kind, &str)) {
    let whole =
        ours.numbers.whole || ours.numbers.multiples.iter().any(|multiple| matches!(multiple, Amount::Whole(_)));
    if theirs.numbers.whole && !whole {
        add(Kind::Type, "type");
    }
    let (low, high) = ours.numbers.bounds(whole);
    let (their_low, their_high) = theirs.numbers.bounds(whole);
    let inside = |mine: Option<Bound>, limit: Option<Bound>, wanted: Ordering| {
        limit.is_none_or(|limit| {
            mine.is_some_and(|mine| match mine.at.compare(limit.at) {
                Ordering::Equal => mine.open || !limit.open,
                order => order == wanted,
            })
        })
    };
    for (fits, open, words) in [
        (inside(low, their_low, Ordering::Greater), theirs.numbers.low, ["minimum", "exclusiveMinimum"]),
        (inside(high, their_high, Ordering::Less), theirs.numbers.high, ["maximum", "exclusiveMaximum"]),
    ] {
        if !fits {
            add(Kind::Range, words[usize::from(open.is_some_and(|bound| bound.open))]);
        }
    }
    let divided = |theirs: &Amount| {
        (whole && Amount::Whole(1).is_multiple_of(*theirs))
            || ours.numbers.multiples.iter().any(|mine| mine.is_multiple_of(*theirs))
    };
    if !theirs.numbers.multiples.iter().all(divided) {
        add(Kind::Range, "multipleOf");
    }
}

fn texts(ours: &Facts, theirs: &Facts, add: &mut impl FnMut(Kind, &str)) {
    if !ours.texts.length.within(theirs.texts.length) {
        add(Kind::Length, length_word(ours.texts.length.least < theirs.texts.length.least));
    }
    let held = |wanted: &String| {
        let own = ours.texts.patterns.iter().map(String::as_str);
        own.chain([""]).any(|own| own == wanted || contained(own, wanted) == Contained::Yes)
    };
    if !theirs.texts.patterns.iter().all(held) {
        add(Kind::Pattern, "pattern");
    }
    formats(ours, theirs, add);
}

/// A format that both name counts as held by both, whatever the two dialects make of it.
fn formats(ours: &Facts, theirs: &Facts, add: &mut impl FnMut(Kind, &str)) {
    let held = |(format, asserted): (&String, &bool)| !asserted || ours.texts.formats.contains_key(format);
    if !theirs.texts.formats.iter().all(held) {
        add(Kind::Format, "format");
    }
}

fn length_word(short: bool) -> &'static str {
    if short { "minLength" } else { "maxLength" }
}
