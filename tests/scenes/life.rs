//! Lives: the state machine of a Mysis with random events. Every request is checked.

mod moves;
mod setup;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::compose::wire_bytes;
use actors::domain::event::{EventKind, LinkState, TurnEvent};
use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::{CallKey, MissionId, Now, Seq, Timestamp, TurnNumber};
use actors::domain::life::{
    AlarmId, CallOrder, Effect, Life, LifeInput, ModelQuery, ReplyId, ToolOutcome, WriteId,
};
use actors::domain::memo::Memos;
use actors::domain::message::{CallStatus, Row, RowBody, RowKind};
use actors::domain::model::{
    ChatMessage, ModelAnswer, ModelFault, OthersGet, RequestedCall, TokenUsage,
};
use actors::domain::order::MysisOrder;
use actors::domain::record::{Mission, StoredHistory};
use actors::domain::rules::SwarmRules;
use actors::domain::samples::StoredSamples;
use actors::domain::state::LifeState;
use actors::domain::tool::{ToolSpec, Toolset};
use actors::domain::write::Write;

use super::request_rules::{is_taken_by_strict_providers, without_runtime_note};
use setup::{past, rules};

pub use moves::{Move, moves};

/// A life, its stored rows, and the work that it waits for.
pub struct World {
    rules: Arc<SwarmRules>,
    life: Life,
    rows: Vec<Arc<Row>>,
    sent: BTreeMap<CallKey, ()>,
    snapshots: Vec<(Arc<str>, SnapshotResult)>,
    memos: Memos,
    samples: StoredSamples,
    notes_after: Seq,
    mission: Option<Mission>,
    ask: Option<ModelQuery>,
    call: Option<CallOrder>,
    /// The timers that run.
    alarms: BTreeSet<AlarmId>,
    now: i64,
    made: i64,
    /// The last request in this turn of this life: its system message, and all else as one text
    /// without the runtime note. And its bytes.
    before: Option<((ChatMessage, String), usize)>,
    pub requests: usize,
    /// The requests, each with its turn.
    pub asked: Vec<(TurnNumber, Arc<[ChatMessage]>)>,
    pub orders_lost: usize,
    broken: Option<String>,
}

impl World {
    /// Makes all moves, and checks every request.
    ///
    /// # Errors
    /// The first rule that a request broke.
    pub fn run(moves: &[Move], budget: usize) -> Result<World, String> {
        let rules = Arc::new(rules(budget));
        let (life, effects) = Life::restore(
            past(&rules, None, StoredHistory::default()),
            Now::from_timestamp(Timestamp(0)),
        );
        let mut world = World {
            rules,
            life,
            rows: Vec::new(),
            sent: BTreeMap::new(),
            snapshots: Vec::new(),
            memos: Memos::default(),
            samples: StoredSamples::default(),
            notes_after: Seq(0),
            mission: None,
            ask: None,
            call: None,
            alarms: BTreeSet::new(),
            now: 0,
            made: 0,
            before: None,
            requests: 0,
            asked: Vec::new(),
            orders_lost: 0,
            broken: None,
        };
        world.carry_out(effects);
        world.link(LinkState::Ok);
        for step in moves {
            world.take(step);
            if let Some(broken) = &world.broken {
                return Err(format!("{broken} after {step:?}"));
            }
        }
        Ok(world)
    }

    fn link(&mut self, link: LinkState) {
        let tools = [
            "mine",
            "travel",
            "get_status",
            "get_cargo",
            "get_notifications",
            "logout",
        ];
        let offered = if link == LinkState::Ok {
            &tools[..]
        } else {
            &[]
        };
        let own = ["zoea_search_messages"];
        let tools = offered.iter().chain(&own).map(|name| ToolSpec {
            name: (*name).into(),
            description: "".into(),
            schema: "{}".into(),
            read_only_hint: None,
        });
        self.handle(LifeInput::Linked {
            link,
            fault: None,
            tools: Arc::new(Toolset::new(tools)),
            account: None,
        });
    }

    fn handle(&mut self, input: LifeInput) {
        self.now += 700;
        let effects = self
            .life
            .handle(input, Now::from_timestamp(Timestamp(self.now)));
        self.carry_out(effects);
        self.check_timers();
    }

    /// Checks that each timer runs that the life waits for, or it would wait for good.
    fn check_timers(&mut self) {
        let mut awaited = self.life.awaited_alarms();
        if !awaited.all(|alarm| self.alarms.contains(&alarm)) {
            let broken = "a timer that is waited for does not run";
            self.broken.get_or_insert(broken.to_string());
        }
    }

