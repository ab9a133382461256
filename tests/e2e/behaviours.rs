//! `docs/behaviours.md`: every promise has its number, and every test that it names is there.

use std::collections::BTreeSet;
use std::path::Path;

const BEHAVIOURS: &str = include_str!("../../docs/behaviours.md");

/// The cells of the table rows that name a test.
fn rows() -> Vec<Vec<&'static str>> {
    let rows = BEHAVIOURS.lines().filter(|line| line.starts_with("| ") && line.contains("::"));
    rows.map(|row| row.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect()).collect()
}

#[test]
fn every_promise_and_every_defect_has_its_row() {
    let first: Vec<&str> = rows().iter().map(|row| row[0]).collect();
    let numbers: Vec<u32> = first.iter().filter_map(|cell| cell.parse().ok()).collect();
    assert_eq!(numbers, (1..=156).collect::<Vec<_>>());
    let defects: Vec<&str> = first.iter().copied().filter(|cell| cell.starts_with('D')).collect();
    assert_eq!(defects, (1..=10).map(|number| format!("D{number}")).collect::<Vec<_>>());
}

#[test]
fn every_test_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut missing = BTreeSet::new();
    for row in rows() {
        let named = row.iter().find_map(|cell| cell.strip_prefix('`').filter(|cell| cell.contains("::")));
        let named = named.and_then(|cell| cell.strip_suffix('`')).unwrap_or_else(|| panic!("no test: {row:?}"));
        let (suite, test) = named.split_once(' ').unwrap_or_else(|| panic!("no suite: {named}"));
        let (module, function) = test.split_once("::").unwrap();
        let folder = match suite {
            "runtime" => "runtime/tests/runtime",
            "contract" => "mcp-contract/tests/contract",
            "e2e" => "tests/e2e",
            other => panic!("no such suite: {other}"),
        };
        let source = std::fs::read_to_string(root.join(folder).join(format!("{module}.rs"))).unwrap_or_default();
        let is_test = source.match_indices(&format!("fn {function}()")).any(|(at, _)| {
            let before = &source[..at];
            let attributes = &before[before.rfind("\n\n").unwrap_or_default()..];
            attributes.contains("#[test]") || attributes.contains("#[tokio::test")
        });
        if !is_test {
            missing.insert(named);
        }
    }
    assert_eq!(missing, BTreeSet::new());
}
