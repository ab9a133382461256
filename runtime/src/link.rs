//! The connection of one server: made once for all who need it at a time, and made anew when it is lost.
//!
//! A connection counts as made when the server's list has been compared with what was accepted; no call goes out on one that was not. It is
//! made in a task of its own, so that a caller who goes away does not take it from the others who wait, and all who wait get the same answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use mcp_wire::{Connection, WireError};
use tokio::task::AbortHandle;
use tokio_util::task::AbortOnDropHandle;

/// How long a server may take to show that it still answers.
const SIGN_OF_LIFE: Duration = Duration::from_secs(3);

/// A connection, or why there is none.
pub(crate) type Connected = Result<Arc<Connection>, Arc<WireError>>;

/// A connection in the making.
type Pending = Shared<BoxFuture<'static, Option<Connected>>>;

/// The connection of one server.
#[derive(Default)]
pub(crate) struct Link {
    state: Mutex<State>,
    /// How many connections were begun.
    makings: AtomicU64,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    /// The number tells one making from the next; the handle ends it.
    Making(u64, Pending, AbortHandle),
    Open(Open),
    /// The importer was closed: no connection is made any more.
    Closed,
}

struct Open {
    connection: Arc<Connection>,
    /// Hears what the server says by itself, for as long as the connection is this link's.
    _watch: AbortOnDropHandle<()>,
    /// Whether a request was not answered since the last sign of life.
    suspect: bool,
}

/// What a link has to offer now.
pub(crate) enum Offer {
    /// A connection that nothing is known against.
    Open(Arc<Connection>),
    /// A connection on which something was not answered; it has to show that it lives.
    Suspect(Arc<Connection>),
    /// One in the making.
    Pending(Pending),
    /// None any more.
    Closed,
}

impl Link {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections were begun.
    pub(crate) fn makings(&self) -> u64 {
        self.makings.load(Ordering::SeqCst)
    }

    /// What there is; where there is nothing, `make` begins to make it. `lost` is told of an open connection that has ended.
    pub(crate) fn offer(&self, make: impl FnOnce(u64) -> BoxFuture<'static, Connected>, lost: impl FnOnce()) -> Offer {
        let mut state = self.lock();
        match &*state {
            State::Closed => return Offer::Closed,
            State::Making(_, pending, _) => return Offer::Pending(pending.clone()),
            State::Open(open) if open.connection.is_open() => {
                let connection = Arc::clone(&open.connection);
                return if open.suspect { Offer::Suspect(connection) } else { Offer::Open(connection) };
            }
            State::Open(_) => lost(),
            State::Idle => {}
        }
        let number = self.makings.fetch_add(1, Ordering::SeqCst);
        let task = AbortOnDropHandle::new(tokio::spawn(make(number)));
        let ends = task.abort_handle();
        let pending = async move { task.await.ok() }.boxed().shared();
        *state = State::Making(number, pending.clone(), ends);
        Offer::Pending(pending)
    }

    /// Takes a connection that was made, unless the importer was closed meanwhile; whether it was taken.
    pub(crate) fn opened(&self, number: u64, connection: &Arc<Connection>, watch: AbortOnDropHandle<()>) -> bool {
        let mut state = self.lock();
        let is_ours = matches!(&*state, State::Making(making, ..) if *making == number);
        if is_ours {
            let connection = Arc::clone(connection);
            *state = State::Open(Open { connection, _watch: watch, suspect: false });
        }
        is_ours
    }

    /// Takes note that no connection was made.
    pub(crate) fn failed(&self, number: u64) {
        let mut state = self.lock();
        if matches!(&*state, State::Making(making, ..) if *making == number) {
            *state = State::Idle;
        }
    }

    /// Gives a connection up, if it is still the one that is in use: whoever still waits on it may go on. Whether it was.
    pub(crate) fn give_up(&self, connection: &Arc<Connection>) -> bool {
        let mut state = self.lock();
        let is_ours = matches!(&*state, State::Open(open) if Arc::ptr_eq(&open.connection, connection));
        if is_ours {
            *state = State::Idle;
        }
        is_ours
    }

    /// Takes note that something was not answered, or that something was.
    pub(crate) fn suspect(&self, connection: &Arc<Connection>, suspect: bool) {
        if let State::Open(open) = &mut *self.lock()
            && Arc::ptr_eq(&open.connection, connection)
        {
            open.suspect = suspect;
        }
    }

    /// Whether a connection shows a sign of life.
    pub(crate) async fn lives(&self, connection: &Arc<Connection>) -> bool {
        let lives = connection.answers(SIGN_OF_LIFE).await;
        if lives {
            self.suspect(connection, false);
        }
        lives
    }

    /// Closes the link for good: one in the making is ended, an open one is given a few seconds.
    pub(crate) async fn close(&self) {
        let before = std::mem::replace(&mut *self.lock(), State::Closed);
        match before {
            State::Open(open) => open.connection.close().await,
            State::Making(_, _, ends) => ends.abort(),
            State::Idle | State::Closed => {}
        }
    }
}
