//! Events of the swarm, and the status of one Mysis.

mod activity;
mod gist;
mod kind;
mod turn_news;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::failing_calls::FailingCalls;
use super::fault::MysisFault;
use super::game::GameRef;
use super::held::UndeliveredOrder;
use super::ids::{Lane, MysisId, Timestamp};
use super::memo::ShownMemos;
use super::progress::Stuck;
use super::record::{MysisProfile, MysisRecord};
use super::routine::{CircleOffer, RoutineStatus};
use super::rules::SwarmRules;
use super::samples::CurrentFigures;
use super::silence::{self, Silence};
use super::state::{LifeState, Totals};
use super::tier::TierPlace;

pub use activity::{AWAITING_LOGIN_PREFIX, Activity, ActivityFamily};
pub use gist::Gist;
pub use kind::{
    EventKind, MysisRef, MysisReport, RosterChange, SwarmCondition, SwarmEvent, TurnEvent,
};
pub use turn_news::TurnNews;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// There is no game server, or it has not been called yet.
    #[default]
    None,
    Ok,
    /// It does not work.
    Down,
    /// The server refuses access. The operator has to mend a token.
    NoAccess,
    /// It works, and the game refuses to log the Mysis in, with these words.
    LoginRefused(Arc<str>),
}

impl LinkState {
    /// The words on a screen.
    pub fn describe(&self) -> &'static str {
        match self {
            LinkState::None => "no session yet",
            LinkState::Ok => "session open",
            LinkState::Down => "tool server away",
            LinkState::NoAccess => "access refused",
            LinkState::LoginRefused(_) => "login refused",
        }
    }

    /// The word of CONTRACT.md.
    pub fn as_str(&self) -> &'static str {
        match self {
            LinkState::None => "none",
            LinkState::Ok => "ok",
            LinkState::Down | LinkState::NoAccess => "down",
            LinkState::LoginRefused(_) => "login_refused",
        }
    }

    /// Whether the Mysis can call the game's tools, or will be able to by itself.
    pub fn serves(&self) -> bool {
        match self {
            LinkState::None | LinkState::Ok => true,
            LinkState::Down | LinkState::NoAccess | LinkState::LoginRefused(_) => false,
        }
    }
}

/// The status of one Mysis, as it reports it. Everything that is shown about the Mysis comes from
/// here.
///
/// Its serialized form is what one process of a fleet writes down for the others (`status_memo`).
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct MysisStatus {
    #[serde(skip)]
    pub id: MysisId,
    pub name: Arc<str>,
    /// The profile in force, with what its role names. The Mysis itself is the only owner of it.
    #[serde(skip)]
    pub profile: Arc<MysisProfile>,
    pub own_profile: Arc<MysisProfile>,
    /// Whether it has a role that the configuration does not know.
    pub lacks_role: bool,
    pub model: Arc<str>,
    /// Its temperature; `None` if it sets none.
    pub temperature: Option<f32>,
    pub state: LifeState,
    pub reason: Option<Arc<str>>,
    pub fault: Option<MysisFault>,
    pub activity: Activity,
    #[serde(rename = "since")]
    pub activity_since: Timestamp,
    #[serde(rename = "until")]
    pub activity_until: Option<Timestamp>,
    pub account: Option<Arc<str>>,
    /// The game whose tools it has, once that is known.
    #[serde(skip)]
    pub game: Option<GameRef>,
    pub link: LinkState,
    /// Why it has no session with the tool server. Only its own process knows that.
    #[serde(skip)]
    pub link_fault: Option<Arc<str>>,
    pub tick: Option<i64>,
    /// The number of nudges in a row; `None` before it has reported.
    pub nudges: Option<u32>,
    pub totals: Totals,
    #[serde(rename = "created")]
    pub created_at: Timestamp,
    #[serde(rename = "active_at")]
    pub last_activity_at: Timestamp,
    pub link_since: Timestamp,
    /// How it is stuck; `None` if it is not.
    pub stuck: Option<Stuck>,
    /// Its silence, while it runs and no tool call succeeded since its start.
    #[serde(serialize_with = "silence::shared")]
    pub silence: Option<Arc<Silence>>,
    /// Its latest calls, while it runs and most of them failed.
    pub failing: Option<Arc<FailingCalls>>,
    /// Its last words on one line, while they are news.
    #[serde(rename = "words")]
    pub last_words: Arc<str>,
    /// The tool call that returned after its last words.
    #[serde(rename = "call")]
    pub last_tool_call: Option<Arc<LastToolCall>>,
    /// The duration of its last model call in milliseconds.
    #[serde(rename = "call_ms")]
    pub last_call_ms: Option<u64>,
    /// What the game told of it last, what it earned lately and what it costs.
    pub figures: Arc<CurrentFigures>,
    /// The tier of its provider and why, if its role names tiers.
    pub tier: Option<TierPlace>,
    pub routine: Option<Arc<RoutineStatus>>,
    /// What it repeats, and could leave to a routine.
    pub circle: Option<Arc<CircleOffer>>,
    #[serde(flatten)]
    pub memos: ShownMemos,
    /// The calls that its routines made without asking the model; `None` if that is not known.
    #[serde(rename = "spared")]
    pub saved_calls: Option<u64>,
    /// The order of the operator that its model does not get.
    pub undelivered: Option<Arc<UndeliveredOrder>>,
    /// The other process that runs it; `None` if this one does.
    #[serde(skip)]
    pub elsewhere: Option<Arc<Elsewhere>>,
}

