//! What stays code of the host's: screens, kinds, the gate, the approver, the classifier.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures::FutureExt as _;
use mcp_contract::admission::{AdmittedTool, Objection, Screens, ServerAdmission, without};
use mcp_contract::config::{Kind, Server};

use crate::actor::Actor;
use crate::approval::{Approval, ApprovalRequest, Approver};
use crate::error::CallError;
use crate::tool_info::ImportedTool;

type Verdict = Pin<Box<dyn Future<Output = Result<(), Objection>> + Send>>;

/// A screen that asks somebody.
pub(crate) type AsyncScreen = Arc<dyn Fn(String, AdmittedTool) -> Verdict + Send + Sync>;
/// Whether an actor may use a tool.
pub(crate) type Gate = Arc<dyn Fn(Actor, ImportedTool) -> Verdict + Send + Sync>;
/// The kind of a tool, where the host has an opinion.
pub(crate) type Kinds = Arc<dyn Fn(&str, &AdmittedTool) -> Option<Kind> + Send + Sync>;
/// Whether a call that failed is issued again.
pub(crate) type Classifier = Arc<dyn Fn(&CallError, Kind) -> bool + Send + Sync>;

/// The hooks of a host.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) screens: Screens,
    pub(crate) asynchronous: Option<AsyncScreen>,
    pub(crate) gate: Option<Gate>,
    pub(crate) kinds: Option<Kinds>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) classifier: Option<Classifier>,
}

impl Hooks {
    /// Lets the screens have their word on the tools of one server.
    pub(crate) async fn screen(&self, admission: ServerAdmission) -> ServerAdmission {
        let admission = self.screens.apply_to(admission);
        let Some(screen) = &self.asynchronous else { return admission };
        if self.screens.has_own(admission.server.as_str()) {
            return admission;
        }
        let verdicts = admission.admitted.iter().map(|tool| {
            let server = admission.server.to_string();
            async move { asked(async { screen(server, tool.clone()).await }, "the screen panicked").await }
        });
        let verdicts = futures::future::join_all(verdicts).await;
        without(admission, verdicts)
    }

    /// Whether the host's gate lets an actor use a tool.
    pub(crate) async fn passes(&self, actor: &Actor, tool: &ImportedTool) -> Result<(), String> {
        match &self.gate {
            Some(gate) => asked(async { gate(actor.clone(), tool.clone()).await }, "the gate panicked").await,
            None => Ok(()),
        }
    }

    /// The kind of a tool: the host's opinion before the configuration's.
    pub(crate) fn kind(&self, server: &Server, tool: &AdmittedTool) -> Kind {
        let asked = self.kinds.as_ref().map(|kinds| {
            let name = server.name.as_str();
            std::panic::catch_unwind(AssertUnwindSafe(|| kinds(name, tool)))
        });
        match asked {
            Some(Ok(Some(kind))) => kind,
            // Nobody knows what it would have said.
            Some(Err(_)) => Kind::Action,
            Some(Ok(None)) | None => server.policies.kind_of(tool.definition()),
        }
    }

    /// Asks before an action. Without anybody to ask, nothing is approved.
    pub(crate) async fn approve(&self, request: ApprovalRequest) -> Result<(), CallError> {
        let tool = request.local_name.clone();
        let Some(approver) = &self.approver else {
            let reason = "it is an action, and nobody was named who approves actions; set `Builder::approver`, or its \
                          `kind` in servers.toml if it only reads"
                .to_owned();
            return Err(CallError::NotApproved { tool, reason });
        };
        let fingerprint = request.fingerprint();
        match AssertUnwindSafe(async { approver.ask(request).await }).catch_unwind().await {
            Ok(Approval::Granted) => Ok(()),
            Ok(Approval::Denied(reason)) => Err(CallError::NotApproved { tool, reason }),
            Ok(Approval::Later(reason)) => Err(CallError::AwaitsApproval { tool, reason, fingerprint }),
            Err(_) => Err(CallError::NotApproved { tool, reason: "the approver panicked".to_owned() }),
        }
    }

    /// Whether the host's classifier, where there is one, wants a call issued again. One that panics wants nothing.
    pub(crate) fn again(&self, error: &CallError, kind: Kind) -> Option<bool> {
        let classifier = self.classifier.as_ref()?;
        Some(std::panic::catch_unwind(AssertUnwindSafe(|| classifier(error, kind))).unwrap_or(false))
    }
}

/// A hook's answer; one that panics refuses. What it leaves behind is the host's affair.
async fn asked(hook: impl Future<Output = Result<(), Objection>>, panicked: &str) -> Result<(), String> {
    match AssertUnwindSafe(hook).catch_unwind().await {
        Ok(verdict) => verdict.map_err(|objection| objection.to_string()),
        Err(_) => Err(panicked.to_owned()),
    }
}
