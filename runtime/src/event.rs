//! What a host can watch: servers come and go, tools come and go, calls are issued again and end.
//!
//! Events carry names and reasons and never arguments, results, addresses or what a process printed: somebody will write them to a log.

use std::time::Duration;

use mcp_contract::config::Kind;
use tokio::sync::broadcast;

use crate::outcome::Outcome;

/// How many events a slow listener may be behind before it misses some.
const BEHIND: usize = 1024;

/// Something that happened. `server` and `tool` are the configured name and the local name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A connection was made, and what the server offers was compared with what was accepted.
    Connected {
        /// The server.
        server: String,
    },
    /// A connection could not be made.
    OutOfReach {
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// A connection ended; the next call makes another.
    Lost {
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// A tool can be called from now on.
    Registered {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A tool is gone: its server no longer lists it, or its name went to another.
    Retired {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Why.
        reason: String,
    },
    /// A tool is still listed and is not what was accepted; it cannot be called until somebody has looked.
    Quarantined {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What changed.
        reason: String,
    },
    /// A tool was refused at an import.
    Refused {
        /// The server.
        server: String,
        /// The remote name, as a safe excerpt.
        tool: String,
        /// Why.
        reason: String,
    },
    /// A call is issued again.
    Retried {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The caller's key.
        key: Option<String>,
        /// Which attempt comes now; the first is 1.
        attempt: u32,
        /// How long it waits before that.
        wait: Duration,
        /// What became of the one before.
        reason: String,
    },
    /// A call ended, also one whose caller went away.
    Finished {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The caller's key.
        key: Option<String>,
        /// Whether it was an action.
        kind: Kind,
        /// How it ended.
        outcome: Outcome,
        /// How many times it was issued.
        attempts: u32,
        /// How long it took.
        took: Duration,
    },
    /// This listener was too slow, and missed some events.
    Missed(u64),
}

/// A listener's place in the stream of events; it hears what happens after it was made.
#[derive(Debug)]
pub struct Events(broadcast::Receiver<Event>);

impl Events {
    /// Waits for the next event; `None` when the importer and all calls are gone. Dropping the future loses no event.
    pub async fn next(&mut self) -> Option<Event> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Event::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// The next event, if there is one already.
    pub fn try_next(&mut self) -> Option<Event> {
        match self.0.try_recv() {
            Ok(event) => Some(event),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(Event::Missed(missed)),
            Err(_) => None,
        }
    }
}

/// Where events are told.
#[derive(Debug)]
pub(crate) struct Teller(broadcast::Sender<Event>);

impl Default for Teller {
    fn default() -> Self {
        Self(broadcast::Sender::new(BEHIND))
    }
}

impl Teller {
    pub(crate) fn listen(&self) -> Events {
        Events(self.0.subscribe())
    }

    /// Tells an event; nobody need listen.
    pub(crate) fn tell(&self, event: Event) {
        tracing::debug!(?event, "event");
        let _ = self.0.send(event);
    }
}
