//! Calls that failed, kept with their answers so that they can be handed on.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

use actors::secrets::Secrets;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, RequestId,
};
use serde_json::json;
use zoea_grammar::incident::{Incident, IncidentKeeper, IncidentKind};
use zoea_http::kept::RawAnswer;
use zoea_text::redact::hide_passwords;

use super::{McpFailure, refusal_text};

/// The JSON-RPC code by which early SpaceMolt told that a command failed, which is no failure of a call.
pub const COMMAND_FAILED_CODE: i64 = 0;

/// Keeps calls that failed, without secrets.
#[derive(Clone)]
pub struct FailedCalls {
    keeper: Arc<dyn IncidentKeeper>,
    secrets: Secrets,
}

impl FailedCalls {
    /// Keeps them there, without these secrets.
    pub fn new(keeper: Arc<dyn IncidentKeeper>, secrets: Secrets) -> FailedCalls {
        FailedCalls { keeper, secrets }
    }

    pub async fn keep_refusal(
        &self,
        server: &str,
        params: CallToolRequestParams,
        (code, message): (Option<i64>, &str),
    ) {
        if code == Some(COMMAND_FAILED_CODE) {
            return;
        }
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let request = ClientJsonRpcMessage::request(request, RequestId::Number(0));
        let error = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": code, "message": message}});
        let raw = RawAnswer {
            status: 200,
            headers: vec![("content-type".to_string(), "application/json".to_string())],
            body: error.to_string().into_bytes(),
        };
        let failure = refusal_text(message, code);
        self.keep(server, (written(&request), raw), &failure).await;
    }

    async fn keep(&self, server: &str, (request, raw): (String, RawAnswer), failure: &str) {
        let redactor = self.secrets.redactor();
        let clean = |text: &str| hide_passwords(&redactor.clean(text)).into_owned();
        let received = raw.clean_body(clean);
        let answer = (raw.status, raw.headers, received.as_bytes());
        let kind = IncidentKind::Tool;
        let incident = Incident::of_exchange(kind, server, failure, &request, answer, clean);
        self.keeper.keep(incident).await;
    }
}

#[derive(Clone, Default)]
pub(super) struct Exchange(Option<Arc<KeptExchange>>);

struct KeptExchange {
    calls: FailedCalls,
    received: Mutex<(String, Option<RawAnswer>)>,
}

impl Exchange {
    pub(super) fn kept_by(calls: Option<&FailedCalls>) -> Exchange {
        Exchange(calls.map(|calls| {
            Arc::new(KeptExchange {
                calls: calls.clone(),
                received: Mutex::default(),
            })
        }))
    }

    fn received(&self) -> Option<MutexGuard<'_, (String, Option<RawAnswer>)>> {
        let kept = self.0.as_ref()?;
        Some(kept.received.lock())
    }

    pub(super) fn asks(&self, message: &ClientJsonRpcMessage) {
        if let Some(mut received) = self.received() {
            *received = (written(message), None);
        }
    }

    /// Notes the head of the answer.
    pub(super) fn is_answered(&self, response: &reqwest::Response) {
        if let Some(mut received) = self.received() {
            received.1 = Some(RawAnswer::of_head(response));
        }
    }

    /// Notes a piece of its body.
    pub(super) fn take(&self, bytes: &[u8]) {
        if let Some(mut received) = self.received()
            && let Some(raw) = &mut received.1
        {
            raw.take(bytes);
        }
    }

    pub(super) async fn keep(&self, server: &str, failure: &McpFailure) {
        let is_word_of_game = matches!(
            failure,
            McpFailure::Refused {
                code: Some(COMMAND_FAILED_CODE),
                status: 200..=299,
                ..
            }
        );
        let received = self
            .received()
            .map(|mut received| std::mem::take(&mut *received));
        if let (Some(kept), Some((request, Some(raw))), false) =
            (&self.0, received, is_word_of_game)
        {
            let failure = failure.to_string();
            kept.calls.keep(server, (request, raw), &failure).await;
        }
    }
}

fn written(message: &ClientJsonRpcMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
