//! Histories: rows in any order that a database could contain, well formed or not.
//!
//! Every text begins with a mark that names its row, so that the rules find it in a request.

use std::sync::Arc;

use actors::domain::compose::{ComposedRequest, Composition, TurnOwner, choose_owner, compose};
use actors::domain::conversation::Conversation;
use actors::domain::game::{GameReading, GameRef};
use actors::domain::game_state::GameState;
use actors::domain::ids::{CallKey, MissionId, Now, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ResultMeta, Row, RowBody, Severity, Utterance,
};
use actors::domain::record::{Mission, StoredHistory};
use actors::domain::snapshot_query::SnapshotQuery;
use proptest::prelude::*;
use proptest::sample::select;

/// The beginning of every text that must never reach a model.
pub const FORBIDDEN: &str = "never-to-be-sent";

#[derive(Clone, Debug)]
pub enum Step {
    Prompt(Text),
    Mission(Text),
    Peer(Text),
    Note(Text),
    /// Words, with the number of rows that the model had not seen; none for an imported row.
    Reply(Text, Option<u8>),
    Call(Text, Vec<Wanted>, Option<u8>),
    /// Results of the newest call row, in this order, as far as it has that many calls.
    Results(Vec<(u8, Given)>),
    /// A result of any earlier call, late or repeated.
    Late(u16, Given),
    Host(Text),
    Audit(Text),
    Unknown(String, Text),
    Turn,
}

/// A call that a model asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub id: String,
    pub tool: String,
    pub arguments: Text,
}

/// A result that a tool gives.
#[derive(Clone, Debug)]
pub struct Given {
    pub text: Text,
    pub is_error: bool,
}

/// A text that is repeated.
#[derive(Clone, Debug)]
pub struct Text {
    pub unit: String,
    pub times: usize,
}

impl Text {
    pub fn plain(unit: &str) -> Text {
        Text {
            unit: unit.to_string(),
            times: 1,
        }
    }

    fn raw(&self) -> String {
        self.unit.repeat(self.times)
    }

    /// The text with the mark of its row. An empty text stays empty.
    fn marked(&self, seq: i64) -> Arc<str> {
        let raw = self.raw();
        if raw.trim().is_empty() {
            return raw.into();
        }
        format!("{}{raw}", mark(seq)).into()
    }
}

/// The mark of a row.
pub fn mark(seq: i64) -> String {
    format!("<row {seq}>")
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z ]{0,40}",
        2 => any::<String>(),
        1 => select(vec![
            String::new(), " \n".into(), "\u{0}\u{1}\u{7f}\u{1b}[31m".into(),
            "[TOOL_CALLS]a:b:{}|c:d:{}".into(), "\"\\\"".into(), "🚀é採".into(),
            "[cut: 5 of 9 bytes left out]".into(), "{\"current_tick\": 7}".into(),
        ]),
    ]
}

