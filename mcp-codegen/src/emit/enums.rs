//! Enumerations: strings, values of different types, objects that a tag tells apart.

use mcp_contract::text::excerpt;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::server::Side;
use super::types::Types;
use super::{doc, ident};
use crate::docs;
use crate::ident::{Case, scope};
use crate::shape::{EnumDef, Part, Shape, TaggedDef, TypeKey, UnionDef};

/// How much of a variant's description its docs repeat, in characters.
const VARIANT_DOC: usize = 200;

impl Types<'_> {
    /// Strings.
    pub(super) fn enumeration(&self, key: &TypeKey, def: &EnumDef, docs: &TokenStream) -> TokenStream {
        let name = ident(self.name(key));
        let idents = scope(def.values.iter().map(String::as_str), Case::Pascal, &[]);
        let variants = def.values.iter().map(|value| ident(&idents[value.as_str()]));
        let spelled = variants.clone().zip(&def.values).map(|(variant, value)| {
            let value = Literal::string(value);
            quote!(#variant = #value)
        });
        let unlisted = (def.open || self.side == Side::Output).then(|| {
            let line = if def.open { "Any other string." } else { "A value that the server did not list." };
            let docs = doc(&[line.to_owned()]);
            (quote!(#docs Unlisted(String),), quote!(else Unlisted))
        });
        let (unlisted, otherwise) = unlisted.unzip();
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub enum #name { #(#variants,)* #unlisted }
            strings!(#name { #(#spelled),* } #otherwise);
        }
    }

    /// Values of different JSON types.
    pub(super) fn union(&self, key: &TypeKey, def: &UnionDef, docs: &TokenStream) -> TokenStream {
        let name = ident(self.name(key));
        let variants = def.variants.iter().map(|(part, shape)| {
            let (variant, ty) = (ident(part.name()), self.ty(shape));
            let docs = (*part == Part::Other).then(|| doc(&["Any other JSON.".to_owned()]));
            quote!(#docs #variant(#ty))
        });
        let spelled = def.variants.keys().map(|part| ident(part.name()));
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq)]
            pub enum #name { #(#variants,)* }
            alternatives!(#name { #(#spelled),* });
        }
    }

    /// Objects that a tag tells apart.
    pub(super) fn tagged(&self, key: &TypeKey, def: &TaggedDef, docs: &TokenStream) -> TokenStream {
        let (name, tag) = (ident(self.name(key)), Literal::string(&def.tag));
        let idents = scope(def.variants.iter().map(|variant| variant.value.as_str()), Case::Pascal, &[]);
        let variants = def.variants.iter().map(|variant| {
            let ident = ident(&idents[variant.value.as_str()]);
            let content = variant.content.as_ref().map(|key| self.ty(&Shape::Named(key.clone())));
            let content = content.map(|ty| quote!((#ty)));
            let docs =
                variant.description.as_deref().map(|text| doc(&docs::lines(&excerpt(text, VARIANT_DOC), VARIANT_DOC)));
            quote!(#docs #ident #content)
        });
        let spelled = def.variants.iter().map(|variant| {
            let (ident, value) = (ident(&idents[variant.value.as_str()]), Literal::string(&variant.value));
            let content = variant.content.as_ref().map(|_| quote!((content)));
            quote!(#ident #content = #value)
        });
        let unlisted = (self.side == Side::Output).then(|| {
            let docs = doc(&["An object that the server did not list.".to_owned()]);
            (quote!(#docs Unlisted(Value),), quote!(else Unlisted))
        });
        let (unlisted, otherwise) = unlisted.unzip();
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq)]
            pub enum #name { #(#variants,)* #unlisted }
            tagged!(#name by #tag { #(#spelled),* } #otherwise);
        }
    }
}
