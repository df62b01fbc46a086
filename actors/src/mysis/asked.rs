//! Questions that a server asks during a call: numbered, shown, and answered by the operator.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::domain::event::Activity;
use crate::domain::life::{LifeInput, ReplyId, TaskId};
use crate::domain::order::{CompletedAction, CompletedOrder, OrderRefusal};
use crate::domain::question::{Decision, Question};

use super::MysisState;

/// The questions to one Mysis' operator. One is open at a time.
#[derive(Default)]
pub(super) struct PutQuestions {
    /// The open one's number, and where its answer goes.
    open: Option<(u64, oneshot::Sender<Decision>)>,
    is_closed: bool,
}

impl PutQuestions {
    /// Leaves the open question without an answer, and all that come.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.open = None;
    }

    /// Forgets the open question, because the call has ended.
    pub(super) fn forget(&mut self) {
        self.open = None;
    }

    /// Gives the server an answer. Returns whether it still waits for it.
    fn answer(&mut self, number: u64, decision: Decision) -> bool {
        let open = self.open.take_if(|(open, _)| *open == number);
        open.is_some_and(|(_, answer)| answer.send(decision).is_ok())
    }
}

impl MysisState {
    /// Shows a question of the server. A closing program asks nobody.
    pub(super) fn on_question(
        &mut self,
        work: TaskId,
        mut question: Question,
        answer: oneshot::Sender<Decision>,
    ) {
        if self.questions.is_closed {
            return;
        }
        question.number = self.deps.session.questions.next();
        self.questions.open = Some((question.number, answer));
        let activity = Activity::Asked(Arc::new(question));
        self.handle_input(LifeInput::Progressed { work, activity });
    }

    /// Gives the server an answer, and tells the operator whether the server took it.
    pub(super) fn answer_question(&mut self, reply: ReplyId, number: u64, decision: Decision) {
        let action = match decision {
            Decision::Accept(_) => CompletedAction::Answered,
            Decision::Decline => CompletedAction::Declined,
            Decision::Cancel => CompletedAction::Cancelled,
        };
        let outcome = match self.questions.answer(number, decision) {
            true => Ok(CompletedOrder::Done(action)),
            false => Err(OrderRefusal::NoQuestion),
        };
        self.answer_order(reply, outcome);
    }
}
