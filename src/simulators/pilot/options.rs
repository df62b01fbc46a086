//! The options of a pilot.

use std::path::PathBuf;
use std::time::Duration;

use zoea_grammar::incident::Incident;

use super::faults::PilotFault;
use super::player::Habits;
use super::validate::Strictness;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PilotOptions {
    /// The way it plays. Its seed also decides which requests meet faults.
    pub habits: Habits,
    /// The pause before each answer.
    pub latency: Duration,
    pub faults: Vec<PilotFault>,
    /// Incidents that are served again.
    pub replays: Vec<Incident>,
    pub strictness: Strictness,
    /// The key that callers must show, if any.
    pub api_key: Option<String>,
    pub record: Option<PathBuf>,
    /// Whether the lines also contain the request bodies.
    pub keeps_bodies: bool,
}
