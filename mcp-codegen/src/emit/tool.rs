//! One tool: the type of its arguments with the tool's docs, its other types, and the `Tool` impl.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::module::Place;
use super::names::Names;
use super::server::{Side, ToolCode};
use super::types::Types;
use super::{doc, ident};
use crate::docs;
use crate::shape::{Shape, TypeDef, TypeKey};

/// How much of a tool's description its docs repeat, in characters.
const TOOL_DOC: usize = 1200;

/// Where generated code finds the snapshot: the folder of `servers.toml`, and the server's folder.
pub(super) struct SnapshotPlace<'a> {
    pub(super) place: &'a Place,
    pub(super) server: &'a str,
}

impl SnapshotPlace<'_> {
    /// `include_str!` of one of the snapshot's files.
    pub(super) fn include(&self, file: &str) -> TokenStream {
        self.place.include(&format!("mcp/{}/{file}", self.server))
    }
}

/// The code of a tool.
pub(super) fn tool(tool: &ToolCode, names: &Names, place: &SnapshotPlace<'_>) -> TokenStream {
    let input = Types { names, tool, side: Side::Input, lowered: &tool.input };
    let key = input_key(tool);
    let TypeDef::Object(object) = &tool.input.types[key].def else { unreachable!("arguments are an object type") };
    let arguments = input.object(key, object, &tool_docs(tool));
    let others = input.all_but(Some(key));
    let (output, output_types, structured) = match &tool.output {
        Some(lowered) => {
            let types = Types { names, tool, side: Side::Output, lowered };
            (types.ty(&lowered.root), types.all_but(None), true)
        }
        None => (quote!(mcp_runtime::Text), TokenStream::new(), false),
    };
    let name = ident(names.type_name(&tool.remote_name, Side::Input, key));
    let server = Literal::string(place.server);
    let remote_name = Literal::string(&tool.remote_name);
    let local_name = Literal::string(&tool.local_name);
    let snapshot = place.include(&tool.file);
    quote! {
        #arguments
        impl mcp_runtime::Tool for #name {
            type Output = #output;
            const SERVER: &'static str = #server;
            const REMOTE_NAME: &'static str = #remote_name;
            const LOCAL_NAME: &'static str = #local_name;
            const STRUCTURED: bool = #structured;
            const SNAPSHOT: &'static str = #snapshot;
        }
        #others
        #output_types
    }
}

/// Where the type of the arguments stands.
pub(super) fn input_key(tool: &ToolCode) -> &TypeKey {
    match &tool.input.root {
        Shape::Named(key) => key,
        _ => unreachable!("arguments are an object type"),
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