fn text() -> impl Strategy<Value = Text> {
    let times = prop_oneof![
        30 => Just(1_usize),
        4 => 2..200_usize,
        1 => 200..4000_usize,
    ];
    let plain = (words(), times).prop_map(|(unit, times)| Text { unit, times });
    // Up to a mebibyte, sometimes.
    let huge = (
        select(vec!["x", "\u{1}", "\"", "採"]),
        100_000..=1_048_576_usize,
    )
        .prop_map(|(unit, bytes)| Text {
            unit: unit.into(),
            times: bytes / unit.len(),
        });
    prop_oneof![150 => plain, 1 => huge]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-zA-Z0-9_-]{1,32}",
        3 => select(vec!["", "same", "call_2_0", "call_3_1x", "a:b|c", "chatcmpl-tool-1", "\u{0}", "é\"\\"])
            .prop_map(str::to_string),
        1 => (1..6000_usize).prop_map(|times| "i".repeat(times)),
    ]
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let tool = prop_oneof![
        6 => select(vec![
            "get_status", "get_map", "get_cargo", "get_notifications", "mine", "login", "travel",
            "get_chat_history",
        ]).prop_map(str::to_string),
        1 => any::<String>(),
        1 => "[a-z]{65,80}",
    ];
    let arguments = prop_oneof![
        6 => select(vec!["{}", "{\"id\":1}", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", " { } "])
            .prop_map(Text::plain),
        2 => select(vec!["", "[1]", "null", "{\"a\":", "not json", "{\"a\":1}{}", "{\"a\":1e999}"])
            .prop_map(Text::plain),
        1 => (1..40_000_usize).prop_map(|times| Text {
            unit: format!("{{\"a\":\"{}\"}}", "y".repeat(times)), times: 1,
        }),
        1 => text(),
    ];
    (id(), tool, arguments).prop_map(|(id, tool, arguments)| Wanted {
        id,
        tool,
        arguments,
    })
}

fn given() -> impl Strategy<Value = Given> {
    (text(), proptest::bool::weighted(0.2)).prop_map(|(text, is_error)| Given { text, is_error })
}

fn seen() -> impl Strategy<Value = Option<u8>> {
    prop_oneof![8 => Just(Some(0)), 2 => (1..6_u8).prop_map(Some), 1 => Just(None)]
}

fn calls() -> impl Strategy<Value = Vec<Wanted>> {
    prop_oneof![
        6 => proptest::collection::vec(wanted(), 1..=3),
        1 => proptest::collection::vec(wanted(), 0..=8),
    ]
}

/// The results of a call row: mostly all of them in order, else any of them in any order.
fn results() -> impl Strategy<Value = Vec<(u8, Given)>> {
    let all = proptest::collection::vec(given(), 8).prop_map(|given| (0_u8..).zip(given).collect());
    let any = proptest::collection::vec((0..8_u8, given()), 0..=9);
    prop_oneof![4 => all, 1 => any]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => text().prop_map(Step::Prompt),
        1 => text().prop_map(Step::Mission),
        1 => text().prop_map(Step::Peer),
        1 => text().prop_map(Step::Note),
        3 => (text(), seen()).prop_map(|(text, seen)| Step::Reply(text, seen)),
        6 => (text(), calls(), seen()).prop_map(|(text, calls, seen)| Step::Call(text, calls, seen)),
        6 => results().prop_map(Step::Results),
        1 => (any::<u16>(), given()).prop_map(|(call, given)| Step::Late(call, given)),
        1 => text().prop_map(Step::Host),
        1 => text().prop_map(Step::Audit),
        1 => ("[a-z]{0,8}", text()).prop_map(|(kind, text)| Step::Unknown(kind, text)),
        3 => Just(Step::Turn),
    ]
}

/// A history with everything that a request is composed from.
#[derive(Clone, Debug)]
pub struct History {
    pub steps: Vec<Step>,
    pub budget: usize,
    /// Whether the newest mission is in force.
    pub has_mission: bool,
    pub window: usize,
    pub notices: Vec<String>,
}

pub fn histories() -> impl Strategy<Value = History> {
    let budget = prop_oneof![
        2 => 8192..20_000_usize,
        3 => Just(64 << 10),
        2 => Just(1 << 20),
        1 => Just(16 << 20),
    ];
    let notices = proptest::collection::vec("[a-z ]{1,300}", 0..3);
    let steps = proptest::collection::vec(step(), 0..40);
    (steps, budget, any::<bool>(), 1..40_usize, notices).prop_map(
        |(steps, budget, has_mission, window, notices)| History {
            steps,
            budget,
            has_mission,
            window,
            notices,
        },
    )
}

/// A history as rows, and its other parts.
pub struct Recorded {
    pub rows: Vec<Arc<Row>>,
    pub mission: Option<Mission>,
    pub turn: TurnNumber,
    pub game: GameState,
}

