//! What a change of a server's tools does to Rust callers, read off the code that would be generated before and after.
//!
//! The rules are the table of `docs/generated-code.md`. Reading the real emission and not the shapes behind it costs a second parse and
//! cannot disagree with what is generated.

use std::collections::BTreeMap;
use std::fmt;

use mcp_contract::config::Server;
use mcp_contract::definition::ToolDefinition;
use mcp_contract::listing::Listing;
use mcp_contract::snapshot::{Snapshot, admit};

use crate::emit::{Place, ServerCode, Surroundings, inline_tokens};
use crate::{Error, ServerContract};

/// How far the version of a crate that re-exports the types must move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Docs only.
    Patch,
    /// Callers go on as they are.
    Minor,
    /// Callers may have to change.
    Major,
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

/// One change that Rust callers see.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiChange {
    /// The item, such as `Search.limit` for a field, `Search::new` for a function or `Level::Debug` for a variant.
    pub item: String,
    /// What it was, as Rust spells it.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
    /// The step that it asks for.
    pub step: Step,
}

impl fmt::Display for ApiChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (item, step) = (&self.item, self.step);
        match (&self.before, &self.after) {
            (None, Some(after)) => write!(out, "{step}: {item} is new: {after}"),
            (Some(_), None) => write!(out, "{step}: {item} is gone"),
            (before, after) => {
                let show = |text: &Option<String>| text.clone().unwrap_or_default();
                write!(out, "{step}: {item}: {} -> {}", show(before), show(after))
            }
        }
    }
}

/// What a change of one tool does to callers; `None` on one side for a tool that is new or gone. `before` is the accepted snapshot, whose
/// pinned orders of parameters go on.
///
/// # Errors
///
/// The generator has a defect.
pub fn api_changes(
    server: &Server,
    before: Option<&Snapshot>,
    old: Option<&ToolDefinition>,
    new: Option<&ToolDefinition>,
) -> Result<Vec<ApiChange>, Error> {
    let (old, pinned) = Api::of(server, before, old)?;
    let (new, _) = Api::of(server, pinned.as_ref(), new)?;
    let mut changes = Vec::new();
    for (name, item) in &old.items {
        let other = new.items.get(name);
        if other.is_none_or(|other| other.text != item.text) {
            changes.push(change(name, Some(item), other, &old));
        }
    }
    for (name, item) in new.items.iter().filter(|(name, _)| !old.items.contains_key(*name)) {
        changes.push(change(name, None, Some(item), &old));
    }
    // What is inside a type that is new or gone is told with the type.
    let whole: Vec<String> = changes
        .iter()
        .filter(|change| change.before.is_none() != change.after.is_none() && !change.item.contains(['.', ':']))
        .map(|change| change.item.clone())
        .collect();
    let inside =
        |item: &str| whole.iter().any(|name| item.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ':'])));
    changes.retain(|change| !inside(&change.item));
    changes.sort_by(|a, b| b.step.cmp(&a.step).then_with(|| a.item.cmp(&b.item)));
    Ok(changes)
}

/// The step that some changes ask for together.
#[must_use]
pub fn step(changes: &[ApiChange]) -> Step {
    changes.iter().map(|change| change.step).max().unwrap_or(Step::Patch)
}

/// What callers see of one tool.
#[derive(Default)]
struct Api {
    items: BTreeMap<String, Item>,
}

struct Item {
    text: String,
    kind: Kind,
    /// Whether it belongs to the result.
    result: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Type,
    Field { optional: bool },
    Variant,
    Function,
}

