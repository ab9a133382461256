//! `mcp-codegen screen`: what hides, instructs or blows up in the tools of listings and snapshots.

use std::io::Write;
use std::path::Path;

use mcp_codegen::Contract;
use mcp_contract::config::Server;
use mcp_contract::listing::Listing;
use mcp_contract::screen::Severity;
use mcp_contract::text::{Shown, counted};
use serde_json::{Value, json};

use crate::args::ScreenArgs;
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::screened::{self, Line, ScreenedTool};
use crate::{print, sarif, source};

/// What the screens make of one server.
pub(crate) struct ScreenedServer {
    pub(crate) name: String,
    /// What they find in what the server says of itself.
    pub(crate) report: Vec<Line>,
    pub(crate) tools: Vec<ScreenedTool>,
}

pub(crate) fn screen(config: &Path, flags: &ScreenArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let servers = if flags.files.is_empty() { configured(config, flags.strict)? } else { given(flags)? };
    if flags.json {
        print::json(&report(&servers), out)?;
    } else if flags.sarif {
        print::json(&sarif::sarif(&servers), out)?;
    } else {
        for server in &servers {
            print(server, out)?;
        }
    }
    let refused = servers.iter().flat_map(|server| &server.tools).any(|tool| !tool.admitted);
    Ok(if refused { Outcome::ToDo } else { Outcome::Fine })
}

fn configured(config: &Path, strict: bool) -> Result<Vec<ScreenedServer>, CliError> {
    let contract = Contract::load(config)?;
    let servers = contract.servers.iter().filter_map(|server| {
        let mut named: Server = contract.config.server(server.name.as_str())?.clone();
        named.strict |= strict;
        Some(screened(server.name.as_str(), &named, &server.snapshot.listing()))
    });
    Ok(servers.collect())
}

fn given(flags: &ScreenArgs) -> Result<Vec<ScreenedServer>, CliError> {
    let server = screened::unnamed(flags.strict);
    let mut servers = Vec::new();
    for file in &flags.files {
        let listings = source::listings(file)?;
        servers.extend(listings.iter().map(|(name, listing)| screened(name, &server, listing)));
    }
    Ok(servers)
}

fn screened(name: &str, server: &Server, listing: &Listing) -> ScreenedServer {
    ScreenedServer {
        name: name.to_owned(),
        report: screened::report(listing),
        tools: screened::tools(name, server, listing),
    }
}

fn report(servers: &[ScreenedServer]) -> Value {
    let lines = |lines: &[Line]| lines.iter().map(Line::json).collect::<Vec<_>>();
    let tools = servers.iter().flat_map(|server| &server.tools).map(|tool| {
        json!({"server": tool.server, "name": tool.name, "admitted": tool.admitted, "findings": lines(&tool.findings)})
    });
    let reports = servers.iter().filter(|server| !server.report.is_empty());
    let reports = reports.map(|server| json!({"server": server.name, "findings": lines(&server.report)}));
    json!({"tools": tools.collect::<Vec<_>>(), "servers": reports.collect::<Vec<_>>()})
}

fn print(server: &ScreenedServer, out: &mut dyn Write) -> Result<(), CliError> {
    let refused = server.tools.iter().filter(|tool| !tool.admitted).count();
    writeln!(out, "{}: {}, {refused} refused", server.name, counted(server.tools.len(), "tool"))?;
    for line in &server.report {
        print_line(line, out)?;
    }
    for tool in server.tools.iter().filter(|tool| !tool.findings.is_empty() || !tool.admitted) {
        writeln!(out, "  {} \"{}\"", if tool.admitted { "admitted" } else { "refused" }, Shown(&tool.name))?;
        for line in &tool.findings {
            print_line(line, out)?;
        }
    }
    Ok(())
}

fn print_line(line: &Line, out: &mut dyn Write) -> Result<(), CliError> {
    let word = match line.severity {
        Severity::Refuse => "refuse",
        Severity::Note => "note  ",
    };
    writeln!(out, "    {word} {}  {}: {}", line.signal, Shown(&line.pointer), line.message)?;
    Ok(())
}
