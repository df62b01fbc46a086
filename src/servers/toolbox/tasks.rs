//! Questions about the tasks of a server, and its news in the words of the port.

use std::time::Duration;

use actors::domain::bounds::{self, MAX_REFUSAL_BYTES};
use actors::ports::{LinkFault, TaskNews};
use zoea_mcp::{ServerSession, TaskAnswer};

use super::{failure, link_answer};

const TASK_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn ask(session: &ServerSession, id: &str) -> Result<TaskNews, LinkFault> {
    let answer = session.task(id, TASK_TIMEOUT).await;
    answer.map(task_news).or_else(failure::task_fault)
}

pub(super) async fn cancel(session: &ServerSession, id: &str) -> Result<(), LinkFault> {
    let cancelled = session.cancel_task(id, TASK_TIMEOUT).await;
    cancelled.map_err(failure::call_fault)
}

fn task_news(answer: TaskAnswer) -> TaskNews {
    match answer {
        TaskAnswer::Working(pause) => TaskNews::Working(pause),
        TaskAnswer::WantsInput(_) => TaskNews::WantsInput,
        TaskAnswer::Done(result) => TaskNews::Done(link_answer(result)),
        TaskAnswer::Refused(code, text) => {
            let is_open = code.is_some_and(|code| failure::leaves_open(code, &text));
            let text = bounds::bounded_text(text, MAX_REFUSAL_BYTES);
            match is_open {
                true => TaskNews::Unknown(text),
                false => TaskNews::Failed(text),
            }
        }
        TaskAnswer::Cancelled => TaskNews::Cancelled,
    }
}
