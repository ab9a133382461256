//! How grave a change is.

use std::fmt;

/// A grade, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// A call that was valid is refused, an argument is ignored, or a result is not what was promised.
    Breaking,
    /// The server claims to do more, or less, than before: a hint moved.
    Authority,
    /// The new words give the model orders that the old ones did not.
    Instructing,
    /// The tool is gone.
    Removed,
    /// The tool goes by another name.
    Renamed,
    /// The tool is new.
    Added,
    /// More arguments are taken, or results promise more.
    Compatible,
    /// Icons, `_meta` and what nobody knows.
    Metadata,
    /// Words.
    Text,
    /// Nothing that means anything.
    Unchanged,
}

impl Grade {
    /// All grades, the gravest first.
    pub const ALL: &'static [Self] = &[
        Self::Breaking,
        Self::Authority,
        Self::Instructing,
        Self::Removed,
        Self::Renamed,
        Self::Added,
        Self::Compatible,
        Self::Metadata,
        Self::Text,
        Self::Unchanged,
    ];

    /// The grades that fail a check where nothing else is asked for.
    pub const FAILING: &'static [Self] =
        &[Self::Breaking, Self::Authority, Self::Instructing, Self::Removed, Self::Renamed];

    /// The name in reports and in flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Authority => "authority",
            Self::Instructing => "instructing",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
            Self::Added => "added",
            Self::Compatible => "compatible",
            Self::Metadata => "metadata",
            Self::Text => "text",
            Self::Unchanged => "unchanged",
        }
    }

    /// The grade of a name.
    ///
    /// ```
    /// use mcp_contract::drift::Grade;
    /// assert_eq!(Grade::from_name("renamed"), Some(Grade::Renamed));
    /// assert!(Grade::Breaking < Grade::Text);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|grade| grade.name() == name)
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}
