//! Whether patterns can blow up: a table, each verdict with the text that shows it.

use mcp_contract::pattern::{Flags, PatternError, Verdict, judge};

/// Patterns, their flags, and the verdict in a word with its degree.
const TABLE: &[(&str, &str, &str)] = &[
    // Nothing repeats, or what repeats is told apart.
    ("", "u", "linear"),
    ("^abc$", "u", "linear"),
    ("^a+$", "u", "linear"),
    ("^[a-z]+(?:-[a-z]+)*$", "u", "linear"),
    ("^(?:a|b)*$", "u", "linear"),
    ("^(?:ab|ac)*d$", "u", "linear"),
    ("[a-z]+", "u", "linear"),
    ("foo.*", "u", "linear"),
    (r"^\d{1,3}(?:\.\d{1,3}){3}$", "u", "linear"),
    ("^(?:[a-z]{1,3}){1,10}x$", "u", "linear"),
    // Two ways through a loop.
    ("^(a+)+$", "u", "exponential"),
    ("^(a|a)*$", "u", "exponential"),
    ("^(?:a|aa)+$", "u", "exponential"),
    ("^(?:aa|aaa)+$", "u", "exponential"),
    (r"^(?:\w+\s?)*$", "u", "exponential"),
    ("^(?:a*)*$", "u", "exponential"),
    ("^(?:(?:a?)+b)*$", "u", "exponential"),
    ("^([^,]+,?)+;$", "u", "exponential"),
    ("(?:x+x+)+y", "u", "exponential"),
    ("^(?:(?:a|a)*b|.*)$", "u", "exponential"),
    // What always matches is never gone through.
    ("(a|a)*", "u", "linear"),
    (r"^[^]*(?:a|a)*", "u", "linear"),
    // Loops behind one another; the search for a beginning is one.
    ("a+$", "u", "polynomial 2"),
    (r"\s+$", "u", "polynomial 2"),
    ("^a*a*b$", "u", "polynomial 2"),
    ("^a*a*a*b$", "u", "polynomial 3"),
    (r"^\s*.*\s*$", "u", "polynomial 3"),
    (r"^[\s]+|[\s]+$", "u", "polynomial 2"),
    (r"^[\D1]+[0-9]*$", "u", "polynomial 2"),
    // Counts that are bounded, and out of reach.
    ("^(?:a|a){24}$", "u", "bounded-exponential"),
    ("^(?:a?){25}a{25}$", "u", "bounded-exponential"),
    ("^(?:a|a){4}$", "u", "linear"),
    ("^(?:(?:(?:a{0,9}){0,9}){0,9})$", "u", "bounded-exponential"),
    ("^a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaaaaaa$", "u", "bounded-exponential"),
    ("^a?b?c?d?e?f?g?h?i?j?k?l?m?n?o?p?q?r?s?t?u?v?w?x?y?z?$", "u", "linear"),
    ("^[a-z]{60000}$", "u", "linear"),
    // Word boundaries.
    (r"^(?:\b\w+\b\s*)+$", "u", "linear"),
    (r"\b\w+\b!", "u", "linear"),
    (r"\w+\b!", "u", "polynomial 2"),
    // Flags.
    ("^(?:a|A)*$", "i", "exponential"),
    ("^(?:a|A)*$", "", "linear"),
    ("^(?:.|\\n)*$", "", "linear"),
    ("^(?:.|\\n)*x$", "s", "exponential"),
    // Look-around costs what its body costs where it stands.
    ("^(?=.*[0-9])[a-z0-9]{4,8}$", "u", "linear"),
    ("^(?!(?:a|a)*$)b", "u", "exponential"),
    ("^(?:(?=.*x)a)*$", "u", "polynomial 2"),
    (r"(?<=a+)b", "u", "polynomial 2"),
    // Beyond regular languages, or no pattern.
    (r"(a)\1", "u", "outside"),
    ("a**", "u", "outside"),
    ("(?i)a", "u", "outside"),
];

