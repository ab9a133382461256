//! Any text as a pattern: it is judged within its budget and the same each time; what compiles runs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_contract::pattern::{Flags, Pattern, judge};

fuzz_target!(|text: &str| {
    let (flags, source) = text.split_once('/').unwrap_or(("u", text));
    let flags = Flags::parse(flags).unwrap_or(Flags::SCHEMA);
    let judgement = judge(source, flags);
    assert!(judgement.steps <= 5_000_000, "{} steps", judgement.steps);
    assert_eq!(judgement, judge(source, flags));
    if let Ok(pattern) = Pattern::compile(source) {
        pattern.is_match(text);
    }
});
