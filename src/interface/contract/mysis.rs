//! The status of a Mysis.

use std::borrow::Cow;

use actors::domain::event::MysisStatus;
use actors::domain::failing_calls::FailingCalls;
use actors::domain::ids::Timestamp;
use actors::domain::memo::reminder::Reminder;
use actors::domain::outages::{ServerLabel, ServerOutages};
use actors::domain::routine::{CircleOffer, RoutineStatus};
use actors::domain::state::LifeState;
use serde::{Deserialize, Serialize};

use super::question::QuestionJson;
use super::samples::FiguresJson;
use super::units::to_dollars;

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MysisStatusJson<'a> {
    pub id: String,
    pub name: Cow<'a, str>,
    pub provider: Cow<'a, str>,
    pub model: Cow<'a, str>,
    pub role: Option<Cow<'a, str>>,
    pub role_known: Option<bool>,
    pub state: Cow<'a, str>,
    /// Why it is in this state.
    pub reason: Option<Cow<'a, str>>,
    pub activity: String,
    /// Until when, where that is known.
    pub activity_until: Option<String>,
    pub account: Option<Cow<'a, str>>,
    /// How it is linked to the game.
    pub mcp: Cow<'a, str>,
    pub tick: Option<i64>,
    /// The game that it plays, if its tools are of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<Cow<'a, str>>,
    /// Nudges in a row; `None` before it has reported.
    pub nudges: Option<u32>,
    pub turns: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// What it cost in dollars; `None` where no price is known.
    pub cost: Option<f64>,
    /// When it did anything last.
    pub last_activity_at: String,
    /// The process that runs it, where several share a database.
    pub process: Option<Cow<'a, str>>,
    /// Why its calls fail, if they do.
    pub failing: Option<String>,
    /// What the game told of it, and what it earns.
    #[serde(flatten)]
    pub figures: FiguresJson,
    pub question: Option<QuestionJson<'a>>,
    pub tier: Option<TierJson<'a>>,
    pub routine: Option<RoutineJson<'a>>,
    pub circle: Option<CircleJson<'a>>,
    /// The messages that the operator left for later.
    pub reminders: Option<Vec<ReminderJson<'a>>>,
    /// Model calls that routines saved; `None` if that is not known.
    pub spared_calls: Option<u64>,
    /// Why an order is not delivered.
    pub not_delivered: Option<Cow<'a, str>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct TierJson<'a> {
    tier: u8,
    why: Cow<'a, str>,
    since_turn: i64,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct RoutineJson<'a> {
    pub name: Cow<'a, str>,
    source: Cow<'a, str>,
    round: u32,
    rounds: u32,
    calls: u32,
    earned: i64,
    earned_an_hour: Option<i64>,
    /// How far it is, in words.
    pub text: String,
}

impl<'a> From<&'a RoutineStatus> for RoutineJson<'a> {
    fn from(routine: &'a RoutineStatus) -> Self {
        RoutineJson {
            name: routine.name.as_ref().into(),
            source: routine.source.as_str().into(),
            round: routine.round,
            rounds: routine.rounds,
            calls: routine.calls,
            earned: routine.earned,
            earned_an_hour: routine.earned_an_hour,
            text: routine.describe(),
        }
    }
}

/// What a Mysis repeats, and could leave to a routine of this name.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct CircleJson<'a> {
    pub name: Cow<'a, str>,
    earned: i64,
    rounds: u32,
    /// What it is, in words.
    pub text: String,
}

impl<'a> From<&'a CircleOffer> for CircleJson<'a> {
    fn from(circle: &'a CircleOffer) -> Self {
        CircleJson {
            name: circle.name.as_ref().into(),
            earned: circle.earned,
            rounds: circle.rounds,
            text: circle.describe(),
        }
    }
}

/// A message that the operator left for later.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ReminderJson<'a> {
    /// By which it is cancelled.
    pub id: String,
    /// When it is due.
    pub at: String,
    pub text: Cow<'a, str>,
}

