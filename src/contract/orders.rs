//! What came of orders and questions.

use actors::domain::order::CompletedOrder;
use serde::{Deserialize, Serialize};

/// What came of an order, for whoever gave it through the control interface.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletedOrderJson<'a> {
    /// The new Mysis.
    Created(String),
    /// It runs.
    Started(bool),
    /// It is stopped.
    Stopped(bool),
    /// It is gone.
    Deleted(bool),
    /// Its settings are changed.
    Configured(bool),
    /// Where the message stands.
    Seq(i64),
    /// Whether there was something to clear.
    Cleared(bool),
    /// How many accounts were taken.
    Accounts(usize),
    /// Whom a mission reached.
    #[serde(untagged)]
    Broadcast {
        /// Those that have it.
        delivered: Vec<&'a str>,
        /// Those that inherit it when they run again.
        missed: Vec<&'a str>,
    },
    /// What changed in the configuration.
    #[serde(untagged)]
    Reloaded {
        /// What holds now.
        at_once: &'a [String],
        /// What holds after a restart.
        after_a_restart: &'a [String],
    },
    /// What was last sent to the model.
    #[serde(untagged)]
    Request {
        /// When.
        at: String,
        /// To which provider.
        provider: &'a str,
        /// The body, letter for letter.
        body: &'a str,
    },
}

impl<'a> From<&'a CompletedOrder> for CompletedOrderJson<'a> {
    fn from(done: &'a CompletedOrder) -> Self {
        match done {
            CompletedOrder::Created(id) => CompletedOrderJson::Created(id.to_string()),
            CompletedOrder::Started => CompletedOrderJson::Started(true),
            CompletedOrder::Stopped => CompletedOrderJson::Stopped(true),
            CompletedOrder::Deleted => CompletedOrderJson::Deleted(true),
            CompletedOrder::Configured => CompletedOrderJson::Configured(true),
            CompletedOrder::Stored(seq) => CompletedOrderJson::Seq(seq.0),
            CompletedOrder::Broadcast {
                mission: _,
                delivered,
                missed,
            } => CompletedOrderJson::Broadcast {
                delivered: delivered.iter().map(|name| &**name).collect(),
                missed: missed.iter().map(|name| &**name).collect(),
            },
            CompletedOrder::Reloaded(reloaded) => CompletedOrderJson::Reloaded {
                at_once: &reloaded.at_once,
                after_a_restart: &reloaded.after_a_restart,
            },
            CompletedOrder::MissionCleared(was) => CompletedOrderJson::Cleared(*was),
            CompletedOrder::NotesCleared => CompletedOrderJson::Cleared(true),
            CompletedOrder::Request(sent) => CompletedOrderJson::Request {
                at: sent.at.to_string(),
                provider: &sent.provider,
                body: &sent.body,
            },
            CompletedOrder::AccountsPooled(count) => CompletedOrderJson::Accounts(*count),
        }
    }
}

/// Accounts that were taken from a file.
#[derive(Debug, Serialize)]
pub struct ImportedAccountsJson<'a> {
    /// How many.
    #[serde(flatten)]
    pub done: CompletedOrderJson<'a>,
    /// Whose passwords are too short to be found within words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub short_passwords: Vec<String>,
}

/// The mission in force.
#[derive(Debug, Serialize)]
pub struct MissionJson<'a> {
    /// What it says.
    pub text: Option<&'a str>,
    /// Since when it stands.
    pub at: Option<String>,
}

/// Conversations that were written to a file.
#[derive(Debug, Deserialize, Serialize)]
pub struct ExportedJson {
    /// How many conversations.
    pub myses: usize,
    /// How many rows.
    pub rows: usize,
}

/// How far back conversations reach.
#[derive(Debug, Serialize)]
pub struct ReachJson {
    /// How many rows were removed.
    pub removed: u64,
    /// Of what is older than this not all is kept.
    pub before: Option<String>,
}

/// The size of a database before and after it was compacted, in bytes.
#[derive(Debug, Deserialize, Serialize)]
pub struct CompactedJson {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}
