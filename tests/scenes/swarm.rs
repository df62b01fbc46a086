//! A made-up swarm: Myses that act by a seed, for screens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::event::{
    Activity, EventKind, LinkState, MysisRef, MysisStatus, RosterChange, SwarmCondition, SwarmEvent,
};
use actors::domain::fault::{MysisFault, MysisFaultKind};
use actors::domain::ids::{CallKey, MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::last_request::{RequestByteCounts, SentRequest};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ReplyMeta, ResultMeta, Row, RowBody, Severity, Utterance,
};
use actors::domain::model::TokenUsage;
use actors::domain::order::{
    CompletedAction, CompletedOrder, MysisOrder, Order, OrderRefusal, OrderResult, Reloaded,
    check_name, check_text,
};
use actors::domain::record::{MysisProfile, MysisRecord, ProfileChange};
use actors::domain::rules::{ProviderRules, SwarmRules};
use actors::domain::state::LifeState;

mod played;
mod routine;
mod stored;

pub use stored::Stored;

/// Myses that act by a seed.
pub struct Swarm {
    pub stored: Stored,
    pub statuses: BTreeMap<MysisId, MysisStatus>,
    pub mission: Option<Arc<str>>,
    scripts: BTreeMap<MysisId, Script>,
    dice: fastrand::Rng,
    next_mission: i64,
    /// The names of those that were deleted.
    deleted: BTreeSet<String>,
}

/// The point of its loop that a Mysis has reached.
#[derive(Clone, Copy, Default)]
struct Script {
    turn: i64,
    step: u8,
    credits: i64,
    cargo: i64,
    fuel: i64,
}

const NAMES: [&str; 12] = [
    "alpha", "bravo", "ceres", "drift", "echo", "foxglove", "gamma", "halcyon", "iris", "juno",
    "kestrel", "lumen",
];

const WORDS: [&str; 8] = [
    "The hold is full. Heading back to Sol Central to sell what I mined.",
    "Sold 12 Iron Ore for 36 credits. Fuel is at 82 percent, enough for two more trips.",
    "I traded news with Tessera Vow: nickel is scarce at Central, so I will look for it in the belt.",
    "Nothing new in the notifications. I continue to mine until the hold is full.",
    "採掘完了。太陽系中央へ戻ります。燃料は十分です。",
    "Mission accepted: deliver 20 copper ore to the Jovian Extraction Zone within 300 ticks. 🚀",
    "Trading report:\n\n- iron ore: 3 cr each at Sol Central, 4 cr at Mars\n- copper ore: 5 cr each\n- nickel ore: nobody sells\n\nI suggest that two of us move to the outer belt.",
    "Docked at Confederacy Central Command. Repairs cost 12 credits; I keep 124.",
];

const THOUGHTS: [&str; 3] = [
    "The operator wants iron. I have 12 of 70 in the hold, so it is too early to sell.",
    "Let me think about the route.\nFrom the belt to Sol Central it takes 4 ticks.\nFuel is 97 of 100.\nMining one more round gives about 3 ore.\nThe price was 3 credits a piece.\nSelling at Mars would give 4, but costs 2 fuel.\nThat is not worth it for 12 ore.\nSo: mine on until the hold is full, then sell here.",
    "The last call failed because I was docked. Undock first.",
];

impl Swarm {
    /// `count` Myses at rest, each with `turns` turns behind it.
    pub fn new(count: usize, turns: usize, seed: u64) -> Swarm {
        let mut swarm = Swarm {
            stored: Stored::default(),
            statuses: BTreeMap::new(),
            mission: None,
            scripts: BTreeMap::new(),
            dice: fastrand::Rng::with_seed(seed),
            next_mission: 1,
            deleted: BTreeSet::new(),
        };
        for place in 0..count {
            let name = match place / NAMES.len() {
                0 => NAMES[place].to_string(),
                round => format!("{}-{}", NAMES[place % NAMES.len()], round + 1),
            };
            let id = swarm.add(&name, START);
            for step in 0..turns * 9 {
                let at = Timestamp(START.0 + i64::try_from(step).unwrap_or(0) * 1100);
                swarm.step(id, at);
            }
        }
        swarm
    }

