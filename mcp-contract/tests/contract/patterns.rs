//! Patterns, with ECMA-262's meaning: what matches, what is refused, and why.

use mcp_contract::pattern::{Pattern, PatternError, Reading};

#[test]
fn patterns_mean_what_ecma_262_says() {
    // (pattern, texts that match, texts that do not); the truth of each row is Node's `RegExp` with the `u` flag.
    let cases: &[(&str, &[&str], &[&str])] = &[
        (r"^\d+$", &["42"], &["٤٢", "", "4\n"]),
        (r"^\w+$", &["aZ_9"], &["é", "a b"]),
        (r"^\s$", &["\u{feff}", "\u{2029}", "\u{3000}", "\t"], &["\u{85}", "\u{200b}"]),
        (r"^\S$", &["\u{85}"], &["\u{feff}"]),
        (r"^.$", &["a", "😀", "\u{85}"], &["\n", "\r", "\u{2028}", "\u{2029}", ""]),
        (r"a$", &["ba"], &["a\n"]),
        (r"\ba\b", &["é a é", "éaé"], &["bab"]),
        (r"\Ba", &["ba"], &["a", " a"]),
        (r"^[\b]$", &["\u{8}"], &["b"]),
        (r"^\cA\x41\u0041\u{1F600}$", &["\u{1}AA😀"], &["AA😀"]),
        (r"^\ud83d\ude00$", &["😀"], &["?"]),
        (r"^[\ud83d\ude00-\u{1F602}]$", &["😁"], &["\u{1F603}"]),
        (r"^\0$", &["\0"], &["0"]),
        (r"^[^]$", &["\n", "a"], &[""]),
        (r"[]", &[], &["", "a"]),
        (r"^[a&&b]$", &["&", "a", "b"], &["c"]),
        (r"^[+--b]$", &["+", ",", "-", "b"], &["a", "c"]),
        (r"^[a~~b]$", &["~"], &["c"]),
        (r"^\p{Lu}\p{L}$", &["Éé"], &["éÉ"]),
        (r"^\p{Script=Greek}+$", &["αβγ"], &["abc"]),
        (r"^\p{scx=Han}$", &["漢"], &["a"]),
        (r"^\P{L}$", &["1"], &["a"]),
        (r"^\p{ASCII}$", &["~"], &["é"]),
        (r"^a{2,3}?$", &["aa", "aaa"], &["a", "aaaa"]),
        (r"^(?<n>a)|b$", &["ax", "xb"], &["x"]),
        (r"^(?:a|b)*c", &["ababc", "c"], &["abd"]),
        (r"^\/\.\*$", &["/.*"], &["/ab"]),
        ("", &["", "anything"], &[]),
        (r"(a+)+$", &["aaaa"], &["b"]),
        (r"^(?!\.)(?!.*\.\.)[a-z.]+@x$", &["a.b@x"], &[".a@x", "a..b@x"]),
        (r"^(?=.*\d)(?=.*[a-z]).{4,}$", &["abc1"], &["abcd", "a1"]),
        (r"^(?!a|b)c?", &["c", ""], &["ab", "b"]),
        (r"(?:^)?abc", &["abc", "xabc"], &["ab"]),
        (r"^(\b)?x", &["x"], &["yx"]),
    ];
    for (pattern, matching, other) in cases {
        let compiled = Pattern::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(compiled.reading(), Reading::Unicode, "{pattern}");
        for text in *matching {
            assert!(compiled.is_match(text), "{pattern} should match {text:?}");
        }
        for text in *other {
            assert!(!compiled.is_match(text), "{pattern} should not match {text:?}");
        }
    }
}

#[test]
fn the_older_grammar_is_read_where_the_strict_one_refuses() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (r"^\-\_\ $", &["-_ "], &["\\-"]),
        (r"^{a}$", &["{a}"], &["a"]),
        (r"^a{,3}$", &["a{,3}"], &["aaa"]),
        (r"^]$", &["]"], &["["]),
        (r"^[[a]]$", &["[]", "a]"], &["a"]),
        (r"^[\w-a]$", &["-", "a", "z"], &["!"]),
        (r"^\8\101$", &["8A"], &["\\8A"]),
        (r"^\x4\u12$", &["x4u12"], &["4"]),
        (r"^\-[^\@\s]+$", &["-a"], &["-@"]),
        (r"^\c$", &["\\c"], &["c"]),
        (r"^[\c-e]$", &["\\", "d"], &["-", "f"]),
        (r"^\k$", &["k"], &["\\k"]),
    ];
    for (pattern, matching, other) in cases {
        let compiled = Pattern::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(compiled.reading(), Reading::AnnexB, "{pattern}");
        assert!(matching.iter().all(|text| compiled.is_match(text)), "{pattern}");
        assert!(!other.iter().any(|text| compiled.is_match(text)), "{pattern}");
    }
}

#[test]
fn other_dialects_and_attacks_are_refused() {
    for pattern in [
        "(?i)abc",
        r"\A",
        "(?P<n>a)",
        "a**",
        "a*+",
        "(",
        ")",
        "a)",
        "[a",
        "[b-a]",
        "a{2,1}",
        "*a",
        "^*",
        "(?<1>a)",
        "(?>a)",
        r"\",
        r"[\d-z]b{",
        "(?#c)",
        r"\p{Nope}",
        r"\u{110000}",
        r"\ud800",
        "+",
        r"^[\p{L}\_]+$",
    ] {
        let found = Pattern::compile(pattern);
        let annex_b_only = matches!(&found, Ok(compiled) if compiled.reading() == Reading::AnnexB);
        assert!(found.is_err() || annex_b_only, "{pattern} was taken as strict");
    }
    assert!(matches!(Pattern::compile(r"(a)\1"), Err(PatternError::BackReference)));
    assert!(matches!(Pattern::compile(r"(?<n>a)\k<n>"), Err(PatternError::BackReference)));
    for pattern in ["a(?=b)", "(?<=a)b", "(?!a)", "^a(?!b)", "(^(?!a))|b", "^(?:(?!a)b)*$"] {
        assert_eq!(Pattern::compile(pattern).unwrap_err(), PatternError::LookAround, "{pattern}");
    }
    assert!(matches!(Pattern::compile(&"a".repeat(5000)), Err(PatternError::TooLong { bytes: 5000 })));
    for pattern in ["((a{1,1000}){1,1000}){1,1000}", "a{4294967295}", r"^\w{1,100000}x\w{1,100000}$"] {
        assert_eq!(Pattern::compile(pattern).unwrap_err(), PatternError::TooLarge, "{pattern}");
    }
    let nested = "(".repeat(2000) + &")".repeat(2000);
    assert!(Pattern::compile(&nested).is_err());
}

#[test]
fn nothing_in_the_pattern_set_panics() {
    let Some(folder) = std::env::var_os("MCP_CORPUS") else {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "SKIPPED the pattern set: MCP_CORPUS is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("redos/patterns.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut compiled, mut total) = (0, 0);
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        total += 1;
        compiled += usize::from(Pattern::compile(row["pattern"].as_str().unwrap()).is_ok());
    }
    println!("{compiled} of {total} patterns run in linear time");
    assert!(compiled * 10 > total * 8, "{compiled} of {total}");
}
