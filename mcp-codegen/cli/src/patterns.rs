//! `mcp-codegen screen --pattern` and `--patterns`: whether patterns can blow up.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use mcp_contract::pattern::{Flags, Judgement, Verdict, Witness, judge};
use mcp_contract::text::Shown;
use serde_json::{Map, Value, json};

use crate::args::ScreenArgs;
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::source;

const FLAGS: &str = "flags are letters out of d, g, i, m, s, u and y (the classes of v are another language)";

pub(crate) fn one(pattern: &str, args: &ScreenArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let flags = flags(args.flags.as_deref()).ok_or(CliError::Usage(FLAGS))?;
    let start = Instant::now();
    let judgement = judge(pattern, flags);
    let micros = start.elapsed().as_micros();
    if args.json {
        crate::print::json(&line(pattern, args.flags.as_deref(), &judgement, micros), out)?;
    } else {
        print(&judgement, out)?;
    }
    Ok(if judgement.verdict == Verdict::Linear { Outcome::Fine } else { Outcome::ToDo })
}

pub(crate) fn many(file: &Path, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let text = source::text(file)?;
    let mut outcome = Outcome::Fine;
    for (index, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let wrong =
            |reason: &str| CliError::NotJson { file: file.to_owned(), reason: format!("line {}: {reason}", index + 1) };
        let row: Value = serde_json::from_str(row).map_err(|error| wrong(&error.to_string()))?;
        let pattern = row["pattern"].as_str().ok_or_else(|| wrong("no string \"pattern\""))?;
        let spelled = row["flags"].as_str();
        let flags = flags(spelled).ok_or_else(|| wrong(FLAGS))?;
        let start = Instant::now();
        let judgement = judge(pattern, flags);
        let micros = start.elapsed().as_micros();
        if judgement.verdict != Verdict::Linear {
            outcome = Outcome::ToDo;
        }
        writeln!(out, "{}", line(pattern, spelled, &judgement, micros))?;
    }
    Ok(outcome)
}

/// The flags as they are given, or how JSON Schema reads a pattern.
fn flags(given: Option<&str>) -> Option<Flags> {
    given.map_or(Some(Flags::SCHEMA), Flags::parse)
}

fn line(pattern: &str, flags: Option<&str>, judgement: &Judgement, micros: u128) -> Value {
    let mut line = Map::new();
    line.insert("pattern".to_owned(), json!(pattern));
    line.insert("flags".to_owned(), json!(flags.unwrap_or("u")));
    line.insert("verdict".to_owned(), json!(judgement.verdict.word()));
    let degree = degree(&judgement.verdict);
    line.extend(degree.map(|degree| ("degree".to_owned(), json!(degree))));
    let text = judgement.witness.as_ref().map(|text| witness(text, degree));
    line.extend(text.map(|text| ("witness".to_owned(), text)));
    if let Verdict::Outside(error) = &judgement.verdict {
        line.insert("reason".to_owned(), json!(error.to_string()));
    }
    line.insert("steps".to_owned(), json!(judgement.steps));
    line.insert("micros".to_owned(), json!(u64::try_from(micros).unwrap_or(u64::MAX)));
    Value::Object(line)
}

/// A witness as reports have it.
pub(crate) fn witness(text: &Witness, degree: Option<u32>) -> Value {
    let mut witness = json!({
        "prefix": text.prefix,
        "pump": text.pump,
        "suffix": text.suffix,
        "confirmed": text.confirmed,
    });
    if let Some(degree) = degree {
        witness["degree"] = json!(degree);
    }
    if !text.further.is_empty() {
        witness["further"] = text.further.iter().map(|(once, pump)| json!({"prefix": once, "pump": pump})).collect();
    }
    witness
}

fn degree(verdict: &Verdict) -> Option<u32> {
    match verdict {
        Verdict::Polynomial { degree } => Some(*degree),
        _ => None,
    }
}

fn print(judgement: &Judgement, out: &mut dyn Write) -> Result<(), CliError> {
    match &judgement.verdict {
        Verdict::Polynomial { degree } => {
            writeln!(out, "polynomial: steps grow with the length to the power of {degree}")?;
        }
        Verdict::Outside(error) => writeln!(out, "outside: {error}")?,
        verdict => writeln!(out, "{}", verdict.word())?,
    }
    if let Some(text) = &judgement.witness {
        writeln!(out, "  begins with  \"{}\"", Shown(&text.prefix))?;
        writeln!(out, "  repeats      \"{}\"", Shown(&text.pump))?;
        for (once, pump) in &text.further {
            writeln!(out, "  then         \"{}\" and repeats \"{}\"", Shown(once), Shown(pump))?;
        }
        writeln!(out, "  ends with    \"{}\"", Shown(&text.suffix))?;
        let seen = if text.confirmed { "seen to blow up in a replay" } else { "ambiguous; no replay blew up" };
        writeln!(out, "  {seen}")?;
    }
    Ok(())
}