impl Api {
    fn of(
        server: &Server,
        before: Option<&Snapshot>,
        tool: Option<&ToolDefinition>,
    ) -> Result<(Self, Option<Snapshot>), Error> {
        let Some(tool) = tool else { return Ok((Self::default(), before.cloned())) };
        let mut open = server.clone();
        (open.include, open.exclude) = (Vec::new(), Vec::new());
        let listing = Listing { tools: vec![tool.clone()], ..Listing::default() };
        let snapshot = Snapshot::of(&open, &listing, before);
        let admission = admit(std::iter::once((&open, &snapshot))).servers.remove(0);
        if admission.admitted.is_empty() {
            return Ok((Self::default(), Some(snapshot)));
        }
        let contract = ServerContract { name: open.name.clone(), snapshot, admission };
        let code = [ServerCode::of(&contract)];
        let place = Place { variable: "CARGO_MANIFEST_DIR", below: String::new() };
        let around = Surroundings {
            place: &place,
            config: "servers.toml",
            unpinned: &std::collections::BTreeSet::new(),
            runtime: None,
        };
        let file: syn::File = syn::parse2(inline_tokens(&code, &around))
            .map_err(|error| Error::Defect { server: open.name.to_string(), reason: error.to_string() })?;
        let mut api = Self::default();
        file.items.iter().for_each(|item| api.add(item));
        Ok((api, Some(contract.snapshot)))
    }

    fn add(&mut self, item: &syn::Item) {
        match item {
            syn::Item::Mod(module) => {
                let items = module.content.iter().flat_map(|(_, items)| items);
                items.for_each(|item| self.add(item));
            }
            syn::Item::Struct(item) => {
                let name = item.ident.to_string();
                // The client and the handler are of the server and not of the tool.
                if matches!(item.fields, syn::Fields::Unnamed(_)) {
                    return;
                }
                self.insert(&name, name.clone(), "struct".to_owned(), Kind::Type);
                for field in &item.fields {
                    let Some(ident) = &field.ident else { continue };
                    let text = spelled(&field.ty);
                    let optional = text.starts_with("Option<") || text.starts_with("Nullable<");
                    self.insert(&name, format!("{name}.{ident}"), text, Kind::Field { optional });
                }
            }
            syn::Item::Enum(item) => {
                let name = item.ident.to_string();
                self.insert(&name, name.clone(), "enum".to_owned(), Kind::Type);
                for variant in &item.variants {
                    let text = spelled(&variant.fields);
                    let text = if text.is_empty() { "unit".to_owned() } else { text };
                    self.insert(&name, format!("{name}::{}", variant.ident), text, Kind::Variant);
                }
            }
            syn::Item::Type(item) => {
                let name = item.ident.to_string();
                self.insert(&name, name.clone(), spelled(&item.ty), Kind::Type);
            }
            syn::Item::Impl(item) if item.trait_.is_none() => {
                let name = spelled(&item.self_ty);
                for item in &item.items {
                    if let syn::ImplItem::Fn(function) = item
                        && function.sig.ident == "new"
                        && self.items.contains_key(&name)
                    {
                        let text = spelled(&function.sig.inputs);
                        self.insert(&name, format!("{name}::new"), format!("({text})"), Kind::Function);
                    }
                }
            }
            _ => {}
        }
    }

    fn insert(&mut self, of: &str, name: String, text: String, kind: Kind) {
        let result = of.contains("Output");
        self.items.insert(name, Item { text, kind, result });
    }
}

/// Tokens as a person writes them.
fn spelled(tokens: &impl quote::ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, tight) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" > ", "> "),
        (" >", ">"),
        ("< ", "<"),
        (" ,", ","),
        (" :", ":"),
        ("( ", "("),
        (" )", ")"),
    ] {
        text = text.replace(spaced, tight);
    }
    text.trim().to_owned()
}

fn change(name: &str, before: Option<&Item>, after: Option<&Item>, old: &Api) -> ApiChange {
    let text = |item: Option<&Item>| item.map(|item| item.text.clone());
    let step = match (before, after) {
        (None, Some(item)) => added(item, old.items.contains_key(name.split(['.', ':']).next().unwrap_or(name))),
        // Parameters are those of the required members, so that the members tell it.
        _ => Step::Major,
    };
    ApiChange { item: name.to_owned(), before: text(before), after: text(after), step }
}

fn added(item: &Item, to_known_type: bool) -> Step {
    match item.kind {
        // A literal lacks the field, and a match on a closed enumeration has no arm for the variant.
        Kind::Field { optional: false } | Kind::Variant if !item.result && to_known_type => Step::Major,
        _ => Step::Minor,
    }
}
