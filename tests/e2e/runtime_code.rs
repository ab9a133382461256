//! The code of `docs/runtime.md`, to the letter, compiled and run.

use mcp_runtime::testing::{Fault, TestServer};
use mcp_runtime::{Importer, Outcome};

use crate::generated as mcp;
use crate::generated::memory::{CreateEntities, Memory};

async fn an_order_is_placed_once() {
    let shop = TestServer::accepting(&mcp::memory::SERVER);
    shop.plan("create_entities", Fault::Death.after_running());
    let pipes = shop.clone();
    let importer = Importer::builder(mcp::CONTRACT).transport("memory", move || pipes.pipe()).start().await.unwrap();
    let memory = Memory::new(&importer);
    let error = memory.create_entities(CreateEntities::new(vec![])).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert_eq!(shop.executions().len(), 1);
}

#[tokio::test]
async fn the_test_of_the_manual_passes() {
    an_order_is_placed_once().await;
}

#[test]
fn the_manual_says_the_same() {
    let manual = include_str!("../../docs/runtime.md");
    let snippet = manual.split("```rust\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    assert!(include_str!("runtime_code.rs").contains(snippet));
}
