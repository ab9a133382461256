//! Saying that a test is skipped, in a way that no test runner swallows.

use std::io::Write as _;
use std::path::PathBuf;

/// A folder that the environment names; says so where it does not.
pub(crate) fn folder(variable: &str, what: &str) -> Option<PathBuf> {
    let found = std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_dir());
    if found.is_none() {
        // Not `eprintln!`: the test runner would capture it.
        let _ = writeln!(std::io::stderr(), "SKIPPED {what}: {variable} does not name a folder");
    }
    found
}
