//! Requests to servers without sessions: each says in `_meta` who asks and in which revision, and
//! repeats in headers what it is about (2026-07-28).

use http::{HeaderName, HeaderValue};
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, Implementation, ProtocolVersion, RequestMetaObject,
};
use rmcp::transport::common::http_header::{HEADER_MCP_METHOD, HEADER_MCP_NAME};
use serde_json::{Map, Value};

use super::mirror::{self, MirroredArgument};
use super::{ServerSession, asking};

pub(super) struct StatelessRequest {
    pub(super) body: Value,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

impl ServerSession {
    /// Completes a request. Nothing in it can fail: a header that cannot be made is left out, and
    /// the server tells what it misses.
    pub(super) fn stateless_request(&self, message: &ClientJsonRpcMessage) -> StatelessRequest {
        let mut body = serde_json::to_value(message).unwrap_or_default();
        let method = body["method"].as_str().unwrap_or_default().to_string();
        let params = &mut body["params"];
        if !params.is_object() {
            *params = Value::Object(Map::new());
        }
        let about = request_meta(capabilities_in(&method));
        if !params["_meta"].is_object() {
            params["_meta"] = Value::Object(Map::new());
        }
        for (key, value) in about.0.0 {
            // What the request says already was said for it in particular.
            if params["_meta"].get(&key).is_none() {
                params["_meta"][key] = value;
            }
        }
        let name = match &*method {
            "tools/call" => params["name"].as_str(),
            "tasks/get" | "tasks/cancel" => params["taskId"].as_str(),
            _ => None,
        };
        let mut headers = vec![(HEADER_MCP_METHOD.to_string(), method.clone())];
        headers.extend(name.map(|name| (HEADER_MCP_NAME.to_string(), name.to_string())));
        if let ("tools/call", Some(tool)) = (&*method, name) {
            let mirrored = self.mirrored_arguments(tool);
            headers.extend(mirrored.iter().filter_map(|argument| {
                Some((
                    argument.header_name(),
                    argument.value_in(&params["arguments"])?,
                ))
            }));
        }
        let headers = headers.into_iter().filter_map(|(name, value)| {
            let value = HeaderValue::from_str(&mirror::encode(&value)).ok()?;
            Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
        });
        StatelessRequest {
            headers: headers.collect(),
            body,
        }
    }

    fn mirrored_arguments(&self, tool: &str) -> std::sync::Arc<[MirroredArgument]> {
        self.mirrored(|known| known.get(tool).cloned().unwrap_or_default())
    }
}

/// Says in a call whether a task may take the place of its result, and whether the operator can be
/// asked.
pub(super) fn declare(meta: &mut RequestMetaObject, takes_task: bool, asks: bool) {
    let mut capabilities = match takes_task {
        true => with_tasks(),
        false => ClientCapabilities::default(),
    };
    if asks {
        capabilities = asking::with_questions(capabilities);
    }
    meta.0.0.extend(request_meta(capabilities).0.0);
}

fn capabilities_in(method: &str) -> ClientCapabilities {
    match method {
        "tasks/get" | "tasks/cancel" => with_tasks(),
        _ => ClientCapabilities::default(),
    }
}

fn with_tasks() -> ClientCapabilities {
    ClientCapabilities::builder().enable_tasks().build()
}

fn request_meta(capabilities: ClientCapabilities) -> RequestMetaObject {
    let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
    RequestMetaObject::with_client_context(ProtocolVersion::V_2026_07_28, about, capabilities)
}
