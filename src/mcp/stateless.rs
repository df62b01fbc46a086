//! Requests to servers without sessions: each says in `_meta` who asks and in which revision, and
//! repeats in headers what it is about (2026-07-28).

use http::{HeaderName, HeaderValue};
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, Implementation, ProtocolVersion, RequestMetaObject,
};
use rmcp::transport::common::http_header::{HEADER_MCP_METHOD, HEADER_MCP_NAME};
use serde_json::{Map, Value};

use super::ServerSession;
use super::mirror::{self, MirroredArgument};

/// A request as it is sent.
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
        let about = Value::from(self.request_meta().0.0);
        match (&mut params["_meta"], about) {
            (Value::Object(meta), Value::Object(about)) => meta.extend(about),
            (meta, about) => *meta = about,
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

    fn request_meta(&self) -> RequestMetaObject {
        let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        if self.endpoint.takes_tasks {
            capabilities = ClientCapabilities::builder().enable_tasks().build();
        }
        RequestMetaObject::with_client_context(ProtocolVersion::V_2026_07_28, about, capabilities)
    }

    fn mirrored_arguments(&self, tool: &str) -> std::sync::Arc<[MirroredArgument]> {
        self.mirrored(|known| known.get(tool).cloned().unwrap_or_default())
    }
}
