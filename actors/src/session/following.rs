//! Follows a call that the server works on: asks for its outcome until there is one.
//!
//! The server's id is stored before the first question, so another process can go on asking.

use std::time::Duration;

use crate::domain::event::Activity;
use crate::domain::life::{CallOrder, ToolOutcome};
use crate::ports::{LinkAnswer, LinkFault, ServerTask, TaskNews};

use super::sending::{failed, unknown};
use super::{GameSession, NO_SERVER, Outlet, in_time};

/// The pause between two questions, if the server names none.
const POLL_PAUSE: Duration = Duration::from_secs(1);
/// The shortest and the longest pause that a server can ask for.
const MIN_POLL_PAUSE: Duration = Duration::from_millis(50);
const MAX_POLL_PAUSE: Duration = Duration::from_secs(30);
const CANCEL_PAUSE: Duration = Duration::from_millis(500);

/// Whether the server is away after a failed question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absence {
    Away,
    Answers,
}

impl ServerTask {
    /// A task that an earlier process left. Its outcome may be there, so it is asked for at once.
    pub(super) fn left_behind(id: std::sync::Arc<str>) -> ServerTask {
        ServerTask {
            id,
            poll_after: Some(Duration::ZERO),
        }
    }
}

impl GameSession {
    /// Asks for the outcome of a task until there is one. Pauses are the server's, within bounds.
    /// They may add up to the time limit of a call; the time for which the server is away or the
    /// swarm is frozen does not count.
    pub(super) async fn follow_task(
        &mut self,
        task: &ServerTask,
        order: &CallOrder,
        outlet: &Outlet,
    ) -> Result<LinkAnswer, ToolOutcome> {
        let mut pause = task.poll_after;
        let mut waited = Duration::ZERO;
        while waited < self.rules.timeout {
            let began = self.deps.clock.moment();
            let frozen = self.frozen_time();
            let wait = pause.unwrap_or(POLL_PAUSE);
            let wait = wait.clamp(MIN_POLL_PAUSE, MAX_POLL_PAUSE);
            tokio::time::sleep(wait).await;
            let failed = match self.ask_task(task).await {
                Ok(TaskNews::Working(next)) => {
                    pause = next.or(pause);
                    None
                }
                Ok(TaskNews::WantsInput) => {
                    let why = "the server asked for input that the program cannot give";
                    return self.end_task(task, order, why).await;
                }
                Ok(TaskNews::Done(answer)) => return Ok(answer),
                Ok(TaskNews::Failed(text)) => return Err(failed(&format!("failed: {text}"))),
                Ok(TaskNews::Cancelled) => return Err(cancelled("it was asked to", order)),
                Ok(TaskNews::Unknown(text)) if order.read_only => {
                    return Err(failed(&format!("no answer: {text}")));
                }
                Ok(TaskNews::Unknown(text)) => return Err(unknown(&text)),
                Err(fault) => {
                    pause = None;
                    Some(self.wait_to_ask(&fault, outlet).await)
                }
            };
            if failed != Some(Absence::Away) {
                let took = self.deps.clock.moment().since(began);
                waited += wait
                    .max(took)
                    .saturating_sub(self.frozen_time().saturating_sub(frozen));
            }
            if failed.is_some() {
                // The server may be away, or the swarm frozen, for as long as this takes. A login that the
                // game refuses is not waited for: the session alone tells of a task.
                self.prepare_for_call(outlet).await;
                let goes_on = Activity::CallingTool(order.tool.clone());
                outlet.show(goes_on);
            }
        }
        let limit = self.rules.timeout;
        let why = format!("the server was not done with it within {limit:?}");
        self.end_task(task, order, &why).await
    }

    async fn ask_task(&self, task: &ServerTask) -> Result<TaskNews, LinkFault> {
        match &self.link {
            Some(link) => in_time(link.ask_task(task.id.clone())).await,
            None => Ok(TaskNews::Unknown(NO_SERVER.to_string())),
        }
    }

    /// Waits as a failed question, which changed nothing, asks for.
    async fn wait_to_ask(&mut self, fault: &LinkFault, outlet: &Outlet) -> Absence {
        match fault {
            LinkFault::Unreachable(_) => {
                self.note_absence(fault, outlet);
                Absence::Away
            }
            LinkFault::Restarting { back_in } => {
                self.stand_by(*back_in, outlet).await;
                Absence::Away
            }
            LinkFault::NoAccess(_) => {
                self.close_session();
                Absence::Away
            }
            LinkFault::SessionLost(_) => {
                self.close_session();
                Absence::Answers
            }
            LinkFault::Limited { .. } | LinkFault::AnswerLost(_) | LinkFault::Refused(_) => {
                self.cool_down(fault, POLL_PAUSE, outlet).await;
                Absence::Answers
            }
        }
    }

    /// Has a task cancelled that cannot come to an end, and looks once more. While the swarm is
    /// frozen, that waits.
    async fn end_task(
        &mut self,
        task: &ServerTask,
        order: &CallOrder,
        why: &str,
    ) -> Result<LinkAnswer, ToolOutcome> {
        if let Some(link) = self.link.clone() {
            // If that fails, the question shows it.
            let _ = self.reach(link.cancel_task(task.id.clone())).await;
            tokio::time::sleep(CANCEL_PAUSE).await;
        }
        match self.ask_task(task).await {
            Ok(TaskNews::Done(answer)) => Ok(answer),
            Ok(TaskNews::Failed(text)) => Err(failed(&format!("failed: {text}"))),
            Ok(TaskNews::Cancelled) => Err(cancelled(why, order)),
            Ok(TaskNews::Working(_) | TaskNews::WantsInput | TaskNews::Unknown(_)) | Err(_) => {
                Err(unknown(why))
            }
        }
    }
}

fn cancelled(why: &str, order: &CallOrder) -> ToolOutcome {
    let why = format!("the server broke this call off, because {why}");
    match order.read_only {
        true => failed(&format!("cancelled: {why}")),
        false => unknown(&why),
    }
}
