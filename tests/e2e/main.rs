//! The end-to-end tests, in one binary.
//!
//! Tests over things that a machine may not have (node, Python, the big corpus) say visibly that they are skipped.

#![allow(clippy::needless_raw_string_hashes, clippy::too_many_lines, reason = "golden texts are written by a tool")]

mod bad_input;
mod behaviours;
mod calls;
mod cases;
mod compat;
mod corpus;
mod doors;
mod drift;
mod ecma;
mod host_screens;
mod hostile_schemas;
mod hostile_text;
mod http;
mod instances;
mod layers;
mod matching;
mod over_http;
mod overrides;
mod packages;
mod processes;
mod project;
mod protocol;
mod public_api;
mod quickstart;
mod random;
mod readme;
#[rustfmt::skip]
mod readme_code;
mod real;
mod real_faults;
mod review;
#[rustfmt::skip]
mod runtime_code;
mod screening;
mod semver;
mod shapes;
mod skip;
mod snapshots;
mod suite;
mod through_serde;
mod truth;
mod versions;
mod wide;

#[path = "../fixtures/real/generated/mod.rs"]
mod generated;