    fn order(&mut self, order: MysisOrder) {
        self.handle(LifeInput::Ordered {
            reply: ReplyId(1),
            order,
        });
    }

    fn take(&mut self, step: &Move) {
        self.made += 1;
        let text = |size: &usize| format!("<{}>{}", self.made, "w".repeat(*size));
        match step {
            Move::Prompt(size) => self.order(MysisOrder::Prompt(text(size).into())),
            Move::Mission => {
                let mission = Mission {
                    id: MissionId(self.made),
                    text: text(&20).into(),
                    at: Timestamp(self.now),
                };
                self.mission = Some(mission.clone());
                self.order(MysisOrder::Mission(mission));
            }
            Move::ClearMission => {
                self.mission = None;
                self.handle(LifeInput::MissionStands(None));
            }
            Move::Note => self.order(MysisOrder::Note(text(&10).into())),
            Move::ClearNotes => self.order(MysisOrder::ClearNotes),
            Move::Say(size) => {
                let text = if *size == 0 {
                    String::new()
                } else {
                    text(size)
                };
                self.reply(ModelAnswer {
                    text,
                    ..ModelAnswer::default()
                });
            }
            Move::Want(calls) => {
                let asked = |(name, arguments, id): &(&str, &str, &str)| RequestedCall {
                    id: (*id).to_string(),
                    name: (*name).to_string(),
                    arguments: (*arguments).to_string(),
                };
                self.reply(ModelAnswer {
                    calls: calls.iter().map(asked).collect(),
                    ..ModelAnswer::default()
                });
            }
            Move::Give(status, size) => {
                let text = text(size);
                self.give(*status, text);
            }
            Move::Leave => {
                if let Some(call) = &self.call {
                    let work = call.work;
                    self.handle(LifeInput::Leaving { work });
                }
            }
            Move::Fault => self.fail(ModelFault::Permanent {
                text: "HTTP 401".to_string(),
            }),
            Move::Outage => self.fail(ModelFault::Transient {
                text: "HTTP 503".to_string(),
                retry_after: None,
            }),
            Move::Ring => {
                if let Some(alarm) = self.alarms.pop_first() {
                    self.handle(LifeInput::Rang { alarm });
                }
            }
            Move::Remind(seconds) => self.order(MysisOrder::Remind {
                at: Timestamp(self.now + seconds * 1000),
                reminder: text(&10).into(),
            }),
            Move::Start => {
                // A turn that was cut off goes on with the order that owns it by now.
                self.before = None;
                self.order(MysisOrder::Start);
            }
            Move::Retry => {
                if self.life.state() == LifeState::Errored {
                    self.before = None;
                }
                self.order(MysisOrder::Retry);
            }
            Move::Stop => self.order(MysisOrder::Stop),
            Move::Crash => self.crash(),
            Move::Rest => self.rest(),
            Move::LinkDown => self.link(LinkState::Down),
            Move::LinkUp => self.link(LinkState::Ok),
        }
    }

    fn fail(&mut self, fault: ModelFault) {
        if let Some(ask) = self.ask.take() {
            self.handle(LifeInput::Replied {
                work: ask.work,
                provider: ask.routes[0].provider.clone(),
                result: Err(fault),
                ms: 1,
                others: OthersGet::Nobody,
            });
        }
    }

    fn reply(&mut self, answer: ModelAnswer) {
        if let Some(ask) = self.ask.take() {
            let usage = Some(TokenUsage {
                input: wire_bytes(&ask.messages) as u64 / 4,
                output: 5,
                cached: 0,
            });
            self.handle(LifeInput::Replied {
                work: ask.work,
                provider: ask.routes[0].provider.clone(),
                result: Ok(ModelAnswer { usage, ..answer }),
                ms: 1,
                others: OthersGet::Nobody,
            });
        }
    }

    fn give(&mut self, status: CallStatus, text: String) {
        let Some(call) = self.call.take() else {
            return;
        };
        let work = call.work;
        if status != CallStatus::NotExecuted {
            self.handle(LifeInput::Leaving { work });
        }
        self.handle(LifeInput::Returned {
            work,
            outcome: ToolOutcome {
                text,
                status,
                ms: Some(1),
                tick: None,
            },
        });
    }

    /// Restores the life from at most 192 rows and the unanswered orders before them.
    fn crash(&mut self) {
        self.ask = None;
        self.call = None;
        self.alarms.clear();
        self.before = None;
        let recollection = self.history();
        let past = past(&self.rules, self.mission.clone(), recollection);
        let (life, effects) = Life::restore(past, Now::from_timestamp(Timestamp(self.now)));
        self.life = life;
        self.carry_out(effects);
        self.link(LinkState::Ok);
    }

