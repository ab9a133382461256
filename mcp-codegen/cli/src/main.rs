//! The `mcp-codegen` command.

use std::io::{Write as _, stderr, stdout};
use std::process::ExitCode;

use clap::Parser as _;
use mcp_codegen_cli::{Args, Shell, run};

fn main() -> ExitCode {
    let mut out = stdout().lock();
    let mut shell = Shell { out: &mut out, variables: &|name| std::env::var(name).ok() };
    let code = match run(&Args::parse(), &mut shell) {
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