#[test]
fn every_pattern_gets_its_verdict_and_a_text_that_shows_it() {
    let mut wrong = Vec::new();
    for (pattern, flags, expected) in TABLE {
        let judgement = judge(pattern, Flags::parse(flags).unwrap());
        let verdict = match judgement.verdict {
            Verdict::Polynomial { degree } => format!("polynomial {degree}"),
            ref other => other.word().to_owned(),
        };
        if verdict != *expected {
            wrong.push(format!("/{pattern}/{flags} is {verdict}, not {expected}: {:?}", judgement.witness));
        }
        let needs_text = !matches!(judgement.verdict, Verdict::Linear | Verdict::Outside(_));
        let confirmed = judgement.witness.as_ref().is_some_and(|witness| witness.confirmed);
        if needs_text != confirmed {
            wrong.push(format!("/{pattern}/{flags}: {:?}", judgement.witness));
        }
        assert!(judgement.steps <= 5_000_000, "{pattern} took {} steps", judgement.steps);
    }
    assert_eq!(wrong.join("\n"), "");
}

#[test]
fn a_judgement_is_the_same_each_time() {
    for (pattern, flags, _) in TABLE {
        let flags = Flags::parse(flags).unwrap();
        assert_eq!(judge(pattern, flags), judge(pattern, flags));
    }
}

#[test]
fn patterns_that_are_made_to_hurt_are_judged_within_the_budget() {
    let nested = format!("{}a{}", "(".repeat(190), ")*".repeat(190));
    let wide = format!("^(?:{})*$", (0..800).map(|index| format!("w{index}")).collect::<Vec<_>>().join("|"));
    let counted = "(.*){1,32000}[bc]";
    let counts = "^(?:(?:(?:a{1,60}){1,60}){1,60}){1,60}$";
    let dense = format!("^{}$", "a*".repeat(700));
    let properties = r"^(?:\p{L}|\p{Lu}|\p{Ll}|\p{N})*$".repeat(20);
    for pattern in [nested.as_str(), &wide, counted, counts, &dense, &properties] {
        let judgement = judge(pattern, Flags::SCHEMA);
        assert!(judgement.steps <= 5_000_000, "{} steps", judgement.steps);
    }
    let long = "a".repeat(5_000);
    assert!(matches!(judge(&long, Flags::SCHEMA).verdict, Verdict::Outside(PatternError::TooLong { .. })));
}

#[test]
fn what_is_written_out_or_hidden_behind_something_is_found() {
    let nested = |copies: usize| (0..copies).fold("a{8}".to_owned(), |inner, _| format!("(?:{inner}){{8}}"));
    let table = [
        // Bounded ambiguity without a repetition that is large, behind a letter, a loop, decoys, or a long pump.
        ("^(?:a|a|a|a|a|a|a|a|a|a){9}$".to_owned(), "bounded-exponential"),
        (format!("^{}$", "(?:a|a)".repeat(30)), "bounded-exponential"),
        (format!("^{}$", "a{0,9}".repeat(11)), "bounded-exponential"),
        (format!("^{}{}$", "(?:a?){9}".repeat(4), "a".repeat(36)), "bounded-exponential"),
        (format!("^b*{}$", "(?:a|a)".repeat(30)), "bounded-exponential"),
        (format!("^{}{}$", "(?:a|)".repeat(30), "a".repeat(30)), "bounded-exponential"),
        ("^(?:[0-9a-f]{5}|[0-9]{5}){30}$".to_owned(), "bounded-exponential"),
        ("^x(?:a?){30}a{30}$".to_owned(), "bounded-exponential"),
        (format!("^!?#?%?{}{}$", "a?".repeat(30), "a".repeat(30)), "bounded-exponential"),
        // One letter of the loop is swallowed by an earlier alternative, another is not.
        ("^(?:[0-9].*|(?:\\w+)+!)".to_owned(), "exponential"),
        ("^(?:-[^]*|([\\w-]+)+!)$".to_owned(), "exponential"),
        // What is too long to be tried is not called linear, and a length that must be reached is not called anything else.
        ("^x{1500}a*a*$".to_owned(), "undecided"),
        (".{600,}".to_owned(), "linear"),
        ("(?<=x(?:a|a)*yy)z".to_owned(), "undecided"),
        // Nothing is repeated no times, however it nests.
        (format!("^(?:{}){{0}}$", nested(22)), "linear"),
        // Many ways and one reading.
        ("^(?:a|b|c){30}$".to_owned(), "linear"),
        ("^(?:[A-Z][a-z]?){1,40}$".to_owned(), "linear"),
        ("(?:$)*a*".to_owned(), "linear"),
    ];
    for (pattern, expected) in table {
        let judgement = mcp_contract::pattern::judge(&pattern, mcp_contract::pattern::Flags::SCHEMA);
        assert_eq!(judgement.verdict.word(), expected, "{pattern}");
        assert!(judgement.steps <= 5_000_000, "{pattern}: {}", judgement.steps);
    }
}
