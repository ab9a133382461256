//! The decisions of the contract, as tables of cases.

#![allow(clippy::type_complexity, clippy::format_collect, reason = "tables of cases")]

mod admission;
mod config;
mod json;
mod names;
mod patterns;
mod risk;
mod schemas;
mod screens;
