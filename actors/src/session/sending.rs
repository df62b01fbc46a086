//! Sends a call to the game server, and decides after a fault whether it can be sent again.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::domain::event::Activity;
use crate::domain::ids::{CallKey, Lane, MysisId, TurnRef};
use crate::domain::life::{CallOrder, ToolOutcome};
use crate::domain::message::CallStatus;
use crate::freeze::Departure;
use crate::ports::{CallContext, LinkAnswer, LinkCall, LinkFault, LinkReply, ServerTask};

use super::asking::CallQuestions;
use super::{GameSession, MAX_RENEWALS, NO_SERVER, Outlet, answer};

/// Why a call that may not leave was not executed.
pub(super) const STOPPED: &str = "the mysis was stopped";

impl GameSession {
    pub(super) async fn send_call(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &Outlet,
    ) -> ToolOutcome {
        match self.send_whole(order, arguments, outlet).await {
            Ok(answer) => answer.into(),
            Err(outcome) => outcome,
        }
    }

    /// Sends a call, or asks for the outcome of one that the server works on already. Opens the
    /// session again and waits as often as that is safe. Returns the outcome if there is no answer.
    pub(super) async fn send_whole(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &Outlet,
    ) -> Result<LinkAnswer, ToolOutcome> {
        let mut tries = CallTries {
            task: order.task.clone().map(ServerTask::left_behind),
            may_leave: false,
            renewals: 0,
            waits: self.rules.retry.clone().into_iter(),
        };
        loop {
            let answer = match tries.task.take() {
                Some(task) => {
                    // Sending it again needs a release, which also removes the stored id of the task.
                    tries.may_leave = false;
                    let frozen = self.frozen_time();
                    let followed = self.follow_task(&task, order, outlet).await;
                    self.frozen_in_flight += self.frozen_time().saturating_sub(frozen);
                    followed?
                }
                None => match self
                    .try_to_send(order, &arguments, &mut tries, outlet)
                    .await?
                {
                    Some(LinkReply::Answer(answer)) => answer,
                    Some(LinkReply::Task(task)) => {
                        if !outlet.keep_task(task.id.clone()).await {
                            return Err(unknown(STOPPED));
                        }
                        tries.task = Some(task);
                        continue;
                    }
                    None => continue,
                },
            };
            if answer::is_not_logged_in(&answer)
                && tries.renewals < MAX_RENEWALS
                && self.is_logged_in()
            {
                tries.renewals += 1;
                self.logged_out();
                continue;
            }
            return Ok(answer);
        }
    }

    /// Tries once to send a call. Returns `None` if it has to be tried again.
    async fn try_to_send(
        &mut self,
        order: &CallOrder,
        arguments: &Map<String, Value>,
        tries: &mut CallTries,
        outlet: &Outlet,
    ) -> Result<Option<LinkReply>, ToolOutcome> {
        if let Err(fault) = self.ensure_logged_in(outlet, true).await {
            if self.wait_out(&fault, outlet).await {
                return Ok(None);
            }
            let Some(wait) = tries.waits.next() else {
                return Err(not_executed(&fault.to_string()));
            };
            self.cool_down(&fault, wait, outlet).await;
            return Ok(None);
        }
        if let Some(refused) = self.refused_login() {
            let words = &refused.words;
            return Err(not_executed(&format!(
                "the game refuses the login: {words}"
            )));
        }
        let departure = self.depart(order, outlet).await;
        if !tries.may_leave && !outlet.await_release().await {
            return Err(not_executed(STOPPED));
        }
        tries.may_leave = true;
        let frozen = self.frozen_time();
        let sent = departure.begin(self.send_once(order, arguments.clone(), outlet));
        let sent = sent.await;
        self.frozen_in_flight += self.frozen_time().saturating_sub(frozen);
        self.report_call(&sent);
        let doubts = self.link.as_ref().is_some_and(|link| link.doubts_session());
        if doubts || matches!(sent, Err(LinkFault::AnswerLost(_))) {
            self.mark_unverified();
        }
        let fault = match sent {
            Ok(reply) => return Ok(Some(reply)),
            Err(fault) => fault,
        };
        match self.after_fault(fault, order.read_only, &mut tries.renewals) {
            AfterFault::Renew => self.close_session(),
            AfterFault::StandBy(back_in) => self.stand_by(back_in, outlet).await,
            AfterFault::GiveUp(outcome) => return Err(outcome),
            AfterFault::Wait(fault, otherwise) => {
                if let Some(wait) = tries.waits.next() {
                    self.cool_down(&fault, wait, outlet).await;
                    return Ok(None);
                }
                self.note_absence(&fault, outlet);
                if let Some(outcome) = otherwise {
                    return Err(outcome);
                }
                tries.waits = self.rules.retry.clone().into_iter();
            }
        }
        Ok(None)
    }

