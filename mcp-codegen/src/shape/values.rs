//! Listed values: `enum` and `const`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::kinds::Kinds;
use super::lower::Walk;
use super::parts::{Part, Parts, Place};
use super::{AnyReason, EnumDef, Shape, TypeDef};

/// The most values for which an enumeration is a type.
const MAX_VALUES: usize = 200;

/// The shape of some values, as far as they are of these kinds.
pub(super) fn lower(walk: &mut Walk<'_>, values: &[Value], place: &Place, kinds: Kinds) -> Shape {
    let valid: Vec<&Value> = values.iter().filter(|value| kinds.has(Kinds::of_value(value))).collect();
    let of = |wanted: Kinds| valid.iter().copied().filter(move |value| wanted.has(Kinds::of_value(value)));
    let mut parts = Parts { null: of(Kinds::NULL).next().is_some(), ..Parts::default() };
    let present = |wanted: Kinds| of(wanted).next().is_some();
    if present(Kinds::BOOL) {
        parts.of.insert(Part::Bool, Shape::Bool);
    }
    let mut numbers = of(Kinds::INTEGER | Kinds::FRACTION).peekable();
    if numbers.peek().is_some() {
        let numbers: Vec<&Value> = numbers.collect();
        let all = |test: fn(&Value) -> bool| numbers.iter().all(|value| test(value));
        let signed = all(Value::is_i64).then_some(Shape::I64);
        let shape = signed.or_else(|| all(Value::is_u64).then_some(Shape::U64)).unwrap_or(Shape::F64);
        parts.of.insert(Part::Number, shape);
    }
    if present(Kinds::ARRAY) {
        parts.of.insert(Part::List, Shape::List(Box::new(Shape::Any(AnyReason::Unconstrained))));
    }
    if present(Kinds::OBJECT) {
        parts.of.insert(Part::Object, Shape::Map(Box::new(Shape::Any(AnyReason::Unconstrained))));
    }
    let strings: Vec<String> = of(Kinds::STRING).filter_map(|value| value.as_str().map(str::to_owned)).collect();
    if !strings.is_empty() {
        let inside = place.of_part(Part::Text, !parts.of.is_empty());
        let shape = strings_of(walk, strings, false, &inside);
        parts.of.insert(Part::Text, shape);
    }
    walk.assemble(parts, place)
}

/// An enumeration type for some strings; any string where they are too many for a type.
pub(super) fn strings_of(walk: &mut Walk<'_>, mut values: Vec<String>, open: bool, place: &Place) -> Shape {
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
    if values.len() > MAX_VALUES {
        return Shape::String;
    }
    walk.define(place, TypeDef::Enum(EnumDef { values, open }))
}
