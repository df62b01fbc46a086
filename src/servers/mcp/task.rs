//! Answers to calls, and tasks: calls that a server answers with an id, and whose outcome is asked
//! for (`io.modelcontextprotocol/tasks`, SEP-2663).

use std::time::Duration;

use actors::ports::{LinkAnswer, LinkReply, ServerTask};
use rmcp::model::{
    CancelTaskParams, CancelTaskRequest, ClientRequest, GetTaskParams, GetTaskRequest,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::read_answer;
use super::message::{RawResult, RpcError};
use super::{McpFailure, ServerSession, refusal_text, unexpected_answer};

/// The longest id of a task in bytes.
const MAX_ID_BYTES: usize = 1024;

pub(super) fn read_reply(raw: &RawResult) -> Result<LinkReply, McpFailure> {
    match raw.kind().as_deref() {
        Some("task") => read_task(raw).map(LinkReply::Task),
        Some(_) | None => read_answer(raw.text()).map(LinkReply::Answer),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskAnswer {
    /// It is not done. The server asks for this pause before the next question.
    Working(Option<Duration>),
    /// It waits for an answer of ours that we cannot give.
    WantsInput,
    Done(LinkAnswer),
    Refused(Option<i64>, String),
    Cancelled,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTask<'a> {
    #[serde(default)]
    result_type: Option<String>,
    task_id: String,
    status: String,
    #[serde(borrow, default)]
    poll_interval_ms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl WireTask<'_> {
    /// The pause before the next question that the server asks for.
    fn pause(&self) -> Option<Duration> {
        let millis: f64 = self.poll_interval_ms?.get().parse().ok()?;
        Duration::try_from_secs_f64(millis / 1000.0).ok()
    }
}

/// Without an id that can be kept, the outcome of the call stays unknown.
fn read_task(raw: &RawResult) -> Result<ServerTask, McpFailure> {
    let wire: WireTask<'_> = raw.read("tools/call")?;
    if wire.task_id.is_empty() || wire.task_id.len() > MAX_ID_BYTES {
        let text = "the server works on the call under an id that cannot be kept";
        return Err(McpFailure::Broken(text.to_string()));
    }
    Ok(ServerTask {
        poll_after: wire.pause(),
        id: wire.task_id.into(),
    })
}

impl TaskAnswer {
    fn read(raw: &RawResult, id: &str) -> Result<TaskAnswer, McpFailure> {
        let wire: WireTask<'_> = raw.read("tasks/get")?;
        let is_complete = wire
            .result_type
            .as_deref()
            .is_none_or(|kind| kind == "complete");
        if !is_complete || wire.task_id != id {
            return Err(unexpected_answer("tasks/get"));
        }
        match (&*wire.status, wire.result, wire.error) {
            ("working", ..) => Ok(TaskAnswer::Working(wire.pause())),
            ("input_required", ..) => Ok(TaskAnswer::WantsInput),
            ("completed", Some(result), _) => read_answer(result.get()).map(TaskAnswer::Done),
            ("failed", _, Some(error)) => {
                let RpcError { code, message } = RpcError::read(error.get());
                let text = refusal_text(&message, code);
                Ok(TaskAnswer::Refused(code, text))
            }
            ("cancelled", ..) => Ok(TaskAnswer::Cancelled),
            _ => Err(unexpected_answer("tasks/get")),
        }
    }
}

impl ServerSession {
    /// Asks for the outcome of a task. The question changes nothing.
    pub async fn task(&self, id: &str, limit: Duration) -> Result<TaskAnswer, McpFailure> {
        let params = GetTaskParams::new(id);
        let request = ClientRequest::GetTaskRequest(GetTaskRequest::new(params));
        let raw = self.ask_in_time(request, limit).await?;
        TaskAnswer::read(&raw, id)
    }

    /// Asks the server to cancel a task. Whether it does, the task's status tells.
    pub async fn cancel_task(&self, id: &str, limit: Duration) -> Result<(), McpFailure> {
        let params = CancelTaskParams::new(id);
        let request = ClientRequest::CancelTaskRequest(CancelTaskRequest::new(params));
        self.ask_in_time(request, limit).await.map(|_| ())
    }

    /// Sends a request and waits for its result, so long at most.
    pub(super) async fn ask_in_time(
        &self,
        request: ClientRequest,
        limit: Duration,
    ) -> Result<RawResult, McpFailure> {
        let answer = self.ask(request, self.endpoint.max_answer_bytes);
        let answer = tokio::time::timeout(limit, answer).await;
        answer.unwrap_or(Err(McpFailure::TooLate(limit)))
    }
}
