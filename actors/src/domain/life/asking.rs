//! Model calls of a Mysis: its request, and what follows from the reply.

use std::sync::Arc;

use crate::bounds::{self, MAX_CALLS};
use crate::compose::{MIN_BUDGET_BYTES, note_allowance, wire_bytes};
use crate::event::{Activity, EventKind, TurnEvent};
use crate::ids::Seq;
use crate::message::{HostMeta, ReplyMeta, RowBody, Severity, Utterance, repeats_bridge};
use crate::model::{Charge, ModelAnswer, ModelFault, OthersGet, ReportedUse, RequestedCall};
use crate::record::Mission;
use crate::system_prompt::{PromptFacts, has_placeholder, identity, render_template, role_text};
use zoea_text::redact::hide_passwords;

use super::failing::Failed;
use super::input::{Effect, ModelQuery, TaskId};
use super::record::WriteDraft;
use super::trying::AskForm;
use super::{AfterRecording, Life, TurnStep};

/// So many answers in a row that are refused as a whole end a turn. Each is paid.
const MAX_REFUSALS: u8 = 3;

impl Life {
    /// Composes the request again for each attempt, so that a retry contains what came meanwhile.
    pub(super) fn ask_model(&mut self, attempt: u32) {
        if self.awaits_verdict() {
            return self.await_verdict(attempt);
        }
        if self.awaits_admission(attempt) {
            return;
        }
        self.ask_fixed_text_again();
        self.doubt_held_text();
        self.renew_tools_left_out();
        self.emit_small_context();
        self.emit_notices();
        let form = self.trials.form;
        let Some(turn) = self.stage.turn() else {
            return;
        };
        let begins_turn = turn.model_calls <= 1;
        let composed = self.compose_request(turn);
        self.note_what_is_known();
        let asked_bytes = wire_bytes(&composed.messages);
        let bytes = asked_bytes + self.session.offer.tools().bytes();
        if let Some(turn) = self.stage.turn_mut()
            && !form.is_bare()
        {
            turn.asked_bytes = asked_bytes;
        }
        let work = TaskId(self.next_stamp());
        self.set_step(TurnStep::Asking {
            work,
            attempt,
            seen_up_to: composed.seen_up_to,
            bytes: bytes as u64,
        });
        self.set_activity(Activity::CallingModel);
        let mut routes = self.model_routes();
        let (messages, tools) = self.in_form(composed.messages);
        if form != AskForm::Whole || self.trials.is_own_only {
            routes.truncate(1);
        }
        self.effects.push(Effect::Ask(ModelQuery {
            work,
            turn: self.turn,
            routes,
            is_bare: form.is_bare(),
            max_tokens: self.trials.max_tokens(),
            tokens: self.gauge.estimate_tokens(bytes as u64),
            limits: self.role().map(|role| role.budget).unwrap_or_default(),
            messages,
            tools,
            breakdown: composed.breakdown,
            is_urgent: self.conversation.unanswered_prompts().next().is_some(),
            begins_turn,
            is_last_try: self.retry_wait(attempt).is_none(),
        }));
    }

    /// The maximum bytes of the messages: the configured number, but no more than the model's
    /// context has left beside the tools, if its size is known.
    pub(super) fn request_budget(&self) -> usize {
        let configured = self.rules.context_budget;
        let known = [self.most_bytes, self.learnt_bytes()];
        let configured = known.into_iter().flatten().fold(configured, usize::min);
        let Some(context) = self
            .provider_rules()
            .and_then(|provider| provider.context_tokens)
        else {
            return configured;
        };
        let room = self
            .gauge
            .message_room(context, self.session.offer.tools().bytes() as u64);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        configured.min(room.max(MIN_BUDGET_BYTES))
    }

    /// The most bytes of a mission's earlier turns in a request.
    pub(super) fn earlier_bytes(&self) -> usize {
        self.rules.earlier_bytes(&self.profile.provider)
    }

    /// The template of the system prompt: the operator's, or that of the game.
    pub(super) fn prompt_template(&self) -> Arc<str> {
        let own = self.rules.system_prompt.clone();
        own.unwrap_or_else(|| self.session.game.shared_prompt())
    }

