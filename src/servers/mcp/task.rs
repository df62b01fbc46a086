//! Answers to calls, and tasks: calls that a server answers with an id, and whose outcome is asked
//! for (`io.modelcontextprotocol/tasks`, SEP-2663).

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelTaskParams, CancelTaskRequest, ClientRequest, GetTaskParams, GetTaskRequest,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::CallResult;
use super::message::{RawResult, RpcError};
use super::{McpFailure, ServerSession, refusal_text, unexpected_answer};

/// The longest id of a task in bytes.
const MAX_ID_BYTES: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskReply {
    Done(CallResult),
    /// The server works on it, and its outcome can be asked for.
    Task(StartedTask),
}

impl TaskReply {
    pub(super) fn read(raw: &RawResult) -> Result<TaskReply, McpFailure> {
        match raw.kind().as_deref() {
            Some("task") => StartedTask::read(raw).map(TaskReply::Task),
            Some(_) | None => CallResult::read(raw).map(TaskReply::Done),
        }
    }

    /// The result of a call. That the server works on it instead is an error, because the caller
    /// did not offer to take that.
    pub(super) fn done(self) -> Result<CallResult, McpFailure> {
        match self {
            TaskReply::Done(result) => Ok(result),
            TaskReply::Task(_) => Err(unexpected_answer("tools/call")),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedTask {
    pub id: Arc<str>,
    /// The pause before the first question that the server asks for.
    pub poll_after: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskAnswer {
    /// It is not done. The server asks for this pause before the next question.
    Working(Option<Duration>),
    /// It waits for an answer of ours that we cannot give.
    WantsInput(Option<Duration>),
    Done(CallResult),
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

impl StartedTask {
    /// Reads the answer to a call. Without an id that can be kept, the outcome of the call stays
    /// unknown.
    pub(super) fn read(raw: &RawResult) -> Result<StartedTask, McpFailure> {
        let wire: WireTask<'_> = raw.read("tools/call")?;
        if wire.task_id.is_empty() || wire.task_id.len() > MAX_ID_BYTES {
            let text = "the server works on the call under an id that cannot be kept";
            return Err(McpFailure::Broken(text.to_string()));
        }
        Ok(StartedTask {
            poll_after: wire.pause(),
            id: wire.task_id.into(),
        })
    }
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
        let pause = wire.pause();
        match (&*wire.status, wire.result, wire.error) {
            ("working", ..) => Ok(TaskAnswer::Working(pause)),
            ("input_required", ..) => Ok(TaskAnswer::WantsInput(pause)),
            ("completed", Some(result), _) => {
                CallResult::read_text(result.get()).map(TaskAnswer::Done)
            }
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
