//! Asking a person before an action.
//!
//! An action that a model asks for waits for an [`Approver`]. The request names everything that is approved, and has a fingerprint over it,
//! so that a store of approvals can stand beneath: it can answer "later" now, keep the request, and be asked again with an equal one.

use std::future::Future;
use std::pin::Pin;

use mcp_contract::json::{Digest, Json};
use serde_json::Value;

use crate::actor::Actor;

/// What waits for approval: one call, with everything that it would do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Who asks.
    pub actor: Actor,
    /// The server.
    pub server: String,
    /// The name that the model used.
    pub local_name: String,
    /// The name that goes over the wire: foreign text.
    pub remote_name: String,
    /// The accepted description: foreign text.
    pub description: Option<String>,
    /// The digest of the definition that the arguments are held to.
    pub definition: String,
    /// The arguments, valid for the accepted schema.
    pub arguments: Value,
    /// The key that the caller gave the call.
    pub key: Option<String>,
}

impl ApprovalRequest {
    /// A digest of what is approved: actor, server, tool, its definition, the arguments, and the key. Two requests with one fingerprint ask
    /// for the same thing; a definition that changed, or one argument, makes another.
    pub fn fingerprint(&self) -> String {
        let text = |text: &str| Json::String(text.to_owned());
        let arguments = mcp_contract::json::parse(&self.arguments.to_string()).unwrap_or(Json::Null);
        let key = self.key.as_deref().map_or(Json::Null, text);
        let parts = vec![
            text(self.actor.name()),
            text(&self.server),
            text(&self.remote_name),
            text(&self.definition),
            arguments,
            key,
        ];
        Digest::of(&Json::Array(parts)).as_str().to_owned()
    }
}

/// An answer to an [`ApprovalRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// This one call may be issued, once.
    Granted,
    /// It may not; the text says why, and the model is told.
    Denied(String),
    /// Nobody has decided yet. The call ends, nothing was sent, and the model is told; the host issues the call again when somebody has.
    Later(String),
}

/// An answer under way.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Approval> + Send + 'a>>;

/// Who is asked before an action. A function that gives a future is one.
///
/// ```
/// use mcp_runtime::{Approval, ApprovalRequest, Approver};
/// fn takes(_: impl Approver) {}
/// takes(|request: ApprovalRequest| async move {
///     if request.server == "notes" { Approval::Granted } else { Approval::Denied("only notes".to_owned()) }
/// });
/// ```
pub trait Approver: Send + Sync + 'static {
    /// Asks. An approver that panics denies. The future is dropped when the caller goes away before it has answered.
    fn ask(&self, request: ApprovalRequest) -> Answering<'_>;
}

impl<F, A> Approver for F
where
    F: Fn(ApprovalRequest) -> A + Send + Sync + 'static,
    A: Future<Output = Approval> + Send + 'static,
{
    fn ask(&self, request: ApprovalRequest) -> Answering<'_> {
        Box::pin(self(request))
    }
}
