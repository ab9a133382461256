//! `mcp-codegen list`: what is admitted, refused, left out, and why.

use std::io::Write;
use std::path::Path;

use mcp_codegen::{Contract, ServerContract};
use mcp_contract::text::{Shown, excerpt};

use crate::error::CliError;
use crate::outcome::Outcome;
use crate::store::check_names;

pub(crate) fn list(config: &Path, servers: &[String], out: &mut dyn Write) -> Result<Outcome, CliError> {
    let contract = Contract::load(config)?;
    check_names(&contract.config, servers.iter().map(String::as_str))?;
    for server in &contract.servers {
        if servers.is_empty() || servers.iter().any(|name| name == server.name.as_str()) {
            list_server(server, out)?;
        }
    }
    let disabled = contract.config.servers.iter().filter(|server| !server.enabled);
    for server in disabled {
        writeln!(out, "{}: not enabled", server.name)?;
    }
    for problem in &contract.problems {
        writeln!(out, "{problem}")?;
    }
    Ok(Outcome::Fine)
}

fn list_server(server: &ServerContract, out: &mut dyn Write) -> Result<(), CliError> {
    let report = &server.snapshot.report;
    let says = [&report.name, &report.version].into_iter().flatten().map(|text| excerpt(text, 60)).collect::<Vec<_>>();
    writeln!(
        out,
        "{} ({})",
        server.name,
        if says.is_empty() { "says nothing of itself".to_owned() } else { says.join(" ") }
    )?;
    for finding in mcp_contract::screen::report(report) {
        writeln!(out, "  says of itself: {finding}")?;
    }
    for tool in &server.admission.admitted {
        let remote = Shown(tool.remote_name());
        writeln!(out, "  admitted  {}  (\"{remote}\")", tool.local_name())?;
        for note in tool.notes() {
            writeln!(out, "            note: {note}")?;
        }
    }
    for refused in &server.admission.refused {
        writeln!(out, "  refused   \"{}\"", Shown(&refused.remote_name))?;
        writeln!(out, "            {}", refused.reason)?;
    }
    for name in &server.admission.excluded {
        writeln!(out, "  left out  \"{}\" (by include or exclude)", Shown(name))?;
    }
    for entry in server.snapshot.listing().undecodable {
        writeln!(out, "  no tool   entry {}: {}", entry.index, Shown(&entry.reason))?;
    }
    Ok(())
}
