//! `server.json`: the server itself, and the list of its tool files.
//!
//! A map from file name to digest makes the addition and the loss of a tool file visible in a file whose name is known
//! beforehand, which is what a build script and a macro can watch.

use super::FORMAT;
use crate::definition::Undecodable;
use crate::json::{Json, parse};
use crate::listing::ServerReport;

/// A manifest, as far as it is not derived from the tool files.
pub(super) struct Manifest {
    pub(super) report: ServerReport,
    pub(super) launch: String,
    pub(super) files: Vec<(String, String)>,
    pub(super) undecodable: Vec<Undecodable>,
}

impl Manifest {
    pub(super) fn to_json(&self) -> Json {
        let report = &self.report;
        let mut server = Vec::new();
        for (key, value) in [
            ("name", &report.name),
            ("version", &report.version),
            ("protocol", &report.protocol),
            ("instructions", &report.instructions),
        ] {
            server.extend(value.as_ref().map(|value| member(key, string(value))));
        }
        server.extend(report.capabilities.as_ref().map(|value| member("capabilities", value.clone())));
        let files = self.files.iter().map(|(file, digest)| member(file, string(digest))).collect();
        let undecodable = self.undecodable.iter().map(entry_to_json).collect();
        Json::Object(vec![
            member("format", number(FORMAT)),
            member("launch", string(&self.launch)),
            member("client_capabilities", Json::Object(Vec::new())),
            member("server", Json::Object(server)),
            member("tools", Json::Object(files)),
            member("undecodable", Json::Array(undecodable)),
        ])
    }

    /// Whether a manifest is of the format that this version reads.
    pub(super) fn has_known_format(json: &Json) -> bool {
        json.get("format") == Some(&number(FORMAT))
    }

    /// Reads a manifest; the error says which member is wrong.
    pub(super) fn from_json(json: &Json) -> Result<Self, &'static str> {
        let text = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_owned);
        let server = json.get("server").ok_or("`server` is missing")?;
        let files = json.get("tools").and_then(Json::as_object).ok_or("`tools` must be an object")?;
        let entries = json.get("undecodable").and_then(Json::as_array).ok_or("`undecodable` must be an array")?;
        Ok(Self {
            report: ServerReport {
                name: text(server.get("name")),
                version: text(server.get("version")),
                instructions: text(server.get("instructions")),
                protocol: text(server.get("protocol")),
                capabilities: server.get("capabilities").cloned(),
            },
            launch: text(json.get("launch")).ok_or("`launch` must be a string")?,
            files: files
                .iter()
                .map(|(file, digest)| Ok((file.clone(), text(Some(digest)).ok_or("a digest must be a string")?)))
                .collect::<Result<_, &'static str>>()?,
            undecodable: entries.iter().map(entry_from_json).collect::<Result<_, &'static str>>()?,
        })
    }
}

fn entry_to_json(entry: &Undecodable) -> Json {
    Json::Object(vec![
        member("index", number(entry.index as u64)),
        member("reason", string(&entry.reason)),
        member("raw", string(&entry.raw)),
    ])
}

fn entry_from_json(json: &Json) -> Result<Undecodable, &'static str> {
    let text = |key| json.get(key).and_then(Json::as_str).map(str::to_owned);
    let index = match json.get("index") {
        Some(Json::Number(index)) => index.as_str().parse().map_err(|_| "`index` must be a small number")?,
        _ => return Err("an undecodable entry needs `index`"),
    };
    Ok(Undecodable {
        index,
        reason: text("reason").ok_or("an undecodable entry needs `reason`")?,
        raw: text("raw").ok_or("an undecodable entry needs `raw`")?,
    })
}

fn member(key: &str, value: Json) -> (String, Json) {
    (key.to_owned(), value)
}

fn string(text: &str) -> Json {
    Json::String(text.to_owned())
}

fn number(value: u64) -> Json {
    parse(&value.to_string()).expect("a whole number is JSON")
}
