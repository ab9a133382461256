//! What one alternative of a schema asks of a value, all keywords that hold together taken as one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::amount::{Amount, equal};
use crate::json::Pointer;

/// Schemas that hold together, by their places: sorted, without repetition. None of them means any value.
pub(super) type Node = Vec<Pointer>;

/// A set of JSON types; integers are numbers that are whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const NUMBER: Self = Self(4);
    pub(super) const STRING: Self = Self(8);
    pub(super) const ARRAY: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);
    pub(super) const ANY: Self = Self(63);
    pub(super) const NONE: Self = Self(0);
    const EACH: [Self; 6] = [Self::NULL, Self::BOOLEAN, Self::NUMBER, Self::STRING, Self::ARRAY, Self::OBJECT];

    pub(super) fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "number" | "integer" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::NONE,
        }
    }

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The types, one by one.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        Self::EACH.into_iter().filter(move |single| self.has(*single))
    }
}

/// A bound on numbers; where it is open, the number itself is out of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) at: Amount,
    pub(super) open: bool,
}

/// What is asked of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    pub(super) whole: bool,
    pub(super) low: Option<Bound>,
    pub(super) high: Option<Bound>,
    pub(super) multiples: Vec<Amount>,
}

/// How many there must and may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) least: u64,
    pub(super) most: Option<u64>,
}

/// What is asked of strings.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pub(super) length: Count,
    pub(super) patterns: BTreeSet<String>,
    /// The formats, and whether the dialect asserts them.
    pub(super) formats: BTreeMap<String, bool>,
}

/// What one schema asks of an object's members: `additionalProperties` speaks of its neighbours only.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) properties: BTreeMap<String, Pointer>,
    pub(super) patterns: BTreeMap<String, Pointer>,
    pub(super) additional: Option<Additional>,
}

/// `additionalProperties`.
#[derive(Clone, Debug)]
pub(super) struct Additional {
    pub(super) at: Pointer,
    pub(super) closed: bool,
}

/// What is asked of objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    pub(super) layers: Vec<Layer>,
    pub(super) required: BTreeSet<String>,
    pub(super) count: Count,
    pub(super) names: Node,
}

/// What one schema asks of an array's elements.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) places: Vec<Pointer>,
    pub(super) rest: Option<Pointer>,
}

/// What is asked of arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrays {
    pub(super) rows: Vec<Row>,
    pub(super) count: Count,
    pub(super) unique: bool,
}

/// Keywords that are compared by their spelling only, and the schema that holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opaque {
    pub(super) at: Pointer,
    pub(super) keywords: &'static [&'static str],
}

/// One alternative of a schema.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) types: Types,
    pub(super) values: Option<Vec<Value>>,
    pub(super) numbers: Numbers,
    pub(super) texts: Texts,
    pub(super) objects: Objects,
    pub(super) arrays: Arrays,
    pub(super) opaque: Vec<Opaque>,
    /// The schemas that were read.
    pub(super) at: Vec<Pointer>,
}

impl Facts {
    pub(super) fn any() -> Self {
        Self {
            types: Types::ANY,
            values: None,
            numbers: Numbers::default(),
            texts: Texts::default(),
            objects: Objects::default(),
            arrays: Arrays::default(),
            opaque: Vec::new(),
            at: Vec::new(),
        }
    }

