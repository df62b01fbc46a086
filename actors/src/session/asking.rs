//! Puts the questions that a server asks during a call to the operator, and tells the model where
//! nobody answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::oneshot;

use crate::domain::event::Activity;
use crate::domain::life::{CallOrder, LifeInput};
use crate::domain::message::Severity;
use crate::domain::question::Decision;
use crate::domain::tool::command_of_call;
use crate::ports::{Asker, LinkReply};
use crate::telling::TellParent;

use super::{GameSession, Outlet, SessionEvent};

/// Numbers for the questions of servers to the swarm, from 1 on. They outlive a Mysis' actor, so that
/// an answer to a question of its last life does not meet one of the next. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct QuestionNumbers(Arc<AtomicU64>);

impl QuestionNumbers {
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

#[derive(Clone, Default)]
pub(super) struct CallQuestions {
    is_unanswered: Arc<AtomicBool>,
}

/// A question while it is shown. Where it ends without an answer, the call is shown again.
struct ShownQuestion {
    tell: TellParent<SessionEvent>,
    command: Arc<str>,
    is_answered: bool,
}

impl Drop for ShownQuestion {
    fn drop(&mut self) {
        if !self.is_answered {
            let call = Activity::CallingTool(self.command.clone());
            (self.tell)(SessionEvent::Shows(call));
        }
    }
}

impl GameSession {
    /// The way of a call's questions to the operator.
    pub(super) fn asker(
        &self,
        order: &CallOrder,
        questions: &CallQuestions,
        outlet: &Outlet,
    ) -> Asker {
        let tell = outlet.sender();
        let command = command_of_call(&order.tool, &order.arguments);
        let limit = self.rules.answer_timeout;
        // The swarm's secrets are removed later; those of this session are known only here.
        let redactor = self.redactor.clone();
        let is_unanswered = questions.is_unanswered.clone();
        let freeze = self.deps.freeze.clone();
        Asker::new(move |mut question| {
            question.remove_secrets(&redactor);
            let tell = tell.clone();
            let (command, is_unanswered) = (command.clone(), is_unanswered.clone());
            let freeze = freeze.clone();
            async move {
                let emit = |text: String| {
                    let notice = LifeInput::Noticed {
                        severity: Severity::Warn,
                        code: "server_asks",
                        text,
                    };
                    tell(SessionEvent::Told(Box::new(notice)));
                };
                let server = question.server.clone();
                // A notice is stored. The address and the fields are shown only while it is open.
                emit(question.brief());
                let mut shown = ShownQuestion {
                    tell: tell.clone(),
                    command,
                    is_answered: false,
                };
                let (answer, answered) = oneshot::channel();
                tell(SessionEvent::Asked(Box::new(question), answer));
                let decision = match freeze.within(limit, answered).await {
                    Some(Ok(decision)) => {
                        shown.is_answered = true;
                        decision
                    }
                    // The program is closing.
                    Some(Err(_)) => Decision::Cancel,
                    None => {
                        is_unanswered.store(true, Ordering::Relaxed);
                        emit(format!(
                            "{server} had no answer to its question within {limit:?}, and was told \
                             that it is cancelled"
                        ));
                        Decision::Cancel
                    }
                };
                // It leaves for the server as a request or with the call, which is sent again.
                freeze.thawed().await;
                decision
            }
            .boxed()
        })
    }
}

impl CallQuestions {
    /// Tells the model in the answer of a call that a question had no answer.
    pub(super) fn note_in(&self, reply: &mut LinkReply, limit: Duration) {
        if let LinkReply::Answer(answer) = reply
            && self.is_unanswered.load(Ordering::Relaxed)
        {
            answer.text += &format!(
                "\n(During this call the server asked the operator a question. The operator did not \
                 answer within {limit:?}, so the question was cancelled.)"
            );
        }
    }
}
