//! Tests of a Mysis' life for each situation, without a task or a clock.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "each test looks for the one effect that it is about"
)]

mod adapting;
mod circles;
mod done;
mod doubting;
mod faults;
mod holding;
mod knowing;
mod marking;
mod moving;
mod nudges;
mod orders;
mod progress;
mod rebuilding;
mod reminders;
mod retrying;
mod roles;
mod routines;
mod secrecy;
mod settings;
mod silence;
mod tasks;
mod tiers;
mod tool_list;
mod trying;
mod trying_derived;
mod trying_forms;
mod turns;
mod value;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use crate::compose::RUNTIME_NOTE_LINE;
use crate::event::{EventKind, LinkState};
use crate::fault::{MysisFault, MysisFaultKind};
use crate::ids::{
    CallKey, Incarnation, MissionId, Moment, MysisId, Now, Seq, Timestamp, TurnNumber,
};
use crate::memo::MemoKind;
use crate::message::{
    CallRecord, CallStatus, ResultMeta, Row, RowBody, RowKind, Severity, Utterance,
};
use crate::model::{
    ChatMessage, ContextLimit, Echo, ModelAnswer, ModelFault, OthersGet, RefusalHint,
    RequestedCall, ServiceReturn, TokenUsage,
};
use crate::order::{CompletedAction, CompletedOrder, MysisOrder, OrderRefusal, OrderResult};
use crate::price::TokenPrice;
use crate::record::{Mission, MysisProfile, MysisRecord, ProfileChange, StoredHistory};
use crate::rules::{ProviderRules, SwarmRules};
use crate::state::LifeState;
use crate::tool::{ToolSpec, Toolset};
use crate::write::Write;
use zoea_text::redact::Redactor;

use super::{
    AlarmId, CallOrder, Effect, Life, LifeInput, Mode, ModelQuery, ReplyId, RestoreArgs, TaskId,
    ToolOutcome, WriteId,
};

const NUDGES: [&str; 3] = ["nudge one", "nudge two", "nudge three"];

fn rules() -> SwarmRules {
    let local = ProviderRules {
        model: "m".into(),
        retry: vec![Duration::from_secs(5), Duration::from_secs(10)],
        price: Some(TokenPrice {
            input: 1.0,
            output: 2.0,
            cached: None,
        }),
        ..ProviderRules::default()
    };
    SwarmRules {
        max_model_calls: 3,
        nudges: NUDGES.map(Into::into).to_vec(),
        system_prompt: Some("you are {{name}}".into()),
        providers: [("local".into(), local)].into(),
        ..SwarmRules::default()
    }
}

fn record() -> MysisRecord {
    let profile = MysisProfile::of("alpha", "local");
    MysisRecord::new(MysisId(7), profile, Timestamp(0))
}

fn past() -> RestoreArgs {
    RestoreArgs {
        record: record(),
        recollection: StoredHistory::default(),
        incarnation: Incarnation(1),
        mission: None,
        rules: Arc::new(rules()),
        redactor: Arc::default(),
        crash: None,
        is_interrupted: false,
        mode: Mode::Live,
        frozen_ms: 0,
    }
}

/// A life with a store that accepts everything, and a record of what happened.
struct Scene {
    life: Life,
    effects: Vec<Effect>,
    now: i64,
    /// The milliseconds by which the wall clock is ahead of the monotonic clock.
    ahead: i64,
    replies: u64,
    /// Writes that the store has not answered yet.
    unrecorded: Vec<WriteId>,
    /// Whether the store answers at once.
    store_works: bool,
}

fn bare_tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "".into(),
        schema: "{}".into(),
        read_only_hint: None,
    }
}

fn even(at: i64) -> Now {
    Now::from_timestamp(Timestamp(at))
}

impl Scene {
    fn of(past: RestoreArgs) -> Scene {
        let (life, effects) = Life::restore(past, even(1000));
        let mut scene = Scene {
            life,
            effects: Vec::new(),
            now: 1000,
            ahead: 0,
            replies: 0,
            unrecorded: Vec::new(),
            store_works: true,
        };
        scene.take(effects);
        let tools = ["mine", "get_status", "travel", "get_chat_history"].map(bare_tool);
        scene.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
        scene
    }

