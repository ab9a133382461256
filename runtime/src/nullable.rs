//! Absent, `null`, or a value: what `Option` alone cannot tell apart.

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
