//! The scratch conversation: rows like a Mysis' own, composed like its requests.

use std::sync::Arc;

use actors::domain::compose::{Composition, TurnOwner, compose};
use actors::domain::conversation::Conversation;
use actors::domain::game::GameRef;
use actors::domain::ids::{CallKey, MissionId, Now, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, ReplyMeta, ResultMeta, Row, RowBody, Utterance,
};
use actors::domain::model::{ChatMessage, ModelAnswer};
use actors::domain::record::{Mission, StoredHistory};
use actors::domain::system_prompt::{PromptFacts, identity, render_template};

/// The budget in bytes, which no scratch conversation reaches.
const BUDGET_BYTES: usize = 1 << 20;
/// The continuation after a bare reply.
const CONTINUATION: &str = "Continue.";

/// A conversation that is not stored.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    system: String,
    identity: String,
    mission: Mission,
    conversation: Conversation,
    owner: TurnOwner,
    turn: TurnNumber,
    calls: (Seq, Vec<CallRecord>),
    notices: Vec<String>,
}

impl Scratch {
    /// A conversation with this mission and without rows.
    pub(super) fn new(mission: &str) -> Scratch {
        // The tools of the test are of no game.
        let game = GameRef::AnyTools;
        let facts = PromptFacts {
            game,
            name: "scratch",
            account: Some("scratch"),
            ..PromptFacts::default()
        };
        Scratch {
            system: render_template(game.prompt(), &facts),
            identity: identity(game.prompt(), &facts),
            mission: Mission {
                id: MissionId(1),
                text: mission.into(),
                at: Timestamp(0),
            },
            conversation: Conversation::restore(StoredHistory::default(), BUDGET_BYTES),
            owner: TurnOwner::Nudge(CONTINUATION.into()),
            turn: TurnNumber(0),
            calls: (Seq(0), Vec::new()),
            notices: vec!["This is a drill: nothing is at stake.".to_string()],
        }
    }

    /// Adds a direct message and begins a turn that it owns.
    pub(super) fn order(&mut self, text: &str) {
        self.turn.0 += 1;
        let seq = self.push(RowBody::Prompt { text: text.into() });
        self.owner = TurnOwner::Prompt(seq);
    }

    /// Adds a direct message in the middle of a turn.
    pub(super) fn interrupt(&mut self, text: &str) {
        self.push(RowBody::Prompt { text: text.into() });
    }

    /// Begins a turn that the mission owns.
    pub(super) fn mission(&mut self, text: &str) {
        self.turn.0 += 1;
        self.owner = TurnOwner::Mission {
            id: MissionId(1),
            text: text.into(),
        };
    }

    pub(super) fn answered(&mut self, answer: &ModelAnswer) {
        let calls = answer.calls.iter();
        let calls: Vec<(String, String)> = calls
            .map(|call| (call.name.clone(), call.arguments.clone()))
            .collect();
        let ids: Vec<&str> = answer.calls.iter().map(|call| &*call.id).collect();
        let meta = ReplyMeta {
            echo: answer.echo.clone().map(Arc::from),
            ..ReplyMeta::default()
        };
        self.says_with(&answer.text, &calls, &ids, meta);
    }

    /// Adds a message of the model with these calls, each a name with its arguments. Without calls
    /// it is a reply.
    pub(super) fn says(&mut self, text: &str, calls: &[(String, String)], ids: &[&str]) {
        self.says_with(text, calls, ids, ReplyMeta::default());
    }

    fn says_with(&mut self, text: &str, calls: &[(String, String)], ids: &[&str], meta: ReplyMeta) {
        let utterance = Utterance {
            text: text.into(),
            seen_up_to: self.conversation.last_seq(),
            meta: meta.into(),
            reasoning: None,
        };
        if calls.is_empty() {
            self.push(RowBody::Reply(utterance));
            return;
        }
        let record = |(place, (name, arguments)): (usize, &(String, String))| CallRecord {
            id: ids.get(place).copied().unwrap_or_default().into(),
            name: name.as_str().into(),
            arguments: arguments.as_str().into(),
            status: CallStatus::Done,
            read_only: false,
            routine: None,
        };
        let calls: Vec<CallRecord> = calls.iter().enumerate().map(record).collect();
        let seq = self.push(RowBody::Call {
            utterance,
            calls: calls.clone(),
        });
        self.calls = (seq, calls);
    }

    /// Adds the result of each of the newest calls. `result` gives it by the tool's name.
    pub(super) fn results(&mut self, result: impl Fn(&str) -> String) {
        let (seq, calls) = self.calls.clone();
        for (position, call) in (0..).zip(&calls) {
            let text = result(&call.name);
            let meta = ResultMeta {
                call_id: call.id.clone(),
                tool: call.name.clone(),
                status: CallStatus::Done,
                ms: Some(1),
                tick: None,
                bytes: text.len() as u64,
                game: GameRef::SpaceMolt,
                kept: None,
            };
            let call = CallKey { seq, position };
            let text: Arc<str> = text.into();
            self.push(RowBody::Result { call, text, meta });
        }
    }

    /// The request that a Mysis would send now.
    pub(super) fn messages(&self) -> Arc<[ChatMessage]> {
        let composed = compose(&Composition {
            system: &self.system,
            role: "",
            identity: &self.identity,
            names: None,
            conversation: &self.conversation,
            owner: &self.owner,
            mission: Some(&self.mission),
            earlier_bytes: 0,
            turn: self.turn,
            continuation: CONTINUATION,
            notices: &self.notices,
            game: None,
            now: Now::from_timestamp(Timestamp(0)),
            budget: BUDGET_BYTES,
        });
        composed.messages.into()
    }

    fn push(&mut self, body: RowBody) -> Seq {
        let seq = self.conversation.last_seq().next();
        let row = Row {
            seq,
            at: Timestamp(0),
            turn: self.turn,
            body,
        };
        self.conversation.push(&Arc::new(row));
        seq
    }
}
