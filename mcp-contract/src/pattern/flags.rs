//! The flags of a regular expression outside JSON Schema, which has none of its own.

use super::Reading;

/// How a pattern is to be read. JSON Schema's is [`Flags::SCHEMA`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// By which grammar it is read; nothing means strictly where that is possible, and by Annex B where not.
    pub(super) reading: Option<Reading>,
    pub(super) ignore_case: bool,
    pub(super) dot_all: bool,
    pub(super) multiline: bool,
}

impl Flags {
    /// As JSON Schema reads a pattern.
    pub const SCHEMA: Self = Self { reading: None, ignore_case: false, dot_all: false, multiline: false };

    /// Reads the flags of a `RegExp`: without `u` the pattern is read by Annex B. Flags that have no bearing on what matches are
    /// passed over.
    ///
    /// ```
    /// use mcp_contract::pattern::Flags;
    /// assert!(Flags::parse("gi").is_some());
    /// assert!(Flags::parse("x").is_none());
    /// ```
    #[must_use]
    pub fn parse(flags: &str) -> Option<Self> {
        let mut read = Self { reading: Some(Reading::AnnexB), ..Self::SCHEMA };
        for flag in flags.chars() {
            match flag {
                // The classes of `v` are another language, which is not read here.
                'u' => read.reading = Some(Reading::Unicode),
                'i' => read.ignore_case = true,
                's' => read.dot_all = true,
                'm' => read.multiline = true,
                'd' | 'g' | 'y' => {}
                _ => return None,
            }
        }
        Some(read)
    }
}
