//! From flags to a printed report.

use std::io::Write;
use std::path::Path;

use super::{Format, Report, outcome, pair, print};
use crate::args::DiffArgs;
use crate::error::CliError;
use crate::outcome::Outcome;

pub(crate) fn diff(path: &Path, flags: &DiffArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let pairs = pair::pairs(path, flags)?;
    let report = Report::of(&pairs, &flags.grades.fail_on)?;
    let format = if flags.json { Format::Json } else { flags.format };
    print(&report, format, out)?;
    Ok(outcome(&report))
}
