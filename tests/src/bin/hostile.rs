//! A server over stdio that misbehaves in one chosen way: `hostile MODE [FILE]`.
//!
//! It is written without any MCP library, so that it can say what no library would.

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let log = std::env::args().nth(2);
    match mode.as_str() {
        "silent" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "exit" => {
            eprintln!("reading configuration");
            eprintln!("fatal: DATABASE_URL is \u{1b}[31mmissing\u{1b}[0m");
            exit(3);
        }
        "banner" => println!("Welcome to the server!\nListening on stdio"),
        "stderr" => {
            for line in 0..6_000 {
                eprintln!("log line {line} with some more text to fill the pipe");
            }
        }
        "unterminated" => {
            // 300 KB without a newline.
            eprint!("{}", "x".repeat(300_000));
        }
        _ => {}
    }
    let mut server = Server { mode, log, listed: 0 };
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        server.message(&message)?;
    }
    Ok(())
}

struct Server {
    mode: String,
    log: Option<String>,
    listed: usize,
}

impl Server {
    fn message(&mut self, message: &Value) -> io::Result<()> {
        let method = message["method"].as_str().unwrap_or_default();
        let id = &message["id"];
        match method {
            "initialize" => match self.mode.strip_prefix("version=") {
                Some(version) => self.initialized(id, &json!(version)),
                None if self.mode == "refuse" => error(id, -32601, "Method not found"),
                None => self.initialized(id, &message["params"]["protocolVersion"]),
            },
            "server/discover" => error(id, -32601, "Method not found"),
            "tools/list" => self.list(id, &message["params"]),
            "tools/call" => self.call(id, &message["params"]),
            "notifications/cancelled" => self.write_log(&format!("cancelled {}", message["params"]["requestId"])),
            _ => Ok(()),
        }
    }

