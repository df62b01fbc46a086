//! The answers to orders and queries.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actors::domain::order::CompletedOrder;
use serde::{Deserialize, Serialize};

/// The answer to an order through the control interface.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletedOrderJson<'a> {
    Created(String),
    Seq(i64),
    Cleared(bool),
    /// The number of imported accounts.
    Accounts(usize),
    /// Since when the swarm is frozen; none if it is not.
    Frozen(Option<String>),
    /// The process that carries the order out, which is stored.
    Passed(&'a str),
    Routine(serde_json::Value),
    Reminder {
        id: &'a str,
        at: String,
    },
    /// A Mysis that is back: its name, and its game account if it has it again.
    #[serde(untagged)]
    Undeleted {
        undeleted: &'a str,
        account: Option<&'a str>,
    },
    /// The order was carried out. The key is its word.
    #[serde(untagged)]
    Done(BTreeMap<&'static str, bool>),
    /// The recipients of a mission.
    #[serde(untagged)]
    Broadcast {
        delivered: Vec<&'a str>,
        /// The Myses that inherit it when they run again.
        missed: Vec<&'a str>,
        /// The Myses of other processes, which give it to them within seconds.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        elsewhere: Vec<&'a str>,
    },
    /// The changes of the configuration.
    #[serde(untagged)]
    Reloaded {
        /// The changes in force now.
        at_once: &'a [String],
        /// The changes that need a restart.
        after_a_restart: &'a [String],
    },
    #[serde(untagged)]
    Request {
        at: String,
        provider: &'a str,
        body: &'a str,
    },
}

impl<'a> From<&'a CompletedOrder> for CompletedOrderJson<'a> {
    fn from(done: &'a CompletedOrder) -> Self {
        match done {
            CompletedOrder::Created(id) => CompletedOrderJson::Created(id.to_string()),
            CompletedOrder::Done(action) => {
                CompletedOrderJson::Done([(action.as_str(), true)].into())
            }
            CompletedOrder::Undeleted { name, account } => CompletedOrderJson::Undeleted {
                undeleted: name,
                account: account.as_deref(),
            },
            CompletedOrder::Stored(seq) => CompletedOrderJson::Seq(seq.0),
            CompletedOrder::Broadcast {
                mission: _,
                delivered,
                missed,
                elsewhere,
            } => CompletedOrderJson::Broadcast {
                delivered: delivered.iter().map(|name| &**name).collect(),
                missed: missed.iter().map(|name| &**name).collect(),
                elsewhere: elsewhere.iter().map(|name| &**name).collect(),
            },
            CompletedOrder::Reloaded(reloaded) => CompletedOrderJson::Reloaded {
                at_once: &reloaded.at_once,
                after_a_restart: &reloaded.after_a_restart,
            },
            CompletedOrder::MissionCleared(was) => CompletedOrderJson::Cleared(*was),
            CompletedOrder::Request(sent) => CompletedOrderJson::Request {
                at: sent.at.to_string(),
                provider: &sent.provider,
                body: &sent.body,
            },
            CompletedOrder::Routine(text) => {
                CompletedOrderJson::Routine(serde_json::from_str(text).unwrap_or_default())
            }
            CompletedOrder::Reminded { id, at } => CompletedOrderJson::Reminder {
                id,
                at: at.to_string(),
            },
            CompletedOrder::Frozen(since) => {
                CompletedOrderJson::Frozen(since.map(|at| at.to_string()))
            }
            CompletedOrder::Passed(process) => CompletedOrderJson::Passed(process),
            CompletedOrder::AccountsPooled(count) => CompletedOrderJson::Accounts(*count),
        }
    }
}

/// The answer to an order as its caller reads it: what the kinds of [`CompletedOrderJson`] say. What an
/// order does not say is absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OrderAnswerJson {
    pub seq: Option<i64>,
    pub cleared: Option<bool>,
    /// The process that carries the order out, which is stored.
    pub passed: Option<String>,
    pub routine: Option<serde_json::Value>,
    /// The name of a Mysis that is back.
    pub undeleted: Option<String>,
    pub account: Option<String>,
    /// The Myses that have a mission.
    pub delivered: Vec<String>,
    /// The Myses that inherit it when they run again.
    pub missed: Vec<String>,
    /// The Myses of other processes, which give it to them within seconds.
    pub elsewhere: Vec<String>,
    /// Since when the swarm is frozen.
    pub frozen: Option<String>,
    pub accounts: Option<usize>,
    /// The accounts whose passwords are too short to be redacted inside of words.
    pub short_passwords: Vec<String>,
}

/// What came of an order for one of several Myses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderOutcome {
    Done,
    /// It is stored, and another process carries it out.
    Passed,
    /// The Mysis already is as the order wants it.
    Unchanged,
    Refused,
    /// No answer came: it may have been carried out, or be carried out later.
    Unknown,
    Selected,
}

/// An order for one of several Myses in `--json` of the commands that give orders.
#[derive(Debug, Serialize)]
pub struct OrderOutcomeJson {
    pub name: String,
    pub outcome: OrderOutcome,
    pub seq: Option<i64>,
    pub process: Option<String>,
    /// Why it was refused, or changed nothing.
    pub why: Option<String>,
}

impl OrderOutcomeJson {
    /// An order for the Mysis with this name that was carried out.
    #[must_use]
    pub fn new(name: &str) -> OrderOutcomeJson {
        OrderOutcomeJson {
            name: name.to_string(),
            outcome: OrderOutcome::Done,
            seq: None,
            process: None,
            why: None,
        }
    }

    /// It was refused, or changed nothing.
    pub fn fail(&mut self, outcome: OrderOutcome, why: String) {
        self.outcome = outcome;
        self.why = Some(why);
    }

    pub fn take(&mut self, answer: OrderAnswerJson) {
        if answer.passed.is_some() {
            self.outcome = OrderOutcome::Passed;
        }
        self.seq = answer.seq;
        self.process = answer.passed;
    }
}

#[derive(Debug, Serialize)]
pub struct ImportedAccountsJson<'a> {
    #[serde(flatten)]
    pub done: CompletedOrderJson<'a>,
    /// The accounts whose passwords are too short to be redacted inside of words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub short_passwords: Vec<String>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MissionJson<'a> {
    pub text: Option<Cow<'a, str>>,
    pub at: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct ExportedJson {
    pub myses: usize,
    pub rows: usize,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct WaitedJson {
    /// `met`, `lost` or `timeout`.
    pub outcome: String,
    pub met: Vec<String>,
    pub open: Vec<String>,
    /// The Myses of which it will not come by itself.
    pub lost: Vec<LostJson>,
}

/// A Mysis of which what is waited for will not come by itself.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct LostJson {
    pub mysis: String,
    pub why: String,
}

/// How far back conversations reach.
#[derive(Debug, Deserialize, Serialize)]
pub struct ReachJson {
    pub removed: u64,
    /// Rows older than this may be missing.
    pub before: Option<String>,
}

/// The size of a database before and after it was compacted, in bytes.
#[derive(Debug, Deserialize, Serialize)]
pub struct CompactedJson {
    pub before: u64,
    pub after: u64,
}
