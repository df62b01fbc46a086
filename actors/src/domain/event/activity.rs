//! What a Mysis does at the moment.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::ids::Lane;
use crate::model::AnswerProgress;
use crate::question::Question;

/// The beginning of the words for a Mysis that waits until the operator logs it in.
pub const AWAITING_LOGIN_PREFIX: &str = "waiting to be logged in: ";

/// What a Mysis does at the moment. It is only for display.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    #[default]
    Resting,
    /// It reads its history from the store.
    Rebuilding,
    Pausing,
    /// It waits longer for the next turn, because its model wrote words alone.
    Waiting,
    /// Its model said that the mission is done. It is asked again after an hour.
    Done,
    Connecting,
    /// It waits until the operator logs it in, who has to do this.
    AwaitingLogin(Arc<str>),
    CallingModel,
    Answering(AnswerProgress),
    /// It waits for the next attempt with this server, which said this.
    CoolingDown(Lane, Arc<str>),
    #[serde(rename = "calling")]
    CallingTool(Arc<str>),
    /// It waits for a tool's result, and the server for the operator's answer to this question. Its values go from
    /// its own process to the server, so that it can be answered only there, and others hear what it is about.
    #[serde(serialize_with = "summary_of", skip_deserializing)]
    Asked(Arc<Question>),
    Travelling,
    Mining,
    /// It waits for the outcome of an action in a fight.
    Fighting,
    /// It is between two turns while the ship is under way.
    InTransit,
    /// It is between two turns while the ship cools down from an action.
    OnCooldown,
    Recording,
    /// It runs but pauses, for this reason.
    Paused(Arc<str>),
    #[serde(untagged)]
    Queueing(Lane),
}

fn summary_of<S: Serializer>(question: &Arc<Question>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&question.summary())
}

impl Activity {
    pub fn awaited_lane(&self) -> Option<&Lane> {
        if let Activity::Queueing(lane) = self {
            return Some(lane);
        }
        None
    }

    pub fn question(&self) -> Option<&Arc<Question>> {
        if let Activity::Asked(question) = self {
            return Some(question);
        }
        None
    }

    pub fn family(&self) -> ActivityFamily {
        match self {
            Activity::Resting
            | Activity::Pausing
            | Activity::Waiting
            | Activity::Done
            | Activity::InTransit
            | Activity::OnCooldown => ActivityFamily::Rest,
            Activity::Rebuilding | Activity::Recording => ActivityFamily::OwnWork,
            Activity::CallingModel | Activity::Answering(_) => ActivityFamily::Model,
            Activity::CallingTool(_)
            | Activity::Asked(_)
            | Activity::Travelling
            | Activity::Mining
            | Activity::Fighting => ActivityFamily::ToolCall,
            Activity::Connecting => ActivityFamily::Connecting,
            Activity::Queueing(_) | Activity::CoolingDown(..) => ActivityFamily::Server,
            Activity::AwaitingLogin(_) | Activity::Paused(_) => ActivityFamily::Held,
        }
    }

    /// Whether it waits for an arrival, or for the operator.
    pub fn waits_on_purpose(&self) -> bool {
        matches!(
            self,
            Activity::Travelling | Activity::Asked(_) | Activity::AwaitingLogin(_)
        )
    }

    /// Whether it goes on while the swarm is frozen: answers to calls that had left are awaited, and results are stored.
    /// Everything else stands still.
    pub fn goes_on_when_frozen(&self) -> bool {
        match self.family() {
            ActivityFamily::OwnWork | ActivityFamily::Model | ActivityFamily::ToolCall => true,
            ActivityFamily::Rest
            | ActivityFamily::Connecting
            | ActivityFamily::Server
            | ActivityFamily::Held => false,
        }
    }
}

/// What an activity is about, for rules that ask no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityFamily {
    /// Nothing is under way: it rests, or is between two turns.
    Rest,
    /// It reads from the store, or writes to it.
    OwnWork,
    Model,
    ToolCall,
    Connecting,
    /// It waits until a server takes its request.
    Server,
    /// It waits for a person, or for the end of a pause.
    Held,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activity::Resting => f.write_str("resting"),
            Activity::Rebuilding => f.write_str("rebuilding"),
            Activity::Pausing => f.write_str("between turns"),
            Activity::Waiting => f.write_str("waiting"),
            Activity::Done => f.write_str("done"),
            Activity::Queueing(Lane::Provider(name)) => write!(f, "waiting for {name}"),
            Activity::Queueing(Lane::Logins) => f.write_str("waiting to log in"),
            Activity::Queueing(Lane::Game) => f.write_str("waiting for the tool server"),
            Activity::Connecting => f.write_str("connecting"),
            Activity::AwaitingLogin(what) => write!(f, "{AWAITING_LOGIN_PREFIX}{what}"),
            Activity::CallingModel => f.write_str("calling the model"),
            Activity::Answering(arrived) => match arrived.describe_progress() {
                (true, size) => write!(f, "thinking, {size}"),
                (false, size) => write!(f, "answering, {size}"),
            },
            Activity::CoolingDown(_, why) => write!(f, "cooling down: {why}"),
            Activity::CallingTool(tool) => write!(f, "calling {tool}"),
            Activity::Asked(question) => write!(f, "{}", question.summary()),
            Activity::Travelling => f.write_str("travelling"),
            Activity::Mining => f.write_str("mining"),
            Activity::Fighting => f.write_str("fighting"),
            Activity::InTransit => f.write_str("in transit"),
            Activity::OnCooldown => f.write_str("on cooldown"),
            Activity::Recording => f.write_str("writing to disk"),
            Activity::Paused(why) => write!(f, "paused: {why}"),
        }
    }
}
