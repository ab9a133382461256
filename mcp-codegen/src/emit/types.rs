//! Structs and enumerations.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::Names;
use super::server::{Side, ToolCode};
use super::{doc, ident};
use crate::docs;
use crate::ident::{Case, scope};
use crate::shape::{AnyReason, EnumDef, Field, FieldDoc, Lowered, ObjectDef, Presence, Shape, TypeDef, TypeKey};

/// How much of a field's description its docs repeat, in characters.
const FIELD_DOC: usize = 400;

/// The most parameters that a `new` may have.
pub(super) const MAX_PARAMETERS: usize = 7;

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
        let items = types.map(|(key, named)| match &named.def {
            TypeDef::Object(object) => {
                let place =
                    if named.path.is_empty() { "The result".to_owned() } else { format!("`{}`", place(&named.path)) };
                self.object(key, object, &doc(&[format!("{place} of [`{}`].", self.tool_type())]))
            }
            TypeDef::Enum(values) => self.enumeration(key, values, &named.path),
        });
        quote!(#(#items)*)
    }

    fn name(&self, key: &TypeKey) -> &str {
        self.names.type_name(&self.tool.remote_name, self.side, key)
    }

    fn tool_type(&self) -> &str {
        match &self.tool.input.root {
            Shape::Named(key) => self.names.type_name(&self.tool.remote_name, Side::Input, key),
            _ => unreachable!("arguments are an object type"),
        }
    }

    /// A struct with its docs, its members and its `new`.
    pub(super) fn object(&self, key: &TypeKey, object: &ObjectDef, docs: &TokenStream) -> TokenStream {
        let name = ident(self.name(key));
        let fields = self.fields(key, object);
        let members = fields.iter().map(|field| &field.tokens);
        let rest = object.rest.as_ref().map(|rest| self.rest(rest, &fields));
        let all_optional = object.fields.values().all(|field| field.presence != Presence::Required);
        let default = all_optional.then(|| quote!(, Default));
        // A result is made by its server; only a test writes one, as a literal.
        let new = (!all_optional && self.side == Side::Input)
            .then(|| self.new_function(key, object, &fields, rest.is_some()))
            .flatten();
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq #default, Serialize, Deserialize)]
            #[serde(crate = "mcp_runtime::serde")]
            pub struct #name { #(#members,)* #rest }
            #new
        }
    }

    /// The members in reading order: required ones as `new` takes them, then the others by name.
    fn fields<'b>(&self, key: &TypeKey, object: &'b ObjectDef) -> Vec<FieldCode<'b>> {
        let idents = scope(object.fields.keys().map(String::as_str), Case::Snake, &["rest"]);
        let pinned = self.tool.new.get(key.as_str()).filter(|_| self.side == Side::Input);
        let names = pinned.into_iter().flatten().enumerate();
        let order: BTreeMap<&str, usize> = names.map(|(index, name)| (name.as_str(), index)).collect();
        let mut fields: Vec<(&String, &Field)> = object.fields.iter().collect();
        fields.sort_by_key(|(wire, field)| {
            let required = field.presence == Presence::Required;
            (!required, order.get(wire.as_str()).copied().unwrap_or(usize::MAX))
        });
        fields
            .into_iter()
            .map(|(wire, field)| FieldCode {
                field,
                ident: idents[wire.as_str()].clone(),
                tokens: self.field(wire, field, &idents[wire.as_str()]),
            })
            .collect()
    }

    fn field(&self, wire: &str, field: &Field, name: &str) -> TokenStream {
        let docs = doc(&field_docs(&field.doc, &field.shape));
        let rename = (name.trim_start_matches("r#") != wire).then(|| {
            let wire = Literal::string(wire);
            quote!(#[serde(rename = #wire)])
        });
        let ty = self.ty(&field.shape);
        let (attribute, ty) = match (field.presence, &field.shape) {
            (Presence::Required, _) => (None, ty),
            // `null` is a value here, which a plain `Option` would take for absence.
            (Presence::Optional, Shape::Any(_)) => (
                Some(
                    quote!(#[serde(default, deserialize_with = "mcp_runtime::present", skip_serializing_if = "Option::is_none")]),
                ),
                quote!(Option<#ty>),
            ),
            (Presence::Optional, _) => {
                (Some(quote!(#[serde(default, skip_serializing_if = "Option::is_none")])), quote!(Option<#ty>))
            }
            (Presence::OptionalOrNull, _) => {
                (Some(quote!(#[serde(default, skip_serializing_if = "Nullable::is_absent")])), quote!(Nullable<#ty>))
            }
        };
        let name = ident(name);
        quote!(#docs #rename #attribute pub #name: #ty)
    }

    fn rest(&self, rest: &Shape, fields: &[FieldCode<'_>]) -> TokenStream {
        let ty = self.ty(rest);
        let line = if fields.is_empty() { "The members, by name." } else { "Further members, by name." };
        let lines: Vec<String> = std::iter::once(line.to_owned()).chain(untyped(rest)).collect();
        let docs = doc(&lines);
        quote!(#docs #[serde(flatten)] pub rest: BTreeMap<String, #ty>,)
    }

    /// `new` with the required members; none where they are too many to be told apart at a call.
    fn new_function(
        &self,
        key: &TypeKey,
        object: &ObjectDef,
        fields: &[FieldCode<'_>],
        rest: bool,
    ) -> Option<TokenStream> {
        let required: Vec<&FieldCode<'_>> =
            fields.iter().filter(|field| field.field.presence == Presence::Required).collect();
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
        let others = object.fields.values().filter(|field| field.presence != Presence::Required).count();
        let optional = fields.iter().filter(|field| field.field.presence != Presence::Required).map(|field| {
            let name = ident(&field.ident);
            if field.field.presence == Presence::OptionalOrNull {
                quote!(#name: Nullable::Absent)
            } else {
                quote!(#name: None)
            }
        });
        let rest = rest.then(|| quote!(rest: BTreeMap::new()));
        let summary =
            if others == 0 { "With every member." } else { "With the required members; the others are left out." };
        let docs = doc(&[summary.to_owned()]);
        Some(quote! {
            impl #name {
                #docs
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values,)* #(#optional,)* #rest }
                }
            }
        })
    }

    fn enumeration(&self, key: &TypeKey, def: &EnumDef, path: &[String]) -> TokenStream {
        let name = ident(self.name(key));
        let idents = scope(def.values.iter().map(String::as_str), Case::Pascal, &[]);
        let variants = def.values.iter().map(|value| {
            let (wire, variant) = (Literal::string(value), ident(&idents[value.as_str()]));
            let docs = doc(&docs::lines(&format!("`{}`", value.replace('`', "'")), 80));
            let rename = (idents[value.as_str()] != *value).then(|| quote!(#[serde(rename = #wire)]));
            quote!(#docs #rename #variant)
        });
        let unlisted = (self.side == Side::Output).then(|| {
            let docs = doc(&["A value that the server did not list.".to_owned()]);
            quote!(#docs #[serde(untagged)] Unlisted(String),)
        });
        let docs = doc(&[format!("`{}` of [`{}`].", place(path), self.tool_type())]);
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
            #[serde(crate = "mcp_runtime::serde")]
            pub enum #name { #(#variants,)* #unlisted }
        }
    }

    /// The Rust type of a shape.
    pub(super) fn ty(&self, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Any(_) => quote!(Value),
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

struct FieldCode<'a> {
    field: &'a Field,
    ident: String,
    tokens: TokenStream,
}

/// The same type without a box of its own.
fn unboxed(shape: &Shape) -> Shape {
    match shape {
        Shape::Boxed(key) => Shape::Named(key.clone()),
        other => other.clone(),
    }
}

/// A property path as docs show it.
fn place(path: &[String]) -> String {
    let joined = path.join(".");
    let shown: String = joined.chars().filter(|c| *c != '`' && !mcp_contract::text::is_hidden(*c)).take(80).collect();
    if shown.trim().is_empty() { "?".to_owned() } else { shown.trim().to_owned() }
}

/// Why a value, or what it holds, is any JSON although the schema says more.
fn untyped(shape: &Shape) -> Option<String> {
    fn reason(shape: &Shape) -> Option<AnyReason> {
        match shape {
            Shape::Any(reason) => Some(*reason).filter(|reason| *reason != AnyReason::Unconstrained),
            Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => reason(inner),
            _ => None,
        }
    }
    let what = if matches!(shape, Shape::List(_) | Shape::Map(_)) { "What it holds is any JSON" } else { "Any JSON" };
    reason(shape).map(|reason| format!("{what}: {}.", reason.text()))
}

fn field_docs(doc: &FieldDoc, shape: &Shape) -> Vec<String> {
    let mut lines = doc.description.as_deref().map(|text| docs::lines(text, FIELD_DOC)).unwrap_or_default();
    let reason = untyped(shape);
    let mut constraints = doc.constraints.clone();
    if !constraints.is_empty() {
        let joined = constraints.join("; ");
        constraints = docs::lines(&format!("({joined})"), 200);
    }
    constraints.extend(reason);
    if lines.is_empty() {
        return constraints;
    }
    lines.extend(constraints);
    lines
}
