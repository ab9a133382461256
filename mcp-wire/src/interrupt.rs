//! Ending work when somebody ends the program.
//!
//! Servers are in process groups of their own, so a terminal's Ctrl-C does not reach them: whoever starts them in a program that can be
//! ended must drop what it started, which ends them.

use futures::future::{Either, select};

/// Does some work, or drops it when the program is told to end (interrupt, and on Unix terminate and hang-up); `None` then.
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = T>) -> Option<T> {
    let (work, ended) = (std::pin::pin!(work), std::pin::pin!(ended()));
    match select(work, ended).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

#[cfg(unix)]
async fn ended() {
    use futures::FutureExt as _;
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind| async move {
        match signal(kind) {
            Ok(mut signals) => drop(signals.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    futures::future::select_all(kinds.map(|kind| wait(kind).boxed_local())).await;
}

#[cfg(not(unix))]
async fn ended() {
    let _ = tokio::signal::ctrl_c().await;
}