    /// The system prompt, what the role says, and who the Mysis is.
    pub(super) fn prompt_texts(
        &self,
        notices: &[String],
        budget: usize,
        mission: Option<&Mission>,
    ) -> [String; 3] {
        let template = &*self.prompt_template();
        let game_state = if has_placeholder(template, "game_state") {
            self.game_in_request()
                .summary(self.now, note_allowance(budget), |_| false)
        } else {
            String::new()
        };
        let facts = PromptFacts {
            game: self.session.game,
            name: &self.profile.name,
            account: self.session.account.as_deref(),
            mission: mission.map(|mission| &*mission.text),
            game_state: game_state.trim_start(),
            notices,
        };
        let texts = [
            render_template(template, &facts),
            role_text(self.role().map_or("", |role| &*role.prompt)),
            identity(template, &facts),
        ];
        texts.map(|text| self.redactor.clean(&text).into_owned())
    }

    pub(super) fn on_model_reply(
        &mut self,
        work: TaskId,
        provider: &Arc<str>,
        (result, others): (Result<ModelAnswer, ModelFault>, OthersGet),
        ms: u64,
    ) {
        let Some((attempt, seen_up_to, bytes)) = self.pending_request(work) else {
            return self.charge_late_answer(provider, &result);
        };
        self.figures.last_call_ms = Some(ms);
        if let Ok(answer) = &result
            && let Some(usage) = answer.usage
            && *provider == self.profile.provider
        {
            self.gauge.observe_request(bytes, usage.input);
        }
        match result {
            Ok(answer) if self.take_bare_answer(attempt, provider, &answer) => {}
            Ok(answer) => {
                self.learn_from_trial(provider);
                self.forget_routine_report();
                self.on_model_answer(seen_up_to, provider, answer, ms);
            }
            Err(fault) => {
                self.samples.count_failed_model_call();
                self.book_empty(provider, &fault);
                self.model_failed(&Failed {
                    attempt,
                    provider,
                    fault: &fault,
                    others,
                });
            }
        }
    }

    /// The request behind a reply; `None` if the Mysis no longer waits for it.
    pub(super) fn pending_request(&self, work: TaskId) -> Option<(u32, Seq, u64)> {
        let Some(TurnStep::Asking {
            work: current,
            attempt,
            seen_up_to,
            bytes,
        }) = self.stage.step()
        else {
            return None;
        };
        (*current == work).then_some((*attempt, *seen_up_to, *bytes))
    }

    /// Charges a reply that the Mysis no longer waits for: it was paid all the same.
    fn charge_late_answer(
        &mut self,
        provider: &Arc<str>,
        result: &Result<ModelAnswer, ModelFault>,
    ) {
        let reported = ReportedUse::of_result(result);
        let text = "an answer came after its turn had ended; it was dropped, and its cost counts";
        self.charge_with_notice(provider, reported, "late_answer", text);
    }

    /// Stores the charge of a model call as a notice, because no other row would contain it.
    pub(super) fn charge_with_notice(
        &mut self,
        provider: &Arc<str>,
        reported: ReportedUse,
        code: &'static str,
        text: &str,
    ) {
        let model = self.model_of(provider);
        let Some(bill) = self.rules.call_charge(provider, &model, reported) else {
            return;
        };
        self.count_usage(&bill);
        let mut draft = WriteDraft::default();
        let meta = HostMeta {
            severity: Severity::Info,
            code: code.into(),
            attempt: None,
            bill: Some(bill),
        };
        let text = text.into();
        self.append_row(&mut draft, RowBody::Host { text, meta });
        self.add_totals(&mut draft);
        self.record_draft(draft);
    }

    fn on_model_answer(
        &mut self,
        seen_up_to: Seq,
        provider: &Arc<str>,
        mut answer: ModelAnswer,
        ms: u64,
    ) {
        self.sent_notices.is_away = false;
        self.sent_notices.lacks_descriptor = false;
        self.emit_event(EventKind::Turn(TurnEvent::ModelReplied {
            usage: answer.usage,
            ms,
        }));
        let is_from_text = self.read_text_calls(provider, &mut answer);
        let asked = self.model_of(provider);
        let reported = ReportedUse::of_answer(&answer);
        let bill = self.rules.call_charge(provider, &asked, reported);
        if let Some(bill) = &bill {
            self.count_usage(bill);
        }
        let ModelAnswer {
            text,
            reasoning,
            calls,
            finish_reason,
            usage,
            stated_cost: _,
            model,
            doubt,
            refusal,
            echo,
            facts: _,
        } = answer;
        if let Some(doubt) = doubt {
            self.record_notice(Severity::Warn, "answer_doubted", &doubt);
        }
        let utterance = Utterance {
            text: text.into(),
            reasoning: reasoning
                .filter(|text| !text.trim().is_empty())
                .map(Into::into),
            seen_up_to,
            meta: ReplyMeta {
                usage,
                ms: Some(ms),
                model: model.filter(|it| **it != *asked).map_or(asked, Into::into),
                provider: provider.clone(),
                finish_reason: finish_reason.map(Into::into),
                cost_micros: bill.and_then(|bill| bill.cost_micros),
                echo: echo.filter(|echo| !echo.is_empty()).map(Arc::from),
                is_from_text,
            }
            .into(),
        };
        if calls.is_empty() {
            self.on_reply_text(utterance);
        } else {
            self.on_call_request(utterance, calls, refusal);
        }
    }

