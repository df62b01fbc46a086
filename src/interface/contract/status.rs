//! The status of the program and of its Myses, and the costs.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::books::{BudgetUse, CostEntry, Day, SparedEntry};
use actors::domain::budget::BudgetStatus;
use actors::domain::event::MysisStatus;
use actors::domain::failing_calls::FailingCalls;
use actors::domain::ids::Timestamp;
use actors::domain::outages::{ServerLabel, ServerOutage, ServerOutages};
use actors::domain::record::AccountRecord;
use actors::domain::routine::{CircleOffer, RoutineStatus};
use actors::domain::state::LifeState;
use serde::Serialize;

use super::conditions::{NeedJson, ProxiedServerJson, WarningJson};
use super::question::QuestionJson;
use super::reminders::ReminderJson;
use super::samples::FiguresJson;
use super::units::to_dollars;

/// The program and its swarm in `status`.
#[derive(Debug, Serialize)]
pub struct ProgramStatusJson<'a> {
    /// The program's version.
    pub version: &'a str,
    /// Its process id.
    pub pid: u32,
    /// Its name among the processes of its database; `None` if it has the database for itself.
    pub process: Option<Arc<str>>,
    /// When it started.
    pub started_at: &'a str,
    /// The mission in force.
    pub mission: Option<String>,
    /// Why the store cannot be written; `None` if it can.
    pub trouble: Option<Arc<str>>,
    /// What else needs the operator and concerns the whole program.
    pub warnings: Vec<WarningJson<'a>>,
    /// What needs the operator, by cause.
    pub needs: Vec<NeedJson>,
    /// Since when the swarm is frozen; `None` if it is not.
    pub frozen_since: Option<String>,
    /// What is told where the swarm runs and nothing happens; `None` if it plays.
    pub silence: Option<Arc<str>>,
    /// The number of Myses in each state.
    pub states: BTreeMap<&'a str, usize>,
    /// The progress of the swarm's logins.
    pub arrival: Option<String>,
    /// The servers that do not serve: their lights are red.
    pub away: Vec<OutageJson<'a>>,
    /// The servers that may be in trouble: their lights are amber.
    pub doubtful: Vec<OutageJson<'a>>,
    /// The servers that are reached through a proxy.
    pub proxied: Vec<ProxiedServerJson>,
    /// The cost of today.
    pub today: SpendingJson,
    /// The Myses.
    pub myses: Vec<MysisStatusJson<'a>>,
}

/// A Mysis in `mysis list --json`.
#[derive(Debug, Serialize)]
pub struct MysisStatusJson<'a> {
    id: String,
    name: &'a str,
    provider: &'a str,
    model: &'a str,
    role: Option<&'a str>,
    role_known: Option<bool>,
    state: &'static str,
    reason: Option<&'a str>,
    activity: String,
    activity_until: Option<String>,
    account: Option<&'a str>,
    mcp: &'static str,
    tick: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<&'static str>,
    nudges: u32,
    turns: u64,
    tokens_in: u64,
    tokens_out: u64,
    cost: Option<f64>,
    last_activity_at: String,
    process: Option<&'a str>,
    failing: Option<String>,
    #[serde(flatten)]
    figures: FiguresJson,
    question: Option<QuestionJson<'a>>,
    tier: Option<TierJson<'a>>,
    routine: Option<RoutineJson<'a>>,
    circle: Option<CircleJson<'a>>,
    reminders: Option<Vec<ReminderJson<'a>>>,
    spared_calls: u64,
    not_delivered: Option<&'a str>,
}

/// The tier of a Mysis' provider.
#[derive(Debug, Serialize)]
struct TierJson<'a> {
    tier: u8,
    why: &'a str,
    since_turn: i64,
}

/// The routine that a Mysis runs.
#[derive(Debug, Serialize)]
struct RoutineJson<'a> {
    name: &'a str,
    source: &'static str,
    round: u32,
    rounds: u32,
    calls: u32,
    earned: i64,
    earned_an_hour: Option<i64>,
    text: String,
}

impl<'a> From<&'a RoutineStatus> for RoutineJson<'a> {
    fn from(routine: &'a RoutineStatus) -> Self {
        RoutineJson {
            name: &routine.name,
            source: routine.source.as_str(),
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
#[derive(Debug, Serialize)]
struct CircleJson<'a> {
    name: &'a str,
    earned: i64,
    rounds: u32,
    text: String,
}

impl<'a> From<&'a CircleOffer> for CircleJson<'a> {
    fn from(circle: &'a CircleOffer) -> Self {
        CircleJson {
            name: &circle.name,
            earned: circle.earned,
            rounds: circle.rounds,
            text: circle.describe(),
        }
    }
}

