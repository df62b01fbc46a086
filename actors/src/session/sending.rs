//! Sends a call to the game server, and decides after a fault whether it can be sent again.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::domain::ids::TurnRef;
use crate::domain::life::CallOrder;
use crate::domain::message::CallStatus;
use crate::ports::{CallContext, LinkAnswer, LinkCall, LinkFault};

use super::{
    GameSession, MAX_RENEWALS, SessionObserver, answer, answer_outcome, call_name, not_executed,
};

impl GameSession {
    /// Sends a call and returns its outcome.
    pub(super) async fn send_call(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        match self.send_whole(order, arguments, outlet).await {
            Ok(answer) => answer_outcome(answer),
            Err(outcome) => outcome,
        }
    }

    /// Sends a call. Opens the session again and waits as often as that is safe. Returns the
    /// outcome if there is no answer.
    pub(super) async fn send_whole(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn SessionObserver,
    ) -> Result<LinkAnswer, (String, CallStatus)> {
        let mut may_leave = false;
        let mut renewals = 0;
        let mut waits = self.rules.retry.clone().into_iter();
        loop {
            if let Err(fault) = self.ensure_logged_in(outlet, true).await {
                if self.wait_out(&fault, outlet).await {
                    continue;
                }
                let Some(wait) = waits.next() else {
                    return Err(not_executed(&fault.to_string()));
                };
                self.cool_down(&fault, wait, outlet).await;
                continue;
            }
            if !may_leave && !outlet.await_release().await {
                return Err(not_executed("the mysis was stopped"));
            }
            may_leave = true;
            let answer = self.send_once(order, arguments.clone()).await;
            let fault = match answer {
                Ok(answer)
                    if answer::is_not_logged_in(&answer)
                        && renewals < MAX_RENEWALS
                        && self.is_logged_in() =>
                {
                    renewals += 1;
                    self.logged_out();
                    continue;
                }
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            if matches!(fault, LinkFault::AnswerLost(_)) {
                self.mark_unverified();
            }
            match self.after_fault(fault, order.read_only, &mut renewals) {
                AfterFault::Renew => self.close_session(),
                AfterFault::StandBy(back_in) => self.stand_by(back_in, outlet).await,
                AfterFault::GiveUp(outcome) => return Err(outcome),
                AfterFault::Wait(fault, otherwise) => {
                    if let Some(wait) = waits.next() {
                        self.cool_down(&fault, wait, outlet).await;
                        continue;
                    }
                    self.note_absence(&fault, outlet);
                    if let Some(outcome) = otherwise {
                        return Err(outcome);
                    }
                    waits = self.rules.retry.clone().into_iter();
                }
            }
        }
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
            // Opening the session again shows whether all access is refused, or this call alone.
            LinkFault::NoAccess(_) if *renewals < MAX_RENEWALS => {
                *renewals += 1;
                AfterFault::Renew
            }
            LinkFault::Restarting { back_in } => AfterFault::StandBy(back_in),
            LinkFault::SessionLost(_) => AfterFault::GiveUp(not_executed(&text)),
            // The call was not executed. It is sent when the server is back.
            LinkFault::Unreachable(_) => AfterFault::Wait(fault, None),
            LinkFault::Limited { .. } => AfterFault::Wait(fault, Some(not_executed(&text))),
            LinkFault::NoAccess(_) | LinkFault::Refused(_) => {
                AfterFault::GiveUp((format!("Error: refused: {text}"), CallStatus::Failed))
            }
            LinkFault::AnswerLost(_) if read_only => {
                let outcome = (format!("Error: no answer: {text}"), CallStatus::Failed);
                AfterFault::Wait(fault, Some(outcome))
            }
            LinkFault::AnswerLost(_) => AfterFault::GiveUp((
                format!(
                    "outcome unknown: the call was sent and no answer came ({text}). It may have \
                     been executed: look at the game before you repeat it."
                ),
                CallStatus::Unknown,
            )),
        }
    }

    async fn send_once(
        &self,
        order: &CallOrder,
        mut arguments: Map<String, Value>,
    ) -> Result<LinkAnswer, LinkFault> {
        self.give_session_id(&order.tool, &mut arguments);
        let turn = TurnRef {
            mysis: self.who,
            turn: order.turn,
        };
        let call = LinkCall {
            tool: order.tool.clone(),
            arguments,
            call_id: call_name(self.who, order.key),
            timeout: self.rules.timeout,
            context: Some(CallContext::new(turn, order.key)),
        };
        match &self.link {
            Some(link) => link.call(call).await,
            None => Err(LinkFault::Unreachable(
                "there is no game server in the configuration".to_string(),
            )),
        }
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

/// What to do after a fault.
enum AfterFault {
    /// Open the session and send again.
    Renew,
    /// Wait until the server is back.
    StandBy(Duration),
    /// Wait and send again. If no wait is left, this is the outcome, or the waits begin again.
    Wait(LinkFault, Option<(String, CallStatus)>),
    /// Return this outcome.
    GiveUp((String, CallStatus)),
}
