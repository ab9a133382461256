//! A second generator over the same schemas and instances, to find out who is right where the two disagree.
//!
//! `oracle generate DUMP OUT` writes a package with typify's types for each schema of a dump; `oracle compare DUMP ANSWERS` holds its answers
//! and ours to the instances.

#![forbid(unsafe_code)]

mod compare;
mod generate;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", dump, out] => generate::generate(Path::new(dump), Path::new(out)),
        ["compare", dump, answers] => compare::compare(Path::new(dump), Path::new(answers)),
        _ => Err("usage: oracle generate DUMP OUT | oracle compare DUMP ANSWERS".into()),
    }
}
