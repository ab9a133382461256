//! Structs: the members of an object, and `new`.

use std::collections::BTreeMap;

use mcp_contract::json::Pointer;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::server::Side;
use super::types::Types;
use super::{doc, ident};
use crate::docs;
use crate::ident::{Case, scope};
use crate::shape::{Field, FieldDoc, ObjectDef, Presence, Shape, TypeKey};

/// How much of a field's description its docs repeat, in characters.
const FIELD_DOC: usize = 240;

/// The most parameters that a `new` may have.
const MAX_PARAMETERS: usize = 7;

impl Types<'_> {
    /// A struct with its docs, its members and its `new`.
    pub(super) fn object(&self, key: &TypeKey, at: &Pointer, object: &ObjectDef, docs: &TokenStream) -> TokenStream {
        let name = ident(self.name(key));
        let idents = scope(object.fields.keys().map(String::as_str), Case::Snake, &["rest"]);
        let fields = self.fields(at, object, &idents);
        let members = fields.iter().map(|field| &field.tokens);
        let rest = object.rest.as_ref().map(|rest| self.rest(rest, &fields));
        let all_optional = fields.iter().all(|field| !field.field.required);
        let default = all_optional.then(|| quote!(, Default));
        // A result is made by its server; only a test writes one, as a literal.
        let new = (!all_optional && self.side == Side::Input)
            .then(|| self.new_function(key, &fields, rest.is_some()))
            .flatten();
        let spelled = spelled(&name, &fields, rest.is_some());
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq #default)]
            pub struct #name { #(#members,)* #rest }
            #spelled
            #new
        }
    }

    /// The members in reading order: required ones as `new` takes them, then the others by name.
    fn fields<'b>(&self, at: &Pointer, object: &'b ObjectDef, idents: &BTreeMap<&str, String>) -> Vec<FieldCode<'b>> {
        let pinned = self.tool.new.get(at.as_str()).filter(|_| self.side == Side::Input);
        let names = pinned.into_iter().flatten().enumerate();
        let order: BTreeMap<&str, usize> = names.map(|(index, name)| (name.as_str(), index)).collect();
        let mut fields: Vec<(&String, &Field)> = object.fields.iter().collect();
        fields.sort_by_key(|(wire, field)| (!field.required, order.get(wire.as_str()).copied().unwrap_or(usize::MAX)));
        fields
            .into_iter()
            .map(|(wire, field)| FieldCode {
                field,
                wire,
                ident: idents[wire.as_str()].clone(),
                tokens: self.field(field, &idents[wire.as_str()]),
            })
            .collect()
    }

    fn field(&self, field: &Field, name: &str) -> TokenStream {
        let docs = doc(&field_docs(&field.doc, &field.shape));
        let (presence, shape) = field.presence();
        let (name, inner) = (ident(name), self.ty(shape));
        let ty = match presence {
            Presence::Required => inner,
            Presence::Optional => quote!(Option<#inner>),
            Presence::OptionalOrNull => quote!(Nullable<#inner>),
        };
        quote!(#docs pub #name: #ty)
    }

    fn rest(&self, rest: &Shape, fields: &[FieldCode<'_>]) -> TokenStream {
        let ty = self.ty(rest);
        let line = if fields.is_empty() { "The members, by name." } else { "Further members, by name." };
        let lines: Vec<String> = std::iter::once(line.to_owned()).chain(untyped(rest)).collect();
        let docs = doc(&lines);
        quote!(#docs pub rest: BTreeMap<String, #ty>,)
    }

    /// `new` with the required members; none where they are too many to be told apart at a call.
    fn new_function(&self, key: &TypeKey, fields: &[FieldCode<'_>], rest: bool) -> Option<TokenStream> {
        let (required, optional): (Vec<&FieldCode<'_>>, Vec<_>) = fields.iter().partition(|field| field.field.required);
        if required.len() > MAX_PARAMETERS {
            return None;
        }
        let name = ident(self.name(key));
        let parameters = required.iter().map(|field| {
            let (name, ty) = (ident(&field.ident), self.ty(&field.field.shape));
            if field.field.shape == Shape::String { quote!(#name: impl Into<String>) } else { quote!(#name: #ty) }
        });
        let values = required.iter().map(|field| {
            let name = ident(&field.ident);
            if field.field.shape == Shape::String { quote!(#name: #name.into()) } else { quote!(#name) }
        });
        let others = optional.len();
        let optional = optional.into_iter().map(|field| {
            let name = ident(&field.ident);
            let nullable = field.field.presence().0 == Presence::OptionalOrNull;
            if nullable { quote!(#name: Nullable::Absent) } else { quote!(#name: None) }
        });
        let rest = rest.then(|| quote!(rest: BTreeMap::new()));
        let docs = (others > 0).then(|| doc(&["With the required members; the others are left out.".to_owned()]));
        Some(quote! {
            impl #name {
                #docs
                #[inline]
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values,)* #(#optional,)* #rest }
                }
            }
        })
    }
}

struct FieldCode<'a> {
    field: &'a Field,
    wire: &'a str,
    ident: String,
    tokens: TokenStream,
}

impl FieldCode<'_> {
    /// The member, and its name on the wire where that is another.
    fn spelled(&self) -> TokenStream {
        let name = ident(&self.ident);
        let wire = Literal::string(self.wire);
        if self.ident == self.wire { quote!(#name) } else { quote!(#name = #wire) }
    }
}

/// How an object is spelled in JSON.
fn spelled(name: &Ident, fields: &[FieldCode<'_>], rest: bool) -> TokenStream {
    let (required, optional): (Vec<&FieldCode<'_>>, Vec<_>) = fields.iter().partition(|field| field.field.required);
    let required = required.into_iter().map(FieldCode::spelled);
    let optional = (!optional.is_empty()).then(|| {
        let optional = optional.into_iter().map(FieldCode::spelled);
        quote!(optional { #(#optional),* })
    });
    let rest = rest.then(|| quote!(+ rest));
    quote!(object!(#name { #(#required),* } #optional #rest);)
}

/// Why a value, or what it holds, is any JSON although the schema says more.
fn untyped(shape: &Shape) -> Option<String> {
    let what = if matches!(shape, Shape::List(_) | Shape::Map(_) | Shape::Tuple(_)) {
        "What it holds is any JSON"
    } else {
        "Any JSON"
    };
    shape.untyped().map(|reason| format!("{what}: {}.", reason.text()))
}

/// What is said of a member: the server's words, its constraints in the same breath where they fit, and why it is any JSON.
fn field_docs(doc: &FieldDoc, shape: &Shape) -> Vec<String> {
    let mut lines = doc.description.as_deref().map(|text| docs::lines(text, FIELD_DOC)).unwrap_or_default();
    if !doc.constraints.is_empty() {
        docs::append(&mut lines, docs::lines(&format!("({})", doc.constraints.join("; ")), 200));
    }
    lines.extend(untyped(shape));
    lines
}