    pub fn add(&mut self, name: &str, at: Timestamp) -> MysisId {
        // As many as ever were, so that none gets the id of one that was deleted.
        let place = self.scripts.len();
        let id = MysisId(i64::try_from(place).unwrap_or(0) * 7 + 11);
        let profile = MysisProfile::of(name, ["local", "openrouter"][place % 2]);
        let record = MysisRecord::new(id, profile, at);
        let status = MysisStatus {
            model: ["qwen3:8b", "deepseek-v4"][place % 2].into(),
            temperature: Some(0.7),
            account: (place % 4 != 3).then(|| format!("Quill{name}").into()),
            link: LinkState::Ok,
            game: Some(actors::domain::game::GameRef::SpaceMolt),
            ..MysisStatus::from_record(&record, &SwarmRules::default(), at)
        };
        self.statuses.insert(id, status);
        self.scripts.insert(
            id,
            Script {
                credits: 100,
                fuel: 100,
                ..Script::default()
            },
        );
        id
    }

    pub fn ids(&self) -> Vec<MysisId> {
        self.statuses.keys().copied().collect()
    }

    /// Lets one Mysis act. Returns its events.
    pub fn live(&mut self, at: Timestamp) -> Vec<SwarmEvent> {
        let running: Vec<MysisId> = self
            .statuses
            .values()
            .filter(|status| status.state == LifeState::Running)
            .map(|status| status.id)
            .collect();
        match self.dice.choice(running) {
            Some(id) => self.step(id, at),
            None => Vec::new(),
        }
    }

    /// Lets a Mysis do the next step of its loop.
    pub fn step(&mut self, id: MysisId, at: Timestamp) -> Vec<SwarmEvent> {
        let mut script = self.scripts[&id];
        script.step = (script.step + 1) % 9;
        let mut rows = Vec::new();
        let (activity, ms) = match script.step {
            1 => {
                script.turn += 1;
                (Activity::CallingModel, 0)
            }
            2 => {
                rows.push(self.call(id, script.turn, at, "get_status", "{}"));
                (Activity::CallingTool("get_status".into()), 900)
            }
            3 => {
                rows.push(self.result(id, script.turn, at, "get_status", &status(&script)));
                (Activity::CallingModel, 0)
            }
            4 => {
                let arguments = r#"{"target_poi":"main_belt"}"#;
                rows.push(self.call(id, script.turn, at, "travel", arguments));
                script.fuel = (script.fuel - 1).max(3);
                (Activity::Travelling, 0)
            }
            5 => {
                let text = r#"{"action":"arrived","online_players_count":1,"poi":"Main Belt"}"#;
                rows.push(self.result(id, script.turn, at, "travel", text));
                (Activity::CallingModel, 0)
            }
            6 => {
                rows.push(self.call(id, script.turn, at, "mine", "{}"));
                (Activity::CallingTool("mine".into()), 1400)
            }
            7 => {
                script.cargo += 3;
                rows.push(self.mined(id, &script, at));
                (Activity::CallingModel, 0)
            }
            8 => {
                script.credits += script.cargo * 3;
                script.cargo = 0;
                rows.push(self.reply(id, script.turn, at));
                (Activity::Pausing, 1900)
            }
            _ => (Activity::Pausing, 0),
        };
        self.scripts.insert(id, script);
        let rows: Vec<Arc<Row>> = rows.into_iter().map(|body| self.store(id, body)).collect();
        let status = self.statuses.get_mut(&id).expect("it stands");
        status.activity_until =
            matches!(activity, Activity::Travelling).then(|| Timestamp(at.0 + 20_000));
        status.activity = activity;
        status.activity_since = at;
        status.last_activity_at = at;
        status.tick = Some(270_871 + at.0.saturating_sub(START.0) / 10_000);
        if ms > 0 {
            status.last_call_ms = Some(ms);
            status.totals.tokens_in += 900;
            status.totals.tokens_out += 80;
            status.totals.cost_micros += 183;
        }
        if script.step == 8 {
            status.totals.turns += 1;
        }
        self.emit(id, at, rows)
    }

