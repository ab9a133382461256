//! Everything one server offers at one moment.
//!
//! A listing comes from the wire, from a snapshot, or from a file that somebody saved; from here on the three are the
//! same. Tools are sorted by remote name: the protocol gives their order no meaning, and a snapshot must not change
//! because a hash map was shuffled.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::definition::{ToolDefinition, Undecodable};
use crate::json::{Json, JsonError, parse_foreign};

/// What a server said of itself when the connection was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerReport {
    /// `serverInfo.name`
    pub name: Option<String>,
    /// `serverInfo.version`
    pub version: Option<String>,
    /// `instructions`: text for the model.
    pub instructions: Option<String>,
    /// The protocol revision that was agreed on, such as `2025-11-25`.
    pub protocol: Option<String>,
    /// `capabilities`, as declared.
    pub capabilities: Option<Json>,
}

/// A server's tools, and what could not be decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// What the server said of itself.
    pub report: ServerReport,
    /// The definitions, sorted by remote name. One name can stand twice; admission decides what that means.
    pub tools: Vec<ToolDefinition>,
    /// Entries without an identity, in the order of the listing.
    pub undecodable: Vec<Undecodable>,
}

/// Why a saved listing cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListingError {
    /// The file is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// The file holds no `tools`.
    #[error(
        "no tools found: expected a JSON-RPC reply to tools/list, an object with a member \"tools\", or an array of tools"
    )]
    NoTools,
    /// The file is a JSON-RPC error.
    #[error("the reply is an error: {0}")]
    ErrorReply(String),
    /// What the server says of itself is ambiguous.
    #[error("initialize: {0}")]
    Report(#[from] JsonError),
}

#[derive(Deserialize)]
struct Saved<'a> {
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    initialize: Option<&'a RawValue>,
}

impl Listing {
    /// Decodes the entries of a listing one by one; a bad one costs itself.
    #[must_use]
    pub fn from_entries<'a>(report: ServerReport, entries: impl IntoIterator<Item = &'a str>) -> Self {
        let mut listing = Self { report, ..Self::default() };
        for (index, raw) in entries.into_iter().enumerate() {
            match ToolDefinition::decode(raw) {
                Ok(tool) => listing.tools.push(tool),
                Err(error) => {
                    listing.undecodable.push(Undecodable { index, raw: raw.to_owned(), reason: error.to_string() });
                }
            }
        }
        listing.tools.sort_by(|a, b| a.name().cmp(b.name()));
        listing
    }

    /// Reads a listing that was saved to a file: a JSON-RPC reply to `tools/list`, an object with a member `tools`, or
    /// a bare array. An `initialize` member beside the tools, where there is one, is taken as the server's report.
    ///
    /// ```
    /// use mcp_contract::listing::Listing;
    /// let listing = Listing::from_saved(r#"[{"name":"a","inputSchema":{}}, 7]"#).unwrap();
    /// assert_eq!((listing.tools.len(), listing.undecodable.len()), (1, 1));
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ListingError`].
    pub fn from_saved(text: &str) -> Result<Self, ListingError> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('[') {
            let entries: Vec<&RawValue> = from_json(text)?;
            return Ok(Self::from_entries(ServerReport::default(), entries.iter().map(|raw| raw.get())));
        }
        if !text.starts_with('{') {
            from_json::<&RawValue>(text)?;
            return Err(ListingError::NoTools);
        }
        let saved: Saved<'_> = from_json(text)?;
        if let Some(error) = saved.error {
            return Err(ListingError::ErrorReply(crate::text::excerpt(error.get(), 200)));
        }
        let report = match saved.initialize {
            Some(raw) => ServerReport::from_initialize(&parse_foreign(raw.get())?),
            None => ServerReport::default(),
        };
        let entries = match (saved.tools, saved.result) {
            (Some(tools), _) => tools,
            (None, Some(result)) if result.get().starts_with('{') => {
                from_json::<Saved<'_>>(result.get())?.tools.ok_or(ListingError::NoTools)?
            }
            _ => return Err(ListingError::NoTools),
        };
        Ok(Self::from_entries(report, entries.iter().map(|raw| raw.get())))
    }
}

impl ServerReport {
    /// Reads what an `initialize` or `server/discover` result says; members of a wrong type count as absent.
    #[must_use]
    pub fn from_initialize(result: &Json) -> Self {
        let text = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_owned);
        let info = result.get("serverInfo");
        Self {
            name: text(info.and_then(|info| info.get("name"))),
            version: text(info.and_then(|info| info.get("version"))),
            instructions: text(result.get("instructions")),
            protocol: text(result.get("protocolVersion")),
            capabilities: result.get("capabilities").cloned(),
        }
    }
}

fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ListingError> {
    serde_json::from_str(text).map_err(|error| ListingError::NotJson(crate::text::excerpt(&error.to_string(), 200)))
}
