//! A hash of how a server is started, so that a snapshot notices when it describes another server.

use sha2::{Digest as _, Sha256};

use crate::config::{Launch, Server, Template};
use crate::json::hex;

/// The hash of a server's unresolved launch definition: command and arguments, or address, and the *names* of variables
/// and headers. Values never enter it, so it can be committed.
#[must_use]
pub fn launch_hash(server: &Server) -> String {
    let definition = match &server.launch {
        Launch::Stdio(launch) => serde_json::json!({
            "command": launch.command,
            "args": launch.args.iter().map(Template::as_str).collect::<Vec<_>>(),
            "env": launch.env.keys().collect::<Vec<_>>(),
        }),
        Launch::Http(launch) => serde_json::json!({
            "url": launch.url.as_str(),
            "headers": launch.headers.keys().collect::<Vec<_>>(),
        }),
    };
    format!("sha256:{}", hex(&Sha256::digest(definition.to_string().as_bytes())))
}
