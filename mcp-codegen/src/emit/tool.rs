//! One tool: the type of its arguments with the tool's docs, its other types, and the `Tool` impl.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::Names;
use super::server::{Side, ToolCode};
use super::types::Types;
use super::{doc, ident};
use crate::docs;
use crate::shape::{Shape, TypeKey};

/// How much of a tool's description its docs repeat, in characters.
const TOOL_DOC: usize = 600;

/// The code of a tool.
pub(super) fn tool(tool: &ToolCode, names: &Names) -> TokenStream {
    let input = Types { names, tool, side: Side::Input, lowered: &tool.input };
    let key = input_key(tool);
    let arguments = input.definition(key, &tool.input.types[key], &tool_docs(tool));
    let others = input.all_but(Some(key));
    let (output, output_types) = match &tool.output {
        Some(lowered) => {
            let types = Types { names, tool, side: Side::Output, lowered };
            (types.ty(&lowered.root), types.all_but(None))
        }
        None => (quote!(mcp_runtime::Text), TokenStream::new()),
    };
    let name = ident(names.type_name(&tool.remote_name, Side::Input, key));
    let [remote_name, local_name, file] =
        [&tool.remote_name, &tool.local_name, &tool.file].map(|text| Literal::string(text));
    quote! {
        #arguments
        impl mcp_runtime::Tool for #name {
            type Output = #output;
            pinned!(#remote_name, #local_name, #file);
        }
        #others
        #output_types
    }
}

/// Where the type of the arguments stands.
pub(super) fn input_key(tool: &ToolCode) -> &TypeKey {
    match &tool.input.root {
        Shape::Named(key) => key,
        _ => unreachable!("arguments are a type of their own"),
    }
}

fn tool_docs(tool: &ToolCode) -> TokenStream {
    let mut lines = match &tool.description {
        Some(description) => docs::lines(description, TOOL_DOC),
        None => Vec::new(),
    };
    if lines.is_empty() {
        lines.push("(The server gives no description.)".to_owned());
    }
    doc(&lines)
}
