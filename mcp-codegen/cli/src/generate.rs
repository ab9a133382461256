//! `mcp-codegen generate`.

use std::io::Write;
use std::path::Path;

use mcp_codegen::{Contract, Options};

use crate::error::CliError;
use crate::outcome::Outcome;

pub(crate) fn generate(config: &Path, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let contract = Contract::load(config)?;
    let generated = mcp_codegen::generate(&contract, &Options::new(config))?;
    let touched = mcp_codegen::write(&contract.out(), &generated.files)?;
    write!(out, "{}", generated.summary)?;
    for file in &touched {
        writeln!(out, "wrote {}", file.display())?;
    }
    if touched.is_empty() {
        writeln!(out, "nothing changed in {}", contract.out().display())?;
    }
    let mut outcome = Outcome::Fine;
    for problem in contract.problems.iter().filter(|problem| problem.is_fatal()) {
        writeln!(out, "{problem}")?;
        outcome = Outcome::ToDo;
    }
    Ok(outcome)
}
