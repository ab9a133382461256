//! From shapes to tokens, and from tokens to the text of a file.
//!
//! Everything is built with `quote!`; foreign text enters only through `proc_macro2::Literal` and identifiers that
//! [`crate::ident`] made. The text is printed by `prettyplease`, in process, so that it is the same on every machine.

mod client;
mod enums;
mod handler;
mod layout;
mod module;
mod names;
mod refused;
mod server;
mod structs;
mod tool;
mod types;

pub(crate) use module::{MARKER, Place, Surroundings, inline_file, inline_tokens, module_file, root_file};
pub(crate) use server::ServerCode;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// An identifier that is known to be one, possibly raw.
pub(crate) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// `#[doc = ".."]` for each line.
pub(crate) fn doc(lines: &[String]) -> TokenStream {
    let attributes = lines.iter().map(|line| {
        let text = Literal::string(&if line.is_empty() { String::new() } else { format!(" {line}") });
        quote!(#[doc = #text])
    });
    quote!(#(#attributes)*)
}