    fn count_usage(&mut self, bill: &Charge) {
        let totals = &mut self.figures.totals;
        totals.tokens_in = bounds::bounded_sum(totals.tokens_in, bill.usage.input);
        totals.tokens_out = bounds::bounded_sum(totals.tokens_out, bill.usage.output);
        totals.cost_micros = bounds::bounded_sum(totals.cost_micros, bill.cost_micros.unwrap_or(0));
    }

    /// Text without calls ends the turn, unless an order came that this reply cannot answer.
    fn on_reply_text(&mut self, utterance: Utterance) {
        let is_empty = utterance.text.trim().is_empty();
        let is_echo = repeats_bridge(&utterance.text);
        let seen_up_to = utterance.seen_up_to;
        let mut draft = WriteDraft::default();
        let overtaken = self
            .conversation
            .unanswered_prompts()
            .any(|order| order.seq > seen_up_to);
        let row = self.append_row(&mut draft, RowBody::Reply(utterance));
        if !is_echo {
            self.recent_activity.record_words(row.text());
        }
        self.note_words(&row);
        if is_empty {
            let text = "the model answered with nothing";
            self.add_host_notice(&mut draft, Severity::Warn, "empty_reply", text);
        }
        if is_echo {
            let text = "the model repeated words of the runtime: that is no answer";
            self.add_host_notice(&mut draft, Severity::Warn, "echoed_reply", text);
        }
        let then = if overtaken && self.may_ask_again() {
            AfterRecording::GoOn
        } else {
            self.figures.totals.turns += 1;
            draft.let_wait();
            AfterRecording::EndTurn
        };
        self.add_totals(&mut draft);
        self.set_activity(Activity::Recording);
        self.record_then(draft, then);
    }

    /// Stores the calls before any of them is made. With a refusal they are stored with their
    /// results, in one write, and none is made. A model that is refused again and again is not asked
    /// on in this turn.
    fn on_call_request(
        &mut self,
        utterance: Utterance,
        asked: Vec<RequestedCall>,
        refusal: Option<String>,
    ) {
        let (utterance, asked) = self.without_passwords(utterance, asked);
        let count = asked.len();
        // The first call beyond the limit is stored with a result that says so, for itself and all
        // after it.
        let calls = asked.into_iter().take(MAX_CALLS + 1);
        let mut calls: Vec<_> = calls.map(|call| self.recorded_call(call)).collect();
        // It stays as long as the row. Where one was asked for, there was room for four.
        calls.shrink_to_fit();
        let mut draft = WriteDraft::default();
        if count > MAX_CALLS {
            let text = format!(
                "the model asked for {count} calls at once: the first {MAX_CALLS} are made, and \
                 each of the others gets an error that says so"
            );
            self.add_host_notice(&mut draft, Severity::Warn, "too_many_calls", &text);
        }
        let row = self.append_row(&mut draft, RowBody::Call { utterance, calls });
        self.recent_activity.record_words(row.text());
        if let Some(why) = &refusal {
            self.answer_with_refusal(&mut draft, row.seq, &hide_passwords(why));
        }
        let mut then = AfterRecording::GoOn;
        if let Some(turn) = self.stage.turn_mut() {
            turn.called_tools |= refusal.is_none();
            turn.refusals = refusal.map_or(0, |_| turn.refusals + 1);
            turn.calls = self.conversation.open_calls().into();
            if turn.refusals >= MAX_REFUSALS {
                then = AfterRecording::EndTurn;
                self.figures.totals.turns += 1;
                draft.let_wait();
            }
        }
        self.add_totals(&mut draft);
        self.mark_next_call(&mut draft);
        self.set_activity(Activity::Recording);
        self.record_then(draft, then);
    }
}