    fn emit(&mut self, id: MysisId, at: Timestamp, rows: Vec<Arc<Row>>) -> Vec<SwarmEvent> {
        let status = self.statuses.get_mut(&id).expect("it stands");
        for row in &rows {
            if let RowBody::Reply(utterance) = &row.body {
                status.last_words = utterance.text.lines().next().unwrap_or_default().into();
            }
        }
        let who = MysisRef {
            id,
            name: status.name.clone(),
        };
        let status = EventKind::StatusChanged(Arc::new(status.clone()));
        let rows = rows.into_iter().map(EventKind::Stored);
        rows.chain([status])
            .map(|what| SwarmEvent {
                at,
                mysis: Some(who.clone()),
                what,
            })
            .collect()
    }

    pub fn store(&self, id: MysisId, row: Row) -> Arc<Row> {
        self.stored.with(|rows| {
            let rows = rows.entry(id).or_default();
            let seq = rows.last().map_or(Seq(1), |row| row.seq.next());
            let row = Arc::new(Row { seq, ..row });
            rows.push(row.clone());
            row
        })
    }

    fn utterance(&mut self, id: MysisId, text: &str, thinks: bool) -> Utterance {
        let thought = THOUGHTS[self.dice.usize(..THOUGHTS.len())];
        Utterance {
            text: text.into(),
            reasoning: thinks.then(|| thought.into()),
            seen_up_to: self.stored.last(id),
            meta: ReplyMeta {
                usage: Some(TokenUsage {
                    input: 900,
                    output: 80,
                    cached: 512,
                }),
                ms: Some(self.dice.u64(400..4000)),
                model: self.statuses[&id].model.clone(),
                provider: self.statuses[&id].profile.provider.clone(),
                finish_reason: Some("stop".into()),
                cost_micros: None,
                ..ReplyMeta::default()
            }
            .into(),
        }
    }

    fn reply(&mut self, id: MysisId, turn: i64, at: Timestamp) -> Row {
        let text = WORDS[self.dice.usize(..WORDS.len())];
        let thinks = self.dice.bool();
        row(turn, at, RowBody::Reply(self.utterance(id, text, thinks)))
    }

    fn call(&mut self, id: MysisId, turn: i64, at: Timestamp, tool: &str, arguments: &str) -> Row {
        let thinks = self.dice.u8(..4) == 0;
        let utterance = self.utterance(id, "", thinks);
        let call = CallRecord {
            id: format!("call_{turn}").into(),
            name: tool.into(),
            arguments: arguments.into(),
            status: CallStatus::Recorded,
            read_only: tool.starts_with("get_"),
            routine: None,
        };
        row(
            turn,
            at,
            RowBody::Call {
                utterance,
                calls: vec![call],
            },
        )
    }

    fn result(&mut self, id: MysisId, turn: i64, at: Timestamp, tool: &str, text: &str) -> Row {
        let meta = ResultMeta {
            call_id: format!("call_{turn}").into(),
            tool: tool.into(),
            status: CallStatus::Done,
            ms: Some(self.dice.u64(2..12_000)),
            tick: Some(270_871 + turn),
            bytes: text.len() as u64,
            game: actors::domain::game::GameRef::SpaceMolt,
            kept: None,
        };
        let call = CallKey {
            seq: self.stored.last(id),
            position: 0,
        };
        row(
            turn,
            at,
            RowBody::Result {
                call,
                text: text.into(),
                meta,
            },
        )
    }

