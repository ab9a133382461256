//! Absent, `null`, or a value: what `Option` alone cannot tell apart.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member that may be left out, be `null`, or hold a value, where the three differ.
///
/// ```
/// use mcp_runtime::Nullable;
/// let name: Nullable<String> = "x".to_owned().into();
/// assert_eq!(name.value().map(String::as_str), Some("x"));
/// assert!(Nullable::<String>::default().is_absent());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(clippy::exhaustive_enums, reason = "there is no fourth case")]
pub enum Nullable<T> {
    /// The member is left out.
    #[default]
    Absent,
    /// The member is `null`.
    Null,
    /// The member holds a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Whether the member is left out.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // An absent member is skipped by its struct; alone it has no other spelling than null.
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Value(value) => serializer.serialize_some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Value))
    }
}

/// Reads a member that is there, so that `null` becomes `Some` of it. For generated code, on members of any type.
///
/// # Errors
///
/// What the value's own reader says.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