    fn new() -> Scene {
        Scene::of(past())
    }

    fn link(&mut self, link: LinkState, tools: Arc<Toolset>) {
        self.handle(LifeInput::Linked {
            link,
            fault: None,
            tools,
            account: None,
        });
    }

    fn under(rules: SwarmRules) -> Scene {
        Scene::of(RestoreArgs {
            rules: Arc::new(rules),
            ..past()
        })
    }

    fn reload(&mut self, rules: SwarmRules) {
        self.handle(LifeInput::RulesChanged(Arc::new(rules)));
    }

    fn running() -> Scene {
        let mut scene = Scene::new();
        assert_eq!(
            scene.order(MysisOrder::Start),
            Some(Ok(CompletedOrder::Done(CompletedAction::Started)))
        );
        scene
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Record { write_id, .. } = &effect {
                self.unrecorded.push(*write_id);
            }
            self.effects.push(effect);
        }
        if self.store_works {
            self.record_all();
        }
    }

    fn record_all(&mut self) {
        while !self.unrecorded.is_empty() {
            let write_id = self.unrecorded.remove(0);
            let outcome = Ok(());
            let effects = self
                .life
                .handle(LifeInput::Recorded { write_id, outcome }, self.at());
            self.take(effects);
        }
    }

    /// The store refuses all open writes for good.
    fn refuse_all(&mut self, why: &str) {
        for write_id in std::mem::take(&mut self.unrecorded) {
            let outcome = Err(why.to_string());
            self.handle(LifeInput::Recorded { write_id, outcome });
        }
    }

    fn at(&self) -> Now {
        Now {
            wall: Timestamp(self.now + self.ahead),
            moment: Moment(self.now),
        }
    }

    fn handle(&mut self, input: LifeInput) {
        self.now += 1;
        let effects = self.life.handle(input, self.at());
        self.take(effects);
    }

    fn order(&mut self, order: MysisOrder) -> Option<OrderResult> {
        self.replies += 1;
        let reply = ReplyId(self.replies);
        self.handle(LifeInput::Ordered { reply, order });
        self.answer_to(reply)
    }

    fn answer_to(&self, reply: ReplyId) -> Option<OrderResult> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Answer { reply: to, answer } if *to == reply => Some(answer.clone()),
            _ => None,
        })
    }

    fn prompt(&mut self, text: &str) -> Option<OrderResult> {
        self.order(MysisOrder::Prompt(text.into()))
    }

    fn asks(&self) -> Vec<&ModelQuery> {
        self.effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Ask(ask) => Some(ask),
                _ => None,
            })
            .collect()
    }

    fn asked(&self) -> &ModelQuery {
        self.asks().last().copied().expect("the model was asked")
    }

    fn call(&self) -> CallOrder {
        let mut calls = self.effects.iter().filter_map(|effect| match effect {
            Effect::Call(call) => Some(call.clone()),
            _ => None,
        });
        calls.next_back().expect("a tool was called")
    }

    fn say(&mut self, text: &str) {
        self.reply(ModelAnswer {
            text: text.to_string(),
            usage: Some(TokenUsage {
                input: 100,
                output: 10,
                cached: 0,
            }),
            ..ModelAnswer::default()
        });
    }

    fn want(&mut self, calls: &[(&str, &str)]) {
        let calls = calls
            .iter()
            .enumerate()
            .map(|(place, (name, arguments))| RequestedCall {
                id: format!("id{place}"),
                name: (*name).to_string(),
                arguments: (*arguments).to_string(),
            });
        self.reply(ModelAnswer {
            calls: calls.collect(),
            ..ModelAnswer::default()
        });
    }

    fn reply(&mut self, answer: ModelAnswer) {
        self.take_reply(Ok(answer));
    }

    fn fail(&mut self, fault: ModelFault) {
        self.take_reply(Err(fault));
    }

    fn take_reply(&mut self, result: Result<ModelAnswer, ModelFault>) {
        let work = self.asked().work;
        self.replied(work, "local", result, OthersGet::Nobody);
    }

    fn replied(
        &mut self,
        work: TaskId,
        provider: &str,
        result: Result<ModelAnswer, ModelFault>,
        others: OthersGet,
    ) {
        self.handle(LifeInput::Replied {
            work,
            provider: provider.into(),
            result,
            ms: 5,
            others,
        });
    }

    fn leave(&mut self) {
        let work = self.call().work;
        self.handle(LifeInput::Leaving { work });
    }

    fn give_back(&mut self, text: &str) {
        let work = self.call().work;
        self.handle(LifeInput::Returned {
            work,
            outcome: outcome(text, CallStatus::Done),
        });
    }

    fn ring(&mut self) {
        let alarm = self.alarm();
        self.handle(LifeInput::Rang { alarm });
    }

    fn alarm(&self) -> AlarmId {
        let mut alarms = self.effects.iter().filter_map(|effect| match effect {
            Effect::Wake { alarm, .. } => Some(*alarm),
            _ => None,
        });
        alarms.next_back().expect("an alarm was set")
    }

    fn wait(&self) -> Duration {
        let mut waits = self.effects.iter().filter_map(|effect| match effect {
            Effect::Wake { after, .. } => Some(*after),
            _ => None,
        });
        waits.next_back().expect("an alarm was set")
    }

    fn rows(&self) -> Vec<Arc<Row>> {
        self.writes()
            .into_iter()
            .filter_map(|write| match write {
                Write::Append { row, .. } => Some(row),
                _ => None,
            })
            .collect()
    }

    fn kinds(&self) -> Vec<RowKind> {
        self.rows().iter().filter_map(|row| row.kind()).collect()
    }

    fn writes(&self) -> Vec<Write> {
        self.effects
            .iter()
            .flat_map(|effect| match effect {
                Effect::Record { writes, .. } => writes.clone(),
                _ => Vec::new(),
            })
            .collect()
    }

    /// The newest memo of a kind that was stored.
    fn memo_of(&self, wanted: MemoKind) -> Option<Arc<str>> {
        let mut newest = self.writes().into_iter().rev();
        newest.find_map(|write| match write {
            Write::Memo { kind, memo, .. } if kind == wanted => Some(memo),
            _ => None,
        })
    }

    /// What was stored of it: the rows, and the newest memo of a kind.
    fn history_with(&self, kind: MemoKind) -> StoredHistory {
        let rows = self.rows();
        let memo = self.memo_of(kind).map(|memo| (kind, memo));
        StoredHistory {
            last: rows.last().map(|row| row.seq).unwrap_or_default(),
            rows,
            memos: memo.into_iter().collect(),
            ..StoredHistory::default()
        }
    }

    fn states(&self) -> Vec<LifeState> {
        self.writes()
            .iter()
            .filter_map(|write| match write {
                Write::State { state, .. } => Some(*state),
                _ => None,
            })
            .collect()
    }

    fn host_codes(&self) -> Vec<String> {
        self.rows()
            .iter()
            .filter_map(|row| row.host().map(|meta| meta.code.to_string()))
            .collect()
    }

    /// The last message of the last request, without the runtime note.
    fn last_message(&self) -> ChatMessage {
        let mut message = self.asked().messages.last().cloned().expect("a message");
        if let ChatMessage::User(text) | ChatMessage::Tool { text, .. } = &mut message
            && let Some((kept, _)) = text.split_once(RUNTIME_NOTE_LINE)
        {
            *text = kept.trim_end().into();
        }
        message
    }

    fn result_status(&self) -> Vec<CallStatus> {
        let rows = self.rows();
        rows.iter()
            .filter_map(|row| row.result().map(|(_, _, meta)| meta.status))
            .collect()
    }
}

fn outcome(text: &str, status: CallStatus) -> ToolOutcome {
    ToolOutcome {
        text: text.to_string(),
        status,
        ms: Some(3),
        tick: Some(42),
    }
}

fn transient() -> ModelFault {
    ModelFault::Transient {
        text: "HTTP 503".to_string(),
        retry_after: None,
    }
}

fn mission(text: &str) -> Mission {
    Mission {
        id: MissionId(9),
        text: text.into(),
        at: Timestamp(900),
    }
}

fn user(text: &str) -> ChatMessage {
    ChatMessage::User(text.into())
}