    /// Leaves the conversation to the store, and takes it up again. Requests go on as they were.
    fn rest(&mut self) {
        if self.life.rests_after().is_some() {
            self.life.leave_conversation();
            let history = self.history();
            self.life.recall_conversation(history);
        }
    }

    /// What a store would give back.
    fn history(&self) -> StoredHistory {
        let last = self.rows.last().map(|row| row.seq).unwrap_or_default();
        let sendable = self.rows.iter();
        let sendable = sendable.filter(|row| row.kind().is_some_and(RowKind::is_sendable));
        let rows: Vec<Arc<Row>> = sendable.map(|row| self.as_stored(row)).collect();
        let first = rows.len().saturating_sub(192);
        let answered = answered(&self.rows);
        let orders = rows[..first]
            .iter()
            .filter(|row| row.kind() == Some(RowKind::Prompt) && row.seq > answered);
        let notes = rows
            .iter()
            .filter(|row| row.kind() == Some(RowKind::Note) && row.seq > self.notes_after);
        StoredHistory {
            rows: orders.chain(&rows[first..]).cloned().collect(),
            notes: notes.cloned().collect(),
            last,
            profile: None,
            totals: None,
            snapshots: self.snapshots.clone(),
            memos: self.memos.clone(),
            samples: self.samples.clone(),
            tasks: BTreeMap::new(),
        }
    }

    fn as_stored(&self, row: &Arc<Row>) -> Arc<Row> {
        let RowBody::Call { utterance, calls } = &row.body else {
            return row.clone();
        };
        let mut calls = calls.clone();
        for (position, call) in (0_u16..).zip(&mut calls) {
            let key = CallKey {
                seq: row.seq,
                position,
            };
            if self.sent.contains_key(&key) {
                call.status = CallStatus::Sent;
            }
            let results = self.rows.iter().filter_map(|row| row.result());
            for (_, _, meta) in results.filter(|(of, _, _)| *of == key) {
                call.status = meta.status;
            }
        }
        Arc::new(Row {
            body: RowBody::Call {
                utterance: utterance.clone(),
                calls,
            },
            ..Row::clone(row)
        })
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut recorded: Vec<WriteId> = Vec::new();
        for effect in effects {
            match effect {
                Effect::Record {
                    write_id, writes, ..
                } => {
                    writes.into_iter().for_each(|write| self.store(write));
                    recorded.push(write_id);
                }
                Effect::Ask(ask) => {
                    // A fixed text is no request of the conversation.
                    if !ask.is_bare {
                        self.judge(&ask);
                    }
                    self.ask = Some(ask);
                }
                Effect::Call(call) => self.call = Some(call),
                Effect::Abort => {
                    self.ask = None;
                    self.call = None;
                }
                Effect::Wake { alarm, .. } => {
                    self.alarms.insert(alarm);
                }
                Effect::Emit(EventKind::Turn(TurnEvent::Started { .. })) => self.before = None,
                Effect::Release { .. }
                | Effect::CancelTask(_)
                | Effect::HeldBack(_)
                | Effect::ToolNews(..)
                | Effect::Answer { .. }
                | Effect::AnswerQuestion { .. }
                | Effect::Emit(_)
                | Effect::Leave => {}
            }
        }
        let awaited: Vec<_> = self.life.awaited_alarms().collect();
        self.alarms.retain(|alarm| awaited.contains(alarm));
        for write_id in recorded {
            let outcome = Ok(());
            let input = LifeInput::Recorded { write_id, outcome };
            let effects = self
                .life
                .handle(input, Now::from_timestamp(Timestamp(self.now)));
            self.carry_out(effects);
        }
    }

    fn store(&mut self, write: Write) {
        match write {
            Write::Append { row, .. } => self.rows.push(row),
            Write::CallSent { call, .. } => {
                self.sent.insert(call, ());
            }
            Write::CallHeld { call, .. } => {
                self.sent.remove(&call);
            }
            Write::ClearNotes { upto, .. } => self.notes_after = upto,
            Write::SaveSnapshot {
                account, snapshot, ..
            } => {
                self.snapshots
                    .retain(|(_, known)| known.look != snapshot.look);
                self.snapshots.push((account, *snapshot));
            }
            Write::ForgetSnapshots { .. } => self.snapshots.clear(),
            Write::Memo { kind, memo, .. } => drop(self.memos.insert(kind, memo)),
            Write::Samples { hour, .. } => self.samples.keep(&hour),
            // They say nothing about what requests are made of.
            Write::Create(_)
            | Write::Configure { .. }
            | Write::Delete { .. }
            | Write::Fence { .. }
            | Write::State { .. }
            | Write::Called { .. }
            | Write::CallTask { .. }
            | Write::Totals { .. }
            | Write::Stale { .. }
            | Write::Mission(_)
            | Write::ClearMission { .. }
            | Write::SaveAccount { .. }
            | Write::KeepSession { .. }
            | Write::OrderDone { .. }
            | Write::HoldText(_)
            | Write::ReleaseText(_)
            | Write::Event(_)
            | Write::PoolAccount { .. } => {}
        }
    }

