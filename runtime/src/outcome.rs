//! What became of a call, and whether it is issued again.
//!
//! The three ways to fail are told apart by who knows: our own side of the wire (proof), the other side (a claim), nobody. The
//! [classifiers](is_transient) decide from that, and from nothing that a text says.

use std::time::Duration;

use mcp_wire::WireErrorKind;

use crate::error::CallError;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// There is a result, or the tool's own failure: it ran.
    Done,
    /// It was not sent, which is proved on our side of the wire.
    NotSent,
    /// The other side claims that it did not run the tool.
    Rejected,
    /// The reply was lost or cannot be read: it may have run.
    Unknown,
}

impl Outcome {
    /// The outcome in one word, as spans have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotSent => "not_sent",
            Self::Rejected => "rejected",
            Self::Unknown => "unknown",
        }
    }
}

impl CallError {
    /// What became of the call.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::UnknownTool { .. }
            | Self::Unavailable { .. }
            | Self::Forbidden { .. }
            | Self::NotApproved { .. }
            | Self::AwaitsApproval { .. }
            | Self::InvalidArguments { .. }
            | Self::NotSent { .. } => Outcome::NotSent,
            Self::Rejected { .. } => Outcome::Rejected,
            Self::OutcomeUnknown { .. } | Self::Unreadable { .. } | Self::Unsupported { .. } => Outcome::Unknown,
            Self::Tool { .. } => Outcome::Done,
        }
    }

    /// Whether it is proved that the tool did not run.
    pub fn did_not_run(&self) -> bool {
        self.outcome() == Outcome::NotSent
    }

    /// What happened on the wire, where that is why the call failed.
    pub(crate) fn wire(&self) -> Option<&WireErrorKind> {
        match self {
            Self::NotSent { source, .. } | Self::Rejected { source, .. } | Self::OutcomeUnknown { source, .. } => {
                Some(&source.kind)
            }
            _ => None,
        }
    }

    /// How long the other side asked to be left alone.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self.wire()? {
            WireErrorKind::Http { retry_after: Some(text), .. } => text.trim().parse().ok().map(Duration::from_secs),
            _ => None,
        }
    }
}

/// Whether asking again may help: the classifier for reads. What the tool answered, what the protocol refuses and what is wrong on our side
/// stays as it is; what was lost, timed out, or turned away for the moment may not.
pub fn is_transient(error: &CallError) -> bool {
    match error.wire() {
        None => false,
        Some(kind) => match kind {
            WireErrorKind::Http { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            WireErrorKind::Unreachable { .. }
            | WireErrorKind::ConnectTimeout { .. }
            | WireErrorKind::RequestTimeout { .. }
            | WireErrorKind::Exited { .. }
            | WireErrorKind::Lost { .. }
            | WireErrorKind::SessionExpired { .. } => true,
            _ => false,
        },
    }
}

/// Whether it is proved that nothing ran, and asking again may help: the classifier for actions. No word of the other side counts.
pub fn is_not_sent(error: &CallError) -> bool {
    matches!(error, CallError::NotSent { .. }) && is_transient(error)
}

/// Whether the other side claims that nothing ran, and asking again may help: what `trust_rejections` adds for actions.
pub(crate) fn is_trusted_rejection(error: &CallError) -> bool {
    let refreshed = matches!(error.wire(), Some(WireErrorKind::Http { status: 401, challenge: Some(_), .. }));
    matches!(error, CallError::Rejected { .. }) && (is_transient(error) || refreshed)
}
