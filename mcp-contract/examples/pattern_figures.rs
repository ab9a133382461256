//! The confusion table of the pattern screen over a file of patterns whose truth is known.
//!
//! `pattern_figures FILE.jsonl [--list]`: a line a pattern, with `pattern`, `flags`, `source` and `truth` ("exponential", "polynomial" or
//! "not-confirmed"). Patterns with look-around or back-references are counted apart. `--list` names what is missed or not confirmed.

use std::collections::BTreeMap;
use std::time::Instant;

use mcp_contract::pattern::{Flags, PatternError, Verdict, judge};
use serde_json::Value;

#[derive(Default)]
struct Table {
    rows: usize,
    exponential: (usize, usize),
    polynomial: (usize, usize),
    flagged: usize,
    shown: usize,
    unconfirmed_by_truth: usize,
    no_verdict: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: pattern_figures FILE.jsonl [--list]")?;
    let list = arguments.next().is_some();
    let mut tables: BTreeMap<&str, Table> = BTreeMap::new();
    let (mut micros, mut most_steps) = (Vec::new(), 0);
    for line in std::fs::read_to_string(file)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let (pattern, truth) = (text("pattern"), text("truth"));
        let Some(flags) = Flags::parse(text("flags")) else { continue };
        let start = Instant::now();
        let judgement = judge(pattern, flags);
        micros.push(start.elapsed().as_micros());
        most_steps = most_steps.max(judgement.steps);
        let outside = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look))
            || matches!(judgement.verdict, Verdict::Outside(PatternError::BackReference));
        let flagged = judgement.verdict != Verdict::Linear;
        let shown = judgement.witness.as_ref().is_some_and(|witness| witness.confirmed);
        let decided = !matches!(judgement.verdict, Verdict::Undecided(_));
        let groups = [
            if outside { "outside" } else { "fragment" },
            if text("source") == "schemastore" { "schemastore" } else { "elsewhere" },
        ];
        for group in groups {
            let table = tables.entry(group).or_default();
            table.rows += 1;
            table.flagged += usize::from(flagged);
            table.shown += usize::from(shown);
            table.no_verdict += usize::from(!decided);
            match truth {
                "exponential" => {
                    table.exponential.1 += 1;
                    table.exponential.0 += usize::from(flagged);
                }
                "polynomial" => {
                    table.polynomial.1 += 1;
                    table.polynomial.0 += usize::from(flagged);
                }
                _ => table.unconfirmed_by_truth += usize::from(flagged),
            }
        }
        if list && (flagged != (truth != "not-confirmed") || !decided || flagged && !shown) {
            println!(
                "{} {} /{pattern}/{} steps {} {:?}",
                truth,
                judgement.verdict.word(),
                text("flags"),
                judgement.steps,
                judgement.witness
            );
        }
    }
    for (group, table) in tables {
        println!(
            "{group}: {} patterns; exponential {} of {}, polynomial {} of {}; flagged {}, shown by a text {}, flagged and not confirmed {}; no verdict {}",
            table.rows,
            table.exponential.0,
            table.exponential.1,
            table.polynomial.0,
            table.polynomial.1,
            table.flagged,
            table.shown,
            table.unconfirmed_by_truth,
            table.no_verdict
        );
    }
    micros.sort_unstable();
    let at = |share: usize| micros.get(micros.len() * share / 1000).copied().unwrap_or_default();
    println!(
        "microseconds a pattern: median {}, p99 {}, most {}; most steps {most_steps}",
        at(500),
        at(990),
        micros.last().unwrap_or(&0)
    );
    Ok(())
}
