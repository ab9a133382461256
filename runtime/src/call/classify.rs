//! What a failure on the wire means: proof, claim, or neither.

use std::sync::Arc;

use mcp_wire::{CallFailure, Sent, WireErrorKind};

use crate::error::{CallError, Peer};

/// The error of a call that failed on the wire.
pub(super) fn failed(local_name: &str, failure: CallFailure) -> CallError {
    let tool = local_name.to_owned();
    let claim = claim(&failure.error.kind);
    let source = Arc::new(failure.error);
    match (failure.sent, claim) {
        (Sent::No, _) => CallError::NotSent { tool, source },
        (Sent::Perhaps, Some(by)) => CallError::Rejected { tool, by, source },
        (Sent::Perhaps, None) => CallError::OutcomeUnknown { tool, source },
    }
}

/// Who claims that the tool did not run, if anybody does.
fn claim(kind: &WireErrorKind) -> Option<Peer> {
    match kind {
        WireErrorKind::Peer { code: -32601 | -32602, .. } => Some(Peer::Server),
        WireErrorKind::Http { status: 401 | 403 | 404 | 408 | 425 | 429 | 503, .. }
        | WireErrorKind::SessionExpired { .. } => Some(Peer::Http),
        _ => None,
    }
}