    fn mined(&mut self, id: MysisId, script: &Script, at: Timestamp) -> Row {
        if self.dice.u8(..6) > 0 {
            let text = r#"{"depletion_percent":19.7,"quantity":3,"remaining_display":"48,207 / 60,000","resource_id":"iron_ore","resource_name":"Iron Ore","xp_gained":{"mining":3}}"#;
            return self.result(id, script.turn, at, "mine", text);
        }
        let text =
            "error: cargo_full: Your cargo hold is full (70/70). Sell or jettison something first.";
        let failed = self.result(id, script.turn, at, "mine", text);
        let RowBody::Result { call, text, meta } = failed.body else {
            return failed;
        };
        let meta = ResultMeta {
            status: CallStatus::Failed,
            ..meta
        };
        Row {
            body: RowBody::Result { call, text, meta },
            ..failed
        }
    }

    /// Lets a Mysis say and think a text, and lets a tool answer with it.
    pub fn says(&mut self, id: MysisId, text: &str, at: Timestamp) -> Vec<SwarmEvent> {
        let mut words = self.utterance(id, text, false);
        words.reasoning = Some(text.into());
        let mut rows = vec![self.store(id, row(1, at, RowBody::Reply(words)))];
        let call = self.call(id, 1, at, text, text);
        rows.push(self.store(id, call));
        let result = self.result(id, 1, at, "get_status", text);
        rows.push(self.store(id, result));
        self.emit(id, at, rows)
    }

    pub fn host(
        &mut self,
        id: MysisId,
        at: Timestamp,
        severity: Severity,
        text: &str,
    ) -> Vec<SwarmEvent> {
        let meta = HostMeta {
            severity,
            code: "retry".into(),
            attempt: Some(1),
            bill: None,
        };
        let text = text.into();
        let row = self.store(id, row(1, at, RowBody::Host { text, meta }));
        self.emit(id, at, vec![row])
    }

    /// Carries out an order as the Commander would. Returns the answer and the events.
    pub fn order(&mut self, order: Order, at: Timestamp) -> (OrderResult, Vec<SwarmEvent>) {
        match order {
            Order::Create { name, start, .. } => self.create(&name, start, at),
            Order::ForMysis { name, order } => self.order_mysis(&name, order, at),
            Order::Delete { name, .. } => self.delete(&name, at),
            Order::Undelete { name } => self.undelete(&name, at),
            Order::Broadcast { text } => self.broadcast(&text, at),
            Order::ClearMission => {
                let had = self.mission.take().is_some();
                let what = EventKind::Mission(None);
                (
                    Ok(CompletedOrder::MissionCleared(had)),
                    vec![SwarmEvent {
                        at,
                        mysis: None,
                        what,
                    }],
                )
            }
            Order::ShowRequest { name } => (self.request(&name, at), Vec::new()),
            Order::PoolAccounts(accounts) => (
                Ok(CompletedOrder::AccountsPooled(accounts.len())),
                Vec::new(),
            ),
            Order::Reload => (
                Ok(CompletedOrder::Reloaded(Reloaded::default())),
                Vec::new(),
            ),
            Order::ForgetHeld { .. } => done(CompletedAction::Forgotten),
            Order::RaiseBudget(_) => done(CompletedAction::BudgetRaised),
            Order::Freeze => frozen(Some(at), at),
            Order::Thaw => frozen(None, at),
            Order::Drain { is_draining, .. } => done(match is_draining {
                true => CompletedAction::Drained,
                false => CompletedAction::Undrained,
            }),
        }
    }

