//! The answers to orders and queries.

use std::borrow::Cow;

use actors::domain::order::CompletedOrder;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The answer to an order through the control interface, which its caller reads as [`OrderAnswerJson`].
pub fn order_answer(done: &CompletedOrder) -> Value {
    match done {
        CompletedOrder::Created(id) => json!({"created": id.to_string()}),
        // The key is the word of what was done.
        CompletedOrder::Done(action) => json!({(action.as_str()): true}),
        CompletedOrder::Undeleted { name, account } => {
            json!({"undeleted": name, "account": account})
        }
        CompletedOrder::Stored(seq) => json!({"seq": seq.0}),
        CompletedOrder::Broadcast {
            mission: _,
            delivered,
            missed,
            elsewhere,
        } => {
            let mut reached = json!({"delivered": delivered, "missed": missed});
            if !elsewhere.is_empty() {
                reached["elsewhere"] = json!(elsewhere);
            }
            reached
        }
        CompletedOrder::Reloaded(reloaded) => {
            json!({"at_once": reloaded.at_once, "after_a_restart": reloaded.after_a_restart})
        }
        CompletedOrder::MissionCleared(was_there) => json!({"cleared": was_there}),
        CompletedOrder::Request(sent) => {
            json!({"at": sent.at.to_string(), "provider": sent.provider, "body": sent.body})
        }
        CompletedOrder::Routine(text) => {
            json!({"routine": serde_json::from_str::<Value>(text).unwrap_or_default()})
        }
        CompletedOrder::Reminded { id, at } => {
            json!({"reminder": {"id": id, "at": at.to_string()}})
        }
        CompletedOrder::Frozen(since) => json!({"frozen": since.map(|at| at.to_string())}),
        CompletedOrder::Passed(process) => json!({"passed": process}),
        CompletedOrder::AccountsPooled(count) => json!({"accounts": count}),
    }
}

/// The answer to an import of accounts, with those whose passwords are too short to be redacted inside of words.
pub fn imported_accounts(done: &CompletedOrder, short_passwords: &[String]) -> Value {
    let mut answer = order_answer(done);
    if !short_passwords.is_empty() {
        answer["short_passwords"] = json!(short_passwords);
    }
    answer
}

/// The answer to an order as its caller reads it: what [`order_answer`] says of any order. What it does not
/// say of this one is absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OrderAnswerJson {
    pub seq: Option<i64>,
    pub cleared: Option<bool>,
    /// The process that carries the order out, which is stored.
    pub passed: Option<String>,
    pub routine: Option<Value>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderOutcome {
    #[default]
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
#[derive(Debug, Default, Serialize)]
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
    pub fn new(name: &str) -> OrderOutcomeJson {
        OrderOutcomeJson {
            name: name.to_string(),
            ..OrderOutcomeJson::default()
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
