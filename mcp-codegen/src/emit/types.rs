//! The named types of one side of a tool, and how a shape is spelled as a Rust type.

use proc_macro2::TokenStream;
use quote::quote;

use super::names::Names;
use super::server::{Side, ToolCode};
use super::{doc, ident};
use crate::shape::{Lowered, NamedType, Shape, TypeDef, TypeKey};

/// One side of one tool, with the names of its module.
pub(super) struct Types<'a> {
    pub(super) names: &'a Names,
    pub(super) tool: &'a ToolCode,
    pub(super) side: Side,
    pub(super) lowered: &'a Lowered,
}

impl Types<'_> {
    /// All named types of this side but the one at `except`, whose docs are the tool's.
    pub(super) fn all_but(&self, except: Option<&TypeKey>) -> TokenStream {
        let types = self.lowered.types.iter().filter(|(key, _)| Some(*key) != except);
        let items = types.map(|(key, named)| {
            let what =
                if named.path.is_empty() { "The result".to_owned() } else { format!("`{}`", place(&named.path)) };
            self.definition(key, named, &doc(&[format!("{what} of [`{}`].", self.tool_type())]))
        });
        quote!(#(#items)*)
    }

    /// A type with its docs.
    pub(super) fn definition(&self, key: &TypeKey, named: &NamedType, docs: &TokenStream) -> TokenStream {
        match &named.def {
            TypeDef::Object(object) => self.object(key, &named.at, object, docs),
            TypeDef::Enum(values) => self.enumeration(key, values, docs),
            TypeDef::Union(union) => self.union(key, union, docs),
            TypeDef::Tagged(tagged) => self.tagged(key, tagged, docs),
        }
    }

    pub(super) fn name(&self, key: &TypeKey) -> &str {
        self.names.type_name(&self.tool.remote_name, self.side, key)
    }

    fn tool_type(&self) -> &str {
        match &self.tool.input.root {
            Shape::Named(key) => self.names.type_name(&self.tool.remote_name, Side::Input, key),
            _ => unreachable!("arguments are a type of their own"),
        }
    }

    /// The Rust type of a shape.
    pub(super) fn ty(&self, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Any(_) => quote!(Value),
            Shape::Null => quote!(()),
            Shape::Bool => quote!(bool),
            Shape::I64 => quote!(i64),
            Shape::U64 => quote!(u64),
            Shape::F64 => quote!(f64),
            Shape::String => quote!(String),
            Shape::Named(key) => {
                let name = ident(self.name(key));
                quote!(#name)
            }
            Shape::Boxed(key) => {
                let name = ident(self.name(key));
                quote!(Box<#name>)
            }
            // A vector or a map is an indirection already.
            Shape::List(element) => {
                let element = self.ty(&unboxed(element));
                quote!(Vec<#element>)
            }
            Shape::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.ty(element));
                quote!((#(#elements,)*))
            }
            Shape::Map(value) => {
                let value = self.ty(&unboxed(value));
                quote!(BTreeMap<String, #value>)
            }
            Shape::Nullable(inner) => {
                let inner = self.ty(inner);
                quote!(Option<#inner>)
            }
        }
    }
}

/// The same type without a box of its own.
fn unboxed(shape: &Shape) -> Shape {
    match shape {
        Shape::Boxed(key) => Shape::Named(key.clone()),
        Shape::Nullable(inner) => Shape::Nullable(Box::new(unboxed(inner))),
        other => other.clone(),
    }
}

/// A property path as docs show it.
pub(super) fn place(path: &[String]) -> String {
    let joined = path.join(".");
    let shown: String = joined.chars().filter(|c| *c != '`' && !mcp_contract::text::is_hidden(*c)).take(80).collect();
    if shown.trim().is_empty() { "?".to_owned() } else { shown.trim().to_owned() }
}
