//! The decisions of the contract, as tables of cases.

#![allow(clippy::type_complexity, clippy::format_collect, clippy::needless_pass_by_value, reason = "tables of cases")]

mod admission;
mod borders;
mod compat;
mod config;
mod drift;
mod json;
mod names;
mod patterns;
mod promises;
mod risk;
mod schemas;
mod screens;