    /// Waits until a call may leave. Only then the caller marks the call as sent, and the activity shows
    /// the call again in place of an earlier wait.
    pub(super) async fn depart(&self, order: &CallOrder, outlet: &Outlet) -> Departure {
        let departure = match self.deps.freeze.try_depart() {
            Some(departure) => departure,
            None => {
                outlet.show(Activity::Queueing(Lane::Game));
                self.deps.freeze.depart().await
            }
        };
        let goes_on = Activity::CallingTool(order.tool.clone());
        outlet.show(goes_on);
        departure
    }

    /// Decides what to do after a fault. Only a call that was not executed, or only reads, is sent
    /// again.
    fn after_fault(&self, fault: LinkFault, read_only: bool, renewals: &mut u32) -> AfterFault {
        let text = fault.to_string();
        match fault {
            LinkFault::SessionLost(_) if *renewals < MAX_RENEWALS => {
                *renewals += 1;
                AfterFault::Renew
            }
            // Opening the session once more shows whether all access is refused, or this call alone.
            LinkFault::NoAccess(_) if *renewals == 0 => {
                *renewals += 1;
                AfterFault::Renew
            }
            LinkFault::Restarting { back_in } => AfterFault::StandBy(back_in),
            LinkFault::SessionLost(_) => AfterFault::GiveUp(not_executed(&text)),
            // The call was not executed. It is sent when the server is back.
            LinkFault::Unreachable(_) => AfterFault::Wait(fault, None),
            LinkFault::Limited { .. } => AfterFault::Wait(fault, Some(not_executed(&text))),
            LinkFault::NoAccess(_) | LinkFault::Refused(_) => {
                AfterFault::GiveUp(failed(&format!("refused: {text}")))
            }
            LinkFault::AnswerLost(_) if read_only => {
                AfterFault::Wait(fault, Some(failed(&format!("no answer: {text}"))))
            }
            LinkFault::AnswerLost(_) => {
                AfterFault::GiveUp(unknown(&format!("no answer came ({text})")))
            }
        }
    }

    async fn send_once(
        &self,
        order: &CallOrder,
        mut arguments: Map<String, Value>,
        outlet: &Outlet,
    ) -> Result<LinkReply, LinkFault> {
        self.give_session_id(&order.tool, &mut arguments);
        let turn = TurnRef {
            mysis: self.who,
            turn: order.turn,
        };
        let questions = CallQuestions::default();
        let mut context = CallContext::new(turn, order.key);
        context.asker = Some(self.asker(order, &questions, outlet));
        let call = LinkCall {
            tool: order.tool.clone(),
            arguments,
            call_id: call_name(self.who, order.key),
            timeout: self.rules.timeout,
            context: Some(context),
            takes_task: true,
        };
        let calls = &self.deps.calls;
        let mut reply = match &self.link {
            Some(link) => {
                let watched = calls.begin(Lane::Game, &order.tool, self.who);
                let reply = link.call(call).await;
                watched.end(reply.is_ok());
                reply
            }
            None => Err(LinkFault::Unreachable(NO_SERVER.to_string())),
        }?;
        questions.note_in(&mut reply, self.rules.answer_timeout);
        Ok(reply)
    }

    /// Sets the game's session id. The runtime's own is added if the tool takes one, and one that
    /// the model invented is removed.
    fn give_session_id(&self, tool: &str, arguments: &mut Map<String, Value>) {
        arguments.remove("session_id");
        let takes_one = || {
            self.tools
                .get(tool)
                .is_some_and(|tool| tool.schema.contains(r#""session_id""#))
        };
        if let Some(id) = &self.game_session
            && takes_one()
        {
            arguments.insert("session_id".to_string(), Value::String(id.clone()));
        }
    }
}

struct CallTries {
    task: Option<ServerTask>,
    may_leave: bool,
    /// How often the session was opened again.
    renewals: u32,
    waits: std::vec::IntoIter<Duration>,
}

/// The outcome of a call that came to nothing.
pub(super) fn failed(why: &str) -> ToolOutcome {
    ToolOutcome::new(CallStatus::Failed, format!("Error: {why}"))
}

pub(super) fn not_executed(why: &str) -> ToolOutcome {
    ToolOutcome::new(
        CallStatus::NotExecuted,
        format!("Error: not executed: {why}"),
    )
}

pub(super) fn unknown(why: &str) -> ToolOutcome {
    ToolOutcome::new(
        CallStatus::Unknown,
        format!(
            "outcome unknown: the call was sent and {why}. It may have been executed: look at the \
             game before you repeat it."
        ),
    )
}

enum AfterFault {
    /// Open the session and send again.
    Renew,
    /// Wait until the server is back.
    StandBy(Duration),
    /// Wait and send again. If no wait is left, this is the outcome, or the waits begin again.
    Wait(LinkFault, Option<ToolOutcome>),
    GiveUp(ToolOutcome),
}

/// Our id for a call. It is unique in the swarm for all time.
fn call_name(who: MysisId, key: CallKey) -> String {
    format!("{who}.{key}")
}
