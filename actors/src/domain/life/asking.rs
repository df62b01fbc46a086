//! Asking the model: putting the question together, and what becomes of the answer.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::compose::{Composition, SMALLEST_BUDGET, allowance, compose, wire_bytes};
use crate::domain::event::{Activity, What};
use crate::domain::fault::FaultKind;
use crate::domain::ids::Seq;
use crate::domain::message::{Body, Call, CallStatus, ReplyMeta, Severity, Utterance};
use crate::domain::model::{AskedCall, ChatMessage, ModelAnswer, ModelFault};
use crate::domain::system_prompt::{Facts, render};

use super::record::Draft;
use super::words::{Alarm, Ask, Effect, Work};
use super::{Life, Stage, Step, Then};

/// The longest a provider's Retry-After is obeyed.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

impl Life {
    /// Puts the question together anew each time, so that a retry holds what came meanwhile.
    pub(super) fn ask(&mut self, attempt: u32) {
        let notices = self.system_notices();
        let budget = self.budget();
        let Stage::InTurn { turn, .. } = &self.stage else {
            return;
        };
        let template = &self.rules.system_prompt;
        let told_in_prompt = |mark: &str| template.contains(mark);
        let composed = compose(&Composition {
            system: &self.system_prompt(&notices, budget),
            conversation: &self.conversation,
            owner: &turn.owner,
            turn: self.turn,
            continuation: &turn.continuation,
            notices: if told_in_prompt("{{notices}}") {
                &[]
            } else {
                &notices
            },
            game: (!told_in_prompt("{{game_state}}")).then_some(&self.game),
            now: self.now,
            budget,
        });
        let bytes = wire_bytes(&composed.messages) + self.tools.bytes();
        let is_urgent = self.conversation.unanswered().next().is_some();
        let work = Work(self.stamp());
        self.step(Step::Asking {
            work,
            attempt,
            horizon: composed.horizon,
            bytes: bytes as u64,
        });
        self.doing(Activity::CallingModel);
        let messages: Arc<[ChatMessage]> = composed.messages.into();
        self.effects.push(Effect::Ask(Ask {
            work,
            provider: self.profile.provider.clone(),
            model: self.model(),
            temperature: self.temperature(),
            messages,
            is_urgent,
        }));
    }

    /// Bytes that the messages may take: as configured, and no more than the model's context can
    /// hold beside the tools, where its size is known.
    fn budget(&self) -> usize {
        let configured = self.rules.context_budget;
        let Some(context) = self.provider().and_then(|provider| provider.context_tokens) else {
            return configured;
        };
        let room = self.gauge.room(context, self.tools.bytes() as u64);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        configured.min(room.max(SMALLEST_BUDGET))
    }

    fn system_prompt(&self, notices: &[String], budget: usize) -> String {
        let game_state = if self.rules.system_prompt.contains("{{game_state}}") {
            self.game.summary(self.now, allowance(budget), |_| false)
        } else {
            String::new()
        };
        let facts = Facts {
            name: &self.profile.name,
            account: self.account.as_deref(),
            mission: self.mission.as_ref().map(|mission| &*mission.text),
            game_state: game_state.trim_start(),
            notices,
        };
        self.redactor
            .clean(&render(&self.rules.system_prompt, &facts))
            .into_owned()
    }

    /// The model could not be asked, or its answer could not be had.
    fn model_failed(&mut self, attempt: u32, fault: ModelFault) {
        let (text, retry_after) = match fault {
            ModelFault::Permanent { text } => return self.fail(FaultKind::Permanent, text),
            ModelFault::Transient { text, retry_after } => (text, retry_after),
        };
        let waits = self.provider().map_or(&[][..], |rules| &rules.retry);
        let place = usize::try_from(attempt).unwrap_or(usize::MAX);
        let Some(wait) = waits.get(place).copied() else {
            return self.fail(FaultKind::Transient, text);
        };
        let tries = waits.len();
        let after = retry_after.map_or(wait, |asked| asked.min(LONGEST_RETRY_AFTER));
        let attempt = attempt + 1;
        let notice = format!("{text}; retry {attempt} of {tries} in {after:?}");
        self.notice(Severity::Warn, "retry", Some(attempt), &notice);
        let alarm = Alarm(self.stamp());
        self.step(Step::CoolingDown { alarm, attempt });
        let until = Some(self.now.plus(after));
        self.doing_until(Activity::CoolingDown(text.as_str().into()), until);
        self.effects.push(Effect::Wake {
            alarm,
            after,
            jitter: true,
        });
    }

