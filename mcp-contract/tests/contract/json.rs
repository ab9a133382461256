//! JSON as it was spelled: what is one digest, what is refused, what is printed.

use mcp_contract::json::{Digest, JsonError, MAX_DEPTH, parse};

fn digest(text: &str) -> Digest {
    Digest::of(&parse(text).unwrap())
}

#[test]
fn spelling_is_not_meaning() {
    for (one, other) in [
        ("1", "1.0"),
        ("1", "10e-1"),
        ("100", "1e2"),
        ("0", "-0.0e5"),
        ("0.5", "5E-1"),
        ("\"\\u0041\"", "\"A\""),
        ("\"\\ud83d\\ude00\"", "\"😀\""),
        ("{\"a\":1,\"b\":[]}", "{ \"b\" : [ ], \"a\" : 1.00 }"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ] {
        assert_eq!(digest(one), digest(other), "{one} {other}");
    }
    for (one, other) in [
        ("9007199254740992", "9007199254740993"),
        ("1", "\"1\""),
        ("[1,2]", "[2,1]"),
        ("null", "false"),
        ("{}", "[]"),
        ("\"\"", "\" \""),
        ("1", "-1"),
        ("[1,[]]", "[[1]]"),
        ("{\"a\":null}", "{}"),
    ] {
        assert_ne!(digest(one), digest(other), "{one} {other}");
    }
}

#[test]
fn what_two_readers_might_read_differently_is_refused() {
    assert!(
        matches!(parse(r#"{"a":{"b":1,"b":1}}"#), Err(JsonError::DuplicateKey { pointer, .. }) if pointer.as_str() == "/a")
    );
    for text in ["", "{", "[1,]", "01", "1 2", "\"\\ud800\"", "'a'", "NaN", "{\"a\" 1}", "\"\n\"", "nul"] {
        assert!(parse(text).is_err(), "{text:?}");
    }
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(parse(&deep(MAX_DEPTH)).is_ok());
    assert!(matches!(parse(&deep(MAX_DEPTH + 1)), Err(JsonError::TooDeep { .. })));
    assert!(matches!(parse(&deep(1_000_000)), Err(JsonError::TooDeep { .. })));
}

#[test]
fn printing_keeps_order_and_numbers_and_shows_what_hides() {
    let text = "{\"z\":[1.50,1e400,{}],\"a\":\"tab\\t nbsp\u{a0} bidi\u{202e} tag\u{e0041} é 😀\"}";
    let printed = parse(text).unwrap().to_pretty();
    assert_eq!(
        printed,
        "{\n  \"z\": [\n    1.50,\n    1e400,\n    {}\n  ],\n  \"a\": \"tab\\t nbsp\\u00a0 bidi\\u202e tag\\udb40\\udc41 é 😀\"\n}"
    );
    assert_eq!(parse(&printed).unwrap(), parse(text).unwrap());
    assert!(parse("[1e400]").unwrap().to_value().unwrap_err().to_string().contains("1e400 at /0"));
}