    fn order_mysis(
        &mut self,
        name: &str,
        order: MysisOrder,
        at: Timestamp,
    ) -> (OrderResult, Vec<SwarmEvent>) {
        match order {
            MysisOrder::Start => self.change(name, LifeState::Running, at),
            MysisOrder::Retry => {
                let (answer, events) = self.change(name, LifeState::Running, at);
                let retried = CompletedOrder::Done(CompletedAction::Retried);
                (answer.map(|_| retried), events)
            }
            MysisOrder::Stop => self.change(name, LifeState::Stopped, at),
            MysisOrder::Prompt(text) | MysisOrder::Note(text) => self.send(name, &text, at),
            MysisOrder::Mission(mission) => self.send(name, &mission.text, at),
            MysisOrder::ClearNotes => (
                Ok(CompletedOrder::Done(CompletedAction::NotesCleared)),
                Vec::new(),
            ),
            MysisOrder::Configure(change) => self.configure(name, &change, at),
            MysisOrder::Answer(_) => (Err(OrderRefusal::NoQuestion), Vec::new()),
            MysisOrder::EditRoutine(changes) => (routine::edited(&changes), Vec::new()),
            MysisOrder::StartRoutine(_) | MysisOrder::StopRoutine => {
                (Err(OrderRefusal::NoRoutine), Vec::new())
            }
            MysisOrder::Remind { at, .. } => {
                let id = format!("{name}:1").into();
                (Ok(CompletedOrder::Reminded { id, at }), Vec::new())
            }
            MysisOrder::CancelReminder(_) => {
                let done = CompletedAction::ReminderCancelled;
                (Ok(CompletedOrder::Done(done)), Vec::new())
            }
        }
    }

