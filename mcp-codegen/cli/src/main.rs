//! The `mcp-codegen` command.

use std::io::{Write as _, stderr, stdout};
use std::process::ExitCode;

use clap::Parser as _;
use mcp_codegen_cli::{Args, run};

fn main() -> ExitCode {
    let mut out = stdout().lock();
    let code = match run(&Args::parse(), &mut out) {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => {
            // Nothing is left to be done if even this cannot be written.
            let _ = writeln!(stderr(), "mcp-codegen: {error}");
            error.exit_code()
        }
    };
    let _ = out.flush();
    ExitCode::from(code)
}
