//! From a message to what the server does about it, whatever carries the two.

use serde_json::{Value, json};

use super::fault::{Fault, Planned};
use super::server::Shared;

/// What a server does about one message.
pub(super) enum Reaction {
    /// Nothing: the message wants no answer.
    Nothing,
    /// It answers as the fault says; the text is the plain answer.
    Answer { fault: Fault, id: Value, text: String },
    /// It keeps a stream open for notices.
    Subscribe { id: Value },
}

impl Shared {
    /// Takes a message.
    pub(super) fn take(&self, message: &Value) -> Reaction {
        self.lock().requests.push(message.clone());
        let method = message["method"].as_str().unwrap_or_default();
        let (id, params) = (&message["id"], &message["params"]);
        if id.is_null() {
            return Reaction::Nothing;
        }
        match method {
            "initialize" if self.lock().newest => {
                Reaction::Answer { fault: Fault::None, id: id.clone(), text: error(id, -32601, "no such method") }
            }
            "server/discover" if self.lock().newest => self.reply(id, method, &json!({}), discovered),
            "subscriptions/listen" if self.lock().newest => Reaction::Subscribe { id: id.clone() },
            "initialize" => self.reply(id, "initialize", &json!({}), || Self::initialized(params)),
            "ping" => self.reply(id, "ping", &json!({}), || json!({})),
            "tools/list" => self.list(id, params),
            "tools/call" => {
                let tool = params["name"].as_str().unwrap_or_default().to_owned();
                let arguments = params["arguments"].clone();
                self.reply(id, &tool, &arguments, || self.run(&tool, &arguments))
            }
            _ => Reaction::Answer { fault: Fault::None, id: id.clone(), text: error(id, -32601, "no such method") },
        }
    }

    fn reply(&self, id: &Value, name: &str, arguments: &Value, result: impl Fn() -> Value) -> Reaction {
        let Planned { fault, runs } = self.planned(name, arguments);
        let plain = runs.then(&result);
        let text = match &fault {
            Fault::Error { code, message } => error(id, *code, message),
            Fault::Says(result) => success(id, result),
            _ => success(id, &plain.unwrap_or_else(|| json!({"content": []}))),
        };
        Reaction::Answer { fault, id: id.clone(), text }
    }

    fn initialized(params: &Value) -> Value {
        json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "test", "version": "1"},
        })
    }

    fn run(&self, tool: &str, arguments: &Value) -> Value {
        self.count.ran(tool, arguments);
        let answer = self.lock().answers.get(tool).cloned();
        answer.unwrap_or_else(|| json!({"content": [{"type": "text", "text": arguments.to_string()}]}))
    }

    fn list(&self, id: &Value, params: &Value) -> Reaction {
        let planned = self.planned("tools/list", params);
        let (tools, size) = {
            let inside = self.lock();
            (inside.tools.clone(), inside.page_size)
        };
        let from: usize = params["cursor"].as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
        let until = size.map_or(tools.len(), |size| tools.len().min(from + size));
        let mut page = json!({"tools": tools.get(from..until).unwrap_or_default()});
        if until < tools.len() {
            page["nextCursor"] = json!(until.to_string());
        }
        if planned.fault == Fault::SameCursor {
            page["nextCursor"] = json!("0");
            // The plan holds for the second page as well; whoever asks for a third does not notice.
            if params["cursor"].is_null() {
                self.again("tools/list", planned.clone());
            }
        }
        let text = match &planned.fault {
            Fault::Error { code, message } => error(id, *code, message),
            Fault::Says(result) => success(id, result),
            _ => success(id, &page),
        };
        Reaction::Answer { fault: planned.fault, id: id.clone(), text }
    }
}

fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"listChanged": true}},
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// The two notices of a subscription: that it was taken, and that the tools changed.
pub(super) fn subscription_notices(id: &Value) -> [Value; 2] {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    let notice = |method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    };
    [
        notice("notifications/subscriptions/acknowledged", json!({"notifications": {"toolsListChanged": true}})),
        notice("notifications/tools/list_changed", json!({})),
    ]
}

fn success(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn error(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}
