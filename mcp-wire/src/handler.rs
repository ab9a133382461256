//! Who we are to a server: our name, and the capabilities that we declare, which are none.
//!
//! Servers list by the client's capabilities, so what is declared here must be the same for a snapshot and for a
//! connection at run time. There is one place for it.

use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};

/// The client's side of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler;

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("mcp-codegen", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}
