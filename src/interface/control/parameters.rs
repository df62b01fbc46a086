//! The parameters of control tools that have many, or that the command line has as well.

use std::fmt;

use actors::domain::message::RowKind;
use actors::domain::mission_end::ending;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::progress::expecting_no_gain;
use actors::domain::question::{AnswerValues, Decision, GivenAnswer};
use clap::{Args, value_parser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zoea_settings::bounds::{MAX_DAYS, MAX_INTEGER, MAX_ROWS};

use super::samples;

/// The longest wait of one call, in seconds.
pub(super) const MAX_WAIT_SECONDS: u64 = 60;

/// Reads a count of at most `highest`; 0 means all.
pub(super) fn read_count(
    name: &str,
    given: Option<u64>,
    usual: u64,
    highest: u64,
) -> Result<usize, String> {
    let count = match given {
        None => usual,
        Some(0) => MAX_INTEGER,
        Some(count) if count <= highest => count,
        Some(_) => return Err(format!("`{name}` is at most {highest}; 0 asks for all")),
    };
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Parameters of `list_myses`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct ListMyses {
    /// Conditions that all must be met, with commas between them: state, name, provider, model, role, account,
    /// system or process, then = or !=, then a value, as state=errored,name=scout-*; absent: all Myses.
    pub r#where: Option<String>,
    /// The members of each Mysis to answer with, with commas between them, as name,state,credits; absent: all.
    pub fields: Option<String>,
    /// Only Myses that come after the one of this name, in the order of names.
    pub after: Option<String>,
    /// How many Myses; 0: all.
    pub limit: Option<u64>,
}

/// Parameters of `status`.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct AskStatus {
    /// Whether texts are whole and every Mysis is told, however long the answer is.
    #[serde(default)]
    pub whole: bool,
}

/// Parameters of `create_mysis`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CreateMysis {
    /// The name of the Mysis.
    pub name: String,
    /// The provider of the Mysis [default: the configuration's].
    #[arg(long)]
    pub provider: Option<String>,
    /// The model of the Mysis [default: the provider's].
    #[arg(long)]
    pub model: Option<String>,
    /// The role of the Mysis [default: the configuration's].
    #[arg(long)]
    pub role: Option<String>,
    /// Whether it is started at once.
    #[arg(skip)]
    #[serde(default)]
    pub start: bool,
}

impl CreateMysis {
    pub(super) fn into_order(self) -> Order {
        Order::Create {
            name: self.name,
            provider: self.provider,
            model: self.model,
            role: self.role,
            start: self.start,
        }
    }
}

/// Parameters of `configure_mysis`; what is absent stays.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct ConfigureMysis {
    /// The name of the Mysis.
    #[arg(skip)]
    pub name: String,
    /// The new provider.
    #[arg(long)]
    pub provider: Option<String>,
    /// The new model.
    #[arg(long)]
    pub model: Option<String>,
    /// The new temperature, 0 to 2.
    #[schemars(range(min = 0, max = 2))]
    #[arg(long, value_parser = parse_temperature)]
    pub temperature: Option<f32>,
    /// The new role; none takes it away, default gives the configuration's.
    #[arg(long)]
    pub role: Option<String>,
}

fn parse_temperature(text: &str) -> Result<f32, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (0.0..=2.0).contains(number))
        .ok_or_else(|| "a temperature is a number from 0 to 2".to_string())
}

impl ConfigureMysis {
    pub(super) fn into_order(self) -> Order {
        MysisOrder::configure(self.provider, self.model, self.temperature, self.role)
            .for_mysis(self.name)
    }
}

/// Parameters of `send_message`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SendMessage {
    /// The name of the Mysis.
    pub name: String,
    /// The message.
    pub text: String,
    /// The text asks to wait, to guard or to talk, so no gain is expected of it.
    #[serde(default)]
    pub no_gain: bool,
}

impl SendMessage {
    pub(super) fn into_order(self) -> Order {
        let text = with_no_gain(self.text, self.no_gain);
        MysisOrder::Prompt(text.into()).for_mysis(self.name)
    }
}

