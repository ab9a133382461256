//! What a refused tool leaves behind: names that do not compile, with the reason.
//!
//! Code that was written for a tool and no longer compiles should say why. A method and a constructor that ask for a trait which
//! nothing implements do: the compiler shows the message that stands on the trait, and only where the tool is used.

use mcp_contract::admission::RefusedTool;
use mcp_contract::text::excerpt;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::Names;
use super::server::ServerCode;
use super::{doc, ident};
use crate::docs;

/// The types of the refused tools.
pub(super) fn refused(server: &ServerCode, names: &Names) -> TokenStream {
    let items = server.refused.iter().map(|tool| {
        let (name, bound) = (ident(names.refused(&tool.remote_name)), ident(names.refusal(&tool.remote_name)));
        let text = reason(tool);
        let message = Literal::string(&format!(
            "the tool `{}` of server `{}` was refused: {text}",
            placeholder_free(&tool.remote_name),
            server.name
        ));
        let docs = doc(&docs::inline(&format!("Refused: {text}")));
        let constructor = doc(&["Does not compile: the tool was refused.".to_owned()]);
        quote! {
            #docs
            #[derive(Debug)]
            pub struct #name<T: #bound>(T);
            impl<T: #bound> #name<T> {
                #constructor
                pub fn new(args: T) -> Self {
                    Self(args)
                }
            }
            #docs
            #[diagnostic::on_unimplemented(message = #message, label = "this tool was refused")]
            pub trait #bound {}
        }
    });
    quote!(#(#items)*)
}

/// The method that the client has for a refused tool.
pub(super) fn method(tool: &RefusedTool, names: &Names) -> TokenStream {
    let (method, bound) = (ident(names.method(&tool.remote_name)), ident(names.refusal(&tool.remote_name)));
    let docs = doc(&docs::inline(&format!("Refused: {}", reason(tool))));
    quote! {
        #docs
        pub fn #method<T: #bound>(&self, args: T) -> T {
            args
        }
    }
}

/// The reason, safe to show.
fn reason(tool: &RefusedTool) -> String {
    placeholder_free(&tool.reason.to_string())
}

/// Foreign text without the braces that the compiler's message would take for placeholders.
fn placeholder_free(text: &str) -> String {
    excerpt(text, 400).replace('{', "(").replace('}', ")")
}