impl<'a> ReminderJson<'a> {
    pub(crate) fn new(mysis: &str, reminder: &'a Reminder) -> ReminderJson<'a> {
        ReminderJson {
            id: reminder.id(mysis),
            at: reminder.at.to_string(),
            text: reminder.text.as_ref().into(),
        }
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ListedReminderJson<'a> {
    /// Whose it is.
    pub mysis: Cow<'a, str>,
    pub state: Cow<'a, str>,
    #[serde(flatten)]
    pub reminder: ReminderJson<'a>,
}

impl<'a> ListedReminderJson<'a> {
    pub fn new(status: &'a MysisStatus, reminder: &'a Reminder) -> ListedReminderJson<'a> {
        ListedReminderJson {
            mysis: status.name.as_ref().into(),
            state: status.state.as_str().into(),
            reminder: ReminderJson::new(&status.name, reminder),
        }
    }
}

fn tier_of(status: &MysisStatus) -> Option<TierJson<'_>> {
    status.tier.as_ref().map(|place| TierJson {
        tier: place.tier,
        why: place.why.as_ref().into(),
        since_turn: place.since.0,
    })
}

fn reminders_of(status: &MysisStatus) -> Option<Vec<ReminderJson<'_>>> {
    let reminders = status.memos.reminders.as_deref()?.iter();
    let listed = reminders.map(|one| ReminderJson::new(&status.name, one));
    Some(listed.collect())
}

impl<'a> MysisStatusJson<'a> {
    /// The status of a Mysis now, while these servers are away.
    pub fn new(
        status: &'a MysisStatus,
        is_price_known: bool,
        outages: &ServerOutages,
        now: Timestamp,
    ) -> Self {
        let lane = status.activity.awaited_lane();
        let away = lane.and_then(|lane| outages.of(lane));
        let until = away.map(|away| away.next_try.max(now));
        let until = until.or(status.activity_until);
        MysisStatusJson {
            id: status.id.to_string(),
            name: status.name.as_ref().into(),
            provider: status.profile.provider.as_ref().into(),
            model: status.model.as_ref().into(),
            role: status.profile.role.as_deref().map(Cow::from),
            role_known: status.profile.role.as_ref().map(|_| !status.lacks_role),
            state: status.state.as_str().into(),
            reason: status.reason.as_deref().map(Cow::from),
            activity: match away {
                Some(away) => format!("waiting for {}: {}", ServerLabel(&away.lane), away.text),
                None => status.activity_words(),
            },
            activity_until: until.map(|at| at.to_string()),
            account: status.account.as_deref().map(Cow::from),
            mcp: status.link.as_str().into(),
            tick: status.tick,
            game: status
                .game
                .and_then(|game| game.stored_key())
                .map(Cow::from),
            nudges: status.nudges,
            turns: status.totals.turns,
            tokens_in: status.totals.tokens_in,
            tokens_out: status.totals.tokens_out,
            cost: (is_price_known || status.totals.cost_micros > 0)
                .then(|| to_dollars(status.totals.cost_micros)),
            last_activity_at: status.last_activity_at.to_string(),
            process: status
                .elsewhere
                .as_ref()
                .map(|place| (&*place.process).into()),
            failing: status.failing.as_deref().map(FailingCalls::why),
            figures: FiguresJson::new(&status.figures, is_price_known, now),
            question: status.activity.question().map(|open| (&**open).into()),
            tier: tier_of(status),
            routine: status.routine.as_deref().map(Into::into),
            circle: status.circle.as_deref().map(Into::into),
            reminders: reminders_of(status),
            spared_calls: status.saved_calls,
            not_delivered: status
                .undelivered
                .as_ref()
                .map(|order| (&*order.why).into()),
        }
    }

    /// The same of a Mysis that this process runs, whose name is given unless it has the database
    /// for itself. Another process' Mysis keeps the name of that one.
    #[must_use]
    pub fn in_process(mut self, name: Option<&'a str>) -> Self {
        self.process = self.process.or(name.map(Cow::from));
        self
    }

    /// The same while the swarm is frozen: who runs stands still, unless it hears out what had left.
    #[must_use]
    pub fn when_frozen(mut self, status: &MysisStatus) -> Self {
        let is_here = status.elsewhere.is_none();
        let stands = is_here && !status.activity.goes_on_when_frozen();
        if status.state == LifeState::Running && stands {
            self.activity = "frozen".to_string();
            self.activity_until = None;
        }
        self
    }
}
