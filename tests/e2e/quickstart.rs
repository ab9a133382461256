//! The tour says what the golden file says, to the letter, and its committed module is fresh.

use std::path::Path;
use std::process::Command;

use expect_test::expect_file;

use crate::project::program;

#[test]
fn the_tour_shows_what_a_newcomer_should_see() {
    let output = Command::new(program("quickstart")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    expect_file!["golden/quickstart.txt"].assert_eq(&String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_committed_module_is_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart");
    let contract = mcp_codegen::Contract::load(&folder.join("servers.toml")).unwrap();
    assert_eq!(contract.problems, []);
    let generated = mcp_codegen::generate(&contract, &mcp_codegen::Options::default()).unwrap();
    let stale = mcp_codegen::differences(&contract.out(), &generated.files).unwrap();
    assert!(stale.is_empty(), "{stale:?}");
}