/// The other process of the fleet that runs a Mysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    pub process: Arc<str>,
    /// Whether it does not renew its leases any more.
    pub is_gone: bool,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct LastToolCall {
    pub tool: Arc<str>,
    #[serde(default, rename = "failed")]
    pub is_error: bool,
    #[serde(default)]
    pub gist: Gist,
}

pub const PARKED_PREFIX: &str = "parked: ";

/// The beginning of the reason of an interrupted Mysis, which ran when the program ended and was
/// not started since.
pub const INTERRUPTED_PREFIX: &str = "interrupted: ";

/// Whether a reason says that the end of the program interrupted the Mysis.
pub fn is_interruption(reason: Option<&str>) -> bool {
    reason.is_some_and(|reason| reason.starts_with(INTERRUPTED_PREFIX))
}

impl MysisStatus {
    pub fn tool_server(&self) -> &'static str {
        self.game.unwrap_or_else(|| GameRef::of_key(None)).server()
    }

    /// Whether its tools may tell of money, places and levels: not if they are no game's.
    pub fn may_tell_facts(&self) -> bool {
        self.game.is_none_or(|game| game.tells_facts())
    }

    pub fn activity_words(&self) -> String {
        if matches!(self.activity, Activity::Queueing(Lane::Game)) {
            return format!("waiting for {}", self.tool_server());
        }
        self.activity.to_string()
    }

    /// Whether it is parked (`[progress]`).
    pub fn is_parked(&self) -> bool {
        let reason = self.reason.as_ref();
        self.state == LifeState::Idle
            && reason.is_some_and(|reason| reason.starts_with(PARKED_PREFIX))
    }

    /// Whether it ran when the program ended and was not started since.
    pub fn is_interrupted(&self) -> bool {
        self.state == LifeState::Idle && is_interruption(self.reason.as_deref())
    }

    /// The same status, marked as interrupted at a time that is not known yet.
    #[must_use]
    pub fn with_interruption(self) -> MysisStatus {
        let reason = format!("{INTERRUPTED_PREFIX}it ran when the program ended");
        MysisStatus {
            reason: Some(reason.into()),
            ..self
        }
    }

    /// The status of a Mysis before it has reported one.
    pub fn from_record(record: &MysisRecord, rules: &SwarmRules, now: Timestamp) -> MysisStatus {
        let own_profile = Arc::new(record.profile.clone());
        let profile = rules.profile_in_force(&own_profile, None);
        let provider = rules.providers.get(&profile.provider);
        let of_provider = || provider.map(|provider| provider.model.clone());
        MysisStatus {
            id: record.id,
            name: record.profile.name.clone(),
            model: profile
                .model
                .clone()
                .or_else(of_provider)
                .unwrap_or_default(),
            lacks_role: profile.role.is_some() && rules.roles.rules_of(&own_profile).is_none(),
            temperature: profile
                .temperature
                .or_else(|| provider.and_then(|provider| provider.temperature)),
            profile,
            own_profile,
            state: record.state.at_rest(),
            reason: record.reason.clone(),
            fault: record.fault.clone(),
            activity_since: now,
            account: record.account.clone(),
            link_since: now,
            totals: record.totals,
            created_at: record.created_at,
            last_activity_at: record.created_at,
            ..MysisStatus::default()
        }
    }

    /// The status as this process shows it while another one runs the Mysis. Of one that is gone,
    /// nobody knows what the Mysis does.
    pub fn as_seen_from_afar(&self, place: Arc<Elsewhere>) -> MysisStatus {
        let mut status = self.clone();
        if place.is_gone && self.state == LifeState::Running {
            let name = &place.process;
            let text = format!("its process {name} is gone; another one takes the Mysis over");
            status.activity = Activity::Paused(text.into());
            status.activity_until = None;
        }
        status.elsewhere = Some(place);
        status
    }

    /// Takes state and profile as they are stored, which may be newer than what was told.
    pub fn take_stored(&mut self, record: MysisRecord) {
        if self.state != record.state {
            self.state = record.state;
            self.reason = record.reason;
            self.fault = record.fault;
            self.activity = Activity::Resting;
            self.activity_until = None;
        }
        if *self.own_profile != record.profile {
            self.own_profile = Arc::new(record.profile);
            self.profile = self.own_profile.clone();
            self.model = self.profile.model.clone().unwrap_or_default();
        }
    }
}