/// Reads the text of an order from the command line. It may begin with a hyphen, as `-hold` does. A word that begins
/// with two is an option that was mistyped, and must not become an order.
pub(in crate::interface) fn parse_text(text: &str) -> Result<String, String> {
    match text.starts_with("--") && !text.contains(char::is_whitespace) {
        true => Err("there is no such option; as a text it has to hold a blank".to_string()),
        false => Ok(text.to_string()),
    }
}

/// Adds the mark that says that the order expects no gain, if that was asked for.
fn with_no_gain(text: String, no_gain: bool) -> String {
    match no_gain {
        true => expecting_no_gain(&text),
        false => text,
    }
}

/// Parameters of `broadcast`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct BroadcastMission {
    /// The mission.
    #[arg(allow_hyphen_values = true, value_parser = parse_text)]
    pub text: String,
    /// The text asks to wait, to guard or to talk, so no gain is expected of it.
    #[arg(long)]
    #[serde(default)]
    pub no_gain: bool,
    /// The mission can be done: a model may report that it is done, and is then asked once an hour.
    #[arg(long)]
    #[serde(default)]
    pub ends: bool,
}

impl BroadcastMission {
    /// The mission with the marks that were asked for.
    pub(super) fn into_order(self) -> Order {
        let text = with_no_gain(self.text, self.no_gain);
        let text = match self.ends {
            true => ending(&text),
            false => text,
        };
        Order::Broadcast { text }
    }
}

/// Parameters of `start_routine`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct StartRoutine {
    /// The name of the Mysis.
    pub name: String,
    /// The routine as an object with name, steps, guards, until and rounds, as `zoea_routine_start` takes
    /// it; with a name alone, one that the Mysis has run before; absent: the paying loop that it repeats now.
    #[serde(default)]
    pub routine: Map<String, Value>,
}

impl StartRoutine {
    pub(super) fn into_order(self) -> Order {
        let routine = Value::Object(self.routine).to_string();
        MysisOrder::StartRoutine(routine.into()).for_mysis(self.name)
    }
}

/// Parameters of `edit_routine`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct EditRoutine {
    /// The name of the Mysis.
    pub name: String,
    /// The name of the routine (absent: the one that runs, else the newest) and the members to change: steps,
    /// guards, until, rounds, earns.
    pub routine: Map<String, Value>,
}

impl EditRoutine {
    pub(super) fn into_order(self) -> Order {
        let changes = Value::Object(self.routine).to_string();
        MysisOrder::EditRoutine(changes.into()).for_mysis(self.name)
    }
}

/// Parameters of `answer_question`.
#[derive(Clone, Deserialize, JsonSchema, Serialize)]
pub struct AnswerQuestion {
    /// The name of the Mysis whose call waits.
    pub name: String,
    /// The number of the question that is meant; absent: the one that is open.
    pub question: Option<u64>,
    /// Whether it is answered, declined or put aside.
    #[serde(default)]
    pub action: AnswerAction,
    /// The values by field; none where an address was visited.
    #[serde(default)]
    pub values: Map<String, Value>,
}

impl AnswerQuestion {
    /// The answer to a question of a server. The Mysis checks it.
    pub(super) fn into_order(self) -> Order {
        let decision = match self.action {
            AnswerAction::Accept => Decision::Accept(AnswerValues(self.values)),
            AnswerAction::Decline => Decision::Decline,
            AnswerAction::Cancel => Decision::Cancel,
        };
        let question = self.question;
        MysisOrder::Answer(GivenAnswer { question, decision }).for_mysis(self.name)
    }
}

impl fmt::Debug for AnswerQuestion {
    /// Without the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AnswerQuestion { name, action, .. } = self;
        write!(f, "AnswerQuestion({name}, {action:?})")
    }
}

/// What is said to a question.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerAction {
    /// It is answered with the values.
    #[default]
    Accept,
    /// It is declined.
    Decline,
    /// It is put aside.
    Cancel,
}

