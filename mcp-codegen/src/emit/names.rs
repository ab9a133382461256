//! The names of all types and methods of one module.
//!
//! A type is named by where it stands (tool, then property path), never by a title that the server gave. One scope holds
//! a module's types, so that two tools cannot make one name mean two things.

use std::collections::BTreeMap;

use mcp_contract::admission::RefusedTool;

use super::server::{Side, ToolCode};
use crate::ident::{Case, keyed_scope, lone, scope};
use crate::shape::TypeKey;

/// A type's place in a module: the tool, the side of it, and the schema.
pub(super) type TypePlace = (String, Side, TypeKey);

/// The names of a module.
pub(super) struct Names {
    types: BTreeMap<TypePlace, String>,
    /// The names of what refused tools leave behind, by what they are and of which tool.
    refused: BTreeMap<String, String>,
    methods: BTreeMap<String, String>,
    /// The client, such as `Github`.
    pub(super) client: String,
    /// The handler trait, such as `GithubHandler`.
    pub(super) handler: String,
    /// What serves a handler, such as `GithubServer`.
    pub(super) server: String,
}

/// Methods that the client has of its own, and functions that every type has and that would be taken instead.
const CLIENT_METHODS: &[&str] = &["new", "with", "clone", "from", "into", "try_from", "try_into"];

impl Names {
    pub(super) fn of(server: &str, tools: &[ToolCode], refused: &[RefusedTool]) -> Self {
        let client = lone(server, Case::Pascal);
        // `Box_`, for a server called `box`, has no underscore in the middle of other names.
        let stem = client.trim_end_matches('_');
        let (handler, serving) = (format!("{stem}Handler"), format!("{stem}Server"));
        let mut places: BTreeMap<String, TypePlace> = BTreeMap::new();
        let mut readable: BTreeMap<String, String> = BTreeMap::new();
        for tool in tools {
            for (side, lowered) in tool.sides() {
                for (key, named) in &lowered.types {
                    let unique = format!("{side:?} {} {:?}", key.as_str(), tool.remote_name);
                    readable.insert(unique.clone(), readable_name(tool, side, &named.path, key));
                    places.insert(unique, (tool.remote_name.clone(), side, key.clone()));
                }
            }
        }
        for tool in refused {
            readable.insert(format!("Refused {:?}", tool.remote_name), tool.remote_name.clone());
            readable.insert(format!("Refusal {:?}", tool.remote_name), format!("{} refused", tool.remote_name));
        }
        let reserved: Vec<&str> = [client.as_str(), handler.as_str(), serving.as_str(), "SERVER", "T", "H"].into();
        let types = keyed_scope(readable, Case::Pascal, &reserved);
        let place = |(unique, name): (&String, &String)| Some((places.get(unique)?.clone(), name.clone()));
        let of_tools = types.iter().filter_map(place).collect();
        let all = tools.iter().map(|tool| &tool.remote_name).chain(refused.iter().map(|tool| &tool.remote_name));
        let methods = scope(all.map(String::as_str), Case::Snake, CLIENT_METHODS);
        let methods = methods.into_iter().map(|(tool, name)| (tool.to_owned(), name)).collect();
        Self { types: of_tools, refused: types, methods, client, handler, server: serving }
    }

    pub(super) fn type_name(&self, tool: &str, side: Side, key: &TypeKey) -> &str {
        &self.types[&(tool.to_owned(), side, key.clone())]
    }

    /// The type that a refused tool leaves behind.
    pub(super) fn refused(&self, tool: &str) -> &str {
        &self.refused[&format!("Refused {tool:?}")]
    }

    /// The trait that nothing implements.
    pub(super) fn refusal(&self, tool: &str) -> &str {
        &self.refused[&format!("Refusal {tool:?}")]
    }

    pub(super) fn method(&self, tool: &str) -> &str {
        &self.methods[tool]
    }
}

/// `tool output property property`; a second type on the same path (a branch of an alternative) is told apart by its pointer.
fn readable_name(tool: &ToolCode, side: Side, path: &[String], key: &TypeKey) -> String {
    let mut parts = vec![tool.remote_name.as_str()];
    if side == Side::Output {
        parts.push("output");
    }
    parts.extend(path.iter().map(String::as_str));
    let lowered = tool.sides().into_iter().find(|(other, _)| *other == side).map(|(_, lowered)| lowered);
    let first =
        lowered.and_then(|lowered| lowered.types.iter().find(|(_, named)| named.path == path).map(|(key, _)| key));
    if first.is_some_and(|first| first != key) {
        parts.push(key.as_str());
    }
    if parts.len() == 1 { parts[0].to_owned() } else { parts.join(" ") }
}
