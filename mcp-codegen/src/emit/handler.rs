//! The handler trait, and what serves an implementation of it in process.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::Names;
use super::server::{ServerCode, Side};
use super::tool::input_key;
use super::{doc, ident};

/// The trait with a default body for each tool, and the server over it.
pub(super) fn handler(server: &ServerCode, names: &Names) -> TokenStream {
    let (handler, serving) = (ident(&names.handler), ident(&names.server));
    let methods = server.tools.iter().map(|tool| {
        let method = ident(names.method(&tool.remote_name));
        let args = ident(names.type_name(&tool.remote_name, Side::Input, input_key(tool)));
        quote! {
            fn #method(&self, args: #args) -> impl Answers<#args> {
                mcp_runtime::unimplemented(args)
            }
        }
    });
    let arms = server.tools.iter().map(|tool| {
        let method = ident(names.method(&tool.remote_name));
        let remote_name = Literal::string(&tool.remote_name);
        quote!(#remote_name => call.answer(|args| self.0.#method(args)))
    });
    let body = if server.tools.is_empty() {
        quote!(call.unknown())
    } else {
        quote!(match call.tool() { #(#arms,)* _ => call.unknown(), })
    };
    let trait_docs = doc(&[
        format!("The tools of `{}` as a trait: implement those that a test needs (as `async fn`),", server.name),
        format!("and serve it with [`{}`].", names.server),
    ]);
    let server_docs = doc(&[format!("Serves a [`{}`] in process: `{}(handler)`.", names.handler, names.server)]);
    quote! {
        #trait_docs
        pub trait #handler: Send + Sync + 'static {
            #(#methods)*
        }
        #server_docs
        #[derive(Debug)]
        pub struct #serving<H>(pub H);
        impl<H: #handler> mcp_runtime::Serve for #serving<H> {
            fn contract(&self) -> mcp_runtime::ServerContract {
                SERVER
            }
            fn serve(&self, call: mcp_runtime::IncomingCall) -> mcp_runtime::Serving<'_> {
                #body
            }
        }
    }
}
