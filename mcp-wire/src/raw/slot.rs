//! The place where one request's reply is put, and the proof of whether the request left.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::call::ProgressSink;
use crate::error::WireErrorKind;

/// What came back for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The text of `result`.
    Result(String),
    /// The text of `error`.
    Error(String),
    /// Something that is no reply, although it answers this request.
    Malformed(String),
    /// A reply that was too long to be read.
    TooLarge,
}

/// How far a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing was handed over.
    Queued,
    /// It is being handed over, or was: whether the peer has it is not known.
    Written,
    /// It did not leave, and never will.
    NotSent,
}

#[derive(Debug)]
struct Inside {
    state: State,
    reply: Option<Reply>,
    failure: Option<WireErrorKind>,
}

/// A slot; clones share the place.
#[derive(Clone)]
pub(crate) struct Slot {
    inside: Arc<Mutex<Inside>>,
    given_up: Arc<Notify>,
    progress: Option<ProgressSink>,
    repeatable: bool,
}

impl Slot {
    pub(crate) fn new(progress: Option<ProgressSink>, repeatable: bool) -> Self {
        let inside = Inside { state: State::Queued, reply: None, failure: None };
        Self { inside: Arc::new(Mutex::new(inside)), given_up: Arc::default(), progress, repeatable }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks to hand the request over; false where it was given up before.
    pub(crate) fn begin(&self) -> bool {
        let mut inside = self.lock();
        if inside.state == State::NotSent {
            return false;
        }
        inside.state = State::Written;
        true
    }

    /// Takes `begin` back: it is proved that the peer cannot have the request.
    pub(crate) fn did_not_leave(&self) {
        self.lock().state = State::NotSent;
    }

    /// Gives the request up; tells whether it had left.
    pub(crate) fn seal(&self) -> State {
        let mut inside = self.lock();
        if inside.state == State::Queued {
            inside.state = State::NotSent;
            self.given_up.notify_one();
        }
        inside.state
    }

    /// Waits until the request is given up while it is queued.
    pub(crate) async fn given_up(&self) {
        self.given_up.notified().await;
    }

    pub(crate) fn fill(&self, reply: Reply) {
        self.lock().reply.get_or_insert(reply);
    }

    /// Remembers why no reply will come, in more detail than rmcp's error has.
    pub(crate) fn fail(&self, failure: WireErrorKind) {
        self.lock().failure = Some(failure);
    }

    pub(crate) fn take(&self) -> (Option<Reply>, Option<WireErrorKind>) {
        let mut inside = self.lock();
        (inside.reply.take(), inside.failure.take())
    }

    /// Whether the request may be sent twice.
    pub(crate) fn repeatable(&self) -> bool {
        self.repeatable
    }

    pub(crate) fn progress(&self) -> Option<&ProgressSink> {
        self.progress.as_ref()
    }
}
