//! What rmcp is given in place of a reply that we keep.
//!
//! rmcp learns nothing from a call's result, so an empty one will do. From a listing it learns which arguments go into
//! HTTP headers, so it is given the tools that it can decode.

use rmcp::model::{EmptyObject, ErrorData, ListToolsResult, RequestId, ServerJsonRpcMessage, ServerResult, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::slot::Reply;

/// The placeholder for a reply.
pub(super) fn placeholder(reply: &Reply, is_list: bool, id: RequestId) -> ServerJsonRpcMessage {
    match reply {
        Reply::Result(text) if is_list => {
            ServerJsonRpcMessage::response(ServerResult::ListToolsResult(decodable_tools(text)), id)
        }
        Reply::Result(_) => ServerJsonRpcMessage::response(ServerResult::EmptyResult(EmptyObject {}), id),
        Reply::Error(text) => {
            let error = serde_json::from_str::<ErrorData>(text);
            let error = error.unwrap_or_else(|_| ErrorData::internal_error("the error is malformed", None));
            ServerJsonRpcMessage::error(error, Some(id))
        }
        Reply::Malformed(_) | Reply::TooLarge => {
            ServerJsonRpcMessage::error(ErrorData::internal_error("the reply cannot be used", None), Some(id))
        }
    }
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
}

fn decodable_tools(text: &str) -> ListToolsResult {
    let page: Page<'_> = serde_json::from_str(text).unwrap_or(Page { tools: Vec::new() });
    let tools = page.tools.iter().filter_map(|raw| serde_json::from_str::<Tool>(raw.get()).ok()).collect();
    ListToolsResult::with_all_items(tools)
}
