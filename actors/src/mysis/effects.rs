//! Carries out the effects of the life, in order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tracing::Span;

use crate::domain::compose::{message_bytes, wire_bytes};
use crate::domain::event::{EventKind, MysisReport, SwarmEvent};
use crate::domain::life::{AlarmId, Effect, LifeInput, ModelQuery, ReplyId, TaskId, WriteId};
use crate::domain::model::ChatMessage;
use crate::domain::order::OrderResult;
use crate::domain::write::{Author, Batch, Write};
use crate::session::GameSession;
use crate::store::Urgency;
use crate::telling::spawn_job;
use crate::timer::set_timer;

use super::work::ModelCaller;
use super::{MysisMsg, MysisPhase, MysisState, work};

const WAIT_COUNTED_AFTER: Duration = Duration::from_secs(60);

impl MysisState {
    pub(super) fn handle_input(&mut self, input: LifeInput) {
        let now = self.deps.session.clock.both_clocks();
        let (MysisPhase::Living(life) | MysisPhase::Resting(life)) = &mut self.phase else {
            return;
        };
        self.active_at = now.moment;
        // The life must know the newest secrets before it produces texts.
        life.set_redactor(self.deps.session.secrets.redactor());
        life.set_held(self.deps.session.held.now());
        life.set_lists(self.deps.lists.renewed(now.moment));
        let freeze = &self.deps.session.freeze;
        life.set_frozen_ms(freeze.frozen_ms(now.moment));
        life.set_frozen(freeze.frozen_since().is_some());
        let effects = life.handle(input, now);
        self.carry_out(effects);
    }

    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Record {
                    write_id,
                    writes,
                    can_wait,
                } => self.queue_writes((write_id, can_wait), writes),
                Effect::Ask(ask) => self.ask_model(ask),
                Effect::Call(order) => {
                    let session = self.take_session();
                    self.work = Some(work::spawn_call(&self.myself, session, order));
                }
                Effect::Release { work } => self.release_call(work),
                Effect::AnswerQuestion {
                    reply,
                    question,
                    decision,
                } => self.answer_question(reply, question, decision),
                Effect::HeldBack(change) => {
                    let (by, now) = (self.who.id, self.deps.session.clock.moment());
                    let held = &self.deps.session.held;
                    held.change(|held| held.apply(change, by, now));
                }
                Effect::ToolNews(key, news) => {
                    let now = self.deps.session.clock.moment();
                    self.deps.lists.take(key, news, now);
                }
                Effect::CancelTask(task) => {
                    let link = self.deps.upstream.link(self.who.id);
                    self.own_task(work::spawn_cancel(
                        link,
                        task,
                        self.deps.session.freeze.clone(),
                    ));
                }
                Effect::Abort => {
                    self.work = None;
                    self.awaiting_release = None;
                    self.questions.forget();
                }
                Effect::Wake {
                    alarm,
                    after,
                    jitter,
                } => self.set_alarm(alarm, after, jitter),
                Effect::Answer { reply, answer } => self.answer_order(reply, answer),
                Effect::Emit(what) => self.emit_event(what),
                Effect::Leave => self.is_leaving = true,
            }
        }
        self.let_go();
        self.emit_status();
        self.send_records();
        self.count_wait_later();
        self.rest_later();
        if self.is_leaving && self.sending.is_none() {
            self.myself.stop(None);
        }
    }

    fn ask_model(&mut self, ask: ModelQuery) {
        let span = self.request_span(&ask);
        let session = self.take_session();
        let question = ModelCaller {
            mysis: self.myself.clone(),
            deps: self.deps.clone(),
            rules: self.rules.clone(),
            payer: self.who.id,
            span,
        };
        self.work = Some(work::spawn_ask(question, session, ask));
    }

    /// Queues a batch for the Store. The first batch for an order of another process also marks that
    /// order as done.
    fn queue_writes(&mut self, (write_id, can_wait): (WriteId, bool), mut writes: Vec<Write>) {
        let mysis = self.who.id;
        let done = self.ticket.take();
        self.is_outbox_urgent |= !can_wait;
        writes.extend(done.map(|order| Write::OrderDone { mysis, order }));
        self.outbox.push_back((write_id, writes));
    }

    /// Sets a timer that counts each minute in which the Mysis is held up. Without it, a Mysis that gets
    /// no input for hours would count nothing.
    fn count_wait_later(&mut self) {
        let MysisPhase::Living(life) = &self.phase else {
            return;
        };
        if life.is_held_up() && self.wait_timer.is_none() {
            let timer = set_timer(&self.myself, WAIT_COUNTED_AFTER, || MysisMsg::StillWaiting);
            self.wait_timer = Some(timer);
        }
    }

    /// A span that describes the request for the log. It contains what is fixed before sending: the
    /// Mysis, and the bytes by kind and by source.
    fn request_span(&self, ask: &ModelQuery) -> Span {
        let kinds = &ask.breakdown;
        let span = tracing::debug_span!(
            "model_request",
            mysis = %self.who.name,
            operator = kinds.of_operator(),
            notes = kinds.notes,
            prompts = kinds.prompts,
            missions = kinds.missions,
            peers = kinds.peers,
            runtime = kinds.of_runtime(),
            system_prompt = kinds.system_prompt,
            nudges = kinds.nudges,
            continuations = kinds.continuations,
            runtime_note = kinds.runtime_note,
            model = kinds.of_model(),
            replies = kinds.replies,
            calls = kinds.calls,
            results = kinds.results,
            reasoning_left_out = kinds.reasoning_left_out,
        );
        if !span.is_disabled() {
            let bytes = wire_bytes(&ask.messages);
            let of = |is_asked: fn(&ChatMessage) -> bool| -> usize {
                let asked = ask.messages.iter().filter(|message| is_asked(message));
                asked.map(message_bytes).sum()
            };
            span.in_scope(|| {
                tracing::debug!(
                    messages = ask.messages.len(),
                    bytes,
                    // An estimate, for logs only.
                    tokens = bytes / 4,
                    system = of(|message| matches!(message, ChatMessage::System(_))),
                    user = of(|message| matches!(message, ChatMessage::User(_))),
                    assistant = of(|message| matches!(message, ChatMessage::Assistant { .. })),
                    tool = of(|message| matches!(message, ChatMessage::Tool { .. })),
                    stage = "composed",
                    "request"
                );
            });
        }
        span
    }

    /// Answers an order. The status is published first, so that a caller who reads it after the
    /// answer sees the change.
    pub(super) fn answer_order(&mut self, id: ReplyId, answer: OrderResult) {
        self.emit_status();
        let reply = self.replies.remove(&id);
        if self.replies.is_empty() {
            // An empty map keeps room for eleven.
            self.replies = BTreeMap::new();
        }
        if let Some(reply) = reply {
            reply.answer(answer);
        }
    }

    fn take_session(&mut self) -> Box<GameSession> {
        let rules = self.rules.tools.clone();
        let permit = match &self.phase {
            MysisPhase::Living(life) => life.tool_permit(),
            MysisPhase::Rebuilding { .. } | MysisPhase::Waking | MysisPhase::Resting(_) => {
                rules.filters.of_mysis(&self.who.name)
            }
        };
        let session = self.session.take();
        let mut session = session.unwrap_or_else(|| {
            Box::new(GameSession::new(
                self.who.id,
                self.incarnation,
                self.deps.upstream.link(self.who.id),
                self.deps.session.clone(),
                rules.clone(),
            ))
        });
        session.take_rules(rules, permit);
        session
    }

    fn release_call(&mut self, work: TaskId) {
        match self.awaiting_release.take() {
            // A task that is gone needs no release.
            Some((waiting, go)) if waiting == work => drop(go.send(true)),
            Some(_) | None => {}
        }
    }

    fn set_alarm(&mut self, alarm: AlarmId, after: Duration, jitter: bool) {
        let after = if jitter {
            after + after.mul_f64(self.rng.f64() / 10.0)
        } else {
            after
        };
        let timer = set_timer(&self.myself, after, move || MysisMsg::Rang(alarm));
        self.alarms.insert(alarm, timer);
    }

    /// Lets go of tasks that ended, whose memory stays as long as their handles, and of timers that the
    /// life does not wait for.
    fn let_go(&mut self) {
        self.tasks.retain(|task| !task.is_finished());
        let (MysisPhase::Living(life) | MysisPhase::Resting(life)) = &self.phase else {
            return;
        };
        let awaited = life.awaited_alarms();
        let goes_on = !self.is_leaving;
        let is_awaited = |alarm: AlarmId| awaited.clone().any(|awaited| awaited == alarm);
        self.alarms.retain(|alarm, _| goes_on && is_awaited(*alarm));
    }

    /// Sends all waiting writes to the Store as one batch, which keeps their order.
    pub(super) fn send_records(&mut self) {
        if self.sending.is_some() || self.outbox.is_empty() {
            return;
        }
        let (write_ids, writes): (Vec<WriteId>, Vec<Vec<Write>>) = self.outbox.drain(..).unzip();
        let batch = Batch {
            author: Author::Mysis(self.who.id, self.incarnation),
            writes: writes.into_iter().flatten().collect(),
        };
        let store = self.deps.session.store.clone();
        let urgency = match std::mem::take(&mut self.is_outbox_urgent) {
            true => Urgency::AtOnce,
            false => Urgency::Soon,
        };
        let task = spawn_job(&self.myself, async move {
            MysisMsg::Recorded(store.write_with(batch, urgency).await)
        });
        self.sending = Some((write_ids, task));
    }

    fn emit_status(&mut self) {
        let (MysisPhase::Living(life) | MysisPhase::Resting(life)) = &self.phase else {
            return;
        };
        let status = life.status();
        if self.sent_status.as_deref() == Some(&status) {
            return;
        }
        let status = Arc::new(status);
        self.sent_status = Some(status.clone());
        self.emit_event(EventKind::StatusChanged(status));
    }

    pub(super) fn emit_event(&self, what: EventKind) {
        (self.parent)(MysisReport {
            mysis: self.who.id,
            incarnation: self.incarnation,
            event: SwarmEvent {
                at: self.deps.session.clock.now(),
                mysis: Some(self.who.clone()),
                what,
            },
        });
    }
}