impl Recorded {
    fn push(&mut self, body: RowBody) {
        let seq = self.next();
        self.rows.push(Arc::new(Row {
            seq: Seq(seq),
            at: Timestamp(seq * 1000),
            turn: self.turn,
            body,
        }));
    }

    fn next(&self) -> i64 {
        self.rows.len() as i64 + 1
    }

    fn utterance(&self, text: &Text, unseen: Option<u8>) -> Utterance {
        let seq = self.next();
        Utterance {
            text: text.marked(seq),
            reasoning: Some(format!("{FORBIDDEN} reasoning").into()),
            // A reply without that number counts as having seen everything before it.
            seen_up_to: Seq(unseen.map_or(seq, |unseen| (seq - 1 - i64::from(unseen)).max(0))),
            meta: Arc::default(),
        }
    }

    fn answer(&mut self, key: CallKey, given: &Given) {
        let seq = self.next();
        let Some(row) = self.rows.iter().find(|row| row.seq == key.seq).cloned() else {
            return;
        };
        let Some(call) = row.calls().get(usize::from(key.position)) else {
            return;
        };
        let text = given.text.marked(seq);
        let status = if given.is_error {
            CallStatus::Failed
        } else {
            CallStatus::Done
        };
        if !given.is_error
            && let Some(look) = SnapshotQuery::of(GameRef::SpaceMolt, &call.name, &call.arguments)
        {
            self.game.record_snapshot(
                look,
                key,
                &GameReading::of(GameRef::SpaceMolt, &text),
                None,
                Now::from_timestamp(Timestamp(seq * 1000)),
            );
        }
        self.push(RowBody::Result {
            call: key,
            meta: ResultMeta {
                call_id: call.id.clone(),
                tool: call.name.clone(),
                status,
                ms: Some(1),
                tick: None,
                bytes: text.len() as u64,
                game: GameRef::SpaceMolt,
                kept: None,
            },
            text,
        });
    }

    fn keys(&self) -> Vec<CallKey> {
        let calls = self.rows.iter().flat_map(|row| {
            (0_u16..).zip(row.calls()).map(|(position, _)| CallKey {
                seq: row.seq,
                position,
            })
        });
        calls.collect()
    }

    fn take(&mut self, step: &Step) {
        let seq = self.next();
        let marked = |text: &Text| text.marked(seq);
        let forbidden = |text: &Text| format!("{FORBIDDEN} {}", text.raw()).into();
        match step {
            Step::Prompt(text) => self.push(RowBody::Prompt { text: marked(text) }),
            Step::Mission(text) => {
                let mission = Mission {
                    id: MissionId(seq),
                    text: marked(text),
                    at: Timestamp(seq * 1000),
                };
                self.push(RowBody::Mission {
                    id: mission.id,
                    text: mission.text.clone(),
                });
                self.mission = Some(mission);
            }
            Step::Peer(text) => self.push(RowBody::Peer {
                sender: "beta".into(),
                text: marked(text),
            }),
            Step::Note(text) => self.push(RowBody::Note { text: marked(text) }),
            Step::Reply(text, unseen) => {
                let said = self.utterance(text, *unseen);
                self.push(RowBody::Reply(said));
            }
            Step::Call(text, calls, unseen) => self.call(text, calls, *unseen),
            Step::Results(results) => {
                let calls = self.rows.iter().rev().find(|row| !row.calls().is_empty());
                if let Some(seq) = calls.map(|row| row.seq) {
                    for (position, given) in results {
                        let position = u16::from(*position);
                        self.answer(CallKey { seq, position }, given);
                    }
                }
            }
            Step::Late(call, given) => {
                let keys = self.keys();
                if !keys.is_empty() {
                    self.answer(keys[usize::from(*call) % keys.len()], given);
                }
            }
            Step::Host(text) => self.push(RowBody::Host {
                text: forbidden(text),
                meta: HostMeta {
                    severity: Severity::Info,
                    code: "test".into(),
                    attempt: None,
                    bill: None,
                },
            }),
            Step::Audit(text) => self.push(RowBody::Audit {
                text: forbidden(text),
            }),
            Step::Unknown(kind, text) => self.push(RowBody::Unknown {
                kind: kind.as_str().into(),
                text: forbidden(text),
            }),
            Step::Turn => self.turn = TurnNumber(self.turn.0 + 1),
        }
    }

