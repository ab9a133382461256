//! `mcp-codegen check`: offline, in seconds, without secrets; the one for every pull request. With `--live` the servers are asked too.

use std::io::Write;
use std::path::Path;

use mcp_codegen::{Contract, Options, Problem};
use mcp_contract::snapshot::{Snapshot, folder};

use crate::args::CheckArgs;
use crate::diff::{Pair, Report, outcome, print};
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::run::Shell;
use crate::{live, store};

pub(crate) fn check(config: &Path, flags: &CheckArgs, shell: &mut Shell<'_>) -> Result<Outcome, CliError> {
    let contract = Contract::load(config)?;
    let offline = offline(config, &contract, shell.out)?;
    if !flags.live {
        return Ok(offline);
    }
    Ok(offline.max(ask(config, &contract, flags, shell)?))
}

fn offline(config: &Path, contract: &Contract, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let generated = mcp_codegen::generate(contract, &Options::new(config))?;
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

/// Asks the servers, and grades how what they offer differs from what was accepted. Nothing is written.
fn ask(path: &Path, contract: &Contract, flags: &CheckArgs, shell: &mut Shell<'_>) -> Result<Outcome, CliError> {
    let (config, base) = (&contract.config, folder::base(path));
    let listed = flags.listing.iter().map(|listing| listing.server.as_str());
    store::check_names(config, flags.servers.iter().map(String::as_str).chain(listed))?;
    let first = live::listings(config, base, &flags.servers, &flags.listing, shell.variables)?;
    let again = if flags.once {
        Vec::new()
    } else {
        live::listings(config, base, &flags.servers, &flags.listing, shell.variables)?
    };
    let mut result = Outcome::Fine;
    let mut pairs = Vec::new();
    for (name, listing) in &first {
        let server = config.server(name.as_str()).expect("the listing is of a configured server");
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => {
                writeln!(shell.out, "{error}")?;
                result = result.max(Outcome::CouldNotTell);
                continue;
            }
        };
        let other = again.iter().find(|(other, _)| other == name).and_then(|(_, other)| other.as_ref().ok());
        for line in other.iter().flat_map(|other| live::unstable(server, listing, other)) {
            writeln!(shell.out, "note: {line}")?;
        }
        let Some(accepted) = folder::load(&folder::accepted(base, name))? else { continue };
        let now = Snapshot::of(server, listing, Some(&accepted));
        pairs.push(Pair { folder: None, ..Pair::of(server, Some(accepted), &now) });
    }
    let report = Report::of(&pairs, &flags.grades.fail_on)?;
    print(&report, flags.format, shell.out)?;
    Ok(result.max(outcome(&report)))
}
