//! The committed listing of the runtime's public interface: it names what the library exports, and rmcp only where a feature is for it.

const LISTING: &str = include_str!("../../docs/api/mcp-runtime.txt");
const LIBRARY: &str = include_str!("../../runtime/src/lib.rs");

#[test]
fn everything_that_is_exported_is_in_the_listing() {
    let exports = LIBRARY.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let mut missing = Vec::new();
    for export in exports {
        let names = export.rsplit("::").next().unwrap_or(export);
        let names = export.split_once('{').map_or(names, |(_, inside)| inside.trim_end_matches('}'));
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "serde") {
            let ends =
                [format!("mcp_runtime::{name}\n"), format!("mcp_runtime::{name}("), format!("mcp_runtime::{name}<")];
            let found = ends.iter().any(|end| LISTING.contains(end.as_str()))
                || LISTING.contains(&format!("mcp_runtime::{name}:"))
                || LISTING.contains(&format!("mcp_runtime::{name} "));
            if !found {
                missing.push(name);
            }
        }
    }
    assert_eq!(missing, Vec::<&str>::new(), "run scripts/public-api");
}

#[test]
fn no_type_of_rmcp_is_exposed_but_by_the_feature_for_it() {
    let named: Vec<&str> =
        LISTING.lines().filter(|line| line.contains(" rmcp::") || line.contains("<rmcp::")).collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(named[0].contains("mcp_runtime::rmcp_tools"));
}
