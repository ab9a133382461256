//! Scalars: numbers by their value and not by how they are spelled.

use serde_json::{Number, Value};

use super::{Json, Mismatch};

impl Json for bool {
    fn encode(&self) -> Value {
        Value::Bool(*self)
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        value.as_bool().ok_or_else(|| Mismatch::new("a boolean", value))
    }
}

impl Json for String {
    fn encode(&self) -> Value {
        Value::String(self.clone())
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        value.as_str().map(str::to_owned).ok_or_else(|| Mismatch::new("a string", value))
    }
}

impl Json for i64 {
    fn encode(&self) -> Value {
        Value::from(*self)
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        integral(value).and_then(|number| number.as_i64()).ok_or_else(|| Mismatch::new("an integer", value))
    }
}

impl Json for u64 {
    fn encode(&self) -> Value {
        Value::from(*self)
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        let number = integral(value).and_then(|number| number.as_u64());
        number.ok_or_else(|| Mismatch::new("an integer that is not negative", value))
    }
}

impl Json for f64 {
    /// A count that a schema calls a number is `10`, not `10.0`, to servers that look closer than JSON does. Beyond 2^53, where floats
    /// are no longer exact, it stays a float and claims no exactness.
    fn encode(&self) -> Value {
        let value = Value::from(*self);
        let count = integral(&value).filter(|_| self.abs() < 9_007_199_254_740_992.0);
        count.map_or(value, Value::Number)
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        value.as_f64().ok_or_else(|| Mismatch::new("a number", value))
    }
}

/// `null` alone.
impl Json for () {
    const NULL: bool = true;

    fn encode(&self) -> Value {
        Value::Null
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        value.as_null().ok_or_else(|| Mismatch::new("null", value))
    }
}

impl Json for Value {
    const NULL: bool = true;

    fn encode(&self) -> Value {
        self.clone()
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        Ok(value.clone())
    }
}

/// The integer that a number is, where one of the 64-bit types holds it: JSON knows one kind of number, and servers write `1.0` for 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
fn integral(value: &Value) -> Option<Number> {
    let number = value.as_number()?;
    if !number.is_f64() {
        return Some(number.clone());
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
    // 2^63 and 2^64 are exact as floats.
    match float {
        _ if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) => {
            Some((float as i64).into())
        }
        _ if (0.0..18_446_744_073_709_551_616.0).contains(&float) => Some((float as u64).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Json;

    #[test]
    fn floats_are_written_as_integers_where_they_count_exactly() {
        let cases = [
            (3.0, json!(3)),
            (-0.0, json!(0)),
            (2.5, json!(2.5)),
            (-9_007_199_254_740_991.0, json!(-9_007_199_254_740_991_i64)),
            (9_007_199_254_740_992.0, json!(9_007_199_254_740_992.0)),
            (f64::NAN, Value::Null),
        ];
        for (float, expected) in cases {
            assert_eq!(float.encode(), expected, "{float}");
        }
    }

    #[test]
    fn integers_are_read_by_their_value() {
        assert_eq!(i64::decode(&json!(3.0)), Ok(3));
        assert_eq!(i64::decode(&json!(-9_223_372_036_854_775_808.0)), Ok(i64::MIN));
        assert_eq!(u64::decode(&json!(u64::MAX)), Ok(u64::MAX));
        assert_eq!(f64::decode(&json!(7)), Ok(7.0));
        for wrong in [json!(2.5), json!(u64::MAX), json!(1e300), json!("3"), json!(null)] {
            assert!(i64::decode(&wrong).is_err(), "{wrong}");
        }
        assert!(u64::decode(&json!(-1)).is_err());
    }
}
