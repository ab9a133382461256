//! `mcp-codegen check`: offline, in seconds, without secrets; the one for every pull request.

use std::io::Write;
use std::path::Path;

use mcp_codegen::{Contract, Options, Problem};

use crate::error::CliError;
use crate::outcome::Outcome;

pub(crate) fn check(config: &Path, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let contract = Contract::load(config)?;
    let generated = mcp_codegen::generate(&contract, &Options::new(config))?;
    let stale = mcp_codegen::differences(&contract.out(), &generated.files)?;
    write!(out, "{}", generated.summary)?;
    let stale = stale.into_iter().map(|file| Problem::StaleCode { file });
    let problems: Vec<Problem> = contract.problems.iter().cloned().chain(stale).collect();
    for problem in &problems {
        writeln!(out, "{} {problem}", if problem.is_fatal() { "error:" } else { "note:" })?;
    }
    if problems.iter().any(Problem::is_fatal) {
        return Ok(Outcome::ToDo);
    }
    writeln!(out, "configuration, snapshots and generated code agree")?;
    Ok(Outcome::Fine)
}