    fn judge(&mut self, ask: &ModelQuery) {
        self.requests += 1;
        self.asked.push((ask.turn, ask.messages.clone()));
        if let Err(broken) = self.judged(ask) {
            self.broken.get_or_insert(broken);
        }
        self.before = Some((as_text(&ask.messages), wire_bytes(&ask.messages)));
    }

    fn judged(&mut self, ask: &ModelQuery) -> Result<(), String> {
        is_taken_by_strict_providers(&ask.messages)?;
        let bytes = wire_bytes(&ask.messages);
        if bytes > self.rules.context_budget {
            return Err(format!("{bytes} bytes"));
        }
        self.holds_the_orders(ask)?;
        self.keeps_the_prefix(ask, bytes)
    }

    /// Checks that the unanswered orders are in the request: the oldest, which owns the turn, and
    /// the newest. Without any, the mission is.
    fn holds_the_orders(&mut self, ask: &ModelQuery) -> Result<(), String> {
        let has = |text: &str| {
            let mark = text.split_inclusive('>').next().unwrap_or_default();
            ask.messages
                .iter()
                .any(|message| matches!(message, ChatMessage::User(sent) if sent.contains(mark)))
        };
        let answered = answered(&self.rows);
        let prompts = self
            .rows
            .iter()
            .filter(|row| row.kind() == Some(RowKind::Prompt));
        let open: Vec<&Arc<Row>> = prompts.filter(|row| row.seq > answered).collect();
        for order in open.first().into_iter().chain(open.last()) {
            if !has(order.text()) {
                self.orders_lost += 1;
                return Err(format!("the order at {} is lost", order.seq));
            }
        }
        if let Some(mission) = &self.mission
            && open.is_empty()
            && !has(&mission.text)
        {
            self.orders_lost += 1;
            return Err("the mission is lost".to_string());
        }
        Ok(())
    }

    /// Checks that within a turn each request repeats the one before it and adds to its end.
    /// One that comes near the budget, or follows one that did, and one with an order that is cut are an exception.
    fn keeps_the_prefix(&self, ask: &ModelQuery, bytes: usize) -> Result<(), String> {
        let Some((before, bytes_before)) = &self.before else {
            return Ok(());
        };
        if bytes.max(*bytes_before) > self.rules.context_budget / 2 {
            return Ok(());
        }
        // An order that is cut shares its room with what comes after it.
        let is_cut = |message: &ChatMessage| matches!(message, ChatMessage::User(text) if text.contains("bytes left out]"));
        if ask.messages.iter().any(is_cut) {
            return Ok(());
        }
        let (system, now) = as_text(&ask.messages);
        // The operator added or removed a note or a mission.
        let is_other = system != before.0;
        if !is_other && !now.starts_with(&before.1) {
            return Err(format!("the prefix changed:\n{}\n{now}", before.1));
        }
        Ok(())
    }

    /// Whether the Mysis is errored, which only a permanent fault may cause.
    pub fn is_errored(&self) -> bool {
        self.life.state() == LifeState::Errored
    }
}

/// The system message, and all others as one text without the runtime note in the last one.
fn as_text(messages: &[ChatMessage]) -> (ChatMessage, String) {
    let shown = |message: &ChatMessage| match message {
        ChatMessage::System(text) => format!("\nsystem {text}"),
        ChatMessage::User(text) => format!("\nuser {text}"),
        ChatMessage::Assistant { text, calls, .. } => format!("\nassistant {text} {calls:?}"),
        ChatMessage::Tool { call_id, text } => format!("\ntool {call_id} {text}"),
    };
    let all: String = messages.iter().skip(1).map(shown).collect();
    (messages[0].clone(), without_runtime_note(&all).to_string())
}

/// The newest row that words of the model answer.
fn answered(rows: &[Arc<Row>]) -> Seq {
    let mut replies = rows.iter().rev();
    let reply = replies.find(|row| row.is_sendable() && row.kind() == Some(RowKind::Reply));
    reply
        .and_then(|row| row.utterance().map(|said| said.seen_up_to))
        .unwrap_or_default()
}
