//! Puts the questions that a server asks during a call to the operator, and tells the model where
//! nobody answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::domain::event::Activity;
use crate::domain::life::CallOrder;
use crate::domain::message::Severity;
use crate::domain::question::{Decision, Question};
use crate::domain::tool::command_of_call;
use crate::ports::{Asker, LinkReply};

use super::{GameSession, SessionEvent, SessionObserver};

pub type EventSender = Arc<dyn Fn(SessionEvent) + Send + Sync>;

/// Puts a question to the operator and brings the decision back; `None` if the program is closing.
pub type QuestionSender =
    Arc<dyn Fn(Question) -> BoxFuture<'static, Option<Decision>> + Send + Sync>;

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
    events: EventSender,
    command: Arc<str>,
    is_answered: bool,
}

impl Drop for ShownQuestion {
    fn drop(&mut self) {
        if !self.is_answered {
            let call = Activity::CallingTool(self.command.clone());
            (self.events)(SessionEvent::Progress(call));
        }
    }
}

impl GameSession {
    /// The way of a call's questions to the operator.
    pub(super) fn asker(
        &self,
        order: &CallOrder,
        questions: &CallQuestions,
        outlet: &dyn SessionObserver,
    ) -> Asker {
        let (put, events) = (outlet.question_sender(), outlet.event_sender());
        let command = command_of_call(&order.tool, &order.arguments);
        let limit = self.rules.answer_timeout;
        // The swarm's secrets are removed later; those of this session are known only here.
        let redactor = self.redactor.clone();
        let is_unanswered = questions.is_unanswered.clone();
        let freeze = self.deps.freeze.clone();
        Asker::new(move |mut question| {
            question.remove_secrets(&redactor);
            let (put, events) = (put.clone(), events.clone());
            let (command, is_unanswered) = (command.clone(), is_unanswered.clone());
            let freeze = freeze.clone();
            async move {
                let emit = |text: String| {
                    events(SessionEvent::Notice {
                        severity: Severity::Warn,
                        code: "server_asks",
                        text,
                    });
                };
                let server = question.server.clone();
                // A notice is stored. The address and the fields are shown only while it is open.
                emit(question.brief());
                let mut shown = ShownQuestion {
                    events: events.clone(),
                    command,
                    is_answered: false,
                };
                let decision = match freeze.within(limit, put(question)).await {
                    Some(Some(decision)) => {
                        shown.is_answered = true;
                        decision
                    }
                    // The program is closing.
                    Some(None) => Decision::Cancel,
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
