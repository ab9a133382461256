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
            "initialize" => self.reply(id, "initialize", &json!({}), || self.initialized(params)),
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

    fn initialized(&self, params: &Value) -> Value {
        let mut result = json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "test", "version": "1"},
        });
        if let Some(instructions) = &self.lock().instructions {
            result["instructions"] = json!(instructions);
        }
        result
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

fn success(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn error(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}
