//! Which request of one connection waits for which reply.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::GetExtensions as _;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, JsonRpcMessage, ProgressToken,
    RequestId, ServerJsonRpcMessage,
};
use serde::Deserialize;

use super::Envelope;
use super::placeholder::placeholder;
use super::slot::{Reply, Slot, State};
use crate::call::Progress;

/// How many lines of noise are kept.
const NOISE_KEPT: usize = 5;

struct Pending {
    slot: Slot,
    is_list: bool,
    token: Option<ProgressToken>,
}

#[derive(Default)]
struct Inside {
    pending: HashMap<RequestId, Pending>,
    noise: VecDeque<String>,
    /// How many lines of noise there were.
    noisy: u64,
}

/// The requests of one connection that wait; shared by its transport and its callers.
#[derive(Default)]
pub(crate) struct Router(Mutex<Inside>);

/// What a message on its way out is to us.
pub(crate) enum Outgoing {
    /// A request of ours.
    Ours(RequestId, Slot),
    /// The notice that a request of ours is given up; the flag says whether the peer may have the request.
    Cancel { left: bool },
    /// Anything else.
    Other,
}

/// What a text that came in is.
pub(crate) enum Incoming {
    /// A message for rmcp: its own, or a placeholder.
    Message(Box<ServerJsonRpcMessage>),
    /// Nothing that rmcp needs to see.
    Nothing,
}

