//! The decisions of the contract, as tables of cases.

mod admission;
mod config;
mod json;
mod names;
mod patterns;
mod schemas;
