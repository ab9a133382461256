//! `mcp-digest-v1`: two definitions have one digest exactly if they mean the same.
//!
//! SHA-256 over a canonical text: members sorted by key, numbers as normalised decimals, strings escaped one way.
//! RFC 8785 was not taken because it reads numbers as doubles, where 2^53 and 2^53 + 1 are one; here they differ,
//! and `1.0`, `1` and `10e-1` do not.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::{Json, Number};

/// The digest of a definition, such as `mcp-digest-v1:9f86d081…` (64 hex digits).
///
/// ```
/// use mcp_contract::json::{Digest, parse};
/// let of = |text| Digest::of(&parse(text).unwrap());
/// assert_eq!(of(r#"{"a":1.0,"b":2}"#), of(r#"{"b":2,"a":1}"#));
/// assert_ne!(of("9007199254740992"), of("9007199254740993"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

impl Digest {
    /// The digest of a value.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        let mut canonical = String::new();
        write_canonical(&mut canonical, value);
        Self(format!("mcp-digest-v1:{}", hex(&Sha256::digest(canonical.as_bytes()))))
    }

    /// Takes a digest that was written down before. It is compared as text, so a spelling that is not a digest equals
    /// none.
    #[must_use]
    pub fn from_spelling(spelling: impl Into<String>) -> Self {
        Self(spelling.into())
    }

    /// The digest as it is written down.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::Shown(&self.0).fmt(out)
    }
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        write!(out, "{byte:02x}").expect("a String takes everything");
        out
    })
}

fn write_canonical(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&normalised(number)),
        Json::String(text) => out.push_str(&literal(text)),
        Json::Array(elements) => {
            out.push('[');
            for element in elements {
                write_canonical(out, element);
                out.push(',');
            }
            out.push(']');
        }
        Json::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (key, member) in sorted {
                out.push_str(&literal(key));
                out.push(':');
                write_canonical(out, member);
                out.push(',');
            }
            out.push('}');
        }
    }
}

/// A string literal with the fewest escapes: the digest must not depend on which characters a Unicode version hides.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The number as `-?digits e exponent` without leading or trailing zeros; zero is `0`.
///
/// An exponent beyond `i64` keeps its spelling: such a number cannot be shifted, and no two spellings of it are worth
/// telling apart.
fn normalised(number: &Number) -> String {
    let spelling = number.as_str();
    let (sign, unsigned) = spelling.strip_prefix('-').map_or(("", spelling), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let shift = i64::try_from(trailing).ok().zip(i64::try_from(fraction.len()).ok()).map(|(t, f)| t - f);
    match exponent.parse::<i64>().ok().zip(shift).and_then(|(e, s)| e.checked_add(s)) {
        Some(exponent) => format!("{sign}{significant}e{exponent}"),
        None => spelling.to_owned(),
    }
}
