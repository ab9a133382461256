//! Enumerations: strings, values of different types, objects that a tag tells apart.

use mcp_contract::text::excerpt;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::rename::Renames;
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
        let names = def.values.iter().map(|value| (idents[value.as_str()].as_str(), value.as_str()));
        let renames = Renames::of(names.clone(), Case::Pascal);
        let variants = names.map(|(variant, value)| {
            let rename = renames.on_member(variant, value, Case::Pascal).map(|rename| quote!(#[serde(#rename)]));
            let variant = ident(variant);
            quote!(#rename #variant)
        });
        let rename_all = renames.on_type();
        let unlisted = (def.open || self.side == Side::Output).then(|| {
            let line = if def.open { "Any other string." } else { "A value that the server did not list." };
            let docs = doc(&[line.to_owned()]);
            quote!(#docs #[serde(untagged)] Unlisted(String),)
        });
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
            #[serde(crate = "mcp_runtime::serde" #rename_all)]
            pub enum #name { #(#variants,)* #unlisted }
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
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(crate = "mcp_runtime::serde", untagged)]
            pub enum #name { #(#variants,)* }
        }
    }

    /// Objects that a tag tells apart.
    pub(super) fn tagged(&self, key: &TypeKey, def: &TaggedDef, docs: &TokenStream) -> TokenStream {
        let (name, tag) = (ident(self.name(key)), Literal::string(&def.tag));
        let idents = scope(def.variants.iter().map(|variant| variant.value.as_str()), Case::Pascal, &[]);
        let names =
            def.variants.iter().map(|variant| (idents[variant.value.as_str()].as_str(), variant.value.as_str()));
        let renames = Renames::of(names, Case::Pascal);
        let variants = def.variants.iter().map(|variant| {
            let name = &idents[variant.value.as_str()];
            let rename = renames.on_member(name, &variant.value, Case::Pascal).map(|rename| quote!(#[serde(#rename)]));
            let ident = ident(name);
            let content = variant.content.as_ref().map(|key| self.ty(&Shape::Named(key.clone())));
            let content = content.map(|ty| quote!((#ty)));
            let docs =
                variant.description.as_deref().map(|text| doc(&docs::lines(&excerpt(text, VARIANT_DOC), VARIANT_DOC)));
            quote!(#docs #rename #ident #content)
        });
        let unlisted = (self.side == Side::Output).then(|| {
            let docs = doc(&["An object that the server did not list.".to_owned()]);
            quote!(#docs #[serde(untagged)] Unlisted(Value),)
        });
        let rename_all = renames.on_type();
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(crate = "mcp_runtime::serde", tag = #tag #rename_all)]
            pub enum #name { #(#variants,)* #unlisted }
        }
    }
}
