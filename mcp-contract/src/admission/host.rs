//! A host's own screens: a last word on tools that were admitted, from code and not from configuration.
//!
//! They see what our screens see, a whole tool with its definition. A screen that fails or panics refuses the tool: nobody knows what it
//! would have said.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::assign::{Admission, AdmittedTool, ServerAdmission};
use super::reason::{Reason, RefusedTool};

/// Why a host's screen refuses a tool.
pub type Objection = Box<dyn Error + Send + Sync>;

/// A host's own screen. A function of server and tool is one.
///
/// ```
/// use mcp_contract::admission::{AdmittedTool, Objection, Screens};
/// let screens = Screens::default().all(|server: &str, tool: &AdmittedTool| -> Result<(), Objection> {
///     if tool.remote_name().contains("delete") { Err(format!("{server} deletes nothing here").into()) } else { Ok(()) }
/// });
/// # let _ = screens;
/// ```
pub trait Screen: Send + Sync {
    /// Judges a tool of a server.
    ///
    /// # Errors
    ///
    /// Why the tool is refused, or why it could not be judged, which comes to the same.
    fn screen(&self, server: &str, tool: &AdmittedTool) -> Result<(), Objection>;
}

impl<F: Fn(&str, &AdmittedTool) -> Result<(), Objection> + Send + Sync> Screen for F {
    fn screen(&self, server: &str, tool: &AdmittedTool) -> Result<(), Objection> {
        self(server, tool)
    }
}

/// The screens of a host: one for all servers, and one for each server that has its own.
#[derive(Clone, Default)]
pub struct Screens {
    all: Option<Arc<dyn Screen>>,
    own: BTreeMap<String, Arc<dyn Screen>>,
}

impl Screens {
    /// Screens the tools of every server that has no screen of its own.
    #[must_use]
    pub fn all(mut self, screen: impl Screen + 'static) -> Self {
        self.all = Some(Arc::new(screen));
        self
    }

    /// Screens the tools of one server, in place of the screen for all.
    #[must_use]
    pub fn server(mut self, server: &str, screen: impl Screen + 'static) -> Self {
        self.own.insert(server.to_owned(), Arc::new(screen));
        self
    }

    /// Whether a server has a screen of its own.
    #[must_use]
    pub fn has_own(&self, server: &str) -> bool {
        self.own.contains_key(server)
    }

    /// Takes the tools that the screens refuse out of what was admitted. Names stay with their owners.
    #[must_use]
    pub fn apply(&self, admission: Admission) -> Admission {
        Admission { servers: admission.servers.into_iter().map(|server| self.apply_to(server)).collect() }
    }

    /// The same for one server.
    #[must_use]
    pub fn apply_to(&self, server: ServerAdmission) -> ServerAdmission {
        let name = server.server.as_str();
        let Some(screen) = self.own.get(name).or(self.all.as_ref()) else { return server };
        let verdicts = server.admitted.iter().map(|tool| judge(&**screen, name, tool)).collect();
        without(server, verdicts)
    }
}

impl fmt::Debug for Screens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Screens").field("all", &self.all.is_some()).field("own", &self.own.keys()).finish()
    }
}

fn judge(screen: &dyn Screen, server: &str, tool: &AdmittedTool) -> Result<(), String> {
    // The screen is the host's, and is not used again for this tool: what it leaves behind is its own affair.
    match catch_unwind(AssertUnwindSafe(|| screen.screen(server, tool))) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(objection)) => Err(objection.to_string()),
        Err(_) => Err("the screen panicked".to_owned()),
    }
}

/// A server without the tools that were objected to; a verdict for each admitted tool, in order.
#[must_use]
pub fn without(server: ServerAdmission, verdicts: Vec<Result<(), String>>) -> ServerAdmission {
    let ServerAdmission { server, admitted, mut refused, excluded, unmatched } = server;
    let mut kept = Vec::new();
    for (tool, verdict) in admitted.into_iter().zip(verdicts) {
        match verdict {
            Ok(()) => kept.push(tool),
            Err(objection) => {
                let reason = Reason::Host { objection: crate::text::excerpt(&objection, 300) };
                refused.push(RefusedTool { remote_name: tool.remote_name().to_owned(), reason });
            }
        }
    }
    refused.sort_by(|a, b| a.remote_name.cmp(&b.remote_name));
    ServerAdmission { server, admitted: kept, refused, excluded, unmatched }
}