    /// The last request of a Mysis: a small one, always the same.
    fn request(&self, name: &str, at: Timestamp) -> OrderResult {
        self.id_of(name)?;
        let text = r#"{"model":"deepseek","messages":[
            {"role":"system","content":"You play SpaceMolt as one of a swarm."},
            {"role":"user","content":"Mine iron in Sol and sell it at Sol Central."},
            {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",
                "function":{"name":"get_status","arguments":"{}"}}]},
            {"role":"tool","content":"{\"credits\":548}","tool_call_id":"call_1"}],
            "temperature":0.7,"tools":[{"type":"function","function":{"name":"get_status",
                "description":"Where you are.","parameters":{"type":"object"}}}]}"#;
        Ok(CompletedOrder::Request(Box::new(SentRequest {
            at,
            provider: "openrouter".into(),
            body: text.into(),
            parts: RequestByteCounts {
                system: 71,
                orders: 78,
                words: 152,
                results: 83,
                tools: text.len() - 384,
            },
            change: None,
        })))
    }

    pub fn id_of(&self, name: &str) -> Result<MysisId, OrderRefusal> {
        let found = self.statuses.values().find(|status| &*status.name == name);
        found
            .map(|status| status.id)
            .ok_or_else(|| OrderRefusal::unknown_mysis(name, []))
    }

    fn create(&mut self, name: &str, start: bool, at: Timestamp) -> (OrderResult, Vec<SwarmEvent>) {
        if let Err(refusal) = check_name(name) {
            return (Err(refusal), Vec::new());
        }
        if self.id_of(name).is_ok() {
            return (Err(OrderRefusal::NameTaken(name.to_string())), Vec::new());
        }
        let id = self.add(name, at);
        let who = Some(MysisRef {
            id,
            name: name.into(),
        });
        let mut events = vec![SwarmEvent {
            at,
            mysis: who,
            what: EventKind::Roster(RosterChange::Created),
        }];
        events.extend(self.emit(id, at, Vec::new()));
        if start {
            events.extend(self.change(name, LifeState::Running, at).1);
        }
        (Ok(CompletedOrder::Created(id)), events)
    }

    pub fn change(
        &mut self,
        name: &str,
        to: LifeState,
        at: Timestamp,
    ) -> (OrderResult, Vec<SwarmEvent>) {
        let id = match self.id_of(name) {
            Ok(id) => id,
            Err(refusal) => return (Err(refusal), Vec::new()),
        };
        let status = self.statuses.get_mut(&id).expect("it stands");
        let from = status.state;
        if from == to {
            let refusal = if to == LifeState::Running {
                OrderRefusal::AlreadyRunning
            } else {
                OrderRefusal::AlreadyStopped
            };
            return (Err(refusal), Vec::new());
        }
        status.state = to;
        status.fault = None;
        status.reason = None;
        status.activity = Activity::Resting;
        status.activity_until = None;
        status.activity_since = at;
        let what = EventKind::StateChanged {
            from,
            to,
            reason: None,
        };
        let mut events = vec![SwarmEvent {
            at,
            mysis: Some(MysisRef {
                id,
                name: name.into(),
            }),
            what,
        }];
        events.extend(self.emit(id, at, Vec::new()));
        let done = if to == LifeState::Running {
            CompletedOrder::Done(CompletedAction::Started)
        } else {
            CompletedOrder::Done(CompletedAction::Stopped)
        };
        (Ok(done), events)
    }

    /// Lets a fault stop a Mysis.
    pub fn fail(&mut self, id: MysisId, text: &str, at: Timestamp) -> Vec<SwarmEvent> {
        let status = self.statuses.get_mut(&id).expect("it stands");
        let from = status.state;
        status.state = LifeState::Errored;
        status.reason = Some(text.into());
        status.fault = Some(MysisFault {
            kind: MysisFaultKind::Permanent,
            text: text.into(),
            at,
        });
        status.activity = Activity::Resting;
        status.activity_until = None;
        let who = MysisRef {
            id,
            name: status.name.clone(),
        };
        let what = EventKind::StateChanged {
            from,
            to: LifeState::Errored,
            reason: Some(text.into()),
        };
        let mut events = vec![SwarmEvent {
            at,
            mysis: Some(who),
            what,
        }];
        events.extend(self.host(id, at, Severity::Error, text));
        events
    }

    fn undelete(&mut self, name: &str, at: Timestamp) -> (OrderResult, Vec<SwarmEvent>) {
        if !self.deleted.remove(name) {
            let why = format!("no copy of `{name}` is kept here");
            return (Err(OrderRefusal::Because(why)), Vec::new());
        }
        let (created, events) = self.create(name, false, at);
        let undeleted = created.map(|_| CompletedOrder::Undeleted {
            name: name.into(),
            account: None,
        });
        (undeleted, events)
    }

    fn delete(&mut self, name: &str, at: Timestamp) -> (OrderResult, Vec<SwarmEvent>) {
        match self.id_of(name) {
            Err(refusal) => (Err(refusal), Vec::new()),
            Ok(id) => {
                self.statuses.remove(&id);
                self.deleted.insert(name.to_string());
                self.stored.with(|rows| rows.remove(&id));
                let mysis = Some(MysisRef {
                    id,
                    name: name.into(),
                });
                (
                    Ok(CompletedOrder::Done(CompletedAction::Deleted)),
                    vec![SwarmEvent {
                        at,
                        mysis,
                        what: EventKind::Roster(RosterChange::Deleted),
                    }],
                )
            }
        }
    }

    fn configure(
        &mut self,
        name: &str,
        change: &ProfileChange,
        at: Timestamp,
    ) -> (OrderResult, Vec<SwarmEvent>) {
        let temperature = change.temperature;
        if temperature.is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            return (Err(OrderRefusal::BadTemperature), Vec::new());
        }
        match self.id_of(name) {
            Err(refusal) => (Err(refusal), Vec::new()),
            Ok(id) => {
                let status = self.statuses.get_mut(&id).expect("it stands");
                status.temperature = temperature.or(status.temperature);
                if let Some(provider) = &change.provider {
                    Arc::make_mut(&mut status.profile).provider = provider.clone();
                }
                if let Some(Some(model)) = &change.model {
                    status.model = model.clone();
                }
                (
                    Ok(CompletedOrder::Done(CompletedAction::Configured)),
                    self.emit(id, at, Vec::new()),
                )
            }
        }
    }

    pub fn send(
        &mut self,
        name: &str,
        text: &str,
        at: Timestamp,
    ) -> (OrderResult, Vec<SwarmEvent>) {
        if let Err(refusal) = check_text(text) {
            return (Err(refusal), Vec::new());
        }
        let id = match self.id_of(name) {
            Ok(id) => id,
            Err(refusal) => return (Err(refusal), Vec::new()),
        };
        match self.statuses[&id].state {
            LifeState::Stopped => return (Err(OrderRefusal::Stopped), Vec::new()),
            LifeState::Errored => return (Err(OrderRefusal::Errored), Vec::new()),
            LifeState::Idle | LifeState::Running => {}
        }
        let turn = self.scripts[&id].turn;
        let row = self.store(id, row(turn, at, RowBody::Prompt { text: text.into() }));
        let done = CompletedOrder::Stored(row.seq);
        self.statuses.get_mut(&id).expect("it stands").state = LifeState::Running;
        (Ok(done), self.emit(id, at, vec![row]))
    }

    pub fn broadcast(&mut self, text: &str, at: Timestamp) -> (OrderResult, Vec<SwarmEvent>) {
        if let Err(refusal) = check_text(text) {
            return (Err(refusal), Vec::new());
        }
        let mission = MissionId(self.next_mission);
        self.next_mission += 1;
        self.mission = Some(text.into());
        let what = EventKind::Mission(self.mission.clone());
        let mut events = vec![SwarmEvent {
            at,
            mysis: None,
            what,
        }];
        let (mut delivered, mut missed) = (Vec::new(), Vec::new());
        for id in self.ids() {
            let name = self.statuses[&id].name.clone();
            if matches!(
                self.statuses[&id].state,
                LifeState::Stopped | LifeState::Errored
            ) {
                missed.push(name);
                continue;
            }
            let body = RowBody::Mission {
                id: mission,
                text: text.into(),
            };
            let row = self.store(id, row(self.scripts[&id].turn, at, body));
            self.statuses.get_mut(&id).expect("it stands").state = LifeState::Running;
            events.extend(self.emit(id, at, vec![row]));
            delivered.push(name);
        }
        (
            Ok(CompletedOrder::Broadcast {
                mission,
                delivered,
                missed,
                elsewhere: Vec::new(),
            }),
            events,
        )
    }
}

