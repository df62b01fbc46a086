//! The parameters of control tools that have many, or that the command line has as well.

use clap::{Args, value_parser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::bounds::{MAX_DAYS, MAX_ROWS};

/// Parameters of `create_mysis`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CreateMysis {
    /// Its name.
    pub name: String,
    /// Its provider [default: the configuration's].
    #[arg(long)]
    pub provider: Option<String>,
    /// Its model [default: the provider's].
    #[arg(long)]
    pub model: Option<String>,
    /// Whether it is started at once.
    #[arg(skip)]
    #[serde(default)]
    pub start: bool,
}

/// Parameters of `configure_mysis`; what is absent stays.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ConfigureMysis {
    /// Which.
    pub name: String,
    /// Its new provider.
    #[arg(long)]
    pub provider: Option<String>,
    /// Its new model.
    #[arg(long)]
    pub model: Option<String>,
    /// Its new temperature, 0 to 2.
    #[arg(long)]
    pub temperature: Option<f32>,
}

/// Parameters of `send_message`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SendMessage {
    /// Which.
    pub name: String,
    /// The message.
    pub text: String,
    /// It asks to wait, to guard or to talk: the watch on progress expects no gain of it.
    #[arg(long)]
    #[serde(default)]
    pub no_gain: bool,
}

/// Parameters of `broadcast`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct BroadcastMission {
    /// The mission.
    pub text: String,
    /// It asks to wait, to guard or to talk: the watch on progress expects no gain of it.
    #[arg(long)]
    #[serde(default)]
    pub no_gain: bool,
}

/// Parameters of `read_log`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReadLog {
    /// Whose.
    pub name: String,
    /// So many rows; 0: as many as an answer holds.
    pub limit: Option<u64>,
    /// Only rows of this kind.
    pub kind: Option<String>,
    /// The rows next after this one.
    pub after_seq: Option<u64>,
    /// The rows next before this one.
    pub before_seq: Option<u64>,
}

/// Parameters of `search`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SearchRows {
    /// The text.
    pub query: String,
    /// Whose rows; absent: everybody's.
    pub mysis: Option<String>,
    /// Where to look: messages, reasoning or missions, several with commas between them.
    pub r#in: Option<String>,
    /// At most so many, the newest.
    pub limit: Option<u64>,
}

/// Parameters of `read_events`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReadEvents {
    /// The newest events; 0: all that are kept.
    #[arg(long, value_name = "N", default_value = "50",
          value_parser = value_parser!(u64).range(0..=MAX_ROWS))]
    pub limit: Option<u64>,
}

/// Parameters of `report`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReportDay {
    /// The day (UTC), as 2026-11-22, or today or yesterday.
    #[arg(long, value_name = "DAY", default_value = "today")]
    pub day: String,
}

/// Parameters of `export`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ExportConversations {
    /// The file; it must not exist.
    pub file: String,
    /// Whose; absent: everybody's.
    pub mysis: Option<String>,
    /// jsonl or md.
    pub format: Option<String>,
}

/// Parameters of `get_books`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct GetBooks {
    /// So many days (UTC), today the last of them; 0: all.
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = value_parser!(u64).range(0..=MAX_DAYS))]
    pub days: Option<u64>,
}
