//! `mcp_import!`: the generated modules without a command to run or a file to check in but the snapshot.
//!
//! Use it through `mcp_runtime` (feature `macros`). It reads `servers.toml` and the committed snapshots of the package, and nothing else: no
//! network, no process. What it expands to is what the command writes into files.

mod expand;
mod input;

use proc_macro::TokenStream;

/// Expands to the modules of a `servers.toml`, given by its path inside the package.
///
/// ```ignore
/// mcp_runtime::mcp_import!("servers.toml");
/// mcp_runtime::mcp_import!(pub mod mcp = "servers.toml");
/// mcp_runtime::mcp_import!("servers.toml", crate = ::other::mcp_runtime);
/// ```
#[proc_macro]
pub fn mcp_import(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as input::Input);
    expand::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
