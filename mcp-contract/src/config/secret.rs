//! Credentials that were written out where only a variable belongs.
//!
//! `servers.toml` is committed and embedded into binaries, so a literal token in it is published. The shapes are those
//! of tokens that are recognisable by themselves; a password without a shape cannot be told from a word, and is not
//! guessed at.

use std::sync::LazyLock;

use regex::Regex;

use super::Template;

/// The shapes, each with the name a message gives it.
const SHAPES: &[(&str, &str)] = &[
    ("a GitHub token", r"\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("an API key that starts with `sk-`", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("an AWS access key", r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{20,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("a PyPI token", r"\bpypi-[A-Za-z0-9_-]{30,}"),
    ("a JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("a bearer token", r"(?i)\bBearer\s+[A-Za-z0-9._~+/=-]{16,}"),
    ("basic credentials", r"(?i)\bBasic\s+[A-Za-z0-9+/=]{8,}"),
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("a password in an address", r"://[^/@:\s\x00]+:[^/@\s\x00]+@"),
    ("a credential in a query", r"(?i)[?&](api[_-]?key|access[_-]?token|token|key|secret|password)=[^&#\s\x00]{12,}"),
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    SHAPES.iter().map(|(name, shape)| (*name, Regex::new(shape).expect("a constant pattern compiles"))).collect()
});

/// The name of the credential's shape, where the literal part of a value has one.
pub(super) fn shape_of(value: &Template) -> Option<&'static str> {
    let text = value.literal_text();
    COMPILED.iter().find(|(_, shape)| shape.is_match(&text)).map(|(name, _)| *name)
}