    /// Both at once; `None` where nothing satisfies them.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        both.types = self.types.and(other.types);
        both.values = match (&self.values, &other.values) {
            (Some(one), Some(two)) => {
                Some(one.iter().filter(|value| two.iter().any(|other| equal(value, other))).cloned().collect())
            }
            (one, two) => one.as_ref().or(two.as_ref()).cloned(),
        };
        both.numbers.and(&other.numbers);
        both.texts.length = self.texts.length.and(other.texts.length);
        both.texts.patterns.extend(other.texts.patterns.iter().cloned());
        for (format, asserted) in &other.texts.formats {
            *both.texts.formats.entry(format.clone()).or_default() |= asserted;
        }
        both.objects.layers.extend(other.objects.layers.iter().cloned());
        both.objects.required.extend(other.objects.required.iter().cloned());
        both.objects.count = self.objects.count.and(other.objects.count);
        both.objects.names.extend(other.objects.names.iter().cloned());
        both.arrays.rows.extend(other.arrays.rows.iter().cloned());
        both.arrays.count = self.arrays.count.and(other.arrays.count);
        both.arrays.unique |= other.arrays.unique;
        both.opaque.extend(other.opaque.iter().cloned());
        both.at.extend(other.at.iter().cloned());
        both.settled()
    }

    /// The facts with what cannot be left out; `None` where nothing is left.
    pub(super) fn settled(mut self) -> Option<Self> {
        if let Some(values) = self.values.take() {
            let kept: Vec<Value> = values.into_iter().filter(|value| self.may_be(value)).collect();
            self.types = kept.iter().fold(Types::NONE, |types, value| types.or(Types::of(value)));
            self.values = Some(kept);
        }
        (self.types != Types::NONE).then_some(self)
    }

    /// Whether a value is not ruled out by its type or size. What patterns, members and elements say is not looked at.
    fn may_be(&self, value: &Value) -> bool {
        self.types.has(Types::of(value))
            && match value {
                Value::Number(_) => Amount::of(value).is_some_and(|amount| self.numbers.has(amount)),
                Value::String(text) => self.texts.length.has(text.chars().count() as u64),
                _ => true,
            }
    }

    /// Only the values of one type, which the facts allow.
    pub(super) fn only(&self, single: Types) -> Self {
        let mut facts = self.clone();
        facts.types = single;
        if let Some(values) = &mut facts.values {
            values.retain(|value| Types::of(value) == single);
        }
        facts
    }

    /// Only one value.
    pub(super) fn exactly(&self, value: &Value) -> Self {
        Self { types: Types::of(value), values: Some(vec![value.clone()]), ..self.clone() }
    }
}

impl Numbers {
    pub(super) fn and(&mut self, other: &Self) {
        self.whole |= other.whole;
        let tighter = |one: Option<Bound>, two: Option<Bound>, wins: Ordering| match (one, two) {
            (Some(one), Some(two)) => Some(match one.at.compare(two.at) {
                Ordering::Equal => Bound { open: one.open || two.open, ..one },
                order if order == wins => one,
                _ => two,
            }),
            (one, two) => one.or(two),
        };
        self.low = tighter(self.low, other.low, Ordering::Greater);
        self.high = tighter(self.high, other.high, Ordering::Less);
        self.multiples.extend(&other.multiples);
    }

    pub(super) fn has(&self, amount: Amount) -> bool {
        let above = self.low.is_none_or(|low| match amount.compare(low.at) {
            Ordering::Equal => !low.open,
            order => order == Ordering::Greater,
        });
        let below = self.high.is_none_or(|high| match amount.compare(high.at) {
            Ordering::Equal => !high.open,
            order => order == Ordering::Less,
        });
        let whole = !self.whole || amount.is_whole();
        above && below && whole && self.multiples.iter().all(|multiple| amount.is_multiple_of(*multiple))
    }

    /// The bounds as they are for the numbers that are meant: among whole numbers `> 0` is `>= 1`.
    pub(super) fn bounds(&self, whole: bool) -> (Option<Bound>, Option<Bound>) {
        let settle = |bound: Bound, up: bool| {
            if !whole {
                return bound;
            }
            let at = if up { bound.at.ceiling() } else { bound.at.floor() };
            let moved = at.compare(bound.at) != Ordering::Equal;
            match at {
                Amount::Whole(_) if bound.open && !moved => Bound { at: at.beside(true, up), open: false },
                Amount::Whole(_) => Bound { at, open: false },
                Amount::Real(_) => bound,
            }
        };
        (self.low.map(|low| settle(low, true)), self.high.map(|high| settle(high, false)))
    }
}

impl Count {
    fn and(self, other: Self) -> Self {
        let most = match (self.most, other.most) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Self { least: self.least.max(other.least), most }
    }

    pub(super) fn has(self, count: u64) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }

    /// Whether every count of this one is a count of the other.
    pub(super) fn within(self, other: Self) -> bool {
        self.least >= other.least && other.most.is_none_or(|theirs| self.most.is_some_and(|ours| ours <= theirs))
    }
}
