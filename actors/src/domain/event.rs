//! Events: what the swarm tells those who watch it, and how one Mysis stands.

use std::fmt;
use std::sync::Arc;

use super::budget::BudgetStatus;
use super::fault::MysisFault;
use super::ids::{Incarnation, Lane, MysisId, Timestamp};
use super::message::{Row, Severity};
use super::model::{AnswerProgress, TokenUsage};
use super::outages::ServerOutages;
use super::progress::Stuck;
use super::record::{GameAccount, MysisProfile, MysisRecord};
use super::rules::SwarmRules;
use super::state::{LifeState, Totals};

/// What a Mysis is doing; for display only, nothing decides by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    Resting,
    /// Reads its past from the store.
    Rebuilding,
    /// Waits for the next turn.
    Pausing,
    /// Waits until it may ask or log in.
    Queueing(Lane),
    /// Opens its session with the game server.
    Connecting,
    /// Waits for the model's answer.
    CallingModel,
    /// Gets the model's answer, piece by piece.
    Answering(AnswerProgress),
    /// Waits to try again.
    CoolingDown(Arc<str>),
    /// Waits for a tool's answer.
    CallingTool(Arc<str>),
    /// Waits for the ship to arrive.
    Travelling,
    /// Waits for what it mines.
    Mining,
    /// Waits for the outcome of an action in a fight.
    Fighting,
    /// Between two turns, while the game says that the ship is under way.
    InTransit,
    /// Between two turns, while the game says that the ship cools down from an action.
    OnCooldown,
    /// Waits for the store.
    Recording,
    /// Holds still although it runs, and why.
    Paused(Arc<str>),
}

impl Activity {
    /// Before which lane it waits, where it does.
    #[must_use]
    pub fn awaited_lane(&self) -> Option<&Lane> {
        if let Activity::Queueing(lane) = self {
            return Some(lane);
        }
        None
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activity::Resting => f.write_str("resting"),
            Activity::Rebuilding => f.write_str("rebuilding"),
            Activity::Pausing => f.write_str("between turns"),
            Activity::Queueing(Lane::Provider(name)) => write!(f, "waiting for {name}"),
            Activity::Queueing(Lane::Logins) => f.write_str("waiting to log in"),
            Activity::Queueing(Lane::Game) => f.write_str("waiting for the game server"),
            Activity::Connecting => f.write_str("connecting"),
            Activity::CallingModel => f.write_str("calling the model"),
            Activity::Answering(arrived) => match arrived.describe_progress() {
                (true, size) => write!(f, "thinking, {size}"),
                (false, size) => write!(f, "answering, {size}"),
            },
            Activity::CoolingDown(why) => write!(f, "cooling down: {why}"),
            Activity::CallingTool(tool) => write!(f, "calling {tool}"),
            Activity::Travelling => f.write_str("travelling"),
            Activity::Mining => f.write_str("mining"),
            Activity::Fighting => f.write_str("fighting"),
            Activity::InTransit => f.write_str("in transit"),
            Activity::OnCooldown => f.write_str("on cooldown"),
            Activity::Recording => f.write_str("recording"),
            Activity::Paused(why) => write!(f, "paused: {why}"),
        }
    }
}

/// How a Mysis' session with the game server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// There is no game server, or it has not been called yet.
    None,
    /// It works.
    Ok,
    /// It does not.
    Down,
}

impl LinkState {
    /// The word of CONTRACT.md.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LinkState::None => "none",
            LinkState::Ok => "ok",
            LinkState::Down => "down",
        }
    }
}

/// How one Mysis stands, as it says itself. Everything that is shown of it comes from here.
#[derive(Clone, Debug, PartialEq)]
pub struct MysisStatus {
    /// Who.
    pub id: MysisId,
    /// Its name.
    pub name: Arc<str>,
    /// Its profile, whose only owner it is itself.
    pub profile: Arc<MysisProfile>,
    /// Its model.
    pub model: Arc<str>,
    /// Its temperature, if it sets one.
    pub temperature: Option<f32>,
    /// Its state.
    pub state: LifeState,
    /// Why it is in that state, where there is a reason.
    pub reason: Option<Arc<str>>,
    /// The fault behind an errored state.
    pub fault: Option<MysisFault>,
    /// What it is doing.
    pub activity: Activity,
    /// Since when.
    pub activity_since: Timestamp,
    /// Until when, where that is known.
    pub activity_until: Option<Timestamp>,
    /// Its game account.
    pub account: Option<Arc<str>>,
    /// Its session with the game server.
    pub link: LinkState,
    /// The newest game tick it has heard of.
    pub tick: Option<i64>,
    /// Nudges given in a row.
    pub nudges: u32,
    /// What it has used up.
    pub totals: Totals,
    /// When it last did or heard something.
    pub last_activity_at: Timestamp,
    /// Since when its session stands like that.
    pub link_since: Timestamp,
    /// Turns that lead nowhere, while it takes such.
    pub stuck: Option<Stuck>,
    /// The last thing it said, while that is news; one line.
    pub last_words: Arc<str>,
    /// The tool call that came back after that, if any did.
    pub last_tool_call: Option<Arc<LastToolCall>>,
    /// How long its last model call took, in milliseconds.
    pub last_call_ms: Option<u64>,
}

