//! The newcomer's tour: `cargo run -p quickstart`.
//!
//! Everything happens on this machine and in a temporary folder. `src/mcp` is what `mcp-codegen generate` wrote for this
//! package; the rest of the tour runs the very commands that you would run.

mod demo;
mod mcp;
mod tour;

use std::error::Error;

use rmcp::ServiceExt as _;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        None => tour::tour().await,
        Some("serve") => {
            // The folder in which it is started stands for the operator's will.
            let demo = demo::Demo::reworded(std::path::Path::new("reworded").exists());
            demo.serve(rmcp::transport::stdio()).await?.waiting().await?;
            Ok(())
        }
        Some(other) => Err(format!("unknown argument {other}; run without one for the tour").into()),
    }
}
