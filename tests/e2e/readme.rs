//! The README and the reference of `servers.toml`: each snippet is compiled, parsed or run.

use clap::Parser as _;
use mcp_codegen_cli::Args;
use mcp_contract::config::Config;

const README: &str = include_str!("../../README.md");
const REFERENCE: &str = include_str!("../../docs/servers-toml.md");

/// The fenced blocks of one language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn rust_snippets_are_compiled_code() {
    // The first is compiled into this binary; the others are packages of a test of the doors.
    let compiled = [
        include_str!("readme_code.rs"),
        include_str!("../fixtures/doors/files.rs"),
        include_str!("../fixtures/doors/build.rs"),
        include_str!("../fixtures/doors/built.rs"),
        include_str!("../fixtures/doors/imported.rs"),
    ];
    let snippets = blocks(README, "rust");
    assert_eq!(snippets.len(), 7);
    for snippet in snippets {
        assert!(compiled.iter().any(|text| text.contains(snippet)), "compiled nowhere:\n{snippet}");
    }
}

#[test]
fn configurations_are_read() {
    let (readme, reference) = (blocks(README, "toml"), blocks(REFERENCE, "toml"));
    assert_eq!((readme.len(), reference.len()), (2, 1));
    // The other one is a part of a Cargo.toml.
    for source in readme.into_iter().filter(|source| source.contains("[[server]]")).chain(reference) {
        if let Err(error) = Config::parse(source, "servers.toml") {
            panic!("{error}");
        }
    }
}

#[test]
fn every_supported_key_is_in_the_reference() {
    let refused = |key: &str| {
        let error = Config::parse(&format!("[[server]]\nname = \"a\"\ncommand = \"x\"\n{key} = 7\n"), "f").unwrap_err();
        !error.to_string().contains("unknown key") && !error.to_string().contains("not supported yet")
    };
    for key in [
        "enabled",
        "args",
        "expand_args",
        "env",
        "cwd",
        "include",
        "exclude",
        "namespace",
        "required",
        "kind",
        "roles",
        "ability",
        "connect",
        "drift",
        "trust_rejections",
        "retry",
        "pool",
    ] {
        assert!(refused(key) && REFERENCE.contains(&format!("\n{key} = ")), "{key}");
    }
    for key in ["name", "command", "url", "headers", "connect_timeout", "request_timeout", "out", "match"] {
        assert!(REFERENCE.contains(&format!("\n{key} = ")), "{key}");
    }
}

#[test]
fn commands_are_commands() {
    let mut seen = 0;
    for line in blocks(README, "console").join("\n").lines() {
        let line = line.strip_prefix("$ ").unwrap();
        if line.starts_with("mcp-codegen") {
            Args::try_parse_from(line.split(' ')).unwrap();
        } else if line.starts_with("MCP_CODEGEN_PULL=1 cargo ") {
            // What the variable does is a test of the doors.
        } else {
            // The tour has a test of its own; this test is a part of the other command.
            assert!(["cargo run -p quickstart", "cargo test --workspace"].contains(&line), "{line}");
        }
        seen += 1;
    }
    assert_eq!(seen, 9);
}

#[test]
fn links_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for rest in README.split("](").skip(1) {
        let target = rest.split(')').next().unwrap();
        assert!(root.join(target).exists(), "{target}");
    }
}

#[test]
fn the_command_line_is_sound() {
    use clap::CommandFactory as _;
    Args::command().debug_assert();
}
