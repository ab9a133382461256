//! The typed client: one method a tool.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::Names;
use super::refused;
use super::server::{ServerCode, Side};
use super::tool::input_key;
use super::{doc, ident};

/// The client of a server.
pub(super) fn client(server: &ServerCode, names: &Names) -> TokenStream {
    let name = ident(&names.client);
    let server_name = Literal::string(&server.name);
    let methods = server.tools.iter().map(|tool| {
        let method = ident(names.method(&tool.remote_name));
        let args = ident(names.type_name(&tool.remote_name, Side::Input, input_key(tool)));
        let docs = doc(&[format!("Calls the tool; see [`{args}`].")]);
        quote! {
            #docs
            #[inline]
            pub fn #method(&self, args: #args) -> Call<#args> {
                self.0.call(args)
            }
        }
    });
    let refused = server.refused.iter().map(|tool| refused::method(tool, names));
    let struct_docs = doc(&[format!("The tools of `{}`, typed.", server.name)]);
    let new_docs = doc(&["A client over the importer's connection.".to_owned()]);
    let with_docs = doc(&["The same client, with options for each of its calls.".to_owned()]);
    quote! {
        #struct_docs
        #[derive(Clone, Debug)]
        pub struct #name(mcp_runtime::Client);
        impl #name {
            #new_docs
            pub fn new(importer: &mcp_runtime::Importer) -> Self {
                Self(importer.client(#server_name))
            }
            #with_docs
            pub fn with(&self, options: mcp_runtime::CallOptions) -> Self {
                Self(self.0.with(options))
            }
            #(#methods)*
            #(#refused)*
        }
    }
}
