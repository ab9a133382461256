//! What patterns mean: our validator against Node's own `RegExp` with the `u` flag, over patterns and texts made from every difference that
//! is known between ECMA-262 and the engines of Rust.

use std::io::Write as _;
use std::process::{Command, Stdio};

use mcp_contract::json::parse;
use mcp_contract::pattern::{Pattern, Reading};
use mcp_contract::schema::CompiledSchema;
use serde_json::{Value, json};

/// Parts of patterns: each stands alone, and in the frames below.
const PARTS: &[&str] = &[
    r"\d",
    r"\D",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\b",
    r"\B",
    ".",
    "$",
    "^",
    r"\/",
    r"\-",
    r"[\-a]",
    r"\cA",
    r"\c",
    r"\ca",
    r"[\cA]",
    r"\u0041",
    r"\u{41}",
    r"\u{1F600}",
    r"\uD83D\uDE00",
    r"[\uD83D\uDE00]",
    r"\uD83D",
    r"\u{110000}",
    r"\u",
    r"\x41",
    r"\x4",
    r"\0",
    r"\00",
    r"\1",
    r"(a)\1",
    r"\8",
    r"\p{L}",
    r"\p{Lu}",
    r"\p{Script=Greek}",
    r"\p{sc=Greek}",
    r"\p{scx=Greek}",
    r"\p{gc=Nd}",
    r"\p{greek}",
    r"\pL",
    r"\P{L}",
    r"\p{RGI_Emoji}",
    r"\p{Any}",
    r"\p{ASCII}",
    r"\p{Alphabetic}",
    r"\p{Nope}",
    r"(?<n>a)",
    r"(?<n>a)|(?<n>b)",
    r"\k<n>",
    r"(?<n>a)\k<n>",
    "[^]",
    "[]",
    "[a&&b]",
    "[a--b]",
    "[a~~b]",
    "[[a]",
    "[a-z&&[aeiou]]",
    "{",
    "}",
    "]",
    "a{1",
    "a{,3}",
    "a{2,1}",
    "a{2}",
    "a{1,2}",
    "a{0}",
    r"\_",
    r"\a",
    r"\A",
    r"\z",
    r"\Z",
    r"\e",
    "(?i)a",
    "(?x) a",
    "(?i:a)",
    "(?P<n>a)",
    "[[:alpha:]]",
    "a**",
    "a*+",
    "a??",
    "a+?",
    "a{1,2}?",
    "x*?",
    "(?:)",
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    r"[\d-x]",
    r"[\w-]",
    "[-a]",
    "[a-]",
    "[z-a]",
    r"[\b]",
    r"[\B]",
    r"[^\d]",
    r"[^\s\S]",
    r"[\s\S]",
    "é",
    "[à-ü]",
    "😀",
    "[😀-😂]",
    "a|b",
    "|",
    "()",
    "(a",
    "a)",
    "*",
    "+",
    "?",
    r"\",
    r"\n",
    r"\r",
    r"\t",
    r"\v",
    r"\f",
    r"\u2028",
    "(?:a|ab)(?:c|bcd)",
    "a{65536}",
    r"\w+\b",
    r"\b\d+\b",
];

const FRAMES: &[(&str, &str)] = &[("", ""), ("^", "$"), ("^(?:", ")+$"), ("x", "y"), ("[", "]")];

const TEXTS: &[&str] = &[
    "", "a", "A", "b", "ab", "aa", "abc", "abcd", "1", "٤", "9", "_", "é", "É", "ſ", "\u{212a}", " ", "\u{a0}",
    "\u{feff}", "\u{85}", "\u{2028}", "\n", "\r", "\r\n", "a\n", "\na", "\t", "\u{b}", "\u{c}", "\u{1}", "\0", "😀",
    "😁", "-", "/", "\\", "&", "~", "[", "]", "{", "}", "x", "y", "xay", "x1y", "xy", "x y", "α", "Ω", "ж", "日本",
    "a1_", "1 2", "a-b", ":", "l", "h", "\u{8}", "c", "k", "n", "\u{7}",
];

#[test]
fn patterns_mean_what_node_says() {
    let patterns: Vec<String> = PARTS
        .iter()
        .flat_map(|part| FRAMES.iter().map(move |(before, after)| format!("{before}{part}{after}")))
        .collect();
    let Some(answers) = node(&patterns) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED patterns against Node's RegExp: there is no node");
        return;
    };
    assert_eq!(answers.len(), patterns.len());
    let (mut wrong, mut compared, mut refused) = (Vec::new(), 0, 0);
    for (pattern, answer) in patterns.iter().zip(&answers) {
        match (Pattern::compile(pattern), answer.as_array()) {
            // Node knows no such pattern: we refuse it, or read it by the older grammar and say so.
            (Err(_), None) => refused += 1,
            (Ok(ours), None) if ours.reading() == Reading::AnnexB => refused += 1,
            // ES2025, which this node may be too old for.
            (Ok(_), None) if pattern.contains("(?<n>a)|(?<n>b)") => refused += 1,
            (Ok(_), None) => wrong.push(format!("/{pattern}/ is no pattern to node")),
            (Err(error), Some(_)) => {
                let text = error.to_string();
                let known = ["look-around", "back-reference", "surrogate", "memory", "large"];
                if known.iter().any(|word| text.contains(word)) {
                    refused += 1;
                } else {
                    wrong.push(format!("/{pattern}/ is refused: {text}"));
                }
            }
            (Ok(_), Some(matches)) => {
                let schema = parse(&json!({"type": "string", "pattern": pattern}).to_string()).unwrap();
                let schema = CompiledSchema::compile(&schema).unwrap_or_else(|error| panic!("/{pattern}/: {error}"));
                for (text, matches) in TEXTS.iter().zip(matches) {
                    compared += 1;
                    if schema.is_valid(&json!(text)) != (*matches == true) {
                        wrong.push(format!("/{pattern}/ on {text:?}: node says {matches}"));
                    }
                }
            }
        }
    }
    println!(
        "{} patterns, {compared} matches compared, {refused} patterns refused on both sides or for what they are",
        patterns.len()
    );
    assert!(compared > 10_000, "{compared}");
    assert_eq!(wrong.join("\n"), "");
}

/// For each pattern whether it matches each text, or `null` where node says that it is none.
fn node(patterns: &[String]) -> Option<Vec<Value>> {
    const SCRIPT: &str = "
        const [patterns, texts] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
        console.log(JSON.stringify(patterns.map(pattern => {
            try { const regex = new RegExp(pattern, 'u'); return texts.map(text => regex.test(text)); } catch { return null; }
        })));";
    let mut child =
        Command::new("node").args(["-e", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take().unwrap().write_all(json!([patterns, TEXTS]).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}
