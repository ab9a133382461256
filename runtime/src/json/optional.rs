//! Members that may be left out.

use serde_json::Value;

use super::{Json, Mismatch};
use crate::nullable::Nullable;

/// What a member that may be left out is kept in.
pub trait Optional: Sized {
    /// The member is left out.
    fn absent() -> Self;

    /// The member is there.
    ///
    /// # Errors
    ///
    /// Its value does not fit.
    fn present(value: &Value) -> Result<Self, Mismatch>;

    /// The member's value, where it is there.
    fn value(&self) -> Option<Value>;
}

/// `null` is absence, unless it is a value.
impl<T: Json> Optional for Option<T> {
    fn absent() -> Self {
        None
    }

    fn present(value: &Value) -> Result<Self, Mismatch> {
        if value.is_null() && !T::NULL { Ok(None) } else { T::decode(value).map(Some) }
    }

    fn value(&self) -> Option<Value> {
        self.as_ref().map(Json::encode)
    }
}

impl<T: Json> Optional for Nullable<T> {
    fn absent() -> Self {
        Self::Absent
    }

    fn present(value: &Value) -> Result<Self, Mismatch> {
        if value.is_null() { Ok(Self::Null) } else { T::decode(value).map(Self::Value) }
    }

    fn value(&self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Null => Some(Value::Null),
            Self::Value(value) => Some(value.encode()),
        }
    }
}
