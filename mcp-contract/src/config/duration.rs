//! Durations as `servers.toml` writes them: `"10s"`, `"150ms"`, `"2m"`.

use std::time::Duration;

/// Reads a whole number with a unit (`ms`, `s`, `m`); zero is refused, because a deadline of zero is never meant.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok().filter(|n| *n > 0)?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).filter(|ms| *ms <= 86_400_000).map(Duration::from_millis)
}