    fn initialized(&self, id: &Value, version: &Value) -> io::Result<()> {
        let info = json!({"name": "hostile", "version": "1"});
        result(id, &json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}))?;
        if self.mode == "banner" { say("still here\n{not json either}") } else { Ok(()) }
    }

    fn list(&mut self, id: &Value, params: &Value) -> io::Result<()> {
        self.listed += 1;
        if self.mode == "pings" {
            say(r#"{"jsonrpc":"2.0","id":"are you there","method":"ping"}"#)?;
        }
        let good = json!({"name": "good", "description": "A good tool.", "inputSchema": {"type": "object"}});
        let tools = match self.mode.as_str() {
            "bad-tool" => json!([
                good,
                {"name": "no_schema"},
                {"name": "null_schema", "inputSchema": null},
                {"name": "bad_description", "description": 7, "inputSchema": {"type": "object"}},
                {"name": "bad_type", "inputSchema": {"type": "object", "properties": {"n": {"type": "int"}}}},
                {"name": "dangling", "inputSchema": {"type": "object", "properties": {"n": {"$ref": "#/$defs/Nope"}}}},
                {"name": "fetches", "inputSchema": {"$ref": "https://example.com/schema.json"}},
                {"name": "yes_hint", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes"}},
                {"name": 5, "inputSchema": {"type": "object"}},
                {"name": "", "inputSchema": {"type": "object"}},
                "a string"
            ]),
            "twice" => json!([
                good,
                {"name": "same", "inputSchema": {"type": "object"}},
                {"name": "same", "inputSchema": {"type": "object"}},
                {"name": "differs", "description": "One.", "inputSchema": {"type": "object"}},
                {"name": "differs", "description": "Two.", "inputSchema": {"type": "object"}}
            ]),
            "cursor" => return result(id, &json!({"tools": [good], "nextCursor": "again"})),
            "pages" => {
                let (name, next) = match params["cursor"].as_str() {
                    None => ("first", Some("")),
                    Some("") => ("second", Some("3")),
                    Some(_) => ("third", None),
                };
                let mut page = json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]});
                if let Some(next) = next {
                    page["nextCursor"] = json!(next);
                }
                return result(id, &page);
            }
            "huge" => return say_huge(id),
            "duplicate-key" => {
                let raw = r#"{"name":"twofold","inputSchema":{"type":"object"},"inputSchema":{"type":"object","required":["x"]}}"#;
                return say(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{good},{raw},{{"name":"big","inputSchema":{{"type":"object","properties":{{"n":{{"maximum":1e400}}}}}}}}]}}}}"#
                ));
            }
            "not-json" => return say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[}}"#)),
            "no-tools" => return result(id, &json!({"prompts": []})),
            "string-id" => return result(&json!(id.to_string()), &json!({"tools": [good]})),
            "calls" => calls(),
            "unstable" => {
                let process = std::process::id();
                json!([good, {"name": "shuffled", "inputSchema": {"type": "object", "properties": {
                    "fields": {"type": "string", "default": format!("set {process}"), "description": "Which fields."}
                }}}])
            }
            "hosted" => {
                let home = std::env::var("HOME").unwrap_or_default();
                json!([{"name": "read", "description": format!("Reads below {home}."), "inputSchema": {"type": "object"}}])
            }
            // What a file holds, read anew each time: a server that changes.
            mode => match mode.strip_prefix("file=") {
                Some(file) => serde_json::from_str(&std::fs::read_to_string(file)?)?,
                None => json!([good]),
            },
        };
        result(id, &json!({"tools": tools}))
    }

    fn call(&mut self, id: &Value, params: &Value) -> io::Result<()> {
        self.write_log(&format!("call {}", params["name"].as_str().unwrap_or_default()))?;
        match params["name"].as_str().unwrap_or_default() {
            "never" => Ok(()),
            "dies" => exit(9),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for done in 1..=3 {
                    let params = json!({"progressToken": token, "progress": done, "total": 3, "message": "working"});
                    say(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).to_string())?;
                    std::thread::sleep(Duration::from_millis(150));
                }
                result(id, &json!({"content": [{"type": "text", "text": "done"}]}))
            }
            "fails" => result(id, &json!({"content": [{"type": "text", "text": " disk full "}], "isError": true})),
            "fails_silently" => result(id, &json!({"content": [], "isError": true})),
            "unknown_block" => result(
                id,
                &json!({"content": [
                    {"type": "hologram", "data": 1},
                    {"type": "text", "text": "beside it", "annotations": {"audience": ["robot"]}}
                ]}),
            ),
            "structured" => result(id, &json!({"content": [], "structuredContent": {"n": 1.0}})),
            "structured_text" => result(id, &json!({"content": [{"type": "text", "text": "{\"n\": 2}"}]})),
            "both" => {
                result(id, &json!({"content": [{"type": "text", "text": "the body"}], "structuredContent": {"n": 3}}))
            }
            "wrong_type" => result(id, &json!({"content": [], "structuredContent": {"n": "three"}})),
            "empty" => result(id, &json!({})),
            "not_an_object" => result(id, &json!([1])),
            "input_required" => result(id, &json!({"resultType": "input_required", "inputRequests": {}})),
            "rejects" => error(id, -32602, "I do not like these arguments"),
            "internal" => error(id, -32603, "boom"),
            "string_error" => say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":"boom"}}"#)),
            "last_words" => {
                // The reply, without a newline behind it, and the end.
                print!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"last"}}]}}}}"#);
                io::stdout().flush()?;
                exit(0)
            }
            "logs_json" => {
                say(&format!(r#"{{"level":"info","id":{id},"msg":"working on it"}}"#))?;
                result(id, &json!({"content": [{"type": "text", "text": "logged"}]}))
            }
            "bad_json" => say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[}}"#)),
            "wrong_id" => result(&json!(987_654), &json!({"content": []})),
            _ => result(id, &json!({"content": [{"type": "text", "text": "ok"}]})),
        }
    }

    fn write_log(&self, line: &str) -> io::Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        writeln!(OpenOptions::new().create(true).append(true).open(log)?, "{line}")
    }
}

/// The tools of mode `calls`, all alike but for their name; those that say `n` declare it.
fn calls() -> Value {
    let structured = ["structured", "structured_text", "both", "wrong_type"];
    let plain = [
        "never",
        "dies",
        "progress",
        "fails",
        "fails_silently",
        "unknown_block",
        "empty",
        "not_an_object",
        "input_required",
        "rejects",
        "internal",
        "string_error",
        "bad_json",
        "wrong_id",
        "last_words",
        "logs_json",
    ];
    let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let input = json!({"type": "object", "properties": {"word": {"type": "string", "pattern": "^\\w+$"}}});
    let with = structured.iter().map(|name| json!({"name": name, "inputSchema": input, "outputSchema": output}));
    let without = plain.iter().map(|name| json!({"name": name, "inputSchema": input}));
    Value::Array(with.chain(without).collect())
}

fn result(id: &Value, result: &Value) -> io::Result<()> {
    say(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

fn error(id: &Value, code: i64, message: &str) -> io::Result<()> {
    say(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string())
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// A listing of 100 MB on one line.
fn say_huge(id: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"huge","inputSchema":{{"x":""#)?;
    let megabyte = "y".repeat(1 << 20);
    for _ in 0..100 {
        out.write_all(megabyte.as_bytes())?;
    }
    writeln!(out, r#""}}}}]}}}}"#)?;
    out.flush()
}
