//! The two ends of a run: who began it and what ended it, as a checkpoint has them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::ids::CallKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSource {
    /// The model, by the call with this key. The report is its result.
    Model(CallKey),
    Operator,
    /// The runtime, because the model repeated a circle.
    Runtime,
}

impl RunSource {
    /// The word for it in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RunSource::Model(_) => "model",
            RunSource::Operator => "operator",
            RunSource::Runtime => "runtime",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutineEnd {
    RoundsOver,
    Reached(String),
    /// A guard does not hold, in words.
    Guard(String),
    /// A step did not succeed, in words.
    Failed(String),
    ResultMismatch(String),
    Lost(String),
    /// Its rounds bring too little, in words.
    GainFell(String),
    /// The watch on progress finds no progress.
    NoProgress,
    Order,
    Stopped,
    Interrupted(String),
}

/// The call that began a run; null for the operator.
pub(super) fn write_source<S: Serializer>(source: &RunSource, to: S) -> Result<S::Ok, S::Error> {
    match source {
        RunSource::Model(call) => call.serialize(to),
        RunSource::Operator => to.serialize_unit(),
        RunSource::Runtime => to.serialize_str(source.as_str()),
    }
}

pub(super) fn read_source<'de, D: Deserializer<'de>>(from: D) -> Result<RunSource, D::Error> {
    match Json::deserialize(from)? {
        Json::Null => Ok(RunSource::Operator),
        Json::String(word) if word == RunSource::Runtime.as_str() => Ok(RunSource::Runtime),
        Json::String(word) => Err(D::Error::custom(format!("`{word}` started it"))),
        call @ (Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
            let call = serde_json::from_value(call).map_err(D::Error::custom)?;
            Ok(RunSource::Model(call))
        }
    }
}

/// As its word and the reason, which is empty where it has none.
impl Serialize for RoutineEnd {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            RoutineEnd::RoundsOver => ("rounds", ""),
            RoutineEnd::Reached(reason) => ("reached", &**reason),
            RoutineEnd::Guard(reason) => ("guard", &**reason),
            RoutineEnd::Failed(reason) => ("failed", &**reason),
            RoutineEnd::ResultMismatch(reason) => ("unlike", &**reason),
            RoutineEnd::Lost(reason) => ("lost", &**reason),
            RoutineEnd::GainFell(reason) => ("poor", &**reason),
            RoutineEnd::NoProgress => ("no_progress", ""),
            RoutineEnd::Order => ("order", ""),
            RoutineEnd::Stopped => ("stopped", ""),
            RoutineEnd::Interrupted(reason) => ("interrupted", &**reason),
        };
        form.serialize(to)
    }
}

impl<'de> Deserialize<'de> for RoutineEnd {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RoutineEnd, D::Error> {
        let (word, reason) = <(String, String)>::deserialize(from)?;
        Ok(match &*word {
            "rounds" => RoutineEnd::RoundsOver,
            "reached" => RoutineEnd::Reached(reason),
            "guard" => RoutineEnd::Guard(reason),
            "failed" => RoutineEnd::Failed(reason),
            "unlike" => RoutineEnd::ResultMismatch(reason),
            "lost" => RoutineEnd::Lost(reason),
            "poor" => RoutineEnd::GainFell(reason),
            "no_progress" => RoutineEnd::NoProgress,
            "order" => RoutineEnd::Order,
            "stopped" => RoutineEnd::Stopped,
            "interrupted" => RoutineEnd::Interrupted(reason),
            other => return Err(D::Error::custom(format!("it ended by `{other}`"))),
        })
    }
}
