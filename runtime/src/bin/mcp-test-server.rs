//! A test server as a process: `mcp-test-server SCRIPT`, where the script is a file of JSON.
//!
//! `{"tools": [..], "executions": "FILE"?, "plans": [{"for": "TOOL or METHOD", "fault": .., "runs": ..}]?}`: see `mcp_runtime::testing`. The file
//! of executions outlives the process, also one that is killed.

use std::path::PathBuf;

use mcp_runtime::testing::{Planned, TestServer, serve_stdio};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Script {
    tools: Vec<Value>,
    executions: Option<PathBuf>,
    #[serde(default)]
    plans: Vec<Plan>,
}

#[derive(Deserialize)]
struct Plan {
    r#for: String,
    #[serde(flatten)]
    planned: Planned,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).ok_or("the script is missing: mcp-test-server SCRIPT")?;
    let script: Script = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let server = match script.executions {
        Some(file) => TestServer::counting_in(file, script.tools),
        None => TestServer::new(script.tools),
    };
    for plan in script.plans {
        server.plan(&plan.r#for, plan.planned);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve_stdio(&server));
    // Standard input is read on a thread that would keep the process.
    runtime.shutdown_background();
    Ok(())
}
