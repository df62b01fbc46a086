//! Asking the model: putting the question together, and what becomes of the answer.

use std::sync::Arc;

use crate::domain::books::Charge;
use crate::domain::bounds::{self, MAX_CALLS};
use crate::domain::compose::{Composition, SMALLEST_BUDGET, allowance, compose, wire_bytes};
use crate::domain::event::{Activity, EventKind};
use crate::domain::ids::Seq;
use crate::domain::message::{Body, Call, CallStatus, HostMeta, ReplyMeta, Severity, Utterance};
use crate::domain::model::{AskedCall, ChatMessage, ModelAnswer, ModelFault, Usage};
use crate::domain::system_prompt::{Facts, render};

use super::input::{Ask, Effect, Route, TaskId};
use super::record::Draft;
use super::{AfterRecording, Life, Stage, Step};

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
            now: self.both(),
            budget,
        });
        let asked_bytes = wire_bytes(&composed.messages);
        let bytes = asked_bytes + self.tools.bytes();
        if let Stage::InTurn { turn, .. } = &mut self.stage {
            turn.asked_bytes = asked_bytes;
        }
        let is_urgent = self.conversation.unanswered().next().is_some();
        let work = TaskId(self.stamp());
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
            routes: self.routes(),
            tokens: self.gauge.tokens(bytes as u64),
            messages,
            breakdown: composed.breakdown,
            is_urgent,
            is_last_try: self.retry_wait(attempt).is_none(),
        }));
    }

    /// Its own provider with its own model, then those that take over for it, with theirs. One that
    /// gets nowhere may ask another first.
    fn routes(&self) -> Vec<Route> {
        let mut routes: Vec<Route> = self.route_of_the_rung().into_iter().collect();
        for provider in self.rules.routes(&self.profile.provider) {
            if routes.iter().all(|route| route.provider != provider) {
                routes.push(self.route(provider));
            }
        }
        routes
    }

    /// The way to a provider.
    pub(super) fn route(&self, provider: Arc<str>) -> Route {
        let rules = self.rules.providers.get(&provider);
        let is_own = provider == self.profile.provider;
        Route {
            model: if is_own {
                self.model()
            } else {
                rules.map(|rules| rules.model.clone()).unwrap_or_default()
            },
            temperature: self
                .profile
                .temperature
                .or_else(|| rules.and_then(|rules| rules.temperature)),
            provider,
        }
    }

    /// Bytes that the messages may take: as configured, and no more than the model's context can
    /// hold beside the tools, where its size is known.
    fn budget(&self) -> usize {
        let configured = self.rules.context_budget;
        let configured = self
            .most_bytes
            .map_or(configured, |most| most.min(configured));
        let Some(context) = self.provider().and_then(|provider| provider.context_tokens) else {
            return configured;
        };
        let room = self.gauge.room(context, self.tools.bytes() as u64);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        configured.min(room.max(SMALLEST_BUDGET))
    }

    fn system_prompt(&self, notices: &[String], budget: usize) -> String {
        let game_state = if self.rules.system_prompt.contains("{{game_state}}") {
            self.game.summary(self.both(), allowance(budget), |_| false)
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

    /// The model answered, or did not.
    pub(super) fn replied(
        &mut self,
        work: TaskId,
        provider: &Arc<str>,
        result: Result<ModelAnswer, ModelFault>,
        ms: u64,
    ) {
        let Some((attempt, horizon, bytes)) = self.asked(work) else {
            return self.book_late(provider, &result);
        };
        self.last_call_ms = Some(ms);
        if let Ok(answer) = &result
            && let Some(usage) = answer.usage
            && *provider == self.profile.provider
        {
            self.gauge.learn(bytes, usage.input);
        }
        match result {
            Ok(answer) => self.model_answered(horizon, provider, answer, ms),
            Err(fault) => {
                self.book_empty(provider, &fault);
                self.model_failed(attempt, provider, fault);
            }
        }
    }

    /// What the question was, where it is the one that is waited for.
    pub(super) fn asked(&self, work: TaskId) -> Option<(u32, Seq, u64)> {
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
            return None;
        };
        (*current == work).then_some((*attempt, *horizon, *bytes))
    }

    /// An answer that nobody waits for any more was paid for all the same.
    fn book_late(&mut self, provider: &Arc<str>, result: &Result<ModelAnswer, ModelFault>) {
        let usage = match result {
            Ok(answer) => answer.usage,
            Err(fault) => fault.usage(),
        };
        let text = "an answer came when its turn was over; it was dropped, and counts";
        self.book_aside(provider, usage, "late_answer", text);
    }

    /// Books what a model call cost that leaves no other row behind.
    pub(super) fn book_aside(
        &mut self,
        provider: &Arc<str>,
        usage: Option<Usage>,
        code: &'static str,
        text: &str,
    ) {
        let Some(bill) = self.rules.bill(provider, usage) else {
            return;
        };
        self.count_usage(&bill);
        let mut draft = Draft::default();
        let meta = HostMeta {
            severity: Severity::Info,
            code: code.into(),
            attempt: None,
            bill: Some(bill),
        };
        let text = text.into();
        self.append(&mut draft, Body::Host { text, meta });
        self.totals_into(&mut draft);
        self.record(draft);
    }

    fn model_answered(&mut self, horizon: Seq, provider: &Arc<str>, answer: ModelAnswer, ms: u64) {
        self.told_away = false;
        self.told_no_descriptor = false;
        self.tell(EventKind::ModelReplied {
            usage: answer.usage,
            ms,
        });
        let bill = self.rules.bill(provider, answer.usage);
        if let Some(bill) = &bill {
            self.count_usage(bill);
        }
        let ModelAnswer {
            text,
            reasoning,
            calls,
            finish_reason,
            usage,
            model,
            doubt,
        } = answer;
        if let Some(doubt) = doubt {
            self.notice(Severity::Warn, "usage_doubted", None, &doubt);
        }
        let utterance = Utterance {
            text: text.into(),
            reasoning: reasoning
                .filter(|text| !text.trim().is_empty())
                .map(Into::into),
            horizon,
            meta: ReplyMeta {
                usage,
                ms,
                model: model.map_or_else(|| self.model_of(provider), Into::into),
                provider: provider.clone(),
                finish_reason: finish_reason.map(Into::into),
                cost_micros: bill.and_then(|bill| bill.cost_micros),
            },
        };
        if calls.is_empty() {
            self.said(utterance);
        } else {
            self.wants_calls(utterance, calls);
        }
    }

    /// The model that a provider was asked for.
    fn model_of(&self, provider: &Arc<str>) -> Arc<str> {
        let mut routes = self.routes().into_iter();
        let route = routes.find(|route| route.provider == *provider);
        route.map_or_else(|| self.model(), |route| route.model)
    }

    fn count_usage(&mut self, bill: &Charge) {
        let totals = &mut self.totals;
        totals.tokens_in = bounds::sum(totals.tokens_in, bill.usage.input);
        totals.tokens_out = bounds::sum(totals.tokens_out, bill.usage.output);
        totals.cost_micros = bounds::sum(totals.cost_micros, bill.cost_micros.unwrap_or(0));
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
            AfterRecording::GoOn
        } else {
            self.totals.turns += 1;
            AfterRecording::EndTurn
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
        let (utterance, asked) = self.without_passwords(utterance, asked);
        let count = asked.len();
        // The first that is not made tells the model so, in place of all the others.
        let calls = asked
            .into_iter()
            .take(MAX_CALLS + 1)
            .map(|call| self.recorded_call(call))
            .collect();
        let mut draft = Draft::default();
        if count > MAX_CALLS {
            let text = format!(
                "the model asked for {count} calls at once: the first {MAX_CALLS} are made, and it \
                 is told that the others are not"
            );
            self.host_into(&mut draft, Severity::Warn, "too_many_calls", None, &text);
        }
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
            then: AfterRecording::GoOn,
        });
    }

    fn recorded_call(&self, call: AskedCall) -> Call {
        let arguments = if call.arguments.trim().is_empty() {
            "{}".into()
        } else {
            call.arguments.into()
        };
        let meant = self.tools.meant(&call.name).map(|tool| tool.name.clone());
        let name = meant.unwrap_or_else(|| call.name.into());
        Call {
            id: call.id.into(),
            read_only: self.tools.is_read_only(&name),
            name,
            arguments,
            status: CallStatus::Recorded,
        }
    }
}
