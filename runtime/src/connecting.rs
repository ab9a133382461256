//! Making a server's connection, hearing what it says by itself, and asking it again.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt as _;
use mcp_contract::config::ServerName;
use mcp_wire::{Connection, WireError, WireErrorKind};
use tokio_util::task::AbortOnDropHandle;

use crate::event::Event;
use crate::inside::{Inside, Refreshed};
use crate::link::{Connected, Offer};
use crate::registry::Catalogue;
use crate::shelving::differences;

/// How long further notices are waited for before one of them is acted on: servers send one for each tool.
const TOGETHER: Duration = Duration::from_millis(200);

const CLOSED: &str = "the importer was closed";

impl Inside {
    /// A connection to a server that has been compared with what was accepted: the one there is, or a new one.
    ///
    /// All who wait for a new one get the same. Dropping the future leaves it to the others.
    pub(crate) async fn connection(self: &Arc<Self>, index: usize) -> Connected {
        let live = &self.servers[index];
        // Each turn of the loop either ends or has given up one connection; two are enough to tell that a server does not stay.
        for _ in 0..2 {
            let inside = Arc::downgrade(self);
            let name = live.server.name.clone();
            let make = move |number| open(inside, index, name, number).boxed();
            match live.link.offer(make, || self.lost(index, "the server closed the connection")) {
                Offer::Open(connection) => return Ok(connection),
                Offer::Suspect(connection) => {
                    if live.link.lives(&connection).await {
                        return Ok(connection);
                    }
                    self.give_up(index, &connection, "the server does not answer any more");
                }
                Offer::Pending(pending) => match pending.await {
                    Some(connected) => return connected,
                    None => return Err(Arc::new(error(&live.server.name, CLOSED))),
                },
                Offer::Closed => return Err(Arc::new(error(&live.server.name, CLOSED))),
            }
        }
        Err(Arc::new(error(&live.server.name, "the server does not stay connected")))
    }

    /// Gives up a connection that failed; the next call makes another.
    pub(crate) fn give_up(&self, index: usize, connection: &Arc<Connection>, reason: &str) {
        if self.servers[index].link.give_up(connection) {
            noise(self.servers[index].name(), connection);
            self.lost(index, reason);
        }
    }

    fn lost(&self, index: usize, reason: &str) {
        let server = self.servers[index].name();
        tracing::warn!(server, reason, "a connection is lost");
        self.events.tell(Event::Lost { server: server.to_owned(), reason: reason.to_owned() });
    }

    /// Lists a server again and applies what it says. One that has no connection, or has lost it or its session, is connected, which comes to
    /// the same.
    pub(crate) async fn refresh_one(self: &Arc<Self>, index: usize) -> Result<Refreshed, Arc<WireError>> {
        let live = &self.servers[index];
        let before = self.catalogue();
        let made = live.link.makings();
        let connection = self.connection(index).await?;
        if live.link.makings() != made {
            // It was listed just now, when the connection was made.
            return Ok(self.moved(&before, index));
        }
        let ticket = live.ticket();
        match connection.list(live.server.request_timeout).await {
            Ok(listing) => Ok(self.apply(index, ticket, &listing).await),
            Err(error) if breaks(&error.kind) => {
                self.give_up(index, &connection, &error.kind.to_string());
                self.connection(index).await?;
                Ok(self.moved(&before, index))
            }
            Err(error) => Err(Arc::new(error)),
        }
    }

    /// What has changed of one server since a moment.
    fn moved(&self, before: &Catalogue, index: usize) -> Refreshed {
        let only = |catalogue: &Catalogue| Catalogue {
            shelves: vec![catalogue.shelves[index].clone()],
            ..Catalogue::default()
        };
        differences(&only(before), &only(&self.catalogue()), &[self.servers[index].name()]).refreshed
    }
}

/// Whether a failure means that the connection is of no use any more.
pub(crate) fn breaks(kind: &WireErrorKind) -> bool {
    matches!(kind, WireErrorKind::Lost { .. } | WireErrorKind::Exited { .. } | WireErrorKind::SessionExpired { .. })
}

/// Connects, lists, applies, and keeps the connection.
async fn open(inside: Weak<Inside>, index: usize, name: ServerName, number: u64) -> Connected {
    // A factory of the host's may panic; those who wait must hear of it.
    let made = AssertUnwindSafe(make(&inside, index, &name)).catch_unwind().await;
    let made = made.unwrap_or_else(|_| Err(error(&name, "what makes its connections panicked")));
    let Some(inside) = inside.upgrade() else {
        // Everybody has gone; the connection goes as well.
        return made.map(Arc::new).map_err(Arc::new);
    };
    let live = &inside.servers[index];
    match made {
        Ok(connection) => {
            let connection = Arc::new(connection);
            let watch = watch(Arc::downgrade(&inside), index, &connection);
            if live.link.opened(number, &connection, watch) {
                inside.events.tell(Event::Connected { server: live.name().to_owned() });
                noise(live.name(), &connection);
            } else {
                connection.close().await;
            }
            Ok(connection)
        }
        Err(error) => {
            tracing::warn!(server = live.name(), error = %error, "a server is out of reach");
            inside.out_of_reach(index, &error.kind.to_string()).await;
            live.link.failed(number);
            Err(Arc::new(error))
        }
    }
}

async fn make(inside: &Weak<Inside>, index: usize, name: &ServerName) -> Result<Connection, WireError> {
    let gone = || error(name, CLOSED);
    let (endpoint, spec, within) = {
        let inside = inside.upgrade().ok_or_else(gone)?;
        let live = &inside.servers[index];
        (live.endpoint()?, live.connect_spec(), live.server.request_timeout)
    };
    let connection = mcp_wire::connect(name, endpoint, &spec).await?;
    let ticket = inside.upgrade().ok_or_else(gone)?.servers[index].ticket();
    match connection.list(within).await {
        Ok(listing) => {
            inside.upgrade().ok_or_else(gone)?.apply(index, ticket, &listing).await;
            Ok(connection)
        }
        Err(error) => {
            connection.close().await;
            Err(error)
        }
    }
}

/// Tells that a server writes to its standard output what belongs on standard error.
fn noise(server: &str, connection: &Connection) {
    let lines = connection.noisy();
    if lines > 0 {
        tracing::warn!(server, lines, "a server writes lines to standard output that are no messages");
    }
}

/// Watches a connection until it ends or is given up: refreshes when the server says that its list changed, and takes note of the end. It
/// keeps neither the importer nor the connection: whoever drops them ends the server's process at once.
fn watch(inside: Weak<Inside>, index: usize, connection: &Arc<Connection>) -> AbortOnDropHandle<()> {
    let (signals, connection) = (connection.signals(), Arc::downgrade(connection));
    AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            tokio::select! {
                () = signals.ended() => {
                    if let (Some(inside), Some(connection)) = (inside.upgrade(), connection.upgrade()) {
                        inside.give_up(index, &connection, "the server closed the connection");
                    }
                    return;
                }
                () = signals.tools_changed() => {}
            }
            tokio::time::sleep(TOGETHER).await;
            let Some(inside) = inside.upgrade() else { return };
            if let Err(error) = inside.refresh_one(index).await {
                tracing::warn!(error = %error, "a server changed its list and cannot be listed; its tools stay as they were");
            }
        }
    }))
}

fn error(server: &ServerName, detail: &str) -> WireError {
    WireError::new(server.clone(), WireErrorKind::Lost { detail: detail.to_owned() })
}
