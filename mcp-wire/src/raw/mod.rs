//! Keeping the raw text of replies, beneath rmcp.
//!
//! A caller puts a [`Slot`] into a request's extensions; the transport finds it there when it sends, and registers it
//! under the request's id in the connection's [`Router`]. The reply's text goes into the slot, and rmcp gets a
//! placeholder with the same id, so that its future wakes whatever the reply looks like.

mod envelope;
mod placeholder;
mod router;
mod slot;

pub(crate) use envelope::Envelope;
pub(crate) use router::{Incoming, Outgoing, Router};
pub(crate) use slot::{Reply, Slot, State};
