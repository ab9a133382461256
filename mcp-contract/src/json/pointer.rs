//! JSON pointers (RFC 6901): where in a definition something is.
//!
//! A pointer is built while walking and read by people, so it is a string from the start; the few places that need the
//! steps split it again.

use std::fmt;

use crate::text::Shown;

/// A JSON pointer such as `/properties/owner/type`; the empty pointer is the whole document.
///
/// ```
/// use mcp_contract::json::Pointer;
/// let pointer = Pointer::root().key("a/b").index(2);
/// assert_eq!(pointer.as_str(), "/a~1b/2");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer to the whole document.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Takes a pointer that is already spelled as RFC 6901 wants it, such as one from a validator.
    #[must_use]
    pub fn from_spelling(spelling: impl Into<String>) -> Self {
        Self(spelling.into())
    }

    /// The pointer to the member `key` of what this one points to.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut longer = String::with_capacity(self.0.len() + key.len() + 1);
        longer.push_str(&self.0);
        longer.push('/');
        for character in key.chars() {
            match character {
                '~' => longer.push_str("~0"),
                '/' => longer.push_str("~1"),
                other => longer.push(other),
            }
        }
        Self(longer)
    }

    /// The pointer to the element `index` of what this one points to.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// This pointer with `rest` behind it.
    #[must_use]
    pub fn join(&self, rest: &Pointer) -> Self {
        Self(format!("{}{}", self.0, rest.0))
    }

    /// The pointer as RFC 6901 spells it. Keys are foreign text: show it with `Display`, which spells out what hides.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { out.write_str("the whole document") } else { Shown(&self.0).fmt(out) }
    }
}