    fn call(&mut self, text: &Text, calls: &[Wanted], unseen: Option<u8>) {
        let utterance = self.utterance(text, unseen);
        let call = |wanted: &Wanted| CallRecord {
            id: wanted.id.as_str().into(),
            name: wanted.tool.as_str().into(),
            arguments: wanted.arguments.raw().into(),
            status: CallStatus::Done,
            read_only: false,
            routine: None,
        };
        let calls: Vec<CallRecord> = calls.iter().map(call).collect();
        // A row without calls is no call row. It is read back as words.
        self.push(if calls.is_empty() {
            RowBody::Reply(utterance)
        } else {
            RowBody::Call { utterance, calls }
        });
    }

    /// The conversation in memory for requests of this size.
    pub fn conversation(&self, budget: usize) -> Conversation {
        let notes = self.rows.iter();
        let notes = notes.filter(|row| matches!(row.body, RowBody::Note { .. }));
        let recollection = StoredHistory {
            rows: self.rows.clone(),
            notes: notes.cloned().collect(),
            last: Seq(self.next() - 1),
            ..StoredHistory::default()
        };
        Conversation::restore(recollection, (budget / 4).max(4096))
    }
}

/// The parts of a request, and the request.
pub struct Asked {
    pub recorded: Recorded,
    pub owner: TurnOwner,
    pub composed: ComposedRequest,
}

pub const SYSTEM: &str = "You are alpha. Play well.";
pub const NUDGE: &str = "Continue, as nobody ordered anything.";
pub const CONTINUATION: &str = "Continue after your words.";

impl History {
    /// The rows of the history.
    pub fn recorded(&self) -> Recorded {
        let mut recorded = Recorded {
            rows: Vec::new(),
            mission: None,
            turn: TurnNumber(1),
            game: GameState::default(),
        };
        for step in &self.steps {
            recorded.take(step);
        }
        if !self.has_mission {
            recorded.mission = None;
        }
        recorded
    }

    /// The request that follows.
    pub fn asked(&self) -> Asked {
        let recorded = self.recorded();
        let conversation = recorded.conversation(self.budget);
        let mission = recorded.mission.as_ref();
        let owner = choose_owner(&conversation, mission, self.window, NUDGE.into());
        let composed = self.compose(&recorded, &conversation, &owner);
        Asked {
            recorded,
            owner,
            composed,
        }
    }

    /// What the default lets earlier turns have of a request.
    pub fn earlier_bytes(&self) -> usize {
        self.budget / 4
    }

    pub fn compose(
        &self,
        recorded: &Recorded,
        conversation: &Conversation,
        owner: &TurnOwner,
    ) -> ComposedRequest {
        compose(&Composition {
            turn: recorded.turn,
            mission: recorded.mission.as_ref(),
            earlier_bytes: self.earlier_bytes(),
            notices: &self.notices,
            game: Some(&recorded.game),
            now: Now::from_timestamp(Timestamp(recorded.rows.len() as i64 * 1000 + 60_000)),
            budget: self.budget,
            ..composition(SYSTEM, conversation, owner)
        })
    }
}

/// A composition without notices and without a game state.
pub fn composition<'a>(
    system: &'a str,
    conversation: &'a Conversation,
    owner: &'a TurnOwner,
) -> Composition<'a> {
    Composition {
        system,
        role: "",
        identity: "",
        names: None,
        conversation,
        owner,
        mission: None,
        earlier_bytes: 0,
        turn: TurnNumber(i64::MAX),
        continuation: CONTINUATION,
        notices: &[],
        game: None,
        now: Now::default(),
        budget: 64 << 10,
    }
}
