//! Listing a server's tools: all pages, each entry by itself, within bounds.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use mcp_contract::config::{Server, ServerName};
use mcp_contract::listing::Listing;
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::CallSpec;
use crate::connect_spec::ConnectSpec;
use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::error::{WireError, WireErrorKind};
use crate::interrupt::unless_interrupted;

/// The most pages, tools and bytes of one listing. Real ones have one page and a few hundred tools.
const MAX_PAGES: usize = 200;
const MAX_TOOLS: usize = 10_000;
const MAX_BYTES: usize = 64 << 20;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    next_cursor: Option<String>,
}

impl Connection {
    /// Lists all tools within one deadline.
    ///
    /// # Errors
    ///
    /// A page did not come, is no page, or the listing does not end. A bad entry is no error: it costs itself.
    pub async fn list(&self, deadline: Duration) -> Result<Listing, WireError> {
        let start = Instant::now();
        let mut pages: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut cursor = None;
        let (mut tools, mut bytes) = (0, 0);
        loop {
            let left = deadline.saturating_sub(start.elapsed());
            let page = self.page(cursor.take(), left, deadline).await?;
            bytes += page.len();
            let read = read_page(&page).map_err(|reason| self.error(WireErrorKind::Malformed { reason }))?;
            tools += read.tools.len();
            let next = read.next_cursor;
            pages.push(page);
            for (count, limit, what) in
                [(tools, MAX_TOOLS, "tools"), (bytes, MAX_BYTES, "bytes"), (pages.len(), MAX_PAGES, "pages")]
            {
                if count > limit {
                    return Err(self.error(WireErrorKind::ListingTooLarge { what, limit }));
                }
            }
            // An empty cursor is a cursor: only its absence ends the listing.
            let Some(next) = next else { break };
            if !seen.insert(next.clone()) {
                return Err(self.error(WireErrorKind::CursorRepeats { pages: pages.len() }));
            }
            cursor = Some(next);
        }
        let entries: Vec<&RawValue> =
            pages.iter().filter_map(|page| read_page(page).ok()).flat_map(|p| p.tools).collect();
        Ok(Listing::from_entries(self.report().clone(), entries.iter().map(|raw| raw.get())))
    }

    async fn page(&self, cursor: Option<String>, left: Duration, deadline: Duration) -> Result<String, WireError> {
        let request = match cursor {
            Some(cursor) => ListToolsRequest::with_param(PaginatedRequestParams::default().with_cursor(Some(cursor))),
            None => ListToolsRequest::default(),
        };
        let spec = CallSpec::within(left);
        self.request(ClientRequest::ListToolsRequest(request), &spec).await.map_err(|failure| {
            match *failure.error.kind {
                // What is left of the deadline is not what somebody configured.
                WireErrorKind::RequestTimeout { .. } => self.error(WireErrorKind::RequestTimeout { after: deadline }),
                _ => failure.error,
            }
        })
    }
}

fn read_page(text: &str) -> Result<Page<'_>, String> {
    if !text.starts_with('{') {
        return Err(format!("a listing must be an object: {}", mcp_contract::text::excerpt(text, 80)));
    }
    serde_json::from_str(text).map_err(|error| format!("a listing without usable `tools`: {error}"))
}

/// A server to list.
pub struct Listed {
    /// The server.
    pub server: ServerName,
    /// Where it is, or why that is not known.
    pub endpoint: Result<Endpoint, WireError>,
    /// The deadline for the connection.
    pub connect_timeout: Duration,
    /// The deadline for the listing.
    pub request_timeout: Duration,
}

impl Listed {
    /// A configured server; `base` is the folder of `servers.toml`, and `lookup` gives the values of variables.
    pub fn of(server: &Server, base: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            server: server.name.clone(),
            endpoint: Endpoint::resolve(server, base, lookup),
            connect_timeout: server.connect_timeout,
            request_timeout: server.request_timeout,
        }
    }
}

/// What each server answered.
pub type Listings = Vec<(ServerName, Result<Listing, WireError>)>;

/// [`list_all`] for a program without a runtime of its own. `None` when the program was told to end meanwhile; either way no process
/// is left.
///
/// # Errors
///
/// The system gives no resources for a runtime.
pub fn list_all_blocking(servers: Vec<Listed>) -> std::io::Result<Option<Listings>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listings = runtime.block_on(unless_interrupted(list_all(servers)));
    // A look-up of a name that never answers must not keep the program.
    runtime.shutdown_background();
    Ok(listings)
}

/// Lists several servers in parallel. Results come in the order of the servers, whatever answers first; every process is
/// ended before the function returns.
pub async fn list_all(servers: Vec<Listed>) -> Listings {
    futures::future::join_all(servers.into_iter().map(list_one)).await
}

async fn list_one(listed: Listed) -> (ServerName, Result<Listing, WireError>) {
    let Listed { server, endpoint, connect_timeout, request_timeout } = listed;
    let result = async {
        let connection = crate::connect(&server, endpoint?, &ConnectSpec::within(connect_timeout)).await?;
        let listing = connection.list(request_timeout).await;
        connection.close().await;
        listing
    };
    let result = result.await;
    (server, result)
}
