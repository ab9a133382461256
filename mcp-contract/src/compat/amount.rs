//! Numbers of a schema, compared exactly.
//!
//! `2^53 - 1` is the bound that several generators write, and as doubles it and its neighbours blur; so what is whole is held as an
//! integer, and only what is not is a double.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// A number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    Whole(i128),
    Real(f64),
}

/// Up to here every whole double is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Amount {
    pub(super) fn of(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        match (whole, number.as_f64()) {
            (Some(whole), _) => Some(Self::Whole(whole)),
            #[allow(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            (None, Some(real)) if real.fract() == 0.0 && real.abs() <= EXACT => Some(Self::Whole(real as i128)),
            (None, real) => real.map(Self::Real),
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "only beside a double, which is no more exact")]
    fn real(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(one), Self::Whole(two)) => one.cmp(&two),
            (one, two) => one.real().total_cmp(&two.real()),
        }
    }

    /// The least whole number that is not less, where it is small enough to be exact.
    pub(super) fn ceiling(self) -> Self {
        self.rounded(f64::ceil)
    }

    /// The greatest whole number that is not greater, where it is small enough to be exact.
    pub(super) fn floor(self) -> Self {
        self.rounded(f64::floor)
    }

    fn rounded(self, round: fn(f64) -> f64) -> Self {
        match self {
            #[allow(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            Self::Real(real) if real.abs() <= EXACT => Self::Whole(round(real) as i128),
            other => other,
        }
    }

    /// A number beside this one: for whole numbers the next, else one half away.
    pub(super) fn beside(self, whole: bool, up: bool) -> Self {
        match (self, whole) {
            (Self::Whole(at), true) => Self::Whole(if up { at + 1 } else { at - 1 }),
            (at, _) => Self::Real(at.real() + if up { 0.5 } else { -0.5 }),
        }
    }

    pub(super) fn is_whole(self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Real(real) => real.fract() == 0.0,
        }
    }

    /// Whether this is a multiple of the other.
    pub(super) fn is_multiple_of(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole(one), Self::Whole(two)) => two != 0 && one % two == 0,
            (one, two) => {
                let share = one.real() / two.real();
                share.is_finite() && (share - share.round()).abs() < 1e-9
            }
        }
    }

    pub(super) fn value(self) -> Option<Value> {
        match self {
            Self::Whole(whole) => match (i64::try_from(whole), u64::try_from(whole)) {
                (Ok(signed), _) => Some(Value::from(signed)),
                (_, Ok(unsigned)) => Some(Value::from(unsigned)),
                _ => Number::from_f64(self.real()).map(Value::Number),
            },
            Self::Real(real) => Number::from_f64(real).map(Value::Number),
        }
    }
}

/// Whether two values are one in JSON's eyes: `1` and `1.0` are.
pub(super) fn equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(_), Value::Number(_)) => {
            let (one, two) = (Amount::of(one), Amount::of(two));
            one.zip(two).is_some_and(|(one, two)| one.compare(two) == Ordering::Equal)
        }
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len() && one.iter().all(|(key, one)| two.get(key).is_some_and(|two| equal(one, two)))
        }
        (one, two) => one == two,
    }
}
