//! Serde's way in and out: a generated type that stands in somebody's own document.

use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de};
use serde_json::Value;

use super::Json;

/// Writes a value, for `#[serde(with = "mcp_runtime::json")]` on a field.
///
/// # Errors
///
/// The format's own.
pub fn serialize<S: Serializer, T: Json>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.encode().serialize(serializer)
}

/// Reads a value, for `#[serde(with = "mcp_runtime::json")]` on a field. Works with formats that describe themselves, as JSON, YAML and
/// TOML do.
///
/// # Errors
///
/// The format's own, or where the value does not fit.
pub fn deserialize<'de, D: Deserializer<'de>, T: Json>(deserializer: D) -> Result<T, D::Error> {
    T::decode(&Value::deserialize(deserializer)?).map_err(de::Error::custom)
}
