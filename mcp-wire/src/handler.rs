//! Who we are to a server: our name, and the capabilities that we declare, which are none.
//!
//! Servers list by the client's capabilities, so what is declared here must be the same for a snapshot and for a
//! connection at run time. There is one place for it.

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};

use crate::connect_spec::Identity;
use crate::notices::Changes;

/// The client's side of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    pub(crate) identity: Identity,
    pub(crate) changes: Changes,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new(self.identity.name.clone(), self.identity.version.clone());
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.signal();
    }
}
