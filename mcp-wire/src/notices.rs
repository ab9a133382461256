//! Hearing that a server's list of tools changed.
//!
//! Servers up to 2025-11-25 push a notice, over HTTP on a stream that the client opens; those of 2026-07-28 send it on a subscription. Both
//! end in one signal, which remembers that there was a change and not how many there were.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::{Either, select};
use rmcp::RoleClient;
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::Peer;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The signal that the list of tools changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<Notify>);

impl Changes {
    pub(crate) fn signal(&self) {
        self.0.notify_one();
    }

    pub(crate) async fn heard(&self) {
        self.0.notified().await;
    }
}

/// What a connection hears by itself. It does not keep the connection.
#[derive(Clone, Debug)]
pub struct Signals {
    pub(crate) changes: Changes,
    pub(crate) ended: CancellationToken,
}

impl Signals {
    /// Waits until the peer closes its half; over HTTP, for ever.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Waits until the server says that its list of tools changed. Notices that come while nobody waits are remembered as one.
    pub async fn tools_changed(&self) {
        self.changes.heard().await;
    }
}

/// How many streams for notices are opened in a row, and after how long there may be one more. Some servers end such a stream as soon as
/// it is opened, and would be asked again and again.
const OPENS: u32 = 5;
const ONE_MORE: Duration = Duration::from_secs(60);

/// What is left of the streams that may be opened.
#[derive(Debug)]
pub(crate) struct Openings {
    left: u32,
    since: Instant,
}

impl Default for Openings {
    fn default() -> Self {
        Self { left: OPENS, since: Instant::now() }
    }
}

impl Openings {
    /// Takes one of them, where one is left.
    pub(crate) fn take(&mut self) -> bool {
        while self.left < OPENS && self.since.elapsed() >= ONE_MORE {
            self.left += 1;
            self.since += ONE_MORE;
        }
        if self.left == OPENS {
            self.since = Instant::now();
        }
        let some = self.left > 0;
        self.left = self.left.saturating_sub(1);
        some
    }
}

/// Subscribes to changes where the server speaks a revision that has no other way, for as long as the connection is open.
pub(crate) fn subscribe(peer: &Peer<RoleClient>, changes: &Changes, closed: &CancellationToken) {
    let version = peer.peer_info().map(|info| info.protocol_version.clone());
    if version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
        return;
    }
    let (peer, changes, closed) = (peer.clone(), changes.clone(), closed.clone());
    tokio::spawn(async move {
        let listening = std::pin::pin!(listen(&peer, &changes));
        let closed = std::pin::pin!(closed.cancelled());
        if let Either::Left((Some(end), _)) = select(listening, closed).await {
            tracing::debug!(end, "a server's notices are not heard any more; a refresh asks it all the same");
        }
    });
}

/// Listens, and opens the subscription anew when it ends, within bounds.
async fn listen(peer: &Peer<RoleClient>, changes: &Changes) -> Option<String> {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut openings = Openings::default();
    let mut end = None;
    let mut first = true;
    while openings.take() {
        match peer.listen(filter.clone()).await {
            Ok(mut subscription) => {
                // What changed while nobody listened was not heard.
                if !std::mem::take(&mut first) {
                    changes.signal();
                }
                while let Ok(Some(_)) = subscription.next().await {
                    changes.signal();
                }
                end = Some("the subscription ended".to_owned());
            }
            // A server that does not know the method will not learn it.
            Err(error) => return Some(error.to_string()),
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    end
}