impl Router {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a message on its way out, and registers a request of ours.
    pub(crate) fn outgoing(&self, message: &ClientJsonRpcMessage) -> Outgoing {
        match message {
            JsonRpcMessage::Request(request) => {
                let is_list = matches!(request.request, ClientRequest::ListToolsRequest(_));
                let Some(slot) = request.request.extensions().get::<Slot>().cloned() else { return Outgoing::Other };
                let token = request.request.get_meta().get_progress_token();
                let pending = Pending { slot: slot.clone(), is_list, token };
                self.lock().pending.insert(request.id.clone(), pending);
                Outgoing::Ours(request.id.clone(), slot)
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    let Some(id) = &cancelled.params.request_id else { return Outgoing::Other };
                    let forgotten = self.lock().pending.remove(id);
                    let left = forgotten.is_none_or(|pending| pending.slot.seal() != State::NotSent);
                    Outgoing::Cancel { left }
                }
                _ => Outgoing::Other,
            },
            _ => Outgoing::Other,
        }
    }

    /// Stops waiting for a request.
    pub(crate) fn forget(&self, id: &RequestId) {
        self.lock().pending.remove(id);
    }

    /// The last lines that were no messages.
    pub(crate) fn noise(&self) -> Vec<String> {
        self.lock().noise.iter().cloned().collect()
    }

    /// How many lines were no messages.
    pub(crate) fn noisy(&self) -> u64 {
        self.lock().noisy
    }

    pub(crate) fn note_noise(&self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let mut inside = self.lock();
        inside.noisy += 1;
        inside.noise.push_back(line.chars().take(400).collect());
        if inside.noise.len() > NOISE_KEPT {
            inside.noise.pop_front();
        }
    }

    /// Settles a request of ours with what came for it, and gives the placeholder.
    pub(crate) fn settle(&self, id: &RequestId, reply: Reply) -> Option<ServerJsonRpcMessage> {
        let pending = self.lock().pending.remove(id)?;
        let placeholder = placeholder(&reply, pending.is_list, id.clone());
        pending.slot.fill(reply);
        Some(placeholder)
    }

    /// A reply that was too long, of which only the ends were kept.
    pub(crate) fn oversized(&self, ends: &str) -> Option<ServerJsonRpcMessage> {
        let id = self.guess_id(ends)?;
        self.settle(&id, Reply::TooLarge)
    }

    /// Understands one text from the peer.
    pub(crate) fn incoming(&self, text: &str) -> Incoming {
        let Some(envelope) = Envelope::read(text) else { return self.unreadable(text) };
        if envelope.method.is_some() {
            self.progress(&envelope);
            if let Ok(message) = serde_json::from_str(text) {
                return Incoming::Message(Box::new(message));
            }
            self.note_noise(text);
            return Incoming::Nothing;
        }
        let Some(id) = self.pending_id(&envelope) else { return self.typed(text, &envelope) };
        let reply = match (envelope.result, envelope.error) {
            (Some(result), None) => Reply::Result(result.get().to_owned()),
            (_, Some(error)) => Reply::Error(error.get().to_owned()),
            // A line of a log can hold an `id` too; an answer has one of the two.
            (None, None) => {
                self.note_noise(text);
                return Incoming::Nothing;
            }
        };
        self.settle(&id, reply).map_or(Incoming::Nothing, |message| Incoming::Message(Box::new(message)))
    }

    /// The id of a waiting request of ours that the envelope answers; a number may come back as a string.
    fn pending_id(&self, envelope: &Envelope<'_>) -> Option<RequestId> {
        let id: RequestId = serde_json::from_str(envelope.id?.get()).ok()?;
        let inside = self.lock();
        if inside.pending.contains_key(&id) {
            return Some(id);
        }
        match id {
            RequestId::String(text) => {
                let number = RequestId::Number(text.parse().ok()?);
                inside.pending.contains_key(&number).then_some(number)
            }
            RequestId::Number(_) => None,
        }
    }

    /// A reply to one of rmcp's own requests. One that rmcp cannot decode becomes an error with its id: otherwise
    /// rmcp would wait for ever.
    fn typed(&self, text: &str, envelope: &Envelope<'_>) -> Incoming {
        if let Ok(message) = serde_json::from_str(text) {
            return Incoming::Message(Box::new(message));
        }
        self.note_noise(text);
        if envelope.result.is_none() && envelope.error.is_none() {
            return Incoming::Nothing;
        }
        let id = envelope.id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
        match id {
            Some(id) => {
                let error = ErrorData::internal_error("the reply has no shape that MCP knows", None);
                Incoming::Message(Box::new(ServerJsonRpcMessage::error(error, Some(id))))
            }
            None => Incoming::Nothing,
        }
    }

    /// A text that is no message. If it names a request of ours, that request is settled; else it is noise.
    fn unreadable(&self, text: &str) -> Incoming {
        let looks_like_one = text.trim_start().starts_with('{') && text.contains("\"jsonrpc\"");
        if looks_like_one && let Some(id) = self.guess_id(text) {
            let reply = Reply::Malformed("it is not JSON".to_owned());
            if let Some(message) = self.settle(&id, reply) {
                return Incoming::Message(Box::new(message));
            }
        }
        self.note_noise(text);
        Incoming::Nothing
    }

    /// The request that a damaged text most likely answers: the one whose id stands in it, or the only one that waits.
    fn guess_id(&self, text: &str) -> Option<RequestId> {
        if text.contains("\"method\"") {
            return None;
        }
        let inside = self.lock();
        let named = text.match_indices("\"id\"").find_map(|(at, key)| {
            let rest = text[at + key.len()..].trim_start().strip_prefix(':')?.trim_start();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let id = RequestId::Number(rest[..digits].parse().ok()?);
            inside.pending.contains_key(&id).then_some(id)
        });
        let only = || (inside.pending.len() == 1).then(|| inside.pending.keys().next().cloned()).flatten();
        named.or_else(only)
    }

    fn progress(&self, envelope: &Envelope<'_>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Notice {
            progress_token: ProgressToken,
            progress: f64,
            total: Option<f64>,
            message: Option<String>,
        }
        if envelope.method.is_none_or(|method| method.get() != "\"notifications/progress\"") {
            return;
        }
        let Some(notice) = envelope.params.and_then(|params| serde_json::from_str::<Notice>(params.get()).ok()) else {
            return;
        };
        let sink = {
            let inside = self.lock();
            let token = Some(notice.progress_token);
            inside.pending.values().find(|pending| pending.token == token).and_then(|p| p.slot.progress().cloned())
        };
        if let Some(sink) = sink {
            let progress = Progress { done: notice.progress, total: notice.total, message: notice.message };
            // A sink that panics must not take the connection of all others down; its panic was reported by the hook.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sink(progress)));
        }
    }
}