/// Parameters of `read_log`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReadLog {
    /// The name of the Mysis.
    pub name: String,
    /// How many whole rows; 0: as many as an answer holds; absent: 50, as far as they fit into 8 KB.
    pub limit: Option<u64>,
    /// Only rows of this kind.
    #[schemars(extend("enum" = RowKind::ALL.map(RowKind::as_str)))]
    pub kind: Option<String>,
    /// Only rows after this one.
    pub after_seq: Option<u64>,
    /// Only rows before this one.
    pub before_seq: Option<u64>,
}

/// Parameters of `search`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SearchRows {
    /// The text to search for.
    pub query: String,
    /// The Mysis whose rows are searched; absent: all.
    pub mysis: Option<String>,
    /// The parts of a row to search: messages, reasoning or missions, several with commas between them.
    pub r#in: Option<String>,
    /// How many of the newest matches, whole; absent: 20, as far as they fit into 8 KB.
    pub limit: Option<u64>,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    pub ignore_case: bool,
}

/// Parameters of `read_events`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ReadEvents {
    /// How many events: of the newest ones, or of the next ones after `from`; 0: all that are kept
    /// [default: 50, with `from` all].
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(0..=MAX_ROWS))]
    pub limit: Option<u64>,
    /// Only events after the one of this number.
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(0..=MAX_INTEGER))]
    pub from: Option<u64>,
    /// How many seconds the answer may wait for an event after `from`, 60 at most.
    #[schemars(range(min = 0, max = MAX_WAIT_SECONDS))]
    #[arg(skip)]
    pub wait: Option<f64>,
}

/// Parameters of `wait`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct WaitFor {
    /// The names of the Myses, several with commas between them; absent: all.
    pub myses: Option<String>,
    /// Whether one of them is enough; else all of them.
    #[serde(default)]
    pub any: bool,
    /// What is waited for: idle, done, errored, needs-me, answered, or conditions such as credits>5000,
    /// with commas between them.
    pub until: String,
    /// How many seconds, 60 at most; absent: 60.
    #[schemars(range(min = 0, max = MAX_WAIT_SECONDS))]
    pub timeout: Option<f64>,
}

/// Parameters of `read_samples`.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct ReadSamples {
    /// The names of the Myses, several with commas between them; absent: all.
    #[arg(skip)]
    pub myses: Option<String>,
    /// From when on: how long ago, as 1h or 2d, a time of day, as 22:00, or a time, as 2026-11-22T10:00:00Z.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = samples::check_time)]
    pub since: Option<String>,
    /// Until when, in the same forms [default: now].
    #[arg(long, value_name = "TIME", value_parser = samples::check_time)]
    pub until: Option<String>,
    /// The length of a step: minute, hour or automatic, which makes a hundred steps or so.
    #[schemars(extend("enum" = ["minute", "hour", "automatic"]))]
    #[arg(long, value_name = "STEP", default_value = "automatic",
          value_parser = ["minute", "hour", "automatic"])]
    pub resolution: Option<String>,
    /// Add the Myses up.
    #[arg(long)]
    #[serde(default)]
    pub sum: bool,
}

/// Parameters of `report`.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct AskReport {
    /// The day by the clock of this machine, as 2026-11-22, or today or yesterday; without it and `since`: today.
    #[arg(long, value_name = "DAY", conflicts_with_all = ["since", "until"])]
    pub day: Option<String>,
    /// From when on: how long ago, as 10h or 2d, a time of day, as 22:00, or a time, as 2026-11-22T10:00:00Z.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Until when, in the same forms [default: now].
    #[arg(long, value_name = "TIME", requires = "since")]
    pub until: Option<String>,
}

/// Parameters of `export`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ExportConversations {
    /// The file to write; it must not exist.
    pub file: String,
    /// The Mysis to export; absent: all.
    pub mysis: Option<String>,
    /// The format: jsonl or md.
    #[schemars(extend("enum" = ["jsonl", "md"]))]
    pub format: Option<String>,
}

/// Parameters of `get_books`.
#[derive(Args, Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct GetBooks {
    /// How many days (UTC), counted back from today; 0: all.
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = value_parser!(u64).range(0..=MAX_DAYS))]
    pub days: Option<u64>,
}
