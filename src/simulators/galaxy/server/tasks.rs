//! Tasks: calls that are answered by an id at once, and whose outcome is asked for (SEP-2663).
//!
//! They are kept in memory: a galaxy that ends forgets them.

use parking_lot::Mutex;
use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::model::{
    CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use serde_json::{Value, json};
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::super::world::{GameAnswer, GameRefusal};

const TASK_AGE: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub(super) struct Tasks {
    /// The pause between two questions that clients are asked for.
    poll: Duration,
    table: Mutex<BTreeMap<String, TaskEntry>>,
}

#[derive(Debug)]
struct TaskEntry {
    created: Duration,
    task: Task,
    state: TaskState,
}

#[derive(Debug)]
enum TaskState {
    Working(oneshot::Receiver<GameAnswer>),
    Ended(TaskPayload),
}

impl Tasks {
    pub(super) fn new(tick: Duration) -> Self {
        Self {
            poll: (tick / 2).clamp(Duration::from_millis(10), Duration::from_secs(5)),
            table: Mutex::default(),
        }
    }

    pub(super) fn begin(
        &self,
        answer: oneshot::Receiver<GameAnswer>,
        now: Duration,
    ) -> CreateTaskResult {
        let written = written_now();
        let id = uuid::Uuid::new_v4().to_string();
        let age = u64::try_from(TASK_AGE.as_millis()).unwrap_or(u64::MAX);
        let poll = u64::try_from(self.poll.as_millis()).unwrap_or(u64::MAX);
        let task = Task::new(id.clone(), TaskStatus::Working, written.clone(), written)
            .with_ttl_ms(age)
            .with_poll_interval_ms(poll);
        let entry = TaskEntry {
            created: now,
            task: task.clone(),
            state: TaskState::Working(answer),
        };
        let mut table = self.table.lock();
        table.retain(|_, entry| now.saturating_sub(entry.created) < TASK_AGE);
        table.insert(id, entry);
        CreateTaskResult::new(task)
    }

    /// The state of a task; `None` if there is no such task.
    pub(super) fn look_up(&self, id: &str) -> Option<GetTaskResult> {
        let mut table = self.table.lock();
        let entry = table.get_mut(id)?;
        if let TaskState::Working(answer) = &mut entry.state {
            let payload = match answer.try_recv() {
                Err(TryRecvError::Empty) => None,
                Ok(answer) => Some(ended(answer)),
                Err(TryRecvError::Closed) => Some(TaskPayload::Failed {
                    error: object(json!({"code": -32603, "message": "the server is stopping"})),
                }),
            };
            if let Some(payload) = payload {
                entry.task.last_updated_at = written_now();
                entry.state = TaskState::Ended(payload);
            }
        }
        let payload = match &entry.state {
            TaskState::Working(_) => TaskPayload::Working,
            TaskState::Ended(payload) => payload.clone(),
        };
        Some(GetTaskResult::new(DetailedTask::new(
            entry.task.clone(),
            payload,
        )))
    }

    /// Whether there is such a task. The game takes no command back, so nothing is cancelled.
    pub(super) fn is_known(&self, id: &str) -> bool {
        self.table.lock().contains_key(id)
    }
}

pub(super) fn text_result(answer: Result<String, GameRefusal>) -> CallToolResult {
    let (text, is_error) = match answer {
        Ok(text) => (text, None),
        Err(refusal) => (format!("Error: {refusal}"), Some(true)),
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.is_error = is_error;
    result
}

fn ended(answer: GameAnswer) -> TaskPayload {
    let result = text_result(answer.map(|answer| answer.to_string()));
    let result = serde_json::to_value(result).unwrap_or_default();
    TaskPayload::Completed {
        result: object(result),
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}

fn written_now() -> String {
    let now: DateTime<Utc> = Utc::now();
    now.to_rfc3339_opts(SecondsFormat::Millis, true)
}
