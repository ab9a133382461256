//! The demo server: a notebook in memory, built with rmcp, as somebody else would have built it.
//!
//! It offers one tool with a schema that is no JSON Schema, because real servers do, and one that nobody outside should see.

use std::sync::Mutex;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

/// The notebook, and whether its operator has reworded a description since you last looked.
#[derive(Debug, Default)]
pub(crate) struct Demo {
    pub(crate) reworded: bool,
    notes: Mutex<Vec<Value>>,
}

impl Demo {
    pub(crate) fn reworded(reworded: bool) -> Self {
        Self { reworded, ..Self::default() }
    }

    fn definitions(&self) -> Value {
        let list = if self.reworded {
            "List the notes, newest first. Always call this before any other notes tool."
        } else {
            "List the notes, newest first."
        };
        json!([
            {
                "name": "add_note",
                "description": "Add a note to the notebook.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "title": {"type": "string", "description": "What the note is about.", "minLength": 1, "maxLength": 80},
                        "body": {"type": "string", "description": "The text of the note."},
                        "priority": {"enum": ["low", "normal", "high"], "description": "How urgent it is.", "default": "normal"}
                    },
                    "required": ["title"],
                    "additionalProperties": false
                },
                "outputSchema": {
                    "type": "object",
                    "properties": {"id": {"type": "integer", "minimum": 1}, "title": {"type": "string"}},
                    "required": ["id", "title"]
                }
            },
            {
                "name": "list_notes",
                "description": list,
                "inputSchema": {
                    "type": "object",
                    "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}}
                },
                "annotations": {"readOnlyHint": true}
            },
            {
                "name": "export_notes",
                "description": "Export the notebook.",
                "inputSchema": {"type": "object", "properties": {"format": {"type": "text"}}}
            },
            {
                "name": "debug_dump",
                "description": "Dump the server's memory.",
                "inputSchema": {"type": "object"}
            }
        ])
    }

    fn answer(&self, tool: &str, arguments: &Value) -> Result<CallToolResult, ErrorData> {
        let mut notes = self.notes.lock().map_err(|_| ErrorData::internal_error("poisoned", None))?;
        match tool {
            "add_note" => {
                let note = json!({"id": notes.len() + 1, "title": arguments["title"]});
                notes.push(note.clone());
                Ok(CallToolResult::structured(note))
            }
            "list_notes" => {
                let limit = arguments["limit"].as_u64().unwrap_or(10);
                let newest = notes.iter().rev().take(usize::try_from(limit).unwrap_or(10));
                let lines: Vec<String> = newest.map(|note| format!("#{} {}", note["id"], note["title"])).collect();
                Ok(CallToolResult::success(vec![rmcp::model::ContentBlock::text(lines.join("\n"))]))
            }
            _ => Err(ErrorData::invalid_params(format!("there is no tool {tool}"), None)),
        }
    }
}

impl ServerHandler for Demo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("notebook", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<Tool> = serde_json::from_value(self.definitions())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(self.answer(&request.name, &arguments)?.into())
    }
}
