//! Lists, tuples, maps, boxes, and values that may be `null`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Json, Mismatch};

impl<T: Json> Json for Vec<T> {
    fn encode(&self) -> Value {
        Value::Array(self.iter().map(Json::encode).collect())
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        let elements = value.as_array().ok_or_else(|| Mismatch::new("a list", value))?;
        elements.iter().enumerate().map(|(index, element)| element_at(index, element)).collect()
    }
}

impl<T: Json> Json for BTreeMap<String, T> {
    fn encode(&self) -> Value {
        Value::Object(self.iter().map(|(key, value)| (key.clone(), value.encode())).collect())
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        let members = value.as_object().ok_or_else(|| Mismatch::new("an object", value))?;
        members.iter().map(|(key, value)| Ok((key.clone(), member_at(key, value)?))).collect()
    }
}

impl<T: Json> Json for Box<T> {
    const NULL: bool = T::NULL;

    fn encode(&self) -> Value {
        T::encode(self)
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        T::decode(value).map(Self::new)
    }
}

/// A value that may be `null`. As a member that may be left out, see [`Optional`](super::Optional).
impl<T: Json> Json for Option<T> {
    const NULL: bool = true;

    fn encode(&self) -> Value {
        self.as_ref().map_or(Value::Null, Json::encode)
    }

    fn decode(value: &Value) -> Result<Self, Mismatch> {
        if value.is_null() { Ok(None) } else { T::decode(value).map(Some) }
    }
}

macro_rules! tuple {
    ($($name:ident $index:tt)+) => {
        impl<$($name: Json),+> Json for ($($name,)+) {
            fn encode(&self) -> Value {
                Value::Array(vec![$(self.$index.encode()),+])
            }

            fn decode(value: &Value) -> Result<Self, Mismatch> {
                const LENGTH: usize = [$($index),+].len();
                match value.as_array() {
                    Some(elements) if elements.len() == LENGTH => Ok(($(element_at($index, &elements[$index])?,)+)),
                    _ => Err(Mismatch::new("a list of the declared length", value)),
                }
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);

fn element_at<T: Json>(index: usize, element: &Value) -> Result<T, Mismatch> {
    T::decode(element).map_err(|mismatch| mismatch.in_element(index))
}

/// Reads the member of an object.
pub(super) fn member_at<T: Json>(member: &str, value: &Value) -> Result<T, Mismatch> {
    T::decode(value).map_err(|mismatch| mismatch.in_member(member))
}
