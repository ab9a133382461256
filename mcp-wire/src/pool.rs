//! HTTP connections: a fresh one for each action, kept ones for what may be sent twice.
//!
//! A kept connection may have been closed by the server in the meantime; a request that is lost on it may or may not have run. Keeping
//! them saves a handshake, except against servers that write header and body apart: there the body of each answer waits for the
//! acknowledgement of the header, some 40 ms that a fresh connection does not have. Three such waits in a row end the keeping.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How long the body waits where header and body are written apart: the delay with which acknowledgements are sent.
const DELAYED: std::ops::Range<Duration> = Duration::from_millis(35)..Duration::from_millis(65);

/// How many such waits in a row end the keeping.
const PATIENCE: u32 = 3;

/// The HTTP clients of one connection.
pub(crate) struct Pool {
    connect: Duration,
    keeps: bool,
    fresh: reqwest::Client,
    kept: OnceLock<reqwest::Client>,
    delayed: AtomicU32,
}

impl Pool {
    pub(crate) fn new(connect: Duration, keeps: bool) -> reqwest::Result<Self> {
        let fresh = client(connect, 0)?;
        Ok(Self { connect, keeps, fresh, kept: OnceLock::new(), delayed: AtomicU32::new(0) })
    }

    /// The client that keeps no connection.
    pub(crate) fn fresh(&self) -> &reqwest::Client {
        &self.fresh
    }

    /// The client for a request that may be sent twice, and whether it keeps connections.
    pub(crate) fn repeatable(&self) -> (&reqwest::Client, bool) {
        if !self.keeps || self.delayed.load(Ordering::Relaxed) >= PATIENCE {
            return (&self.fresh, false);
        }
        if let Some(kept) = self.kept.get() {
            return (kept, true);
        }
        match client(self.connect, 4) {
            Ok(kept) => (self.kept.get_or_init(|| kept), true),
            Err(_) => (&self.fresh, false),
        }
    }

    /// Takes note of how long the body of an answer came after its header, on a kept connection.
    pub(crate) fn waited(&self, gap: Duration) {
        if !DELAYED.contains(&gap) {
            // Once given up, it stays given up.
            let _ = self.delayed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < PATIENCE).then_some(0));
        } else if self.delayed.fetch_add(1, Ordering::Relaxed) + 1 == PATIENCE {
            tracing::info!(
                "a server writes header and body apart, which is slow on kept connections; none is kept any more"
            );
        }
    }
}

fn client(connect: Duration, idle: usize) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .pool_max_idle_per_host(idle)
        // A redirect would send a call a second time on somebody's word that the first did not count, and headers elsewhere.
        .redirect(reqwest::redirect::Policy::none())
        // By default some failures of HTTP/2, which another crate may have switched on, are sent again.
        .retry(reqwest::retry::never())
        .http1_only()
        .connect_timeout(connect)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_delayed_bodies_in_a_row_end_the_keeping() {
        let pool = Pool::new(Duration::from_secs(1), true).unwrap();
        let delayed = Duration::from_millis(41);
        for gap in [delayed, delayed, Duration::from_millis(1), delayed, delayed] {
            pool.waited(gap);
            assert!(pool.repeatable().1);
        }
        pool.waited(delayed);
        pool.waited(Duration::from_millis(1));
        assert!(!pool.repeatable().1);
        assert!(!Pool::new(Duration::from_secs(1), false).unwrap().repeatable().1);
    }
}
