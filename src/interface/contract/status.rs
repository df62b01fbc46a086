//! The status of the program, its servers and processes, and the costs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actors::domain::books::{BudgetUse, CostEntry, Day, SavedCalls};
use actors::domain::budget::BudgetStatus;
use actors::domain::fleet_process::FleetProcess;
use actors::domain::ids::Timestamp;
use actors::domain::outages::{ServerLabel, ServerOutage};
use actors::domain::record::AccountRecord;
use serde::{Deserialize, Serialize};

use super::conditions::{NeedJson, ProxiedServerJson, WarningJson};
use super::mysis::MysisStatusJson;
use super::units::to_dollars;

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ProgramStatusJson<'a> {
    pub version: Cow<'a, str>,
    pub pid: u32,
    /// Its name among the processes of its database; `None` if it has the database for itself.
    pub process: Option<Cow<'a, str>>,
    pub started_at: Cow<'a, str>,
    pub mission: Option<String>,
    /// Why the store cannot be written; `None` if it can.
    pub trouble: Option<Cow<'a, str>>,
    /// What else needs the operator and concerns the whole program.
    pub warnings: Vec<WarningJson<'a>>,
    /// What needs the operator, by cause.
    pub needs: Vec<NeedJson>,
    /// Since when the swarm is frozen; `None` if it is not.
    pub frozen_since: Option<String>,
    /// What is told where the swarm runs and nothing happens; `None` if it plays.
    pub silence: Option<Cow<'a, str>>,
    pub states: BTreeMap<Cow<'a, str>, usize>,
    /// The progress of the swarm's logins.
    pub arrival: Option<String>,
    /// The servers that do not serve: their lights are red.
    pub away: Vec<OutageJson<'a>>,
    /// The servers that may be in trouble: their lights are amber.
    pub doubtful: Vec<OutageJson<'a>>,
    /// The servers that are reached through a proxy.
    pub proxied: Vec<ProxiedServerJson>,
    /// The credits in all wallets; `None` if no result told of any.
    pub credits: Option<i64>,
    /// What all Myses earned in the last hour; likewise.
    pub earned_last_hour: Option<i64>,
    /// The number that the operator named, of all Myses; `None` if no result told of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<NumberJson>,
    pub today: SpendingJson,
    pub myses: Vec<MysisStatusJson<'a>>,
}

/// The number that the operator named (`[mcp] number`) in `status`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct NumberJson {
    pub name: String,
    pub sum: i64,
    /// By how much that changed in the last hour.
    pub last_hour: i64,
}

/// A server that is away in `status`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct OutageJson<'a> {
    pub server: String,
    pub since: String,
    pub text: Cow<'a, str>,
    /// When it is tried again.
    pub next_try: String,
    /// Whether only the operator can help.
    pub needs_operator: bool,
}

impl<'a> OutageJson<'a> {
    /// An outage as it is now. A try that is due, and that no Mysis wants yet, is due now.
    pub fn new(away: &'a ServerOutage, now: Timestamp) -> Self {
        OutageJson {
            server: ServerLabel(&away.lane).to_string(),
            since: away.since.to_string(),
            text: away.text.as_ref().into(),
            next_try: away.next_try.max(now).to_string(),
            needs_operator: away.needs_operator,
        }
    }
}

/// The cost of today in `status`, and its share of the budget.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SpendingJson {
    #[serde(flatten)]
    pub spent: BudgetUseJson,
    /// Tokens whose price is not known.
    pub tokens_without_price: u64,
    /// The day (UTC).
    pub day: String,
    pub budget_percent: Option<u64>,
}

impl SpendingJson {
    /// The cost so far.
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
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct CostEntryJson<'a> {
    #[serde(flatten)]
    pub spent: BudgetUseJson,
    /// The day (UTC).
    pub day: String,
    /// The Mysis; `None` if it was deleted.
    pub mysis: Option<Cow<'a, str>>,
    pub mysis_id: String,
    /// The provider; `None` for what routines spared.
    pub provider: Option<Cow<'a, str>>,
    /// Calls that routines spared.
    pub spared_calls: u64,
}

impl<'a> CostEntryJson<'a> {
    /// A line of the Mysis with this name. A provider that is free of charge costs nothing, even without a known
    /// price.
    pub fn new(entry: &'a CostEntry, name: Option<&'a str>, is_free: bool) -> Self {
        CostEntryJson {
            spent: BudgetUseJson::new(&entry.spent, is_free),
            day: entry.day.to_string(),
            mysis: name.map(Cow::from),
            mysis_id: entry.mysis.to_string(),
            provider: Some(entry.provider.as_ref().into()),
            spared_calls: 0,
        }
    }

    /// A line of the routines of the Mysis with this name: they asked no provider, and cost nothing.
    pub fn of_routines(entry: &SavedCalls, name: Option<&'a str>) -> Self {
        CostEntryJson {
            spent: BudgetUseJson::new(&BudgetUse::default(), true),
            day: entry.day.to_string(),
            mysis: name.map(Cow::from),
            mysis_id: entry.mysis.to_string(),
            provider: None,
            spared_calls: entry.calls,
        }
    }
}

/// Sums of model calls.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct BudgetUseJson {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The part of the request tokens that the provider had cached.
    pub tokens_cached: u64,
    /// Dollars; `None` where no price is known.
    pub cost: Option<f64>,
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
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct AccountJson<'a> {
    pub username: Cow<'a, str>,
    pub assigned_to: Option<Cow<'a, str>>,
    /// When it was used last.
    pub last_used_at: Option<String>,
}

impl<'a> AccountJson<'a> {
    pub fn new(account: &'a AccountRecord, owner: Option<&'a str>) -> Self {
        AccountJson {
            username: account.account.username.as_ref().into(),
            assigned_to: owner.map(Cow::from),
            last_used_at: account.last_used_at.map(|at| at.to_string()),
        }
    }
}

/// A process of those that share a database.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ProcessJson<'a> {
    pub name: Cow<'a, str>,
    /// The machine.
    pub host: Cow<'a, str>,
    /// Its home there.
    pub directory: Cow<'a, str>,
    pub version: Cow<'a, str>,
    pub state: Cow<'a, str>,
    pub here: bool,
    /// How many Myses it can run.
    pub capacity: u64,
    pub myses: u64,
    pub running: u64,
    pub since: String,
    /// When it was heard of last, if it is gone.
    pub until: Option<String>,
}

impl<'a> From<&'a FleetProcess> for ProcessJson<'a> {
    fn from(process: &'a FleetProcess) -> Self {
        ProcessJson {
            name: process.name.as_ref().into(),
            host: process.host.as_ref().into(),
            directory: process.directory.as_ref().into(),
            version: process.version.as_ref().into(),
            state: process.state.as_str().into(),
            here: process.is_here,
            capacity: process.capacity,
            myses: process.myses,
            running: process.running,
            since: process.since.to_string(),
            until: process.until.map(|at| at.to_string()),
        }
    }
}