    /// The model answered, or did not.
    pub(super) fn replied(&mut self, work: Work, result: Result<ModelAnswer, ModelFault>, ms: u64) {
        let Stage::InTurn {
            step:
                Step::Asking {
                    work: current,
                    attempt,
                    horizon,
                    bytes,
                },
            ..
        } = &self.stage
        else {
            return;
        };
        if *current != work {
            return;
        }
        let (attempt, horizon, bytes) = (*attempt, *horizon, *bytes);
        self.last_call_ms = Some(ms);
        if let Ok(answer) = &result
            && let Some(usage) = answer.usage
        {
            self.gauge.learn(bytes, usage.input);
        }
        match result {
            Ok(answer) => self.model_answered(horizon, answer, ms),
            Err(fault) => self.model_failed(attempt, fault),
        }
    }

    fn model_answered(&mut self, horizon: Seq, answer: ModelAnswer, ms: u64) {
        self.tell(What::ModelReplied {
            usage: answer.usage,
            ms,
        });
        self.count_usage(&answer);
        let ModelAnswer {
            text,
            reasoning,
            calls,
            finish_reason,
            usage,
            model,
        } = answer;
        let utterance = Utterance {
            text: text.into(),
            reasoning: reasoning
                .filter(|text| !text.trim().is_empty())
                .map(Into::into),
            horizon,
            meta: ReplyMeta {
                usage,
                ms,
                model: model.map_or_else(|| self.model(), Into::into),
                provider: self.profile.provider.clone(),
                finish_reason: finish_reason.map(Into::into),
            },
        };
        if calls.is_empty() {
            self.said(utterance);
        } else {
            self.wants_calls(utterance, calls);
        }
    }

    fn count_usage(&mut self, answer: &ModelAnswer) {
        let Some(usage) = answer.usage else {
            return;
        };
        self.totals.tokens_in += usage.input;
        self.totals.tokens_out += usage.output;
        if let Some(price) = self.provider().and_then(|provider| provider.price) {
            self.totals.cost_micros += price.micros(usage);
        }
    }

    /// Words end the turn, unless an order came that they cannot answer.
    fn said(&mut self, utterance: Utterance) {
        let is_empty = utterance.text.trim().is_empty();
        let horizon = utterance.horizon;
        let mut draft = Draft::default();
        let overtaken = self
            .conversation
            .unanswered()
            .any(|order| order.seq > horizon);
        let row = self.append(&mut draft, Body::Reply(utterance));
        self.deeds.said(row.text());
        if is_empty {
            let text = "the model answered with nothing";
            self.host_into(&mut draft, Severity::Warn, "empty_reply", None, text);
        }
        let then = if overtaken && self.may_ask_again() {
            Then::GoOn
        } else {
            self.totals.turns += 1;
            Then::EndTurn
        };
        self.totals_into(&mut draft);
        self.doing(Activity::Recording);
        let ticket = self.record(draft);
        debug_assert!(row.utterance().is_some(), "a reply was appended");
        self.step(Step::Recording { ticket, then });
    }

    fn may_ask_again(&self) -> bool {
        match &self.stage {
            Stage::InTurn { turn, .. } => turn.model_calls < self.rules.max_model_calls,
            Stage::Idle | Stage::Pausing { .. } | Stage::Stopped | Stage::Errored(_) => false,
        }
    }

    /// Calls are recorded before anything is done about them.
    fn wants_calls(&mut self, utterance: Utterance, asked: Vec<AskedCall>) {
        let calls = asked
            .into_iter()
            .map(|call| self.recorded_call(call))
            .collect();
        let mut draft = Draft::default();
        let row = self.append(&mut draft, Body::Call { utterance, calls });
        self.deeds.said(row.text());
        self.totals_into(&mut draft);
        if let Stage::InTurn { turn, .. } = &mut self.stage {
            turn.called_tools = true;
            turn.calls = self.conversation.open_calls().into();
        }
        self.doing(Activity::Recording);
        let ticket = self.record(draft);
        self.step(Step::Recording {
            ticket,
            then: Then::GoOn,
        });
    }

    fn recorded_call(&self, call: AskedCall) -> Call {
        let arguments = if call.arguments.trim().is_empty() {
            "{}".into()
        } else {
            call.arguments.into()
        };
        Call {
            id: call.id.into(),
            read_only: self.tools.is_read_only(&call.name),
            name: call.name.into(),
            arguments,
            status: CallStatus::Recorded,
        }
    }
}
