//! The forms of a report.

use std::io::Write;

use super::{Report, annotations, json, junit, markdown, sarif, text};
use crate::error::CliError;

/// A form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Format {
    /// For a terminal.
    #[default]
    Text,
    /// For programs; the form is described in docs/drift.md.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// For the log of a GitHub workflow, which shows it beside the code.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// For whoever collects test results.
    Junit,
}

/// Prints a report.
pub(crate) fn print(report: &Report, format: Format, out: &mut dyn Write) -> Result<(), CliError> {
    match format {
        Format::Text => text::report(report, out)?,
        Format::Json => crate::print::json(&json::report(report), out)?,
        Format::Markdown => out.write_all(markdown::report(report).as_bytes())?,
        Format::Github => out.write_all(annotations::report(report).as_bytes())?,
        Format::Sarif => crate::print::json(&sarif::report(report), out)?,
        Format::Junit => out.write_all(junit::report(report).as_bytes())?,
    }
    Ok(())
}