/// 2026-11-21, a quarter to midnight.
pub const START: Timestamp = Timestamp(1_795_304_700_000);

fn row(turn: i64, at: Timestamp, body: RowBody) -> Row {
    Row {
        seq: Seq(0),
        at,
        turn: TurnNumber(turn),
        body,
    }
}

fn status(script: &Script) -> String {
    serde_json::json!({
        "player": {
            "username": "QuillArdent", "empire": "solarian", "credits": script.credits,
            "current_system": "sol", "current_poi": "main_belt",
            "skills": {"mining": 2, "navigation": 1},
            "stats": {"ore_mined": 16, "trades_completed": 2, "systems_explored": 1},
        },
        "ship": {
            "name": "Theoria", "class_id": "theoria", "hull": 92, "max_hull": 100, "shield": 55,
            "max_shield": 55, "fuel": script.fuel, "max_fuel": 100, "cargo_used": script.cargo + 16,
            "cargo_capacity": 70,
            "cargo": [
                {"item_id": "iron_ore", "name": "Iron Ore", "quantity": 12 + script.cargo, "size": 1},
                {"item_id": "copper_ore", "name": "Copper Ore", "quantity": 4, "size": 1},
            ],
        },
    })
    .to_string()
}

/// The rules of a swarm with two providers.
pub fn rules() -> Arc<SwarmRules> {
    let provider = |model: &str| ProviderRules {
        model: model.into(),
        ..ProviderRules::default()
    };
    Arc::new(SwarmRules {
        max_myses: 1000,
        nudges: ["one", "two", "three"].map(Into::into).to_vec(),
        providers: BTreeMap::from([
            ("local".into(), provider("qwen3:8b")),
            ("openrouter".into(), provider("deepseek-v4")),
        ]),
        ..SwarmRules::default()
    })
}

/// The answer to an order that is done, without an event.
fn done(action: CompletedAction) -> (OrderResult, Vec<SwarmEvent>) {
    (Ok(CompletedOrder::Done(action)), Vec::new())
}

/// The answer to a freeze or a thaw, and its event.
fn frozen(since: Option<Timestamp>, at: Timestamp) -> (OrderResult, Vec<SwarmEvent>) {
    let what = EventKind::Condition(SwarmCondition::Freeze(since));
    let event = SwarmEvent {
        at,
        mysis: None,
        what,
    };
    (Ok(CompletedOrder::Frozen(since)), vec![event])
}
