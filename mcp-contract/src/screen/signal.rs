//! The signals, their names and how much each weighs.

use std::fmt;

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// Characters that nobody sees: zero-width, tag, filler and ignorable ones.
    InvisibleUnicode,
    /// Characters that reorder the text around them.
    BidiControls,
    /// Control characters, terminal escapes among them.
    ControlChars,
    /// Comments and hidden elements of HTML or Markdown.
    HiddenMarkup,
    /// Words that take over: "ignore previous instructions", a block that poses as the system's.
    Instruction,
    /// Words that keep something from the user.
    Concealment,
    /// Words that ask for keys, passwords or the files that hold them.
    Secrets,
    /// Words that ask for this tool before or instead of all others.
    ToolSteering,
    /// Words that ask for the conversation or the user's own words.
    PromptCapture,
    /// A parameter that is to be filled with something the task does not need, out of the user's sight.
    HiddenParameter,
    /// An identifier of letters from several scripts.
    MixedScript,
    /// A name that looks like another tool's.
    LookAlikeName,
    /// More text than a description needs.
    ExcessiveLength,
    /// A reference to another document, which is never fetched.
    ExternalRef,
    /// A pattern that blows up exponentially, or as good as.
    PatternExponential,
    /// A pattern that blows up as a power of the text's length.
    PatternPolynomial,
    /// A pattern that could not be judged.
    PatternUndecided,
}

/// What a strong signal weighs, and a tool may not reach.
pub(super) const THRESHOLD: u32 = 10;

impl Signal {
    /// All signals, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::InvisibleUnicode,
        Self::BidiControls,
        Self::ControlChars,
        Self::HiddenMarkup,
        Self::Instruction,
        Self::Concealment,
        Self::Secrets,
        Self::ToolSteering,
        Self::PromptCapture,
        Self::HiddenParameter,
        Self::MixedScript,
        Self::LookAlikeName,
        Self::ExcessiveLength,
        Self::ExternalRef,
        Self::PatternExponential,
        Self::PatternPolynomial,
        Self::PatternUndecided,
    ];

    /// The name in `servers.toml` and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InvisibleUnicode => "invisible-unicode",
            Self::BidiControls => "bidi-controls",
            Self::ControlChars => "control-chars",
            Self::HiddenMarkup => "hidden-markup",
            Self::Instruction => "instruction",
            Self::Concealment => "concealment",
            Self::Secrets => "secrets",
            Self::ToolSteering => "tool-steering",
            Self::PromptCapture => "prompt-capture",
            Self::HiddenParameter => "hidden-parameter",
            Self::MixedScript => "mixed-script",
            Self::LookAlikeName => "look-alike-name",
            Self::ExcessiveLength => "excessive-length",
            Self::ExternalRef => "external-ref",
            Self::PatternExponential => "pattern-exponential",
            Self::PatternPolynomial => "pattern-polynomial",
            Self::PatternUndecided => "pattern-undecided",
        }
    }

    /// The signal of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|signal| signal.name() == name)
    }

    /// How much the signal weighs in one tool. At ten a tool is refused; weak signals are shown only where they refuse it together.
    #[must_use]
    pub fn weight(self) -> u32 {
        match self {
            Self::ToolSteering | Self::PromptCapture | Self::HiddenParameter => 4,
            _ => THRESHOLD,
        }
    }

    /// Whether the signal refuses a tool only together with others.
    #[must_use]
    pub fn is_weak(self) -> bool {
        self.weight() < THRESHOLD
    }

    /// What it means, in a few words for a report.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::InvisibleUnicode => "characters that nobody sees",
            Self::BidiControls => "characters that reorder the text around them",
            Self::ControlChars => "control characters, such as a terminal obeys",
            Self::HiddenMarkup => "markup that a rendered view does not show",
            Self::Instruction => "words that give the model orders from outside the conversation",
            Self::Concealment => "words that keep something from the user",
            Self::Secrets => "words that ask for keys, passwords or the files that hold them",
            Self::ToolSteering => "words that ask for this tool before or instead of others",
            Self::PromptCapture => "words that ask for the conversation or the user's own words",
            Self::HiddenParameter => "words that fill a parameter with what the task does not need",
            Self::MixedScript => "an identifier of letters from several scripts",
            Self::LookAlikeName => "a name that looks like another tool's",
            Self::ExcessiveLength => "more text than a description needs",
            Self::ExternalRef => "a reference to another document, which is never fetched",
            Self::PatternExponential => "a pattern that takes a backtracking engine exponential time",
            Self::PatternPolynomial => "a pattern that takes a backtracking engine polynomial time",
            Self::PatternUndecided => "a pattern that could not be judged within the budget",
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