impl<'a> MysisStatusJson<'a> {
    /// The status of a Mysis now, while these servers are away.
    #[must_use]
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
            name: &status.name,
            provider: &status.profile.provider,
            model: &status.model,
            role: status.profile.role.as_deref(),
            role_known: status.profile.role.as_ref().map(|_| !status.lacks_role),
            state: status.state.as_str(),
            reason: status.reason.as_deref(),
            activity: match away {
                Some(away) => format!("waiting for {}: {}", ServerLabel(&away.lane), away.text),
                None => status.activity_words(),
            },
            activity_until: until.map(|at| at.to_string()),
            account: status.account.as_deref(),
            mcp: status.link.as_str(),
            tick: status.tick,
            game: status.game.and_then(|game| game.stored_key()),
            nudges: status.nudges,
            turns: status.totals.turns,
            tokens_in: status.totals.tokens_in,
            tokens_out: status.totals.tokens_out,
            cost: (is_price_known || status.totals.cost_micros > 0)
                .then(|| to_dollars(status.totals.cost_micros)),
            last_activity_at: status.last_activity_at.to_string(),
            process: status.elsewhere.as_ref().map(|place| &*place.process),
            failing: status.failing.as_deref().map(FailingCalls::why),
            figures: FiguresJson::new(&status.figures, is_price_known, now),
            question: status.activity.question().map(|open| (&**open).into()),
            tier: status.tier.as_ref().map(|place| TierJson {
                tier: place.tier,
                why: &place.why,
                since_turn: place.since.0,
            }),
            routine: status.routine.as_deref().map(Into::into),
            circle: status.circle.as_deref().map(Into::into),
            reminders: status.reminders.as_deref().map(|reminders| {
                let all = reminders.iter();
                all.map(|one| ReminderJson::new(&status.name, one))
                    .collect()
            }),
            spared_calls: status.spared_calls,
            not_delivered: status.undelivered.as_ref().map(|order| &*order.why),
        }
    }

    /// The same of a Mysis that this process runs, whose name is given unless it has the database
    /// for itself. Another process' Mysis keeps the name of that one.
    #[must_use]
    pub fn in_process(mut self, name: Option<&'a str>) -> Self {
        self.process = self.process.or(name);
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

/// A server that is away in `status`.
#[derive(Debug, Serialize)]
pub struct OutageJson<'a> {
    server: String,
    since: String,
    text: &'a str,
    next_try: String,
    needs_operator: bool,
}

impl<'a> OutageJson<'a> {
    /// An outage as it is now. A try that is due, and that no Mysis wants yet, is due now.
    #[must_use]
    pub fn new(away: &'a ServerOutage, now: Timestamp) -> Self {
        OutageJson {
            server: ServerLabel(&away.lane).to_string(),
            since: away.since.to_string(),
            text: &away.text,
            next_try: away.next_try.max(now).to_string(),
            needs_operator: away.needs_operator,
        }
    }
}

/// The cost of today in `status`, and its share of the budget.
#[derive(Debug, Serialize)]
pub struct SpendingJson {
    #[serde(flatten)]
    spent: BudgetUseJson,
    tokens_without_price: u64,
    day: String,
    budget_percent: Option<u64>,
}

impl SpendingJson {
    /// The cost so far.
    #[must_use]
    pub fn new(spending: &BudgetStatus, now: Timestamp) -> Self {
        let today = Day::of(now);
        let (spent, unpriced_tokens) = match spending.day == today {
            true => (spending.swarm, spending.unpriced_tokens),
            false => (BudgetUse::default(), 0),
        };
        SpendingJson {
            spent: BudgetUseJson::new(&spent, unpriced_tokens == 0),
            tokens_without_price: unpriced_tokens,
            day: today.to_string(),
            budget_percent: spending.percent_at(now),
        }
    }
}

/// A line of the books in `books --json`. A deleted Mysis has no name.
#[derive(Debug, Serialize)]
pub struct CostEntryJson<'a> {
    #[serde(flatten)]
    spent: BudgetUseJson,
    day: String,
    mysis: Option<&'a str>,
    mysis_id: String,
    provider: Option<&'a str>,
    spared_calls: u64,
}

impl<'a> CostEntryJson<'a> {
    /// A line of the Mysis with this name. A provider that is free of charge costs nothing, even without a known
    /// price.
    #[must_use]
    pub fn new(entry: &'a CostEntry, name: Option<&'a str>, is_free: bool) -> Self {
        CostEntryJson {
            spent: BudgetUseJson::new(&entry.spent, is_free),
            day: entry.day.to_string(),
            mysis: name,
            mysis_id: entry.mysis.to_string(),
            provider: Some(&entry.provider),
            spared_calls: 0,
        }
    }

    /// A line of the routines of the Mysis with this name: they asked no provider, and cost nothing.
    #[must_use]
    pub fn of_routines(entry: &SparedEntry, name: Option<&'a str>) -> Self {
        CostEntryJson {
            spent: BudgetUseJson::new(&BudgetUse::default(), true),
            day: entry.day.to_string(),
            mysis: name,
            mysis_id: entry.mysis.to_string(),
            provider: None,
            spared_calls: entry.calls,
        }
    }
}

#[derive(Debug, Serialize)]
struct BudgetUseJson {
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    tokens_cached: u64,
    cost: Option<f64>,
}

impl BudgetUseJson {
    /// A cost of 0 is shown only if all tokens had a price. Otherwise it is unknown, not 0.
    fn new(spent: &BudgetUse, is_all_priced: bool) -> Self {
        let is_known = is_all_priced || spent.cost_micros > 0 || spent.tokens() == 0;
        BudgetUseJson {
            calls: spent.calls,
            tokens_in: spent.input,
            tokens_out: spent.output,
            tokens_cached: spent.cached,
            cost: is_known.then(|| to_dollars(spent.cost_micros)),
        }
    }
}

/// A game account in `accounts list --json`, without its password.
#[derive(Debug, Serialize)]
pub struct AccountJson<'a> {
    username: &'a str,
    assigned_to: Option<&'a str>,
    last_used_at: Option<String>,
}

impl<'a> AccountJson<'a> {
    /// An account of the Mysis with this name.
    #[must_use]
    pub fn new(account: &'a AccountRecord, owner: Option<&'a str>) -> Self {
        AccountJson {
            username: &account.account.username,
            assigned_to: owner,
            last_used_at: account.last_used_at.map(|at| at.to_string()),
        }
    }
}