/// A tool call that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastToolCall {
    /// The tool.
    pub tool: Arc<str>,
    /// Whether it failed.
    pub is_error: bool,
    /// What its result says, in short; one line.
    pub gist: Box<str>,
}

/// How the reason of one begins that was put to rest since it got nowhere.
pub const PARKED_PREFIX: &str = "parked: ";

/// How the reason of one begins that ran when the program ended, and that nobody started since.
pub const INTERRUPTED_PREFIX: &str = "interrupted: ";

/// Whether a reason says that the end of the program interrupted a Mysis.
#[must_use]
pub fn is_interruption(reason: Option<&str>) -> bool {
    reason.is_some_and(|reason| reason.starts_with(INTERRUPTED_PREFIX))
}

impl MysisStatus {
    /// Whether it was put to rest since it got nowhere (`[progress]`).
    #[must_use]
    pub fn is_parked(&self) -> bool {
        let reason = self.reason.as_ref();
        self.state == LifeState::Idle
            && reason.is_some_and(|reason| reason.starts_with(PARKED_PREFIX))
    }

    /// Whether it ran when the program ended, and nobody started it since.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.state == LifeState::Idle && is_interruption(self.reason.as_deref())
    }

    /// The same of one that ran when the program ended, and until when is not known yet.
    #[must_use]
    pub fn with_interruption(self) -> MysisStatus {
        let reason = format!("{INTERRUPTED_PREFIX}it ran when the program ended");
        MysisStatus {
            reason: Some(reason.into()),
            ..self
        }
    }

    /// How a Mysis stands before it has said so itself.
    #[must_use]
    pub fn from_record(record: &MysisRecord, rules: &SwarmRules, now: Timestamp) -> MysisStatus {
        let provider = rules.providers.get(&record.profile.provider);
        let of_provider = || provider.map(|provider| provider.model.clone());
        MysisStatus {
            id: record.id,
            name: record.profile.name.clone(),
            profile: Arc::new(record.profile.clone()),
            model: record
                .profile
                .model
                .clone()
                .or_else(of_provider)
                .unwrap_or_default(),
            temperature: record
                .profile
                .temperature
                .or_else(|| provider.and_then(|provider| provider.temperature)),
            state: record.state.at_rest(),
            reason: record.reason.clone(),
            fault: record.fault.clone(),
            activity: Activity::Resting,
            activity_since: now,
            activity_until: None,
            account: record.account.clone(),
            link: LinkState::None,
            link_since: now,
            stuck: None,
            tick: None,
            nudges: 0,
            totals: record.totals,
            last_activity_at: record.created_at,
            last_words: "".into(),
            last_tool_call: None,
            last_call_ms: None,
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct SwarmEvent {
    /// When.
    pub at: Timestamp,
    /// To whom; absent: to the swarm.
    pub mysis: Option<MysisRef>,
    /// What.
    pub what: EventKind,
}

/// A Mysis by id and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MysisRef {
    /// Its id.
    pub id: MysisId,
    /// Its name.
    pub name: Arc<str>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A Mysis exists now.
    Created,
    /// A Mysis is gone.
    Deleted,
    /// A Mysis changed its state.
    StateChanged {
        /// Before.
        from: LifeState,
        /// Now.
        to: LifeState,
        /// Why, where there is a reason.
        reason: Option<Arc<str>>,
    },
    /// A Mysis began a turn.
    TurnStarted,
    /// The model answered.
    ModelReplied {
        /// What it cost, as reported.
        usage: Option<TokenUsage>,
        /// How long it took.
        ms: u64,
    },
    /// A tool call left.
    ToolCalled {
        /// The tool.
        tool: Arc<str>,
        /// The call's id as the model gave it.
        call_id: Arc<str>,
    },
    /// A tool call's result is there.
    ToolReturned {
        /// The tool.
        tool: Arc<str>,
        /// The call's id as the model gave it.
        call_id: Arc<str>,
        /// Whether it failed.
        is_error: bool,
        /// How long it took.
        ms: u64,
    },
    /// A row is stored.
    Stored(Arc<Row>),
    /// The mission changed; absent: there is none any more.
    Mission(Option<Arc<str>>),
    /// How a Mysis stands now.
    StatusChanged(Arc<MysisStatus>),
    /// How the budget of the day stands now.
    BudgetChanged(Arc<BudgetStatus>),
    /// Which servers are away now.
    OutagesChanged(Arc<ServerOutages>),
    /// A game account and its password became known; for the Commander alone.
    Learned(GameAccount),
    /// Something about the whole program that the operator should know.
    Notice {
        /// How much it matters.
        severity: Severity,
        /// A short stable word for it.
        code: &'static str,
        /// The notice.
        text: Arc<str>,
    },
    /// The program is closing.
    Shutdown,
}

/// What one life of a Mysis tells its Commander.
#[derive(Clone, Debug)]
pub struct MysisReport {
    /// Who.
    pub mysis: MysisId,
    /// Which life; reports of an older one are dropped.
    pub incarnation: Incarnation,
    /// What happened.
    pub event: SwarmEvent,
}
